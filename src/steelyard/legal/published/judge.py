"""What the script of JuDGE reads in a judgment, with its faults."""

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, NamedTuple

from steelyard.legal.values.charges import charge_names, official_charges
from steelyard.lexicon import lexicon
from steelyard.text.judgments import parts_of
from steelyard.text.values import numerals

_WORDS: Final = lexicon("judgments")
_UNITS: Final = "百佰千仟万亿"
_LIFE, _DEATH = 240, 10_001  # in months
_ALIKE: Final = 0.6


class PublishedReading(NamedTuple):
    """What the script reads in a judgment; None for a penalty that it does not find."""

    charges: frozenset[str]
    articles: frozenset[int]
    months: int | None
    fine: int | None


def published_reading(judgment: str) -> PublishedReading:
    """Read a judgment as the script does: where a part has nothing, the whole, with earlier convictions."""
    whole, reasoning, ruling = parts_of(judgment)
    terms, fines = _terms(ruling) or _terms(whole), _fines(ruling) or _fines(whole)
    return PublishedReading(
        _charges(ruling) or _charges(whole),
        _articles(_citations(reasoning) or _citations(whole)),
        sum(map(_months, terms)) if terms else None,
        sum(map(_yuan, fines)) if fines else None,
    )


def _charges(text: str) -> frozenset[str]:
    items = _WORDS["ruled_item"].split(text)
    if len(items) == 1:
        items = re.split("[；。]", text)
    found = (name for item in items for name in _WORDS["convicted_of"].findall(item.partition("撤销")[0]))
    return frozenset(filter(None, map(_charge, found)))


@lru_cache(maxsize=1 << 12)
def _charge(name: str) -> str:
    """Return the official name: the only one that is read, the shortest that has all its characters, or the closest."""
    known = charge_names(name)
    if len(known) == 1:
        return next(iter(known))
    short = name.removesuffix("罪")
    holding = [each for each in official_charges() if _is_subsequence(short, each)]
    if holding:
        return min(holding, key=len)
    return next(iter(get_close_matches(short, official_charges(), 1, _ALIKE)), "")


def _is_subsequence(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(char in rest for char in part)


def _citations(text: str) -> str:
    """Return what follows either title of the Criminal Law; of two citations in a row by one title, the first."""
    forms = [_WORDS.entry_source(entry) for name, entry in _WORDS.entries() if name == "criminal_law"]
    return "".join(found for form in forms for found in re.findall(form, text))


def _articles(citations: str) -> frozenset[int]:
    """Return the numbers of articles; 之一 and Arabic digits are not read."""
    return frozenset(each for found in _WORDS["numbered_article"].findall(citations) for each in _numbers(found))


def _terms(text: str) -> set[str]:
    """Return the penalties as they are written; two that are written alike count once."""
    limited = (re.split("[,;，。！？、；：（以缓至]", term)[0] for term in _WORDS["limited_term"].findall(text))
    return {*limited, *_WORDS["other_penalty"].findall(text)}


def _months(term: str) -> int:
    """Return the months of a penalty; 零十一 is read as 1."""
    if term in ("死刑", "无期徒刑"):
        return _DEATH if term == "死刑" else _LIFE
    numbers = _numbers(term.replace("零十", "零"))
    years = 12 if "年" in term else 1
    if len(numbers) == 2:
        return numbers[0] * years + numbers[1] if years > 1 and "月" in term else numbers[0]
    return numbers[0] * years if len(numbers) == 1 else 0


def _fines(text: str) -> set[str]:
    """Return the fines as they are written; what is left of one without 元 stays if the one before it had to go."""
    kept, dropped = set[str](), False
    for fine in (re.split("[，。！？、；：以已至（]", found)[0] for found in _WORDS["fined"].findall(text)):
        dropped = not dropped and "元" not in fine
        if not dropped:
            kept.add(fine)
    return kept


def _yuan(fine: str) -> int:
    numbers = _numbers(fine.replace(",", ""))
    return numbers[0] if len(numbers) == 1 else 0


def _numbers(text: str) -> list[int]:
    found = (each for each in numerals(text) if each.text.strip(_UNITS))
    return [int(each.value) for each in found if each.value is not None]
