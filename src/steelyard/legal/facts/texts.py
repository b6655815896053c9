"""Judging names and short texts: a percentage by value, an article of a statute by its number, the rest by its words.

Figures are compared by value: 百分之三 is 3%, 第九名 is 第9名, "six days" is "6 days"; so are days, in any notation.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.legal.facts.names import judge_name
from steelyard.legal.facts.selection import select_value
from steelyard.legal.facts.statements import is_denied_at
from steelyard.legal.facts.verdict import Case, FieldVerdict, inexact, right_value
from steelyard.legal.grounding.articles import Article, articles, is_known_article
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.numerals import value_of

_WORDS: Final = lexicon("facts")
_NUMERALS: Final = "零〇一二三四五六七八九十百千两"
_CASE: Final = re.compile(
    r"[(\[〔]?(\d{4})[)\]〕]?\s?([一-鿿]{1,3}\s?\d{0,4})\s?([一-鿿]{1,4}?)(?:字?第)?\s?0*(\d{1,6})\s?号"
)
_ORDINAL: Final = re.compile(f"(?<=第)[{_NUMERALS}]{{1,9}}(?=[一-鿿])")
_ARTICLE_NUMBER: Final = re.compile(rf"(?<=[法典例定释则约》]) ?(?=(?:\d{{1,5}}|[{_NUMERALS}]{{1,9}})条)")


def judge_text(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer gives this name or text, or one of its aliases."""
    verdicts, names = [], []
    for text in (normalise(str(each)) for each in (expected, *case.rules.aliases)):
        if cited := _whole_articles(text):
            verdicts.append(_judge_articles(cited, case.question, answer))
        elif (percent := _whole_percent(text)) is not None:
            verdicts.append(_judge_percent(percent, answer, case))
        else:
            names.append(text)
    if names:
        verdicts.append(judge_name(names, case.question, answer))
    if any(map(mentions, names)):
        verdicts.append(judge_name([plain_values(name) for name in names], case.question, plain_values(answer)))
    denial = replace(verdicts[0], unsettled=any(verdict.unsettled for verdict in verdicts))
    return next((verdict for verdict in verdicts if verdict.correct), denial)


# ----- figures


def plain_values(text: str) -> str:
    """The text with percentages, ordinals, counts, days and the numbers of cases in one form."""
    pieces, at = [], 0
    for case in _CASE.finditer(text):
        number = f"{case[1]}{case[2].replace(' ', '')}{case[3]}{case[4]}号"
        pieces += [_plain_figures(text[at : case.start()]), number]
        at = case.end()
    return "".join([*pieces, _plain_figures(text[at:])])


def _plain_figures(text: str) -> str:
    for value in reversed(mentions(text)):
        if value.is_exact and value.until is None and (plain := _plain(value)):
            text = f"{text[: value.start]}{plain}{text[value.end :]}"
    return _ORDINAL.sub(lambda ordinal: str(value_of(ordinal[0]) or ordinal[0]), text)


def _plain(value: Mention) -> str:
    """The one form of an exact value, or "" if it stays as it is."""
    if value.kind == "date":
        return f"{value.value.year}年{value.value.month}月{value.value.day}日" if value.value.is_whole else ""
    is_word = value.kind == "number" and value.text.isascii()
    if value.kind not in ("percent", "count") and not is_word:
        return ""
    unit = "%" if value.kind == "percent" else f" {value.unit}" if value.unit.isascii() and value.unit else value.unit
    return f"{value.value.normalize():f}{unit}"


def _percents(text: str) -> list[Mention]:
    return [value for value in mentions(text) if value.kind == "percent"]


def _whole_percent(text: str) -> Decimal | None:
    """The percentage that a normalised text consists of; None if it is anything else."""
    values = mentions(text)
    is_whole = len(values) == 1 and values[0].kind == "percent" and values[0].text == text.strip(" 。.")
    return values[0].value if is_whole and values[0].is_exact else None


def _judge_percent(expected: Decimal, answer: str, case: Case) -> FieldVerdict:
    """Whether the answer is this percentage and no other; a number is one if the question asks for the per cent."""
    values = _percents(answer)
    if not values and _WORDS["percent_asked"].search(case.question):
        values = [value for value in mentions(answer) if value.kind == "number" and value.text[0].isdigit()]
    value, verdict = select_value(case.question, answer, values)
    if value is None:
        return verdict
    if not value.is_exact:
        return FieldVerdict(False, inexact(value), names_another=True)
    if value.value != expected:
        wanted = f"{expected.normalize():f}%"
        return FieldVerdict(False, Message("legal.is_not", text=value.text, expected=wanted), names_another=True)
    known = [each for each in _percents(normalise(case.rules.source)) if each.value == expected]
    return right_value(value, known, case.rules)


# ----- articles


def _articles(text: str) -> list[Article]:
    """The articles of a text; 民法典577条 is one too."""
    return articles(_ARTICLE_NUMBER.sub("第", text))


def _whole_articles(text: str) -> list[Article]:
    """The articles that a text consists of; none if it says anything else."""
    found = _articles(text)
    rest = _ARTICLE_NUMBER.sub("第", text)
    for part in (part for article in found for part in (article.text, article.title or "")):
        rest = rest.replace(part, "")
    return found if not _WORDS["beside_article"].sub("", rest) else []


def _judge_articles(expected: Sequence[Article], question: str, answer: str) -> FieldVerdict:
    """Whether the answer names these articles and no others; their titles may be in the question."""
    text = _ARTICLE_NUMBER.sub("第", answer)
    given = [article for article in articles(text) if not is_denied_at(text, article.start, article.end)]
    stated = f"{question}\n{text}"
    missing = [each for each in expected if not any(_is_given(each, one, stated) for one in given)]
    asked = _articles(question)
    others = [one for one in given if not any(_is_given(each, one, stated) for each in (*expected, *asked))]
    names = ", ".join(dict.fromkeys(article.text for article in (others if missing else given)))
    if missing and not others:
        return FieldVerdict(False, Message("legal.not_in_answer", name=missing[0].text), uncertain=True)
    if missing:
        return FieldVerdict(False, Message("legal.is_not", text=names, expected=missing[0].text), names_another=True)
    if others:
        return FieldVerdict(False, Message("legal.several_values", values=names), uncertain=True, names_another=True)
    return FieldVerdict(True, Message("legal.answer_says", value=names))


def _is_given(wanted: Article, given: Article, text: str) -> bool:
    """Whether a given article is the wanted one, or a part of it."""
    return is_known_article(wanted, (given,), text) and given.parts[: len(wanted.parts)] == wanted.parts
