"""An answer with refusing clauses, and the verdict on it."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from steelyard.i18n import Localized, Message
from steelyard.legal.refusals import question_words, words
from steelyard.legal.refusals.cues import Asked, Clause, shared_terms
from steelyard.text.mentions import Mention, mentions

LONG: Final = 60.0
"""Weight of stated text from which an answer is long; a Chinese character weighs 1, a Latin letter 0.4."""
EXPOSITION: Final = 150.0
"""Weight of stated text from which an open question counts as answered even after a refusal by the speaker."""
_LONGEST_VALUE_SEARCH: Final = 4000


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, and the reason; `uncertain` if the rules cannot decide."""

    abstains: bool
    why: Localized
    uncertain: bool = False

    @property
    def reason(self) -> str:
        """The reason, in English."""
        return str(self.why)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer with at least one refusing clause."""

    text: str
    pieces: list[Clause]
    refusing: list[int]
    asked: Asked

    @property
    def level(self) -> int:
        """The strength of the strongest clause."""
        return max(self.pieces[at].level for at in self.refusing)

    def direct(self) -> list[int]:
        """The clauses that refuse the question itself: 无法回答这个问题."""
        return [at for at in self.refusing if self.pieces[at].level >= 2 and words.DIRECT.search(self.pieces[at].text)]

    def norms(self) -> int:
        """The number of clauses that state rules of law."""
        if words.NORM.search(self.text) is None:
            return 0
        return sum(1 for piece in self.pieces if piece.weight and words.NORM.search(piece.text))

    def context(self, at: int) -> str:
        """A refusing clause, together with the clause before it that names its topic: 关于数额,没有记载."""
        piece = self.pieces[at]
        before = self.pieces[at - 1] if at else piece
        is_topic = before is not piece and before.sentence == piece.sentence and words.TOPIC.search(before.text)
        return before.text + "," + piece.text if is_topic else piece.text

    def names_kind(self, at: int) -> bool:
        """Whether a refusing clause names the kind of value that is asked for: 日期, phone."""
        kind = self.asked.kind
        return kind != "" and question_words.KIND_WORDS[kind].search(self.context(at)) is not None

    def names_asked(self, at: int) -> bool:
        """Whether the refusing clause is about the asked item: its kind, or words of the question."""
        return self.names_kind(at) or shared_terms(self.context(at), self.asked.text) >= 2

    def sentence(self, at: int) -> str:
        """The text of a clause's sentence up to the end of the clause."""
        sentence = self.pieces[at].sentence
        before = next(index for index in range(at, -1, -1) if index == 0 or self.pieces[index - 1].sentence != sentence)
        return self.text[self.pieces[before].start : self.pieces[at].end]

    def refused(self, *, uncertain: bool = False) -> Abstention:
        """The verdict that the answer refuses."""
        piece = self.pieces[self.refusing[0]]
        return Abstention(True, Message("legal.answer_says_words", word=piece.word[:60]), uncertain)

    def answered(self, *, uncertain: bool = False, follows: bool = False) -> Abstention:
        """The verdict that the answer does not refuse: the item `follows`, or the refusal is about something else."""
        piece = self.pieces[self.refusing[0]]
        word = piece.word[:60]
        if follows:
            return Abstention(
                False, Message("legal.goes_on_after", word=word, rest=self._stated_after()[:40]), uncertain
            )
        return Abstention(False, Message("legal.said_of_something_else", word=word), uncertain)

    def _stated_after(self) -> str:
        following = islice(self.pieces, self.refusing[0] + 1, None)
        stated = next((piece.start for piece in following if piece.weight), self.pieces[self.refusing[0]].end)
        return self.text[stated : stated + 80].strip()


def values_in(text: str, kind: str) -> list[Mention]:
    """The values of a kind in a text, or in the beginning and end of a long one."""
    if len(text) > _LONGEST_VALUE_SEARCH:
        text = text[: _LONGEST_VALUE_SEARCH // 2] + "\n" + text[-_LONGEST_VALUE_SEARCH // 2 :]
    return [value for value in mentions(text) if value.kind == kind]


def states_value(text: str) -> bool:
    """Whether a text has a value other than a bare number."""
    return any(mention.kind not in ("ordinal", "number") for mention in mentions(text[:_LONGEST_VALUE_SEARCH]))
