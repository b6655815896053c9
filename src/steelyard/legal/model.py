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
    *("amount_total", "amount_breakdown", "date", "date_range", "count", "boolean_answer", "entity", "text_answer"),
)
"""The typed fields of an answer; each is defined in `question_types/common.json`."""
SNIPPET: Final = 300
LATIN_SNIPPET: Final = 900
_FLAGS: Final = ("numeric_exact", "date_exact", "approx_policy", "partial_credit")


def only(*fields: str, **schemas: Fields) -> Fields:
    """The schema of an object that has no other fields than these: given here, or defined in the common schema."""
    defined = {name: {"$ref": f"#/$defs/{name}"} for name in fields}
    return {"additionalProperties": False, "properties": {**schemas, **defined}}


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
        flags = {name: scoring[name] for name in _FLAGS if name in scoring}
        return cls(**flags, aliases=tuple(map(str, aliases)), source="\n".join(sources))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that must be cited: its page, words that it includes, and the speaker."""

    page: int
    must_include: str
    section: str | None = None
    speaker: str | None = None
    is_critical: bool = False

    @classmethod
    def list_of(cls, items: Sequence[Fields]) -> tuple[Self, ...]:
        """The passages that a question file lists."""
        known = ({name: item[name] for name in cls.__slots__ if name in item} for item in items)
        return tuple(cls(**{**fields, "must_include": normalise(fields["must_include"])}) for fields in known)


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

    The class attributes describe the type. `type` is its name in question files, and `schema` what the JSON schema says
    of its fields beyond those of every question. `digest_name` stands for the class in the digest of a benchmark, which
    results files hold. `parts` are the parts of its score, in the order of reports; an item whose parts include all
    `key_parts` is of this type. `citation_budget` is the least number of citations that are read, and the number for
    each required passage. `citation_fields` are the fields of a record with passages, the preferred one first.
    `open_part` is the part that is open where the verdict is uncertain. `may_abstain` says whether a refusal can be the
    right answer.
    """

    __slots__ = ()

    type: ClassVar[str]
    digest_name: ClassVar[str]
    schema: ClassVar[Fields]
    parts: ClassVar[tuple[str, ...]]
    key_parts: ClassVar[frozenset[str]]
    passing: ClassVar[float] = 1.0
    citation_budget: ClassVar[tuple[int, int]] = (5, 2)
    citation_fields: ClassVar[tuple[str, str]] = ("citations", "evidence")
    open_part: ClassVar[str | None] = None
    may_abstain: ClassVar[bool] = False

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
        return self.parts

    @property
    def required_texts(self) -> tuple[str, ...]:
        """The words that an answer must give or cite."""
        return tuple(item.must_include for item in self.evidence)

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

    least, factor = kind.citation_budget
    required = len(fields.get("required_evidence", ())) + len(fields.get("conflicting_evidence", ()))
    weight = float(fields.get("scoring", {}).get("weight", 1.0))
    metadata = {key: str(fields.get("metadata", {}).get(key) or "") for key in ("difficulty", "category")}
    tags = {"type": kind.type, "document": document, **metadata, "weight": "" if weight == 1.0 else f"{weight:g}"}
    return About(
        id=str(fields["id"]),
        type=kind.type,
        question=fields["question"],
        document=document,
        where=where,
        weight=weight,
        passing=float(criteria.get("passing_threshold", kind.passing)),
        snippet=int(criteria.get("max_snippet_chars", LATIN_SNIPPET if fields["question"].isascii() else SNIPPET)),
        citations=int(criteria.get("max_citations", max(least, factor * required))),
        longest=min(int(criteria.get("max_answer_chars", LONGEST_ANSWER)), LONGEST_ANSWER),
        tags={name: value for name, value in tags.items() if value},
    )


def listed(items: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Required passages as results files and reports show them, and as citations of a correct answer."""
    return [{"page": item.page, "text": item.must_include, "speaker": item.speaker} for item in items]


def quotes_of(fields: Fields) -> dict[str, str]:
    """The quotations that a question accepts, by their pointers."""
    first = {"/required_quote": fields["required_quote"]} if "required_quote" in fields else {}
    return first | {f"/additional_quotes/{n}": quote for n, quote in enumerate(fields.get("additional_quotes", ()))}


def places_of(fields: Fields) -> dict[str, Fields]:
    """The passages and locations that a question names, each with its page, by their pointers."""
    lists = ("required_evidence", "conflicting_evidence", "additional_evidence")
    first = {"/evidence_location": fields["evidence_location"]} if "evidence_location" in fields else {}
    return first | {f"/{name}/{n}": place for name in lists for n, place in enumerate(fields.get(name, ()))}
