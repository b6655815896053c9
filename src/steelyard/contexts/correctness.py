"""Whether answers are right by value: the references as the judges of facts read them.

A reference that is a number, a sum, a date, a percentage, a yes or a no is judged as that; the others are texts or
names, each an alias of the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.needs import BLANK, NO_REFERENCE, TOO_LONG
from steelyard.contexts.refusals import refusal_of
from steelyard.i18n import Localized, Message
from steelyard.legal import FactRules, judge_fact
from steelyard.legal.facts.figures import whole_figure
from steelyard.legal.reading import answer_in, is_too_long, read
from steelyard.lexicon import lexicon
from steelyard.registry.metrics import Scored
from steelyard.stats.review import UNCERTAIN
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise
from steelyard.text.reading import is_silent
from steelyard.text.tokens import atoms
from steelyard.text.values import same_measure

WORDS: Final = lexicon("contexts")
_FACTS: Final = lexicon("facts")
_LONGEST_VALUE: Final = 60  # characters of a reference that may be one value
_YEARS: Final = (1000, 2100)  # whole numbers that may be years, which are found as texts

Fields = Mapping[str, Any]


class Verdict(NamedTuple):
    """Whether an answer is right, whether the rules cannot decide, and why."""

    is_right: bool
    is_uncertain: bool
    why: Localized


def correctness(pairs: AnswerBatch) -> Scored:
    """1 for each answer that is right, with the reason as its note."""
    found = [verdict(*row) for row in zip(pairs.answers, pairs.questions, pairs.groups, strict=True)]
    return Scored(
        np.array([each.is_right for each in found], np.float64),
        {UNCERTAIN: np.array([each.is_uncertain for each in found], np.float64)},
        {row: each.why for row, each in enumerate(found)},
    )


def verdict(answer: str, question: str, groups: Iterable[Iterable[str]]) -> Verdict:
    """Return the verdict on an answer, which must give one reference of each group.

    With several groups the answer is a list: what it lists beside the references of a group does not count against it.
    """
    if is_too_long(answer):
        return Verdict(False, False, TOO_LONG)
    if read(answer_in(answer)).is_silent:
        return Verdict(False, False, BLANK)
    wanted = [sorted({alias for alias in group if not is_silent(alias)}) for group in groups]
    if len(wanted) == 1:
        return _best(_verdicts(wanted[0], answer, question))
    found = [_best(_text_verdicts(aliases, answer, "")) for aliases in wanted]
    return min(found, key=lambda each: (each.is_right, not each.is_uncertain))


def _verdicts(references: Sequence[str], answer: str, question: str) -> Iterator[Verdict]:
    if same := next((each for each in references if atoms(each) == atoms(answer)), None):
        yield Verdict(True, False, Message("legal.answer_is", name=same))
        return
    values = {reference: list(_fields(reference, question)) for reference in references}
    for reference, readings in values.items():
        for fields in readings:
            yield _judged(fields, answer, question, FactRules(source=reference))
    yield from _text_verdicts([each for each in references if not values[each]], answer, question)


def _text_verdicts(aliases: Sequence[str], answer: str, question: str) -> Iterator[Verdict]:
    """Yield the verdict on texts as they stand, then with all values in digits: within six days is within 6 days.

    If a text is a refusal, an answer that refuses in other words is right too.
    """
    has_values = any(mentions(normalise(alias)) for alias in aliases)
    for spelt in (str, _in_digits) if has_values else (str,) if aliases else ():
        name, *others = map(spelt, aliases)
        yield _judged({"text_answer": name}, spelt(answer), question, FactRules(aliases=tuple(others)))
    is_refusal = any((meant := refusal_of(alias, question)) and meant.abstains for alias in aliases)
    if is_refusal and (found := refusal_of(answer, question)):
        yield Verdict(found.abstains, found.uncertain, found.why)


def _judged(fields: Fields, answer: str, question: str, rules: FactRules) -> Verdict:
    """Return the verdict on one field; what refuses is wrong, and so is another measure than that of the reference."""
    found = judge_fact(fields, answer, question=question, rules=rules)
    if found.correct and (stance := refusal_of(answer, question)) and stance.kind in ("refuses", "mixed"):
        return Verdict(False, stance.uncertain, stance.why)
    if found.correct and "text_answer" not in fields and _is_negative(answer) and not _is_negative(rules.source):
        return Verdict(False, False, Message("legal.is_not", text=answer.strip(), expected=rules.source))
    counted = _value(_bare(rules.source)) if found.correct and "count" in fields else None
    if counted and (unit := counted.unit):
        given = [each for each in mentions(normalise(answer)) if each.value == fields["count"]]
        if given and not any(not each.unit or same_measure(each.unit, unit) for each in given):
            return Verdict(False, False, Message("legal.is_not", text=given[0].text, expected=rules.source))
    return Verdict(found.correct, found.uncertain, next(iter(found.fields.values())).why)


def _is_negative(text: str) -> bool:
    """Return whether a text, or the final answer that it announces, is one negative number."""
    reading = read(text)
    figure = whole_figure(reading.final or reading.text)
    return figure is not None and figure.value < 0


def _best(found: Iterable[Verdict]) -> Verdict:
    """Return the first right verdict, a certain one if there is any; else the first, uncertain if one of them is."""
    seen: list[Verdict] = []
    for each in found:
        if each.is_right and not each.is_uncertain:
            return each
        seen.append(each)
    if not seen:
        return Verdict(False, False, NO_REFERENCE.reason)
    best = max(seen, key=lambda each: each.is_right)
    return best._replace(is_uncertain=any(each.is_uncertain for each in seen))


def _fields(reference: str, question: str) -> Iterator[Fields]:
    """Yield the fields that a reference may stand for if it is a yes or no or one exact value; none if it is a text."""
    text = _bare(reference)
    if text.lower() in WORDS.words("yes_no"):
        yield {"boolean_answer": judge_fact({"boolean_answer": True}, text).correct}
    elif (value := _value(text)) is not None:
        whole = value.kind in ("money", "count", "number") and value.value % 1 == 0
        if value.kind == "date" and value.value.is_whole and value.until is None:
            yield {"date": value.value.isoformat()}
        elif value.kind == "money":
            yield {"amount_total": int(value.value) if whole else float(value.value)}
        elif whole and (value.unit or not _YEARS[0] <= value.value <= _YEARS[1]):
            yield {"count": int(value.value)}
            if not value.unit and not _FACTS["things_asked"].search(
                question
            ):  # of things, a sum, or a name such as that of a floor
                yield {"amount_total": int(value.value)}
            if not value.unit or whole_figure(text):
                yield {"text_answer": reference}
        elif value.kind == "percent":
            yield {"text_answer": reference}


def _bare(text: str) -> str:
    return normalise(text).strip(" .。")


def _value(text: str) -> Mention | None:
    """Return the value that a text consists of, if it is exact."""
    found = mentions(text) if len(text) <= _LONGEST_VALUE else ()
    return found[0] if len(found) == 1 and found[0].text == text and found[0].is_exact and not found[0].approx else None


def _in_digits(text: str) -> str:
    """Return the text with its exact values in digits: dates as 2020-06-05, sums with the code of their currency."""
    plain, pieces, at = normalise(text), [], 0
    for value in mentions(plain):
        if value.start >= at and (spelt := _spelt(value)):
            pieces += [plain[at : value.start], spelt]
            at = value.end
    return "".join([*pieces, plain[at:]])


def _spelt(value: Mention) -> str:
    match value.kind:
        case "date" if value.value is not None and value.until is None and value.loose in ("", "coarse"):
            return str(value.value.isoformat()).replace("-??", "")
        case "percent" | "money" | "count" | "number" if value.is_exact:
            mark = "%" if value.kind == "percent" else f" {value.unit}" if value.unit else ""
            return f"{value.value.normalize():f}{mark}"
    return ""
