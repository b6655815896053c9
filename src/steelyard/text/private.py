"""Personal data in a text: identity, phone, card and plate numbers, e-mail addresses, house numbers.

Amounts, dates, case and contract numbers, articles and pages are not personal. An ambiguous number is personal unless
the words before it say otherwise (订单号, contract no.); an identity number with a valid check digit always is.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from steelyard.text.normalisation import Folded, fold, fold_with_offsets

_KEPT: Final = 4
_KEPT_OF_SHORT: Final = 2
_SHORT: Final = 9
_CODE: Final = re.compile("[0-9A-Za-z〇零○一二三四五六七八九幺]")
_CODES: Final = {"house": re.compile("[0-9A-Za-z〇零一二三四五六七八九十百]"), "mail": re.compile(".")}
"""The characters that are masked; blanks and dashes are kept."""
_LONG: Final = re.compile("[0-9](?:[ ().-]{0,2}[0-9]){5}")
_SEPARATOR: Final = "separator"
_ANY: Final = re.compile(r"[\d@＠〇零一二三四五六七八九十]")


@dataclass(frozen=True, slots=True)
class Private:
    """A private passage: `places` are the characters to mask, `start` and `end` its span in the original text."""

    kind: str
    start: int
    end: int
    places: tuple[int, ...]


@lru_cache(maxsize=1 << 8)
def private_passages(text: str) -> tuple[Private, ...]:
    """The private passages of a text, in order; of two that overlap, the one of the more certain kind."""
    folded = _folded(text)
    if not _ANY.search(folded.text):
        return ()
    taken = bytearray(len(folded.text))
    passages: list[Private] = []
    for kind, start, end in _spans(folded.text):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            passages.append(_private(kind, folded, start, end))
    return tuple(sorted(passages, key=lambda passage: passage.start))


def _folded(text: str) -> Folded:
    plain = fold(text)
    # no character is folded into several: equal length means equal offsets
    return Folded(plain, tuple(range(len(text) + 1))) if len(plain) == len(text) else fold_with_offsets(text)


def _private(kind: str, folded: Folded, start: int, end: int) -> Private:
    codes = _CODES.get(kind, _CODE)
    characters = [index for index in range(start, end) if codes.match(folded.text[index])]
    hidden = characters[: len(characters) - _kept(kind, len(characters))]
    return Private(kind, *folded.original_span(start, end), tuple(folded.offsets[index] for index in hidden))


def _kept(kind: str, length: int) -> int:
    """The number of last characters that stay visible."""
    if kind in ("house", "mail"):
        return 0
    return _KEPT if length >= _SHORT else _KEPT_OF_SHORT


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    has_number = _LONG.search(text) is not None
    for kind, pattern in _PATTERNS.items():
        if kind in _NEEDING_NUMBER and not has_number:
            continue
        for match in pattern.finditer(text):
            named = [match.span(name) for name, value in match.groupdict().items() if value and name != _SEPARATOR]
            for start, end in named or [match.span()]:
                if kind in _CERTAIN or not _is_public(text, start, end):
                    yield kind.rstrip("+"), start, end


def _is_public(text: str, start: int, end: int) -> bool:
    """Whether the words before exclude a personal number, or it is a list of years or a date."""
    value = text[start:end]
    if _has_check_digit(value):
        return False
    before = text[max(0, start - 24) : start]
    is_announced = _PUBLIC_BEFORE.search(before) and not _PERSONAL_BEFORE.search(before)
    return bool(is_announced or _YEARS.fullmatch(value) or _DAY.fullmatch(value))


def _has_check_digit(value: str) -> bool:
    """Whether it is a Chinese identity number with a valid check digit (GB 11643)."""
    plain = re.sub("[ -]", "", value).upper()
    if not re.fullmatch("[0-9]{17}[0-9X]", plain) or not _ID_DATE.search(plain):
        return False
    total = sum(int(digit) << (17 - index) for index, digit in enumerate(plain[:17]))
    return "10X98765432"[total % 11] == plain[17]


# ----- context of a number

_BEFORE: Final = r"(?<![0-9A-Za-z])(?<![0-9]\.)"
_NO_PART: Final = r"(?<![0-9A-Za-z][-_/])"  # HT-010-12345678 is one number
_MONEY: Final = r"(?![ ]?(?:[万亿]|元|圆|块|美元|美金|港元|欧元|英镑|日元|yuan|RMB|CNY|USD|dollars))"
_AFTER: Final = rf"(?![0-9A-Za-z])(?!\.[0-9])(?!,[0-9]{{3}}(?![0-9]))(?![ ]?[%‰]){_MONEY}"
_NO_MORE: Final = r"(?![-_/][0-9A-Za-z])"

_PUBLIC_BEFORE: Final = re.compile(
    r"(?:(?:合同|协议|订单|案|流水|编|单|凭证|发票|文|序列|票|批准|许可证|登记|注册|备案|档案|物流|快递|商品|产品|批|工|学|"
    r"项目|招标|交易|保险|证书|权证|期|版本|会员)(?:编|单)?号码?|合同|协议|订单|发票|凭证|信用代码|识别号|税号|(?:条形?|编)码"
    r"|代码|字第"
    r"|\b(?:case|contract|order|invoice|docket|serial|reference|ref|tracking|policy|agreement|isbn|version|no|nr|vat)"
    r"\.?(?: (?:number|no|id)\b\.?)?)"
    r"(?:\([^()]{0,8}\))?(?:为|是|系|第|字|:|#|=|\s|is\b)*$",
    re.IGNORECASE,
)
_PERSONAL_BEFORE: Final = re.compile(
    r"(?:身份证?件?|证件|护照|通行证|卡|账户?|帐户?|户|手机|电话|社保|医保|会员卡)(?:编|号)*码?(?:为|是|系|:|#|=|\s)*$"
    r"|\b(?:account|card|phone|telephone|passport|ssn|security) (?:number|no)\b\.?(?:is|:|#|=|\s)*$",
    re.IGNORECASE,
)
_YEARS: Final = re.compile("(?:(?:19|20)[0-9]{2}[ -]?)+")
_DAY: Final = re.compile(
    r"(?:19|20)[0-9]{2}(?:([-/ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[0-9]{4}|[0-9]{6})?)"
)
_ID_DATE: Final = re.compile("^[1-9][0-9]{5}(?:1[89]|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")

# ----- personal, phone and card numbers

_DATE: Final = "(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
_ID_18: Final = rf"[1-9][0-9]{{5}}[ -]?(?:1[89]|20)[0-9]{{2}}[ -]?{_DATE}[ -]?[0-9]{{3}}[0-9Xx]"
_ID_15: Final = rf"[1-9][0-9]{{7}}{_DATE}[0-9]{{3}}"
_ID: Final = rf"{_BEFORE}(?:{_ID_18}|{_ID_15}|[0-9]{{17}}[Xx]){_AFTER}|{_BEFORE}[A-Z]{{1,2}}[0-9]{{6}}\([0-9A]\)"
_SSN: Final = rf"{_BEFORE}{_NO_PART}(?!000|666|9)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}{_AFTER}{_NO_MORE}"
_PASSPORT: Final = rf"{_BEFORE}{_NO_PART}(?:[EG][0-9]{{8}}|E[A-HJ-NP-Z][0-9]{{7}}|[HM][0-9]{{8}}){_AFTER}{_NO_MORE}"
_MOBILE: Final = (
    rf"(?:\+|{_BEFORE})(?:\(?(?:00)?86\)?[ -]?)?(?:1[3-9][0-9][ -]?[0-9]{{4}}[ -]?[0-9]{{4}}"
    r"|1[3-9][0-9]{2}[ -][0-9]{3}[ -][0-9]{4}|1[3-9][0-9][ -][0-9]{3}[ -][0-9]{5}|1[3-9][0-9]{3}[ -][0-9]{6}"
    rf"|1(?: [0-9]){{10}}){_AFTER}"
)
_LANDLINE: Final = (
    rf"{_BEFORE}{_NO_PART}(?:\(0(?:10|2[0-9]|[3-9][0-9]{{2}})\)|0(?:10|2[0-9]|[3-9][0-9]{{2}}))[ -]?"
    rf"[1-9][0-9]{{2,3}}[ -]?[0-9]{{4}}(?:(?:转|分机| ?ext\.? ?|-)[0-9]{{1,6}})?{_AFTER}{_NO_MORE}"
)
_ABROAD: Final = (
    rf"(?<![0-9A-Za-z+])\+[1-9][0-9]{{0,2}}[ -]?(?:\([0-9]{{1,4}}\)[ -]?)?[0-9](?:[ -]?[0-9]){{7,12}}{_AFTER}"
    rf"|{_BEFORE}{_NO_PART}(?:1[-. ])?(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[-.])"
    rf"[0-9]{{3}}[-.][0-9]{{4}}{_AFTER}{_NO_MORE}"
)
_CARD: Final = (
    rf"{_BEFORE}(?:[0-9]{{16,19}}|[0-9]{{6}} [0-9]{{10,13}}|3[47][0-9]{{2}}[ -][0-9]{{6}}[ -][0-9]{{5}}){_AFTER}"
    rf"|{_BEFORE}{_NO_PART}[0-9]{{4}}(?P<{_SEPARATOR}>[ -])(?:[0-9]{{4}}(?P={_SEPARATOR})){{2}}[0-9]{{1,4}}"
    rf"(?:(?P={_SEPARATOR})[0-9]{{1,4}})?{_AFTER}{_NO_MORE}"
)
_SPOKEN: Final = "[〇零○一二三四五六七八九幺]{11,}"
_PLATE: Final = (
    "[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·•. ]?"
    "(?=[A-Z0-9]*[0-9])[A-HJ-NP-Z0-9]{5,6}(?![0-9A-Za-z])"
    "|车牌号?码?(?:为|是|:)?\\s*(?P<plate>[\u4e00-\u9fff][A-Z][·•. ]?[A-Z0-9]{5,6})(?![0-9A-Za-z])"
)
_ANNOUNCED: Final = (
    r"(?:身份证件?|公民身份|证件|护照|通行证|驾驶证|社保卡?|医保卡?|银行卡?|卡|账|帐|账户|帐户|电话|手机|座机|传真|联系方式"
    r"|微信|QQ|支付宝|\b(?:tel|telephone|phone|mobile|cell|fax|ssn|social security|passport|account|card|id card)\b\.?)"
    r"(?: ?(?:编?号码?|numbers?\b|no\b\.?))?(?:\([^()]{0,8}\))?(?:分别)?(?:为|是|系|:|=|#|\bis\b|\s|\bat\b)*"
    rf"(?P<announced>[A-Za-z]{{0,3}}\(?[0-9](?:[ ()-]{{0,2}}[0-9]){{5,29}}[Xx]?){_AFTER}{_NO_MORE}"
)
_MAIL: Final = r"(?<![A-Za-z0-9._%+-])(?P<local>[A-Za-z0-9._%+-]+)@[\w-]+(?:\.[\w-]+)+"

# ----- addresses

_NUMERAL: Final = "(?:[0-9]{1,5}|[〇零一二三四五六七八九十百]{1,6})(?:[-之][0-9]{1,4}){0,3}[A-Za-z]?"
_NO_DECREE: Final = "(?!文|令|线|公告|通知|案|决议|桌)"
_UNIT: Final = f"(?:号院|号楼|号{_NO_DECREE}|弄|栋|幢|座|单元|层|楼|室|户|房|组|队|社|门)"
_LAST: Final = "(?:[0-9]{3,4}(?![0-9年元个名套万.,])室?)?"
_HOUSE: Final = (
    f"(?P<house>(?:[附甲乙丙丁]?{_NUMERAL} ?{_UNIT}[ ,]?)+{_LAST}|[0-9]{{1,3}}(?:-[0-9]{{1,4}}){{2}}(?![0-9-]))"
)
_WAY: Final = (
    "(?:(?<![走半思线网电一])路|街|(?<![知报说问答听难味频渠轨])道|巷|弄|胡同|村|小区|社区|花园|家园|公寓|大厦|新村|家属院"
    "|宿舍|工业园区?|开发区)(?:[东南西北中][段侧]?)? ?"
)
_PLACE: Final = "[省市区县旗州镇乡][^\\n,。;:!?、]{0,20}?[里庄屯寨苑园城府坊湾条段沟岭坪塘堡] ?"
_FLAT: Final = (
    f"(?P<flat>{_NUMERAL}(?:号楼|栋|幢|座) ?(?:{_NUMERAL}单元 ?)?(?:{_NUMERAL}[层楼] ?)?"
    f"(?:{_NUMERAL}[室房户]|[0-9]{{3,4}}(?![0-9元个名套平㎡层年]))|{_NUMERAL}单元 ?{_NUMERAL}[室户号])"
)
_ENGLISH: Final = (
    r"(?:\b(?:Flat|Apartment|Apt\.?|Suite|Unit|Room) (?P<flat_before>[0-9A-Z-]{1,6}),? )?"
    r"(?<![0-9A-Za-z.,/-])(?<!\b[Ii]n )(?<!\bof )(?<!\b[Bb]y )(?<!ince )(?<!No\. )"
    r"(?P<number>[0-9]{1,6}[A-Za-z]?(?:-[0-9]{1,4})?) "
    r"(?:[NSEW]\.? |North |South |East |West )?(?:(?!District|Supreme|High|Crown|County|Federal|Circuit|Trial"
    r"|Superior|Appeals?|International|Intermediate|People)(?:[A-Z][A-Za-z'.]*|[0-9]{1,3}(?:st|nd|rd|th)) ){1,3}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Place|Square|Way|Terrace|Parkway"
    r"|Crescent|Close)\b\.?(?:,? (?:Flat|Apartment|Apt\.?|Suite|Unit|Room|#) ?(?P<flat_after>[0-9A-Z-]{1,6})\b)?"
    r"|\bP\.? ?O\.? Box (?P<box>[0-9]{1,6})"
)

_PATTERNS: Final[Mapping[str, re.Pattern[str]]] = {
    "mail": re.compile(_MAIL),
    "id": re.compile(_ID),
    "phone": re.compile(_MOBILE),
    "card": re.compile(_CARD),
    "phone+": re.compile(f"{_LANDLINE}|{_ABROAD}"),
    "id+": re.compile(f"{_SSN}|{_PASSPORT}"),
    "announced": re.compile(_ANNOUNCED, re.IGNORECASE),
    "spoken": re.compile(_SPOKEN),
    "plate": re.compile(_PLATE),
    "house": re.compile(f"(?:{_WAY}|{_PLACE}){_HOUSE}"),
    "house+": re.compile(f"{_FLAT}"),
    "house++": re.compile(_ENGLISH),
}
"""In order of precedence."""
_CERTAIN: Final = frozenset(("mail", "plate", "house", "house+", "house++"))
_NEEDING_NUMBER: Final = frozenset(("id", "phone", "card", "phone+", "id+", "announced"))
"""Kinds that have at least six digits."""
