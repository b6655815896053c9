"""Labels for legal verdicts, as messages: fields and parts, kinds of values, speakers and sections."""

from collections.abc import Iterable, Mapping
from typing import Final

from steelyard.i18n import Joined, Localized, Message, as_message, codes, translations


def labels(section: str) -> dict[str, Message]:
    """The labels of a section of the catalogue, by their English text, which is the name that the program uses."""
    return {name: Message(code) for name, code in codes(section).items()}


FIELD_LABELS: Final = labels("parts")  # typed fields of an answer, and parts of a score
INVENTED: Final = labels("kinds")  # of values that may be invented
LOOSE: Final = labels("loose")  # why a value is not exact
UNITS: Final = labels("units")  # speakers and sections of a document
SENSES: Final = labels("senses")  # answers to a question of yes or no, in words and as a field


def named(names: Mapping[str, Message], key: object) -> Message | str:
    """The label of a key; the key itself if it has none."""
    return names.get(str(key), str(key))


def invented_kind(kind: str) -> Message | str:
    """The label of a kind of invented values; `forbidden phone` is the kind of a value that the question forbids."""
    before, _, rest = kind.rpartition(" ")
    return (
        Message("legal.forbidden_kind", kind=named(INVENTED, rest)) if before == "forbidden" else named(INVENTED, kind)
    )


def invented_rows(found: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Each invented text once, with the label of its last kind in every language."""
    return [[text, *translations(as_message(invented_kind(kind)))] for text, kind in dict(found).items()]


def in_one_line(reasons: Iterable[tuple[str, Localized | str]], labels: Mapping[str, Message]) -> Joined:
    """Reasons joined in one line, each after the label of its part or field."""
    labelled = (Message("core.labelled", label=named(labels, name), message=reason) for name, reason in reasons)
    return Joined("core.clauses", labelled)
