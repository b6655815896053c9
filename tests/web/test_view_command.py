"""The command `view`: what it accepts, and what it says where it cannot start."""

import os
import subprocess
import sys

import pytest
from web.folders import put, table

from steelyard.cli import main
from steelyard.web import server


@pytest.mark.parametrize("number", ["65536", "99999999999999999999", "-1", "x", "1e3", "８０", ""])
def test_a_port_that_is_none_is_a_mistake_of_the_user(tmp_path, capsys, number):
    with pytest.raises(SystemExit) as ended:
        main(["view", str(tmp_path), f"--port={number}", "--lang", "en"])
    assert ended.value.code == 2
    assert f"--port: must be between 0 and 65535, not {number[:20]!r}" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["nothing", "x" * 5000, "a\0b", "\x1b[2Jnothing"])
def test_a_folder_that_is_none_is_a_mistake_of_the_user(tmp_path, capsys, folder):
    assert main(["view", f"{tmp_path}/{folder}", "--port", "0", "--lang", "en"]) == 2
    told = capsys.readouterr().err
    assert "there is no such folder" in told
    assert "\x1b" not in told
    assert "\0" not in told


@pytest.mark.parametrize("host", ["no such host", "a" * 300, "a..b", "\0", "192.0.2.1"])
def test_a_host_that_is_none_is_a_mistake_of_the_user(tmp_path, capsys, host):
    assert main(["view", str(tmp_path), "--host", host, "--token", "T", "--port", "0", "--lang", "en"]) == 2
    assert "cannot listen on" in capsys.readouterr().err


def test_a_limit_of_the_viewer_is_read_from_the_environment(tmp_path):
    words = [sys.executable, "-m", "steelyard.cli", "view", str(tmp_path), "--port", "0", "--lang", "en"]
    environment = os.environ | {"STEELYARD_VIEW_CONNECTIONS": "none"}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert "STEELYARD_VIEW_CONNECTIONS: a limit must be a number above 0" in ended.stderr


def test_the_name_of_the_folder_does_not_reach_the_terminal_raw(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "\x1b[2Jresults"
    put(folder / "a.jsonl", table("a"))
    monkeypatch.setattr(server.ViewServer, "run", lambda self, until_signal: None)
    assert main(["view", str(folder), "--port", "0", "--lang", "en"]) == 0
    told = capsys.readouterr().err
    assert f"results of {tmp_path}/\\x1b[2Jresults on http://127.0.0.1:" in told
