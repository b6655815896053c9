"""Questions of the benchmark: what all types of questions have in common.

The modules of `legal.question_types` define the types. This module and those import no judge, so that results files
can be checked and reported without loading the judges.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from steelyard.errors import Problem
from steelyard.i18n import Message
from steelyard.io.located import SourceMap
from steelyard.text.normalisation import normalise

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.cases import Case
    from steelyard.legal.verdicts import Draft, LegalVerdict

Fields = Mapping[str, Any]

FIELDS: Final = (
    "amount_total",
    "amount_breakdown",
    "date",
    "date_range",
    "count",
    "boolean_answer",
    "entity",
    "text_answer",
)
"""The typed fields of an answer."""
SNIPPET: Final = 300
LATIN_SNIPPET: Final = 900


class Fault(NamedTuple):
    """A bad value in a question file: the JSON pointer to it, and what is wrong."""

    pointer: str
    message: Message

    def below(self, pointer: str) -> "Fault":
        """The same fault, with the pointer of the enclosing value in front."""
        return Fault(pointer + self.pointer, self.message)

    def problem(self, source_map: SourceMap) -> Problem:
        """The fault with its location in the file."""
        named = Message("formats.field_fault", pointer=self.pointer, message=self.message)
        return Problem(source_map.location(self.pointer), named if self.pointer else self.message)


@dataclass(frozen=True, slots=True)
class FactRules:
    """How strictly facts are judged; `source` is the text of the required evidence."""

    numeric_exact: bool = True
    date_exact: bool = True
    approx_policy: str = "credit"
    partial_credit: bool = False
    aliases: tuple[str, ...] = ()
    source: str = ""

    @classmethod
    def of(cls, fields: Fields, sources: Iterable[str]) -> Self:
        """The rules that the fields of a question file set."""
        scoring = fields.get("scoring", {})
        aliases = [*fields.get("aliases", ()), *fields.get("entity_aliases", ()), *scoring.get("entity_aliases", ())]
        return cls(
            numeric_exact=bool(scoring.get("numeric_exact", True)),
            date_exact=bool(scoring.get("date_exact", True)),
            approx_policy=str(scoring.get("approx_policy", "credit")),
            partial_credit=bool(scoring.get("partial_credit", False)),
            aliases=tuple(map(str, aliases)),
            source="\n".join(sources),
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that must be cited: its page, words that it includes, and the speaker."""

    page: int
    must_include: str
    section: str | None = None
    speaker: str | None = None
    is_critical: bool = True

    @classmethod
    def list_of(cls, items: Sequence[Fields]) -> tuple[Self, ...]:
        """The passages that a question file lists."""

        return tuple(
            cls(
                item["page"],
                normalise(item["must_include"]),
                item.get("section"),
                item.get("speaker"),
                bool(item.get("is_critical", False)),
            )
            for item in items
        )


@dataclass(frozen=True, slots=True)
class About:
    """The fields that every question has.

    `snippet` is the maximum length of a cited passage, in characters that count; `citations` is the number of
    citations that are read; `longest` is the maximum length of an answer, in characters; a longer one is not read.
    """

    id: str
    type: str
    question: str
    document: str
    where: str
    weight: float
    passing: float
    snippet: int
    citations: int
    longest: int
    tags: Mapping[str, str]


