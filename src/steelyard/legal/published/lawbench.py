"""LawBench: the score of one answer as the script of its task computes it, and its answers and labels as read.

Scores by ROUGE-L (1-1, 2-7, 3-2, 3-8) are those of rouge_chinese. Options and labels are found as substrings, so 诈骗
is found in 票据诈骗. Numbers are read by cn2an; of a term only the months or only the years count: 一年六个月 is six
months. An article with its paragraph (第264条第1款) is removed as a paragraph. An entity ends at a line or a blank, and
not at a semicolon.
"""

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial
from typing import Final, NamedTuple

from steelyard.errors import MissingExtra
from steelyard.i18n import Message
from steelyard.lexicon import lexicon
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import fold, normalise

WORDS: Final = lexicon("lawbench")
ROUGE: Final = frozenset(("1-1", "2-7", "3-2", "3-8"))
_LONGEST_TERM: Final = 216  # months; the distance of an answer without a term
_MOST_DIGITS: Final = 4000  # of a number that Python reads
_NUMERALS: Final = "零〇一二三四五六七八九十百千万亿拾佰仟壹贰叁肆伍陆柒捌玖幺两半廿元圆角分点负"
_NUMERAL: Final = re.compile(f"[{_NUMERALS}]")
_LOOPED: Final = re.compile(rf"([\d{_NUMERALS}]{{200}})[\d{_NUMERALS}]+")  # the time of cn2an grows as its square

# to the end of the line if the last character is absent, so that the line is not searched again from the next 第
_ARTICLE: Final = re.compile("第([^条\n]*)(条)?")
_PARAGRAPH: Final = re.compile("第([^款\n]*)(款)?")


class Item(NamedTuple):
    """The score of an answer, and whether nothing was found that could be scored."""

    score: float
    abstained: bool = False


Score = Callable[[str, str], Item | Message]
"""Of an answer and a reference; a message says why a script leaves the row out."""


def _options(answer: str, reference: str, *, options: Collection[str]) -> Item | Message:
    """1 if the answer has the right option as a substring, and no other."""
    if reference not in options:
        return unreadable(reference)
    found = [option for option in options if option in answer]
    return Item(float(found == [reference]), not found)


def _labels(answer: str, reference: str, *, options: Collection[str], separator: str) -> Item:
    """F1 over the labels that the answer has as substrings."""
    found = {option for option in options if option in answer}
    return Item(set_f1(found, set(reference.split(separator))), not found)


def set_f1(found: Collection[object], wanted: Collection[object]) -> float:
    """F1 of two sets; 0 if they share nothing."""
    shared = len(set(found) & set(wanted))
    return 2 * shared / (len(found) + len(wanted)) if shared else 0.0


def _articles(answer: str, reference: str) -> Item | Message:
    """F1 over the first number of each part of the answer between 、; a 款 is left out."""
    found = set()
    for part in answer.replace("万元", "元").split("、"):
        bare = _ARTICLE.sub(
            lambda at: at[1] if at[2] else at[0], _PARAGRAPH.sub(lambda at: "" if at[2] else at[0], part)
        )
        if number := re.search(r"\d+", in_digits(bare)):
            found.add(_whole(number[0]))
    wanted = set(map(_whole, re.findall(r"\d+", reference)))
    return Item(set_f1(found, wanted), not found) if wanted else unreadable(reference)


def _term(answer: str, reference: str) -> Item | Message:
    """1 less the share of the longest distance that the logarithms of two terms have; below 0 for a longer one."""
    if "死刑" in reference or "无期" in reference:
        return Message("missing.no_months")
    wanted = re.search(r"\d+", reference)
    if wanted is None:
        return unreadable(reference)
    text, longest = in_digits(answer), math.log(_LONGEST_TERM)
    found = next((m for unit in ("个月", "月", "年") if (m := re.search(rf"(?<!\d)(\d++)({unit})", text))), None)
    if found is None:
        return Item(0.0, abstained=True)
    given = _whole(found[1]) * (12 if found[2] == "年" else 1)
    return Item((longest - abs(math.log(_whole(wanted[0]) + 1) - math.log(given + 1))) / longest)


def _amount(answer: str, reference: str) -> Item | Message:
    """1 if some number of the answer is that of the reference, whatever its unit and its commas."""
    wanted = re.fullmatch(r"(\d+\.?\d*)元?", reference)
    found = [float(number) for number in re.findall(r"\d+\.?\d*", answer)]
    return Item(float(float(wanted[1]) in found), not found) if wanted else unreadable(reference)


def _characters(answer: str, reference: str) -> Item:
    return Item(character_f1(answer, reference))


