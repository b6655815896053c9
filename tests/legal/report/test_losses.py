"""Every point is either earned or lost at a stage."""

import math

import numpy as np
import pytest
from tables import table_of

from steelyard.i18n import Joined, Message, to_json
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.legal.evidence.citations import AT_PASSAGE
from steelyard.legal.report import losses as stages
from steelyard.legal.report.losses import STAGES, losses

PAGE_2 = {"page": 2, "text": "一共四万二千元", "speaker": "answer"}
RIGHT = {"page": 2, "text": "答：一共四万二千元。"}
WRONG_PAGE = {"page": 3, "text": "答：一共四万二千元。"}
OTHER = {"page": 5, "text": "别的话"}
SILENT = {"should_abstain": True}
QUESTION = "一共收了多少钱？"


def table(*lines, kind="legal", failures=None):
    """A result of lines (score, parts, output)."""
    names = dict.fromkeys(name for _, parts, _ in lines for name in parts)
    columns = {name: np.array([parts.get(name, np.nan) for _, parts, _ in lines]) for name in names}
    return table_of(
        ids=[str(row) for row in range(len(lines))],
        columns={"legal": np.array([score for score, _, _ in lines], float)},
        kind=kind,
        parts={"legal": columns} if names else {},
        outputs=[output for _, _, output in lines],
        failures=failures or {},
    )


def missed(*passages):
    """The reason that names these passages, as a results file stores it."""
    nothing = Message("legal.nothing_cited")
    places = [Message(AT_PASSAGE, page=each["page"], words=each["text"][:24], reason=nothing) for each in passages]
    return to_json(Joined("core.clauses", places))


def output(answer="", *, wanted=(PAGE_2,), reasons=None, verdict=None, **shown):
    expected = {"evidence": list(wanted)}
    found = {"messages": {"reasons": reasons or {}}, **(verdict or {})}
    found["expected"] = expected | found.get("expected", {})
    return {"answer": answer, "question": QUESTION, "verdict": found, **shown}


def fact(exact, cited, answer="五万元", **shown):
    reasons = {"citation_correctness": missed(PAGE_2)}
    parts = {"exact_match": exact, "citation_correctness": cited}
    return 0.7 * exact + 0.3 * cited, parts, output(answer, reasons=reasons, **shown)


def snippets(recall, precision, provided, parts, **shown):
    score = 0.5 * recall + 0.3 * precision + 0.2 * provided
    return score, {**parts, "citation_provided": provided}, output(reasons={"recall": missed(PAGE_2)}, **shown)


def gap(abstained, clean, quoted, answer, *, should=True, invented=(), quotes=("号码我忘记了",), **shown):
    parts = {"correct_abstention": abstained, "no_hallucination": clean, "quote_included": quoted}
    verdict = {"should_abstain": should, "invented": list(invented), "expected": {"quotes": list(quotes)}}
    score = 0.4 * abstained + 0.4 * clean + 0.2 * quoted
    return score, parts, output(answer, wanted=(), verdict=verdict, **shown)


def name(stage):
    return stage.removeprefix("stages.").replace("_", " ")


def points(found):
    return {name(loss.stage): pytest.approx(loss.points, abs=1e-9) for loss in found}


def assert_adds_up(result):
    earned = math.fsum(result.column("legal"))
    assert math.fsum([earned, *(loss.points for loss in losses(result))]) == pytest.approx(len(result), abs=1e-9)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(fact(0, 0, citations=[OTHER], contexts=["别的话"]), {"not retrieved": 1.0}, id="not retrieved"),
        pytest.param(fact(0, 0, citations=[OTHER]), {"wrong value": 0.7, "not cited": 0.3}, id="without contexts"),
        pytest.param(
            fact(1, 0, "四万二千元", citations=[OTHER], contexts=["答：一共四万二千元。"]),
            {"not cited": 0.3},
            id="retrieved as context",
        ),
        pytest.param(fact(1, 0, "四万二千元", citations=[OTHER], evidence=[OTHER]), {"not cited": 0.3}, id="not cited"),
        pytest.param(fact(1, 0, "四万二千元", citations=[WRONG_PAGE]), {"wrong place": 0.3}, id="wrong page"),
        pytest.param(fact(0, 1, citations=[RIGHT]), {"wrong value": 0.7}, id="wrong value"),
        pytest.param(fact(0, 0, citations=[WRONG_PAGE]), {"wrong place": 0.3, "wrong value": 0.7}, id="two stages"),
        pytest.param(fact(0.5, 1, citations=[RIGHT]), {"wrong value": 0.35}, id="partial credit"),
        pytest.param(fact(0, 1, "材料未载明该信息。", citations=[RIGHT]), {"refused": 0.7}, id="a refused fact"),
        pytest.param(fact(0, 1, "", citations=[RIGHT]), {"refused": 0.7}, id="a fact without an answer"),
        pytest.param(
            fact(0, 1, "", citations=[RIGHT], amount_total=50000), {"wrong value": 0.7}, id="only a typed field"
        ),
        pytest.param(
            (0.0, {"exact_match": 0.0}, output("五万元", citations=[RIGHT])),
            {"wrong value": 1.0},
            id="no citation asked",
        ),
    ],
)
def test_a_fact_loses_its_points_where_it_went_wrong(line, expected):
    assert points(losses(table(line))) == expected
    assert_adds_up(table(line))


