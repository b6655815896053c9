"""`conflict_gap`: a question about something that the document leaves open or contradicts, or a control for one."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from steelyard.i18n import Joined, Localized, Message
from steelyard.legal.model import (
    FIELDS,
    PENALTIES,
    TEXTS,
    About,
    Draft,
    Evidence,
    FactRules,
    Fault,
    Fields,
    LegalVerdict,
    Question,
    critical,
    invented_kind,
    listed,
    only,
    quotes_of,
    weighted_sum,
)

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.facts.fields import FactVerdict
    from steelyard.legal.grounding.inventions import Invented
    from steelyard.legal.score import Case
    from steelyard.legal.stance import Stance

WEIGHTS: Final = {"correct_abstention": 0.4, "no_hallucination": 0.4}
"""Where neither a quotation nor a conflict is asked for, these two make up the whole score."""
QUOTE_WEIGHT: Final = 0.2
QUOTE_PARTS: Final = ("quote_included", "conflict_surfaced")
"""The parts about quotations; only the first that a question has counts in the score."""
_EXPECTED: Final = "of a control (should_abstain false): the fields that its answer must give; else informative"
_GOLD_TEXTS: Final = {
    "zh": {"absent": "材料未载明，无法确定。", "conflict": "材料前后矛盾，无法确定：", "quote": "原文为“{}”。"},
    "en": {
        "absent": "The document does not state it. ",
        "conflict": "The statements are inconsistent, so it cannot be determined: ",
        "quote": "It says “{}”. ",
    },
}


@dataclass(frozen=True, slots=True)
class GapQuestion(Question):
    """A question about something that the document leaves open or contradicts.

    With `should_abstain` false it is a control: it can be answered, and `expected` are the typed fields of its answer.
    """

    order: ClassVar = 3
    type: ClassVar = "conflict_gap"
    schema: ClassVar = {
        "properties": {"expected": {"description": _EXPECTED, **only("should_abstain", *FIELDS, key_points=TEXTS)}}
    }
    digest_name: ClassVar = "Gap"
    parts: ClassVar = (*WEIGHTS, *QUOTE_PARTS)
    key_parts: ClassVar = frozenset(WEIGHTS)
    passing: ClassVar = 0.7
    open_part: ClassVar = "correct_abstention"
    may_abstain: ClassVar = True

    about: About
    should_abstain: bool
    quotes: tuple[str, ...]
    check: str
    penalty: str
    conflicting: tuple[Evidence, ...]
    evidence: tuple[Evidence, ...]
    expected: Mapping[str, Any] = field(default_factory=dict)
    rules: FactRules = field(default_factory=FactRules)

    @classmethod
    def parse(cls, fields: Fields, about: About) -> Self:
        scoring, expected = fields.get("scoring", {}), fields.get("expected", {})
        quotes = tuple(quotes_of(fields).values()) if fields.get("required_quote") else ()
        evidence = Evidence.list_of(fields.get("required_evidence", ()))
        return cls(
            about,
            should_abstain=_should_abstain(fields) is not False,
            quotes=quotes,
            check=str(scoring.get("hallucination_check", "")),
            penalty=_level(fields.get("hallucination_penalty", scoring.get("hallucination_penalty", "high"))),
            conflicting=Evidence.list_of(fields.get("conflicting_evidence", ())),
            evidence=evidence,
            expected={name: expected[name] for name in FIELDS if expected.get(name) is not None},
            rules=FactRules.of(fields, (*quotes, *(item.must_include for item in evidence))),
        )

    @classmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        quote_part = next((part for part in QUOTE_PARTS if part in parts), None)
        if quote_part is not None:
            return {**WEIGHTS, quote_part: QUOTE_WEIGHT}
        total = sum(WEIGHTS.values())
        return {part: weight / total for part, weight in WEIGHTS.items()}

    @classmethod
    def faults(cls, fields: Fields) -> Iterator[Fault]:
        """Yield a missing quotation, and `should_abstain` that is missing or given with two values."""
        scoring, should = fields.get("scoring", {}), _should_abstain(fields)
        if scoring.get("quote_required") and "required_quote" not in fields:
            yield Fault("/scoring/quote_required", Message("formats.quotation_without_quote"))
        if fields.get("additional_quotes") and "required_quote" not in fields:
            yield Fault("/additional_quotes", Message("formats.alternatives_without_quote"))
        if should is None:
            yield Fault("", Message("formats.field_missing", key="should_abstain"))
        elif fields.get("expected", {}).get("should_abstain", should) != should:
            yield Fault("/expected/should_abstain", Message("formats.contradicts_should_abstain"))
        elif scoring.get("abstention_required", should) != should:
            yield Fault("/scoring/abstention_required", Message("formats.contradicts_should_abstain"))

    @classmethod
    def warnings(cls, fields: Fields) -> Iterator[Fault]:
        """Yield a control with neither expected fields nor a quotation."""
        is_judged = "required_quote" in fields or any(name in fields.get("expected", {}) for name in FIELDS)
        if _should_abstain(fields) is False and not is_judged:
            pointer = "/should_abstain" if "should_abstain" in fields else "/expected/should_abstain"
            yield Fault(pointer, Message("legal.control_accepts_anything"))

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of the score, with those about quotations that this question asks for."""
        asked = zip(QUOTE_PARTS, (self.quotes, self.conflicting), strict=True)
        return (*WEIGHTS, *(part for part, items in asked if items))

    @property
    def required_texts(self) -> tuple[str, ...]:
        return (*(item.must_include for item in (*self.evidence, *self.conflicting)), *self.quotes)

    @property
    def passages(self) -> tuple[str, ...]:
        if self.should_abstain:
            return ()
        return tuple(item.must_include for item in critical(self.evidence)) or self.quotes[:1]

    @property
    def hallucination_level(self) -> str:
        return self.penalty

    def judge(self, case: "Case") -> Draft:
        """Judge whether the answer abstains as it should, invents nothing, and quotes what is required."""
        fact = case.judge_fact(self.expected, self.rules) if self.expected and not self.should_abstain else None
        if case.is_silent and not (fact and fact.correct and case.has_typed(self.expected)):
            return Draft.zero(self, Message("legal.nothing_said"))
        if case.is_dump:
            draft = Draft.zero(self, Message("legal.copy_of_document"))
            draft.abstained = False
            return draft
        return self._judge_text(case, fact)

    def _judge_text(self, case: "Case", fact: "FactVerdict | None") -> Draft:
        abstention = case.own_stance()
        quoted = next(filter(case.quotes, self.quotes), "")
        invented = case.invented(self.check)
        answered, why = self._answered(case, abstention, fact, quoted)
        says = abstention.abstains or bool(quoted) or bool(fact and fact.correct) or case.has_content()
        undecided = fact.undecided if fact is not None and not quoted else None
        # who does not abstain where he must has supplied what is not there
        supplies = self.should_abstain and not answered
        unfounded = Message("legal.does_not_abstain") if supplies and not invented else None
        draft = Draft(
            {"correct_abstention": float(answered), "no_hallucination": float(says and not (invented or supplies))},
            {"correct_abstention": why, "no_hallucination": unfounded or _invented_reason(case, invented, says=says)},
            uncertain=abstention.why if abstention.uncertain else undecided,
            invented=tuple(invented),
            abstained=abstention.abstains,
        )
        if self.quotes:
            # citations alone are no answer
            given = quoted or (next(filter(case.cites_quote, self.quotes), "") if says else "")
            draft.parts["quote_included"], draft.why["quote_included"] = float(bool(given)), self._quote_reason(given)
        if self.conflicting:
            draft.parts["conflict_surfaced"], draft.why["conflict_surfaced"] = self._conflict_reported(case)
        draft.score = weighted_sum(self.weights(draft.parts), draft.parts)
        return draft

    def _answered(
        self, case: "Case", abstention: "Stance", fact: "FactVerdict | None", quoted: str
    ) -> tuple[bool, Localized]:
        """Return whether the answer abstains as it should, or answers a control with the fact or the quotation."""
        if abstention.kind == "mixed":
            return False, abstention.why
        if self.should_abstain or abstention.abstains:
            return abstention.abstains is self.should_abstain, abstention.why
        if fact is not None and (fact.correct or not quoted):
            return fact.correct, fact.why
        if word := case.own_doubt():
            return False, Message("legal.disclaims_itself", word=word)
        if self.quotes:
            return bool(quoted), self._quote_reason(quoted)
        says = case.has_content()
        return says, abstention.why if says else Message("legal.says_nothing_of_document")

    def _quote_reason(self, quoted: str) -> Message:
        if quoted:
            return Message("legal.quotes", quote=quoted)
        return Message("legal.does_not_quote", quote=self.quotes[0])

    def _conflict_reported(self, case: "Case") -> tuple[float, Message]:
        if not case.reports_conflict():
            return 0.0, Message("legal.disagreement_not_said")
        missing = next((item for item in self.conflicting if not case.gives(item)), None)
        if missing is not None:
            return 0.0, Message("legal.side_not_given", words=missing.must_include, page=missing.page)
        return 1.0, Message("legal.disagreement_said")

    def verdict_fields(self, verdict: LegalVerdict) -> dict[str, Any]:
        return {"should_abstain": self.should_abstain, "abstained": verdict.abstained}

    def expected_output(self) -> dict[str, Any]:
        answer = {} if self.should_abstain else {"answer": dict(self.expected)}
        passages = listed((*self.evidence, *self.conflicting))
        return {**answer, "abstain": self.should_abstain, "quotes": list(self.quotes), "evidence": passages}

    def gold_record(self, document: "Document") -> dict[str, Any]:
        typed = {} if self.should_abstain else self.expected
        return {**typed, "answer": self._gold_answer(document), "citations": listed(self.conflicting)}

    def _gold_answer(self, document: "Document") -> str:
        """Return a refusal or nothing, then the quotations, in the words of the document."""
        texts = _GOLD_TEXTS["en" if self.about.question.isascii() else "zh"]
        sides = [item.must_include for item in self.conflicting]
        quoted = "".join(texts["quote"].format(quote) for quote in dict.fromkeys([*self.quotes[:1], *sides]))
        if self.should_abstain:
            return (texts["conflict"] if sides else texts["absent"]) + quoted
        return quoted or ("" if self.expected else self._line_with_evidence(document))

    def _line_with_evidence(self, document: "Document") -> str:
        from steelyard.legal.evidence.quotes import contains_quote

        lines = (line for page in document.pages for line in page.text.split("\n"))
        held = (line for line in lines if any(contains_quote(line, item.must_include) for item in self.evidence))
        return next(held, "")


def _should_abstain(fields: Fields) -> bool | None:
    """Return whether a refusal is right, as a question file says; None where it does not."""
    value: bool | None = fields.get("should_abstain", fields.get("expected", {}).get("should_abstain"))
    return value


def _level(penalty: str | float) -> str:
    """Return the level of a penalty that a question file gives as a name or as a number."""
    if isinstance(penalty, str):
        return penalty if penalty in PENALTIES else "high"
    return "high" if penalty >= 0.75 else "medium" if penalty >= 0.4 else "low"


def _invented_reason(case: "Case", invented: "Collection[Invented]", *, says: bool) -> Message:
    if invented:
        items = [Message("legal.invented_item", text=value.text, kind=invented_kind(value.kind)) for value in invented]
        return Message("legal.invented", items=Joined("legal.items", items))
    if says and case.source.document.is_missing:
        return Message("legal.inventions_unchecked")
    return Message("legal.nothing_invented") if says else Message("legal.says_nothing_of_document")