def character_f1(answer: str, reference: str) -> float:
    """F1 over bags of letters, digits and Chinese characters."""
    given, wanted = (
        [char for char in text.lower() if char.isdigit() or char.isalpha()] for text in (answer, reference)
    )
    if not given or not wanted:
        return float(given == wanted)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted))


def _entities(answer: str, reference: str) -> Item:
    """F1 over the entities by kind, the last one of each kind, which ends at a line or a blank."""
    wanted = {kind: value for kind, value, *_ in (part.split(":") for part in reference.split(";") if ":" in part)}
    given: dict[str, str] = {}
    for kind in WORDS.words("entity"):
        for found in re.finditer(kind, answer):
            end = found.end()
            if end < len(answer) - 2 and answer[end] in ":：":
                value = re.split("[\n ]", answer[end + 1 :].strip())[0].strip()
                given |= {} if value in ("无", "未提及") else {kind: value}
    return Item(entity_f1(given, wanted))


def entity_f1(given: Mapping[str, str], wanted: Mapping[str, str]) -> float:
    """F1 over entities by kind, where one that is right in part counts by its characters."""
    if not wanted:
        return float(not given)
    shared = math.fsum(character_f1(value, wanted[kind]) for kind, value in given.items() if kind in wanted)
    precision, recall = shared / max(len(given), 1), shared / len(wanted)
    return 2 * precision * recall / (precision + recall + 1e-10)


def labels_of(kind: str) -> frozenset[str]:
    """Return the closed list of labels of a task of this kind."""
    return WORDS.words(f"labels_{kind}")


def _listed(task: str, separator: str) -> Score:
    return partial(_labels, options=labels_of(task), separator=separator)


TASKS: Final[Mapping[str, Score]] = {
    "1-2": partial(_options, options="ABCD"),
    "2-2": partial(_options, options=labels_of("2-2")),
    "2-3": _listed("2-3", "、"),
    "2-4": partial(_options, options=labels_of("2-4")),
    "2-5": _characters,
    "2-6": _entities,
    "2-8": partial(_options, options="ABCDE"),
    "3-1": _articles,
    "3-3": _listed("3-3", ";"),
    "3-4": _term,
    "3-5": _term,
    "3-6": partial(_options, options="ABCD"),
    "3-7": _amount,
}
"""The scores that need one row at a time, by task."""


def in_digits(text: str) -> str:
    """Return the text with the numbers that cn2an reads in it as digits."""
    transform = _transform()
    return transform(_LOOPED.sub(r"\1", text)) if _NUMERAL.search(text) else text


@cache
def _transform() -> Callable[[str], str]:
    try:
        from cn2an import transform

        if transform("两", "cn2an") != "2":  # as since 0.5.24
            raise ImportError
    except ImportError:
        raise MissingExtra.of("cn2an", "lawbench", purpose=Message("words.lawbench_numbers")) from None

    def quiet(text: str) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what it cannot read
            return str(transform(text, "cn2an"))

    return quiet


def unreadable(reference: str) -> Message:
    """Return why a row is unscored whose reference is not of its task."""
    return Message("missing.reference_unreadable", reference=reference)


def _whole(digits: str) -> int:
    return int(digits[:_MOST_DIGITS])


# ----- as read


def labels_in(text: str, task: str) -> frozenset[str]:
    """Return the labels of a task in a text; a label within a longer one is none."""
    return frozenset(_labels_pattern(task).findall(normalise(text)))


@cache
def _labels_pattern(task: str) -> re.Pattern[str]:
    longest_first: Iterable[str] = sorted(map(normalise, labels_of(task)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


def entities_in(text: str) -> dict[str, str]:
    """Return the first entity of each kind in a text; it ends at a line, a semicolon or the next kind.

    Translations in brackets are left out.
    """
    found: dict[str, str] = {}
    for match in WORDS["entity_of"].finditer(WORDS["gloss"].sub("", text)):
        if (value := match["value"].strip(" 。,，、")) and not WORDS["no_entity"].fullmatch(value):
            found.setdefault(match["kind"], value)
    return found


def same_amount(answer: str, reference: str) -> bool:
    """Return whether an answer has an amount of the reference; a reference without one is compared as a text."""
    wanted = amounts_in(reference)
    return bool(wanted & amounts_in(answer)) if wanted else bool(reference.strip()) and fold(reference) == fold(answer)


def amounts_in(text: str) -> frozenset[object]:
    """Return the sums and the plain numbers of a text by value."""
    kinds = ("money", "number")
    return frozenset(each.value for each in mentions(normalise(text)) if each.kind in kinds and each.value is not None)
