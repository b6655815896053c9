"""Judging facts: every expected field by value, in typed fields and in free text.

Of texts, a percentage is judged by value, an article of a statute by its number, the rest by its words. Figures are
compared by value: 百分之三 is 3%, 第九名 is 第9名, "six days" is "6 days"; so are days, in any notation.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from steelyard.errors import SystemFailure
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import record_of
from steelyard.legal.facts.figures import figures, judge_figure
from steelyard.legal.facts.names import digits_of, judge_name
from steelyard.legal.facts.polarity import judge_boolean, polarity
from steelyard.legal.facts.selection import select_value
from steelyard.legal.facts.statements import (
    Case,
    FieldVerdict,
    doubt,
    inexact,
    is_bare_list,
    is_denied_at,
    retraction,
    right_value,
    without_stated_bounds,
)
from steelyard.legal.facts.values import (
    amounts,
    date_values,
    expected_currency,
    judge_amount,
    judge_breakdown,
    judge_count,
    judge_date,
    judge_range,
    judge_typed,
    numbers,
)
from steelyard.legal.model import FIELD_LABELS, FIELDS, FactRules, in_one_line
from steelyard.legal.reading import Reading, clause_of, is_too_long, outline, read
from steelyard.legal.stance import detect_abstention
from steelyard.legal.values.cases import case_numbers
from steelyard.legal.values.charges import denied_charges
from steelyard.legal.values.keys import LawValue, bare_term, law_values, whole_values
from steelyard.legal.values.statutes import Article, articles, is_known_article
from steelyard.lexicon import lexicon
from steelyard.text.mentions import Mention, currency_code, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent
from steelyard.text.values import value_of

_WORDS: Final = lexicon("facts")
_RIVALS: Final = ("charge", "term")
"""Kinds of values of which another one in place of the expected is wrong."""
_NUMERALS: Final = "零〇一二三四五六七八九十百千两"
_ORDINAL: Final = re.compile(f"(?<=第)[{_NUMERALS}]{{1,9}}(?=[一-鿿])")


def judge_text(expected: Any, answer: str, case: Case) -> FieldVerdict:
    """Judge whether the answer gives this name or text, or one of its aliases."""
    verdicts, names = [], []
    for text in map(_as_read, (expected, *case.rules.aliases)):
        if cited := _whole_articles(text):
            verdicts.append(_judge_articles(cited, case.question, answer))
        elif (percent := _whole_percent(text)) is not None:
            verdicts.append(_judge_percent(percent, answer, case))
        elif law := _judge_law(text, answer, case.question):
            verdicts.append(law)
        elif figure := _judge_number(text, answer, case):
            verdicts.append(figure)
        else:
            names.append(text)
    if names:
        verdicts.append(judge_name(names, case.question, answer))
    if any(map(mentions, names)):
        verdicts.append(judge_name([plain_values(name) for name in names], case.question, plain_values(answer)))
    denial = replace(verdicts[0], unsettled=any(verdict.unsettled for verdict in verdicts))
    return next((verdict for verdict in verdicts if verdict.correct), denial)


# ----- figures


def _as_read(expected: Any) -> str:
    """Return an expected text as answers are read, without markup."""
    return read(str(expected)).text or normalise(str(expected))


def _judge_number(expected: str, answer: str, case: Case) -> FieldVerdict | None:
    """Judge a number, in the announced final answer if that has one; None if the text is none, or digits of a name."""
    if digits_of(expected) and not _WORDS["quantity_asked"].search(case.question):
        return None
    text = case.final if answer == case.answer and figures(case.final) else answer
    return judge_figure(expected, case.question, text)


def plain_values(text: str) -> str:
    """Return the text with percentages, ordinals, counts, days and the numbers of cases in one form."""
    pieces, at = [], 0
    for case in case_numbers(text):
        pieces += [_plain_figures(text[at : case.start]), case.value]
        at = case.end
    return "".join([*pieces, _plain_figures(text[at:])])


def _plain_figures(text: str) -> str:
    for value in reversed(mentions(text)):
        if value.is_exact and value.until is None and (plain := _plain(value)):
            text = f"{text[: value.start]}{plain}{text[value.end :]}"
    return _ORDINAL.sub(lambda ordinal: str(value_of(ordinal[0]) or ordinal[0]), text)


def _plain(value: Mention) -> str:
    """Return the one form of an exact value, or "" if it stays as it is."""
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
    """Return the percentage that a normalised text consists of; None if it is anything else."""
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
    known = [each for each in _percents(case.rules.source) if each.value == expected]
    return right_value(value, known, case.rules)


# ----- articles


def _whole_articles(text: str) -> list[Article]:
    """Return the articles that a text consists of; none if it says anything else."""
    named = articles(text)
    rest = text
    for part in (part for article in named for part in (article.text, article.title or "")):
        rest = rest.replace(part, "")
    return named if not _WORDS["beside_article"].sub("", rest) else []


def _judge_articles(expected: Sequence[Article], question: str, answer: str) -> FieldVerdict:
    """Judge whether the answer names these articles and no others; their titles may be in the question."""
    given = [article for article in articles(answer) if not is_denied_at(answer, article.start, article.end)]
    stated = f"{question}\n{answer}"
    missing = [each for each in expected if not any(_is_given(each, one, stated) for one in given)]
    asked = articles(question)
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
    """Return whether a given article is the wanted one, or a part of it."""
    return is_known_article(wanted, (given,), text) and given.parts[: len(wanted.parts)] == wanted.parts


# ----- charges, terms, rates


def _judge_law(expected: str, answer: str, question: str) -> FieldVerdict | None:
    """Judge an expected charge, term or rate; None if the text is no such value, or only its words can decide.

    The answer is right if it has these values and no others of the kind. It is wrong if it doubts them, or if it gives
    one other charge or term in their place.
    """
    wanted = whole_values(expected)
    kind = wanted[0].kind if wanted else ""
    is_result = not lexicon("law")["charge_brought"].search(question)
    given = [value for value in law_values(answer, results=is_result) if value.kind == kind]
    if not given and wanted and _WORDS["asks_term"].search(question):
        given = list(bare_term(answer, wanted[0]))
    keys, wanted_keys = {value.key for value in given}, {value.key for value in wanted}
    names = ", ".join(dict.fromkeys(answer[value.start : value.end] for value in given))
    if kind == "charge" and not keys and wanted_keys & denied_charges(answer):
        return FieldVerdict(False, Message("legal.denies", name=expected))
    if keys and keys == wanted_keys:
        if word := _doubt_before(answer, given):
            return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
        return FieldVerdict(True, Message("legal.answer_says", value=names))
    if len(keys) == 1 and kind in _RIVALS and not keys & wanted_keys:
        return FieldVerdict(False, Message("legal.is_not", text=names, expected=expected), names_another=True)
    return None


def _doubt_before(answer: str, given: Sequence[LawValue]) -> str:
    """Return the words of doubt in the sentence of a value, up to the end of its clause; or ""."""
    sentences = outline(answer).sentences
    spans = ((sentences.at(value.start).start, clause_of(answer, value.start)) for value in given)
    return next(filter(None, (doubt(answer[start : clause.start + len(clause.text)]) for start, clause in spans)), "")


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """Whether all fields are right, the share of right ones, and the reasons; `flags` do not change the score."""

    correct: bool
    share: float
    why: Localized
    fields: Mapping[str, FieldVerdict] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reasons, in English."""
        return str(self.why)

    @property
    def uncertain(self) -> bool:
        """Whether the rules cannot decide some field."""
        return any(verdict.uncertain for verdict in self.fields.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags in English: `approx_added`, `approx_dropped`."""
        return tuple(map(str, self.flags))

    @property
    def flags(self) -> tuple[Message, ...]:
        """What is reported beside the fields."""
        return tuple(flag for verdict in self.fields.values() for flag in verdict.flags)

    @property
    def undecided(self) -> Localized | None:
        """The fields that the rules cannot decide, with their reasons; None if there are none."""
        unsure = [(name, verdict.why) for name, verdict in self.fields.items() if verdict.uncertain]
        return in_one_line(unsure, FIELD_LABELS) if unsure else None


def judge_fact(
    expected: Mapping[str, Any],
    output: str | Mapping[str, Any],
    *,
    question: str = "",
    rules: FactRules | None = None,
) -> FactVerdict:
    """Judge an answer, free text or a record with typed fields, against the expected fields.

    >>> judge_fact({"amount_total": 42000}, "一共四万二千元", question="一共收了多少钱？").correct
    True
    """
    record = _record(output)
    answer = record.get("answer")
    reading = read(answer) if isinstance(answer, str) else Reading("")
    rules = rules or FactRules()
    aliases = (str(alias) for key in ("entity_aliases", "aliases") for alias in expected.get(key) or ())
    applied = replace(rules, aliases=(*rules.aliases, *aliases), source=normalise(rules.source))
    text, final = (without_stated_bounds(each, applied.source) for each in (reading.text, reading.final))
    case = Case(normalise(question), applied, text, final, _named_currency(record))
    keys = [key for key in FIELDS if expected.get(key) is not None]
    keys = [key for key in keys if not _only_explains(key, keys, case)]
    verdicts = {key: _judge_field(key, expected[key], record.get(key), case) for key in keys}
    right = sum(verdict.correct for verdict in verdicts.values())
    share = right / len(verdicts) if verdicts else 0.0
    reasons = in_one_line(((key, verdict.why) for key, verdict in verdicts.items()), FIELD_LABELS)
    return FactVerdict(share == 1.0, share, reasons if verdicts else Message("legal.nothing_expected"), verdicts)


def _only_explains(key: str, keys: Sequence[str], case: Case) -> bool:
    """Return whether an expected field explains another: a text beside yes or no, parts beside a total.

    Parts are judged if the question asks for them.
    """
    main = {"text_answer": "boolean_answer", "amount_breakdown": "amount_total"}.get(key)
    is_asked = key == "amount_breakdown" and _WORDS["parts_asked"].search(case.question) is not None
    return main in keys and not is_asked and not case.rules.partial_credit


def _record(output: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the output as a record; an answer may be JSON that a model wrote."""
    if not isinstance(output, str):
        return output
    try:
        return record_of(output)
    except SystemFailure:
        return {"answer": output}


def _named_currency(record: Mapping[str, Any]) -> str:
    named = [name for key in ("currency", "unit") if isinstance(name := record.get(key), str)]
    return next(
        (code for name in named if (code := currency_code(name.strip().removeprefix("万").removeprefix("亿")))), ""
    )


def _judge_field(key: str, expected: Any, given: Any, case: Case) -> FieldVerdict:
    """Judge a given field, which the text must not contradict; without one, judge the text.

    A denial that the text does not settle is uncertain, unless the text is silent or refuses to answer.
    """
    if given is None or given in ("", []):
        verdict = _judge_text(key, expected, case)
        is_open = verdict.unsettled and not verdict.correct and not is_silent(case.answer) and not _refusal(case)
        return replace(verdict, uncertain=True) if is_open else verdict
    verdict = _judge_given(key, expected, given, case)
    if verdict.correct and (objection := _objection(key, expected, case)):
        return FieldVerdict(False, objection)
    return verdict


def _judge_text(key: str, expected: Any, case: Case) -> FieldVerdict:
    """Judge the text, or only its announced final answer if that has a value of the kind."""
    values = _VALUES.get(key)
    text = case.final if values and case.final and values(case.final) else case.answer
    return _judge_words(key, expected, text, case)


def _judge_words(key: str, expected: Any, text: str, case: Case) -> FieldVerdict:
    """Judge words; words that retract themselves, or only list many values, give no value."""
    if word := retraction(text):
        return FieldVerdict(False, Message("legal.disclaims_itself", word=word))
    if key != "amount_breakdown" and is_bare_list(text):
        return FieldVerdict(False, Message("legal.only_lists_values"))
    return _JUDGES[key](expected, text, case)


def _judge_given(key: str, expected: Any, given: Any, case: Case) -> FieldVerdict:
    if not isinstance(given, str):
        return judge_typed(key, expected, given)
    if is_too_long(given):
        return FieldVerdict(False, Message("legal.field_too_long"))
    return _judge_words(key, expected, normalise(given), case)


def _objection(key: str, expected: Any, case: Case) -> Localized | None:
    """Return what contradicts a right field: another currency, value or name, several, or a refusal; or None."""
    currency = expected_currency(case.question, case.rules.source)
    if key.startswith("amount") and case.currency and currency and case.currency != currency:
        return Message("legal.record_in_currency", currency=case.currency)
    if is_silent(case.answer):
        return None
    verdict = _judge_text(key, expected, case)
    if verdict.correct:
        return None
    if _says_something(key, expected, verdict, case):
        return verdict.why
    if word := doubt(case.answer):
        return Message("legal.text_disclaims_itself", word=word)
    refusal = _refusal(case)
    return Message("legal.text_says_unknown", reason=refusal) if refusal else None


def _refusal(case: Case) -> Localized | None:
    abstention = detect_abstention(case.answer, question=case.question)
    return abstention.why if abstention.abstains else None


def _says_something(key: str, expected: Any, verdict: FieldVerdict, case: Case) -> bool:
    if key == "boolean_answer":
        return polarity(case.question, case.answer) is not None
    if key in ("entity", "text_answer"):
        return verdict.names_another or normalise(str(expected)).lower() in case.answer.lower()
    return bool(_VALUES[key](case.answer)) if key in _VALUES else False


_VALUES: Final[Mapping[str, Callable[[str], Sequence[Mention]]]] = {
    "amount_total": amounts,
    "amount_breakdown": amounts,
    "date": date_values,
    "date_range": date_values,
    "count": numbers,
}
_JUDGES: Final[Mapping[str, Callable[[Any, str, Case], FieldVerdict]]] = {
    "amount_total": judge_amount,
    "amount_breakdown": judge_breakdown,
    "date": judge_date,
    "date_range": judge_range,
    "count": judge_count,
    "boolean_answer": lambda expected, text, case: judge_boolean(bool(expected), case.question, text),
    "entity": judge_text,
    "text_answer": judge_text,
}
