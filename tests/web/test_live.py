"""Pages of a run that is still being written: what they say of their state, and what a request for a new one gets."""

import os
import re

import httpx
import pytest
from web.folders import put, table

from steelyard.web.rendering import OPEN, report_pages
from steelyard.web.viewer import LIVE_SECONDS


@pytest.fixture
def running(tmp_path, served):
    """A run of which three of four items are written, beside a finished one."""
    put(tmp_path / "done.jsonl", table("done"))
    lines = put(tmp_path / "run.jsonl", table("run")).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "run.jsonl").write_text("".join(lines[:4]), "utf-8")
    with served(tmp_path, render=report_pages(tmp_path, OPEN)) as server:
        yield server, tmp_path / "run.jsonl", lines


def addresses(server):
    known = {entry.name: entry.id for entry in server.viewer.listed().entries}
    pair = f"compare/{known['done']}/{known['run']}"
    return {"list": "", "run": f"result/{known['run']}", "done": f"result/{known['done']}", "pair": pair}


def tag_of(page):
    found = re.search(r'"live":"([0-9a-f]{16})"', page)
    return found and found[1]


def get(server, path, tag=None):
    headers = {} if tag is None else {"If-None-Match": tag}
    return httpx.get(server.address + path, headers=headers, trust_env=False, timeout=60)


@pytest.mark.parametrize("name", ["list", "run", "pair"])
def test_a_page_follows_its_run_to_the_end(running, name):
    server, path, lines = running
    address = addresses(server)[name]
    first = get(server, address)
    tag = tag_of(first.text)
    assert tag
    unchanged = get(server, address, tag)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    with path.open("a", encoding="utf-8") as file:
        file.write(lines[4])
    second = get(server, address, tag)
    assert (second.status_code, tag_of(second.text) not in (None, tag)) == (200, True)
    with path.open("a", encoding="utf-8") as file:
        file.write(lines[5])
    last = get(server, address, tag_of(second.text))
    assert (last.status_code, tag_of(last.text)) == (200, None)


def test_a_finished_run_is_not_followed(running):
    server, _, _ = running
    page = get(server, addresses(server)["done"]).text
    assert tag_of(page) is None
    assert "const Live" not in page


def test_a_run_that_was_left_is_not_followed(running):
    server, path, _ = running
    long_ago = path.stat().st_mtime - 2 * LIVE_SECONDS
    os.utime(path, (long_ago, long_ago))
    assert [tag_of(get(server, addresses(server)[name]).text) for name in ("list", "run")] == [None, None]


def test_a_removed_file_is_said_and_the_server_lives_on(running):
    server, path, lines = running
    address = addresses(server)["run"]
    tag = tag_of(get(server, address).text)
    path.unlink()
    assert get(server, address, tag).status_code == 404
    path.write_text("".join(lines), "utf-8")
    assert get(server, "").status_code == 200
    assert get(server, address, tag).status_code == 200


def test_another_state_than_any_is_a_whole_page(running):
    server, _, _ = running
    for tag in ("", "*", "x" * 100, '"0"'):
        assert get(server, addresses(server)["run"], tag).status_code == 200