class Question(ABC):
    """One question. Each type of question is a subclass, which is a frozen dataclass, in `legal.question_types`.

    The class attributes describe the type. `type` is its name in question files. `digest_name` stands for the class in
    the digest of a benchmark, which results files hold. `parts` are the parts of its score, in the order of reports,
    with their labels; an item whose parts include all `key_parts` is of this type. `citation_budget` is the least
    number of citations that are read, and the number for each required passage. `citation_fields` are the fields of a
    record with passages, the preferred one first. `open_part` is the part that is open where the verdict is uncertain.
    """

    __slots__ = ()

    type: ClassVar[str]
    digest_name: ClassVar[str]
    parts: ClassVar[Mapping[str, Message]]
    key_parts: ClassVar[frozenset[str]]
    passing: ClassVar[float] = 1.0
    citation_budget: ClassVar[tuple[int, int]] = (5, 2)
    citation_fields: ClassVar[tuple[str, str]] = ("citations", "evidence")
    open_part: ClassVar[str | None] = None

    about: About
    evidence: tuple[Evidence, ...]

    @classmethod
    @abstractmethod
    def parse(cls, fields: Fields, about: About) -> Self:
        """The question that the fields of a question file describe."""

    @classmethod
    @abstractmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        """The weight of each part in the score of an item that has these parts."""

    @classmethod
    def counted(cls, parts: Mapping[str, float], score: float, reached: Mapping[str, bool]) -> Mapping[str, float]:
        """The value with which each part counts in the score: by default its own value."""
        return parts

    @classmethod
    def faults(cls, fields: Fields) -> Iterator[Fault]:
        """Contradictions between fields of a question that the JSON schema cannot express."""
        return iter(())

    @classmethod
    def warnings(cls, fields: Fields) -> Iterator[Fault]:
        """What looks wrong with the fields of a question but does not prevent scoring."""
        return iter(())

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts that count in the score of this question."""
        return tuple(self.parts)

    @property
    def passages(self) -> tuple[Evidence, ...]:
        """All passages that an answer must give or cite."""
        return self.evidence

    @property
    def required_texts(self) -> tuple[str, ...]:
        """The words that an answer must give or cite."""
        return tuple(item.must_include for item in self.passages)

    @property
    def hallucination_level(self) -> str:
        """The level of the penalty for invented values (`formulas.PENALTIES`)."""
        return "low"

    @abstractmethod
    def judge(self, case: "Case") -> "Draft":
        """The parts and the score of an answer, with reasons."""

    @abstractmethod
    def expected_output(self) -> dict[str, Any]:
        """What a correct answer says, as results files and reports show it."""

    @abstractmethod
    def gold_record(self, document: "Document") -> dict[str, Any]:
        """The record of a correct answer, made from the key; it must score 1, or the benchmark is wrong."""

    def verdict_fields(self, verdict: "LegalVerdict") -> dict[str, Any]:
        """Fields that results files hold for this type only."""
        return {}


def about_of(kind: type[Question], fields: Fields, document: str, criteria: Fields, where: str) -> About:
    """The fields of a question file that every question has; `criteria` is its evaluation_criteria."""
    from steelyard.text.reading import LONGEST_ANSWER

    default = LATIN_SNIPPET if fields["question"].isascii() else SNIPPET
    weight = float(fields.get("scoring", {}).get("weight", 1.0))
    return About(
        id=str(fields["id"]),
        type=kind.type,
        question=fields["question"],
        document=document,
        where=where,
        weight=weight,
        passing=float(criteria.get("passing_threshold", kind.passing)),
        snippet=int(criteria.get("max_snippet_chars", default)),
        citations=int(criteria.get("max_citations", _budget(kind, fields))),
        longest=min(int(criteria.get("max_answer_chars", LONGEST_ANSWER)), LONGEST_ANSWER),
        tags=_tags(kind.type, document, fields.get("metadata", {}), weight),
    )


def _tags(name: str, document: str, metadata: Fields, weight: float) -> dict[str, str]:
    tags = {"type": name, **({"document": document} if document else {})}
    tags |= {key: str(metadata[key]) for key in ("difficulty", "category") if metadata.get(key)}
    return tags if weight == 1.0 else {**tags, "weight": f"{weight:g}"}


def _budget(kind: type[Question], fields: Fields) -> int:
    """How many citations are read: the more, the more are required."""
    least, factor = kind.citation_budget
    required = len(fields.get("required_evidence", ())) + len(fields.get("conflicting_evidence", ()))
    return max(least, factor * required)


def passages_json(items: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Required passages as results files and reports show them."""
    return [{"page": item.page, "text": item.must_include, "speaker": item.speaker} for item in items]


def gold_passages(items: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Required passages as citations of a correct answer."""
    return [{"page": item.page, "text": item.must_include} for item in items]
