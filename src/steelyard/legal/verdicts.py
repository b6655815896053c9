"""The verdict on an answer: its score, the parts of the score, and the reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from steelyard.i18n import Language, Localized, Message
from steelyard.legal.question_types import part_labels
from steelyard.legal.wording import in_one_line

if TYPE_CHECKING:
    from steelyard.legal.grounding.inventions import Invented
    from steelyard.legal.model import Question


@dataclass(frozen=True, slots=True)
class LegalVerdict:
    """A score in [0, 1] with its parts, the reasons, and the invented values.

    `why` are the reasons by part and `flags` what is reported beside the score, as messages; `reasons`, `remarks` and
    `reason` are their English texts. `reached` says for each part with a threshold whether the threshold was reached.
    """

    score: float
    parts: Mapping[str, float]
    why: Mapping[str, Localized]
    flags: tuple[Message, ...] = ()
    invented: "tuple[Invented, ...]" = ()
    abstained: bool | None = None
    reached: Mapping[str, bool] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, str]:
        """The reasons by part, in English."""
        return {part: str(why) for part, why in self.why.items()}

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags, in English."""
        return tuple(map(str, self.flags))

    @property
    def reason(self) -> str:
        """All reasons in one line, in English."""
        return self.reason_in("en")

    def reason_in(self, language: Language) -> str:
        """All reasons in one line, in a language."""
        return in_one_line(self.why.items(), part_labels()).text(language)

    @property
    def uncertain(self) -> bool:
        """Whether the rules could not decide; the score is the best guess."""
        return bool(self.parts.get("uncertain"))


@dataclass(slots=True)
class Draft:
    """What the judge of a question type returns; `legal.score` completes it to a verdict.

    `uncertain` is why the rules cannot decide, None where they can.
    """

    parts: dict[str, float]
    why: dict[str, Localized]
    score: float = 0.0
    flags: tuple[Message, ...] = ()
    uncertain: Localized | None = None
    invented: "tuple[Invented, ...]" = ()
    abstained: bool | None = None
    may_pass: bool = True
    reached: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def zero(cls, question: "Question", why: Message, flag: Message | None = None) -> Self:
        """A draft with 0 for every part."""
        names = question.part_names
        return cls(dict.fromkeys(names, 0.0), {names[0]: why}, flags=(flag,) if flag else ())
