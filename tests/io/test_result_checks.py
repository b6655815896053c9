"""Results files are input too: each wrong type is one message with its line."""

import json

import pytest

from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.i18n import texts
from steelyard.io.results import CONTRADICTED, DISAGREEING, UNFINISHED, load, load_all
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.review import SampleSettings, SampleSize, take_sample

HEAD = {"kind": "legal", "name": "x", "signature": "", "metrics": ["legal"], "bounds": {"legal": [0, 1]}}
ITEM = {"id": "a", "scores": {"legal": 1.0}}
FOOT = {"footer": {"items": 1, "means": {"legal": 1.0}}}


def lines(*rows) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"kind": 5}, "the field 'kind' must be text, not 5"),
        ({"name": None}, "the field 'name' must be text, not null"),
        ({"signature": []}, "the field 'signature' must be text, not a list"),
        ({"metrics": {"legal": 1}}, "the field 'metrics' must be a list, not an object"),
        ({"metrics": ["legal", 5]}, "the field 'metrics[1]' must be text, not 5"),
        ({"metrics": ["legal", "legal"]}, "a metric appears twice in the header"),
        ({"metrics": [], "bounds": {}, "kind": "answers"}, "a result must have a metric"),
        (
            {"bounds": {"legal": [-1e308, 1e308]}},
            "a bound of 'legal' is above the limit of 1e+100\nhint: to raise the limit, set STEELYARD_SCORE",
        ),
        ({"metrics": ["EM"], "bounds": {}}, "a result of kind 'legal' must have the metric 'legal'"),
        ({"sums": "legal"}, "the field 'sums' must be a list, not 'legal'"),
        ({"bounds": {"legal": 3}}, "the field 'bounds.legal' must be a list, not 3"),
        ({"bounds": {"legal": [0]}}, "the bounds of 'legal' must be the lowest and the highest value"),
        ({"bounds": {"legal": [1, 0]}}, "the bounds of 'legal' must be the lowest and the highest value"),
        ({"bounds": {"legal": [0, "1"]}}, "the field 'bounds.legal[1]' must be a number or null, not '1'"),
        ({"counts": {"items": "7"}}, "the field 'counts.items' must be an integer of at least 0, not '7'"),
        ({"counts": {"items": -1}}, "the field 'counts.items' must be an integer of at least 0, not -1"),
        ({"counts": [1]}, "the field 'counts' must be an object, not a list"),
        ({"benchmark": 5}, "the field 'benchmark' must be text, not 5"),
        ({"items": True}, "the field 'items' must be an integer of at least 0, not true"),
        ({"name": "\ud800"}, "'\\ud800' is a lone surrogate (half of a character)"),
    ],
)
def test_headers(write, more, message):
    path = write("r.jsonl", lines(HEAD | more, ITEM, FOOT))
    assert complaint(path) == f"{path}:1: {message}"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"id": 5}, "the field 'id' must be text, not 5"),
        ({"scores": [1]}, "the field 'scores' must be an object, not a list"),
        ({"scores": {"legal": "1"}}, "the score of 'legal' is not a number: '1'"),
        ({"scores": {"legal": True}}, "the score of 'legal' is not a number: true"),
        ({"scores": {"legal": {}}}, "the score of 'legal' is not a number: an object"),
        ({"unscored": {"legal": 5}}, "the field 'unscored.legal' must be text, not 5"),
        ({"errors": []}, "the field 'errors' must be an object, not a list"),
        ({"notes": {"legal": {}}}, "the field 'notes.legal' must be text, not an object"),
        ({"tags": {"type": []}}, "the field 'tags.type' must be text, a number, true or false, not a list"),
        ({"tags": {"weight": "heavy"}}, "the field 'tags.weight' must be a number above 0, not 'heavy'"),
        ({"error": 5}, "the field 'error' must be text, not 5"),
        ({"output": {"seconds": "1"}}, "the field 'output.seconds' must be a number from 0 to 1e15, not '1'"),
        ({"output": {"seconds": 1e308}}, "the field 'output.seconds' must be a number from 0 to 1e15, not 1e+308"),
        ({"output": {"answer": 7}}, "the field 'output.answer' must be text, not 7"),
        ({"output": {"citations": {}}}, "the field 'output.citations' must be a list, not an object"),
        ({"output": {"citations": [{"text": 1}]}}, "the field 'output.citations[0].text' must be text, not 1"),
        (
            {"output": {"verdict": {"expected": {"evidence": [{}]}}}},
            "the field 'output.verdict.expected.evidence[0].text' is missing",
        ),
        ({"output": {"verdict": {"remarks": [1]}}}, "the field 'output.verdict.remarks[0]' must be text, not 1"),
        (
            {"output": {"verdict": {"messages": {"reasons": {"a": "b"}}}}},
            "the field 'output.verdict.messages.reasons.a' must be a list, not 'b'",
        ),
        (
            {"output": {"verdict": {"reached": {"recall": 1}}}},
            "the field 'output.verdict.reached.recall' must be true or false, not 1",
        ),
    ],
)
def test_items(write, more, message):
    path = write("r.jsonl", lines(HEAD, ITEM | more, FOOT))
    assert complaint(path) == f"{path}:2: {message}"


