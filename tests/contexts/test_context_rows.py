"""Contexts and ids of rows: how they are read, joined, kept and given to metrics, and as rankings."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import run

import steelyard
from steelyard.answers.metrics import DEFAULT_ANSWERS
from steelyard.answers.needs import MOST_JUDGED
from steelyard.answers.rows import BOTH, Wanted
from steelyard.answers.sources import answers_of_rows, stream_answers
from steelyard.answers.values import Context
from steelyard.errors import InputError
from steelyard.registry.kinds import register_all
from steelyard.registry.metrics import REGISTRY
from steelyard.stats.pairing import settings_that_differ

NEEDED = Wanted(frozenset(), "needed")


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read(path, wanted=NEEDED, **settings):
    return [row for batch in stream_answers(path, wanted=wanted, **settings).batches() for row in batch]


def one(**fields):
    return answers_of_rows([{"prediction": "a", **fields}], wanted=NEEDED).rows[0]


@pytest.mark.parametrize(
    "name",
    [
        *("contexts", "retrieved_contexts", "retrieval_context", "context", "retrieved_context", "retrieved_docs"),
        *("documents", "passages", "ret_psg", "Contexts", "source_documents", "ctxs"),
    ],
)
def test_the_names_that_other_tools_give_to_contexts(name):
    assert one(**{name: ["p", "q"]}).contexts == (Context("p"), Context("q"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (float("nan"), None),
        ("", None),
        ([], ()),
        ("p", (Context("p"),)),
        ([["p"], ["q"]], (Context("p"), Context("q"))),
        ({"id": 7, "text": "p"}, (Context("p", "7"),)),
        ({"d1": "p", "d2": "q"}, (Context("p", "d1"), Context("q", "d2"))),
        ([{"doc_id": "000", "text": "p", "score": 0.5}], (Context("p", "000", score=0.5),)),
        ([{"_id": "d", "title": "T", "text": "p"}], (Context("T\np", "d"),)),
        ([{"page_content": "p", "metadata": {"source": "a.pdf"}}], (Context("p", document="a.pdf"),)),
        ([{"node": {"text": "p", "id": "n"}, "score": 1}], (Context("p", "n", score=1.0),)),
        ([{"node": {"id_": "n", "text_resource": {"text": "p"}}, "score": 1}], (Context("p", "n", score=1.0),)),
        (
            [{"lc": 1, "id": ["a", "Document"], "kwargs": {"page_content": "p", "metadata": {"source": "a.pdf"}}}],
            (Context("p", document="a.pdf"),),
        ),
        (
            [
                {
                    "type": "Document",
                    "init_parameters": {"id": "d", "content": "p", "meta": {"file_path": "f"}, "score": 1},
                }
            ],
            (Context("p", "d", "f", score=1.0),),
        ),
        ([{"file_path": "f", "span": [3, 9]}], (Context(None, None, "f", (3, 9)),)),
    ],
)
def test_shapes_of_contexts(value, expected):
    assert one(contexts=value).contexts == expected


def test_the_answer_of_a_chain():
    rows = [{"query": "q", "result": "a", "source_documents": [{"page_content": "p", "metadata": {}}]}]
    row = answers_of_rows(rows, wanted=NEEDED).rows[0]
    assert (row.question, row.prediction, row.contexts) == ("q", "a", (Context("p"),))
    assert answers_of_rows([{"prediction": "a", "result": "passed"}], wanted=NEEDED).rows[0].prediction == "a"


def test_objects_in_rows_of_ragas(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(lines({"user_input": "q", "response": "a", "retrieved_contexts": [{"id": "d1", "text": "p"}]}))
    assert read(path)[0].contexts == (Context("p", "d1"),)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("contexts", 5, "a context must be text or an object with a text, not 5"),
        ("contexts", [None], "a context must be text or an object with a text, not None"),
        ("contexts", [[["p"]]], "a context must be text or an object with a text, not ['p']"),
        ("contexts", [{"score": 1}], "a context must be text or an object with a text, not {'score': 1}"),
        ("contexts", [{"id": 1.5, "text": "p"}], "the id of a context must be text or a whole number, not 1.5"),
        ("contexts", [{"span": [5, 2]}], "a span must be [start, end], two whole numbers in order, not [5, 2]"),
        ("retrieved_context_ids", [True], "the id of a context must be text or a whole number, not True"),
        ("reference_context_ids", {"a": "x"}, "the grade of a must be a whole number, not 'x'"),
    ],
)
def test_contexts_that_cannot_be_read(field, value, problem):
    row = {"prediction": "a", "references": "a", field: value}
    with pytest.raises(InputError) as caught:
        steelyard.evaluate_answers([row], None, "nDCG@5")
    assert str(caught.value.message) == problem
    assert str(caught.value).startswith("row 1: ")
    assert "contexts are a list of texts" in str(caught.value.hint)
    # metrics that do not need them are not in the way
    kept = steelyard.evaluate_answers([row], None, "EM", keep=True)
    assert (kept.mean("EM"), kept.counts["counts.contexts_unreadable"]) == (1, 1)


def test_ids_beside_contexts_and_in_them():
    row = one(contexts=["p", "q"], retrieved_context_ids=[1, "d2"])
    assert row.contexts == (Context("p", "1"), Context("q", "d2"))
    assert row.retrieved_ids == ("1", "d2")
    assert one(contexts=[{"id": "x", "text": "p"}]).retrieved_ids == ("x",)
    assert one(contexts=["p"]).retrieved_ids is None
    more = one(contexts=["p"], retrieved_ids=["a", "b"])  # of ten ids five passages were read
    assert (more.contexts, more.retrieved_ids) == ((Context("p"),), ("a", "b"))
    assert one(retrieved_ids=["a"]).contexts == (Context(id="a"),)
    assert one(reference_context_ids=["a", 1]).reference_ids == {"a": 1, "1": 1}
    assert one(reference_context_ids={"a": 3, "b": 0}).reference_ids == {"a": 3, "b": 0}
    assert one(retrieval_gt=[["a"], ["b"]]).reference_ids == {"a": 1, "b": 1}
    assert one(reference_contexts=[{"id": "a", "text": "p"}]).reference_ids == {"a": 1}
    graded = [{"id": "a", "grade": 3}, {"id": "b"}]
    assert one(reference_contexts=graded).reference_ids == {"a": 3, "b": 1}
    assert one(reference_contexts=graded, reference_context_ids=["b", "a"]).reference_ids == {"b": 1, "a": 3}


@pytest.mark.parametrize("quoted", ["['p, 1', \"q's\"]", '["p, 1", "q\'s"]'])
def test_lists_in_cells(write, quoted):
    cell = '"' + quoted.replace('"', '""') + '"'
    path = write("a.csv", f"prediction,contexts,retrieved_ids\na,{cell},007\n")
    row = read(path)[0]
    assert [each.text for each in row.contexts] == ["p, 1", "q's"]
    assert row.retrieved_ids == ("007",)


def test_a_mapped_column(write):
    path = write("a.jsonl", lines({"pred": "a", "found": ["p"], "contexts": ["not this"]}))
    assert read(path, mapping={"contexts": "found"})[0].contexts == (Context("p"),)


def test_deepeval_calls_the_reference_contexts_context():
    row = one(retrieval_context=["p"], context=["q"])
    assert (row.contexts, row.reference_contexts) == ((Context("p"),), (Context("q"),))


def test_contexts_that_begin_later_and_that_change(write):
    later = [{"id": str(n), "pred": "a", "contexts": None} for n in range(3000)]
    rows: list[Any] = [{"id": "x", "pred": "a"}, *later, {"id": "y", "pred": "a", "contexts": ["p"]}]
    assert read(write("a.jsonl", lines(*rows)))[-1].contexts == (Context("p"),)
    rows = [{"pred": "a", "passages": ["p"]}] * 2048 + [{"pred": "a", "contexts": ["p"]}]
    with pytest.raises(InputError, match=r"a\.jsonl:2049"):
        read(write("a.jsonl", lines(*rows)))


def test_two_files_are_joined_with_their_contexts(write):
    predicted = write("p.jsonl", lines({"id": "1", "pred": "a", "contexts": ["p"], "retrieved_ids": ["d"]}))
    expected = write("r.jsonl", lines({"id": "1", "gold": "a", "reference_context_ids": ["d"], "contexts": ["other"]}))
    source = stream_answers(predicted, references=expected, wanted=Wanted(BOTH, "needed"))
    (row,) = (row for batch in source.batches() for row in batch)
    assert (row.contexts, row.retrieved_ids, row.reference_ids) == ((Context("p", "d"),), ("d",), {"d": 1})


def test_an_item_without_a_prediction_in_the_other_file_retrieved_nothing(write):
    predicted = write("p.jsonl", lines({"id": "1", "retrieved_ids": ["d"]}))
    expected = write("r.jsonl", lines(*({"id": name, "reference_context_ids": ["d"]} for name in "12")))
    table = steelyard.evaluate_answers(predicted, expected, "nDCG@5,ContextR")
    assert table.column("nDCG@5").tolist() == table.column("ContextR").tolist() == [1, 0]


SAMPLES = Path(__file__).parents[1] / "io" / "foreign" / "data"


def test_several_systems_in_one_file():
    done = run("answers", SAMPLES / "promptfoo.json", "-m", "F1", "--json")
    assert [result["name"] for result in json.loads(done.stdout)["results"]] == ["echo", "short"]
    with pytest.raises(InputError, match="the outputs of several systems: echo, short"):
        steelyard.evaluate_answers(SAMPLES / "promptfoo.json", None, "F1")
    table = steelyard.evaluate_answers(SAMPLES / "promptfoo.json", None, "F1", system="short")
    assert (len(table), table.name) == (3, "short")
    with pytest.raises(steelyard.UnknownName, match="did you mean 'short'"):
        steelyard.evaluate_answers(SAMPLES / "promptfoo.json", None, "F1", system="shor")


def test_systems_of_one_name_in_two_files_have_different_names():
    done = run("answers", SAMPLES / "promptfoo.json", SAMPLES / "promptfoo.json", "-m", "F1", "--json")
    assert [result["name"] for result in json.loads(done.stdout)["results"]] == ["echo", "short", "echo-2", "short-2"]


def test_repeats_have_ids_of_their_own_and_a_tag():
    table = steelyard.evaluate_answers(SAMPLES / "inspect" / "log.eval", None, "F1")
    assert table.signature.get("format") == "Inspect"
    assert [name.rpartition("#")[0] for name in table.ids] == list(table.tags["repeat_of"])
    assert len(set(table.tags["repeat_of"])) == len(table) / 2


def test_a_system_that_failed_scores_nought_and_says_why():
    table = steelyard.evaluate_answers(SAMPLES / "promptfoo.json", None, "F1,Refusal", system="short")
    (row,) = table.failures
    assert table.column("F1")[row] == 0
    assert table.failures[row]
    assert (table.summary().errors, table.summary().metrics["F1"].errors) == (1, 1)


def test_rows_of_other_tools_of_which_only_some_have_ids():
    ids = steelyard.evaluate_answers(SAMPLES / "deepeval_goldens.jsonl", None, "F1").ids
    assert len(set(ids)) == 3


def test_spans_of_another_tool():
    table = steelyard.evaluate_answers(SAMPLES / "retrieval" / "legalbench-rag-results.json", None, "SpanP@5,SpanR@5")
    assert table.mean("SpanR@5") == pytest.approx(1 / 3)


def test_the_format_of_another_tool_is_named(write):
    ragas = {"user_input": "Q", "response": "A", "reference": "A", "retrieved_contexts": ["A"]}
    table = steelyard.evaluate_answers(write("a.jsonl", lines(ragas)), None, "EM,ValuesGrounded")
    plain = {"question": "Q", "prediction": "A", "references": "A", "contexts": ["A"]}
    other = steelyard.evaluate_answers(write("b.jsonl", lines(plain)), None, "EM,ValuesGrounded")
    assert table.signature.get("format") == "RAGAS"
    assert other.signature.get("format") is None
    assert [table.mean(name) for name in ("EM", "ValuesGrounded")] == [1, 1]
    assert not settings_that_differ(table, other)


def test_reference_contexts_are_a_setting_of_metrics_that_need_them():
    rows = [{"prediction": "A", "references": "A", "contexts": ["A"], "reference_contexts": ["B"]}]
    other = [{**rows[0], "reference_contexts": ["C"]}]
    both = [steelyard.evaluate_answers(each, None, "EM,ContextR") for each in (rows, other)]
    plain = steelyard.evaluate_answers(rows, None, "EM")
    assert settings_that_differ(*both) == ("reference contexts",)
    assert not settings_that_differ(both[0], plain)


def test_contexts_are_kept_for_reports(tmp_path):
    row = {"prediction": "a", "references": "a", "contexts": [{"id": "d", "text": "p"}], "reference_contexts": ["q"]}
    table = steelyard.evaluate_answers([row], None, "EM", keep=True)
    table.save(tmp_path / "r.jsonl")
    output = steelyard.load(tmp_path / "r.jsonl").outputs[0]
    assert {name: output[name] for name in ("contexts", "context_ids", "reference_contexts")} == {
        "contexts": ["p"],
        "context_ids": ["d"],
        "reference_contexts": ["q"],
    }
    plain = steelyard.evaluate_answers(["a"], ["a"], "EM", keep=True)
    assert plain.outputs[0].keys() == {"question", "answer", "references"}


def test_columns_that_nothing_uses_are_counted(write):
    path = write(
        "a.jsonl", lines({"pred": "a", "gold": "a", "contexts": ["p"], "passages": ["q"], "retrieved_ids": [1]})
    )
    unread = steelyard.evaluate_answers(path, None, "EM", strip_citations=False)
    assert unread.counts["counts.columns_unused"] == 3
    assert steelyard.evaluate_answers(path, None, "ValuesGrounded").counts["counts.columns_unused"] == 1
    plain = write("b.jsonl", lines({"pred": "a", "gold": "a", "other": 1}))
    assert "counts.columns_unused" not in steelyard.evaluate_answers(plain).counts


# ----- metrics of others


@pytest.fixture
def registered():
    yield steelyard.metric
    REGISTRY.pop("Mine", None)


def test_a_metric_of_ones_own_over_contexts(registered):
    @registered("Mine", kind="answers", needs=("prediction", "contexts"))
    def mine(pairs, profile):
        """Share of contexts that are in the answer."""
        assert pairs.questions == ["q"]
        assert pairs.tags == [{"type": "t"}]
        assert pairs.reference_contexts == [(Context("r"),)]
        return [
            np.mean([each.text in answer for each in contexts])
            for answer, contexts in zip(pairs.answers, pairs.contexts, strict=True)
        ]

    row = {"question": "q", "prediction": "a b", "type": "t", "contexts": ["a", "c"], "reference_contexts": ["r"]}
    table = steelyard.evaluate_answers(
        [row, {"prediction": None, "contexts": ["a"]}, {"prediction": "x"}], None, "Mine"
    )
    assert table.column("Mine").tolist()[:2] == [0.5, 0]
    assert str(table.why("Mine", 2).reason) == "there are no contexts"


def test_an_unknown_need(registered):
    with pytest.raises(steelyard.UnknownName, match="no need of a metric is called 'context'"):
        registered("Mine", kind="answers", needs=("context",))


# ----- rankings


def ranked_rows(qrels, run):
    """Rows of the judged queries, their documents in trec_eval's order."""
    judged: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for line in qrels.read_text("utf-8").splitlines():
        query, _, document, grade = line.split()
        judged.setdefault(query, {})[document] = int(grade)
    for line in run.read_text("utf-8").splitlines():
        query, _, document, _, score, *_ = line.split()
        found.setdefault(query, []).append((float(np.float32(float(score))), document.encode(), document))
    ids = {query: [document for *_, document in sorted(entries, reverse=True)] for query, entries in found.items()}
    return [
        {"id": query, "retrieved_context_ids": ids.get(query, []), "reference_context_ids": grades}
        for query, grades in judged.items()
    ]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("trec_eval_suite/qrels.test", "trec_eval_suite/results.test"),
        ("lecard/qrels.lecard.txt", "lecard/run.bm25_top100.txt"),
        ("lecoqa/qrels.test.txt", "lecoqa/run.bm25-jieba.test.txt"),
    ],
)
def test_rankings_of_rows_equal_those_of_retrieval(real, qrels, run):
    register_all()
    names = [name for name, metric in REGISTRY.items() if metric.kind == "retrieval" and not metric.subtopics]
    wanted = steelyard.evaluate_retrieval(real / qrels, real / run, names)
    table = steelyard.evaluate_answers(ranked_rows(real / qrels, real / run), None, names)
    places = [table.ids.index(query) for query in wanted.ids]
    assert wanted.metrics == table.metrics
    for name in wanted.metrics:
        np.testing.assert_allclose(table.column(name)[places], wanted.column(name), 0, 1e-12, err_msg=name)