@pytest.mark.parametrize(
    ("reached", "right", "factor", "answer", "expected"),
    [
        (0.5, 1, 1, "可以解除。", {"points missed": 0.5}),
        (0.5, 0, 1, "不可以解除。", {"wrong conclusion": 1.0}),
        (1, 1, 0.25, "可以解除。" * 20, {"too long": 0.75}),
        (0.5, 1, 0.8, "可以解除。", {"points missed": 0.6}),
        (0, 0, 0, "", {"refused": 1.0}),
        (0, 0, 0, "材料未载明。", {"refused": 1.0}),
    ],
)
def test_keyed_points_are_lost_by_what_cost_most(reached, right, factor, answer, expected):
    parts = {"points_reached": reached, "conclusion_right": right, "length_factor": factor}
    result = table((reached * right * factor, parts, output(answer)))
    assert points(losses(result)) == expected
    assert_adds_up(result)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(
            snippets(0, 0, 1, {"recall": 0.0, "precision": 0.0}, evidence=[OTHER], contexts=["别的话"]),
            {"not retrieved": 0.5, "wrong place": 0.3},
            id="another passage",
        ),
        pytest.param(
            snippets(0, 0, 0, {"recall": 0.0, "precision": 0.0}, evidence=[WRONG_PAGE]),
            {"wrong place": 1.0},
            id="another page",
        ),
        pytest.param(
            snippets(0, 0, 0, {"recall": 0.0, "precision": 0.0}, contexts=[RIGHT["text"]]),
            {"not cited": 1.0},
            id="found and not given",
        ),
        pytest.param(
            snippets(1, 0, 1, {"recall": 0.9, "precision": 0.5}, evidence=[RIGHT, OTHER]),
            {"wrong place": 0.3},
            id="enough of them, among others",
        ),
        pytest.param(
            snippets(0, 1, 1, {"recall": 0.5, "precision": 0.9}, evidence=[OTHER], contexts=["别的话"]),
            {"not retrieved": 0.5},
            id="only some of them",
        ),
    ],
)
def test_which_threshold_of_an_evidence_question_was_missed_is_known_by_its_score(line, expected):
    assert points(losses(table(line))) == expected
    assert_adds_up(table(line))


def test_the_thresholds_that_were_reached_are_written_down():
    """Were they not, a score of 0.5 would say that recall was reached."""
    score, parts, shown = snippets(1, 0, 0, {"recall": 0.0, "precision": 0.0}, evidence=[OTHER])
    shown["verdict"]["reached"] = {"recall": True, "precision": False, "citation_provided": False}
    assert points(losses(table((score, parts, shown)))) == {"wrong place": 0.5}
    shown["verdict"]["reached"] = {"recall": False, "precision": False}
    assert points(losses(table((score, parts, shown)))) == {"unexplained": 0.5}


