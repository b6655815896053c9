"""Labels for legal verdicts, as messages: fields, kinds of values, speakers and sections."""

from collections.abc import Iterable, Mapping
from typing import Final

from steelyard.i18n.message import Joined, Localized, Message, as_message, translations

FIELD_LABELS: Final[Mapping[str, Message]] = {
    "amount_total": Message("parts.amount_total"),
    "amount_breakdown": Message("parts.amount_breakdown"),
    "date": Message("parts.date"),
    "date_range": Message("parts.date_range"),
    "count": Message("parts.count"),
    "boolean_answer": Message("parts.boolean_answer"),
    "entity": Message("parts.entity"),
    "text_answer": Message("parts.text_answer"),
    "count_ok": Message("parts.count_ok"),
}
"""Typed fields of an answer, and a flag that has its own reason. The labels of parts are in `question_types`."""
INVENTED: Final[Mapping[str, Message]] = {
    "article": Message("kinds.article"),
    "quote": Message("kinds.quote"),
    "name": Message("kinds.name"),
    "place": Message("kinds.place"),
    "money": Message("kinds.money"),
    "date": Message("kinds.date"),
    "time": Message("kinds.time"),
    "count": Message("kinds.count"),
    "number": Message("kinds.number"),
    "percent": Message("kinds.percent"),
    "age": Message("kinds.age"),
    "phone": Message("kinds.phone"),
    "id": Message("kinds.id"),
    "card": Message("kinds.card"),
    "serial": Message("kinds.serial"),
    "address": Message("kinds.address"),
}
"""Kinds of values that may be invented."""
LOOSE: Final[Mapping[str, Message]] = {
    "no number": Message("loose.no_number"),
    "approximate": Message("loose.approximate"),
    "impossible": Message("loose.impossible"),
    "range": Message("loose.range"),
    "inexact": Message("loose.inexact"),
    "bound": Message("loose.bound"),
    "rate": Message("loose.rate"),
    "lunar": Message("loose.lunar"),
    "vague": Message("loose.vague"),
    "coarse": Message("loose.coarse"),
}
"""Why a value is not exact."""
UNITS: Final[Mapping[str, Message]] = {
    "question": Message("units.question"),
    "answer": Message("units.answer"),
    "header": Message("units.header"),
    "qa_pair": Message("units.qa_pair"),
}
"""Speakers and sections of a document."""
SENSES: Final[Mapping[str, Message]] = {
    "yes": Message("senses.yes"),
    "no": Message("senses.no"),
    "True": Message("senses.true"),
    "False": Message("senses.false"),
}
"""Answers to a question of yes or no, in words and as a field."""
_FORBIDDEN: Final = "forbidden"


def named(names: Mapping[str, Message], key: object) -> Message | str:
    """The label of a key; the key itself if it has none."""
    text = str(key)
    return names.get(text, text)


def invented_kind(kind: str) -> Message | str:
    """The label of a kind of invented values; `forbidden phone` is the kind of a value that the question forbids."""
    before, _, rest = kind.rpartition(" ")
    if before != _FORBIDDEN:
        return named(INVENTED, kind)
    return Message("legal.forbidden_kind", kind=named(INVENTED, rest))


def invented_rows(found: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Each invented text once, with the label of its last kind in every language."""
    return [[text, *translations(as_message(invented_kind(kind)))] for text, kind in dict(found).items()]


def in_one_line(reasons: Iterable[tuple[str, Localized | str]], labels: Mapping[str, Message]) -> Joined:
    """Reasons joined in one line, each after the label of its part or field."""
    return Joined(
        "core.clauses",
        (Message("core.labelled", label=named(labels, name), message=reason) for name, reason in reasons),
    )
