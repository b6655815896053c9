"""What Steelyard computes of the law."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from steelyard.legal import detect_abstention
from steelyard.legal.values.statutes import articles as articles_in
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import Mention, numerals


def number(given: Any) -> float | None:
    text = normalise(given["text"])
    found = numerals(text)
    is_whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return float(found[0].value) if is_whole and found[0].value is not None else None


def money(given: Any) -> list[Any] | None:
    found = _first(given, "money")
    return [float(found.value), found.unit] if found and found.is_exact else None


def date(given: Any) -> str | None:
    found = _first(given, "date")
    return found.value.isoformat() if found and found.value is not None else None


def is_refusal(given: Any) -> bool:
    return detect_abstention(given["answer"], question=given["question"]).abstains


def articles(given: Any) -> list[list[str | None]]:
    return [[each.title, each.number, *each.parts] for each in articles_in(normalise(given["text"]))]


def _first(given: Any, kind: str) -> Mention | None:
    return next((found for found in mentions(normalise(given["text"])) if found.kind == kind), None)


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "articles": articles,
    "date": date,
    "is_refusal": is_refusal,
    "money": money,
    "number": number,
}
