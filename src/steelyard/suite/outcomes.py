"""What came out for a vector: right, a convention, or a fault."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, Self, get_args

from steelyard.errors import SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.suite.programs import About, Program
from steelyard.suite.vectors import Vector

Kind = Literal["right", "convention", "fault", "unsupported"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program made of a vector: its value, or why it has none; and the convention that gives such a value."""

    id: str
    kind: Kind
    value: Any = None
    why: Localized | str = ""
    convention: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome without fields that say nothing; the value of what has one is kept, null or not."""
        fields = {**asdict(self), "why": str(self.why)}
        return {name: value for name, value in fields.items() if value not in ("", None) or self._says(name)}

    def _says(self, name: str) -> bool:
        return name == "value" and not self.why and self.kind != "unsupported"


@dataclass(frozen=True, slots=True)
class Run:
    """The outcomes of a program, with what it says of itself."""

    about: About
    outcomes: Sequence[Outcome]

    def of(self, kind: Kind) -> list[Outcome]:
        """Return the outcomes of a kind."""
        return [each for each in self.outcomes if each.kind == kind]

    @property
    def answered(self) -> list[Outcome]:
        """The outcomes of vectors to which the program gave an answer."""
        return [each for each in self.outcomes if each.kind != "unsupported"]

    def strict(self) -> Self:
        """Return the run with other conventions as faults."""
        changed = (replace(each, kind="fault", why=each.convention) for each in self.of("convention"))
        by_id = {each.id: each for each in changed}
        return replace(self, outcomes=[by_id.get(each.id, each) for each in self.outcomes])

    def counts(self) -> dict[Kind, int]:
        """Return the number of outcomes of each kind."""
        return {kind: len(self.of(kind)) for kind in KINDS}


def check_program(program: Program, vectors: Sequence[Vector]) -> Run:
    """Ask a program for every vector that it claims to compute."""
    about = program.start()
    return Run(about, [outcome_of(program, vector) for vector in vectors if vector.computes in about.computes])


def outcome_of(program: Program, vector: Vector) -> Outcome:
    """Ask a program for a vector, and judge its reply."""
    try:
        reply = program.ask({"id": vector.id, "computes": vector.computes, "input": vector.input})
    except SystemFailure as error:
        return Outcome(vector.id, "fault", why=error.message)
    if "unsupported" in reply:
        return Outcome(vector.id, "unsupported", why=str(reply["unsupported"]))
    if "error" in reply:
        return replace(judged(vector, None), why=str(reply["error"]))
    if "value" not in reply:
        return Outcome(vector.id, "fault", why=Message("suite.no_value"))
    return judged(vector, reply["value"])


def outcome_json(outcome: Outcome, vector: Vector) -> dict[str, Any]:
    """Return an outcome for programs; beside what is not right stands what was expected, and who says so."""
    known = {"expected": vector.expected, "origin": vector.origin["where"]}
    return {**outcome.as_dict(), **({} if outcome.kind in {"right", "unsupported"} else known)}


def judged(vector: Vector, value: Any) -> Outcome:
    """Judge the value that a program gives for a vector."""
    if is_equal(value, vector.expected, vector.tolerance):
        return Outcome(vector.id, "right", value)
    for other in vector.accepted:
        if is_equal(value, other.value, vector.tolerance):
            return Outcome(vector.id, "convention", value, convention=other.convention)
    return Outcome(vector.id, "fault", value)


def is_equal(value: Any, expected: Any, tolerance: float) -> bool:
    """Say whether two values are equal, numbers within a tolerance; true is no number."""
    if isinstance(expected, bool) or isinstance(value, bool) or isinstance(expected, (str, type(None))):
        return type(value) is type(expected) and bool(value == expected)
    if isinstance(expected, (int, float)):
        return isinstance(value, (int, float)) and _is_near(value, expected, tolerance)
    if isinstance(expected, dict):
        is_same = isinstance(value, dict) and value.keys() == expected.keys()
        return is_same and all(is_equal(value[name], each, tolerance) for name, each in expected.items())
    is_list = isinstance(value, list) and len(value) == len(expected)
    return is_list and all(is_equal(one, other, tolerance) for one, other in zip(value, expected, strict=True))


def _is_near(value: float, expected: float, tolerance: float) -> bool:
    try:
        return abs(value - expected) <= tolerance
    except OverflowError:
        return False
