"""The index of a folder of results: what it lists, what it reads again, and what it never follows."""

import gzip
import json
import os
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest
from platforms import posix, unprivileged
from web.folders import START, put, table

from steelyard.errors import InputError
from steelyard.i18n import Message, translations
from steelyard.io.results import reading as results_module
from steelyard.web import folder as folder_module
from steelyard.web import index as index_module
from steelyard.web.folder import SUFFIXES, within
from steelyard.web.history import series_of, title_of
from steelyard.web.index import NAME, Index


@pytest.fixture
def made():
    """Make an index and bring it up to date; all are closed at the end."""
    opened = []

    def make(folder):
        opened.append(Index(folder))
        opened[-1].refresh()
        return opened[-1]

    yield make
    for index in opened:
        index.close()


@pytest.fixture
def reads(monkeypatch):
    """The files that were opened to be read."""
    found = []

    def watched(path, real=results_module.open_stream):
        found.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(results_module, "open_stream", watched)
    return found


def names(index):
    return [entry.name for entry in index.listing().entries]


def test_the_time_is_that_of_the_header(tmp_path, made):
    put(tmp_path / "old.jsonl", table("old", created="2024-05-01T10:00:00Z"), age=9)
    put(tmp_path / "new.jsonl", table("new", created="2024-05-02T12:00:00+02:00"), age=1)
    put(tmp_path / "none.jsonl", table("none"), age=5)
    put(tmp_path / "odd.jsonl", table("odd", created="yesterday"), age=4)
    entries = made(tmp_path).listing().entries
    assert [entry.name for entry in entries] == ["new", "old", "none", "odd"]
    assert [entry.file_time for entry in entries] == [False, False, True, True]
    assert entries[0].time == datetime(2024, 5, 2, 10, tzinfo=UTC).timestamp()
    assert entries[2].time == START + 3600 * 5


def test_a_result_is_listed_with_its_numbers(tmp_path, made):
    put(tmp_path / "deep" / "er" / "results.jsonl", table("baseline", failures={1: "timeout"}))
    (entry,) = made(tmp_path).listing().entries
    assert (entry.name, entry.kind, entry.items, entry.errors) == ("baseline", "answers", 4, 1)
    assert (entry.path, entry.time, entry.main) == ("deep/er/results.jsonl", START, "F1")
    assert entry.metrics["F1"] == table().summary().as_dict()["metrics"]["F1"] | {"scored": 3, "errors": 1}
    assert entry.settings == [("system", "demo"), ("questions", "0000")]


def test_the_latest_comes_first_and_compressed_files_count(tmp_path, made):
    put(tmp_path / "a.jsonl", table("old"))
    path = put(tmp_path / "b.jsonl", table("new"), age=2)
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    os.utime(packed, (START + 3600, START + 3600))
    assert names(made(tmp_path)) == ["new", "new", "old"]


def test_a_metric_that_is_a_sum_does_not_stand_for_a_result(tmp_path, made):
    put(tmp_path / "a.jsonl", table(metrics=("num_q", "AP"), sums=("num_q",)))
    assert made(tmp_path).listing().entries[0].main == "AP"


def test_two_results_in_a_file_have_ids_of_their_own(tmp_path, made):
    put(tmp_path / "both.jsonl", table("first"), table("second"))
    index = made(tmp_path)
    entries = index.listing().entries
    assert [index.open(entry.id).name for entry in entries] == ["first", "second"]
    assert index.open("0" * 16) is None


def test_ids_stay_when_the_index_is_made_anew(tmp_path, made):
    put(tmp_path / "a.jsonl", table())
    before = made(tmp_path).listing().entries[0].id
    (tmp_path / NAME).unlink()
    assert made(tmp_path).listing().entries[0].id == before


def test_a_fresh_index_reads_no_file(tmp_path, made, reads):
    for number in range(5):
        put(tmp_path / f"{number}.jsonl", table(f"run {number}"))
    index = made(tmp_path)
    assert set(reads) == {f"{number}.jsonl" for number in range(5)}
    reads.clear()
    index.refresh()
    assert len(made(tmp_path).listing().entries) == 5
    assert reads == []


def test_only_what_is_new_or_changed_is_read(tmp_path, made, reads):
    for name in "abc":
        put(tmp_path / f"{name}.jsonl", table(name))
    index = made(tmp_path)
    reads.clear()
    put(tmp_path / "b.jsonl", table("changed"), age=1)
    put(tmp_path / "d.jsonl", table("d"), age=2)
    (tmp_path / "a.jsonl").unlink()
    index.refresh()
    assert set(reads) == {"b.jsonl", "d.jsonl"}
    assert names(index) == ["d", "changed", "c"]


