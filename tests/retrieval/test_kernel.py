"""The compiled kernel finds in lines and columns what numpy finds, to the last bit, or says they are not regular."""

import os
import random
import subprocess
import sys
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms import compiled
from properties import TIMES

import steelyard
from steelyard.native import kernel
from steelyard.retrieval.matching import MatchedBlock, Matcher, QrelsIndex, match_columns, match_regular
from steelyard.retrieval.reading.blocks import ColumnRows
from steelyard.retrieval.reading.rankings import qrels_from_columns
from steelyard.retrieval.reading.spans import Spans
from steelyard.retrieval.reading.trec import match_lines, parse_block, read_qrels, read_run

pytestmark = compiled
DATA = Path(__file__).parents[2] / "data"
QUERIES = (b"1", b"2", b"query-10", b"a-query-of-more-than-sixteen-bytes", "问题".encode())
DOCUMENTS = tuple(
    text.encode()
    for text in ("d1", "d2", "D", "FR94-1234567", "FR94-12345678", "a" * 8, "a" * 9, "a" * 40, "文件", "é-1", "~", "0")
) + tuple(b"x%d" % n for n in range(40))
LONGEST_NUMBER = 127  # as in native/module.c
COLUMNS = ("query", "query_hash", "length", "hit", "rank")


def index_of(choose: random.Random) -> QrelsIndex:
    pairs = {(choose.choice(QUERIES[:4]), choose.choice(DOCUMENTS)) for _ in range(choose.randint(1, 60))}
    queries, documents = zip(*sorted(pairs), strict=True)
    grades = np.array([choose.randint(-1, 3) for _ in pairs])
    return QrelsIndex(qrels_from_columns("q", Spans.of(queries), Spans.of(documents), grades, digest="", place=str))


def number(choose: random.Random) -> str:
    value = choose.choice(
        [choose.random() * 50, choose.uniform(-1, 1) * 10 ** choose.randint(-30, 30), choose.randint(0, 9)]
    )
    form = choose.choice(["{:.6f}", "{!r}", "{:.3g}", "{:.16e}", "{:.0f}", "{:.22g}", "+{:.4f}"])
    return form.format(value).replace("+-", "-")


def falling(choose: random.Random, count: int) -> list[str]:
    score, scores = 99.0, []
    for _ in range(count):
        score -= choose.random() + 0.001
        scores.append(f"{score:.6f}")
    return scores


def lines_of_query(choose: random.Random, query: bytes) -> list[bytes]:
    documents = choose.sample(DOCUMENTS, choose.randint(1, len(DOCUMENTS)))
    count = len(documents)
    scores = choose.choice(
        [
            lambda: falling(choose, count),
            lambda: [str(choose.randint(0, 3)) for _ in range(count)],
            lambda: sorted((str(choose.randint(0, 9)) for _ in range(count)), reverse=True),
            lambda: [number(choose) for _ in range(count)],
            lambda: choose.choices(["0", "-0.0", "0e5", ".0", "1e-320"], k=count),
        ]
    )()
    ranks = [str(choose.choice([place, place, place, choose.randint(0, 99)])) for place in range(1, count + 1)]
    tails = choose.choice([[""], [" tag"], [" tag"], ["\ttag  more"], ["", " tag"]])
    gap = choose.choice([" ", " ", "\t", "  "])
    end = choose.choice(["\n", "\n", "\n", "\r\n", " \n"])
    return [
        gap.encode().join((query, b"Q0", document, rank.encode(), score.encode()))
        + (choose.choice(tails) + end).encode()
        for document, rank, score in zip(documents, ranks, scores, strict=True)
    ]


def regular_block(choose: random.Random) -> bytes:
    queries = choose.sample(QUERIES, choose.randint(1, len(QUERIES)))
    return b"".join(line for query in queries for line in lines_of_query(choose, query))


def damaged(choose: random.Random, block: bytes) -> bytes:
    """The block with a few bytes replaced, inserted or removed, or lines repeated or moved."""
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(block))
        kind = choose.randrange(5)
        piece = choose.choice(
            [b"\n", b" ", b"\0", b"\r", b"\x0b", b"#", b"\xff", "é".encode(), b"\xed\xa0\x80", b"1e999", b"nan"]
        )
        if kind < 3:
            block = block[:at] + piece + block[at + choose.randint(0, 2) :]
        else:
            lines = block.splitlines(keepends=True)
            lines.insert(choose.randrange(len(lines) + 1), choose.choice(lines))
            if kind == 4:
                lines.pop(choose.randrange(len(lines)))
            block = b"".join(lines)
    return block if block.endswith(b"\n") else block + b"\n"