def test_an_id_that_is_retrieved_again_counts_at_its_first_place():
    row = {"retrieved_context_ids": ["x", "x", "d", "d"], "reference_context_ids": ["d"]}
    table = steelyard.evaluate_answers([row], None, "RR,P@2,NumRet,R@2")
    assert [table.mean(name) for name in table.metrics] == [0.5, 0.5, 2, 1]
    assert table.counts["counts.retrieved_again"] == 2
    assert table.sums == ["NumRet"]


def test_rows_without_ids_are_unscored_and_nothing_retrieved_is_nought():
    rows = [
        {"retrieved_context_ids": ["d"], "reference_context_ids": ["d"]},
        {"retrieved_context_ids": [], "reference_context_ids": ["d"]},
        {"retrieved_context_ids": ["d"], "reference_context_ids": None},
    ]
    table = steelyard.evaluate_answers(rows, None, "nDCG@5")
    assert table.column("nDCG@5").tolist()[:2] == [1, 0]
    assert str(table.why("nDCG@5", 2).reason) == "there are no ids of contexts and reference contexts"


RUN = {"a": ["d1", "d2", "d3"], "b": ["d9", "d1"], "c": ["d1"], "e": []}
QRELS = {"a": {"d2": 2, "d3": 1}, "b": {"d1": 3, "d7": 1}, "c": {"d1": 0}, "e": {"d1": 1}, "f": {"d1": 2}}
NAMES = ["RR", "nDCG@5", "AP", "R@2"]


