"""Typed values of answers as people read them: amounts with separators and their unit, dates, yes and no."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from steelyard.i18n import Message, translations
from steelyard.reports.render.html.kind_page import as_text

_UNITS: Final = (
    ("{} 元", re.compile(r"\d\s*(?:[万亿]\s*)?元|[零一二三四五六七八九十百千万亿]元|人民币|¥")),
    ("${}", re.compile(r"\$\s*\d|\bdollars?\b", re.IGNORECASE)),
    ("€{}", re.compile(r"€\s*\d|\beuros?\b", re.IGNORECASE)),
    ("£{}", re.compile(r"£\s*\d")),
)
"""How an amount is written, by what passages about it have."""
PLAIN: Final = "{}"


def unit_of(passages: Iterable[str]) -> str:
    """How an amount is written that these passages give; without a unit where they have none, or several."""
    text = "\n".join(passages)
    found = [form for form, pattern in _UNITS if pattern.search(text)]
    return found[0] if len(found) == 1 else PLAIN


def shown_value(field: str, value: Any, unit: str = PLAIN) -> str | tuple[str, ...]:
    """A typed value as text, or as a text in every language.

    >>> shown_value("amount_total", 62400, "{} 元")
    '62,400 元'
    >>> shown_value("date_range", {"start": "2022-06-01", "end": "2022-06-15"})
    '2022-06-01 – 2022-06-15'
    """
    match field, value:
        case "boolean_answer", bool():
            return translations(Message("senses.yes" if value else "senses.no"))
        case "amount_total", int() | float():
            return _amount(value, unit)
        case "amount_breakdown", list():
            return "\n".join(_item(item, unit) for item in value)
        case "date_range", {"start": start, "end": end}:
            return f"{as_text(start)} – {as_text(end)}"
        case "count", int() | float():
            return _amount(value, PLAIN)
    return as_text(value)


def _amount(value: Any, unit: str) -> str:
    """A number with separators; anything else as it is."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return unit.format(f"{value:,}" if is_number else as_text(value))


def _item(item: Any, unit: str) -> str:
    """An amount with what it is for."""
    if not isinstance(item, Mapping):
        return _amount(item, unit)
    amount, of = _amount(item.get("amount"), unit), as_text(item.get("description"))
    return f"{amount} ({of})" if of else amount
