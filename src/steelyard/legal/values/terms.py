"""Terms of imprisonment: 有期徒刑三年六个月 is 42 months; 死刑, 死缓 and 无期徒刑 are apart, ranges have no months."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from steelyard.lexicon import lexicon
from steelyard.text.values import CHINESE, NUMBER_WORDS, numerals, value_of

Kind = Literal["imprisonment", "detention", "surveillance", "life", "death", "death_reprieve"]
_LAW: Final = lexicon("law")
_LONGEST: Final = 100 * 12  # months; more is a date
_DAYS: Final = 30  # of a month
_NEAR: Final = 60

_N: Final = rf"(?:\d{{1,4}}(?:\.\d)?|[{CHINESE}]{{1,5}})"
_DURATION: Final = (
    rf"(?:(?:{_N}年(?:半|[零又加]?{_N}个?月)?|半年|{_N}个半月|{_N}个?月)(?:[零又]?{_N}[日天])?|{_N}[日天])"
)
_SPAN: Final = (
    rf"(?:(?P<low>{_DURATION}|{_N})(?:以上)?(?:至|到|-|~|以上)(?P<high>{_DURATION})(?:以[下内])?|(?P<bound>{_DURATION})(?P<side>以[上下内])"
    rf"|(?P<exact>{_DURATION}))(?!以)"
)
_KIND: Final = _LAW.source("term_kind", "zh")
_CHINESE_LIMIT: Final = rf"(?P<limit>{_LAW.source('term_limit', 'zh')})?"
_CHINESE: Final = (
    re.compile(rf"(?P<kind>{_KIND})[\]】]?(?:{_LAW.source('term_filler')})*{_CHINESE_LIMIT}(?P<span>{_SPAN})"),
    re.compile(rf"{_CHINESE_LIMIT}(?P<span>{_SPAN})的?(?P<kind>{_LAW.source('term_kind_after')})(?!{_N}[年个月])"),
)  # fmt: skip
_PIECE: Final = re.compile(rf"({_N}|半)个?(半)?(年|月|日|天)(半)?")
_SUSPENDED: Final = re.compile(rf"(?:{_LAW.source('suspended', 'zh')})({_DURATION})")

_W: Final = rf"(?:\d{{1,3}}(?:\.5)?|\ban?|{NUMBER_WORDS})"
_ENGLISH_DURATION: Final = (
    rf"{_W}[ -](?:and a half[ -])?(?:years?|months?|days?|weeks?)\b"
    rf"(?:(?:,| and|, and)? {_W} (?:months?|days?)\b)?(?: and a half)?"
)
_AND_TO: Final = "(?(between)(?: to | and |-)|(?: to |-))"
_LIMIT: Final = rf"(?P<limit>{_LAW.source('term_limit', 'en')})?"
_ENGLISH_SPAN: Final = (
    rf"(?:(?P<between>between |from )?(?P<low>{_W}(?: (?:years?|months?))?){_AND_TO}"
    rf"(?P<high>{_W}[ -](?:years?|months?))\b"
    rf"|(?P<exact>{_ENGLISH_DURATION}))"
)
_ENGLISH: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<kind>{_LAW.source('term_kind', 'en')})(?: (?:sentences?|terms?))?{_LAW.source('term_lead')}"
        rf"{_LIMIT}(?P<span>{_ENGLISH_SPAN})",
        rf"\b{_LIMIT}(?P<span>{_ENGLISH_SPAN})['’]?s?[ -]"
        rf"(?P<kind>{_LAW.source('term_after')})",
        rf"(?P<kind>{_LAW.source('sentenced')}){_LIMIT}(?P<span>{_ENGLISH_SPAN})",
    )
)
_ENGLISH_NEXT: Final = re.compile(
    rf"(?:,|;| and|, and) (?!(?:a|the|his|her|its) (?:lease|term|contract)|suspended|with )"
    rf"(?P<kind>(?:[\w’'-]+ ){{1,5}}(?:for|to)) "
    rf"{_LIMIT}(?P<span>{_ENGLISH_SPAN})",
    re.IGNORECASE,
)
"""What follows a term of another person: jailed for 30 months, and his brother for two years."""
_ENGLISH_PIECE: Final = re.compile(rf"({_W})[ -](and a half[ -])?(year|month|week|day)s?( and a half)?", re.IGNORECASE)
_ENGLISH_SUSPENDED: Final = re.compile(rf"(?:{_LAW.source('suspended', 'en')})({_ENGLISH_DURATION})", re.IGNORECASE)
_BARE: Final = (
    re.compile(rf"({_DURATION})[,、]?{_SUSPENDED.pattern}"),
    re.compile(rf"\b({_ENGLISH_DURATION}),? {_ENGLISH_SUSPENDED.pattern}", re.IGNORECASE),
)
"""A duration that is a term because it is suspended."""
_LED: Final = len("决定执行")
_UNIT: Final = re.compile("年|个?月|[ -](?:year|month)")
_MONTHS: Final = {"年": 12, "year": 12, "月": 1, "month": 1}
_DAYS_OF: Final = {"日": 1, "天": 1, "day": 1, "week": 7}


class Term(NamedTuple):
    """A sentence: its whole `months`, and its `days` beyond them; `suspended` are the months of probation.

    `range` has both ends in months, None where it is open. Death and life have neither months nor range.
    """

    start: int
    end: int
    text: str
    kind: Kind
    months: int | None = None
    suspended: int | None = None
    days: int | None = None
    range: tuple[int | None, int | None] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Return what two terms that are the same have in common."""
        return self.kind, self.months, self.days, self.range