def test_a_result_that_vanished_since_is_not_opened(tmp_path, made):
    path = put(tmp_path / "a.jsonl", table("one"), table("two"))
    index = made(tmp_path)
    first, second = (entry.id for entry in index.listing().entries)
    put(path, table("one"))
    assert index.open(first).name == "one"
    assert index.open(second) is None
    path.unlink()
    assert index.open(first) is None


def test_broken_files_are_listed_with_their_error(tmp_path, made):
    lines = put(tmp_path / "torn.jsonl", table()).read_text().splitlines()
    (tmp_path / "torn.jsonl").write_text("\n".join([lines[0], "{]", ""]))
    (tmp_path / "noise.jsonl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "half.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:20])
    (tmp_path / "types.jsonl").write_text(json.dumps(json.loads(lines[0]) | {"bounds": {"F1": 3}}) + "\n")
    put(tmp_path / "good.jsonl", table("good"))
    listing = made(tmp_path).listing()
    assert [entry.name for entry in listing.entries] == ["good"]
    assert sorted(listing.broken) == ["empty.jsonl", "half.jsonl.gz", "noise.jsonl", "torn.jsonl", "types.jsonl"]
    assert listing.broken["torn.jsonl"][0].startswith("torn.jsonl:2: this is not JSON: ")
    assert listing.broken["types.jsonl"][0].startswith("types.jsonl:1: the field 'bounds.F1' must be a list, not 3")


def test_other_files_are_counted_and_left_alone(tmp_path, made, reads):
    (tmp_path / "predictions.jsonl").write_text('{"id": 1, "prediction": "x"}\n' * 3)
    (tmp_path / "list.jsonl").write_text("[1]\n")
    (tmp_path / "notes.txt").write_text("{}")
    (tmp_path / ".hidden").mkdir()
    put(tmp_path / ".hidden" / "a.jsonl", table())
    listing = made(tmp_path).listing()
    assert (listing.entries, listing.broken, listing.others) == ([], {}, 2)
    assert all(suffix in text for text in translations(Message("view.other_files")) for suffix in SUFFIXES)
    assert sorted(reads) == ["list.jsonl", "predictions.jsonl"]


def test_an_unfinished_run_is_marked(tmp_path, made):
    path = put(tmp_path / "a.jsonl", table())
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
    (entry,) = made(tmp_path).listing().entries
    assert (entry.items, entry.unfinished) == (2, True)


@posix
def test_symbolic_links_are_not_followed(tmp_path, made):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    put(outside / "secret.jsonl", table("secret"))
    put(inside / "a.jsonl", table("a"))
    (inside / "link.jsonl").symlink_to(outside / "secret.jsonl")
    (inside / "folder").symlink_to(outside)
    index = made(inside)
    assert names(index) == ["a"]
    (inside / "a.jsonl").unlink()
    (inside / "a.jsonl").symlink_to(outside / "secret.jsonl")
    assert index.open(index.listing().entries[0].id) is None


@pytest.mark.parametrize(
    "path", ["../outside.jsonl", "/etc/passwd", "x/../../outside.jsonl", "a\0b", "", ".", "nothing"]
)
def test_no_path_leads_out(tmp_path, path):
    (tmp_path / "outside.jsonl").touch()
    (tmp_path / "folder" / "x").mkdir(parents=True)
    assert within((tmp_path / "folder").resolve(), path) is None


def test_an_index_that_names_a_file_outside_opens_nothing(tmp_path, made):
    outside = put(tmp_path / "secret.jsonl", table("secret"))
    put(tmp_path / "folder" / "a.jsonl", table("a"))
    index = made(tmp_path / "folder")
    identifier = index.listing().entries[0].id
    for path in (b"../secret.jsonl", os.fsencode(outside)):
        index._query("UPDATE results SET path = ?", path)
        assert index.open(identifier) is None


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\0" * 5000, b""])
def test_a_damaged_index_is_made_anew(tmp_path, made, content):
    put(tmp_path / "a.jsonl", table("a"))
    (tmp_path / NAME).write_bytes(content)
    assert names(made(tmp_path)) == ["a"]
    with closing(sqlite3.connect(tmp_path / NAME)) as database:
        assert database.execute("SELECT count(*) FROM results").fetchone() == (1,)


