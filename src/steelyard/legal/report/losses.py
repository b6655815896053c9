"""Where a legal result lost its points, stage by stage, from its items."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from steelyard.i18n import Joined, Message, from_json
from steelyard.legal.evidence.quotes import quote_key, quote_pieces
from steelyard.legal.refusals.abstention import detect_abstention
from steelyard.legal.report.results import METRIC
from steelyard.table import FloatArray, Table

FAILED: Final = "system failed"
NOT_RETRIEVED: Final = "not retrieved"
NOT_CITED: Final = "not cited"
WRONG_PLACE: Final = "wrong place"
WRONG_VALUE: Final = "wrong value"
REFUSED: Final = "refused wrongly"
NOT_REFUSED: Final = "should have refused"
INVENTED: Final = "invented"
UNEXPLAINED: Final = "unexplained"
ALL_POINTS: Final = "stages.all_points"
EARNED: Final = "stages.earned"
STAGES: Final = {
    FAILED: "stages.failed",
    NOT_RETRIEVED: "stages.not_retrieved",
    NOT_CITED: "stages.not_cited",
    WRONG_PLACE: "stages.wrong_place",
    WRONG_VALUE: "stages.wrong_value",
    REFUSED: "stages.refused",
    NOT_REFUSED: "stages.not_refused",
    INVENTED: "stages.invented",
    UNEXPLAINED: "stages.unexplained",
}
"""The stages in the order in which a system comes to them, with the codes of their names."""

_SLACK: Final = 1e-9

Claim = tuple[str, float]
"""A stage, and the points of one item that it takes."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The points that were lost at a stage, and the items that lost some there."""

    stage: str
    points: float
    items: int


def losses(table: Table) -> list[Loss]:
    """The stages at which a legal result lost points, in order; with the points earned they add up to its items.

    Each part of a score that is not full loses its weight in the formula (`legal.score`), to one stage:

    - `exact_match`: not retrieved, if a required passage is not; else refused wrongly, if the answer refuses or there
      is none; else wrong value;
    - `citation_correctness`, `recall`: the earliest stage of the passages that are missed: not retrieved (its words
      stand in nothing that the system shows), not cited (only in what it does not cite), wrong place (cited, but on
      another page, as said by another speaker, too long, or not in the document so);
    - `precision`, `citation_provided`: wrong place, if there are snippets, else as `recall`;
    - `correct_abstention`: should have refused; or, where there is an answer, as `exact_match`;
    - `no_hallucination`: invented; after an empty answer as `correct_abstention`;
    - `quote_included`, `conflict_surfaced`: not retrieved or not cited; should have refused, if the answer has both
      sides before it and does not say that they disagree.

    An item on which the system failed loses its point there. A result none of whose items shows a passage cannot be
    blamed for retrieval. A loss that the parts do not account for, say in a file without parts, is unexplained. An
    item that was not scored has no point to lose.
    """
    if table.kind != METRIC:
        return []
    shows = any(texts for output in table.outputs for texts in _passages(output or {}).values())
    claims = [claim for row in np.flatnonzero(_lost(table) > 0) for claim in _claims(table, int(row), shows=shows)]
    return [
        Loss(stage, math.fsum(points), len(points))
        for stage in STAGES
        if (points := [lost for name, lost in claims if name == stage])
    ]


def _lost(table: Table) -> FloatArray:
    return np.nan_to_num(1.0 - table.column(METRIC))


def _claims(table: Table, row: int, *, shows: bool) -> list[Claim]:
    """What each stage takes of an item, each once; together exactly what it lost."""
    lost = float(_lost(table)[row])
    if row in table.failures:
        return [(FAILED, lost)]
    output = (table.outputs[row] if table.outputs else None) or {}
    columns = table.parts(METRIC)
    parts = {name: float(column[row]) for name, column in columns.items() if not np.isnan(column[row])}
    case = _Case(output, parts, 1.0 - lost, shows)
    taken: dict[str, float] = {}
    for stage, points in case.claims():
        taken[stage] = taken.get(stage, 0.0) + points
    if abs(math.fsum(taken.values()) - lost) > _SLACK:
        return [(UNEXPLAINED, lost)]
    return list(taken.items())


def _passages(output: Mapping[str, Any]) -> dict[str, list[str]]:
    """The texts that a system showed, by field."""
    return {name: list(_texts(output.get(name) or ())) for name in ("citations", "evidence", "contexts")}


def _texts(items: Iterable[Any]) -> Iterator[str]:
    for item in items:
        text = item.get("text") if isinstance(item, Mapping) else item
        if isinstance(text, str):
            yield text