@pytest.mark.parametrize(("named", "expected"), [((PAGE_2,), "wrong place"), ((), "not retrieved")])
def test_only_the_passages_that_the_reason_names_are_missed(named, expected):
    """A passage that is no critical one may be missing; a file that does not say which is blamed for all."""
    parts = {"exact_match": 1.0, "citation_correctness": 0.0}
    reasons = {"citation_correctness": missed(*named)} if named else {}
    shown = output(
        "四万二千元",
        wanted=(PAGE_2, {"page": 9, "text": "不必引用"}),
        reasons=reasons,
        citations=[WRONG_PAGE],
        contexts=["别的话"],
    )
    assert points(losses(table((0.7, parts, shown)))) == {expected: 0.3}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(gap(0, 1, 1, "是张三。"), {"not refused": 0.4}, id="answered"),
        pytest.param(
            gap(0, 0, 1, "是王五。", invented=[{"text": "王五", "kind": "name"}]),
            {"not refused": 0.4, "invented": 0.4},
            id="invented",
        ),
        pytest.param(gap(1, 1, 0, "材料未载明。", contexts=["别的"]), {"not retrieved": 0.2}, id="quote not retrieved"),
        pytest.param(
            gap(1, 1, 0, "材料未载明。", contexts=["答：号码我忘记了。"]), {"not cited": 0.2}, id="quote not given"
        ),
        pytest.param(
            gap(1, 1, 0, "材料未载明。", contexts=["答：号码我忘记了。"], quotes=("从未见过", "号码我忘记了")),
            {"not cited": 0.2},
            id="one quotation would do",
        ),
        pytest.param(gap(0, 1, 1, "材料未载明。", should=False), {"refused": 0.4}, id="refused"),
        pytest.param(
            gap(0, 0, 0, "", contexts=["答：号码我忘记了。"]),
            {"not cited": 0.2, "not refused": 0.8},
            id="silence about a gap",
        ),
        pytest.param(
            (
                0.5,
                {"correct_abstention": 0.0, "no_hallucination": 1.0},
                output("是。", verdict=SILENT),
            ),
            {"not refused": 0.5},
            id="nothing to quote",
        ),
    ],
)
def test_a_gap_loses_its_points_where_it_went_wrong(line, expected):
    assert points(losses(table(line))) == expected
    assert_adds_up(table(line))


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([{"page": 2, "text": "冷藏车5台"}, {"page": 4, "text": "合计4台"}], "not refused"),
        ([{"page": 2, "text": "冷藏车5台"}], "not retrieved"),
    ],
)
def test_a_conflict_that_is_not_surfaced_was_not_seen_or_not_said(shown, expected):
    parts = {"correct_abstention": 1.0, "no_hallucination": 1.0, "conflict_surfaced": 0.0}
    sides = ({"page": 2, "text": "冷藏车5台"}, {"page": 4, "text": "合计4台"})
    contexts = [each["text"] for each in shown]
    line = (0.8, parts, output("无法确定。", wanted=sides, verdict=SILENT, citations=shown, contexts=contexts))
    assert points(losses(table(line))) == {expected: 0.2}


def test_an_item_on_which_the_system_failed_is_lost_there():
    line = (0.0, {"exact_match": 0.0, "citation_correctness": 0.0}, output())
    assert points(losses(table(line, failures={0: "timed out"}))) == {"failed": 1.0}


def test_a_result_without_contexts_is_not_blamed_for_retrieval():
    bare = fact(0, 0, "五万元", citations=[])
    assert points(losses(table(bare))) == {"wrong value": 0.7, "not cited": 0.3}
    assert points(losses(table(bare, fact(1, 1, contexts=[RIGHT["text"]])))) == {"not retrieved": 1.0}


@pytest.mark.parametrize("line", [(0.25, {}, None), (0.25, {"exact_match": 1.0}, output()), (0.25, {"own": 0.0}, {})])
def test_what_the_parts_do_not_account_for_is_unexplained(line):
    assert points(losses(table(line))) == {"unexplained": 0.75}
    assert_adds_up(table(line))


def test_other_results_lose_no_points():
    assert losses(table((0.0, {}, None), kind="answers")) == []


def test_points_and_items_add_up_over_lines_and_stages_are_in_order():
    result = table(fact(0, 0, contexts=["别的话"]), fact(0, 1, citations=[RIGHT]), gap(0, 1, 1, "是张三。"), fact(1, 1))
    found = losses(result)
    assert [(name(loss.stage), round(loss.points, 9), loss.items) for loss in found] == [
        ("not retrieved", 1.0, 1),
        ("wrong value", 0.7, 1),
        ("not refused", 0.4, 1),
    ]
    assert_adds_up(result)


@pytest.fixture(scope="module")
def bundled():
    return load_benchmark(benchmark_folder())


def test_the_baseline_loses_every_point_that_it_does_not_earn_to_a_stage():
    result = evaluate_legal("builtin:baseline")
    found = losses(result)
    assert_adds_up(result)
    assert stages.UNEXPLAINED not in {loss.stage for loss in found}
    assert [loss.stage for loss in found] == [stage for stage in STAGES if stage in {loss.stage for loss in found}]


def test_the_oracle_loses_nothing(bundled):
    keys = {q.about.question: q.gold_record(bundled.documents[q.about.document]) for q in bundled.questions}
    assert losses(evaluate_legal(keys.__getitem__)) == []


def test_silence_loses_all():
    result = evaluate_legal(lambda question: "")
    found = losses(result)
    assert math.fsum(loss.points for loss in found) == pytest.approx(len(result), abs=1e-9)
    assert {name(loss.stage) for loss in found} == {"not cited", "refused", "not refused"}