def assert_same(ours: MatchedBlock, theirs: MatchedBlock) -> None:
    for name in COLUMNS:
        left, right = getattr(ours.matches, name), getattr(theirs.matches, name)
        assert left.dtype == right.dtype, name
        assert left.tolist() == right.tolist(), name
    for name in ("tied", "disordered", "duplicates", "first"):
        assert getattr(ours.matches, name) == getattr(theirs.matches, name), name
    for name in ("lines", "problems", "anomalies", "readable"):
        assert getattr(ours, name) == getattr(theirs, name), name


def compare(block: bytes, matcher: Matcher) -> bool:
    """Whether the kernel took the block; it must agree then."""
    ours = match_regular(block, matcher)
    if ours is None:
        return False
    assert_same(ours, matcher.match(parse_block(block)))
    return True


def matcher_of(choose: random.Random) -> Matcher:
    return Matcher(index_of(choose), choose.random() < 0.5, choose.choice([0, 0, 1, 3, 20]))


@pytest.mark.parametrize("seed", range(8))
def test_generated_blocks(seed):
    choose = random.Random(seed)
    taken = 0
    for _ in range(round(60 * TIMES)):
        taken += compare(regular_block(choose), matcher_of(choose))
    assert taken > 50 * TIMES


@pytest.mark.parametrize("seed", range(4))
def test_damaged_blocks(seed):
    choose = random.Random(seed)
    for _ in range(round(60 * TIMES)):
        compare(damaged(choose, regular_block(choose)), matcher_of(choose))


def columns_of(choose: random.Random) -> tuple[bytes, np.ndarray, bytes, np.ndarray]:
    """Queries, the number of rows of each, documents and scores; a document may be repeated, a score infinite."""
    queries = choose.sample(QUERIES, choose.randint(1, len(QUERIES)))
    documents = [choose.sample(DOCUMENTS, choose.randint(1, len(DOCUMENTS))) for _ in queries]
    if choose.random() < 0.1:
        documents[0].append(documents[0][0])
    count = sum(map(len, documents))
    scores = choose.choice(
        [
            lambda: [float(score) for score in falling(choose, count)],
            lambda: [float(choose.randint(0, 3)) for _ in range(count)],
            lambda: [float(number(choose)) for _ in range(count)],
            lambda: choose.choices([0.0, -0.0, 1e39, float("inf"), 16777216.0, 16777217.0], k=count),
        ]
    )()
    lengths = np.array([len(ids) for ids in documents])
    return b"\0".join([*queries, b""]), lengths, b"\0".join([*chain(*documents), b""]), np.array(scores)


@pytest.mark.parametrize("seed", range(8))
def test_generated_columns(seed):
    choose = random.Random(seed)
    taken = 0
    for _ in range(round(60 * TIMES)):
        rows, matcher = columns_of(choose), matcher_of(choose)
        ours = match_columns(*rows, matcher)
        taken += ours is not None
        if ours is not None:
            assert_same(ours, matcher.match(ColumnRows(*rows).block()))
    assert taken > 20 * TIMES


@pytest.mark.parametrize(
    ("queries", "lengths", "documents", "scores"),
    [
        (b"1\0", [2], b"d1\0d1\0", [2.0, 1.0]),
        (b"1\0", [1], b"d1\0", [float("inf")]),
        (b"1\0", [1], b"d1\0", [1e39]),
        (b"1\0", [1], b"d1\0", [float("nan")]),
        (b"1\0", [1], b"d1", [1.0]),
        (b"1\0", [2], b"d1\0", [1.0]),
        (b"1\0", [1], b"d1\0d2\0", [1.0, 2.0]),
        (b"1\0", [2], b"d1\0d2\0", [1.0]),
        (b"1\0", [1], b"\0", [1.0]),
        (b"\0", [1], b"d1\0", [1.0]),
        (b"1\0", [1, 1], b"d1\0d2\0", [1.0, 2.0]),
        (b"1\0002\0", [1], b"d1\0", [1.0]),
        (b"1\0002\0", [1, 0], b"d1\0", [1.0]),
        (b"1\0002\0", [3, -1], b"d1\0d2\0", [1.0, 2.0]),
        (b"1\0001\0", [1, 1], b"d1\0d2\0", [1.0, 2.0]),
        (b"", [], b"", []),
    ],
)
def test_columns_that_are_not_regular_are_left_to_numpy(queries, lengths, documents, scores):
    matcher = Matcher(index_of(random.Random(1)), True)
    assert match_columns(queries, np.array(lengths, np.int64), documents, np.array(scores), matcher) is None