@dataclass(frozen=True, slots=True)
class _Case:
    """One item that lost something; `shows` says whether the system shows what it retrieves."""

    output: Mapping[str, Any]
    parts: Mapping[str, float]
    score: float
    shows: bool

    def claims(self) -> Iterator[Claim]:
        """Every part that is not full with its stage and the points that it lost."""
        for part, points in self._lost_parts():
            if points > 0:
                yield _STAGE_OF.get(part, _Case.unanswered)(self), points

    def _lost_parts(self) -> Iterator[Claim]:
        """The points that each part lost: its weight times what it lacks."""
        from steelyard.legal.question_types import type_of_parts

        kind = type_of_parts(self.parts)
        if kind is None:
            return
        counted = kind.counted(self.parts, self.score, self._verdict.get("reached") or {})
        for part, weight in kind.weights(self.parts).items():
            yield part, weight * (1 - counted[part])

    def unanswered(self) -> str:
        """The value is not there, or not right."""
        if not all(self._is_retrieved(words) for words in self._evidence):
            return NOT_RETRIEVED
        return REFUSED if self._refuses() else WRONG_VALUE

    def met_a_gap(self) -> str:
        """It was answered where it should have been refused, or the other way round."""
        return NOT_REFUSED if self._verdict.get("should_abstain") else self.unanswered()

    def invented(self) -> str:
        """Something was invented, or nothing said at all."""
        return INVENTED if self._verdict.get("invented") else self.met_a_gap()

    def unquoted(self) -> str:
        """None of the quotations that would do is in the answer."""
        quotes = self._expected.get("quotes", ())
        return self._earliest([quote for quote in quotes if self._is_retrieved(quote)] or quotes, cited=(self._answer,))

    def uncited(self) -> str:
        """Passages behind a fact are not cited as required."""
        return self._earliest(self._missed("citation_correctness"), cited=self._judged("citations", "evidence"))

    def unfound(self) -> str:
        """Passages that were asked for are not given as required."""
        return self._earliest(self._missed("recall"), cited=self._judged("evidence", "citations"))

    def astray(self) -> str:
        """Passages were given that are not asked for or do not stand there, or none at all."""
        return WRONG_PLACE if self._judged("evidence", "citations") else self.unfound()

    def not_surfaced(self) -> str:
        """Both sides lay before the system, and it did not say so; or one of them did not."""
        stage = self._earliest(self._evidence, cited=(self._answer, *self._judged("citations", "evidence")))
        return NOT_REFUSED if stage == WRONG_PLACE else stage

    def _refuses(self) -> bool:
        from steelyard.legal.model import FIELDS

        if self._answer.strip():
            return detect_abstention(self._answer, question=str(self.output.get("question", ""))).abstains
        return all(self.output.get(field) is None for field in FIELDS)

    def _earliest(self, wanted: Sequence[str], *, cited: Sequence[str]) -> str:
        """The first stage at which any of these words got lost; in what is cited they are, but not as required."""
        if not all(self._is_retrieved(words) for words in wanted):
            return NOT_RETRIEVED
        return WRONG_PLACE if wanted and all(_stands_in(words, cited) for words in wanted) else NOT_CITED

    def _missed(self, part: str) -> list[str]:
        """The required passages that the reason of a part names as missing; all, where it names none."""
        from steelyard.legal.evidence.citations import LONGEST_WORDS

        stored = (self._verdict.get("messages") or {}).get("reasons") or {}
        named = _named_passages(stored.get(part))
        passages = self._expected.get("evidence", ())
        missed = [each["text"] for each in passages if (each["page"], each["text"][:LONGEST_WORDS]) in named]
        return missed or self._evidence

    def _is_retrieved(self, words: str) -> bool:
        texts = [text for shown in _passages(self.output).values() for text in shown]
        return not self.shows or _stands_in(words, (self._answer, *texts))

    def _judged(self, first: str, second: str) -> list[str]:
        """What was judged: the citations or the evidence, whichever a question asks for first and has any."""
        shown = _passages(self.output)
        return shown[first] or shown[second]

    @property
    def _verdict(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.output.get("verdict") or {}
        return found

    @property
    def _expected(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._verdict.get("expected") or {}
        return found

    @property
    def _evidence(self) -> list[str]:
        return [each["text"] for each in self._expected.get("evidence", ())]

    @property
    def _answer(self) -> str:
        answer = self.output.get("answer")
        return answer if isinstance(answer, str) else ""


_STAGE_OF: Final[Mapping[str, Callable[[_Case], str]]] = {
    "exact_match": _Case.unanswered,
    "citation_correctness": _Case.uncited,
    "recall": _Case.unfound,
    "precision": _Case.astray,
    "citation_provided": _Case.astray,
    "correct_abstention": _Case.met_a_gap,
    "no_hallucination": _Case.invented,
    "quote_included": _Case.unquoted,
    "conflict_surfaced": _Case.not_surfaced,
}


def _named_passages(stored: Any) -> set[tuple[Any, Any]]:
    """The page and the first words of each passage that a stored reason names."""
    from steelyard.legal.evidence.citations import AT_PASSAGE

    reason = from_json(stored)
    items = reason.items if isinstance(reason, Joined) else ()
    passages = [item for item in items if isinstance(item, Message) and item.code == AT_PASSAGE]
    return {(item.args["page"], item.args["words"]) for item in passages}


def _stands_in(words: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts has all pieces of the words."""
    pieces = quote_pieces(words)
    return any(all(piece in quote_key(text) for piece in pieces) for text in texts)