def as_ids(grades):
    return grades


def as_objects(grades):
    return [{"id": name, "grade": grade} for name, grade in grades.items()]


def as_relevance(grades):
    return [{"doc_id": name, "relevance": float(grade)} for name, grade in grades.items()]


@pytest.mark.parametrize("form", [as_ids, as_objects, as_relevance])
@pytest.mark.parametrize("nothing", [{}, {"retrieved_context_ids": None}])
def test_grades_missing_ids_and_nothing_relevant_are_as_in_retrieval(write, form, nothing):
    run = {query: {name: -float(rank) for rank, name in enumerate(ids)} for query, ids in RUN.items() if ids}
    wanted = steelyard.evaluate_retrieval(QRELS, run, NAMES)
    predicted = [{"id": query, "prediction": "x", "retrieved_context_ids": ids} for query, ids in RUN.items()]
    predicted.append({"id": "f", "prediction": "x", **nothing})  # retrieved nothing, like a query that the run lacks
    expected = [{"id": query, "reference_context_ids": form(grades)} for query, grades in QRELS.items()]
    joined = [one | two for one, two in zip(predicted, expected, strict=True)]
    beside = [
        write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for name, rows in (("p", predicted), ("r", [row | {"answer": "y"} for row in expected]))
    ]
    for table in (
        steelyard.evaluate_answers(joined, None, NAMES),
        steelyard.evaluate_answers(beside[0], beside[1], NAMES),
    ):
        for name in NAMES:
            found = dict(zip(table.ids, table.column(name).tolist(), strict=True))
            assert [found[query] for query in wanted.ids] == pytest.approx(wanted.column(name).tolist(), abs=1e-12)


