"""Interleaved runs by the compiled kernel: what numpy finds in them, to the last bit, and the same messages."""

import gzip
import io
import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from platforms import compiled
from properties import TIMES

import steelyard
from steelyard import limits
from steelyard.errors import InputError
from steelyard.native import kernel
from steelyard.retrieval import regrouping
from steelyard.retrieval.reading import trec
from steelyard.retrieval.reading.spans import Spans

pytestmark = [compiled, pytest.mark.slow]
QUERIES = ["1", "2", "query-10", "a-query-of-more-than-sixteen-bytes", "问题", *(f"q{n}" for n in range(20))]
DOCUMENTS = [
    "d1",
    "FR94-1234567",
    "FR94-12345678",
    "a" * 8,
    "a" * 9,
    "a" * 40,
    "文件",
    "~",
    "0",
    *(f"x{n}" for n in range(30)),
]
QRELS = {query: {document: n % 3 for n, document in enumerate(DOCUMENTS[::3])} for query in QUERIES[:12]}
MULTIPLIER = 0x9E3779B97F4A7C15


def score(choose, rank):
    return choose.choice([f"{99 - rank}.250000", f"{99 - rank}", f"{choose.random()!r}", "7", "-0.0", "0", "1e-320"])


def lines_of(choose, *, gap=" ", end="\n", tails=(" t",), score=score, rank=lambda rank: rank):
    """The lines of some queries in any order, or the first documents of all queries first."""
    lines = []
    for query in choose.sample(QUERIES, choose.randint(14, len(QUERIES))):
        documents = choose.sample(DOCUMENTS, choose.randint(2, len(DOCUMENTS)))
        fall = choose.random() < 0.5
        for place, document in enumerate(documents, 1):
            value = f"{50 - place}.5" if fall else score(choose, place)
            columns = (query, "Q0", document, str(rank(place)), value)
            lines.append((place, gap.join(columns) + choose.choice(tails) + end))
    choose.shuffle(lines)
    if choose.random() < 0.3:
        lines.sort(key=lambda line: line[0])
    return [line.encode() for _, line in lines]


REGULAR = {
    "plain": {},
    "tabs": {"gap": "\t"},
    "several blanks": {"gap": "  \t "},
    "carriage returns": {"end": "\r\n"},
    "blanks at the end": {"end": " \t\n"},
    "no tag, or more columns": {"tails": ("", " t", " t more columns")},
    "equal scores": {"score": lambda choose, rank: str(choose.randint(0, 2))},
    "zeros": {"score": lambda choose, rank: choose.choice(["0", "-0.0", "0e5", ".0"])},
    "long numbers": {"score": lambda choose, rank: f"{choose.uniform(-1, 1) * 10 ** choose.randint(-30, 30):.25g}"},
    "nearly equal": {"score": lambda choose, rank: choose.choice(["1", "1.00000001", "1.0000001", "1.1"])},
    "equal ranks": {"rank": lambda rank: 1},
    "ranks from 0": {"rank": lambda rank: rank - 1},
    "ranks that fall": {"rank": lambda rank: 100 - rank},
    "ranks that are no numbers": {"rank": lambda rank: chr(64 + rank)},
}
ODD = {
    "long ranks": {"rank": lambda rank: f"{rank:010}"},
    "nan": {"score": lambda choose, rank: choose.choice(["nan", "1", "2"])},
    "infinite": {"score": lambda choose, rank: choose.choice(["inf", "-inf", "1", "2", "Infinity"])},
    "other notations": {"score": lambda choose, rank: choose.choice(["1_0", "1e999", "0x1p3", "٣", "1"])},
    "too large for single precision": {"score": lambda choose, rank: choose.choice(["1e39", "1e40", "3.5e38"])},
}


@pytest.fixture(params=[(10**9, 1 << 18, 1 << 23), (1, 8, 300)], ids=["in memory", "in a file"])
def taken(request, monkeypatch):
    """Whether the kernel took the last run; large blocks in memory, or small ones in a file."""
    for name, value in zip(("IN_MEMORY", "ROWS"), request.param, strict=False):
        monkeypatch.setattr(regrouping, name, value)
    monkeypatch.setattr(trec, "UNORDERED_BLOCK", request.param[2])
    found: list[bool] = []
    real = regrouping.match_as_lines

    def recorded(*run):
        result = real(*run)
        found[:] = [result is not None]
        return result

    monkeypatch.setattr(regrouping, "match_as_lines", recorded)
    return found


def outcome(path, **settings):
    """All that an evaluation gives, or the message of its error."""
    try:
        table = steelyard.evaluate_retrieval(QRELS, path, "all_trec", keep=True, **settings)
    except InputError as error:
        return str(error)
    values = {name: column.values.tobytes() for name, column in table.columns.items()}
    return table.ids, values, table.counts, table.outputs, table.signature


