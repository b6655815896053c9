"""Ids, names and answers command neither a terminal nor a spreadsheet."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from platforms import posix
from rendering import render_csv
from tables import table_of

from steelyard.cli import main
from steelyard.reports.content import Report
from steelyard.table import Signature

EVIL = "q\x1b[31m\x1b]0;x\x07\x9b2J\u202e\u2066\rz"
SHOWN = r"q\x1b[31m\x1b]0;x\x07\x9b2J\u202e\u2066\rz"
RAW = set("\x1b\x07\x9b\u202e\u2066")


def table(name=EVIL):
    return table_of(
        ids=[EVIL, "b"],
        columns={"EM": np.array([1.0, 0.0])},
        name=name,
        signature=Signature.of({"kind": "answers", "file": EVIL}),
        tags={"type": [EVIL, "x"]},
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().save("r.jsonl")
    table("new").save("n.jsonl")
    return tmp_path


COMMANDS = {
    "report": ("report", "r.jsonl", "-q", "--by", "type"),
    "compare": ("compare", "r.jsonl", "n.jsonl", "-q", "--by", "type"),
    "gate": ("gate", "r.jsonl", "--require", "EM >= 1", "--no-fall", EVIL, "--baseline", "n.jsonl"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_commands_the_terminal(name, here, capsys):
    main([*COMMANDS[name]])
    printed = capsys.readouterr().out
    main([*COMMANDS[name], "-o", "out.md"])
    assert SHOWN in printed
    for text in (printed, (here / "out.md").read_text("utf-8")):
        assert not RAW & set(text), name
    assert r"\\x1b" in (here / "out.md").read_text("utf-8")


def test_messages_command_nothing(here, capsys):
    assert main(["report", EVIL]) == 2
    assert capsys.readouterr().err.startswith(f"{SHOWN}: no such file")


def test_json_is_as_it_was(here, capsys):
    assert main(["report", "r.jsonl", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["per_item"][0]["id"] == EVIL


@posix
@pytest.mark.slow
def test_a_real_terminal_gets_our_styles_only(here):
    import pty

    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "steelyard", *COMMANDS["report"]]
    done = subprocess.Popen(words, stdout=follower, env={**os.environ, "TERM": "xterm-256color"})
    os.close(follower)
    heard = b""
    while True:
        try:
            block = os.read(leader, 65536)
        except OSError:  # the other side is closed
            break
        heard += block
        if not block:
            break
    assert done.wait() == 0
    os.close(leader)
    text = heard.decode("utf-8")
    assert SHOWN in text.replace("\r\n", "\n")
    for style in ("\x1b[1m", "\x1b[2m", "\x1b[0m"):
        text = text.replace(style, "")
    assert not RAW & set(text)


def test_cells_are_no_formulas():
    names = ["=1+1", "+cmd", "-x", "@SUM(A1)", "\tx", "\rx", "＝1", "-5", "+1e-3", "a=b", "'=1"]
    made = table_of(ids=names, columns={"EM": np.full(len(names), -0.5)}, name="=HYPERLINK(1)")
    rows = list(csv.reader(io.StringIO(render_csv(Report([made], (), True)), newline="")))
    shown = ["'=1+1", "'+cmd", "'-x", "'@SUM(A1)", "'\tx", "'\rx", "'＝1", "-5", "+1e-3", "a=b", "'=1"]
    assert rows[1:] == [["'=HYPERLINK(1)", name, "-0.5"] for name in shown]


@pytest.mark.parametrize("unseen", [" ", "\u3000", "\0", "\ufeff", "\u200b", "\xa0", "\x1f", '"', " \u2060\0"])
def test_what_is_not_seen_before_a_formula(unseen):
    made = table_of(ids=[f"{unseen}=1", f"x{unseen}"], columns={"EM": np.zeros(2)}, name="r")
    rows = list(csv.reader(io.StringIO(render_csv(Report([made], (), True)), newline="")))
    assert [row[1] for row in rows[1:]] == [f"'{unseen}=1", f"x{unseen}"]


@pytest.mark.parametrize("name", [";=5", "x;=cmd()", "x; \u200b@SUM(A1)", "x\t+1", "x\n=1", 'x;"=1"', "x;=1;=2"])
@pytest.mark.parametrize("separator", [";", "\t"])
def test_no_other_separator_makes_a_formula(name, separator):
    made = table_of(ids=[name], columns={"EM": np.zeros(1)}, name="r")
    text = render_csv(Report([made], (), True))
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]
    assert not [cell for cell in cells if cell.strip(' \u200b"').startswith(("=", "+", "@"))]
