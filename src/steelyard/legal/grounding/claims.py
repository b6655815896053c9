"""Claims of an answer: the values, quotations, names and places that it asserts."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.grounding.grounds import nouns_of, values_of
from steelyard.legal.grounding.names import Place, chinese_places, names
from steelyard.legal.reading import QUOTED, read, read_with_offsets
from steelyard.legal.thresholds import FEW_TIMES, LONGEST_LIST, SMALL, SMALL_FIELD
from steelyard.legal.values.statutes import Article, articles, own_numbers
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention
from steelyard.text.normalisation import Folded
from steelyard.text.values import is_measure

_WORDS: Final = lexicon("grounding")
_CHECKED: Final = frozenset(
    ("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count", "number")
)
REPORTED: Final = {"ordinal": "count", "score": "number", "version": "serial"}
"""Kinds of values that are checked, and as which kind they are reported."""
_LIST_NUMBER: Final = re.compile(
    r"(?:^|[\n。;:,]|\band)\s*(?:\(?\d{1,2}[.、)](?!\d)|[①-⑳])|(?:^|\n)\d{1,2}(?:\.\d{1,2})+\.? "
)
_DIGITS: Final = re.compile(r"\d{1,3}(?:\.\d+)?")
# a number that is part of an identifier, a version, a fraction or a time, that a bracket encloses, or that labels
_PART_BEFORE: Final = re.compile(r"[A-Za-z_#/@\\(\[]$|[A-Za-z)][-.]$|\d[./:-]$")
_PART_AFTER: Final = re.compile(r"[A-Za-z_\]]|[-/][A-Za-z]|[.:/-]\d|倍率")
_JSON_KEY: Final = re.compile(r'(?<=[{,\[\s])"[^"\n]{0,80}"\s*:|^"[^"\n]{0,80}"\s*:')
_JSON_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of an answer; `addresses` are spans of the original, the places of all others those of `text`."""

    original: str
    text: str
    values: tuple[Mention, ...]
    quotes: tuple[tuple[str, int], ...]
    names: tuple[tuple[str, int], ...]
    places: tuple[Place, ...]
    articles: tuple[Article, ...] = ()
    own_counts: tuple[tuple[Mention, tuple[str, ...]], ...] = ()
    addresses: tuple[tuple[int, int], ...] = ()
    full: bool = False

    @property
    def folded(self) -> Folded:
        """The text with offsets into the original."""
        return read_with_offsets(self.original)

    def is_bare(self, value: Mention) -> bool:
        """Return whether a value is a claim only in full: a small number without a unit."""
        return self.full and value.kind == "number" and value.value is not None and value.value < SMALL

    @property
    def is_without_values(self) -> bool:
        """Whether the answer has nothing that contexts could have."""
        return not any((self.values, self.quotes, self.names, self.places, self.articles, self.addresses))


@lru_cache(maxsize=1 << 10)
def claims_of(answer: str, *, full: bool = False) -> Claims:
    """Return the claims of an answer; `full` adds articles of statutes, addresses and small numbers without a unit."""
    text, is_record = _without_keys(read(answer).text)
    marks = frozenset(at for mark in _LIST_NUMBER.finditer(text) for at in range(mark.start(), mark.end()))
    named = articles(text) if full else []
    own = marks | own_numbers(text, named) if full else marks
    values: list[Mention] = []
    exempt: list[Mention] = []
    for value in (value for value in values_of(text) if value.kind in _CHECKED or value.kind in REPORTED):
        if not _is_exempt(text, value, marks, is_record=is_record):
            values.append(value)
        elif full and (bare := _bare_number(text, value, own)):
            values.append(bare)
        else:
            exempt.append(value)
    counts = [value for value in exempt if value.kind in ("count", "number") and (value.value or 0) > 1]
    addresses = [value for value in values_of(text) if value.kind == "address"] if full else []
    quotes, unsaid = _quoted(text)
    return Claims(
        original=answer,
        text=text,
        values=tuple(values),
        quotes=tuple(quotes),
        names=tuple((name, at) for name, at in names(text) if at not in unsaid),
        places=tuple(chinese_places(text)),
        articles=tuple(named),
        own_counts=tuple((value, tuple(nouns_of(text, value))) for value in counts),
        addresses=tuple(read_with_offsets(answer).original_span(each.start, each.end) for each in addresses),
        full=full,
    )


