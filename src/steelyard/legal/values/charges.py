"""Charges: the names of crimes that a text charges somebody with or finds, in their one form without 罪."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon

_NAMES: Final = lexicon("charges")
_LAW: Final = lexicon("law")
_SET: Final = re.compile(r"\{([^{}]+)\}")
_COMMA: Final = "[、,，及和与]?"
_CRIME: Final = re.compile(r"罪(?!犯|行|责|恶|状|孽|过|人)")
_BETWEEN: Final = re.compile(r"罪?(?:[、,，;；/|]|和|与|及|以及|或者?|\s|,? (?:and|or) (?:of )?)+")
_AROUND: Final = re.compile(r"罪名?|[^\w]|_|\b(?:the|an?|of|and|crimes?|offen[cs]es?|charges?|eoa)\b", re.IGNORECASE)

_NAME: Final = "\0"
_NEAR: Final = 80
_LONGEST_ITEM: Final = 20  # characters of an item of a list, where a name is one


class Charge(NamedTuple):
    """A charge; `value` is the official name without 罪."""

    start: int
    end: int
    text: str
    value: str


def charges(text: str) -> list[Charge]:
    """Return the charges of a normalised text, in order; one that is denied is none, nor is the name of an act."""
    named = list(_named(text))
    if not named:
        return []
    is_bare = _is_nothing_else(text, named)
    return [charge for group in _groups(text, named) for charge in _charged(text, group, is_bare=is_bare)]


def charge_names(text: str) -> frozenset[str]:
    """Return the names of the charges of a normalised text that are its result."""
    return frozenset(charge.value for charge in resulting_charges(text))


def denied_charges(text: str) -> frozenset[str]:
    """Return the names of crimes that a text says nobody committed."""
    groups = _groups(text, named) if (named := list(_named(text))) else ()
    return frozenset(charge.value for group in groups if _is_denied(text, group) for charge in group)


def resulting_charges(text: str) -> list[Charge]:
    """Return the charges without those that were only brought, or changed on appeal, if others are found after them."""
    named = charges(text)
    if len(named) < 2 or _LAW["charges_stand"].search(text):
        return named
    brought, found = ([_last(text, charge, words) for charge in named] for words in ("charge_brought", "charge_found"))
    last = max((at for at, charge in enumerate(named) if found[at] > brought[at]), default=0)
    return [charge for at, charge in enumerate(named) if at >= last or brought[at] <= found[at]]


def _last(text: str, charge: Charge, words: str) -> int:
    """Return where the last of these words before a charge ends; -1 if there are none."""
    return max((match.end() for match in _LAW[words].finditer(text, 0, charge.start)), default=-1)


@cache
def official_charges() -> tuple[str, ...]:
    """Return the official names of all crimes, in order."""
    return tuple(sorted(_official(word.split("=")[0]) for word in _NAMES.words("charge")))


# ----- names


@cache
def _patterns() -> Mapping[str, tuple[re.Pattern[str], list[str]]]:
    """Return by first character the pattern of the names that begin with it, and which name each of its groups is."""
    words = [word.split("=") for word in _NAMES.words("charge")]
    pairs = sorted(((form, _official(forms[0])) for forms in words for form in forms), key=_longest_first)
    by_first: dict[str, list[tuple[str, str]]] = {}
    for form, name in pairs:
        pattern = rf"\b{_english_form(form)}\b" if form.isascii() else _form(form)
        for first in _first_characters(form):
            by_first.setdefault(first, []).append((pattern, name))
    return {
        first: (re.compile("|".join(f"({pattern})" for pattern, _ in of), re.IGNORECASE), [name for _, name in of])
        for first, of in by_first.items()
    }


def _first_characters(form: str) -> set[str]:
    begun = _SET.match(form)
    return {part[0] for part in begun[1].split("、")} if begun else {form[0]}


def _longest_first(pair: tuple[str, str]) -> tuple[int, str]:
    return -len(_official(pair[0])), pair[0]


def _official(form: str) -> str:
    return form.replace("{", "").replace("}", "")


def _form(form: str) -> str:
    """Return the pattern of a name: any of what stands in braces, in any order, and commas of any kind."""
    pieces = _SET.split(form)
    return "".join(_parts(piece) if index % 2 else _plain(piece) for index, piece in enumerate(pieces))


def _parts(piece: str) -> str:
    one = f"(?:{'|'.join(map(_plain, sorted(piece.split('、'), key=len, reverse=True)))})"
    return f"{one}(?:{_COMMA}{one}){{0,11}}"


def _plain(piece: str) -> str:
    return re.escape(piece).replace("、", _COMMA).replace(r"\(边\)", r"\(?边?\)?").replace(r"\(境\)", r"\(?境?\)?")


def _english_form(form: str) -> str:
    return re.escape(form).replace("_", "[ -]").replace(r"\-", "[ -]").replace("'", "['’]")


def _named(text: str) -> Iterator[Charge]:
    at = 0
    for first in _starts().finditer(text):
        if first.start() >= at:
            pattern, names = _patterns()[first[0].lower()]
            if match := pattern.match(text, first.start()):
                at = match.end()
                yield Charge(*match.span(), match[0], names[(match.lastindex or 1) - 1])


@cache
def _starts() -> re.Pattern[str]:
    """Return the pattern of the characters that names begin with; of letters those that begin a word."""
    letters, others = ([first for first in _patterns() if first.isascii() == is_ascii] for is_ascii in (True, False))
    return re.compile(rf"\b[{''.join(letters)}]|[{''.join(others)}]", re.IGNORECASE)


# ----- which are charges


def _is_nothing_else(text: str, named: Sequence[Charge]) -> bool:
    """Return whether a text is a name of a crime, or a list of short items of which one is: 盗窃;诈骗."""
    ends = [0, *(charge.end for charge in named)]
    starts = [*(charge.start for charge in named), len(text)]
    items = _NAME.join(text[end:start] for end, start in zip(ends, starts, strict=True)).split(";")
    is_name = [_NAME in item and not _AROUND.sub("", item.replace(_NAME, "")) for item in items]
    return any(is_name) and all(len(item) <= _LONGEST_ITEM for item in items if _NAME not in item or len(items) > 1)


def _groups(text: str, named: Sequence[Charge]) -> Iterator[list[Charge]]:
    """Yield lists of names: 抢劫、盗窃罪."""
    group: list[Charge] = []
    for charge in named:
        if group and not _BETWEEN.fullmatch(text, group[-1].end, charge.start):
            yield group
            group = []
        group.append(charge)
    yield group


def _is_denied(text: str, group: Sequence[Charge]) -> bool:
    before = text[max(0, group[0].start - _NEAR) : group[0].start]
    return bool(_LAW["charge_denied_before"].search(before) or _LAW["charge_denied_after"].match(text, group[-1].end))


def _charged(text: str, group: Sequence[Charge], *, is_bare: bool) -> Iterator[Charge]:
    """Yield those of a list that are charged."""
    if _is_denied(text, group):
        return
    before, after = text[max(0, group[0].start - _NEAR) : group[0].start], group[-1].end
    is_led = bool(_LAW["charge_before"].search(before) or _LAW["charge_after"].match(text, after))
    is_charged = is_bare or is_led
    for charge in reversed(group):
        is_plain = charge.text.isascii() and re.search("[ -]", charge.text) is None
        is_crime = _CRIME.match(text, charge.end) is not None if not charge.text.isascii() else not is_plain
        is_charged = is_charged or is_crime
        if is_charged:
            yield charge
