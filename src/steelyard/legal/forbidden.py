"""Values that a question forbids: a phone number, an exact amount, whatever the document has elsewhere."""

import re
from typing import Final

from steelyard.legal.clauses import without_quotes
from steelyard.legal.grounding import Invented
from steelyard.legal.proper_names import names
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normal import normal

_PROVIDE: Final = re.compile(r"must_not_provide_(\w+)")
_KINDS: Final = {
    "phone": ("phone",), "phone_number": ("phone",), "contact": ("phone",), "id": ("id",), "id_number": ("id",),
    "card": ("card",),
    "bank_card": ("card",), "wechat_id": ("serial",), "wechat": ("serial",), "account": ("serial", "card"),
    "serial": ("serial",),
    "exact_amount": ("money",), "amount": ("money",), "exact_date": ("date",), "date": ("date",),
    "exact_time": ("time",), "time": ("time",),
    "count": ("count",), "exact_count": ("count",), "percentage": ("percent",), "rate": ("percent",), "age": ("age",),
    "plate": ("serial",),
}  # fmt: skip
_NAMES: Final = frozenset(("name", "real_name", "full_name", "person"))


def find_forbidden(answer: str, check: str, context: str, *, question: str = "") -> list[Invented]:
    """What `must_not_provide_…` forbids: any such value outside a quotation, unless the question itself has it."""
    found = _PROVIDE.fullmatch(check)
    if found is None:
        return []
    what = found[1].removesuffix("s") if found[1].removesuffix("s") in _KINDS else found[1]
    text = without_quotes(normal(answer))
    asked = {(value.kind, str(value.value)) for value in mentions(normal(question))}
    if what in _NAMES:
        return [
            Invented(name, "forbidden name", at, at + len(name))
            for name, at in names(text)
            if name not in normal(question)
        ]
    kinds = _KINDS.get(what, ())
    return [
        Invented(value.text, f"forbidden {value.kind}", value.start, value.end)
        for value in mentions(text)
        if value.kind in kinds and (value.kind, str(value.value)) not in asked and _is_meant(value, what)
    ]


def _is_meant(value: Mention, what: str) -> bool:
    """An exact one only if that is what is forbidden."""
    return not (what.startswith("exact") and (not value.is_exact or value.approx))
