"""Claims of an answer: the values, quotations, names and places that it asserts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.grounding.articles import Article, articles, own_numbers
from steelyard.legal.grounding.chinese_places import Place, chinese_places
from steelyard.legal.grounding.grounds import UNIT_AFTER, nouns_of, values_of
from steelyard.legal.grounding.proper_names import names
from steelyard.legal.reading import read, read_with_offsets
from steelyard.text.measures import is_measure
from steelyard.text.mentions import Mention
from steelyard.text.normalisation import Folded
from steelyard.text.reading import ADDRESS, without_thinking

_QUOTE: Final = re.compile('“([^”]{1,400})”|「([^」]{1,400})」|『([^』]{1,400})』|"([^"]{1,400})"|‘([^’]{2,400})’')
# "the record does not mention “X”" does not claim X
_DENIED_QUOTE: Final = re.compile(
    "(?:以下简称|下称|简称|所谓的?)$|(?:未|没有?|并无|无|不曾|不)(?:明确)?(?:见|有|出现|提到|提及|提供|记载|载明|"
    "显示|写明|说明?|使用|包含|涉及|找到|"
    "发现|体现)"
    r"[^,。;“”]{0,12}$"
    r"|\b(?:not|never|n't|no)\b (?:\w+ ){0,2}?(?:mention|say|state|contain|use|refer to|include|give|provide|specify|"
    r"information|reference|record)\w*(?: \w+){0,4} ?$",
    re.IGNORECASE,
)

# ----- numbers that are not claims

# words of the answerer about the document, not values of it
_OWN_UNITS: Final = frozenset(("处", "点", "种", "项", "条", "页", "段", "方面", "款", "块"))
_CHECKED: Final = frozenset(
    ("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count", "number")
)
_LIST_NUMBER: Final = re.compile(r"(?:^|[\n。;:,])\s*(?:\(?\d{1,2}[.、)](?!\d)|[①-⑳])")
_OWN_NOUN: Final = re.compile(
    "(?:主要|关键|核心|不同|独立|重要|基本|相关)?(?:的)?(?:方面|问题|部分|步骤|阶段|原因|理由|要点|条件|层面|情形|"
    "角度|因素|事项|"
    "环节|要素|说法|版本|结论|选项|问答|地方|内容|信息|要求|类型|类|原则|案例|事实|方案|途径|特点|争议)"
)
_FRACTION: Final = re.compile(r"\d/$")
_DIGIT_PLACES: Final = re.compile("[前后末尾]$")  # 后四位 are digits, not persons
_LABEL: Final = re.compile(
    r"(?:q|a|p|pp|page|step|item|point|part|note|fig|figure|table|doc|document|source|chunk|ref|no|option|exhibit|"
    r"section|answer|question|evidence|id|line|[a-d])[-_ ]?\d{1,3}",
    re.IGNORECASE,
)
_BARE_UNITS: Final = frozenset("百千万亿")
_STATUTE_BEFORE: Final = re.compile(
    r"(?:§+|\b(?:Act|Code|Law|Sections?|Secs?\.|Rules?|Arts?\.|Articles?|Chapter|Title|Regulations?|U\.S\.C\.|Nos?\.|"
    r"Order|Directive|Form|ISO|GB|Room|Suite|Unit|Box)|第|法释|法发|条例|规定)[\s(〔\[]*(?:of\s+)?(?:No\.?\s*)?$"
)
_STATUTE_AFTER: Final = re.compile(r"\s*(?:U\.?S\.?C?\.?\b|F\.\s?(?:2d|3d|4th|Supp)|S\.\s?Ct|条|号|年版|修正|Act\b)")
_LIST_SPLIT: Final = re.compile(r"[、,]|和|与|及|以及|\band\b")
_ENUMERATION: Final = re.compile(
    r".{0,8}?[:,]\s*(?:一是|其一|第一|首先|一、|1[.、]|\(?[一1]\)|first\b|one is)", re.IGNORECASE
)
_LISTED: Final = re.compile(r"[^,。;:(]{0,10}(?:,?(?:分别)?(?:是|为|即|包括)|[:(]|, namely)([^。;)\n]{2,200})")
_CLAUSE_EDGE: Final = re.compile(r"[。;!?\n(:]|是|有|为")
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
        """Whether a value is a claim only in full: a small number without a unit."""
        return self.full and value.kind == "number" and value.value is not None and value.value < SMALL

    @property
    def is_empty(self) -> bool:
        """Whether the answer asserts nothing that can be checked."""
        return self.is_without_values and not self.own_counts

    @property
    def is_without_values(self) -> bool:
        """Whether the answer has nothing that contexts could have."""
        return not any((self.values, self.quotes, self.names, self.places, self.articles, self.addresses))


@lru_cache(maxsize=1 << 10)
def claims_of(answer: str, *, full: bool = False) -> Claims:
    """The claims of an answer, cached; `full` adds articles of statutes, addresses and small numbers without a unit."""
    text, is_record = _without_keys(read(answer).text)
    marks = _list_marks(text)
    values = [value for value in values_of(text) if value.kind in _CHECKED]
    exempt = [value for value in values if _is_exempt(text, value, marks, is_record=is_record)]
    named = articles(text) if full else []
    if full:
        own = marks | own_numbers(text, named)
        bare = [bare for value in exempt if (bare := _bare_number(text, value, own))]
        at = {value.start: value for value in bare}
        values = [at.get(value.start, value) for value in values]
        exempt = [value for value in exempt if value.start not in at]
    dropped = {value.start for value in exempt}
    quotes, unsaid = _quoted(text)
    return Claims(
        original=answer,
        text=text,
        values=tuple(value for value in values if value.start not in dropped),
        quotes=tuple(quotes),
        names=tuple((name, at) for name, at in names(text) if at not in unsaid),
        places=() if text.isascii() else tuple(chinese_places(text)),
        articles=tuple(named),
        own_counts=tuple(
            (value, tuple(nouns_of(text, value)))
            for value in exempt
            if value.kind in ("count", "number") and (value.value or 0) > 1
        ),
        addresses=tuple(_addresses(answer)) if full else (),
        full=full,
    )


def _addresses(answer: str) -> Iterator[tuple[int, int]]:
    """The addresses outside the links of Markdown, which are markup."""
    for address in ADDRESS.finditer(answer, len(answer) - len(without_thinking(answer))):
        if not answer.endswith("](", 0, address.start()):
            yield address.span()


def _without_keys(text: str) -> tuple[str, bool]:
    """The text without the keys and quotation marks of a JSON record, and whether it has a record."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or not _JSON_KEY.search(text, start, end):
        return text, False
    record = _JSON_KEY.sub(lambda key: " " * (len(key[0]) - 1) + ":", text[start : end + 1])
    record = _JSON_STRING.sub(lambda string: f":{string[1]},", record)
    return text[:start] + record.translate(str.maketrans("{}[]", "    ")) + text[end + 1 :], True