def compare(path, **settings):
    """The outcome, which is the same without the kernel."""
    ours = outcome(path, **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steelyard.retrieval.matching.kernel", lambda: None)
        patch.setattr(regrouping, "match_as_lines", lambda *run: None)
        assert outcome(path, **settings) == ours
    return ours


def written(path, lines):
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.parametrize("version", [9, 10])
def test_regular_lines_are_taken(taken, tmp_path, name, version):
    choose = random.Random(name)
    for _ in range(round(3 * TIMES)):
        path = written(tmp_path / "run", lines_of(choose, **REGULAR[name]))
        found = compare(path, trec_eval=version, threads=choose.choice([1, 2]))
        assert taken == [True]
        assert isinstance(found, tuple)


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("version", [9, 10])
def test_odd_numbers_are_left_to_numpy(taken, tmp_path, name, version):
    found = compare(written(tmp_path / "run", lines_of(random.Random(name), **ODD[name])), trec_eval=version)
    assert (taken == [True]) == isinstance(found, tuple)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b" \t\r\n",
        b"# 1 Q0 d1 1 2 t\n",
        b"1 Q0 d1 1\n",
        b"1 Q0 d999 1 x t\n",
        b"1 Q0 d\xff 1 2 t\n",
        b"1 Q0 d\xed\xa0\x80 1 2 t\n",
        b"1 Q0 d\x00 1 2 t\n",
        b"1 Q0 d999\r 1 2 t\n",
        b"\x0b1 Q0 d999 1 2 t\n",
        b"\xef\xbb\xbf1 Q0 d999 1 2 t\n",
        b"  1 Q0 d999 1 2 t\n",
        b"1 Q0 d999 1 2 t",
    ],
)
def test_one_odd_line(taken, tmp_path, line):
    choose = random.Random(1)
    for place in ("first", "within", "last"):
        lines = lines_of(choose)
        at = {"first": 0, "within": choose.randrange(len(lines)), "last": len(lines)}[place]
        found = compare(written(tmp_path / "run", [*lines[:at], line, *lines[at:]]))
        assert (taken == [True]) == isinstance(found, tuple)
        taken.clear()


def test_the_end_of_the_last_line_may_be_missing(taken, tmp_path):
    lines = lines_of(random.Random(1))
    compare(written(tmp_path / "run", [*lines[:-1], lines[-1].removesuffix(b"\n")]))
    assert taken == [True]


def test_a_mark_of_byte_order_is_no_part_of_a_query(taken, tmp_path):
    compare(written(tmp_path / "run", [b"\xef\xbb\xbf", *lines_of(random.Random(1))]))
    assert taken == [True]


@pytest.mark.parametrize("repeats", [1, 5, 30])
def test_repeated_documents(taken, tmp_path, repeats):
    choose = random.Random(repeats)
    lines = lines_of(choose)
    for _ in range(repeats):
        lines.insert(choose.randrange(len(lines) + 1), choose.choice(lines))
    assert "duplicate document" in compare(written(tmp_path / "run", lines))
    assert taken != [True]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_lines(taken, tmp_path, seed):
    choose = random.Random(seed)
    for _ in range(round(8 * TIMES)):
        text = b"".join(lines_of(choose, gap=choose.choice([" ", "\t"])))
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(text))
            piece = choose.choice([b"\n", b" ", b"\r", b"#", b"\xff", "é".encode(), b"1e999", b"nan", b"", b"\n\n"])
            text = text[:at] + piece + text[at + choose.randint(0, 2) :]
        compare(written(tmp_path / "run", [text]))


def test_one_query(taken, tmp_path):
    lines = [f"1 Q0 {document} 1 {n % 7} t\n".encode() for n, document in enumerate(DOCUMENTS)]
    compare(written(tmp_path / "run", lines))


def test_many_queries(taken, tmp_path):
    lines = [f"{query} Q0 d{n} {n} {9 - n} t\n".encode() for n in (1, 2) for query in (*QUERIES, *range(100, 700))]
    found = compare(written(tmp_path / "run", lines))
    assert found[2]["counts.run_lines"] == len(lines)
    assert taken == [True]


def test_compressed(taken, tmp_path):
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"".join(lines_of(random.Random(1)))))
    compare(tmp_path / "run.gz")
    assert taken == [True]


def test_standard_input(taken, monkeypatch):
    text = b"".join(lines_of(random.Random(1)))
    found = []
    for pure in (False, True):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
        if pure:
            monkeypatch.setattr(regrouping, "match_as_lines", lambda *run: None)
        found.append(outcome("-"))
    assert taken == [True]
    assert found[0] == found[1]


def test_an_error_of_reading_comes_after_the_problems_of_lines(taken, monkeypatch, tmp_path):
    monkeypatch.setattr(limits.LINE_BYTES, "value", 100)
    lines = lines_of(random.Random(1))
    compare(written(tmp_path / "run", [*lines, b"1 Q0 " + b"x" * 200 + b" 1 1 t\n"]))
    compare(written(tmp_path / "run", [b"1 Q0 d 1 none t\n", *lines, b"1 Q0 " + b"x" * 200 + b" 1 1 t\n"]))


