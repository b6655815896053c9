"""What cheating systems may earn at most, and honest ones must earn at least, by the seed's formulas.

    fact_exact    0.7 exact_match + 0.3 citation_correctness
    evidence_set  0.5 recall + 0.3 precision + 0.2 citation_provided, each in full or not at all
    conflict_gap  0.4 correct_abstention + 0.4 no_hallucination + 0.2 quote_included (or conflict_surfaced);
                  without a quotation the first two count for 0.5 each
    key_points    the share of the points; cheats that know the key are in test_points.py

A limit is a ceiling for each question, argued from these; what is compared is the mean over the questions of a type.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from legal.cheats import CHEATS, Record, honest_line, nearest, slices

from steelyard.documents.pages import Document
from steelyard.io.outputs import record_of
from steelyard.legal import (
    EvidenceQuestion,
    FactQuestion,
    GapQuestion,
    KeyPointsQuestion,
    LegalVerdict,
    Question,
    judge,
)
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.question_types import types_by_name
from steelyard.legal.question_types.gap import QUOTE_PARTS

BUNDLED = load_benchmark(benchmark_folder())
TYPES = list(types_by_name())
OF_TYPE = {kind: [each for each in BUNDLED.questions if each.about.type == kind] for kind in TYPES}
Ceiling = Callable[[Question], float]


def document_of(question: Question) -> Document:
    return BUNDLED.documents[question.about.document]


def weights(question: Question) -> dict[str, float]:
    """What each part counts for in the score of a question."""
    found = question.weights(question.part_names)
    return {"quote" if part in QUOTE_PARTS else part: weight for part, weight in found.items()}


def of(*parts: str) -> Ceiling:
    """The weight of these parts, in full."""
    return lambda question: sum(weights(question).get(part, 0.0) for part in parts)


@cache
def honest_verdict(number: int) -> LegalVerdict:
    question = BUNDLED.questions[number]
    document = document_of(question)
    return judge(question, honest_line(question.about.question, document), document)


def as_honest(*parts: str) -> Ceiling:
    """What the same retrieval earns with these parts, without the trick."""

    def ceiling(question: Question) -> float:
        found = honest_verdict(BUNDLED.questions.index(question))
        if isinstance(question, EvidenceQuestion):  # its parts count in full or not at all
            return found.score
        return sum(weights(question).get(part, 0.0) * found.parts[part] for part in parts if part in found.parts)

    return ceiling


def should_abstain(question: Question) -> bool:
    return isinstance(question, GapQuestion) and question.should_abstain


def saying(value: bool) -> Ceiling:
    """Where yes or no is the whole answer."""

    def ceiling(question: Question) -> float:
        if not isinstance(question, FactQuestion | GapQuestion) or should_abstain(question):
            return 0.0
        is_right = question.expected.get("boolean_answer") is value
        return of("exact_match", "correct_abstention", "no_hallucination")(question) if is_right else 0.0

    return ceiling


def where(abstain: Ceiling, control: Ceiling) -> Ceiling:
    """Of a gap: one ceiling where a refusal is right, another for controls."""
    return lambda question: (abstain if isinstance(question, GapQuestion) and question.should_abstain else control)(
        question
    )


NOTHING = of()
EXISTS = of("citation_provided")
CITED = of("citation_correctness")
# slices of the document: the first eight may hold all that is asked for, but of all the slices that count as returned
# never 70 % are asked for
SLICED = of("recall", "citation_provided")
SAYS = of("no_hallucination")
# a line of the document invents nothing, may happen to be the quotation, and answers controls; it never refuses
LINE = where(of("no_hallucination", "quote"), of("correct_abstention", "no_hallucination", "quote"))
# a refusal is right where one is asked for; to a control it is wrong, but invents nothing
REFUSES = where(of("correct_abstention", "no_hallucination"), SAYS)
REFUSES_QUOTING = where(of("correct_abstention", "no_hallucination", "quote"), of("no_hallucination", "quote"))
# a refusal stands where the line after it does not supply what was asked; on one side of a conflict it does
REFUSES_OR_LINE = where(
    lambda q: (LINE if isinstance(q, GapQuestion) and q.conflicting else REFUSES_QUOTING)(q),
    of("correct_abstention", "no_hallucination", "quote"),
)
HONEST_FACT = as_honest("exact_match")
HONEST_CITED = as_honest("exact_match", "citation_correctness")

# the most that a cheat may earn: facts, sets of evidence, gaps
LIMITS: dict[str, tuple[Ceiling, Ceiling, Ceiling]] = {
    # "see the citations" is no value and no statement: only citations can earn, of facts 0.3 at most
    "slices_in_order": (CITED, SLICED, NOTHING),
    "slices_nearest_first": (CITED, SLICED, NOTHING),
    # pages are longer than a passage may be: they exist, and nothing else
    "whole_pages_cited": (NOTHING, EXISTS, NOTHING),
    # glued lines are as long as what lies between them, so they are nothing better than the lines apart
    "glued_lines": (as_honest("citation_correctness"), SLICED, NOTHING),
    # a heading is a real citation, and no evidence
    "a_word_of_every_page": (NOTHING, EXISTS, NOTHING),
    # yes is right where yes is expected; words that stand on no page are no citation
    "invented_citations": (saying(True), NOTHING, saying(True)),
    # required evidence has a page, and so has a citation that exists
    "citations_without_pages": (NOTHING, NOTHING, NOTHING),
    "page_range_of_all": (NOTHING, NOTHING, NOTHING),
    # a copy of the document is not read as value, refusal or quotation
    "whole_document": (NOTHING, NOTHING, NOTHING),
    "refusal_and_document": (NOTHING, NOTHING, NOTHING),
    "document_and_refusal": (NOTHING, NOTHING, NOTHING),
    "every_answer_quoted": (NOTHING, NOTHING, NOTHING),
    # the document's words of not knowing are not the system's; they invent nothing, and some are the quotation
    "lines_of_not_knowing": (NOTHING, NOTHING, LINE),
    # the refusal is the system's own, and some of what it quotes is the quotation
    "refusal_quoting_all_that_is_not_known": (NOTHING, NOTHING, REFUSES_QUOTING),
    "document_with_noise": (NOTHING, NOTHING, REFUSES_QUOTING),
    # the answer is empty
    "question_repeated": (NOTHING, NOTHING, NOTHING),
    "question_as_statement": (NOTHING, NOTHING, NOTHING),
    "vacuous_sentence": (NOTHING, NOTHING, NOTHING),
    "well_then": (NOTHING, NOTHING, NOTHING),
    # the same; its slices are evidence all the same, for a set of evidence asks for no answer
    "full_stop": (NOTHING, SLICED, NOTHING),
    # several values without a conclusion are none; all of them are in the document
    "all_figures": (NOTHING, NOTHING, SAYS),
    "all_figures_as_final_answer": (NOTHING, NOTHING, SAYS),
    "all_names": (NOTHING, NOTHING, SAYS),
    # yes and no is no answer
    "both_polarities": (NOTHING, NOTHING, NOTHING),
    "always_yes": (saying(True), NOTHING, saying(True)),
    "always_no": (saying(False), NOTHING, saying(False)),
    # the line is in the text too, so the fields add nothing
    "one_line_in_every_field": (HONEST_FACT, NOTHING, LINE),
    "all_candidates_in_fields": (NOTHING, NOTHING, NOTHING),
    "document_in_fields": (NOTHING, NOTHING, NOTHING),
    # a field stands only while the text does not deny or doubt it; the text refuses, after a fashion
    "field_against_text": (NOTHING, NOTHING, REFUSES),
    "constant_refusal": (NOTHING, NOTHING, REFUSES),
    # who says that it is not stated has not answered, whatever is quoted; gaps are answered like this by honest systems
    "refusal_with_nearest_quotation": (CITED, as_honest("recall", "precision", "citation_provided"), REFUSES_QUOTING),
    # a refusal that supplies after all is none: what is left is the line; else the line is what it quotes
    "refusal_and_nearest_line": (HONEST_FACT, NOTHING, REFUSES_OR_LINE),
    # a hedge is neither a value nor a refusal, and no answer to a control
    "hedge_with_nearest_line": (NOTHING, NOTHING, of("no_hallucination", "quote")),
    # a declared abstention is one: it answers no fact, and on gaps it earns what refusing everything does
    "abstained_flag": (NOTHING, NOTHING, REFUSES_QUOTING),
    # the tail is about the rest, so the line is the answer, and at best it is no better than refusing everything;
    # the slices cite what slices do
    "line_with_fixed_tail_and_slices": (lambda q: HONEST_FACT(q) + CITED(q), SLICED, REFUSES),
}


def honest_points(question: Question) -> float:
    """What the nearest line earns: it may have points, and a trick adds none."""
    return honest_verdict(BUNDLED.questions.index(question)).score


# the most that a cheat may earn where points are counted; nothing, where it is not named here
POINTS: dict[str, Ceiling] = {
    "one_line_in_every_field": honest_points,
    "refusal_with_nearest_quotation": honest_points,
    "refusal_and_nearest_line": honest_points,
    "abstained_flag": honest_points,
    "line_with_fixed_tail_and_slices": honest_points,
    # one of these lines is about a point, and much else stands beside it
    "lines_of_not_knowing": lambda question: 0.05,
    "document_with_noise": lambda question: 0.01,
}


def ceiling_of(name: str, kind: str) -> Ceiling:
    return POINTS.get(name, NOTHING) if kind == "key_points" else LIMITS[name][TYPES.index(kind)]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@cache
def verdicts(name: str, kind: str) -> list[LegalVerdict]:
    return [
        judge(each, CHEATS[name](each.about.question, document_of(each)), document_of(each)) for each in OF_TYPE[kind]
    ]


def test_every_cheat_has_a_limit():
    assert set(LIMITS) == set(CHEATS)
    assert len(CHEATS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", CHEATS)
def test_cheating_earns_no_more_than_the_formulas_allow(name, kind):
    ceiling = ceiling_of(name, kind)
    earned = mean([verdict.score for verdict in verdicts(name, kind)])
    assert earned <= mean([ceiling(question) for question in OF_TYPE[kind]]) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATS)
def test_no_cheat_is_better_than_the_same_retrieval_and_a_refusal_where_one_is_due(name):
    """Over all questions, the honest line earns more than any cheat."""
    earned = mean([verdict.score for kind in TYPES for verdict in verdicts(name, kind)])
    assert earned < mean([honest_verdict(number).score for number in range(len(BUNDLED.questions))])


SLICERS = ("slices_in_order", "slices_nearest_first", "whole_pages_cited", "line_with_fixed_tail_and_slices")


@pytest.mark.parametrize("name", SLICERS)
def test_the_document_in_slices_passes_no_set_of_evidence(name):
    assert not any(verdict.parts["passed"] for verdict in verdicts(name, "evidence_set"))


def test_what_is_wrong_is_reported():
    for question, verdict in zip(OF_TYPE["fact_exact"], verdicts("slices_in_order", "fact_exact"), strict=True):
        given, read = len(slices(document_of(question))), question.about.citations
        assert f"citations_over_budget: {given} are given, {read} are read" in verdict.remarks
    dumped = verdicts("whole_document", "conflict_gap")
    assert all(any("copies_document" in remark for remark in verdict.remarks) for verdict in dumped)


# honest systems: they know the key, and answer as people and models do


def value_in(question: FactQuestion | GapQuestion) -> str:
    """The expected value in words."""
    is_english = question.about.question.isascii()
    return (", " if is_english else "，").join(
        _said(name, value, is_english) for name, value in question.expected.items()
    )


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def day_in(day: str, is_english: bool) -> str:
    year, month, number = map(int, day.split("-"))
    return f"{MONTHS[month - 1]} {number}, {year}" if is_english else f"{year}年{month}月{number}日"


def _said(name: str, value: Any, is_english: bool) -> str:
    match name:
        case "amount_total":
            return f"${value:,}" if is_english else f"{value}元"
        case "amount_breakdown":
            return ("; " if is_english else "；").join(_item(each, is_english) for each in value)
        case "date":
            return day_in(value, is_english)
        case "date_range":
            first, last = (day_in(value[end], is_english) for end in ("start", "end"))
            return f"from {first} to {last}" if is_english else f"{first}至{last}"
        case "boolean_answer":
            return ("Yes" if value else "No") if is_english else ("是的" if value else "没有")
    return str(value)


def _item(item: Any, is_english: bool) -> str:
    amount, label = (item["amount"], item.get("description", "")) if isinstance(item, Mapping) else (item, "")
    return f"{label} {_said('amount_total', amount, is_english)}".strip()


def spoken(question: Question) -> str:
    """A short honest answer."""
    if isinstance(question, GapQuestion) and question.should_abstain:
        return str(question.gold_record(document_of(question))["answer"])
    if isinstance(question, KeyPointsQuestion):
        return question.reference
    if isinstance(question, GapQuestion):
        quote = str(question.gold_record(document_of(question))["answer"])
        return f"{value_in(question)}{'. ' if question.about.question.isascii() else '。'}{quote}"
    return value_in(question) if isinstance(question, FactQuestion) else ""


def passages(question: Question) -> list[Record]:
    found = question.gold_record(document_of(question))
    cited: list[Record] = found.get("evidence") or found.get("citations", [])
    return cited


def record(question: Question, answer: str, cited: list[Record] | None = None) -> Record:
    cited = passages(question) if cited is None else cited
    return {"answer": answer, "citations": cited, "evidence": cited}


def oracle(question: Question) -> Record:
    return question.gold_record(document_of(question))


def in_short(question: Question) -> Record:
    return record(question, spoken(question))


def with_explanation(question: Question) -> Record:
    """The passage, what follows from it, and the answer as a conclusion."""
    is_english = question.about.question.isascii()
    quoted = "".join(f"“{each['text']}”" for each in passages(question)[:2])
    if isinstance(question, GapQuestion) or not quoted:
        return record(question, spoken(question))
    answer = (
        f"I read the document for this. It says {quoted}. The answer is: {spoken(question)}."
        if is_english
        else f"我查阅了材料，与问题有关的原文是{quoted}。答案是：{spoken(question)}。"
    )
    return record(question, answer)


def with_six_passages(question: Question) -> Record:
    """All required passages among six or more, the first of them not required."""
    document = document_of(question)
    required = passages(question)
    known = {each["text"] for each in required}
    near: list[dict[str, Any]] = [
        {"page": each.page, "text": each.text[:290]} for each in nearest(question.about.question, document, 12)
    ]
    others = [each for each in near if not any(text in each["text"] for text in known)]
    return record(question, spoken(question), [*others[:1], *required, *others[1 : max(1, 6 - len(required))]])


def with_two_quotations(question: Question) -> Record:
    line = nearest(question.about.question, document_of(question))[0].text.strip("“”")
    quoted = f" It also says “{line}”." if question.about.question.isascii() else f"相关的话还有“{line}”。"
    return record(question, spoken(question) + quoted if isinstance(question, GapQuestion) else spoken(question))


def in_markdown(question: Question) -> Record:
    head, tail = ("**Answer**\n\n", " [1]") if question.about.question.isascii() else ("### 回答\n\n", "[1]【2†来源】")
    return record(question, f"{head}- {spoken(question)}{tail}" if spoken(question) else "")


def as_json_in_a_fence(question: Question) -> Record:
    found = {name: member for name, member in oracle(question).items() if member not in ("", [])}
    return record_of(f"```json\n{json.dumps({'answer': '', **found}, ensure_ascii=False)}\n```")


def after_thinking(question: Question) -> Record:
    thought = "<think>也许是99999元，也可能是2001年1月1日，材料未载明？不是，再看一遍。</think>\n"
    return record_of(record(question, thought + spoken(question)))


def with_referral(question: Question) -> Record:
    """A refusal says where else one may ask."""
    is_english = question.about.question.isascii()
    referral = " Please ask the court reporter or counsel." if is_english else "建议向办案机关或当事人进一步核实。"
    refuses = isinstance(question, GapQuestion) and question.should_abstain
    return record(question, spoken(question) + referral if refuses else spoken(question))


HONEST = {
    each.__name__: each
    for each in (
        oracle, in_short, with_explanation, with_six_passages, with_two_quotations, in_markdown, as_json_in_a_fence,
        after_thinking, with_referral,
    )
}  # fmt: skip


def least(name: str, question: Question) -> float:
    """All of it; only where passages are given that nobody asked for, precision is lost by the formula itself."""
    if name == "with_six_passages" and isinstance(question, EvidenceQuestion):
        given = max(6, len(question.evidence) + 1)
        return 1.0 if len(question.evidence) / given >= question.precision_min else 0.7
    return 1.0


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", HONEST)
def test_honest_systems_earn_what_is_theirs(name, kind):
    lost = {}
    for question in OF_TYPE[kind]:
        found = judge(question, HONEST[name](question), document_of(question))
        if found.score < least(name, question) - 1e-9:
            lost[question.about.id] = (round(found.score, 2), found.reason)
    assert lost == {}


def test_slices_are_not_longer_than_allowed():
    """The slicing cheats fail by budget and precision, not because their slices are too long."""
    for document in BUNDLED.documents.values():
        assert all(len(each["text"]) <= 900 for each in slices(document))