def test_an_empty_list_of_references_scores_0_in_every_metric_on_ids():
    rows = [
        {"prediction": "a", "references": ["b"], "contexts": [{"id": "d", "text": "b"}], "reference_context_ids": ids}
        for ids in (["d"], [], {"d": 0})
    ]
    table = steelyard.evaluate_answers(rows, None, "ContextP,ContextR,nDCG@5,RR")
    assert [table.column(name).tolist() for name in table.metrics] == [[1, 0, 0]] * 4


def test_a_file_without_ids_of_what_was_retrieved_is_an_error():
    with pytest.raises(InputError, match="needs"):
        steelyard.evaluate_answers([{"prediction": "a", "reference_context_ids": ["d"]}], None, "RR")


CITED: list[dict[str, Any]] = [
    {"prediction": "Paris [1].", "references": ["Paris"], "contexts": ["It is Paris.", "x"]},
    {"prediction": "Paris【2】", "references": ["Paris"], "contexts": ["It is Paris.", "x"]},
    {"prediction": "Paris [docA]", "references": ["Paris"], "contexts": [{"id": "docA", "text": "It is Paris."}]},
    {"prediction": "Paris [3]", "references": ["Paris"], "contexts": ["It is Paris.", "x"]},  # cites no context
    {"prediction": "Paris [sic]", "references": ["Paris"], "contexts": ["It is Paris."]},
]


