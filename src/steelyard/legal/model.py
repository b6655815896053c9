"""Questions and verdicts of the benchmark: what all types of questions have in common, and how a score is made up.

The modules of `legal.question_types` define the types. This module and those import no judge, so that results files
can be checked and reported without loading the judges.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from steelyard.errors import Problem
from steelyard.i18n import Joined, Language, Localized, Message, as_message, codes, translations
from steelyard.io.located import SourceMap
from steelyard.legal.question_types import part_labels
from steelyard.text.normalisation import normalise

if TYPE_CHECKING:
    from steelyard.documents.pages import Document
    from steelyard.legal.grounding.inventions import Invented
    from steelyard.legal.score import Case

METRIC: Final = "legal"
"""The kind of legal results, and the name of their metric."""
SLACK: Final = 1e-9
"""The tolerance with which a score equals the weighted sum of its parts."""
PENALTIES: Final = {"high": 0.4, "medium": 0.2, "low": 0.0}
"""What an invented value takes off the penalised score, by the level that the question names."""
COMMON_PARTS: Final = ("value_cited", "penalised_score", "passed", "uncertain")
"""Parts that items of every type can have and that do not count in the score."""


def weighted_sum(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """Return the sum of the values, each times its weight."""
    total = 0.0
    for part, weight in weights.items():
        total += weight * values[part]  # in a loop: `sum` rounds differently from Python 3.12 on
    return total


def penalised(score: float, penalty: float) -> float:
    """Return the score less the penalty for invented values, at least 0."""
    return max(0.0, score - penalty)


def labels(section: str) -> dict[str, Message]:
    """Return the labels of a section of the catalogue by their English text, which is the name in the program."""
    return {name: Message(code) for name, code in codes(section).items()}


FIELD_LABELS: Final = labels("parts")  # typed fields of an answer, and parts of a score
INVENTED: Final = labels("kinds")  # of values that may be invented
LOOSE: Final = labels("loose")  # why a value is not exact
UNITS: Final = labels("units")  # speakers and sections of a document
SENSES: Final = labels("senses")  # answers to a question of yes or no, in words and as a field


def named(names: Mapping[str, Message], key: object) -> Message | str:
    """Return the label of a key; the key itself if it has none."""
    return names.get(str(key), str(key))


def invented_kind(kind: str) -> Message | str:
    """Return the label of a kind of invented values; `forbidden phone` is one that the question forbids."""
    before, _, rest = kind.rpartition(" ")
    return (
        Message("legal.forbidden_kind", kind=named(INVENTED, rest)) if before == "forbidden" else named(INVENTED, kind)
    )


def invented_rows(values: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return each invented text once, with the label of its last kind in every language."""
    return [[text, *translations(as_message(invented_kind(kind)))] for text, kind in dict(values).items()]


def in_one_line(reasons: Iterable[tuple[str, Localized | str]], labels: Mapping[str, Message]) -> Joined:
    """Return reasons joined in one line, each after the label of its part or field."""
    labelled = (Message("core.labelled", label=named(labels, name), message=reason) for name, reason in reasons)
    return Joined("core.clauses", labelled)


Fields = Mapping[str, Any]

FIELDS: Final = (
    *("amount_total", "amount_breakdown", "date", "date_range", "count", "boolean_answer", "entity", "text_answer"),
)
"""The typed fields of an answer; each is defined in `question_types/common.json`."""
TEXTS: Final = {"$ref": "#/$defs/texts"}
SNIPPET: Final = 300
LATIN_SNIPPET: Final = 900
_FLAGS: Final = ("numeric_exact", "date_exact", "approx_policy", "partial_credit")


def only(*fields: str, **schemas: Fields) -> Fields:
    """Return the schema of an object with no other fields than these, given here or in the common schema."""
    defined = {name: {"$ref": f"#/$defs/{name}"} for name in fields}
    return {"additionalProperties": False, "properties": {**schemas, **defined}}


