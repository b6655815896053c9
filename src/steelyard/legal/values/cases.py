"""Numbers of cases of Chinese courts: （2019）京0105民初12345号, (2009)浦民一(民)初字第7711号."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon

_CASE: Final = re.compile(
    r"(?:[(\[〔] ?(?=\d{4} ?[)\]〕])|(?<!\d)(?=\d{4}[^\d年)\]〕 ]))(?P<year>[12]\d{3}) ?[)\]〕]? ?"
    r"(?P<code>[一-鿿](?:[一-鿿\d()]| (?=[一-鿿\d])){0,20}?) ?(?:字?第|字)? ?"
    r"0*(?P<number>\d{1,8})(?:-(?P<part>\d{1,3}))? ?号(?P<of>之[一二三四五六七八九十\d]{1,3})?"
)
_TYPE: Final = lexicon("law")["case_type"]


class CaseNumber(NamedTuple):
    """The number of a case; `value` is its one form, (2009)浦民一(民)初7711号."""

    start: int
    end: int
    text: str
    value: str


def case_numbers(text: str) -> list[CaseNumber]:
    """Return the numbers of cases in a normalised text, in order."""
    return list(_found(text))


def _found(text: str) -> Iterator[CaseNumber]:
    for match in _CASE.finditer(text):
        code = match["code"].replace(" ", "")
        if _TYPE.search(code):
            part = f"-{match['part']}" if match["part"] else ""
            value = f"({match['year']}){code}{match['number']}{part}号{match['of'] or ''}"
            yield CaseNumber(*match.span(), match[0], value)