@pytest.mark.parametrize("profile", ["steelyard", "ultrarag", "squad"])
def test_citation_marks_count_as_words_unless_they_are_stripped(profile):
    table = steelyard.evaluate_answers(CITED, metrics="EM,CitationP", profile=profile, strip_citations=False)
    assert table.column("EM").tolist() == [0, 0, 0, 0, 0]
    assert table.signature.get("citations") is None
    bare = steelyard.evaluate_answers(CITED, metrics="EM,CitationP", profile=profile, strip_citations=True)
    assert bare.column("EM").tolist() == [1, 1, 1, 0, 0]
    assert bare.signature.get("citations") == "stripped"
    np.testing.assert_array_equal(bare.column("CitationP"), table.column("CitationP"))
    usual = steelyard.evaluate_answers(CITED, metrics="EM", profile=profile)
    assert usual.column("EM").tolist() == ([1, 1, 1, 0, 0] if profile == "steelyard" else [0] * 5)
    assert usual.signature.get("citations") == ("stripped" if profile == "steelyard" else None)


def test_rows_without_contexts_keep_their_marks():
    table = steelyard.evaluate_answers([{"prediction": "Paris [1]", "references": ["Paris"]}], metrics="EM,F1")
    assert table.column("EM").tolist() == [0]
    assert table.signature.get("citations") is None


