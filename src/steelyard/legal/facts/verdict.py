"""What a judge of a field is given, and its verdict."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.i18n import Localized, Message
from steelyard.legal.model import FactRules
from steelyard.legal.wording import LOOSE, named
from steelyard.text.mentions import Mention


class Case(NamedTuple):
    """A question with the rules of its facts; the answer, its announced final part, and the currency of the record."""

    question: str
    rules: FactRules
    answer: str = ""
    final: str = ""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """Whether a field is right, the reason, and flags that do not change the score (`approx_added`, `approx_dropped`).

    `uncertain`: the rules cannot decide, and `correct` is the best guess. `names_another`: the answer gives the asked
    role to somebody else. `unsettled`: the rules deny because they found too little, or too much.
    """

    correct: bool
    why: Localized
    flags: tuple[Message, ...] = ()
    uncertain: bool = False
    names_another: bool = False
    unsettled: bool = False

    @property
    def reason(self) -> str:
        """The reason, in English."""
        return str(self.why)


def right_value(value: Mention, known: Iterable[Mention], rules: FactRules) -> FieldVerdict:
    """The verdict on a right value; `known` are the same values in the source.

    With 约 it is correct and flagged if the source does not say so, and wrong if that is strictly judged.
    """
    is_source_approximate = any(each.approx for each in known)
    if value.approx and not is_source_approximate and rules.numeric_exact:
        is_strict = rules.approx_policy == "strict"
        why = Message("legal.only_approximate" if is_strict else "legal.says_about", text=value.text)
        return FieldVerdict(not is_strict, why, (Message("legal.approx_added"),))
    flags = (Message("legal.approx_dropped"),) if is_source_approximate and not value.approx else ()
    return FieldVerdict(True, Message("legal.answer_says", value=value.text), flags)


def inexact(value: Mention, otherwise: str = "no number") -> Message:
    """The reason why a value is not exact."""
    return Message("legal.not_exact", text=value.text, why=named(LOOSE, value.loose or otherwise))
