"""`builtin:baseline`: finds the passage most like the question and answers in its words, or says that it is not there.

No model, no network, and nothing to go by but the question and the document. It is there to be beaten.
"""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.systems.extracts import asks_for_all, best_clause, can_answer, is_unknown, snippet, subject
from steelyard.systems.passages import Index, Passage, passages_of
from steelyard.systems.records import Ask, Reply
from steelyard.text.scripts import has_han

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

LEAST_OVERLAP: Final = 0.2
"""The share of a question that a passage must have in common with it to hold an answer."""

EVIDENCE_SHARE: Final = 0.5
"""The share of the best score that makes a passage evidence too."""

MOST_EVIDENCE: Final = 5

_SILENT: Final = {True: "材料未载明该信息。", False: "The document does not state this."}
_SAID: Final = {True: "材料未载明，原话为“{}”。", False: "The document does not state this; it says: “{}”."}


class Baseline:
    """Lexical retrieval and extraction over the documents that questions name."""

    def __init__(self, documents: Mapping[str, "Document"]) -> None:
        self.name = "baseline"
        self._documents = documents
        self._indexes: dict[str, Index] = {}
        self._lock = threading.Lock()

    def ask(self, ask: Ask) -> Reply:
        """Search and extract."""
        return Reply(answer(ask.question, self._index(ask.document)))

    def close(self) -> None:
        """Nothing is kept open."""

    def _index(self, name: str) -> Index:
        if name not in self._documents:
            raise SystemFailure(Message("systems.baseline_no_document_called", name=name))
        with self._lock:
            if name not in self._indexes:
                self._indexes[name] = Index(list(passages_of(self._documents[name])))
            return self._indexes[name]


def answer(question: str, index: Index) -> dict[str, Any]:
    """The output record for a question about the document of this index."""
    return _collected(question, index) if asks_for_all(question) else _extracted(question, index)


def _extracted(question: str, index: Index) -> dict[str, Any]:
    """One clause of the best passage that can answer, which may say itself that something is not known."""
    near = [passage for passage in _near(question, index) if _is_like(question, passage, index)]
    for passage in near:
        clause = best_clause(question, passage.text, index.overlap)
        cited = [_cited(each, question, index) for each in (passage, *(other for other in near if other != passage))]
        if is_unknown(question, clause):
            return _record(_SAID[has_han(question)].format(clause.rstrip("。.")), cited, abstained=True)
        if can_answer(question, clause):
            return _record(clause, cited)
    return _record(_SILENT[has_han(question)], [], abstained=True)


def _is_like(question: str, passage: Passage, index: Index) -> bool:
    return index.overlap(question, f"{passage.asked} {passage.text}") >= LEAST_OVERLAP


def _collected(question: str, index: Index) -> dict[str, Any]:
    """All passages near the subject of the question, and a clause of each."""
    about = subject(question)
    near = _near(about, index)
    if not near:
        return _record(_SILENT[has_han(question)], [], abstained=True)
    said = [best_clause(about, passage.text, index.overlap).rstrip("。.") for passage in near]
    return _record(
        "；".join(said) if has_han(question) else "; ".join(said), [_cited(each, about, index) for each in near]
    )


def _near(question: str, index: Index) -> list[Passage]:
    ranked = index.search(question)[:MOST_EVIDENCE]
    return [passage for score, passage in ranked if score >= EVIDENCE_SHARE * ranked[0][0]]


def _cited(passage: Passage, question: str, index: Index) -> dict[str, Any]:
    return {"page": passage.page, "text": snippet(passage.text, best_clause(question, passage.text, index.overlap))}


def _record(said: str, evidence: list[dict[str, Any]], *, abstained: bool = False) -> dict[str, Any]:
    return {"answer": said, "citations": evidence[:1], "evidence": evidence, "abstained": abstained}
