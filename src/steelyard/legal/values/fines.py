"""Fines: 罚金 and 罚款 as money; confiscation, damages, bail, a ceiling and a range are none."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from steelyard.legal.values.terms import judgment_in
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions

_LAW: Final = lexicon("law")
_BEFORE, _AFTER = 60, 40


class Fine(NamedTuple):
    """A fine of one amount."""

    start: int
    end: int
    text: str
    amount: Decimal
    currency: str


def fines(text: str) -> list[Fine]:
    """Return the fines of a normalised text, in order."""
    found: list[Fine] = []
    for value in mentions(text):
        if value.kind == "money" and value.value is not None and not value.loose and _is_fine(text, value, found):
            found.append(Fine(value.start, value.end, value.text, value.value, value.unit))
    return found


def total_fine(text: str) -> Fine | None:
    """Return what all fines of a text come to in one currency; those executed in all win over the single ones.

    Of a judgment it is what 判决如下 comes to.
    """
    text = judgment_in(text) or text
    every = list(_decided(text)) or fines(text)
    currencies = {fine.currency for fine in every}
    if len(currencies) != 1:
        return None
    return every[0]._replace(end=every[-1].end, amount=sum((fine.amount for fine in every), Decimal(0)))


def _decided(text: str) -> Iterator[Fine]:
    for fine in fines(text):
        if _LAW["decided"].search(text[max(0, fine.start - _BEFORE) : fine.start]):
            yield fine


def _is_fine(text: str, value: Mention, found: list[Fine]) -> bool:
    before, after = text[max(0, value.start - _BEFORE) : value.start], text[value.end : value.end + _AFTER]
    if _LAW["fine_bound_before"].search(before) or _LAW["fine_bound_after"].match(after):
        return False
    if _LAW["fine_before"].search(before) or _LAW["fine_after"].match(after):
        return True
    return bool(found) and _LAW["fine_next"].fullmatch(text[found[-1].end : value.start]) is not None