@pytest.mark.parametrize("limit", [*range(1_000, 60_000, 7_000), 10**9])
def test_the_limit_of_one_query_is_that_of_numpy(taken, monkeypatch, tmp_path, limit):
    monkeypatch.setattr(limits.RANKING_BYTES, "value", limit)
    compare(written(tmp_path / "run", lines_of(random.Random(1))))


def hash_of(text):
    return int(Spans.of([text]).hashes()[0])


def same_hash(text):
    """Another text of sixteen printable bytes with the same hash."""
    mask, inverse = (1 << 64) - 1, pow(MULTIPLIER, -1, 1 << 64)

    def mixed(word):
        product = word * MULTIPLIER & mask
        return product ^ product >> 32

    first, second = (int.from_bytes(text[at : at + 8], "little") for at in (0, 8))
    choose = random.Random(1)
    while True:
        start = bytes(choose.choices(range(65, 91), k=8))
        wanted = (mixed(second) + (mixed(first) - mixed(int.from_bytes(start, "little"))) * inverse) & mask
        end = ((wanted ^ wanted >> 32) * inverse & mask).to_bytes(8, "little")
        if all(33 <= byte < 127 for byte in end) and start + end != text:
            return start + end


def test_queries_with_the_same_hash_are_told_apart(taken, tmp_path):
    one = b"sixteen-bytes-01"
    other = same_hash(one)
    assert hash_of(one) == hash_of(other)
    lines = [b"%s Q0 d%d %d %d t\n" % (query, n, n, 99 - n) for n in range(40) for query in (one, other, b"1")]
    found = compare(written(tmp_path / "run", lines))
    assert taken == [True]
    assert found[2]["counts.queries_unjudged"] == 2


def test_many_odd_lines_are_parsed_by_blocks(taken, monkeypatch, tmp_path):
    path = written(tmp_path / "run", [*lines_of(random.Random(1)), b"# a comment\n", b"1 Q0 d999 1 inf t\n"])
    compare(path)
    assert taken == [True]
    monkeypatch.setattr(regrouping, "MOST_PARSED", 10)
    compare(path)
    assert taken == [False]


def test_comments_and_blank_lines_stay_with_the_line_before():
    block = b"#0\n\n1 a\n2 b\n #c\n1 d\n\r\n2 e\n"
    assert kernel().group_lines(block) == b"#0\n\n1 a\n1 d\n\r\n2 b\n #c\n2 e\n"
    lines, ends, rows = kernel().bucket_lines(block, 16)
    assert sorted(lines.splitlines()) == sorted(block.splitlines())
    assert np.frombuffer(ends, np.int64)[-1] == len(block)
    assert np.frombuffer(rows, np.int64).sum() == 4


def plain_buckets(block, bits):
    buckets: list[list[bytes]] = [[] for _ in range(1 << bits)]
    for line in block.splitlines(keepends=True):
        buckets[hash_of(line.split()[0]) >> (64 - bits)].append(line)
    return buckets


@pytest.mark.parametrize("bits", [1, 3, 12, 16])
def test_buckets(bits):
    block = b"".join(lines_of(random.Random(bits)))
    lines, ends, rows = kernel().bucket_lines(block, bits)
    expected = plain_buckets(block, bits)
    assert lines == b"".join(line for bucket in expected for line in bucket)
    assert np.frombuffer(rows, np.int64).tolist() == [len(bucket) for bucket in expected]
    sizes = [sum(map(len, bucket)) for bucket in expected]
    assert np.frombuffer(ends, np.int64).tolist() == np.cumsum(sizes).tolist()


def test_groups():
    block = b"".join(lines_of(random.Random(1), gap="\t"))
    groups: dict[bytes, list[bytes]] = {}
    for line in block.splitlines(keepends=True):
        groups.setdefault(line.split()[0], []).append(line)
    assert kernel().group_lines(block) == b"".join(line for lines in groups.values() for line in lines)


@pytest.mark.parametrize(
    "block", [b"", b"1", b"1 Q0", b"\n", b"1\n ", b" \n", b"#\n", b"\n \t#2\n", b"\r\n", b"\x00\n"]
)
def test_blocks_without_a_query_or_an_end_are_refused(block):
    assert kernel().group_lines(block) is None
    assert kernel().bucket_lines(block, 4) is None


@pytest.mark.parametrize("bits", [0, -1, 17, 64])
def test_bits_of_no_bucket_are_refused(bits):
    with pytest.raises(ValueError, match="bits"):
        kernel().bucket_lines(b"1\n", bits)


def test_hashes_that_fill_one_place_of_a_table_are_refused():
    count = 1 << 10
    texts = np.array([b"%08d" % n for n in range(3 << 20)])
    spans = Spans(
        np.frombuffer(b"~" * 32 + texts.tobytes() + b"~" * 32, np.uint8),
        *(8 * np.arange(len(texts)) + n for n in (32, 40)),
    )
    chosen = texts[spans.hashes() & np.uint64(2 * count - 1) == 5][:count]
    assert len(chosen) == count
    assert kernel().group_lines(b"\n".join(chosen.tolist()) + b"\n") is None
    assert kernel().group_lines(b"\n".join(texts[:count].tolist()) + b"\n") is not None