def _list_marks(text: str) -> frozenset[int]:
    """The positions of digits that number a list."""
    return frozenset(at for mark in _LIST_NUMBER.finditer(text) for at in range(mark.start(), mark.end()))


def _is_exempt(text: str, value: Mention, marks: frozenset[int], *, is_record: bool) -> bool:
    """Whether a value is no claim: a list number, a single thing, a label, a statute, a count of statements."""
    match value.kind:
        case "count":
            return _is_own_count(text, value)
        case "number":
            return _is_plain_number(text, value, is_record=is_record)
        case "serial":
            return _LABEL.fullmatch(value.text) is not None
    return value.start in marks or (value.kind == "money" and value.value == 0)


def _is_own_count(text: str, value: Mention) -> bool:
    if value.value is None or value.value <= 1 or value.unit in _OWN_UNITS or not _is_unit(value.unit):
        return True
    if _FRACTION.search(text, max(0, value.start - 2), value.start):
        return True
    if value.unit == "位" and _DIGIT_PLACES.search(text, max(0, value.start - 2), value.start):
        return True
    return _OWN_NOUN.match(text, value.end) is not None or _counts_a_list(text, value)


def _is_unit(unit: str) -> bool:
    return is_measure(unit) or UNIT_AFTER.fullmatch(unit if not unit.isascii() else f" {unit}") is not None


def _counts_a_list(text: str, value: Mention) -> bool:
    """Whether the things counted are listed beside the count: 甲、乙两人 · 两人:甲、乙."""
    if not 2 <= value.value <= 20:
        return False
    before = _CLAUSE_EDGE.split(text[max(0, value.start - 80) : value.start])[-1]
    if len([part for part in _LIST_SPLIT.split(before) if part.strip()]) == value.value:
        return True
    if _ENUMERATION.match(text, value.end):
        return True
    after = _LISTED.match(text[value.end : value.end + 220])
    return after is not None and len([part for part in _LIST_SPLIT.split(after[1]) if part.strip()]) == value.value


