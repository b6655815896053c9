"""Charges, terms and rates by what they mean, so that facts and grounding compare them whatever the words."""

from collections.abc import Iterator
from typing import NamedTuple

from steelyard.legal.values.charges import charges, resulting_charges
from steelyard.legal.values.rates import rates
from steelyard.legal.values.terms import duration_as_term, terms


class LawValue(NamedTuple):
    """A value of law: its span, its kind, and a key that is the same for all its spellings."""

    start: int
    end: int
    kind: str
    key: object


def law_values(text: str, *, results: bool = False) -> Iterator[LawValue]:
    """Yield the charges, the terms and the interest rates of a normalised text; a range is none.

    With `results` charges that were only brought are left out where others are found.
    """
    named = resulting_charges(text) if results else charges(text)
    yield from (LawValue(each.start, each.end, "charge", each.value) for each in named)
    yield from (LawValue(each.start, each.end, "term", each.key) for each in terms(text) if each.range is None)
    yield from (LawValue(each.start, each.end, "rate", each.key) for each in rates(text))


def bare_term(text: str, like: LawValue) -> Iterator[LawValue]:
    """Yield the duration that a text consists of, as a term of imprisonment if such a term is asked for."""
    if (term := duration_as_term(text)) and isinstance(like.key, tuple) and like.key[0] == term.kind:
        yield LawValue(term.start, term.end, "term", term.key)


def whole_values(text: str) -> list[LawValue]:
    """Return the values of one kind that a text consists of; none if it says anything else."""
    found = list(law_values(text))
    rest = text
    for value in sorted(found, reverse=True):
        rest = rest[: value.start] + rest[value.end :]
    is_whole = len({value.kind for value in found}) == 1 and not any(map(str.isalnum, rest.replace("罪", "")))
    return found if is_whole else []
