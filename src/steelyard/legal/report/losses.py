"""Where a legal result lost its points, stage by stage, from its items."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from steelyard.i18n import Joined, Message, from_json
from steelyard.legal.evidence.citations import AT_PASSAGE, shortened
from steelyard.legal.evidence.quotes import quote_key, quote_pieces
from steelyard.legal.model import FIELDS, METRIC
from steelyard.legal.question_types import counted_parts
from steelyard.legal.report.results import output_of, parts_of_items
from steelyard.legal.stance import detect_abstention
from steelyard.table import Table

FAILED: Final = "stages.failed"
NOT_RETRIEVED: Final = "stages.not_retrieved"
NOT_CITED: Final = "stages.not_cited"
WRONG_PLACE: Final = "stages.wrong_place"
WRONG_VALUE: Final = "stages.wrong_value"
POINTS_MISSED: Final = "stages.points_missed"
WRONG_CONCLUSION: Final = "stages.wrong_conclusion"
TOO_LONG: Final = "stages.too_long"
REFUSED: Final = "stages.refused"
NOT_REFUSED: Final = "stages.not_refused"
INVENTED: Final = "stages.invented"
UNEXPLAINED: Final = "stages.unexplained"
STAGES: Final = (
    *(FAILED, NOT_RETRIEVED, NOT_CITED, WRONG_PLACE, WRONG_VALUE, POINTS_MISSED, WRONG_CONCLUSION, TOO_LONG),
    *(REFUSED, NOT_REFUSED, INVENTED, UNEXPLAINED),
)
"""The stages in the order of a pipeline, as the codes of their names."""
ALL_POINTS: Final = "stages.all_points"
EARNED: Final = "stages.earned"

_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Loss:
    """The points that were lost at a stage, and the number of items that lost points there."""

    stage: str
    points: float
    items: int


def losses(table: Table) -> list[Loss]:
    """Return the stages at which a legal result lost points, in order; with the points earned they add up to its items.

    The points that a part of a score lacks are lost at one stage, which the method of `JudgedItem` with the name of
    the part finds. A passage is not retrieved if no text that the system shows has its words, not cited if only texts
    that it does not cite have them, and in the wrong place if it is cited with another page or speaker, too long, or
    with other words than the document.

    If the system failed on an item, its point is lost there. If no item of a result has contexts, nothing counts as
    not retrieved: what is not cited may have been retrieved. A loss that the parts do not account for, as in a file
    without parts, is unexplained. Items without a score lose nothing.
    """
    if table.kind != METRIC:
        return []
    items, lost = judged_items(table), np.nan_to_num(1.0 - table.column(METRIC))
    at: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for row in np.flatnonzero(lost > 0).tolist():
        points = float(lost[row])
        for stage, share in ({FAILED: points} if row in table.failures else items[row].losses(points)).items():
            at[stage].append(share)
    return [Loss(stage, math.fsum(points), len(points)) for stage, points in at.items() if points]


def judged_items(table: Table) -> "list[JudgedItem]":
    """Return the items of a legal result."""
    outputs, parts = [output_of(table, row) for row in range(len(table))], parts_of_items(table)
    has_contexts = any(_passages(output)["contexts"] for output in outputs)
    scores = table.column(METRIC).tolist()
    return [JudgedItem(*each, has_contexts) for each in zip(outputs, parts, scores, strict=True)]


def _passages(output: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the texts that a system showed, by field."""
    found = {}
    for name in ("citations", "evidence", "contexts"):
        texts = [item.get("text") if isinstance(item, Mapping) else item for item in output.get(name) or ()]
        found[name] = [text for text in texts if isinstance(text, str)]
    return found


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One item with its verdict; `has_contexts` if the system returns the texts that it retrieves."""

    output: Mapping[str, Any]
    parts: Mapping[str, float]
    score: float
    has_contexts: bool

    @property
    def counted(self) -> dict[str, tuple[float, float]]:
        """The parts that count in the score, each with its weight and the value that counts."""
        return counted_parts(self.parts, self.score, self.verdict.get("reached") or {})

    def losses(self, lost: float) -> dict[str, float]:
        """Return the points lost at each stage, which add up to `lost`: of each part its weight times what it lacks."""
        by_stage: dict[str, float] = {}
        for part, (weight, value) in self.counted.items():
            if (points := weight * (1 - value)) > 0:
                stage: str = getattr(self, part)()
                by_stage[stage] = by_stage.get(stage, 0.0) + points
        return by_stage if abs(math.fsum(by_stage.values()) - lost) <= _TOLERANCE else {UNEXPLAINED: lost}

    def exact_match(self) -> str:
        """Return the stage at which a value is missing or wrong."""
        if not all(self._is_retrieved(words) for words in self.evidence):
            return NOT_RETRIEVED
        return REFUSED if self.refuses() else WRONG_VALUE

    def points_reached(self) -> str:
        """Return the stage at which most of the points were lost: by a wrong conclusion, by length, or not reached."""
        reached = self.parts["points_reached"]
        if not reached and self.refuses():
            return REFUSED
        if self.concludes_wrongly:
            return WRONG_CONCLUSION
        return TOO_LONG if reached > self.parts.get("length_factor", 1.0) else POINTS_MISSED

    def correct_abstention(self) -> str:
        """Return the stage of an answer in place of a refusal, or of a refusal in place of an answer."""
        return NOT_REFUSED if self.verdict.get("should_abstain") else self.exact_match()

    def no_hallucination(self) -> str:
        """Return the stage at which something was invented, or there is no answer."""
        return INVENTED if self.verdict.get("invented") else self.correct_abstention()

    def quote_included(self) -> str:
        """Return the stage at which none of the accepted quotations is in the answer or in a citation."""
        quotes = self.expected.get("quotes", ())
        return self._earliest([quote for quote in quotes if self._is_retrieved(quote)] or quotes, self._stated)

    def citation_correctness(self) -> str:
        """Return the stage at which passages that support a fact are not cited as required."""
        return self._earliest(self._missed("citation_correctness"), self._judged)

    def recall(self) -> str:
        """Return the stage at which requested passages are not given as required."""
        return self._earliest(self._missed("recall"), self._judged)

    def precision(self) -> str:
        """Return the stage at which other passages than the requested ones were given, or none at all."""
        return WRONG_PLACE if self._judged else self.recall()

    citation_provided = precision

    def conflict_surfaced(self) -> str:
        """Return the stage at which a conflict is not stated, or one of its sides is not retrieved."""
        stage = self._earliest(self.evidence, self._stated)
        return NOT_REFUSED if stage == WRONG_PLACE else stage

    def refuses(self) -> bool:
        """Return whether the answer refuses, or there is neither an answer nor a typed field."""
        if self.answer.strip():
            return detect_abstention(self.answer, question=str(self.output.get("question", ""))).abstains
        return all(self.output.get(field) is None for field in FIELDS)

    def _earliest(self, passages: Sequence[str], cited: Sequence[str]) -> str:
        """Return the first stage at which any of these passages was lost; if all are cited, not as required."""
        if not all(self._is_retrieved(words) for words in passages):
            return NOT_RETRIEVED
        return WRONG_PLACE if passages and all(is_in(words, cited) for words in passages) else NOT_CITED

    def _missed(self, part: str) -> list[str]:
        """Return the required passages that the reason of a part names as missing; all if it names none."""
        reason = from_json(self.reasons.get(part))
        items = reason.items if isinstance(reason, Joined) else ()
        at = [item.args for item in items if isinstance(item, Message) and item.code == AT_PASSAGE]
        named = {(args["page"], args["words"]) for args in at}
        passages = self.expected.get("evidence", ())
        missed = [each["text"] for each in passages if (each["page"], shortened(each["text"])) in named]
        return missed or self.evidence

    def _is_retrieved(self, words: str) -> bool:
        return not self.has_contexts or is_in(words, (self.answer, *self.shown))

    @property
    def _judged(self) -> list[str]:
        """The texts that were judged as citations."""
        shown = _passages(self.output)
        return [*shown["citations"], *shown["evidence"]]

    @property
    def concludes_wrongly(self) -> bool:
        """Whether a wrong conclusion is stated; a refusal, whose parts are all 0, has no reason for it."""
        has_reason = not self.reasons or "conclusion_right" in self.reasons
        return self.parts.get("conclusion_right") == 0 and has_reason

    @property
    def reasons(self) -> Mapping[str, Any]:
        """The reasons of the parts, as the results file has them."""
        return (self.verdict.get("messages") or {}).get("reasons") or {}

    @property
    def _stated(self) -> list[str]:
        return [self.answer, *self._judged]

    @property
    def verdict(self) -> Mapping[str, Any]:
        """The verdict, as the results file has it."""
        return self.output.get("verdict") or {}

    @property
    def expected(self) -> Mapping[str, Any]:
        """What a right answer has."""
        return self.verdict.get("expected") or {}

    @property
    def evidence(self) -> list[str]:
        """The words of the required passages."""
        return [passage["text"] for passage in self.expected.get("evidence", ())]

    @property
    def shown(self) -> list[str]:
        """The texts that the system shows: citations, evidence, contexts."""
        return [text for texts in _passages(self.output).values() for text in texts]

    @property
    def answer(self) -> str:
        """The answer; "" if there is none."""
        answer = self.output.get("answer")
        return answer if isinstance(answer, str) else ""


def is_in(words: str, texts: Sequence[str]) -> bool:
    """Return whether one of the texts has all pieces of the words."""
    pieces = quote_pieces(words)
    return any(all(piece in quote_key(text) for piece in pieces) for text in texts)
