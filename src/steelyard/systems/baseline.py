"""`builtin:baseline`: finds the passage that is most similar to the question by BM25, and answers with a clause of it.

It has no model and no network, and it uses only the question and the document. It is a lower bound for other systems.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.search.extractive import asks_for_all, best_clause, can_answer, is_unknown, snippet, subject
from steelyard.search.terms import Bm25, all_terms
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings
from steelyard.text.normalisation import has_han

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

LEAST_COVERAGE: Final = 0.2
"""The share of a question that a passage must cover to contain an answer."""

EVIDENCE_SHARE: Final = 0.5
"""The share of the best score from which a passage is evidence too."""

MOST_EVIDENCE: Final = 5

_K1: Final = 1.2
_NOT_STATED: Final = {True: "材料未载明该信息。", False: "The document does not state this."}
_NOT_KNOWN: Final = {True: "材料未载明，原话为“{}”。", False: "The document does not state this; it says: “{}”."}


@dataclass(frozen=True, slots=True)
class Passage:
    """A text on a page that can be cited, and the question of the document that it answers, if any."""

    page: int
    text: str
    question: str = ""


class Index:
    """The passages of a document, searched by BM25 with k1 = 1.2 and b = 0.75."""

    def __init__(self, passages: list[Passage]) -> None:
        self.passages = passages
        self._bm25 = Bm25([all_terms(f"{passage.question} {passage.text}") for passage in passages], k1=_K1)

    def search(self, question: str) -> list[tuple[float, Passage]]:
        """Return the passages that share a term with a question, with their scores, the best first."""
        scores = self._bm25.scores(all_terms(question))
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(score, self.passages[index]) for index, score in ranked]

    def coverage(self, question: str, text: str) -> float:
        """Return the share of the terms of a question that a text has, weighted by their idf."""
        return self._bm25.coverage(all_terms(question), set(all_terms(text)))


class Baseline(NothingOpen):
    """Lexical retrieval and extraction in the documents that questions name."""

    def __init__(self, documents: Mapping[str, "Document"]) -> None:
        self.name = "baseline"
        self._documents = documents
        self._indexes: dict[str, Index] = {}
        self._lock = threading.Lock()

    def ask(self, ask: Ask) -> Reply:
        """Search and extract."""
        return Reply(answer(ask.question, self._index(ask.document)), nan)  # its time says nothing of a system

    def _index(self, name: str) -> Index:
        if name not in self._documents:
            raise SystemFailure(Message("systems.unknown_document", name=name))
        with self._lock:
            if name not in self._indexes:
                self._indexes[name] = Index(list(passages_of(self._documents[name])))
            return self._indexes[name]


def open_builtin(rest: str, settings: SystemSettings) -> Baseline:
    """Open the system of this package with this name: `baseline`."""
    if rest != "baseline":
        raise UnknownName.of(Message("words.system"), rest, ["baseline"])
    return Baseline(settings.documents)


def passages_of(document: "Document") -> Iterator[Passage]:
    """Yield the answers of a transcript with their questions, also across pages, or the lines of another document.

    Lines of a transcript after its first question are signatures and are left out.
    """
    question = ""
    for page in document.pages:
        for unit in page.units:
            text = page.text[unit.start : unit.end]
            match unit.kind:
                case "question":
                    question = text
                case "answer":
                    yield Passage(page.number, text, question)
                case _ if not question:
                    yield from (Passage(page.number, line.strip()) for line in text.split("\n") if line.strip())


def answer(question: str, index: Index) -> dict[str, Any]:
    """Return the output record for a question about the document of this index; its contexts are what was found."""
    asks_for_list = asks_for_all(question)
    found = _near(subject(question) if asks_for_list else question, index)
    record = _collected(question, found, index) if asks_for_list else _extracted(question, found, index)
    return {**record, "contexts": [passage.text for passage in found]}


def _extracted(question: str, found: list[Passage], index: Index) -> dict[str, Any]:
    """Answer with a clause of the best passage that can answer; it may say that something is not known."""
    near = [
        passage for passage in found if index.coverage(question, f"{passage.question} {passage.text}") >= LEAST_COVERAGE
    ]
    for passage in near:
        clause = best_clause(question, passage.text, index.coverage)
        cited = [_cited(other, question, index) for other in (passage, *(other for other in near if other != passage))]
        if is_unknown(question, clause):
            return _record(_NOT_KNOWN[has_han(question)].format(clause.rstrip("。.")), cited, abstained=True)
        if can_answer(question, clause):
            return _record(clause, cited)
    return _record(_NOT_STATED[has_han(question)], [], abstained=True)


def _collected(question: str, near: list[Passage], index: Index) -> dict[str, Any]:
    """Answer with a clause of every passage near the subject of the question."""
    topic = subject(question)
    if not near:
        return _record(_NOT_STATED[has_han(question)], [], abstained=True)
    clauses = [best_clause(topic, passage.text, index.coverage).rstrip("。.") for passage in near]
    separator = "；" if has_han(question) else "; "
    return _record(separator.join(clauses), [_cited(passage, topic, index) for passage in near])


def _near(question: str, index: Index) -> list[Passage]:
    ranked = index.search(question)[:MOST_EVIDENCE]
    return [passage for score, passage in ranked if score >= EVIDENCE_SHARE * ranked[0][0]]


def _cited(passage: Passage, question: str, index: Index) -> dict[str, Any]:
    return {"page": passage.page, "text": snippet(passage.text, best_clause(question, passage.text, index.coverage))}


def _record(text: str, evidence: list[dict[str, Any]], *, abstained: bool = False) -> dict[str, Any]:
    return {"answer": text, "citations": evidence[:1], "evidence": evidence, "abstained": abstained}
