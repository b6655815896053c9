"""`key_points`: a question that is answered in free words, of which keyed points are counted."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, prod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from steelyard.i18n import Joined, Localized, Message
from steelyard.legal.model import About, Draft, Evidence, Fault, Fields, Question, listed, only
from steelyard.legal.thresholds import SILENT_LENGTH, SILENT_WORDS
from steelyard.text.normalisation import has_han, normalise

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.points import PointVerdict
    from steelyard.legal.score import Case

LENGTH_FACTOR: Final = 2.0
"""How many times as long as the reference an answer may be that loses nothing."""
_POINTS: Final = {"type": "number", "exclusiveMinimum": 0}
_TEXT: Final = {"$ref": "#/$defs/text"}
_ALIAS: Final = {
    "type": ["string", "object"],
    "pattern": "\\S",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": _TEXT, "points": {**_POINTS, "description": "what this form earns; default: the point's"}},
}
_POINT: Final = {
    "type": "object",
    "required": ["text", "points"],
    "additionalProperties": False,
    "properties": {
        "text": {**_TEXT, "description": "what is asked for, in the words that an answer must have"},
        "points": _POINTS,
        "aliases": {"type": "array", "items": _ALIAS, "description": "other forms that are accepted"},
        "forbidden": {"$ref": "#/$defs/texts", "description": "forms that void the point"},
        "conclusion": {"type": "boolean", "description": "true: if it is wrong, the whole answer scores 0"},
    },
}


@dataclass(frozen=True, slots=True)
class Form:
    """Words that give a point, and what they earn."""

    text: str
    points: float


@dataclass(frozen=True, slots=True)
class Point:
    """A keyed point: its forms, the first of which is its text, and the forms that void it."""

    points: float
    forms: tuple[Form, ...]
    forbidden: tuple[str, ...] = ()
    is_conclusion: bool = False

    @property
    def text(self) -> str:
        return self.forms[0].text

    def as_dict(self) -> dict[str, Any]:
        """Return the point as results files and reports show it."""
        rest = {"aliases": [form.text for form in self.forms[1:]], "forbidden": list(self.forbidden)}
        found = {"text": self.text, "points": self.points, "conclusion": self.is_conclusion, **rest}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the point that the fields of a question file describe."""
        points = float(fields["points"])
        given = (alias if isinstance(alias, Mapping) else {"text": alias} for alias in fields.get("aliases", ()))
        aliases = (Form(alias["text"], float(alias.get("points", points))) for alias in given)
        is_conclusion = bool(fields.get("conclusion", False))
        return cls(points, (Form(fields["text"], points), *aliases), tuple(fields.get("forbidden", ())), is_conclusion)


