"""Answers in parts: the same table, counts and messages, whatever the number of parts and the engine."""

import json
import random

import pytest
from platforms import forking
from tables import shown

import steelyard
from steelyard.answers import rows as answer_rows
from steelyard.answers import scoring, sources
from steelyard.engines.base import row_bytes
from steelyard.engines.local import LocalEngine
from steelyard.errors import SteelyardError
from steelyard.io.ranges import LineRanges

pytestmark = [forking, pytest.mark.slow]  # workers have the size of batches of the test
BATCH = 64
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "“said”",
    "that",
    "Paris",
    "is",
    "in",
    "France",
    "北京",
    "是",
    "首都",
]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    for module in (scoring, answer_rows, sources):
        monkeypatch.setattr(module, "BATCH", BATCH)


def row(choose: random.Random, number: int) -> dict:
    text = " ".join(choose.choices(WORDS, k=5))
    found = {"id": f"r{number}", "prediction": text, "references": [" ".join(choose.choices(WORDS, k=5))]}
    if choose.random() < 0.02:
        found["prediction"] = choose.choice((None, "", 7))
    return found


def rows(count: int, seed: int = 1) -> list[dict]:
    choose = random.Random(seed)
    return [row(choose, number) for number in range(count)]


def written(path, found, blanks: bool = False) -> None:
    choose = random.Random(3)
    with path.open("w", encoding="utf-8") as file:
        for each in found:
            text = each if isinstance(each, str) else json.dumps(each, ensure_ascii=choose.random() < 0.5)
            file.write(text + "\n" + "".join(choose.choices(("\n", " \u3000\n"), k=blanks and choose.random() < 0.01)))


def outcome(path, engine, **settings) -> str:
    try:
        return shown(steelyard.evaluate_answers(path, None, ["EM", "F1"], engine=engine, **settings))
    except SteelyardError as error:
        return str(error)


def engines():
    """Engines that make one part, and as many as there are batches."""
    return [None, LocalEngine(2, part_bytes=1 << 40), LocalEngine(3, part_bytes=1)]


def check(path, **settings) -> str:
    """All engines give the same."""
    found = {outcome(path, engine, **settings) for engine in engines()}
    assert len(found) == 1
    return found.pop()


@pytest.fixture
def ranged(monkeypatch):
    """How often answers were read in ranges, and in order although they were cut."""
    counted = {"begun": 0, "unordered": 0}

    def scored(self):
        counted["begun"] += 1
        try:
            yield from original(self)
        except scoring.UnorderedAnswers:
            counted["unordered"] += 1
            raise

    original = scoring.RangedAnswers.scored
    monkeypatch.setattr(scoring.RangedAnswers, "scored", scored)
    return counted


@pytest.mark.parametrize("count", [BATCH - 1, BATCH, BATCH + 1, 7 * BATCH - 3])
@pytest.mark.parametrize("blanks", [False, True])
def test_the_table_does_not_depend_on_parts(tmp_path, ranged, count, blanks):
    path = tmp_path / "rows.jsonl"
    written(path, rows(count), blanks)
    assert '"items": ' in check(path)
    assert ranged == {"begun": 2 if count >= BATCH else 0, "unordered": 0}