def _is_plain_number(text: str, value: Mention, *, is_record: bool) -> bool:
    """Whether a number without a unit is no claim: it is small, or belongs to the name of a law."""
    if value.value is None or value.value < (100 if is_record else SMALL) or value.text in _BARE_UNITS:
        return True
    before = text[max(0, value.start - 24) : value.start]
    return _STATUTE_BEFORE.search(before) is not None or _STATUTE_AFTER.match(text, value.end) is not None


SMALL: Final = 1000
"""A smaller number without a unit is a claim only in full, and known if the document has it in any form."""
_DIGITS: Final = re.compile(r"\d{1,3}(?:\.\d+)?")
_HEADING: Final = re.compile(r"(?:(?<=\n)|\A)\d{1,2}(?:\.\d{1,2})+\.? |(?<=and )\d{1,2}[.)] |(?<=[;:] )\d{1,2}[.)] ")
# a number that is part of an identifier, a version, a fraction or a time, that a bracket encloses, or that labels
_PART_BEFORE: Final = re.compile(r"[A-Za-z_#/@\\(\[]$|[A-Za-z)][-.]$|\d[./:-]$")
_PART_AFTER: Final = re.compile(r"[A-Za-z_\]]|[-/][A-Za-z]|[.:/-]\d|倍率")
_LABELLED: Final = re.compile(
    r"(?:问题|方案|情形|情况|步骤|选项|要点|证据|附件|图|表|例|类型|阶段|部分|条件|观点|理由|注|题|文档|段落|"
    r"资料|来源|参考|第|以下|如下|以上|前|上述)$"
    r"|\b(?:step|option|example|case|reason|point|phase|stage|level|type|scenario|question|document|doc|source|context|"
    r"passage|reference|ref|note|appendix|annex|schedule|exhibit|figure|table|page|line|item|part|top|version|chunk|"
    r"these|those|following|first|other|main|key)s? ?$",
    re.IGNORECASE,
)
_OWN_ENGLISH: Final = re.compile(
    r" ?(?:\w+ )?(?:reasons?|points?|steps?|ways?|factors?|parts?|categories|types?|kinds?|conditions?|elements?|"
    r"examples?|requirements?|options?|aspects?|issues?|questions?|items?|sections?|things?|statements?|sentences?|paragraphs?|"
    r"documents?|sources?|passages?|contexts?|answers?|words?|bullets?|facts?|criteria|methods?|principles?)\b",
    re.IGNORECASE,
)


def _bare_number(text: str, value: Mention, own: frozenset[int]) -> Mention | None:
    """A number in digits that is not compared by its unit, as a claim; None if it is a label or part of a name."""
    digits = _DIGITS.match(text, value.start) if value.kind in ("number", "count") else None
    if digits is None or value.value is None or value.start in own or _is_unit(value.unit):
        return None
    if _PART_BEFORE.search(text[max(0, value.start - 2) : value.start]) or _PART_AFTER.match(text, digits.end()):
        return None
    if _HEADING.match(text, value.start):
        return None
    if _LABELLED.search(text, max(0, value.start - 12), value.start) or _OWN_ENGLISH.match(text, digits.end()):
        return None
    if _is_own_noun(text, value) or _STATUTE_BEFORE.search(text, max(0, value.start - 24), value.start):
        return None
    return value._replace(kind="number", unit="", end=digits.end(), text=digits[0])


def _is_own_noun(text: str, value: Mention) -> bool:
    return _OWN_NOUN.match(text, value.end) is not None or _counts_a_list(text, value)


def _quoted(text: str) -> tuple[list[tuple[str, int]], frozenset[int]]:
    """Quotations with their positions, and all positions inside quotations that the answer says are absent."""
    quotes: list[tuple[str, int]] = []
    unsaid: list[int] = []
    for quote in _QUOTE.finditer(text):
        if _DENIED_QUOTE.search(text[max(0, quote.start() - 40) : quote.start()]):
            unsaid += range(quote.start(), quote.end())
            continue
        inner = next(group for group in quote.groups() if group)
        if quote_key(inner):
            quotes.append((inner, quote.start() + quote[0].index(inner)))
    return quotes, frozenset(unsaid)