@pytest.mark.parametrize("name", ["run_a.txt", "run_b.txt", "run_c.txt", "results.test"])
@pytest.mark.parametrize("single_precision", [True, False])
@pytest.mark.parametrize("keep", [0, 20])
def test_bundled_runs(name, single_precision, keep):
    index = QrelsIndex(read_qrels(DATA / ("qrels.test" if name == "results.test" else "qrels.txt")))
    matcher = Matcher(index, single_precision, keep)
    block = (DATA / name).read_bytes()
    assert compare(block, matcher)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", ".17g", ".6f", ".20g", ".25e", ".1f"]))
def test_scores_are_the_same_doubles(value, form):
    check_number(repr(value) if form == "r" else format(value, form))


@given(st.integers(0, 10**19 - 1), st.integers(0, 25), st.integers(-30, 30), st.sampled_from(["", "-", "+"]))
def test_decimals_are_the_same_doubles(mantissa, fraction, exponent, sign):
    digits = str(mantissa).rjust(fraction + 1, "0")
    plain = f"{sign}{digits[: len(digits) - fraction]}.{digits[len(digits) - fraction :]}"
    check_number(plain)
    check_number(f"{plain}e{exponent}")


def check_number(text: str) -> None:
    """The number is Python's, at the start of a block and later in it."""
    native = kernel()
    assert native is not None
    for before in (b"", b"1 Q0 document 12 "):
        found = native.read_number(before + text.encode(), len(before))
        assert repr(found) == repr(float(text)) or (found is None and len(text) > LONGEST_NUMBER), text


@pytest.mark.parametrize(
    "text", ["", ".", "-", "+", "1e", "1e+", "1_0", "nan", "inf", "0x1p3", "1.2.3", "1 ", "--1", "٣", "1" * 200]
)
def test_what_is_no_plain_number_is_left_to_numpy(text):
    native = kernel()
    assert native is not None
    for before in (b"", b"1 Q0 document 12 "):
        assert native.read_number(before + text.encode(), len(before)) is None


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"1 Q0 d1 1 2 t",  # no newline
        b"1 Q0 d1 1\n",
        b"# 1 Q0 d1 1 2 t\n",
        b"\n1 Q0 d1 1 2 t\n",
        b"1 Q0 d1 1 x t\n",
        b"1 Q0 d1 1 nan t\n",
        b"1 Q0 d1 1 1e999 t\n",
        b"1 Q0 d\xff 1 2 t\n",
        b"1 Q0 d\xed\xa0\x80 1 2 t\n",
        b"1 Q0 d\x00 1 2 t\n",
        b"1 Q0 d1\r 1 2 t\n",
        b"1 Q0 d1 1 2 t\n1 Q0 d1 2 1 t\n",
        b"1 Q0 d1 1 2 t\n2 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n",
        b"1 Q0 d1 123456789 2 t\n",
    ],
)
def test_what_is_not_regular_is_left_to_numpy(block):
    assert match_regular(block, Matcher(index_of(random.Random(1)), True)) is None


def test_every_byte_of_a_block_may_be_its_last():
    choose = random.Random(5)
    matcher = matcher_of(choose)
    block = regular_block(choose)[:1500]
    for end in range(len(block)):
        compare(block[:end] + b"\n", matcher)


def test_numpy_does_what_the_kernel_leaves():
    matcher = Matcher(index_of(random.Random(1)), True)
    found = match_lines(b"1 Q0 d1 1 2 t\n1 Q0 d1 2 1 t\n", matcher)
    assert found.matches.duplicates == [(0, 1, "d1")]