def test_only_a_legal_result_has_a_legal_verdict(write):
    head = HEAD | {"kind": "answers", "metrics": ["F1"], "bounds": {}}
    table = load(write("r.jsonl", lines(head, {"id": "a", "scores": {"F1": 1.0}, "output": {"verdict": "right"}})))
    assert table.outputs == [{"verdict": "right"}]
    assert '"fields":{"verdict":"right"}' in render_html(Report([table], []))
    assert [each.id for each in take_sample(table, SampleSettings(SampleSize(1), by="doubtful"))] == ["a"]


def test_a_list_that_is_null_is_one_that_is_missing(write):
    passage = {"page": 1, "text": "b", "speaker": None}  # as bench writes it: digests of reviews hold it
    expected = {"quotes": None, "evidence": [passage]}
    nulls = {"error": None, "notes": None, "output": {"answer": "a", "verdict": {"expected": expected}}}
    (table,) = load_all(write("r.jsonl", lines(HEAD, ITEM | nulls, FOOT)))
    assert table.outputs[0] == {"answer": "a", "verdict": {"expected": {"evidence": [passage]}}}
    assert render_html(Report([table], []))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "scores": {"legal": NaN}}', "NaN is not a valid JSON number"),
        ('{"id": "a", "scores": {"legal": 1, "legal": 0}}', "duplicate key 'legal' in one object"),
        ('{"scores": {"legal": 1}}', "the field 'id' is missing"),
        ('{"id": "a"}', "the field 'scores' is missing"),
        ('{"footer": []}', "the field 'footer' must be an object, not a list"),
        ('{"footer": {"items": "1"}}', "the field 'footer.items' must be an integer of at least 0, not '1'"),
        ('{"footer": {"means": {"legal": "1"}}}', "the field 'footer.means.legal' must be a number or null, not '1'"),
        (json.dumps({"footer": {"items": 10**400}}), "the footer states a number of many digits items, the file has 0"),
    ],
)
def test_lines(write, line, message):
    path = write("r.jsonl", lines(HEAD, line))
    assert complaint(path).split("\n")[0] == f"{path}:2: {message}"


@pytest.mark.parametrize("score", [1e308, -1e308, 10**400, 1e101])
def test_scores_that_are_too_large(write, score):
    path = write("r.jsonl", lines(HEAD | {"bounds": {}}, ITEM | {"scores": {"legal": score}}))
    assert complaint(path) == (
        f"{path}:2: the score of 'legal' is above the limit of 1e+100\nhint: to raise the limit, set STEELYARD_SCORE"
    )


def test_many_questions_asked_again_are_read_in_linear_time(write):
    failed = [ITEM | {"id": str(n), "scores": {"legal": 0}, "error": "late"} for n in range(4000)]
    again = [ITEM | {"id": str(n)} for n in range(4000)]
    table = load(write("r.jsonl", lines(HEAD, *failed, *again)))
    assert (len(table), table.mean("legal"), table.failures) == (4000, 1.0, {})


FALSE = lines(HEAD, ITEM, ITEM | {"id": "b", "scores": {"legal": 0}}, {"footer": {"items": 2, "means": {"legal": 1.0}}})
TRUE = FALSE.replace('{"legal": 1.0}}}', '{"legal": 0.5}}}')
MESSAGE = "the mean of 'legal' in the footer differs from the mean of the items"


def test_items_that_contradict_the_footer(write, capsys):
    path, true = write("false.jsonl", FALSE), write("true.jsonl", TRUE)
    assert CONTRADICTED in load(path).counts
    assert CONTRADICTED not in load(true).counts
    for command in (
        ["gate", path, "--require", "legal >= 0.1"],
        ["gate", true, "--require", "legal >= baseline", "--baseline", path],
        ["compare", true, path],
    ):
        assert main([str(word) for word in command]) == 2
        assert f"{path}:4: {MESSAGE}" in capsys.readouterr().err
    assert main(["gate", str(true), "--require", "legal >= 0.1"]) == 0
    assert main(["report", str(path)]) == 0
    assert texts("en")[CONTRADICTED] in capsys.readouterr().out


def test_what_a_report_says_of_the_footer_is_not_kept(write, tmp_path):
    load(write("false.jsonl", FALSE)).save(tmp_path / "again.jsonl")
    (table,) = load_all(tmp_path / "again.jsonl", strict=True)
    assert CONTRADICTED not in table.counts


