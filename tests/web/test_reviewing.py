"""Reviews that are saved from pages of the viewer: what is written, by whom, and what is refused."""

import errno
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from platforms import posix
from tables import make_table
from web.folders import put, table

from steelyard.cli import main
from steelyard.errors import ConfigError
from steelyard.io.results import load
from steelyard.io.reviews import append_judgement, digest_of, read_review
from steelyard.reports.agreement import agree
from steelyard.stats.review import SampleSettings, SampleSize, take_sample
from steelyard.web.rendering import MASKED, OPEN, report_pages
from steelyard.web.reviewing import review_path


@pytest.fixture
def folder(tmp_path):
    """A result with parts, and two in one file."""
    scores, passed = np.array([1.0, 0.0, 0.5, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
    parts = {"F1": {"exact": passed, "passed": passed}}
    made = make_table("run", {"F1": scores}, list("abcd"), parts=parts, kind="answers", failures={3: "timeout"})
    put(tmp_path / "run.jsonl", made)
    put(tmp_path / "two.jsonl", table("first"), table("second"))
    return tmp_path


@pytest.fixture
def server(folder, served):
    with served(folder) as running:
        yield running


def ids(server):
    return {entry.name: entry.id for entry in server.viewer.listed().entries}


def own_headers(server, **changed):
    """The headers that a page of the viewer sends; None leaves one out."""
    headers = {
        "Content-Type": "application/json",
        "Origin": server.address.rstrip("/"),
        "X-Steelyard-Key": server.viewer.key,
        **changed,
    }
    return {name: value for name, value in headers.items() if value is not None}


def shown(server, name):
    """The digest that a page of the result has."""
    found = server.viewer.index.open(ids(server).get(name, name))
    return digest_of(found) if found else ""


def save(server, given, name="run", headers=None):
    """Send a judgement; of the result that the file has now, unless it says of which."""
    if isinstance(given, dict):
        given = {"result": shown(server, name), **given}
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    address = f"{server.address}review/{ids(server).get(name, name)}"
    return httpx.post(address, content=content, headers=headers or own_headers(server), trust_env=False, timeout=60)


def test_a_correction_is_a_line_that_agreement_and_report_read(server, folder, capsys):
    given = {"agree": False, "score": 0.75, "parts": {"exact": 1, "passed": 1}, "remark": "备注", "reviewer": "R"}
    answer = save(server, {"id": "b", **given})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json()["judgement"] | {"time": ""} == {**given, "unsure": False, "time": ""}
    path = folder / "run.review.jsonl"
    line = json.loads(path.read_text("utf-8"))
    assert line["result"] == digest_of(load(folder / "run.jsonl"))
    assert (line["verdict"], line["score"], line["sampling"]["by"], line["sampling"]["of"]) == (0.0, 0.75, "chosen", 3)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["time"])
    table = load(folder / "run.jsonl")
    assert agree(table, {"mine": read_review(path)}).reviews[0].rate.errors == 1
    assert main(["report", str(folder / "run.jsonl"), "--reviews", str(path), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["metrics"]["F1"]["mean"], found["corrections"]["F1"]["mean"]) == (0.375, 0.5625)
    assert found["corrections"]["F1"]["items"] == 1


def test_the_last_judgement_of_an_item_counts_and_none_is_lost(server, folder):
    assert save(server, {"id": "a", "agree": False, "score": 0.5}).status_code == 200
    assert save(server, {"id": "b", "unsure": True}).status_code == 200
    assert save(server, {"id": "a", "agree": True}).status_code == 200
    path = folder / "run.review.jsonl"
    assert len(path.read_text("utf-8").splitlines()) == 3
    assert [(each.id, each.agree, each.score, each.unsure) for each in read_review(path)] == [
        ("a", True, None, False),
        ("b", None, None, True),
    ]


def test_a_sample_is_continued(server, folder):
    sample = take_sample(load(folder / "run.jsonl"), SampleSettings(SampleSize(1)))
    append_judgement(folder / "run.review.jsonl", sample[0])
    assert save(server, {"id": sample[0].id, "agree": True}).status_code == 200
    (found,) = read_review(folder / "run.review.jsonl")
    assert (found.agree, found.sampling) == (True, sample[0].sampling)


def test_a_file_that_was_edited_by_hand_keeps_its_last_line(folder):
    path = folder / "run.review.jsonl"
    sample = take_sample(load(folder / "run.jsonl"), SampleSettings(SampleSize(2)))
    append_judgement(path, sample[0])
    path.write_text(path.read_text("utf-8").rstrip("\n"), "utf-8")
    append_judgement(path, sample[1])
    assert [each.id for each in read_review(path)] == [each.id for each in sample]


@pytest.mark.parametrize("kept", [0, 1])
def test_a_line_that_a_killed_viewer_left_torn_is_cut_off(server, folder, kept):
    path = folder / "run.review.jsonl"
    for item in ("a", "b")[: kept + 1]:
        assert save(server, {"id": item, "agree": True}).status_code == 200
    path.write_bytes(path.read_bytes()[:-20])
    assert ids(server).keys() == {"run", "first", "second"}
    assert not server.viewer.listed().broken
    assert save(server, {"id": "c", "agree": False}).status_code == 200
    assert [each.id for each in read_review(path)] == [*"ab"[:kept], "c"]


@posix
def test_a_file_system_that_cannot_lock_is_said_at_once(folder, monkeypatch):
    def refuse(file, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    sample = take_sample(load(folder / "run.jsonl"), SampleSettings(SampleSize(1)))
    with pytest.raises(ConfigError, match=r"run\.review\.jsonl: cannot be written: No locks available"):
        append_judgement(folder / "run.review.jsonl", sample[0])


def test_every_result_of_a_file_has_its_own_reviews(server, folder):
    assert save(server, {"id": "q1", "agree": True}, "first").status_code == 200
    assert save(server, {"id": "q1", "agree": False}, "second").status_code == 200
    assert {path.name for path in folder.glob("*.review.jsonl")} == {"two.review.jsonl", "two.2.review.jsonl"}
    assert [review_path(folder / "a.csv", place).name for place in (0, 2)] == [
        "a.csv.review.jsonl",
        "a.csv.3.review.jsonl",
    ]


def test_reviews_are_on_the_page_and_no_results_of_their_own(folder, served):
    with served(folder, render=report_pages(folder, OPEN)) as server:
        address = f"{server.address}result/{ids(server)['run']}"
        assert "mean after correction" not in httpx.get(address, trust_env=False).text
        assert save(server, {"id": "b", "agree": False, "score": 0.25, "remark": "why <b>not</b>"}).status_code == 200
        page = httpx.get(address, trust_env=False).text
        assert "mean after correction" in page
        assert "steelyard gate and steelyard compare use them without corrections" in page
        assert "why \\u003cb\\u003enot" in page
        assert "connect-src &#39;self&#39;" in page
        assert set(ids(server)) == {"run", "first", "second"}


def test_many_at_once_are_all_written_whole(server, folder):
    ids(server)  # the folder is read
    with ThreadPoolExecutor(8) as clients:
        given = [{"id": "abc"[number % 3], "agree": True, "remark": f"{number} " * 500} for number in range(24)]
        assert [answer.status_code for answer in clients.map(lambda each: save(server, each), given)] == [200] * 24
    lines = (folder / "run.review.jsonl").read_text("utf-8").splitlines()
    assert sorted(int(json.loads(line)["remark"].split()[0]) for line in lines) == list(range(24))


@pytest.mark.parametrize(
    "changed",
    [
        {"X-Steelyard-Key": None},
        {"X-Steelyard-Key": "guess"},
        {"Origin": None},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": None},
    ],
)
def test_what_no_page_of_the_viewer_sends_is_refused(server, folder, changed):
    assert save(server, {"id": "a", "agree": True}, headers=own_headers(server, **changed)).status_code == 403
    assert not list(folder.glob("*.review.jsonl"))


def test_without_the_token_nothing_is_written(folder, served):
    with served(folder, token="T") as server:
        address = f"{server.address}review/{ids(server)['run']}"
        content = json.dumps({"id": "a", "agree": True, "result": shown(server, "run")}).encode()
        headers = own_headers(server)
        for query in ("", "?token=T"):
            assert httpx.post(address + query, content=content, headers=headers, trust_env=False).status_code == 401
        assert not list(folder.glob("*.review.jsonl"))
        headers["Authorization"] = "Bearer T"
        assert httpx.post(address, content=content, headers=headers, trust_env=False).status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_reviews_are_only_posted(server, folder, method):
    address = f"{server.address}review/{ids(server)['run']}"
    answer = httpx.request(method, address, headers=own_headers(server), trust_env=False)
    assert answer.status_code == (404 if method == "GET" else 405)
    assert not list(folder.glob("*.review.jsonl"))


@pytest.mark.parametrize(
    ("given", "status", "message"),
    [
        (b"{", 400, "request"),
        (b"[" * 20_000, 400, "request"),
        (b"[]", 409, "an object"),
        ({"agree": True}, 409, "'id' is missing"),
        ({"id": "z", "agree": True}, 404, "no longer exists"),
        ({"id": "d", "agree": True}, 409, "d: this item has no verdict to review"),
        ({"id": "a", "agree": "yes"}, 409, "'agree' must be true or false"),
        ({"id": "a", "agree": False, "score": 1.01}, 409, "a score lies between 0 and 1, not 1.01"),
        ({"id": "a", "agree": False, "score": float("nan")}, 409, "'score' must be a number"),
        ({"id": "a", "agree": False, "parts": {"none": 1}}, 409, "the score has no part 'none' of 1"),
        ({"id": "a", "agree": False, "parts": {"exact": 1e200}}, 409, "the score has no part 'exact'"),
        ({"id": "a", "agree": True, "score": 0.5}, 409, "agree must be false"),
        ({"id": "a", "parts": {"exact": 1}}, 409, "agree must be false"),
        ({"id": "a", "remark": "x" * 5001}, 409, "at most 5000 characters"),
    ],
)
def test_a_judgement_that_is_none_is_refused_with_the_reason(server, folder, given, status, message):
    answer = save(server, given)
    assert answer.status_code == status
    assert message in answer.json()["error"][0]
    assert not list(folder.glob("*.review.jsonl"))


def test_a_result_that_is_not_there(server):
    assert save(server, {"id": "a", "agree": True}, "0" * 16).status_code == 404
    assert save(server, {"id": "a", "agree": True}, "../run").status_code == 405


def test_a_request_that_is_too_large_or_has_no_size(server):
    assert save(server, b" " * 40_000).status_code == 413
    address = f"{server.address}review/{ids(server)['run']}"
    answer = httpx.post(address, content=iter([b"{}"]), headers=own_headers(server), trust_env=False)
    assert answer.status_code == 413


def test_what_is_in_the_way_of_the_file_is_said(server, folder):
    outside = folder.parent / f"{folder.name}-outside.jsonl"
    path = folder / "run.review.jsonl"
    path.symlink_to(outside)
    assert "regular file" in save(server, {"id": "a", "agree": True}).json()["error"][0]
    assert not outside.exists()
    path.unlink()
    path.mkdir()
    assert "regular file" in save(server, {"id": "a", "agree": True}).json()["error"][0]
    path.rmdir()
    path.write_text("{broken\n")
    assert "run.review.jsonl:1: " in save(server, {"id": "a", "agree": True}).json()["error"][0]
    path.unlink()
    assert save(server, {"id": "a", "agree": True}).status_code == 200
    put(folder / "run.jsonl", make_table("run", {"F1": np.array([1.0, 1.0])}, list("ab"), kind="answers"), age=1)
    assert "of another result" in save(server, {"id": "a", "agree": True}).json()["error"][0]
    assert len(path.read_text("utf-8").splitlines()) == 1


def test_a_verdict_that_the_page_did_not_show_is_not_reviewed(server, folder):
    before = shown(server, "run")
    put(folder / "run.jsonl", make_table("run", {"F1": np.array([0.0, 1.0])}, list("ab"), kind="answers"), age=1)
    answer = save(server, {"id": "a", "agree": True, "result": before})
    assert answer.status_code == 409
    assert "reload the page" in answer.json()["error"][0]
    assert not (folder / "run.review.jsonl").exists()
    assert save(server, {"id": "a", "agree": True}).status_code == 200


def test_an_unfinished_run_is_not_reviewed(server, folder):
    lines = (folder / "run.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "run.jsonl").write_text("".join(lines[:-2]), "utf-8")
    assert "this run is not finished" in save(server, {"id": "a", "agree": True}).json()["error"][0]


def test_nothing_is_reviewed_where_data_are_masked(folder, served):
    with served(folder, render=report_pages(folder, MASKED), privacy=MASKED) as server:
        assert "with --mask nothing can be reviewed" in save(server, {"id": "a", "agree": True}).json()["error"][0]
        page = httpx.get(f"{server.address}result/{ids(server)['run']}", trust_env=False).text
        assert server.viewer.key not in page
        assert "connect-src" not in page