@dataclass(frozen=True, slots=True)
class KeyPointsQuestion(Question):
    """A question whose answer is marked by keyed points, as examiners do it.

    `full` are the points of a full answer. `longest` is the length from which on an answer loses: the reference answer
    times the length factor, in compared characters; 0 without a reference.
    """

    order: ClassVar = 4
    type: ClassVar = "key_points"
    schema: ClassVar = {
        "required": ["points"],
        "properties": {
            "points": {"type": "array", "minItems": 1, "items": _POINT},
            "reference_answer": {**_TEXT, "description": "a full answer; a much longer one is reduced"},
            "expected": only(),
        },
    }
    parts: ClassVar = ("points_reached", "conclusion_right", "length_factor")
    key_parts: ClassVar = frozenset(("points_reached",))
    passing: ClassVar = 0.6
    open_part: ClassVar = "points_reached"

    about: About
    points: tuple[Point, ...]
    full: float
    reference: str
    longest: float
    evidence: tuple[Evidence, ...]

    @classmethod
    def parse(cls, fields: Fields, about: About) -> Self:
        scoring, reference = fields.get("scoring", {}), str(fields.get("reference_answer", ""))
        points = tuple(map(Point.of, fields.get("points", ())))
        return cls(
            about,
            points,
            full=float(scoring.get("full_points", fsum(point.points for point in points))),
            reference=reference,
            longest=float(scoring.get("length_factor", LENGTH_FACTOR)) * _length(reference),
            evidence=Evidence.list_of(fields.get("required_evidence", ())),
        )

    @classmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        return {"points_reached": 1.0}

    @classmethod
    def counted(cls, parts: Mapping[str, float], score: float, reached: Mapping[str, bool]) -> Mapping[str, float]:
        """Return the share of the points after both factors: a wrong conclusion leaves none of it."""
        return {"points_reached": prod(parts.get(part, 1.0) for part in cls.parts)}

    @classmethod
    def faults(cls, fields: Fields) -> Iterator[Fault]:
        """Yield a second conclusion, and more points for a full answer than there are."""
        conclusions = [n for n, point in enumerate(fields["points"]) if point.get("conclusion")]
        yield from (Fault(f"/points/{n}/conclusion", Message("formats.second_conclusion")) for n in conclusions[1:])
        total, full = fsum(point["points"] for point in fields["points"]), fields.get("scoring", {}).get("full_points")
        if full is not None and full > total:
            yield Fault("/scoring/full_points", Message("formats.more_than_all_points", total=f"{total:g}"))

    @classmethod
    def warnings(cls, fields: Fields) -> Iterator[Fault]:
        """Yield forms that are given twice, that are also forbidden, or that the question or no reference gives."""
        from steelyard.legal.points import form_key, judge_points

        points = [Point.of(point) for point in fields["points"]]
        keys = Counter(key for point in points for key in {form_key(form.text) for form in point.forms})
        for n, point in enumerate(points):
            own = {form_key(words) for words in point.forbidden}
            for form in point.forms:
                if form_key(form.text) in own:
                    yield Fault(f"/points/{n}", Message("legal.form_forbidden", words=form.text))
                elif keys[form_key(form.text)] > 1:
                    yield Fault(f"/points/{n}", Message("legal.form_twice", words=form.text))
        for n, verdict in enumerate(judge_points(points, normalise(fields["question"]))):
            if verdict.earned:
                yield Fault(f"/points/{n}", Message("legal.question_says_already"))
        if reference := fields.get("reference_answer"):
            for n, verdict in enumerate(judge_points(points, normalise(reference), fields["question"])):
                if verdict.earned < verdict.point.points:
                    yield Fault(f"/points/{n}", Message("legal.point_not_in_reference", words=verdict.point.text))

    @property
    def part_names(self) -> tuple[str, ...]:
        has_conclusion = any(point.is_conclusion for point in self.points)
        optional = {"conclusion_right": has_conclusion, "length_factor": self.longest > 0}
        return tuple(part for part in self.parts if optional.get(part, True))

    @property
    def required_texts(self) -> tuple[str, ...]:
        return (*(item.must_include for item in self.evidence), self.reference)

    @property
    def key_text(self) -> str:
        forms = (form.text for point in self.points for form in point.forms)
        return "\n".join((self.reference, *forms))

    def judge(self, case: "Case") -> Draft:
        """Judge which points the answer gives; a copy of the document gives none, nor does a refusal."""
        if case.is_silent or case.is_dump:
            return Draft.zero(self, Message("legal.nothing_said" if case.is_silent else "legal.copy_of_document"))
        found = case.judge_points(self.points)
        is_open, stance = any(verdict.earned for verdict in found), case.stance()
        if word := case.retraction():
            return self._nothing(Message("legal.disclaims_itself", word=word), is_open=is_open)
        if stance.abstains and not self._concludes(found):
            return self._nothing(stance.why, is_open=is_open)
        return self._draft(found, case.text)

    def _concludes(self, found: "Sequence[PointVerdict]") -> bool:
        """Return whether an answer with a refusal answers: it gives the conclusion or, if there is none, half of it."""
        conclusions = [verdict for verdict in found if verdict.point.is_conclusion]
        if conclusions:
            return bool(conclusions[0].earned)
        return fsum(verdict.earned for verdict in found) >= self.full / 2

    def _nothing(self, why: Localized, *, is_open: bool) -> Draft:
        """Return the draft for a refusal or a retraction: no points, and no conclusion that could be wrong.

        It is uncertain if the answer gives points all the same.
        """
        parts = {part: float(part == "conclusion_right") for part in self.part_names}
        return Draft(parts, {"points_reached": why}, uncertain=why if is_open else None)

    def _draft(self, found: "Sequence[PointVerdict]", text: str) -> Draft:
        length = _length(text)
        earned = fsum(verdict.earned for verdict in found)
        wrong = [verdict for verdict in found if verdict.is_wrong_conclusion]
        parts = {
            "points_reached": min(1.0, earned / self.full),
            "conclusion_right": float(not wrong),
            "length_factor": min(1.0, self.longest / length) if length else 1.0,
        }
        counts = Message("legal.points_of", earned=f"{earned:g}", full=f"{self.full:g}")
        why = {
            "points_reached": Joined("core.clauses", [counts, *(verdict.why for verdict in found)]),
            "conclusion_right": _on_conclusion(found),
            "length_factor": Message("legal.length_of", length=length, longest=f"{self.longest:g}"),
        }
        parts = {part: parts[part] for part in self.part_names}
        unsure = next((verdict.why for verdict in found if verdict.is_uncertain), None)
        if unsure is None and _may_paraphrase(text, found):
            unsure = Message("legal.points_in_other_words")
        score = self.counted(parts, 0.0, {})["points_reached"]
        return Draft(parts, {part: why[part] for part in parts}, score, uncertain=unsure)

    def expected_output(self) -> dict[str, Any]:
        return {
            "points": [point.as_dict() for point in self.points],
            "reference": self.reference,
            "evidence": listed(self.evidence),
        }

    def gold_record(self, document: "Document") -> dict[str, Any]:
        stop = ". " if self.about.question.isascii() else "。"
        return {"answer": self.reference or stop.join(point.text for point in self.points)}


def _on_conclusion(found: "Sequence[PointVerdict]") -> Message:
    """Return the reason of `conclusion_right`: a conclusion that is not found is neither right nor wrong."""
    concluded = [verdict for verdict in found if verdict.point.is_conclusion]
    if wrong := [verdict.why for verdict in concluded if verdict.is_wrong_conclusion]:
        return wrong[0]
    is_found = any(verdict.earned for verdict in concluded)
    return Message("legal.conclusion_not_wrong" if is_found else "legal.conclusion_not_found")


def _may_paraphrase(text: str, found: "Sequence[PointVerdict]") -> bool:
    """Return whether no point is found in an answer that is long enough to give some in words of its own."""
    is_long = _length(text) > SILENT_LENGTH if has_han(text) else len(text.split()) > SILENT_WORDS
    return is_long and all(verdict.outcome == "missed" for verdict in found)


def _length(text: str) -> int:
    """Return the number of characters that are compared."""
    from steelyard.legal.evidence.quotes import quote_key

    return len(quote_key(text))
