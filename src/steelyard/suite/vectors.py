"""Vectors: known answers, read from the files of `conformance/vectors`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.resources import bundled

FOLDER: Final = "conformance"
TOLERANCE: Final = 1e-6
"""How far a number may be from the expected one, unless its vector says otherwise."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Another value that a convention gives."""

    value: Any
    convention: str


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer; the fields are those of `conformance/schema.json`."""

    id: str
    computes: str
    input: Mapping[str, Any]
    expected: Any
    result: Literal["valid", "acceptable", "invalid"]
    origin: Mapping[str, Any]
    tolerance: float = TOLERANCE
    accepted: Sequence[Accepted] = ()
    flags: Sequence[str] = ()
    etb: Sequence[str] = ()
    comment: str = ""

    @property
    def family(self) -> str:
        """The family: rankings, answers, statistics, judges or law."""
        return self.id.partition("/")[0]

    @property
    def topic(self) -> str:
        """The family and the file, as in rankings/ties."""
        return self.id.rpartition("/")[0]


def suite_folder() -> Path:
    """Return the folder with vectors and targets."""
    return bundled(FOLDER)


def read_vectors(folder: Path | None = None) -> list[Vector]:
    """Return all vectors, in the order of families, files and lines."""
    vectors = [vector for path in _files(folder or suite_folder() / "vectors") for vector in _vectors(path)]
    if not vectors:
        raise InputError(Message("suite.no_vectors"), where=str(folder or suite_folder()))
    return vectors


def chosen_vectors(vectors: Sequence[Vector], wanted: Sequence[str]) -> list[Vector]:
    """Return the vectors whose id is named, or begins with a named family or topic; all if none is named."""
    for name in wanted:
        if not any(_is_named(vector, name) for vector in vectors):
            known = {part: None for vector in vectors for part in (vector.family, vector.topic, vector.id)}
            raise UnknownName.of(Message("words.vector"), name, list(known))
    return [vector for vector in vectors if not wanted or any(_is_named(vector, name) for name in wanted)]


def _is_named(vector: Vector, name: str) -> bool:
    return vector.id == name or vector.id.startswith(name.rstrip("/") + "/")


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.json"))


def _vectors(path: Path) -> Iterator[Vector]:
    try:
        found = json.loads(path.read_text("utf-8"))["vectors"]
        for each in found:
            accepted = [Accepted(**other) for other in each.pop("accepted", ())]
            yield Vector(**each, accepted=accepted)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(Message("suite.bad_vectors", error=str(error)), where=str(path)) from None
