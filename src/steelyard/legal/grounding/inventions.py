"""Invented values: claims of an answer that are neither in the document, by value, nor follow from it.

Known limit: relations between values that are both in the document (who paid whom) are not checked. A question can also
forbid values, such as a phone number or an exact amount, even if the document has them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.grounding.claims import REPORTED, Claims, claims_of
from steelyard.legal.grounding.derivations import DerivedValues, is_rounded
from steelyard.legal.grounding.grounds import Ground, cents, document_ground, minutes_of
from steelyard.legal.grounding.names import is_known_name, is_known_place, latin_words, names
from steelyard.legal.reading import without_quotes
from steelyard.legal.thresholds import FEW_TIMES, HALF, NEAREST, WORDS_OF_TERM
from steelyard.legal.values.cases import case_numbers
from steelyard.legal.values.keys import law_values
from steelyard.legal.values.statutes import is_known_article
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import same_measure

__all__ = ["Ground", "Invented", "document_ground", "find_invented"]

_WORDS: Final = lexicon("grounding")
_COUNTED: Final = re.compile(r"(?:[a-z]+-)?(\d{1,4})(?:st|nd|rd|th|s|(?:-[a-z]+)+)")  # 3rd, 1990s, then-16-year-old
_MASKED: Final = re.compile(r"(\d*)[*xX×•·●]{2,}(\d*)")


@dataclass(frozen=True, slots=True)
class Invented:
    """A value of an answer that the document does not have; `start` and `end` are its span in the answer."""

    text: str
    kind: str
    start: int = 0
    end: int = 0


def find_invented(answer: str, context: str, *, question: str = "", full: bool = False) -> list[Invented]:
    """Return the claims of the answer that neither the document nor the question supports, in the order of the answer.

    With `full`, articles of statutes, addresses and small numbers without a unit are claims too.
    """
    claims = claims_of(answer, full=full)
    grounds = [document_ground(text) for text in ((context, question) if question else (context,))]
    candidates = [*_words(claims, grounds), *_values(claims, grounds), *_quotations(claims, grounds)]
    invented = [
        Invented(each.text, each.kind, *claims.folded.original_span(each.start, each.end)) for each in candidates
    ]
    invented = [
        each for each in invented if not any(low <= each.start and each.end <= high for low, high in claims.addresses)
    ]
    invented += _addresses(claims, grounds)
    return list(_outermost(sorted(invented, key=lambda value: (value.start, -value.end))))


def _outermost(values: Sequence[Invented]) -> Iterator[Invented]:
    """Yield the values without those inside another; `values` are sorted by start, longer ones first."""
    end = -1
    for value in values:
        if value.end > end:
            end = value.end
            yield value


# ----- words


def _words(claims: Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    text = "\n".join(ground.text for ground in grounds)
    for article in claims.articles:
        known = [other for ground in grounds for other in ground.articles.get(article.number, ())]
        if not is_known_article(article, known, text):
            yield Invented(article.text, "article", article.start, article.end)
    for place in claims.places:
        if not any(is_known_place(place, ground.key) for ground in grounds):
            yield Invented(place.text, "place", place.start, place.start + len(place.text))
    for name, start in claims.names:
        if not any(is_known_name(name, ground.text) for ground in grounds):
            yield Invented(name, "name", start, start + len(name))


def _quotations(claims: Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for inner, start in claims.quotes:
        is_held = any(key_of(ground.context).holds(inner) for ground in grounds)
        if not is_held and not _is_term(inner, grounds):
            yield Invented(inner, "quote", start, start + len(inner))


def _is_term(quote: str, grounds: Sequence[Ground]) -> bool:
    """Return whether a quotation is a term of a few English words, all of which the document or the question has."""
    words = latin_words(quote)
    if len(words) > WORDS_OF_TERM or not re.fullmatch(r"[A-Za-z'.,!? -]+", quote):
        return False
    return words <= frozenset[str]().union(*(latin_words(ground.text) for ground in grounds))


def _addresses(claims: Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for start, end in claims.addresses:
        address = claims.original[start:end]
        if not any(ground.has_address(address) for ground in grounds):
            yield Invented(address, "address", start, end)


# ----- values


def _values(claims: Claims, grounds: Sequence[Ground]) -> Iterator[Invented]:
    for value, nouns in claims.own_counts:
        known = [numbers for ground in grounds for noun in nouns if (numbers := ground.counted.get(noun))]
        if known and not any(value.value in numbers for numbers in known):
            yield Invented(value.text, value.kind, value.start, value.end)
    unknown = [value for value in claims.values if not any(_is_grounded(value, claims, ground) for ground in grounds)]
    unknown = list(_not_of_law(claims.text, unknown, grounds))
    if not unknown:
        return
    derived = DerivedValues(claims, unknown, grounds)
    for value in sorted(unknown, key=lambda value: value.kind not in ("money", "number")):
        if derived.follows(value):
            derived.add(value)
        else:
            yield Invented(value.text, REPORTED.get(value.kind, value.kind), value.start, value.end)


def _not_of_law(text: str, unknown: Sequence[Mention], grounds: Sequence[Ground]) -> Iterator[Mention]:
    """Yield the values that are no part of a term or a rate that the document has in other words."""
    named = list(law_values(text)) if unknown else []
    known = [each for each in named if any((each.kind, each.key) in ground.law for ground in grounds)]
    for value in unknown:
        if not any(each.start <= value.start and value.end <= each.end for each in known):
            yield value


def _is_grounded(value: Mention, claims: Claims, ground: Ground) -> bool:
    match value.kind:
        case "money" | "number" | "date" | "percent" if value.value is None:
            return quote_key(value.text) in ground.key
        case "money" | "number":
            return _is_known_amount(value, claims, ground)
        case "date":
            ends = [day for day in (value.value, value.until) if day is not None]
            return all((day.year, day.month, day.day) in ground.dates for day in ends)
        case "count":
            return _is_counted(value, ground)
        case "ordinal":
            known = ground.ordinals.get(value.unit, set()) | ground.ordinals.get("", set())
            return value.value in known or value.unit in ground.counts.get(value.value, ())
        case "time":
            return not ground.minutes.isdisjoint(minutes_of(claims.text, value))
        case "percent":
            return _is_known_percent(value, claims.text, ground)
        case "phone" | "card":
            return _is_known_digits(value.text.upper(), ground) or _is_known_range(value, ground)
        case "age" if value.value in ground.money:
            return True
        case "serial" | "version":
            return _is_known_code(value, ground)
        case "score" if _has_whole(ground.text, value.value.replace(":", "-")):
            return True
    return (value.kind, str(value.value)) in ground.others


def _is_known_code(value: Mention, ground: Ground) -> bool:
    """Return whether the document has an identifier, a case number or a version, in any writing."""
    if numbers := case_numbers(value.text):
        return {each.value for each in numbers} <= ground.cases
    if masked := _MASKED.fullmatch(value.text):
        return _is_masked(masked, ground)
    counted = _COUNTED.fullmatch(value.text)
    is_counted = counted is not None and Decimal(counted[1]) in ground.numerals
    is_same = (value.kind, str(value.value)) in ground.others
    return is_same or is_counted or _has_whole(ground.key, quote_key(value.text))


def _is_known_amount(value: Mention, claims: Claims, ground: Ground) -> bool:
    if value.value in ground.money:
        units = ground.money[value.value]  # "" fits any, $ fits any dollar
        is_dollar = value.text[0] == "$" and any(unit.endswith("D") for unit in units)
        return value.kind == "number" or is_dollar or not units.isdisjoint((value.unit, ""))
    if value.kind == "number":
        return _is_known_number(value, claims, ground)
    is_weight = value.text.endswith("pounds") and _is_counted(value._replace(unit="lbs"), ground)
    return is_weight or _is_about_known(value, ground)


def _is_about_known(value: Mention, ground: Ground) -> bool:
    """Return whether an approximate value is a rounded amount of the document."""
    if not value.approx and not value.loose:
        return False
    stated, unit = cents(value.value), cents(Decimal(10) ** value.value.normalize().as_tuple().exponent)
    first, last = bisect_left(ground.amounts, stated - unit), bisect_right(ground.amounts, stated + unit + 1)
    amounts = ground.amounts[first : min(last, first + NEAREST)]
    return any(is_rounded(value, Decimal(amount) / 100) for amount in amounts)


def _is_known_number(value: Mention, claims: Claims, ground: Ground) -> bool:
    if claims.is_bare(value):
        return value.value in ground.numerals or _is_about_known(value, ground)
    start, end = claims.folded.original_span(value.start, value.end)
    if masked := _MASKED.search(claims.original, start, end):
        return _is_masked(masked, ground)
    digits = re.sub(r"\D", "", value.text)
    is_year = value.value < 10_000 and (int(value.value), None, None) in ground.dates
    return digits in ground.digits or value.value in ground.counts or is_year or _is_about_known(value, ground)


def _is_masked(masked: re.Match[str], ground: Ground) -> bool:
    """Return whether a number of the document begins and ends like a masked one (130****0045), or has its tail."""
    head, tail = masked.groups()
    shortest = len(head) + len(tail) + 1
    runs = (run for run in ground.digits if len(run) >= shortest)
    return tail in ground.tails or any(run.startswith(head) and run.endswith(tail) for run in runs)


def _is_known_range(value: Mention, ground: Ground) -> bool:
    """Return whether what looks like a local phone number is a range of numbers that the document has: 500-1000."""
    ends = re.fullmatch(r"(\d{3})-(\d{4})", value.text)
    return ends is not None and all(Decimal(end) in ground.numerals for end in ends.groups())


def _has_whole(key: str, piece: str) -> bool:
    """Return whether a key has a piece where it does not cut a number."""
    before, after = (r"(?<!\d)" if piece[:1].isdigit() else "", r"(?!\d)" if piece[-1:].isdigit() else "")
    return re.search(before + re.escape(piece) + after, key) is not None


def _is_known_digits(text: str, ground: Ground) -> bool:
    digits = re.sub(r"[^\dX*]", "", text.rpartition(" ")[2] if text[:1].isalpha() else text)
    if "*" in digits and (masked := _MASKED.fullmatch(digits)):
        return _is_masked(masked, ground)
    if digits in ground.digits or digits[-11:] in ground.digits or digits in ground.tails:
        return True
    return any(digits[at:] in ground.tails for at in range(1, max(1, len(digits) - 1)))


def _is_counted(value: Mention, ground: Ground) -> bool:
    if value.unit == "号":
        return _has_whole(ground.key, quote_key(value.text))
    if any(_is_same_unit(value.unit, unit) for unit in ground.counts.get(value.value, ())):
        return True
    if value.unit == "笔" and value.value <= len(ground.amounts):
        return True
    highest = [max(numbers) for unit, numbers in ground.ordinals.items() if same_measure(value.unit, unit)]
    if not highest and same_measure(value.unit, "次"):
        return bool(value.value <= min(FEW_TIMES, len(ground.amounts)))
    return value.value in highest


def _is_same_unit(one: str, two: str) -> bool:
    """Return whether two units are the same; 度 may be degrees of any scale."""
    is_open = not _WORDS.words("open_degrees").isdisjoint((one, two))
    return same_measure(one, two) or (is_open and all(re.match("[°℃度摄华cdf]", unit) for unit in (one, two)))


def _is_known_percent(value: Mention, text: str, ground: Ground) -> bool:
    percent: Decimal = value.value
    is_about = _WORDS["about"].search(text[max(0, value.start - 8) : value.start]) is not None
    return percent in ground.percents or (is_about and any(abs(known - percent) <= HALF for known in ground.percents))


_FORBIDDEN_KINDS: Final = {
    "phone": ("phone",), "phone_number": ("phone",), "contact": ("phone",), "id": ("id",), "id_number": ("id",),
    "card": ("card",), "bank_card": ("card",), "wechat_id": ("serial",), "wechat": ("serial",), "plate": ("serial",),
    "account": ("serial", "card"), "serial": ("serial",), "exact_amount": ("money",), "amount": ("money",),
    "exact_date": ("date",), "date": ("date",), "exact_time": ("time",), "time": ("time",), "count": ("count",),
    "exact_count": ("count",), "percentage": ("percent",), "rate": ("percent",), "age": ("age",), "name": ("name",),
    "real_name": ("name",), "full_name": ("name",), "person": ("name",),
}  # fmt: skip


def find_forbidden(answer: str, check: str, *, question: str = "") -> list[Invented]:
    """Return values that `must_not_provide_…` forbids: outside quotations, and not in the question."""
    what = check.removeprefix("must_not_provide_")
    what = what if what in _FORBIDDEN_KINDS else what.removesuffix("s")
    if what == check or what not in _FORBIDDEN_KINDS:
        return []
    claims = claims_of(answer)
    forbidden = _forbidden(without_quotes(claims.text), what, normalise(question))
    span = claims.folded.original_span
    return [Invented(each.text, f"forbidden {each.kind}", *span(each.start, each.end)) for each in forbidden]


def _forbidden(text: str, what: str, question: str) -> Iterator[Invented]:
    kinds, is_exact = _FORBIDDEN_KINDS[what], what.startswith("exact")
    for name, at in names(text) if "name" in kinds else ():
        if name not in question:
            yield Invented(name, "name", at, at + len(name))
    asked = {(value.kind, str(value.value)) for value in mentions(question)}
    for value in mentions(text):
        is_meant = value.kind in kinds and not (is_exact and (not value.is_exact or value.approx))
        if is_meant and (value.kind, str(value.value)) not in asked:
            yield Invented(value.text, value.kind, value.start, value.end)
