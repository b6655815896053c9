"""Values that a question forbids, such as a phone number or an exact amount, even if the document has them."""

from collections.abc import Iterator
from typing import Final

from steelyard.legal.clauses import without_quotes
from steelyard.legal.grounding.claims import claims_of
from steelyard.legal.grounding.inventions import Invented
from steelyard.legal.grounding.proper_names import names
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

_KINDS: Final = {
    "phone": ("phone",), "phone_number": ("phone",), "contact": ("phone",), "id": ("id",), "id_number": ("id",),
    "card": ("card",), "bank_card": ("card",), "wechat_id": ("serial",), "wechat": ("serial",), "plate": ("serial",),
    "account": ("serial", "card"), "serial": ("serial",), "exact_amount": ("money",), "amount": ("money",),
    "exact_date": ("date",), "date": ("date",), "exact_time": ("time",), "time": ("time",), "count": ("count",),
    "exact_count": ("count",), "percentage": ("percent",), "rate": ("percent",), "age": ("age",), "name": ("name",),
    "real_name": ("name",), "full_name": ("name",), "person": ("name",),
}  # fmt: skip


def find_forbidden(answer: str, check: str, context: str, *, question: str = "") -> list[Invented]:
    """Values that `must_not_provide_…` forbids: outside quotations, and not in the question."""
    what = check.removeprefix("must_not_provide_")
    what = what if what in _KINDS else what.removesuffix("s")
    if what == check or what not in _KINDS:
        return []
    claims = claims_of(answer)
    found = _forbidden(without_quotes(claims.text), what, normalise(question))
    span = claims.folded.original_span
    return [Invented(each.text, f"forbidden {each.kind}", *span(each.start, each.end)) for each in found]


def _forbidden(text: str, what: str, question: str) -> Iterator[Invented]:
    kinds, is_exact = _KINDS[what], what.startswith("exact")
    for name, at in names(text) if "name" in kinds else ():
        if name not in question:
            yield Invented(name, "name", at, at + len(name))
    asked = {(value.kind, str(value.value)) for value in mentions(question)}
    for value in mentions(text):
        is_meant = value.kind in kinds and not (is_exact and (not value.is_exact or value.approx))
        if is_meant and (value.kind, str(value.value)) not in asked:
            yield Invented(value.text, value.kind, value.start, value.end)