@pytest.mark.parametrize(
    ("rows", "profile", "added"),
    [
        (CITED, "steelyard", ["Correct", "Accurate", "ValuesGrounded", "Refusal", "CitationP", "CitationR"]),
        ([{**CITED[0], "prediction": "Paris."}], "steelyard", ["Correct", "Accurate", "ValuesGrounded", "Refusal"]),
        (
            [{**CITED[0], "prediction": "Paris.", "reference_contexts": ["It is Paris."]}],
            "steelyard",
            ["Correct", "Accurate", "ValuesGrounded", "Refusal", "ContextP", "ContextR"],
        ),
        (CITED, "ultrarag", []),
        ([{"prediction": "Paris [1]", "references": ["Paris"]}], "steelyard", ["Correct"]),
        ([{**CITED[0], "id": str(number)} for number in range(MOST_JUDGED + 1)], "steelyard", []),
    ],
)
def test_short_files_have_metrics_of_judges_by_default(rows, profile, added):
    table = steelyard.evaluate_answers(rows, profile=profile)
    assert table.metrics == [*DEFAULT_ANSWERS, *added]
    assert table.counts.get("counts.contexts_unjudged", 0) == (len(rows) if len(rows) > MOST_JUDGED else 0)
    assert steelyard.evaluate_answers(rows, metrics="EM", profile=profile).metrics == ["EM"]


@pytest.mark.parametrize("options", [{}, {"keep": True}])
def test_answers_with_citation_marks_are_counted(options):
    count = "counts.answers_cited"
    kept = steelyard.evaluate_answers(CITED, metrics="EM", strip_citations=False, **options)
    assert kept.counts[count] == (4 if options else 3)
    assert count not in steelyard.evaluate_answers(CITED, metrics="EM", strip_citations=True, **options).counts
    assert count not in steelyard.evaluate_answers(CITED, metrics="ValuesGrounded", **options).counts
    plain = [{"prediction": "Paris [1].", "references": ["Paris"]}]
    assert count not in steelyard.evaluate_answers(plain, metrics="EM", **options).counts


def test_the_option_of_the_command_strips_citation_marks(write):
    path = write("cited.jsonl", "".join(json.dumps(row) + "\n" for row in CITED))
    status, out, _ = run("answers", path, "-m", "EM", "--no-strip-citations")
    assert status == 0
    assert "answers with citation marks, which count as words (--strip-citations removes them) 3" in out
    status, out, _ = run("answers", path, "-m", "EM")
    assert status == 0
    assert "citations:stripped" in out
    assert "--strip-citations" not in out