@pytest.mark.parametrize("size", [2, 7, 64])
def test_parts_of_a_larger_file(tmp_path, size):
    path = tmp_path / "rows.jsonl"
    written(path, rows(64 * BATCH))
    engine = LocalEngine(2, part_bytes=path.stat().st_size // size)
    assert outcome(path, engine) == outcome(path, None)


def test_large_files_have_larger_parts():
    sizes = [0, 1 << 20, 512 << 20, 1 << 30, 2 << 30, 1 << 40]
    assert [row_bytes(size) >> 20 for size in sizes] == [2, 2, 2, 4, 8, 8]


def test_a_file_that_goes_away_is_an_error_of_its_name(tmp_path, monkeypatch):
    path = tmp_path / "rows.jsonl"
    written(path, rows(2 * BATCH))
    found = scoring.row_bytes

    def gone(size):
        path.unlink()
        return found(size)

    monkeypatch.setattr(scoring, "row_bytes", gone)
    with pytest.raises(SteelyardError, match=r"rows\.jsonl: the file was replaced, removed"):
        steelyard.evaluate_answers(path, engine=LocalEngine(2))


@pytest.mark.parametrize("keep", [True, "questions"])
def test_texts_are_kept(tmp_path, ranged, keep):
    path = tmp_path / "rows.jsonl"
    written(path, [{**each, "question": f"Q{number}?"} for number, each in enumerate(rows(3 * BATCH))])
    check(path, keep=keep)
    assert ranged == {"begun": 2, "unordered": 0}


@pytest.mark.parametrize("named", [False, True])
def test_rows_without_ids_are_numbered_or_named_by_their_question(tmp_path, ranged, named):
    found = rows(3 * BATCH)
    for number, each in enumerate(found):
        del each["id"]
        each.update({"question": f"Q{number}?"} if named else {})
    written(tmp_path / "rows.jsonl", found, blanks=True)
    assert ('"id": "Q191?"' if named else '"id": "192"') in check(tmp_path / "rows.jsonl")
    assert ranged == {"begun": 2, "unordered": 0}


def test_questions_that_are_there_again(tmp_path):
    found = [{**each, "question": f"Q{number % 150}?"} for number, each in enumerate(rows(3 * BATCH))]
    for each in found:
        del each["id"]
    written(tmp_path / "rows.jsonl", found)
    assert "Q7? (2)" in check(tmp_path / "rows.jsonl")


LATE = {
    "error": "no",
    "category": "a",
    "contexts": ["x [1]"],
    "note": 1,
    "metadata": {"kind": "late"},
    "query": "?",
}


@pytest.mark.parametrize("column", LATE)
@pytest.mark.parametrize("first", [3, 2 * BATCH + 5, 4 * BATCH])
def test_columns_that_come_late(tmp_path, ranged, column, first):
    found = rows(6 * BATCH)
    for number in range(first, len(found), 31):
        found[number][column] = LATE[column]
    written(tmp_path / "rows.jsonl", found)
    check(tmp_path / "rows.jsonl")
    assert ranged["unordered"] == 0


@pytest.mark.parametrize("at", [5, 2 * BATCH + 1, 5 * BATCH])
@pytest.mark.parametrize(
    "bad",
    [
        '{"id": "r1", "prediction": "a", "references": ["b"]}',
        '{"id": "new", "prediction": {"a": 1}, "references": ["b"]}',
        '{"id": "new", "prediction": "a", "references": [["b"], "c"]}',
        '{"id": [], "prediction": "a", "references": ["b"]}',
        '{"id": "new", "prediction": "a"',
        '["no object"]',
        '{"id": "new", "id": "twice"}',
        '{"id": "new", "answers": "a", "gold": "b", "output": "c"}',
    ],
)
def test_messages_do_not_depend_on_parts(tmp_path, at, bad):
    found = rows(5 * BATCH + 10)
    found.insert(at, bad)
    written(tmp_path / "rows.jsonl", found, blanks=True)
    check(tmp_path / "rows.jsonl")


def test_a_byte_that_is_no_text(tmp_path):
    path = tmp_path / "rows.jsonl"
    written(path, rows(5 * BATCH))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] = 0xFF
    path.write_bytes(content)
    assert "rows.jsonl:" in check(path)


def test_a_byte_order_mark_and_no_line_end(tmp_path, ranged):
    path = tmp_path / "rows.jsonl"
    written(path, rows(3 * BATCH))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().rstrip())
    assert '"items": 192' in check(path)
    assert ranged["unordered"] == 0


@pytest.mark.parametrize("size", [1, 10_000, 10**9])
def test_ranges_end_after_batches(tmp_path, size):
    path = tmp_path / "rows.jsonl"
    written(path, rows(1000), blanks=True)
    content = path.read_bytes()
    ranges = list(LineRanges(path, size, 64))
    assert b"".join(content[each.bytes.start : each.bytes.end] for each in ranges) == content
    for each in ranges:
        before = content[: each.bytes.start].decode().split("\n")[:-1]
        assert each.lines == len(before)
        assert each.rows == sum(bool(line.strip()) for line in before)
        assert each.rows % 64 == 0
