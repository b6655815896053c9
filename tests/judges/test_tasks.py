"""Scores from verdicts: published examples, and the edges where tools differ."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard.i18n import Message
from steelyard.judges.calls import Caller, Endpoint, Offline
from steelyard.judges.journal import Journal
from steelyard.judges.prompts import messages_for
from steelyard.judges.replies import Answer
from steelyard.judges.run import combined, judge_rows
from steelyard.judges.spec import load_judge
from steelyard.judges.tasks import (
    CLAIMS_TOGETHER,
    Judged,
    JudgedRow,
    context_precision,
    f1,
    nugget_share,
    qrels_lines,
    sentences,
    steps_of,
)
from steelyard.table import Missing

E, N, C = "supported", "not_found", "contradicted"
# RAGChecker, examples/checking_outputs.json (Apache-2.0): labels of the claims of two answers against the reference and
# against any passage, those of the claims of the references, and the metrics that it prints
RAGCHECKER = [
    (
        (
            [N, E, E, E, E, E, E, E, E, N, C],
            [E, E, E, E, E, E, C, N, E, E, N, N, N, N, N, E, N, N, N, N, E, E],
            [E, N, N, N, N, N, E, N, E, E, N],
            [E, N, N, E, E, E, *[N] * 15, E],
        ),
        {"ClaimPrecision": 8 / 11, "ClaimRecall": 0.5, "ClaimF1": 0.5925925925925926, "Faithfulness": 4 / 11},
        0.22727272727272727,
    ),
    (
        ([N, E, E, E, E], [E, E, C, E, N, E, E, E], [E, E, E, E, E], [E] * 8),
        {"ClaimPrecision": 0.8, "ClaimRecall": 0.75, "ClaimF1": 0.7741935483870969, "Faithfulness": 1.0},
        1.0,
    ),
]
METRICS = ("Faithfulness", "Hallucination", "ClaimPrecision", "ClaimRecall", "ClaimF1", "ContextRecall")
ROW = JudgedRow("a", "?", "An answer.", ("A reference.",), (("1", "A context."),))


def finish(judge, row, metrics, *answers):
    """Send answers to the steps of a task, one for each request, and return what was judged."""
    steps, left = steps_of(judge, row, metrics), iter(answers)
    requests = next(steps)
    try:
        while True:
            requests = steps.send([Answer(next(left)) for _ in requests])
    except StopIteration as end:
        return end.value


def verdicts(labels):
    return {"verdicts": [{"claim": number, "quote": "", "verdict": label} for number, label in enumerate(labels, 1)]}


def claims(labels):
    return {"claims": [f"claim {number}" for number in range(len(labels))]}


@pytest.mark.parametrize(("labels", "scores", "recall"), RAGCHECKER)
def test_metrics_of_claims_are_those_of_ragchecker(labels, scores, recall):
    own, theirs, contexts, retrieved = labels
    replies = (claims(own), claims(theirs), *map(verdicts, (contexts, own, theirs, retrieved)))
    judge = replace(load_judge("claims"), quotes="shown")  # the labels have no quotations
    judged = finish(judge, ROW, METRICS, *replies)
    assert {name: judged.scores[name] for name in scores} == pytest.approx(scores, abs=1e-12)
    assert judged.scores["ContextRecall"] == pytest.approx(recall, abs=1e-12)
    assert judged.scores["Hallucination"] == pytest.approx(1 - scores["Faithfulness"])


def test_f1_of_nothing_is_0():
    assert f1(0.0, 0.0) == 0.0


def by_the_question(request):
    """Reply as a model that sees nothing but the request, and makes values whole by the question."""
    _, user = messages_for(load_judge("claims"), request, "en")
    texts = dict(re.findall(r"\[\[(\w+) \w{8}\]\]\n(.*?)\n\[\[end", user["content"], re.DOTALL))
    if request.step == "split":
        asked = re.search(r"of the (\w+) class", texts.get("question", ""))
        return {"claims": [f"{asked[1]} class: {texts['text']}" if asked else texts["text"]]}
    claim = texts["claims"].removeprefix("1. ")
    lines = [line for line in texts["source"].splitlines() if claim.rstrip(".") in line]
    found = {"claim": 1, "quote": lines[0], "verdict": E} if lines else {"claim": 1, "quote": "", "verdict": N}
    return {"verdicts": [found]}


@pytest.mark.parametrize(("answer", "score"), [("99.5 %.", 0.0), ("99.95 %.", 1.0)])
def test_a_bare_value_is_judged_as_the_answer_to_its_question(answer, score):
    source = "standard class: 99.95 % availability\narchive class: 99.5 % availability"
    row = JudgedRow("a", "What is the availability of the standard class?", answer, contexts=(("1", source),))
    steps = steps_of(load_judge("claims"), row, METRICS[:1])
    (split,) = next(steps)
    (check,) = steps.send([Answer(by_the_question(split))])
    with pytest.raises(StopIteration) as end:
        steps.send([Answer(by_the_question(check))])
    assert end.value.value.scores == {"Faithfulness": score}
    assert split.texts["question"] == check.texts["question"] == row.question
    assert "question" not in next(steps_of(load_judge("claims"), replace(row, question=" "), METRICS[:1]))[0].texts


def test_a_judge_of_claims_that_does_not_ask_for_the_question_does_not_get_it():
    (split,) = next(steps_of(replace(load_judge("claims"), needs=()), ROW, METRICS[:1]))
    assert list(split.texts) == ["text"]


def test_an_answer_without_claims_has_no_faithfulness():
    judged = finish(load_judge("claims"), ROW, METRICS[:2], {"claims": []})
    assert judged.scores["Faithfulness"].reason.code == "missing.no_claims"


def test_a_claim_is_not_supported_by_a_quotation_that_is_not_there():
    judge = load_judge("claims")
    found = {
        "verdicts": [
            {"claim": 1, "quote": "A context", "verdict": E},
            {"claim": 2, "quote": "of other words", "verdict": E},
            {"claim": 3, "quote": "", "verdict": N},
        ]
    }
    judged = finish(judge, ROW, METRICS[:1], claims([1, 2, 3]), found)
    assert judged.scores["Faithfulness"] == pytest.approx(1 / 3)
    assert judged.parts["Faithfulness"]["unquoted"] == pytest.approx(1 / 3)
    shown = replace(judge, quotes="shown")
    assert finish(shown, ROW, METRICS[:1], claims([1, 2, 3]), found).scores["Faithfulness"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("quote", "score"), [("the", 0.0), ("the owner", 0.0), ("paid 5", 1.0), ("the owner has paid", 1.0), ("", 0.0)]
)
def test_a_quotation_must_say_something(quote, score):
    row = replace(ROW, contexts=(("1", "On Monday the owner has paid 5 crowns to the other owner of the boat."),))
    found = {"verdicts": [{"claim": 1, "quote": quote, "verdict": E}]}
    assert finish(load_judge("claims"), row, METRICS[:1], claims([1]), found).scores["Faithfulness"] == score


@pytest.mark.parametrize(
    "given",
    [
        [{"claim": 1, "verdict": C}, {"claim": 1, "verdict": E}],
        [{"claim": 1, "verdict": E}, {"claim": 9, "verdict": E}],
        [{"claim": 0, "verdict": E}],
        [{"claim": number, "verdict": E} for number in range(1, 50)],
    ],
)
def test_verdicts_that_contradict_or_miscount_leave_the_row_unscored(given):
    judged = finish(load_judge("claims"), ROW, METRICS[:1], claims([1]), {"verdicts": given})
    assert judged.scores["Faithfulness"].reason.code == "missing.judge_misnumbered"


def test_a_list_of_verdicts_has_a_size_so_that_a_model_ends_it():
    steps = steps_of(load_judge("claims"), ROW, METRICS[:1])
    next(steps)
    (request,) = steps.send([Answer(claims([1, 2, 3]))])
    verdicts_schema = request.schema["properties"]["verdicts"]
    assert (verdicts_schema["minItems"], verdicts_schema["maxItems"]) == (3, 3)


def test_labels_of_a_scale_are_found_whatever_their_case():
    judge = replace(load_judge("same"), scale={"Met": 1.0, "Not met": 0.0})
    for given in ("met", "MET ", "Met"):
        assert finish(judge, ROW, ("SameMeaning",), {"verdict": given}).scores["SameMeaning"] == 1.0
    assert finish(judge, ROW, ("SameMeaning",), {"verdict": "not-met"}).scores["SameMeaning"] == 0.0


def test_a_judge_that_reads_no_answer_judges_rows_without_one():
    judge = replace(load_judge("same"), needs=("question", "contexts"))
    row = replace(ROW, answer="")
    assert finish(judge, row, ("SameMeaning",), {"verdict": "same"}).scores["SameMeaning"] == 1.0


@pytest.mark.parametrize(
    ("importance", "credits", "expected"),
    [  # by hand, as nuggetizer 0.0.6 defines them
        (["vital", "vital", "okay"], [1.0, 0.5, 0.0], (0.5, 0.75, 1 / 3, 0.5)),
        (["vital"], [1.0], (1.0, 1.0, 1.0, 1.0)),
        (["okay", "okay"], [1.0, 0.5], (None, None, 0.5, 0.75)),
    ],
)
def test_scores_of_nuggets(importance, credits, expected):
    judge = load_judge("nuggets")
    labels = [next(label for label, score in judge.scale.items() if score == credit) for credit in credits]
    names = ("NuggetVitalStrict", "NuggetVital", "NuggetAllStrict", "NuggetAll")
    scores = [nugget_share(judge, name, importance, labels).score for name in names]
    found = [None if isinstance(score, Missing) else score for score in scores]
    assert found == [None if each is None else pytest.approx(each) for each in expected]


def test_nuggets_are_created_labelled_and_assigned():
    answers = (
        {"nuggets": ["n1", "n2"]},
        {"verdicts": [{"nugget": 1, "verdict": "vital"}, {"nugget": 2, "verdict": "okay"}]},
        {"verdicts": [{"nugget": 1, "verdict": "support"}, {"nugget": 2, "verdict": "partial support"}]},
    )
    judged = finish(load_judge("nuggets"), ROW, ("NuggetAll", "NuggetVitalStrict"), *answers)
    assert judged.scores == {"NuggetAll": 0.75, "NuggetVitalStrict": 1.0}


def test_a_nugget_without_a_label_leaves_the_row_unscored():
    labels = {"verdicts": [{"nugget": 1, "verdict": "vital"}]}
    judged = finish(load_judge("nuggets"), ROW, ("NuggetAll",), {"nuggets": ["n1", "n2"]}, labels, {"verdicts": []})
    assert judged.scores["NuggetAll"].reason.code == "missing.judge_nuggets_lost"


@pytest.mark.parametrize(
    ("grades", "precision"),
    [([3, 2], 1.0), ([0, 3], 0.5), ([3, 0, 2], 5 / 6), ([1, 1], 0.0), ([2] * 7, 1.0)],
)
def test_context_precision(grades, precision):
    assert context_precision(grades) == pytest.approx(precision, abs=1e-15)


def test_qrels_of_contexts_without_ids_have_ranks():
    outputs = [{"judged": {"relevance": {"grades": [2, None]}}}]
    assert list(qrels_lines(["q 1"], outputs)) == ["q_1 0 1 2\n"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Hale paid. Dr. Pike did not!", ["Mr. Hale paid.", "Dr. Pike did not!"]),
        ("他付了钱。她没有！", ["他付了钱。", "她没有！"]),
        ("It cost 3.5 yuan.\n\nYes", ["It cost 3.5 yuan.", "Yes"]),
    ],
)
def test_sentences_are_claims_without_a_model(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize("name", ["claims", "same", "relevance", "relevancy", "nuggets", "refusal", "criteria"])
def test_every_shipped_judge_has_prompts_in_both_languages_and_a_hash_of_its_own(name):
    judge = load_judge(name)
    assert all(prompts.keys() == {"en", "zh"} for prompts in judge.prompts.values())
    assert judge.hash != judge.with_model("m").hash != judge.with_model("m", 3).hash


def test_a_blank_answer_is_not_sent():
    row = JudgedRow("a", "?", " … ", ("b",))
    judge, offline = load_judge("same"), Offline()
    caller = Caller(judge, Endpoint("", ""), Journal(Path("unused"), {}), offline)
    (judged,) = judge_rows(judge, [row], caller, ("SameMeaning",))
    assert (judged.scores, offline.calls) == ({"SameMeaning": 0.0}, [])


@pytest.mark.parametrize(
    ("quote", "source", "is_evidence"),
    [
        ("1", "合同于2024年8月1日签订，租金按季支付，押一付三。", False),
        ("8月1日", "合同于2024年8月1日签订，租金按季支付，押一付三。", True),
        ("15,500", "The rent was 15,500 yuan a year, and it was paid in cash.", True),
        ("家賃は毎月", "家賃は毎月末に支払う。敷金は二か月分とする。退去のときに返す。", True),
        ("は", "家賃は毎月末に支払う。敷金は二か月分とする。退去のときに返す。", False),
    ],
)
def test_what_a_quotation_must_have_to_be_evidence(quote, source, is_evidence):
    found = {"verdicts": [{"claim": 1, "quote": quote, "verdict": E}]}
    row = replace(ROW, contexts=(("1", source),))
    assert finish(load_judge("claims"), row, METRICS[:1], claims([1]), found).scores["Faithfulness"] == float(
        is_evidence
    )


U = "unknown"


@pytest.mark.parametrize(("policy", "score"), [("left_out", None), ("against", 0.5), ("range", None)])
def test_the_range_of_every_metric_of_claims(policy, score):
    judge = replace(load_judge("claims"), quotes="shown", unknown=policy)
    half = verdicts([E, U])
    judged = finish(judge, ROW, METRICS, claims([1, 2]), claims([1, 2]), half, half, half, half)
    share = 0.5 if policy == "against" else 1.0
    assert judged.scores["Faithfulness"] == share
    assert judged.scores["Hallucination"] == 1 - share
    for metric in ("Faithfulness", "ClaimPrecision", "ClaimRecall", "ClaimF1", "ContextRecall", "Hallucination"):
        assert [judged.parts[metric][part] for part in ("unknown", "low", "high")] == pytest.approx(
            [0.5, 0.0, 0.5] if metric == "Hallucination" else [0.5, 0.5, 1.0]
        )
    alone = finish(judge, ROW, METRICS[:1], claims([1]), verdicts([U]))
    assert alone.scores["Faithfulness"] == (0.0 if policy == "against" else alone.scores["Faithfulness"])
    assert isinstance(alone.scores["Faithfulness"], Missing) is (policy != "against")


def test_unknown_counts_as_the_worst_of_a_metric_of_which_less_is_better():
    judge = replace(
        load_judge("same"), metric="Hallucination", scale={"hallucinated": 1.0, "clean": 0.0}, unknown="against"
    )
    judged = finish(judge, ROW, ("Hallucination",), {"verdict": U})
    assert judged.scores == {"Hallucination": 1.0}
    assert (
        finish(replace(judge, unknown="left_out"), ROW, ("Hallucination",), {"verdict": None})
        .scores["Hallucination"]
        .reason.code
        == "missing.judge_no_verdict"
    )


@pytest.mark.parametrize(("policy", "score"), [("left_out", 1.0), ("against", 0.5)])
def test_an_unknown_nugget_counts_as_the_policy_says(policy, score):
    judge = replace(load_judge("nuggets"), unknown=policy)
    share = nugget_share(judge, "NuggetAll", ["vital", "okay"], ["support", U])
    assert (share.score, share.parts["low"], share.parts["high"]) == (score, 0.5, 1.0)
    steps = steps_of(judge, ROW, ("NuggetAll",))
    next(steps)
    steps.send([Answer({"nuggets": ["a"]})])
    (request,) = steps.send([Answer({"verdicts": [{"nugget": 1, "verdict": "vital"}]})])
    assert U in request.schema["properties"]["verdicts"]["items"]["properties"]["verdict"]["enum"]


@pytest.mark.parametrize(("policy", "score"), [("left_out", None), ("against", 1.0)])
def test_an_unknown_passage_counts_as_the_policy_says(policy, score):
    judge = replace(load_judge("relevance"), unknown=policy)
    row = replace(ROW, contexts=(("1", "a"), ("2", "b"), ("3", "c")))
    judged = finish(judge, row, ("ContextPrecision",), *({"verdict": label} for label in ("3", "0", U)))
    found = judged.scores["ContextPrecision"]
    assert (None if isinstance(found, Missing) else found) == score
    parts = judged.parts["ContextPrecision"]
    assert [parts[name] for name in ("unknown", "low", "high")] == pytest.approx([1 / 3, 5 / 6, 1.0])  # late, it lowers


def test_more_claims_than_a_call_has_are_checked_by_several():
    labels = [E, N] * 60
    judge = replace(load_judge("claims"), quotes="shown")
    parts = [verdicts(labels[at : at + CLAIMS_TOGETHER]) for at in range(0, len(labels), CLAIMS_TOGETHER)]
    judged = finish(judge, ROW, METRICS[:1], claims(labels), *parts)
    assert (len(parts), judged.scores["Faithfulness"], len(judged.details["claims"]["contexts"])) == (3, 0.5, 120)


def test_a_criterion_is_part_of_the_prompt_and_not_of_the_judged_texts():
    judge = load_judge("criteria")
    (request,) = next(steps_of(judge, ROW, ("Criterion",)))
    system, user = messages_for(judge, request, "en")
    assert judge.criterion in system["content"]
    assert judge.criterion not in user["content"]


def test_unknown_is_offered_where_a_verdict_is_asked_for():
    steps = steps_of(load_judge("claims"), ROW, METRICS[:1])
    (split,) = next(steps)
    (check,) = steps.send([Answer(claims([1]))])
    contents = [messages_for(load_judge("claims"), each, "en")[0]["content"] for each in (split, check)]
    assert [U in content for content in contents] == [False, True]


def test_repeats_have_the_median_of_score_and_range_and_the_note_of_one_that_has_it():
    def said(label):
        score = {"good": 1.0, "bad": 0.0}.get(label)
        low, high = (0.0, 1.0) if score is None else (score, score)
        parts = {"unknown": float(score is None), "low": low, "high": high}
        given = Missing("unscored", Message("missing.judge_unknown")) if score is None else score
        return Judged({"M": given}, {"M": parts}, {"M": label})

    judge = load_judge("same")

    first = combined(judge, [said(label) for label in (U, "good", "good")], ("M",))
    assert (first.scores["M"], first.notes["M"], first.parts["M"]["low"]) == (1.0, "good", 1.0)
    assert first.parts["M"]["flipped"] == pytest.approx(1 / 3)
    second = combined(judge, [said(label) for label in ("good", U, U)], ("M",))
    assert isinstance(second.scores["M"], Missing)
    assert [second.parts["M"][part] for part in ("unknown", "low", "high")] == [1.0, 0.0, 1.0]
    third = combined(judge, [said(label) for label in ("bad", "good", "good")], ("M",))
    assert (third.scores["M"], third.notes["M"]) == (1.0, "good")
