"""Keyed points: which points a free answer gives, and which it denies, only doubts, or voids by a forbidden form.

A form of a point is given where its tokens stand in one sentence, one after the other: values are compared by value,
articles by number, English words by stem, the rest by character, without punctuation and unmarked words. Where other
words stand in between, a rule cannot decide. A form that a negator governs is denied; one in a question, a repetition
of the question, or a hedge is not given. Where forms overlap, the longest counts: 不能 does not give 能. What a party
claims or a condition precedes is no finding: it gives no conclusion, and voids and denies nothing.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Final, Literal, NamedTuple

from steelyard.errors import cut
from steelyard.i18n import Message
from steelyard.legal.evidence.quotes import quote_key
from steelyard.legal.facts.polarity_statements import WORDS as POLARITY
from steelyard.legal.facts.polarity_statements import Statement, is_negated_at, scan
from steelyard.legal.question_types.points import Point
from steelyard.legal.reading import QUOTED, clause_of, outline
from steelyard.legal.thresholds import (
    ALTERNATIVE_REACH,
    LISTED_FORMS,
    LOOSE_FORM,
    LOOSE_SPAN,
    NEAR_NEGATION,
    OCCURRENCES,
    SCATTERED,
    SHORT_FORM,
    UNKNOWN_REACH,
)
from steelyard.legal.values.statutes import articles
from steelyard.lexicon import lexicon
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import HAN, has_han, normalise
from steelyard.text.stemming import stem
from steelyard.text.values import Day, same_measure

_WORDS: Final = lexicon("points")
_SHARED: Final = lexicon("shared")
_ALIKE: Final = {
    word: entry["words"].split()[0]
    for name, entry in _WORDS.entries()
    if name == "alike"
    for word in entry["words"].split()
}
"""The first word of the entry of each word that counts as another."""
_HAN_WORDS: Final = "|".join(sorted((word for word in _ALIKE if not word.isascii()), key=len, reverse=True))
_WORD: Final = re.compile(rf"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?|{_HAN_WORDS}|[{HAN}]")
_STATE: Final = re.compile(rf"中华人民共和国(?=[{HAN}]{{1,20}}[法典])")
_CONTRACTED: Final = {"cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not")}

_CLAUSE: Final = re.compile(r"[,，。;；!?！？\n]|\.(?=\s|$)")
_LONGEST: Final = 40  # characters of a point or of words in a reason

# ----- tokens


class Token(NamedTuple):
    """A token of a text: a stem, a character, or what a value or an article is compared by."""

    key: object
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Article:
    kind: str
    number: str
    parts: tuple[str, ...]

    def agrees(self, other: object) -> bool:
        """Return whether an answer names the article; it may add a paragraph or an item."""
        if not isinstance(other, _Article) or (self.kind, self.number) != (other.kind, other.number):
            return False
        return other.parts[: len(self.parts)] == self.parts


@dataclass(frozen=True, slots=True)
class _Value:
    value: object
    unit: str

    def agrees(self, other: object) -> bool:
        """Return whether an answer has the value; one of two dates may lack its year, and a number its unit."""
        if not isinstance(other, _Value):
            return False
        if isinstance(self.value, Day) and isinstance(other.value, Day):
            if not other.value.month:
                return other.value == self.value
            return other.value.agrees(self.value) or (not self.value.year and self.value.agrees(other.value))
        return self.value == other.value and (not self.unit or not other.unit or same_measure(self.unit, other.unit))


def _agree(form: object, found: object) -> bool:
    return form.agrees(found) if isinstance(form, _Article | _Value) else form == found


@lru_cache(maxsize=1 << 12)
def form_tokens(form: str) -> tuple[Token, ...]:
    """Return the tokens of a form, or of a question."""
    return tokens(normalise(form))


def tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of a normalised text, without those that carry no meaning."""
    named = [Token(_Article(each.kind, each.number, each.parts), each.start, each.end) for each in articles(text)]
    inside = {at for token in named for at in range(token.start, token.end)}
    values = [
        Token(_Value(value.value, value.unit), value.start, value.end)
        for value in mentions(text)
        if value.value is not None and value.start not in inside and not _is_lone_numeral(value.kind, value.text)
    ]
    found = sorted((*named, *values), key=attrgetter("start"))
    plain = _STATE.sub(lambda name: " " * len(name[0]), text).lower()
    at, words = 0, list[Token]()
    for start, end in (*((token.start, token.end) for token in found), (len(plain), len(plain))):
        words += _words(plain, at, start)
        at = end
    return tuple(sorted((*found, *words), key=attrgetter("start")))


