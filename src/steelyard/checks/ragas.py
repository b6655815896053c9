"""RAGAS: the metrics that need no model, from the texts and ids of each row; a judged one leaves no verdicts in it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value
from steelyard.checks.texts import SHORTEST, Texts, bleu, checked_texts
from steelyard.io.foreign import ragas, rows
from steelyard.io.foreign.containers import Container

_ROUGE: Final = {"rouge_score(mode=fmeasure)": "ROUGE-L", "rouge_score": "ROUGE-L"}

_PLAIN: Final = re.compile(r"(?:[A-Za-z0-9 !?]|[.,](?!\d))*")
"""A text that the tokenizer of sacrebleu divides into words and marks."""
_DENSE: Final = re.compile("[\u2e80-\u9fff]{4}")
_WORD: Final = re.compile(r"[A-Za-z0-9]+|[.,!?]")


def check(container: Container) -> Iterator[Finding]:
    """Yield the scores of every row."""
    texts, found = [], [record.fields for record in ragas.read(container)]
    metrics = dict.fromkeys(name for fields in found for name in fields.get(rows.SCORES) or {})
    for number, fields in enumerate(found, 1):
        row, scores = str(fields.get(rows.ID, number)), fields.get(rows.SCORES) or {}
        answer, references = fields.get(rows.PREDICTION), fields.get(rows.REFERENCES) or []
        for name in metrics:
            if (written := scores.get(name)) is None:  # an empty cell, or null
                yield Left(row, name, "unscored")
            elif name in _ROUGE and answer is not None:
                texts.append(Texts(row, answer, references, {name: written}))
            else:
                yield _finding(row, name, written, fields)
    yield from checked_texts(texts, _ROUGE, "rouge-score-stemmed")


def _finding(row: str, name: str, written: float, fields: rows.Fields) -> Finding:
    answer, references = fields.get(rows.PREDICTION), fields.get(rows.REFERENCES) or []
    if name.startswith("id_based_context_"):
        return _by_ids(row, name, written, fields)
    if name not in _BY_TEXT or answer is None or not references:
        return Left(row, name, "judged" if name not in _BY_TEXT else "no_texts")
    score = _BY_TEXT[name](answer, references[0])
    why = "texts" if name != "bleu_score" else "script" if _DENSE.search(references[0]) else "brevity"
    return Left(row, name, "short") if score is None else Value(row, name, written, score, why)


def _by_ids(row: str, name: str, written: float, fields: rows.Fields) -> Finding:
    found, wanted = (set(fields.get(field) or ()) for field in (rows.RETRIEVED_IDS, rows.REFERENCE_IDS))
    of = found if name.endswith("precision") else wanted
    return Value(row, name, written, len(found & wanted) / len(of), "ids") if of else Left(row, name, "no_ids")


def _exact(answer: str, reference: str) -> float:
    return float(answer == reference)


def _present(answer: str, reference: str) -> float:
    return float(reference in answer)


def _similarity(answer: str, reference: str) -> float:
    return 1 - distance(answer, reference) / max(len(answer), len(reference), 1)


def _bleu(answer: str, reference: str) -> float | None:
    """Return BLEU; None where it is 0 by construction or words are not plain."""
    if answer == reference and _DENSE.search(answer):
        return 1.0  # however it is divided
    words, other = _WORD.findall(answer), _WORD.findall(reference)
    is_plain = _PLAIN.fullmatch(answer) and _PLAIN.fullmatch(reference)
    return bleu(words, [other]) if is_plain and len(words) >= SHORTEST and other else None


_BY_TEXT: Final = {
    "exact_match": _exact,
    "string_present": _present,
    "non_llm_string_similarity": _similarity,
    "bleu_score": _bleu,
}


def distance(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return the Levenshtein distance."""
    before = list(range(len(other) + 1))
    for place, left in enumerate(one, 1):
        after = [place]
        for column, right in enumerate(other, 1):
            after.append(min(before[column] + 1, after[-1] + 1, before[column - 1] + (left != right)))
        before = after
    return before[-1]
