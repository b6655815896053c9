"""Sets of documents by name, with the reasons why others are missing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from steelyard.documents.pages import Document
from steelyard.errors import Problem
from steelyard.i18n import Message

TWO_TEXTS: Final = Message("formats.two_documents_of_one_name")


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSet(Mapping[str, Document]):
    """The documents that were found, by name; `missing` says where others were looked for, and what is wrong there."""

    found: Mapping[str, Document] = field(default_factory=dict)
    missing: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, sets: Iterable["DocumentSet"]) -> "DocumentSet":
        """All of them in one; a name with two texts is left out, since items of one would be shown the other."""
        given = list(sets)
        texts: dict[str, dict[str, Document]] = defaultdict(dict)
        for each in given:
            for name, document in each.found.items():
                texts[name].setdefault(document.digest, document)
        missing = [problem for each in given for problem in each.missing]
        missing += [Problem(name, TWO_TEXTS) for name, found in texts.items() if len(found) > 1]
        single = {name: document for name, found in texts.items() if len(found) == 1 for document in found.values()}
        return cls(single, tuple(dict.fromkeys(missing)))

    def __getitem__(self, name: str) -> Document:
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def missing_of(documents: Mapping[str, Document]) -> tuple[Problem, ...]:
    """What is known of documents that are not among these."""
    return documents.missing if isinstance(documents, DocumentSet) else ()
