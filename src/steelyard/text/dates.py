"""Chinese and English dates in a text; missing parts are never filled in from the current date."""

import re
from calendar import monthrange
from typing import Final, NamedTuple

from steelyard.text.numerals import CHINESE, value_of


class Day(NamedTuple):
    """A date; parts that the text does not give are None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it specifies one day."""
        return None not in (self.year, self.month, self.day)

    @property
    def is_possible(self) -> bool:
        """Whether the date exists."""
        if self.month is not None and not 1 <= self.month <= 12:
            return False
        if self.day is None:
            return True
        longest = monthrange(self.year or 2000, self.month)[1] if self.month else 31
        return 1 <= self.day <= longest

    def agrees(self, other: "Day") -> bool:
        """Whether the common parts are equal, and this gives no part that the other lacks."""
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(one is None or one == two for one, two in zip(mine, theirs, strict=True))

    def isoformat(self) -> str:
        """YYYY-MM-DD, with ?? for missing parts."""
        parts = (
            f"{self.year:04}" if self.year else "????",
            *(f"{n:02}" if n else "??" for n in (self.month, self.day)),
        )
        return "-".join(parts)


class DateMention(NamedTuple):
    """A date in a text; `until` ends a range; a `loose` date is a bound, a part of a month, or not Gregorian."""

    start: int
    end: int
    text: str
    day: Day
    until: Day | None = None
    loose: str = ""
    approx: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether it specifies exactly one existing day."""
        return self.until is None and not self.loose and self.day.is_whole and self.day.is_possible


_N: Final = f"[{CHINESE}]"
_YEAR: Final = rf"(?P<y>(?:1[5-9]|20)\d{{2}}|{_N}{{4}}|同|次|翌)年"
_MONTH: Final = rf"(?P<m>\d{{1,2}}|{_N}{{1,3}})月"
_DAYS: Final = rf"(?P<d>\d{{1,2}}|{_N}{{1,4}})[日号](?!码|楼|院|房|店|线|元)"
_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME: Final = (
    r"(?P<M>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}{_MONTH}{_DAYS}",
        r"(?<![\dA-Za-z])(?P<y>(?:1[5-9]|20)\d{2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d])(?:T\d{2}:\d{2}\S{0,20})?",
        r"(?<![\dA-Za-z])(?P<y>(?:19|20)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\dA-Za-z])",
        rf"(?<![A-Za-z]){_NAME}\s{{1,3}}(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(?P<y>(?:1[5-9]"
        rf"|20)\d{{2}})(?!\d)",
        rf"(?<![0-9A-Za-z])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[\s-]{{1,3}}(?:day\s)?(?:of\s)?{_NAME},?[\s-]{{1,3}}(?P<y>(?:1[5-9]|20)\d{{2}})(?!\d)",
        r"(?<![\d/])(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d{2})(?![\d/])",
        rf"{_YEAR}{_MONTH}",
        rf"(?<![A-Za-z]){_NAME},?\s{{1,3}}(?:of )?(?P<y>(?:1[5-9]|20)\d{{2}})(?!\d)",
        rf"{_MONTH}{_DAYS}",
        rf"(?<![A-Za-z]){_NAME}\s{{1,3}}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b",
        rf"(?<![0-9A-Za-z])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s{{1,3}}(?:of\s)?{_NAME}(?![a-z])",
        rf"(?P<r>同月){_DAYS}",
        rf"{_YEAR}",
        rf"(?<![\d{CHINESE}第]){_MONTH}",
    )
)
_DAY_BEFORE: Final = re.compile(r"(?<![\d/.-])(?P<d>\d{1,2})(?:st|nd|rd|th)?\s?(?:to|until|through|till|-|~|至|到)\s?$")
_SHORT_END: Final = re.compile(r"(?P<m>\d{1,2})[./](?P<d>\d{1,2})(?![\d./])")
_LONE_DAY: Final = re.compile(rf"(?P<d>\d{{1,2}}|{_N}{{1,3}})[日号]")
_JOIN: Final = re.compile(
    r"\s*(?:起)?\s*(?:,\s*)?(?:至|到|-|~|to|until|through|and ended? on|止于|直至)\s*(?:on\s+)?", re.IGNORECASE
)
_VAGUE: Final = re.compile(r"(?:的)?(?:底|初(?!次|步|始|中|审)|末|中旬|上旬|下旬|中(?!午|国|心|止|途)|月底|年底)")
_BOUND_AFTER: Final = re.compile(
    r"(?:以前|之前|以后|之后|以内|之内|前(?!往|来|去|述|款|台|夫|妻|科|后|面|期|任)|后(?!来|续|台|果|面|期)|起(?!诉|草|火|因|来|先|生效|施行|执行|实施|计|开始|实行|算|租|任))"
)
_BOUND_BEFORE: Final = re.compile(
    r"(?:不晚于|不早于|最迟|最晚|至迟|早于|晚于|截至|截止|before|after|by|until|since|no later than|"
    r"not later than|prior to)\s*(?:on\s+)?$",
    re.IGNORECASE,
)
_APPROX_AFTER: Final = re.compile(r"(?:[(（])?(?:左右|前后|上下|许)")
_APPROX_BEFORE: Final = re.compile(
    r"(?:大约|大概|约|好像|around|about|approximately|circa)\s*(?:是|在|on|于)?\s*$", re.IGNORECASE
)
_LUNAR: Final = re.compile(r"(?:农历|阴历|旧历|夏历)\D{0,3}$")
LUNAR_DAY: Final = re.compile(
    rf"(?:农历|阴历|旧历)?(?:[\d{CHINESE}]{{1,6}}年)?(?:正|腊|冬|闰?[一二三四五六七八九十]{{1,2}})月(?:初[一二三四五六七八九十]|十[一二三四五六七八九]|廿[一二三四五六七八九]?|二十[一二三四五六七八九]?|三十)(?![日号一二三四五六七八九十])"
)


def dates(text: str) -> list[DateMention]:
    """All dates of a normalised text, in order; the ends of a range are one entry."""
    resolved = [_with_day_before(text, mention) for mention in _resolved(_mentions(text))]
    return _ranges(text, [_qualified(text, mention) for mention in resolved])


def _with_day_before(text: str, mention: DateMention) -> DateMention:
    """3 to 19 August 2022 is a range whose start takes the month and the year of its end."""
    before = _DAY_BEFORE.search(text[max(0, mention.start - 12) : mention.start]) if mention.day.is_whole else None
    if before is None or not text[mention.start].isdigit() or mention.text[:4].isdigit():
        return mention
    start = mention.start - len(before[0])
    begun = mention.day._replace(day=int(before["d"]))
    return mention._replace(start=start, text=text[start : mention.end], day=begun, until=mention.day)


def _mentions(text: str) -> list[tuple[DateMention, str]]:
    """Each date with its relative year; of several matching forms the longest is used."""
    taken = bytearray(len(text) + 1)
    dated = []
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) >= 0:
                continue
            day, relative = _day(match)
            taken[start:end] = b"\1" * (end - start)
            dated.append((DateMention(start, end, match[0], day), relative))
    return sorted(dated, key=lambda pair: pair[0].start)


def _day(match: re.Match[str]) -> tuple[Day, str]:
    groups = match.groupdict()
    year = groups.get("y")
    relative = groups.get("r") or (year if year in ("同", "次", "翌") else "")
    if "a" in groups:
        return _slashed(int(groups["a"]), int(groups["b"]), int(year or 0)), ""
    month = _NAMES.index(groups["M"][:3].lower()) + 1 if groups.get("M") else _whole(groups.get("m"))
    return Day(None if relative else _whole(year), month, _whole(groups.get("d"))), relative


def _slashed(first: int, second: int, year: int) -> Day:
    """30/8/2020 and 8/30/2020 are unambiguous; 5/6/2020 is ambiguous and has no day."""
    if first > 12 >= second:
        return Day(year, second, first)
    if second > 12 >= first:
        return Day(year, first, second)
    return Day(year, first, second) if first == second else Day(year)


def _whole(text: str | None) -> int | None:
    value = value_of(text) if text else None
    return None if value is None else int(value)


def _resolved(dated: list[tuple[DateMention, str]]) -> list[DateMention]:
    """同年 and 同月 are the year and the month of the date before, 次年 and 翌年 the year after."""
    resolved: list[DateMention] = []
    for mention, relative in dated:
        before = resolved[-1].day.year if resolved else None
        if relative == "同月" and resolved:
            last = resolved[-1].day
            resolved.append(mention._replace(day=mention.day._replace(year=last.year, month=last.month)))
        elif relative and before is not None:
            year = before if relative == "同" else before + 1
            resolved.append(mention._replace(day=mention.day._replace(year=year)))
        else:
            resolved.append(mention)
    return resolved


def _qualified(text: str, mention: DateMention) -> DateMention:
    """Whether the words beside a date make it a bound, a part of a month, approximate or lunar."""
    before, after = text[max(0, mention.start - 24) : mention.start], text[mention.end : mention.end + 8]
    vague = _VAGUE.match(after) if mention.day.day is None else None
    after_vague = after[vague.end() :] if vague else after
    loose = ""
    if _LUNAR.search(before):
        loose = "lunar"
    elif _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after_vague):
        loose = "bound"
    elif vague:
        loose = "vague"
    approx = bool(_APPROX_AFTER.match(after) or _APPROX_BEFORE.search(before))
    return mention._replace(loose=loose, approx=approx)


def _ranges(text: str, mentions: list[DateMention]) -> list[DateMention]:
    """Join a date to the next if only a word for "to" is between them; the end inherits year and month."""
    joined: list[DateMention] = []
    skip = -1
    for index, mention in enumerate(mentions):
        if index <= skip:
            continue
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        if mention.until is not None:
            joined.append(mention)
            continue
        until = _end_of_range(text, mention, following)
        if until is None:
            joined.append(mention)
            continue
        skip = index + 1 if following is not None and until.start == following.start else skip
        loose = "" if mention.loose == "bound" and not until.loose else mention.loose or until.loose
        begun = mention.day._replace(year=mention.day.year or until.day.year)
        words = text[mention.start : until.end]
        joined.append(mention._replace(end=until.end, text=words, day=begun, until=until.day, loose=loose))
    return joined


def _end_of_range(text: str, mention: DateMention, following: DateMention | None) -> DateMention | None:
    join = _JOIN.match(text, mention.end)
    if join is None:
        return None
    if following is not None and following.start == join.end():
        end = following
    elif lone := _LONE_DAY.match(text, join.end()):
        end = DateMention(lone.start(), lone.end(), lone[0], Day(None, None, _whole(lone["d"])))
    elif short := _SHORT_END.match(text, join.end()):  # 2020.7.8-7.26
        end = DateMention(short.start(), short.end(), short[0], Day(None, int(short["m"]), int(short["d"])))
    else:
        return None
    day = end.day._replace(year=end.day.year or mention.day.year, month=end.day.month or mention.day.month)
    closing = 1 if text[end.end : end.end + 1] == "止" else 0
    return end._replace(day=day, end=end.end + closing)