def test_columns_out_of_bounds_are_refused():
    native = kernel()
    assert native is not None
    one, text = np.array([1]), np.frombuffer(b"abcdef", np.uint8)
    for start, end, query in ((0, 7, 0), (-1, 2, 0), (3, 2, 0), (0, 1, 1), (0, 1, -1)):
        with pytest.raises(ValueError, match="invalid columns"):
            native.index_judgments(text, one - 1, one, text, np.array([start]), np.array([end]), np.array([query]))
    with pytest.raises(ValueError, match="invalid columns"):
        native.index_judgments(text, one, one, text, one, np.array([1, 2]), one)


def test_judgments_that_the_kernel_does_not_take_are_left_to_numpy(monkeypatch):
    def refuse(*columns):
        raise ValueError("invalid columns of judgments")

    monkeypatch.setattr("steelyard.retrieval.matching.kernel", lambda: SimpleNamespace(index_judgments=refuse))
    matcher = Matcher(index_of(random.Random(1)), True)
    for _ in range(2):
        assert match_regular(b"1 Q0 d1 1 2 t\n", matcher) is None
    assert match_lines(b"1 Q0 d1 1 2 t\n", matcher).lines == 1


@pytest.mark.parametrize("switch", ["1", "0"])
def test_it_is_switched_off_by_the_environment(switch):
    code = "from steelyard.native import description; print(description())"
    environment = {**os.environ, "STEELYARD_PURE": switch}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == ("pure Python" if switch == "1" else "compiled kernel")


def test_a_run_is_read_by_the_kernel(monkeypatch):
    taken = []
    monkeypatch.setattr(
        "steelyard.retrieval.reading.trec.match_regular",
        lambda block, matcher: taken.append(len(block)) or match_regular(block, matcher),
    )
    matcher = Matcher(QrelsIndex(read_qrels(DATA / "qrels.txt")), True)
    assert [piece(matcher).lines for piece in read_run(DATA / "run_a.txt").pieces()]
    assert sum(taken) == (DATA / "run_a.txt").stat().st_size


@pytest.mark.parametrize("size", [*range(40), 4079, 4080, 4081, 9999])
def test_newlines_are_counted(size):
    native = kernel()
    assert native is not None
    for text in (bytes(random.Random(size).choices(b"\n\n\n\x8a\x0b ", k=size)), b"\n" * size):
        assert native.count_lines(text) == text.count(b"\n")


def colliding(count: int) -> list[str]:
    """Ids of eight characters whose hashes differ in the lowest 32 bits only, by the inverse of `text_hash`."""
    multiplier = 0x9E3779B97F4A7C15
    inverse, size = np.uint64(pow(multiplier, -1, 1 << 64)), np.uint64(8 * multiplier % (1 << 64))
    mixed = ((np.uint64(7 << 32) + np.arange(4_000_000, dtype=np.uint64)) * inverse).astype("<u8")
    found = (((mixed ^ (mixed >> np.uint64(32))) * inverse) ^ size).view(np.uint8).reshape(-1, 8)
    return [bytes(row).decode() for row in found[((found > ord(" ")) & (found < 127)).all(axis=1)][:count]]


@pytest.mark.slow
def test_ids_that_were_made_to_collide_are_left_to_numpy(tmp_path):
    ids, usual = colliding(1000), [f"d{number:07}" for number in range(1000)]
    assert len(set(ids)) == 1000

    def outcome(query: str, documents: list[str], judged: list[tuple[str, str]]) -> MatchedBlock | None:
        queries, names = zip(*judged, strict=True)
        first, second = (Spans.of(text.encode() for text in column) for column in (queries, names))
        qrels = qrels_from_columns("q", first, second, np.ones(len(judged), np.int64), digest="", place=str)
        lines = "".join(f"{query} Q0 {name} 1 {-at} tag\n" for at, name in enumerate(documents))
        return match_regular(lines.encode(), Matcher(QrelsIndex(qrels), single_precision=True, keep=0))

    assert outcome("q", usual, [("q", name) for name in usual]) is not None
    assert outcome("q", ids, [("q", name) for name in usual]) is None
    assert outcome("q", usual, [("q", name) for name in ids]) is None
    assert outcome("q", usual, [(name, "d") for name in ids]) is None
    (tmp_path / "qrels").write_text("".join(f"q 0 {name} 1\n" for name in ids), "utf-8")
    (tmp_path / "run").write_text("".join(f"q Q0 {name} 1 {-at} t\n" for at, name in enumerate(ids)), "utf-8")
    assert steelyard.evaluate_retrieval(tmp_path / "qrels", tmp_path / "run", ["R@1000"]).mean("R@1000") == 1