def test_the_numbers_do_not_depend_on_processes(write):
    rows = [
        {
            "id": str(n),
            "pred": f"{n} yuan",
            "gold": f"{n % 7} yuan",
            "contexts": [{"id": f"d{n % 3}", "text": f"{n} yuan"}],
        }
        | {"reference_context_ids": ["d1"]}
        for n in range(5000)
    ]
    path = write("a.jsonl", lines(*rows))
    names = ["EM", "nDCG@5", "ContextP", "Refusal"]
    first, second = (steelyard.evaluate_answers(path, None, names, processes=n) for n in (1, 2))
    for name in names:
        np.testing.assert_array_equal(first.column(name), second.column(name))


# ----- what is imported


REGISTERING = ("cail2025", "judge", "law_metrics", "metrics")
IMPORTS = """
import sys
import steelyard
{code}
print(sorted(name for name in sys.modules if name.startswith(("steelyard.contexts", "steelyard.legal"))))
"""


@pytest.mark.parametrize(
    ("code", "imported"),
    [
        ("steelyard.evaluate_retrieval({'q': {'d': 1}}, {'q': {'d': 1.0}})", []),
        (
            "steelyard.evaluate_answers(['a'], ['a'], 'EM')\n"
            "from steelyard.registry.names import all_metrics\nall_metrics()",
            ["steelyard.contexts", *(f"steelyard.contexts.{name}" for name in REGISTERING)],
        ),
    ],
)
def test_judges_are_imported_when_they_are_needed(code, imported):
    done = subprocess.run([sys.executable, "-c", IMPORTS.format(code=code)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(imported)


def test_lists_that_a_frame_has_as_text_are_lists():
    frame = {
        "question": ["Q"],
        "response": ["A"],
        "reference": ["A"],
        "retrieved_context_ids": ["['d0a', 'd0b']"],
        "reference_context_ids": ["['d0b']"],
    }
    assert steelyard.evaluate_answers(frame, metrics=["RR"]).mean("RR") == 0.5


def test_objects_as_contexts_are_no_format_of_another_tool(tmp_path):
    row = {"id": "a", "question": "Q", "answer": "42 pounds", "ground_truth": "42 pounds"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row | {"contexts": [{"id": "d1", "text": "42 pounds"}]}) + "\n", encoding="utf-8")
    assert steelyard.evaluate_answers(path, metrics=["ValuesGrounded"]).mean("ValuesGrounded") == 1


def test_a_mapped_column_of_a_file_of_another_tool(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"user_input": "Q", "reference": "A", "respnse": "A"}) + "\n", encoding="utf-8")
    assert steelyard.evaluate_answers(path, metrics=["EM"], mapping={"prediction": "respnse"}).mean("EM") == 1


KEYLESS = [
    {"question": "What is the rent?", "prediction": "$900 a month [1].", "contexts": ["The rent is $900 a month."]},
    {"question": "What is the cap?", "prediction": "$7,000", "contexts": ["Liability is capped at $5,000."]},
]
"""Rows without references; all are invented."""


def test_without_references_the_metrics_over_contexts_are_computed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, KEYLESS)), encoding="utf-8")
    for table in (steelyard.evaluate_answers(path), steelyard.evaluate_answers(KEYLESS)):
        assert table.metrics == ["ValuesGrounded", "Refusal", "CitationP", "CitationR"]
        assert table.column("ValuesGrounded").tolist() == [1.0, 0.0]
        assert table.counts["counts.references_left_out"] == 2
    assert "counts.references_left_out" not in steelyard.evaluate_answers(path, metrics="ValuesGrounded").counts


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ([{**row, "contexts": None} for row in KEYLESS], {}),
        (KEYLESS, {"metrics": "F1"}),
        (KEYLESS, {"profile": "ultrarag"}),
        (iter(KEYLESS), {}),
    ],
)
def test_what_needs_references_asks_for_them(rows, options):
    with pytest.raises(InputError, match="no column contains 'references'"):
        steelyard.evaluate_answers(rows, **options)
