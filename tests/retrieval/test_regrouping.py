"""Runs whose queries are interleaved: the same numbers, counts and messages as if each query's lines were adjacent."""

import random
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard
from steelyard import limits
from steelyard.errors import InputError
from steelyard.retrieval import regrouping
from steelyard.retrieval.reading import trec

QRELS = {"q1": {"a": 2, "b": 0}, "长长的查询编号": {"a": 1, "文书": 2}, "q3": {"a-rather-long-document-id": 1, "b": 3}}

identifiers = st.sampled_from(["a", "b", "文书", "a-rather-long-document-id", *(f"d{n}" for n in range(30))])
runs = st.dictionaries(
    st.sampled_from([*QRELS, "unjudged", "also-not-judged"]),
    st.dictionaries(identifiers, st.sampled_from(["1", "2", "2.0", "-0.0", "0", "inf", "1.00000001"]), min_size=1),
    min_size=2,
).filter(lambda run: set(run) & set(QRELS))


def by_numpy(patch):
    patch.setattr(regrouping, "match_as_lines", lambda *run: None)


@pytest.fixture(params=["as it is installed", "by numpy"])
def small(request, monkeypatch, tmp_path):
    """A file on disk from the first byte, small blocks and few rows at a time; the folder of the file."""
    if request.param == "by numpy":
        by_numpy(monkeypatch)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(regrouping, "IN_MEMORY", 1)
    monkeypatch.setattr(regrouping, "ROWS", 8)
    monkeypatch.setattr(trec, "UNORDERED_BLOCK", 300)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def lines_of(run):
    return [
        f"{query} Q0 {document} {rank} {score} t\n"
        for query, documents in run.items()
        for rank, (document, score) in enumerate(documents.items(), 1)
    ]


def found(path, lines, **settings):
    path.write_text("".join(lines), encoding="utf-8")
    table = steelyard.evaluate_retrieval(QRELS, path, keep=True, **settings)
    values = {name: column.values.tolist() for name, column in table.columns.items()}
    return table.ids, values, table.counts, table.outputs


@pytest.mark.parametrize("version", [9, 10])
@given(
    run=runs,
    seed=st.integers(0, 999),
    way=st.tuples(st.sampled_from([1, 10**6]), st.sampled_from([1, 8, 999]), st.booleans()),
)
def test_the_order_of_lines_changes_nothing(tmp_path_factory, run, seed, way, version):
    path = tmp_path_factory.getbasetemp() / f"order{version}"
    lines = lines_of(run)
    expected = found(path, lines, trec_eval=version)
    random.Random(seed).shuffle(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regrouping, "IN_MEMORY", way[0])
        patch.setattr(regrouping, "ROWS", way[1])
        patch.setattr(trec, "UNORDERED_BLOCK", 200)
        if way[2]:
            by_numpy(patch)
        assert found(path, lines, trec_eval=version, threads=2) == expected


def test_queries_with_the_same_half_hash_are_told_apart(small, monkeypatch, tmp_path):
    run = {query: {f"d{n}": str(n % 7) for n in range(40)} | {"a": "3", "b": "5"} for query in (*QRELS, "other")}
    lines = lines_of(run)
    expected = found(tmp_path / "run", lines)
    monkeypatch.setattr(regrouping, "_UPPER_HALF", regrouping._UPPER_HALF * 0)
    monkeypatch.setattr(regrouping, "ROWS", 1000)
    assert found(tmp_path / "run", sorted(lines, key=lambda line: line.split()[2])) == expected


def interleaved(count):
    return [f"{query} Q0 d{n} {n} {1 / n} t\n" for n in range(1, count + 1) for query in QRELS]


def test_no_file_is_left(small, tmp_path):
    found(tmp_path / "run", interleaved(200))
    with pytest.raises(InputError):
        found(tmp_path / "run", [*interleaved(200), "q1 Q0 d1 1 none t\n"])
    assert list(small.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(small, tmp_path):
    small.rmdir()
    with pytest.raises(InputError) as caught:
        found(tmp_path / "run", interleaved(200))
    assert f"cannot be grouped in a temporary file in {small}: No such file or directory\nhint: set TMPDIR" in str(
        caught.value
    )


def test_repeated_documents_are_shown_in_the_order_of_lines(small, tmp_path):
    lines = [*interleaved(30), "q3 Q0 d7 1 1 t\n", "q1 Q0 d2 1 1 t\n", "q3 Q0 d7 1 1 t\n"]
    with pytest.raises(InputError) as caught:
        found(tmp_path / "run", lines)
    shown = [(problem.where.rpartition(":")[2], str(problem.message)) for problem in caught.value.problems]
    assert shown == [
        ("91", "duplicate document 'd7' in this query (first on line 21)"),
        ("92", "duplicate document 'd2' in this query (first on line 4)"),
        ("93", "duplicate document 'd7' in this query (first on line 91)"),
    ]


def test_only_the_first_repeated_documents_are_shown(small, tmp_path):
    with pytest.raises(InputError) as caught:
        found(tmp_path / "run", interleaved(30) * 2)
    assert [problem.where.rpartition(":")[2] for problem in caught.value.problems] == [str(n) for n in range(91, 111)]


def test_bad_lines_are_shown_before_documents_repeated_elsewhere(small, tmp_path):
    with pytest.raises(InputError) as caught:
        found(tmp_path / "run", ["x Q0 d 1 1 t\n", *interleaved(30), "x Q0 d 1 1 t\n", "q1 Q0 e 1 none t\n"])
    assert [str(problem.message) for problem in caught.value.problems] == ["score is not a number: 'none'"]


def test_the_limit_is_on_one_query(small, monkeypatch, tmp_path):
    monkeypatch.setattr(limits.RANKING_BYTES, "value", 8_000)
    run = {**dict.fromkeys(QRELS), **{f"unjudged{n}": None for n in range(50)}}
    lines = [f"{query} Q0 d{n} {n} {1 / n} t\n" for n in range(1, 21) for query in run]
    assert len("".join(lines)) > 8_000
    found(tmp_path / "run", lines)
    with pytest.raises(InputError, match="the text of one query is above the limit of 8,000"):
        found(tmp_path / "run", interleaved(1_000))


def test_a_bad_line_and_a_document_repeated_in_one_block_are_shown_together(tmp_path):
    lines = [f"q{query} Q0 d{rank} {rank + 1} {100 - rank} tag" for rank in range(100) for query in range(200)]
    lines[9_000] = "q1 Q0 d5 1 abc tag"
    path = tmp_path / "run.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        steelyard.evaluate_retrieval({"q1": {"d1": 1}}, path, metrics=["AP"])
    assert str(caught.value).count("run.txt:9001") == 2