def terms(text: str) -> list[Term]:
    """Return the terms of a normalised text, in order; what is executed in all wins over the single terms."""
    named = _outermost([*_timed(text), *_untimed(text)])
    return _executed(text, [_with_probation(text, term, named[at + 1 :]) for at, term in enumerate(named)])


def sentence_of(text: str) -> Term | None:
    """Return the one sentence that a text gives; a text that is only a duration is one: 18个月.

    Of a judgment it is what 判决如下 comes to for all persons, else the last term counts that is not of an earlier
    conviction. None if there is none, or only a range.
    """
    if (judged := judgment_in(text)) and (found := _passed(judged)):
        return _total(found)
    if found := _passed(text):
        return found[-1]
    return duration_as_term(text) or _suspended_alone(text)


def duration_as_term(text: str) -> Term | None:
    """Return a text that is only a duration as a term of imprisonment; None if it is anything else."""
    months, days = _length(text) if _LAW["only_duration"].fullmatch(text.strip()) else (None, None)
    return Term(0, len(text), text, "imprisonment", months, days=days) if months is not None or days else None


def _suspended_alone(text: str) -> Term | None:
    """Return the term that is one only by its suspension: 6 months suspended for two years."""
    match = next(filter(None, (pattern.search(text) for pattern in _BARE)), None)
    if match is None:
        return None
    months, days = _length(match[1])
    return Term(*match.span(), match[0], "imprisonment", months, _length(match[2])[0], days)


def _passed(text: str) -> list[Term]:
    """Return the terms without ranges, and without those of earlier convictions if there are others."""
    found = [term for term in terms(text) if term.range is None]
    ends = [0, *(term.end for term in found)]
    before = [text[max(end, term.start - _NEAR) : term.start] for end, term in zip(ends, found, strict=False)]
    return [term for term, words in zip(found, before, strict=True) if not _LAW["earlier_term"].search(words)] or found


def judgment_in(text: str) -> str:
    """Return what a judgment orders, after 判决如下; "" if the text is none."""
    orders = list(_LAW["orders"].finditer(text))
    return text[orders[-1].end() :] if orders else ""


def _total(found: Sequence[Term]) -> Term:
    """Return the heaviest sentence of several, or what terms with months come to."""
    untimed = [term for kind in ("death", "death_reprieve", "life") for term in found if term.kind == kind]
    if untimed:
        return untimed[0]
    months, days = (sum(getattr(term, unit) or 0 for term in found) for unit in ("months", "days"))
    return found[-1]._replace(months=months, days=days or None)


# ----- reading


def _timed(text: str) -> Iterator[Term]:
    for pattern in (*_CHINESE, *_ENGLISH):
        for match in pattern.finditer(text):
            if (term := _term(match)) and not _LAW["no_term"].search(
                text[max(0, match.start() - _NEAR) : match.start()]
            ):
                yield term
                following = _ENGLISH_NEXT.match(text, match.end()) if _LAW["sentenced"].match(match[0]) else None
                if following and (term := _term(following)):
                    yield term


def _term(match: re.Match[str]) -> Term | None:
    named = match["kind"].lower()
    kind: Kind = "imprisonment"
    if _LAW["is_detention"].search(named):
        kind = "detention"
    elif _LAW["is_surveillance"].search(named):
        kind = "surveillance"
    term = Term(*match.span(), match[0], kind)
    if match["exact"] and not match["limit"]:
        months, days = _length(match["exact"])
        return term._replace(months=months, days=days) if _is_possible(months, days) else None
    ends = _ends(match)
    return term._replace(range=ends) if any(ends) else None