def typed_text(record: Mapping[str, Any]) -> str:
    """Return the texts and numbers in the typed fields of a record, as one text."""
    return "; ".join(typed_texts(record))


def typed_texts(record: Mapping[str, Any]) -> list[str]:
    """Return the texts and numbers in the typed fields of a record, each once."""
    return list(dict.fromkeys(_leaves([record.get(name) for name in FIELDS])))


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            yield from _leaves(list(value.values()))
        case list() | tuple():
            for each in value:
                yield from _leaves(each)
        case None | bool():
            pass
        case _:
            yield str(value)


class Fault(NamedTuple):
    """A bad value in a question file: the JSON pointer to it, and what is wrong."""

    pointer: str
    message: Message

    def below(self, pointer: str) -> "Fault":
        """Return the same fault, with the pointer of the enclosing value in front."""
        return Fault(pointer + self.pointer, self.message)

    def problem(self, source_map: SourceMap) -> Problem:
        """Return the fault with its location in the file."""
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
        """Return the rules that the fields of a question file set."""
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
        """Return the passages that a question file lists."""
        known = ({name: item[name] for name in cls.__slots__ if name in item} for item in items)
        return tuple(cls(**{**fields, "must_include": normalise(fields["must_include"])}) for fields in known)


def critical(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the passages that are critical; all are if none is marked."""
    return [item for item in evidence if item.is_critical] or list(evidence)


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

    The class attributes describe the type. `order` is its place in reports, `type` its name in question files, and
    `schema` what the JSON schema says of its fields beyond those of every question. `digest_name` stands for the
    class, if that had another name, in the digest that results files hold. `parts` are the parts of its score, in
    the order of reports; an item whose parts include all `key_parts` is of this type. `citation_budget` is the
    least number of citations that are read, and the number for each required passage. `citation_fields` are the
    fields of a record with passages, the preferred one first. `open_part` is the part that is open where the
    verdict is uncertain. `may_abstain` says whether a refusal can be the right answer.
    """

    __slots__ = ()

    type: ClassVar[str]
    schema: ClassVar[Fields]
    parts: ClassVar[tuple[str, ...]]
    key_parts: ClassVar[frozenset[str]]
    order: ClassVar[int] = 100
    digest_name: ClassVar[str] = ""
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
        """Return the question that the fields of a question file describe."""

    @classmethod
    @abstractmethod
    def weights(cls, parts: Collection[str]) -> Mapping[str, float]:
        """Return the weight of each part in the score of an item that has these parts."""

    @classmethod
    def counted(cls, parts: Mapping[str, float], score: float, reached: Mapping[str, bool]) -> Mapping[str, float]:
        """Return the value with which each part counts in the score: by default its own value."""
        return parts

    @classmethod
    def faults(cls, fields: Fields) -> Iterator[Fault]:
        """Return contradictions between fields of a question that the JSON schema cannot express."""
        return iter(())

    @classmethod
    def warnings(cls, fields: Fields) -> Iterator[Fault]:
        """Return what looks wrong with the fields of a question but does not prevent scoring."""
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
    def passages(self) -> tuple[str, ...]:
        """The words that must be retrieved; none where there is nothing to find."""
        return tuple(item.must_include for item in critical(self.evidence))

    @property
    def key_text(self) -> str:
        """The values of a right answer as one text: an answer that states them invents nothing."""
        return typed_text(self.expected_output().get("answer") or {})

    @property
    def hallucination_level(self) -> str:
        """The level of the penalty for invented values (`PENALTIES`)."""
        return "low"

    @abstractmethod
    def judge(self, case: "Case") -> "Draft":
        """Return the parts and the score of an answer, with reasons."""

    @abstractmethod
    def expected_output(self) -> dict[str, Any]:
        """Return what a correct answer says, as results files and reports show it."""

    @abstractmethod
    def gold_record(self, document: "Document") -> dict[str, Any]:
        """Return the record of a correct answer, made from the key; it must score 1, or the benchmark is wrong."""

    def verdict_fields(self, verdict: "LegalVerdict") -> dict[str, Any]:
        """Return fields that results files hold for this type only."""
        return {}


def about_of(kind: type[Question], fields: Fields, document: str, criteria: Fields, where: str) -> About:
    """Return the fields of a question file that every question has; `criteria` is its evaluation_criteria."""
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
    """Return required passages as results files and reports show them, and as citations of a correct answer."""
    return [{"page": item.page, "text": item.must_include, "speaker": item.speaker} for item in items]


def quotes_of(fields: Fields) -> dict[str, str]:
    """Return the quotations that a question accepts, by their pointers."""
    first = {"/required_quote": fields["required_quote"]} if "required_quote" in fields else {}
    return first | {f"/additional_quotes/{n}": quote for n, quote in enumerate(fields.get("additional_quotes", ()))}


def places_of(fields: Fields) -> dict[str, Fields]:
    """Return the passages and locations that a question names, each with its page, by their pointers."""
    lists = ("required_evidence", "conflicting_evidence", "additional_evidence")
    first = {"/evidence_location": fields["evidence_location"]} if "evidence_location" in fields else {}
    return first | {f"/{name}/{n}": place for name in lists for n, place in enumerate(fields.get(name, ()))}


def place_words(fields: Fields, pointer: str) -> str:
    """Return the words that a question says stand at one of its places; "" if it names a place alone."""
    if pointer == "/evidence_location":
        return str(fields.get("required_quote", ""))
    return str(places_of(fields)[pointer].get("must_include", ""))


def texts_of(fields: Fields) -> str:
    """Return all passages and quotations of a question, one a line."""
    passages = (place["must_include"] for place in places_of(fields).values() if "must_include" in place)
    return "\n".join([*passages, *quotes_of(fields).values()])


@dataclass(frozen=True, slots=True)
class LegalVerdict:
    """A score in [0, 1] with its parts, the reasons, and the invented values.

    `why` are the reasons by part and `flags` what is reported beside the score, as messages; `reasons`, `remarks` and
    `reason` are their English texts. `reached` says for each part with a threshold whether the threshold was reached.
    """

    score: float
    parts: Mapping[str, float]
    why: Mapping[str, Localized]
    flags: tuple[Message, ...] = ()
    invented: "tuple[Invented, ...]" = ()
    abstained: bool | None = None
    reached: Mapping[str, bool] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, str]:
        """The reasons by part, in English."""
        return {part: str(why) for part, why in self.why.items()}

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags, in English."""
        return tuple(map(str, self.flags))

    @property
    def reason(self) -> str:
        """All reasons in one line, in English."""
        return self.reason_in("en")

    def reason_in(self, language: Language) -> str:
        """Return all reasons in one line, in a language."""
        return in_one_line(self.why.items(), part_labels()).text(language)

    @property
    def uncertain(self) -> bool:
        """Whether the rules could not decide; the score is the best guess."""
        return bool(self.parts.get("uncertain"))


@dataclass(slots=True)
class Draft:
    """What the judge of a question type returns; `legal.score` completes it to a verdict.

    `uncertain` is why the rules cannot decide, None where they can; `invented` is None where nothing was looked for, as
    for types whose score does not depend on it.
    """

    parts: dict[str, float]
    why: dict[str, Localized]
    score: float = 0.0
    flags: tuple[Message, ...] = ()
    uncertain: Localized | None = None
    invented: "tuple[Invented, ...] | None" = None
    abstained: bool | None = None
    may_pass: bool = True
    reached: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def zero(cls, question: "Question", why: Message, flag: Message | None = None) -> Self:
        names = question.part_names
        return cls(dict.fromkeys(names, 0.0), {names[0]: why}, flags=(flag,) if flag else ())
