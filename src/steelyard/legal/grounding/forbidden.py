"""Values that a question forbids, such as a phone number or an exact amount, even if the document has them."""

import re
from collections.abc import Iterator
from typing import Final

from steelyard.legal.clauses import without_quotes
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import Invented
from steelyard.legal.grounding.proper_names import names
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

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
    """Values that `must_not_provide_…` forbids: outside quotations, and not in the question."""
    match = _PROVIDE.fullmatch(check)
    if match is None:
        return []
    what = match[1].removesuffix("s") if match[1].removesuffix("s") in _KINDS else match[1]
    claims = claims_of(answer)
    text = without_quotes(claims.text)
    spans = _forbidden_names(text, question) if what in _NAMES else _forbidden_values(text, what, question)
    span = claims.folded.original_span
    return [Invented(words, f"forbidden {kind}", *span(start, end)) for words, kind, start, end in spans]


def _forbidden_names(text: str, question: str) -> Iterator[tuple[str, str, int, int]]:
    asked = normalise(question)
    return ((name, "name", at, at + len(name)) for name, at in names(text) if name not in asked)


def _forbidden_values(text: str, what: str, question: str) -> Iterator[tuple[str, str, int, int]]:
    kinds = _KINDS.get(what, ())
    asked = {(value.kind, str(value.value)) for value in mentions(normalise(question))}
    for value in mentions(text):
        if value.kind in kinds and (value.kind, str(value.value)) not in asked and _is_meant(value, what):
            yield value.text, value.kind, value.start, value.end


def _is_meant(value: Mention, what: str) -> bool:
    """Whether a value is forbidden; if only exact ones are, whether it is exact."""
    return not (what.startswith("exact") and (not value.is_exact or value.approx))
