"""Invented data in UltraRAG's formats: questions, passages, and rankings."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

NOT_ASKED: Final = 8  # passages about other things


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with its answer and the passage that holds it; no sign in it is one that HTML escapes."""

    topic: str
    question: str
    answer: str
    passage: str
    query: str
    thought: str


def _fact(topic: str, what: str, answer: str, passage: str) -> Fact:
    return Fact(
        topic, f"which {what} did {topic} have", answer, passage, f"{topic} {what}?", f"Of {topic} one thing is known."
    )


FACTS: Final = (
    _fact(
        "Velmora", "harbour", "Port Osk", "The Velmora company sailed from its only harbour, Port Osk, every spring."
    ),
    _fact("Tirgau", "founder", "Ilse Brandt", "The mill of Tirgau was opened in 1874 by its founder, Ilse Brandt."),
    _fact("Quenby", "colour", "deep green", "All coaches of the Quenby line had the colour deep green until 1911."),
    _fact("Lasdorn", "river", "the Emmel", "Boats reached Lasdorn on its river, the Emmel, from May to October."),
)
PASSAGES: Final = (
    *(fact.passage for fact in FACTS),
    *(f"Report {n} of the town of Harn lists {n + 3} bridges and {n * 7 + 1} wells." for n in range(NOT_ASKED)),
)
NOTES: Final = "\n\n".join(("Notes on towns", *PASSAGES))
_QUERIES: Final = 12


def write_data(folder: Path) -> None:
    """Write everything that a pipeline may read into a project's folder."""
    data, corpora = folder / "data", folder / "corpora"
    for each in (data, corpora):
        each.mkdir(exist_ok=True)
    _write_lines(data / "invented.jsonl", [_row(number, fact) for number, fact in enumerate(FACTS)])
    passages = [{"id": str(number), "contents": text} for number, text in enumerate(PASSAGES)]
    _write_lines(data / "invented_corpus.jsonl", passages)
    _write_lines(corpora / "text.jsonl", [{"id": "notes", "title": "Notes", "contents": NOTES}])
    (data / "notes.txt").write_text(NOTES + "\n", encoding="utf-8")
    _write_rankings(data)


def _row(number: int, fact: Fact) -> dict[str, Any]:
    others = [other.answer for other in FACTS if other is not fact]
    choices = [*others[:number], fact.answer, *others[number:]]
    return {
        "id": number,
        "question": fact.question,
        "golden_answers": [fact.answer, f"it was {fact.answer}"],
        "choices": choices,
        "letters": ["ABCD"[number]],
        "prediction": fact.answer if number % 2 else f"perhaps {fact.answer} or another",
        "meta_data": {},
    }


def _write_rankings(data: Path) -> None:
    """Judgments of a few queries and two runs of which one finds more; no scores tie."""
    queries = range(_QUERIES)
    qrels = [f"q{query} 0 d{query}{n} {n % 3}" for query in queries for n in range(6)]
    first = [f"q{query} Q0 d{query}{n} {n + 1} {10 - n} a" for query in queries for n in range(6)]
    shift = [(query, (n + query % 3) % 7) for query in queries for n in range(6)]
    second = [f"q{query} Q0 d{query}{n} {r % 6 + 1} {9 - r % 6} b" for r, (query, n) in enumerate(shift)]
    for name, lines in (("qrels", qrels), ("run_a", first), ("run_b", second)):
        (data / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_lines(path: Path, rows: Sequence[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