def _is_possible(months: int | None, days: int | None) -> bool:
    return (months is not None and 0 <= months <= _LONGEST) or days is not None


def _ends(match: re.Match[str]) -> tuple[int | None, int | None]:
    """Return the ends of a range in months; one of them is None for 三年以下 and "up to three years"."""
    parts = match.groupdict()
    if parts["low"] and parts["high"]:
        unit = _UNIT.search(parts["high"])
        low = parts["low"] if _UNIT.search(parts["low"]) or unit is None else f"{parts['low']}{unit[0]}"
        return _length(low)[0], _length(parts["high"])[0]
    one = parts.get("bound") or parts["exact"] or ""
    is_low = parts.get("side") == "以上" or _LAW["at_least"].search(parts["limit"] or "") is not None
    return (_length(one)[0], None) if is_low else (None, _length(one)[0])


def _length(text: str) -> tuple[int | None, int | None]:
    """Return a duration in months and the days beyond them; None for what it does not have."""
    pieces = list(_pieces(text))
    if not pieces or any(number is None for number, _ in pieces):
        return None, None
    months = sum((number or 0) * _MONTHS[unit] for number, unit in pieces if unit in _MONTHS)
    days = sum(int((number or 0) * _DAYS_OF[unit]) for number, unit in pieces if unit in _DAYS_OF)
    days += round((months - int(months)) * _DAYS)
    return (int(months) if months >= 1 or not days else None), days or None


def _pieces(text: str) -> Iterator[tuple[float | None, str]]:
    """Yield the numbers of a duration with their units; None for a number that is not known."""
    for number, half, unit, more in _PIECE.findall(text):
        value = Decimal("0.5") if number == "半" else value_of(number)
        yield None if value is None else float(value) + (0.5 if half or more else 0), unit
    for number, before, unit, after in _ENGLISH_PIECE.findall(text):
        value = Decimal(1) if number.lower() in ("a", "an") else next((each.value for each in numerals(number)), None)
        yield None if value is None else float(value) + (0.5 if before or after else 0), unit.lower()


def _untimed(text: str) -> Iterator[Term]:
    """Yield death and life, where they are a sentence and no kind of punishment: 判处无期徒刑."""
    kind: Kind
    length = _length_of_words(text)
    for kind in ("death_reprieve", "death", "life"):
        for match in _LAW[f"term_{kind}"].finditer(text):
            before = text[max(0, match.start() - _NEAR) : match.start()]
            is_choice = _LAW["alternative_term"].match(text, match.end()) or _LAW["or_term"].search(before)
            if is_choice or _LAW["no_term"].search(before):
                continue
            is_whole = length == _length_of_words(match[0])
            if is_whole or _LAW["imposes"].search(before) or _LAW["imposes"].match(match[0]):
                yield Term(*match.span(), match[0], kind)


def _length_of_words(text: str) -> int:
    """Return the number of letters and digits, without those of the words that announce a term."""
    return len(_LAW["term_heading"].sub("", text))


def _outermost(found: Sequence[Term]) -> list[Term]:
    """Return the terms in order, without those that overlap a longer one, or one that is as long and stands later."""
    kept: list[Term] = []
    for term in sorted(found, key=lambda term: (term.start, -term.end)):
        if not kept or term.start >= kept[-1].end:
            kept.append(term)
        elif term.end - term.start >= kept[-1].end - kept[-1].start:  # 五个月拘役, not 判处五个月
            kept[-1] = term
    return kept


def _with_probation(text: str, term: Term, following: Sequence[Term]) -> Term:
    """Return the term with the probation that the same sentence gives."""
    end = following[0].start if following else len(text)
    for pattern in (_SUSPENDED, _ENGLISH_SUSPENDED):
        if (match := pattern.search(text, term.end, end)) and not re.search("[。;]", text[term.end : match.start()]):
            return term._replace(suspended=_length(match[1])[0])
    return term


def _executed(text: str, found: Sequence[Term]) -> list[Term]:
    """Return the terms without those that one term for all crimes of a person takes the place of."""
    persons = [match.start() for match in _LAW["sentenced_person"].finditer(text)]
    kept: list[Term] = []
    for term in found:
        led = term.start + max(_LED, len(term.text) // 2)
        if _LAW["decided"].search(text[max(0, term.start - _NEAR) : led]):
            before = bisect_left(persons, term.start)
            kept = [each for each in kept if before and each.start < persons[before - 1]]
        kept.append(term)
    return kept