def test_an_index_damaged_in_the_middle_is_made_anew(tmp_path, made):
    for number in range(60):
        put(tmp_path / f"{number}.jsonl", table(f"run {number}"))
    made(tmp_path).close()
    content = bytearray((tmp_path / NAME).read_bytes())
    content[4096:12288] = b"\x55" * 8192
    (tmp_path / NAME).write_bytes(content)
    assert len(made(tmp_path).listing().entries) == 60


def test_an_index_of_another_version_is_made_anew(tmp_path, made, reads):
    put(tmp_path / "a.jsonl", table("a"))
    index = made(tmp_path)
    index._query("UPDATE made_by SET version = 'old'")
    index.close()
    reads.clear()
    assert names(made(tmp_path)) == ["a"]
    assert set(reads) == {"a.jsonl"}


def test_where_no_index_can_be_written_it_is_kept_in_memory(tmp_path, made):
    put(tmp_path / "a.jsonl", table("a"))
    (tmp_path / NAME).mkdir()  # stands in for a folder that is read-only, also for root
    assert names(made(tmp_path)) == ["a"]


@unprivileged
def test_a_read_only_folder_stays_as_it_is(tmp_path, made):
    put(tmp_path / "a.jsonl", table("a"))
    tmp_path.chmod(0o500)
    try:
        assert names(made(tmp_path)) == ["a"]
        assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    finally:
        tmp_path.chmod(0o700)


@posix
def test_an_index_that_is_a_link_is_not_written_through(tmp_path, made):
    put(tmp_path / "folder" / "a.jsonl", table("a"))
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "folder" / NAME).symlink_to(tmp_path / "precious")
    assert names(made(tmp_path / "folder")) == ["a"]
    assert (tmp_path / "precious").read_text() == "mine"


def test_an_index_that_fails_while_it_is_used_is_kept_in_memory(tmp_path, made):
    put(tmp_path / "a.jsonl", table("a"))
    index = made(tmp_path)
    index._query("DROP TABLE files")
    index.refresh()
    assert names(index) == ["a"]
    (listed,) = index.listing().entries
    index._query("DROP TABLE results")
    assert index.located(listed.id) == (tmp_path.resolve() / "a.jsonl", 0)


def test_a_file_that_could_not_be_read_is_read_again(tmp_path, made, monkeypatch):
    def refuse(path):
        raise InputError(Message("formats.cannot_read", strerror="Input/output error"), where=str(path))

    put(tmp_path / "a.jsonl", table("a"))
    with monkeypatch.context() as patch:
        patch.setattr(results_module, "open_stream", refuse)
        index = made(tmp_path)
        assert index.listing().broken["a.jsonl"][0] == "a.jsonl: cannot be read: Input/output error"
        before = index.revision()
        index.refresh()
        assert index.revision() == before
    index.refresh()
    assert (names(index), index.listing().broken) == (["a"], {})


def test_hostile_names_are_only_names(tmp_path, made):
    name = "</script><script>alert(1)</script>\0\u202e" + "x" * 1_000_000
    put(tmp_path / "a.jsonl", table("plain"))
    text = (tmp_path / "a.jsonl").read_text().replace('"plain"', json.dumps(name))
    (tmp_path / "a.jsonl").write_text(text)
    put(tmp_path / os.fsdecode(b"\xff<b>.jsonl"), table("b"))
    entries = {entry.path: entry for entry in made(tmp_path).listing().entries}
    assert set(entries) == {"a.jsonl", "\ufffd<b>.jsonl"}
    assert entries["a.jsonl"].name.startswith("</script><script>alert(1)</script>\0\u202ex")
    assert len(entries["a.jsonl"].name) == 300


def test_the_history_of_scores_is_that_of_one_tool_and_name(tmp_path, made):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("bm25", "dense"):
            (tmp_path / folder / f"{name}.csv").write_text("id,f1\na,1\n", encoding="utf-8")
        test = {"name": "t", "metricsData": [{"name": "Faithfulness", "score": 1}], "input": "x", "actualOutput": "y"}
        run = {"testCases": [test], "metricsScores": []}
        for number, given in enumerate(({"testFile": "test_rag.py"}, {"testFile": "test_rag.py"}, {})):
            path = tmp_path / folder / f"test_run_2026011{number}_{folder}.json"
            path.write_text(json.dumps({**run, **given}), encoding="utf-8")
    steps = [{"step": "evaluate", "memory": {"memory_eval_res": {"f1": [1.0], "avg_f1": 1.0}}}]
    (tmp_path / "memory_nq_rag.json").write_text(json.dumps(steps), encoding="utf-8")
    listing = made(tmp_path).listing()
    groups = sorted(sorted(entry.name for entry in runs) for runs in series_of(listing.entries).values())
    assert groups == [
        ["bm25", "bm25"],
        ["dense", "dense"],
        ["test_run_20260110_one", "test_run_20260110_two", "test_run_20260111_one", "test_run_20260111_two"],
        ["test_run_20260112_one"],
        ["test_run_20260112_two"],
    ]
    assert listing.others == 1