def _is_lone_numeral(kind: str, text: str) -> bool:
    """Return whether a numeral may be part of a word: 一 of 一并."""
    return kind == "number" and len(text) == 1 and not text.isascii()


def _words(text: str, start: int, end: int) -> Iterator[Token]:
    for word in _WORD.finditer(text, start, end):
        parts = _CONTRACTED.get(word[0]) or ((word[0][:-3], "not") if word[0].endswith("n't") else (word[0],))
        marked = (_ALIKE.get(part, part) for part in parts if part not in _WORDS.words("unmarked"))
        yield from (Token(stem(part), *word.span()) for part in marked)


# ----- where a form stands

State = Literal["given", "denied", "rejected", "doubted", "asked"]


class _Hit(NamedTuple):
    """Where a form stands in an answer, and how it stands there."""

    start: int
    end: int
    state: State

    def is_inside(self, others: "Iterable[_Hit]") -> bool:
        """Return whether it is a part of a longer one of these."""
        spans = ((other.start, other.end) for other in others)
        return any(
            first <= self.start and self.end <= last and last - first > self.end - self.start for first, last in spans
        )


class Answer:
    """The text of an answer, prepared for looking up forms."""

    def __init__(self, text: str, question: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self._question = question

    @cached_property
    def _sentences(self) -> list[tuple[int, int]]:
        """The tokens of each sentence, as a range."""
        starts = [token.start for token in self.tokens]
        ends = [bisect_right(starts, sentence.end - 1) for sentence in outline(self.text).sentences]
        return list(zip([0, *ends], ends, strict=False))

    @cached_property
    def _words_of_sentences(self) -> list[frozenset[object]]:
        return [frozenset(token.key for token in self.tokens[first:last]) for first, last in self._sentences]

    @cached_property
    def _places(self) -> Mapping[object, list[tuple[int, int]]]:
        """Where each word or kind of value is among the tokens, with the end of its sentence."""
        places = defaultdict[object, list[tuple[int, int]]](list)
        for first, last in self._sentences:
            for at in range(first, last):
                key = self.tokens[at].key
                places[key if isinstance(key, str) else type(key)].append((at, last))
        return places

    def _starts(self, key: object) -> Sequence[tuple[int, int]]:
        return self._places.get(key if isinstance(key, str) else type(key), ())

    @cached_property
    def _frames(self) -> list[tuple[int, int]]:
        """Where the answer calls wrong what it says next: it would be wrong to say that."""
        return [match.span() for match in _WORDS["wrong_to_say"].finditer(self.text)]

    @cached_property
    def _denied_lists(self) -> list[tuple[int, int]]:
        """Where the answer lists what is not so: damages or replacement (are not available)."""
        return [match.span() for match in _WORDS["denied_list"].finditer(self.text)]

    @cached_property
    def _statements(self) -> list[Statement]:
        """The clauses, without the negators of frames."""
        statements = scan(self.text.lower())
        for each in statements:
            each.negators = [one for one in each.negators if not _covers(self._frames, one[0], one[0] + 1)]
        return statements

    @cached_property
    def _echoes(self) -> list[tuple[int, int]]:
        """Where the answer quotes or repeats the question."""
        asked = quote_key(self._question)
        quoted = [match.span() for match in QUOTED.finditer(self.text) if quote_key(match[0]) in asked]
        own, found = [token.key for token in form_tokens(self._question)], [each.key for each in self.tokens]
        first = [at for at in range(len(found) - len(own) + 1) if found[at : at + len(own)] == own] if own else []
        return quoted + [(self.tokens[at].start, self.tokens[at + len(own) - 1].end) for at in first]

    @cached_property
    def _asked(self) -> list[tuple[int, int]]:
        """Where the answer has an indirect question: 关于是否构成自首."""
        return [match.span() for match in POLARITY["asked_again"].finditer(self.text.lower())]

    def statement_at(self, index: int) -> Statement:
        at = bisect_right(self._statements, index, key=attrgetter("start")) - 1
        return self._statements[at] if at >= 0 else Statement("", 0)

    def hits(self, form: str, *, loosely: bool = False) -> list[_Hit]:
        """Return where a form stands; with `loosely` also with other words in between, in one clause."""
        wanted = form_tokens(form)
        span = len(wanted) * (LOOSE_SPAN if loosely and _is_telling(wanted) else 1)
        starts = self._starts(wanted[0].key) if wanted else ()
        found = (
            run
            for at, last in (islice(starts, OCCURRENCES) if loosely else starts)
            if (run := _matched(wanted, self.tokens[at : min(last, at + span)]))
        )
        runs = list(islice(found, OCCURRENCES))
        if loosely:  # in one clause
            runs = [run for run in runs if self.statement_at(run[0].start) is self.statement_at(run[-1].start)]
        return [_Hit(run[0].start, run[-1].end, self._state(form, run)) for run in runs]

    def _state(self, form: str, run: Sequence[Token]) -> State:
        start, end = run[0].start, run[-1].end
        statement = self.statement_at(start)
        asked = [] if POLARITY["asked_again"].search(form) else self._asked
        if statement.is_asked or any(first <= start < last for first, last in (*self._echoes, *asked)):
            return "asked"
        if _covers(self._denied_lists, start, end):
            return "denied"
        first, last = (bisect_left(self._frames, at, key=itemgetter(0)) for at in (statement.start, start))
        framed = (last - first) % 2 == 1
        if self._is_denied(statement, run) != framed:
            return "denied" if framed or not self._is_of_clause(statement, run) else "doubted"
        if _WORDS["rejected_after"].match(self.text, end):
            return "rejected"
        is_clipped = start > 0 and _WORDS["clipped"].match(self.text, start - 1)  # 超过 of 不超过
        is_doubted = is_clipped or _is_hedged(statement, start, end) or self._is_open(start, end)
        return "doubted" if is_doubted else "given"

    def _is_of_clause(self, statement: Statement, run: Sequence[Token]) -> bool:
        """Return whether the last negator before a short English form has a verb of its own: does not cover fraud."""
        before = [at for at, _ in statement.negators if at < run[0].start]
        if not before or len(run) > SHORT_FORM or has_han(self.text):
            return False
        return len(tokens(self.text[before[-1] : run[0].start])) > 1

    def _is_open(self, start: int, end: int) -> bool:
        """Return whether it hangs on a condition of which the next words say that it is not known to be met."""
        first = outline(self.text).sentences.at(start).start
        return bool(
            _WORDS["condition"].search(self.text, first, start)
            and _WORDS["unknown"].search(self.text, end, end + UNKNOWN_REACH)
        )

    def _is_denied(self, statement: Statement, run: Sequence[Token]) -> bool:
        """Return whether negators before a form, or between its words, deny it; of one that is negative, only near."""
        start, end = run[0].start, run[-1].end
        contrast = (match.span() for match in POLARITY["contrast"].finditer(self.text, max(0, start - 3), end))
        first = next((first for first, last in contrast if first < start < last), start)  # 而非口头同意
        inside = [at for at, _ in statement.negators if start <= at < end]
        if inside and run[0].start <= inside[0] < run[0].end:
            near = [at for at, _ in statement.negators if 0 < first - at <= NEAR_NEGATION]
            return len(near) % 2 == 1
        matched = {token.start for token in run}
        between = [at for at in inside if not _is_in(at, run) and self._next_start(at) in matched]
        return is_negated_at(statement, first) != (len(between) % 2 == 1)

    @cached_property
    def _reports(self) -> list[int]:
        """Where words end that claim what follows, or make it conditional."""
        kinds = (POLARITY["claim"], _WORDS["reported"], _WORDS["condition"])
        found = (word for kind in kinds for word in kind.finditer(self.text.lower()))
        return sorted(word.end() for word in found if not _WORDS["right"].match(self.text, word.start()))

    @cached_property
    def _turns(self) -> list[int]:
        """Where the answer turns to what is found."""
        kinds = (POLARITY["finding"], _WORDS["turned"])
        return sorted(word.start() for kind in kinds for word in kind.finditer(self.text.lower()))

    def is_reported(self, hit: _Hit) -> bool:
        """Return whether words before it in its sentence claim it or make it conditional, and nothing turns after."""
        at = bisect_right(self._reports, hit.start) - 1
        last = self._reports[at] if at >= 0 else -1
        turns = bisect_left(self._turns, hit.start) - bisect_left(self._turns, last)
        return last > outline(self.text).sentences.at(hit.start).start and turns == 0

    def _next_start(self, index: int) -> int:
        """Return where the token after the one at an index begins: a negator governs that."""
        at = bisect_right(self.tokens, index, key=attrgetter("start"))
        return self.tokens[at].start if at < len(self.tokens) else len(self.text)

    def has_scattered(self, form: str) -> bool:
        """Return whether a sentence has most tokens of a form, in another order or far from each other."""
        keys = form_key(form)
        most = (1 - SCATTERED) * len(keys)
        words = [key for key in keys if isinstance(key, str)]
        values = [key for key in keys if not isinstance(key, str)]
        return _is_telling(form_tokens(form)) and any(
            sum(word not in own for word in words) <= most
            and all(any(_agree(value, key) for key in own) for value in values)
            for own in self._words_of_sentences
            if words
        )


def _covers(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether one of these spans, which are in order, has all of another."""
    at = bisect_right(spans, start, key=itemgetter(0)) - 1
    return at >= 0 and end <= spans[at][1]


def _matched(wanted: Sequence[Token], found: Sequence[Token]) -> list[Token]:
    """Return the tokens that match those of a form in order, from the first one on; none if not all do."""
    run, slack = list[Token](), len(found) - len(wanted)
    for token in found:
        if _agree(wanted[len(run)].key, token.key):
            run.append(token)
        else:
            slack -= 1
        if not run or slack < 0 or len(run) == len(wanted):
            break
    return run if len(run) == len(wanted) else []


def _is_hedged(statement: Statement, start: int, end: int) -> bool:
    """Return whether a hedge is about what stands there, and not about an attribute of it: 可能影响定罪的关键证据."""
    found = (match.span() for match in POLARITY["hedge"].finditer(statement.text.lower()))
    hedges = [(at, to) for at, to in found if not _WORDS["right"].match(statement.text, at)]
    first, last = start - statement.start, end - statement.start
    return any(at >= last or (to <= first and "的" not in statement.text[to:first]) for at, to in hedges)


def _is_telling(wanted: Sequence[Token]) -> bool:
    """Return whether a form is long enough to be recognised by its words; a character counts as half a word."""
    return sum(1 if token.end - token.start == 1 else 2 for token in wanted) >= LOOSE_FORM


def _is_in(at: int, run: Sequence[Token]) -> bool:
    return any(token.start <= at < token.end for token in run)


# ----- verdicts

Outcome = Literal["given", "loose", "missed", "scattered", "doubted", "denied", "forbidden", "contradicted", "listed"]
_REASONS: Final[Mapping[Outcome, str]] = {
    "given": "legal.point_given",
    "loose": "legal.point_loose",
    "missed": "legal.point_missed",
    "scattered": "legal.point_scattered",
    "doubted": "legal.point_doubted",
    "denied": "legal.point_denied",
    "forbidden": "legal.point_forbidden",
    "contradicted": "legal.point_contradicted",
    "listed": "legal.point_listed",
}
_WORDLESS: Final = frozenset(("missed", "scattered", "listed"))
_UNCERTAIN: Final = frozenset(("loose", "scattered", "doubted", "contradicted", "listed"))
_WRONG: Final = frozenset(("denied", "forbidden", "contradicted"))


@dataclass(frozen=True, slots=True)
class PointVerdict:
    """What an answer says of a point, the words that decided, and what it earns."""

    point: Point
    outcome: Outcome
    earned: float = 0.0
    words: str = ""

    @property
    def why(self) -> Message:
        """The reason; its code names the outcome."""
        words = {"words": cut(self.words, _LONGEST)} if self.outcome not in _WORDLESS else {}
        return Message(_REASONS[self.outcome], point=cut(self.point.text, _LONGEST), **words)

    @property
    def is_wrong_conclusion(self) -> bool:
        return self.point.is_conclusion and self.outcome in _WRONG

    @property
    def is_uncertain(self) -> bool:
        """Whether the rules cannot decide; a conclusion that is not found may stand there in other words."""
        return self.outcome in _UNCERTAIN or (self.point.is_conclusion and self.outcome == "missed")


def judge_points(points: Sequence[Point], text: str, question: str = "") -> list[PointVerdict]:
    """Return the verdict on each point of a normalised text."""
    answer = Answer(text, question)
    looked = [_Look(point, answer) for point in points]
    others = [hit for look in looked for _, hit in look.given]
    return [look.verdict(others) for look in looked]


def form_key(form: str) -> tuple[object, ...]:
    """Return what a form is compared by."""
    return tuple(token.key for token in form_tokens(form))


class _Look:
    """The forms of one point in an answer."""

    def __init__(self, point: Point, answer: Answer) -> None:
        self.point = point
        self.answer = answer
        found = [(form, hit) for form in point.forms for hit in answer.hits(form.text)]
        void = [hit for words in point.forbidden for hit in answer.hits(words)]
        accepted = [hit for _, hit in found]
        self.void = [hit for hit in self._own_hits(void, "given") if not hit.is_inside(accepted)]
        self.found = [(form, hit) for form, hit in found if not hit.is_inside(void)]
        self.given = [(form, hit) for form, hit in self.found if hit.state == "given" and self._is_own(hit)]

    def _own_hits(self, hits: Iterable[_Hit], state: State) -> list[_Hit]:
        """Return the hits in a state that the answer does not only report."""
        return [hit for hit in hits if hit.state == state and not self.answer.is_reported(hit)]

    def verdict(self, given: Sequence[_Hit]) -> PointVerdict:
        """Return the verdict; `given` is all that is given of any point: 不构成 is no denial if it is a point."""
        found = [hit for _, hit in self.found if not hit.is_inside(given)]
        rejected = [hit for hit in found if hit.state == "rejected" and self.point.is_conclusion]
        denied = rejected or self._own_hits(found, "denied")
        if self.void:
            return self._verdict("contradicted" if self.given else "forbidden", self.void[0])
        if self.given and (denied or self._is_list()):
            return self._verdict("contradicted" if denied else "listed", (denied or [self.given[-1][1]])[0])
        if self.given:
            form, hit = max(self.given, key=lambda pair: pair[0].points)
            return self._verdict("given", hit, form.points)
        if denied or (denied := self._opposite()):
            return self._verdict("denied", denied[0])
        return self._undecided()

    def _undecided(self) -> PointVerdict:
        """Return the verdict where no form stands as it is: a guess where its words stand in the answer."""
        if unsure := [hit for _, hit in self.found if hit.state in ("doubted", "rejected", "given")]:
            return self._verdict("doubted", unsure[0])
        if self.found:  # in a question only
            return PointVerdict(self.point, "missed")
        loose = [(form, hit) for form in self.point.forms for hit in self.answer.hits(form.text, loosely=True)]
        for form, hit in loose:
            if hit.state in ("given", "denied"):
                return self._verdict("loose" if hit.state == "given" else "denied", hit, form.points)
        if any(self.answer.has_scattered(form.text) for form in self.point.forms):
            return PointVerdict(self.point, "scattered")
        return PointVerdict(self.point, "missed")

    def _verdict(self, outcome: Outcome, hit: _Hit, points: float = 0.0) -> PointVerdict:
        earned = points if outcome in ("given", "loose") else 0.0
        return PointVerdict(self.point, outcome, earned, self.answer.text[hit.start : hit.end])

    def _is_own(self, hit: _Hit) -> bool:
        """Return whether the answer itself says it: a conclusion is not what a party claims, nor one of two."""
        if not self.point.is_conclusion:
            return True
        around = self.answer.text[max(0, hit.start - ALTERNATIVE_REACH) : hit.start]
        after = self.answer.text[hit.end : hit.end + ALTERNATIVE_REACH]
        is_offered = any(
            _SHARED["alternative"].search(_CLAUSE.split(text)[at]) for text, at in ((around, -1), (after, 0))
        )
        return not is_offered and not self.answer.is_reported(hit)

    def _is_list(self) -> bool:
        """Return whether forms of the point are listed, each in a clause of its own: 会见权，会见，通信权."""
        bare = {form_key(form.text) for form, hit in self.given if self._fills_clause(hit)}
        return len(bare) >= LISTED_FORMS

    def _fills_clause(self, hit: _Hit) -> bool:
        clause = clause_of(self.answer.text, hit.start)
        return len(quote_key(clause.text)) == len(quote_key(self.answer.text[hit.start : hit.end]))

    def _opposite(self) -> list[_Hit]:
        """Return where the answer gives the opposite of a conclusion that has a negator: 能适用 for 不能适用."""
        forms = [form.text for form in self.point.forms] if self.point.is_conclusion else []
        opposite = {form: _WORDS["negative"].sub("", form, count=1) for form in forms}
        hits = (
            self.answer.hits(words) for form, words in opposite.items() if words != form and len(form_tokens(words)) > 1
        )
        return self._own_hits((hit for found in hits for hit in found), "given")
