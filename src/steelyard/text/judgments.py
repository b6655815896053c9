"""Criminal judgments of China: the reasoning, from 本院认为 to 判决如下, and the ruling."""

import re
from typing import Final, NamedTuple

from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("judgments")
_WIDE: Final = str.maketrans({":": "：", "(": "（", ")": "）", " ": None})
_COMMA: Final = re.compile(r"(?<!\d),(?!\d)")


class Parts(NamedTuple):
    """A judgment in Chinese punctuation, its reasoning and its ruling; "" where it has none."""

    whole: str
    reasoning: str
    ruling: str


def parts_of(judgment: str) -> Parts:
    """Return the parts of a judgment; without 判决如下 all that follows 本院认为 is reasoning."""
    text = _COMMA.sub("，", judgment.translate(_WIDE))
    opinion = _WORDS["opinion"].search(text)
    begin = opinion.start() if opinion else 0
    ruling = _WORDS["ruling"].search(text, begin)
    if ruling is None:
        return Parts(text, text[begin:], "")
    end = _WORDS["after_ruling"].search(text, ruling.end())
    return Parts(text, text[begin : ruling.end()], text[ruling.end() : end.start() if end else len(text)])


def applied_part(judgment: str, kind: str) -> str:
    """Return where a judgment applies the Criminal Law (for `statutes`), else where it imposes charges and penalties.

    The latter begins with 判决如下, so that penalties of several persons are added up; where that is missing, with the
    first sentence that is passed. What is revoked, or was imposed
    before, is left out.
    """
    _, reasoning, ruling = parts_of(judgment)
    if kind == "statutes":
        return _WORDS["other_statute"].sub("", reasoning)
    if not ruling:
        passed = _WORDS["sentence_passed"].search(reasoning)
        ruling = reasoning[passed.start() :] if passed else ""
    return f"判决如下：{_WORDS['not_imposed'].sub('', ruling)}"