def test_the_history_of_an_evaluation_is_that_of_one_system(tmp_path, made):
    names = ("bm25-v1", "bm25-v2", "bm25_2026-01-02", "dense-v1", "gpt-4", "gpt-5")
    put(tmp_path / "a.jsonl", *(table(name, system="") for name in names))
    groups = sorted(sorted(e.name for e in runs) for runs in series_of(made(tmp_path).listing().entries).values())
    assert groups == [["bm25-v1", "bm25-v2", "bm25_2026-01-02"], ["dense-v1"], ["gpt-4"], ["gpt-5"]]


def test_the_history_of_results_alone_in_their_files_is_that_of_the_set_of_questions(tmp_path, made):
    for age, name in enumerate(("v1", "final answers", "v2")):
        put(tmp_path / f"{name}.jsonl", table(name, system="", created="2026-03-01T12:00:00Z"), age=age)
    put(tmp_path / "more.jsonl", table("more", system="", questions="1111"))
    series = list(series_of(made(tmp_path).listing().entries).values())
    assert sorted([entry.name for entry in runs] for runs in series) == [["more"], ["v2", "final answers", "v1"]]
    assert [title_of(runs) for runs in series if len(runs) > 1] == ["v1 → v2"], "of equal times the files' decide"


def test_the_list_has_the_headline_of_the_page(tmp_path, made):
    put(tmp_path / "a.jsonl", table("named", main="EM"), table("usual"), table("gone", main="ROUGE-L"))
    assert [entry.main for entry in made(tmp_path).listing().entries] == ["EM", "F1", "F1"]


def test_runs_of_one_kind_over_the_same_questions_are_a_series(tmp_path, made):
    alike = [table("one"), table("two")]
    apart = [table("three", questions="1111"), table("four", kind="retrieval")]
    put(tmp_path / "a.jsonl", *alike, *apart)
    series = [entry.series for entry in made(tmp_path).listing().entries]
    assert series[0] == series[1]
    assert len(set(series)) == 3


def test_two_indexes_of_one_folder_do_not_lock_each_other_out(tmp_path, made):
    for number in range(30):
        put(tmp_path / f"{number}.jsonl", table(f"run {number}"))
    indexes = [made(tmp_path), made(tmp_path)]
    for number in range(30):
        put(tmp_path / f"{number}.jsonl", table(f"again {number}"), age=1)
    threads = [threading.Thread(target=index.refresh) for index in indexes]
    for thread in threads:
        thread.start()
    assert all(len(index.listing().entries) == 30 for index in indexes for _ in range(20))
    for thread in threads:
        thread.join()
    assert all(name.startswith("again") for index in indexes for name in names(index))


def changed_header(path, **fields):
    """A results file whose header says other things."""
    lines = put(path, table("changed")).read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(json.dumps(json.loads(lines[0]) | fields) + "\n" + "".join(lines[1:]), encoding="utf-8")


def test_a_result_with_a_broken_item_is_listed_as_broken(tmp_path, made):
    path = put(tmp_path / "a.jsonl", table("a"))
    path.write_bytes(path.read_bytes().replace(b'"scores"', b'"sc0res"', 1))
    listing = made(tmp_path).listing()
    assert (listing.entries, list(listing.broken)) == ([], ["a.jsonl"])