def _without_keys(text: str) -> tuple[str, bool]:
    """Return the text without the keys and quotation marks of a JSON record, and whether it has a record."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or not _JSON_KEY.search(text, start, end):
        return text, False
    record = _JSON_KEY.sub(lambda key: " " * (len(key[0]) - 1) + ":", text[start : end + 1])
    record = _JSON_STRING.sub(lambda string: f":{string[1]},", record)
    return text[:start] + record.translate(str.maketrans("{}[]", "    ")) + text[end + 1 :], True


# ----- numbers that are not claims


def _is_exempt(text: str, value: Mention, marks: frozenset[int], *, is_record: bool) -> bool:
    """Return whether a value is no claim: a list number, a single thing, a label, a statute, a count of statements."""
    match value.kind:
        case "count":
            return _is_own_count(text, value)
        case "number":
            return _is_plain_number(text, value, is_record=is_record)
        case "ordinal":
            is_own = not is_measure(value.unit) or value.unit in _WORDS.words("own_units")
            most = 1 if value.unit in _WORDS.words("ordinal_units") else FEW_TIMES
            return is_own or value.value is None or value.value <= most
        case "serial":
            return _WORDS["label"].fullmatch(value.text) is not None
    return value.start in marks or (value.kind == "money" and value.value == 0)


def _is_own_count(text: str, value: Mention) -> bool:
    if value.value is None or value.value <= 1 or value.unit in _WORDS.words("own_units") or not _is_unit(value.unit):
        return True
    before = text[max(0, value.start - 2) : value.start]
    if re.search(r"\d/$", before) or (value.unit == "位" and before[-1:] in tuple("前后末尾")):
        return True  # a fraction; 后四位 are digits, not persons
    return _is_own_noun(text, value)


def _is_unit(unit: str) -> bool:
    after = f" {unit}" if unit.isascii() else unit
    return "/" in unit or is_measure(unit) or _WORDS["unit_after"].fullmatch(after) is not None


def _is_own_noun(text: str, value: Mention) -> bool:
    """Whether an answer counts its own statements, or what it lists beside the count: 甲、乙两人 · 两人:甲、乙."""
    if _WORDS["own_noun"].match(text, value.end):
        return True
    if not 2 <= value.value <= LONGEST_LIST:
        return False
    before = re.split(r"[。;!?\n(:]|是|有|为", text[max(0, value.start - 80) : value.start])[-1]
    after = _WORDS["lists"].match(text[value.end : value.end + 220])
    if _WORDS["enumerates"].match(text, value.end):
        return True
    lists = (_WORDS["list_separator"].split(each) for each in (before, after[1] if after else ""))
    return any(sum(bool(part.strip()) for part in parts) == value.value for parts in lists)


def _is_plain_number(text: str, value: Mention, *, is_record: bool) -> bool:
    """Return whether a number without a unit is no claim: it is small, or belongs to the name of a law."""
    if value.value is None or value.value < (SMALL_FIELD if is_record else SMALL) or value.text in tuple("百千万亿"):
        return True
    before = text[max(0, value.start - 24) : value.start]
    law = _WORDS["before_law_number"].search(before) or _WORDS["after_law_number"].match(text, value.end)
    return law is not None


def _bare_number(text: str, value: Mention, own: frozenset[int]) -> Mention | None:
    """Return a number in digits without a known unit as a claim; None if it is a label or part of a name."""
    digits = _DIGITS.match(text, value.start)
    if digits is None or value.kind not in ("number", "count") or value.value is None or value.start in own:
        return None
    if _is_unit(value.unit) or _is_own_noun(text, value):
        return None
    before, end = text[max(0, value.start - 24) : value.start], digits.end()
    if _PART_BEFORE.search(before) or _PART_AFTER.match(text, end) or _WORDS["before_law_number"].search(before):
        return None
    if _WORDS["labels_number"].search(before) or _WORDS["own_noun_after_number"].match(text, end):
        return None
    return value._replace(kind="number", unit="", end=end, text=digits[0])


def _quoted(text: str) -> tuple[list[tuple[str, int]], frozenset[int]]:
    """Return quotations with their positions, and all positions inside quotations that the answer says are absent."""
    quotes: list[tuple[str, int]] = []
    unsaid: list[int] = []
    for quote in QUOTED.finditer(_without_inches(text)):
        inner = quote[0][1:-1]
        if _WORDS["denies_quote"].search(text[max(0, quote.start() - 40) : quote.start()]):
            unsaid += range(quote.start(), quote.end())
        elif quote_key(inner) and quote[0][0] != "《" and not _WORDS["prompt_quote"].search(inner):
            quotes.append((inner, quote.start() + 1))
    return quotes, frozenset(unsaid)


def _without_inches(text: str) -> str:
    """Return the text with ″ for the signs of inches: 6'2", and 5" where no quotation is open."""
    pieces: list[str] = []
    is_open = False
    for piece in text.split('"'):
        is_inch = re.search(r"\d'\d{1,2}$", piece) or (not is_open and re.search(r"\d$", piece))
        pieces += (piece, "″" if is_inch else '"')
        is_open = is_open if is_inch else not is_open
    return "".join(pieces[:-1])