def test_a_footer_of_rounded_sums_is_believed(write):
    foot = {"footer": {"items": 2, "means": {"legal": 0.5 + 1e-12}}}
    path = write("r.jsonl", lines(HEAD, ITEM, ITEM | {"id": "b", "scores": {"legal": 0}}, foot))
    assert load(path, strict=True).mean("legal") == 0.5


@pytest.mark.parametrize("foot", [{}, {"items": 1}, {"items": 1, "means": {}}, {"means": {"legal": 1.0}}])
def test_a_footer_without_the_mean_of_each_metric(write, foot, capsys):
    path = write("r.jsonl", lines(HEAD | {"metrics": ["legal", "EM"]}, ITEM, {"footer": foot}))
    metric = "EM" if "legal" in foot.get("means", {}) else "legal"
    assert main(["gate", str(path), "--require", "legal >= 0.1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{path}:3: the mean of {metric!r} in the footer differs from the mean of the items\n")
    assert CONTRADICTED in load(path).counts


def test_every_item_and_no_footer_is_a_run_that_was_cut_off(write, capsys):
    """Only a run of which some questions failed is left without a footer, so that they can be asked again."""
    head = HEAD | {"items": 2}
    bad = {"id": "b", "scores": {"legal": 0.0}, "error": "late"}
    path = write("r.jsonl", lines(head, ITEM, ITEM | {"id": "b"}))
    assert load(path).counts == {UNFINISHED: 2}
    assert main(["gate", str(path), "--require", "legal >= 0.1"]) == 1
    assert "the run was cut off" in capsys.readouterr().out
    assert load(write("failed.jsonl", lines(head, ITEM, bad))).counts == {}


AROUND = {"passed": 0.0, "uncertain": 0.0}
MADE = [
    (0.7, {"exact_match": 1.0, "citation_correctness": 0.0, "penalised_score": 0.7}),
    (0.25, {"exact_match": 0.25, "penalised_score": 0.25}),
    (0.7, {"recall": 0.6, "precision": 0.2, "citation_provided": 1.0, "penalised_score": 0.7}),
    (0.4, {"correct_abstention": 1.0, "no_hallucination": 0.0, "quote_included": 0.0, "penalised_score": 0.2}),
    (0.5, {"correct_abstention": 1.0, "no_hallucination": 0.0, "penalised_score": 0.1}),
    (
        0.6,
        {
            "correct_abstention": 0.0,
            "no_hallucination": 1.0,
            "quote_included": 1.0,
            "conflict_surfaced": 0.0,
            "penalised_score": 0.6,
        },
    ),
    (0.3, {"something_else": 4.0}),
]


def made(score, parts, **more) -> str:
    item = {"id": "a", "scores": {"legal": score}, "parts": {"legal": AROUND | parts}, **more}
    return lines(HEAD, item, {"footer": {"items": 1, "means": {"legal": score}}})


@pytest.mark.parametrize(("score", "parts"), MADE)
def test_scores_that_are_what_their_parts_come_to(write, score, parts):
    assert load(write("r.jsonl", made(score + 1e-12, parts)), strict=True).counts == {}


@pytest.mark.parametrize(
    ("score", "parts", "more"),
    [
        *((1.0, parts, {}) for _, parts in MADE[:-1]),
        (0.2, MADE[0][1] | {"penalised_score": 0.2}, {}),
        (0.9, MADE[2][1] | {"penalised_score": 0.9}, {}),
        (1.0, MADE[5][1] | {"penalised_score": 1.0}, {}),
        (0.6, MADE[5][1] | {"penalised_score": 0.2}, {}),
        (1.0, {}, {"error": "late"}),
    ],
)
def test_scores_that_are_not_what_their_parts_come_to(write, capsys, score, parts, more):
    path, true = write("false.jsonl", made(score, parts, **more)), write("true.jsonl", made(*MADE[0]))
    for command in (
        ["gate", path, "--require", "legal >= 0.1"],
        ["gate", true, "--require", "legal >= baseline", "--baseline", path],
        ["compare", true, path],
    ):
        assert main([str(word) for word in command]) == 2
        assert f"{path}:2: the score of 'a' does not match its parts\n" in capsys.readouterr().err
    assert main(["report", str(path)]) == 0
    assert texts("en")[DISAGREEING] in capsys.readouterr().out
    load(path).save(path.with_name("again.jsonl"))
    assert load(path.with_name("again.jsonl")).counts == {DISAGREEING: 1}


@pytest.mark.parametrize(("part", "value"), [("passed", 1e99), ("uncertain", -1), ("uncertain", 7), ("recall", 2)])
def test_parts_of_a_legal_score_lie_between_0_and_1(write, part, value):
    path = write("r.jsonl", made(0.5, {part: value}))
    assert complaint(path) == f"{path}:2: the part {part!r} of 'legal' must be between 0 and 1, not {value!r}"


def complaint(path) -> str:
    with pytest.raises(InputError) as caught:
        load(path)
    return str(caught.value)