def test_no_file_stops_the_listing(tmp_path, made, monkeypatch):
    """Whatever a reader raises, the file is listed with it and the others are listed."""
    put(tmp_path / "good.jsonl", table("good"))
    for name in ("deep", "memory", "system", "zero"):
        put(tmp_path / f"{name}.jsonl", table(name))
    raised = {
        "deep": RecursionError("too deep"),
        "memory": MemoryError(),
        "system": OSError(5, "Input/output error"),
        "zero": ZeroDivisionError("zero"),
    }

    def load(path, real=index_module.load_all):
        if path.stem in raised:
            raise raised[path.stem]
        return real(path)

    monkeypatch.setattr(index_module, "load_all", load)
    index = made(tmp_path)
    listing = index.listing()
    assert [entry.name for entry in listing.entries] == ["good"]
    assert {path: problem[0].split(": ")[:2] for path, problem in listing.broken.items()} == {
        f"{name}.jsonl": [f"{name}.jsonl", "this is not a result written by steelyard"] for name in raised
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "x" * 100_000},
        {"signature": "|:|" * 50_000},
        {"metrics": [["F1"], {"EM": 1}]},
        {"metrics": []},
        {"counts": {"a": [1]}},
        {"sums": 7},
        {"bounds": {"F1": ["a", {}]}},
        {"benchmark": {"a": 1}},
        {"kind": "\x1b[2J"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_odd_headers_are_listed_or_named_broken(tmp_path, made, fields):
    put(tmp_path / "good.jsonl", table("good"))
    changed_header(tmp_path / "odd.jsonl", **fields)
    listing = made(tmp_path).listing()
    assert "good" in [entry.name for entry in listing.entries]
    assert len(listing.entries) + len(listing.broken) == 2


@pytest.mark.parametrize("seconds", [1e11, 1e12, 2**33, -1, -1e11])
def test_odd_times_are_only_times(tmp_path, made, seconds):
    from steelyard.web.history import trends_of

    for name in ("one", "two"):
        path = put(tmp_path / f"{name}.jsonl", table(name))
        os.utime(path, ns=(int(seconds) * 10**9,) * 2)
    entries = made(tmp_path).listing().entries
    assert [entry.name for entry in entries] == ["one", "two"]
    assert all(trend.plot == "drawn" for trend in trends_of(entries, "en", lambda points, language: "drawn"))


def test_the_first_metrics_of_many_are_drawn(tmp_path, made):
    from steelyard.web.history import trends_of

    for name in ("one", "two"):
        put(tmp_path / f"{name}.jsonl", table(name, metrics=[f"m{n}" for n in range(60)]))
    drawn = []
    trends = list(trends_of(made(tmp_path).listing().entries, "en", lambda points, language: drawn.append(1) or "x"))
    assert (len(trends), len(drawn)) == (60, 40)


def test_a_time_that_no_index_holds_is_cut(tmp_path, monkeypatch, made):
    put(tmp_path / "a.jsonl", table("a"))
    monkeypatch.setattr(folder_module, "LAST_NS", 5)  # stands in for a file system with times after the year 2262
    assert made(tmp_path).listing().entries[0].time == 5e-9


def test_a_file_above_the_limit_is_named_and_not_read(tmp_path, made, reads, monkeypatch):
    from steelyard import limits

    put(tmp_path / "a.jsonl", table("a"))
    put(tmp_path / "b.jsonl", table("b" * 5000))
    monkeypatch.setattr(limits.VIEW_RESULT_BYTES, "value", 4000)
    listing = made(tmp_path).listing()
    assert [entry.name for entry in listing.entries] == ["a"]
    size = (tmp_path / "b.jsonl").stat().st_size
    assert listing.broken["b.jsonl"][0].startswith(
        f"b.jsonl: the size of this file in bytes is above the limit of 4,000 ({size:,})\nhint: to raise the limit, set"
    )
    assert "b.jsonl" not in reads


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE results SET metrics = 'no JSON'",
        "UPDATE results SET metrics = '[]', signature = 5",
        "UPDATE files SET path = 'text', mtime_ns = 'late'",
        "DROP TABLE results",
        "ALTER TABLE results RENAME TO other; CREATE VIEW results AS WITH RECURSIVE "
        "n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT n.x, other.* FROM n, other",
    ],
)
def test_an_index_made_by_somebody_else_is_not_believed(tmp_path, made, change):
    put(tmp_path / "a.jsonl", table("a"))
    made(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / NAME)) as database:
        database.executescript(change)
        database.commit()
    index = made(tmp_path)
    assert names(index) == ["a"]


@pytest.mark.parametrize("path", ["x" * 5000, "a/" * 3000 + "b.jsonl", "\ud800.jsonl"])
def test_paths_that_are_too_long_or_odd_lead_nowhere(tmp_path, path):
    assert within(tmp_path.resolve(), path) is None


@posix
def test_links_in_a_circle_lead_nowhere(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert within(tmp_path.resolve(), "a/x.jsonl") is None
