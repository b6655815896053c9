"""Values of law in answers and references: sets of statutes and charges, terms, fines, articles that do not exist."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.answers.batch import AnswerBatch, CorpusFile, Groups
from steelyard.answers.profiles import Profile
from steelyard.errors import InputError
from steelyard.i18n import Joined, Message
from steelyard.io.records import read_records
from steelyard.legal.reading import is_too_long, read
from steelyard.legal.values.charges import charge_names
from steelyard.legal.values.fines import Fine, total_fine
from steelyard.legal.values.statutes import Article, is_same_title, statutes
from steelyard.legal.values.terms import Term, judgment_in, sentence_of
from steelyard.registry.metrics import Scored
from steelyard.table import FloatArray
from steelyard.text.normalisation import normalise

_LONGEST_TERM: Final = math.log(216)
"""LawBench's distance of an answer without a term: that of 0 from 215 months."""
_DAYS: Final = 30  # of a month
_MOST_NAMED: Final = 10
_WHOLE_TITLE: Final = re.compile(r"(.{2,100}?)(第[^第]{1,12}条.*)")
_WHOLE_NUMBER: Final = re.compile(r"(?<=\d)\.0+$")  # as tables of numbers write them
_FIELDS: Final = ("name", "title", "article_name", "law")
_NUMBERS: Final = ("article", "number", "article_number")


class Counts(NamedTuple):
    """How many values an answer gives, how many are wanted, and how many of these it gives."""

    given: int
    wanted: int
    found: int

    @property
    def precision(self) -> float:
        """The share of the given values that are wanted; 0 if none is given."""
        return self.found / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        """The share of the wanted values that are given."""
        return self.found / self.wanted

    def f(self, beta: float) -> float:
        """Return the weighted harmonic mean of precision and recall."""
        below = beta * beta * self.precision + self.recall
        return (1 + beta * beta) * self.precision * self.recall / below if below else 0.0

    @property
    def cail(self) -> float:
        """1 if everything is right, 0.3 for a part of it without anything wrong, else 0."""
        if not self.given or self.found < self.given:
            return 0.0
        return 1.0 if self.found == self.wanted else 0.3


class SetScores(NamedTuple):
    """The counts of each answer; None where no reference has such a value."""

    each: Sequence[Counts | None]

    def of(self, score: Callable[[Counts], float]) -> FloatArray:
        """Return a value for each answer; NaN where there are no counts."""
        return np.array([np.nan if counts is None else score(counts) for counts in self.each], np.float64)

    def scored(self, beta: float) -> Scored:
        """Return F with its parts: precision, recall, and the counts of which micro averages are made."""
        parts = {
            "precision": self.of(lambda counts: counts.precision),
            "recall": self.of(lambda counts: counts.recall),
            "given": self.of(lambda counts: counts.given),
            "wanted": self.of(lambda counts: counts.wanted),
            "found": self.of(lambda counts: counts.found),
        }
        return Scored(self.of(lambda counts: counts.f(beta)), parts)


def statute_scores(pairs: AnswerBatch, profile: Profile, depth: int | None = None) -> SetScores:
    """Return the counts of statutes, made once for all metrics of a batch; at `depth` 0 articles alone count."""
    values_in = _statutes if depth is None else partial(_to_depth, depth=depth)
    applied = _applied(pairs, profile, "statutes")
    return pairs.once(f"statutes {depth}", lambda: _set_scores(applied, values_in, _compare_statutes))


def charge_scores(pairs: AnswerBatch, profile: Profile) -> SetScores:
    """Return the counts of charges, made once for all metrics of a batch."""
    applied = _applied(pairs, profile, "charges")
    return pairs.once("charges", lambda: _set_scores(applied, _charges, _compare_names))


def _applied(pairs: AnswerBatch, profile: Profile, kind: str) -> AnswerBatch:
    """Return the batch with the parts of its texts in which the profile has values of this kind read."""
    part_of = profile.part_of
    return pairs if part_of is None else pairs.once(f"part {kind}", lambda: pairs.cut(lambda text: part_of(text, kind)))


def _set_scores(
    pairs: AnswerBatch, values_in: Callable[[str], Sequence[Any]], compare: Callable[[Any, Any], Counts]
) -> SetScores:
    return SetScores([_counts(values_in(answer), groups, values_in, compare) for answer, groups in pairs.rows()])


def _counts(
    given: Sequence[Any],
    groups: Groups,
    values_in: Callable[[str], Sequence[Any]],
    compare: Callable[[Any, Any], Counts],
) -> Counts | None:
    """Compare an answer with the best alias of each group, all groups together."""
    wanted: dict[Any, None] = {}
    for group in groups:
        aliases = [values for alias in sorted(set(group)) if (values := values_in(alias))]
        scores = [(compare(given, values).f(1), -len(values)) for values in aliases]
        if aliases:
            wanted |= dict.fromkeys(aliases[scores.index(max(scores))])
    return compare(given, list(wanted)) if wanted else None


def _text(text: str) -> str:
    return "" if is_too_long(text) else read(text).text


@lru_cache(maxsize=1 << 12)
def _statutes(text: str) -> list[Article]:
    return statutes(_text(text))


def _to_depth(text: str, depth: int) -> list[Article]:
    """Return the statutes without what is deeper: 0 is articles, 1 is paragraphs, 2 is items."""
    cut = (replace(each, parts=each.parts[:depth]) for each in _statutes(text))
    return list({(each.statute, each.number, each.parts): each for each in cut}.values())


@lru_cache(maxsize=1 << 12)
def _charges(text: str) -> list[str]:
    whole = _text(text)
    return sorted(charge_names(judgment_in(whole)) or charge_names(whole))


def _compare_names(given: Sequence[str], wanted: Sequence[str]) -> Counts:
    return Counts(len(given), len(wanted), len(set(given) & set(wanted)))


def _compare_statutes(given: Sequence[Article], wanted: Sequence[Article]) -> Counts:
    """Compare statutes; the paragraph and the item of a given one count as far as the reference has them."""
    depths = {(each.number): len(each.parts) for each in sorted(wanted, key=lambda each: len(each.parts))}
    named = {(each.statute, each.number, each.parts[: depths.get(each.number, 0)]): each for each in given}
    found = sum(any(_is_same(key, each) for key in named) for each in wanted)
    right = sum(any(_is_same(key, each) for each in wanted) for key in named)
    return Counts(len(named) - right + found, len(wanted), found)


def _is_same(key: tuple[str | None, str, tuple[str, ...]], wanted: Article) -> bool:
    title, number, parts = key
    if number != wanted.number or parts[: len(wanted.parts)] != wanted.parts:
        return False
    return title is None or wanted.statute is None or is_same_title(title, wanted.statute)


# ----- terms and fines


def term_logs(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Return LawBench's distance of terms, 1 for none; NaN where no reference has a term in months."""
    return _best(
        _applied(pairs, profile, "terms"), _term, _log_closeness, lambda term: term is not None and term.kind in _TIMED
    )


def term_ratios(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Return JuDGE's ratio of terms; NaN where no reference has a term."""
    return _best(_applied(pairs, profile, "terms"), _term, _term_ratio, lambda term: term is not None)


def fine_ratios(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Return JuDGE's ratio of fines; NaN where no reference has a fine."""
    return _best(_applied(pairs, profile, "fines"), _fine, _fine_ratio, lambda fine: fine is not None)


_TIMED: Final = ("imprisonment", "detention", "surveillance")


@lru_cache(maxsize=1 << 12)
def _term(text: str) -> Term | None:
    return sentence_of(_text(text))


@lru_cache(maxsize=1 << 12)
def _fine(text: str) -> Fine | None:
    return total_fine(_text(text))


def _best(
    pairs: AnswerBatch,
    value_in: Callable[[str], Any],
    compare: Callable[[Any, Any], float],
    is_wanted: Callable[[Any], bool],
) -> FloatArray:
    """Return the value of the best reference of each answer; NaN where none has such a value."""
    scores = []
    for answer, groups in pairs.rows():
        wanted = [value for group in groups for alias in group if is_wanted(value := value_in(alias))]
        given = value_in(answer) if wanted else None
        scores.append(max((compare(given, each) if given else 0.0 for each in wanted), default=np.nan))
    return np.array(scores, np.float64)


def _months(term: Term) -> float:
    return (term.months or 0) + (term.days or 0) / _DAYS


def _log_closeness(given: Term, wanted: Term) -> float:
    if given.kind not in _TIMED:
        return 0.0
    distance = abs(math.log(_months(given) + 1) - math.log(_months(wanted) + 1))
    return max(0.0, (_LONGEST_TERM - distance) / _LONGEST_TERM)


def _term_ratio(given: Term, wanted: Term) -> float:
    if given.kind not in _TIMED or wanted.kind not in _TIMED:
        return float(given.kind == wanted.kind)
    return _ratio(_months(given), _months(wanted))


def _fine_ratio(given: Fine, wanted: Fine) -> float:
    return _ratio(float(given.amount), float(wanted.amount)) if given.currency == wanted.currency else 0.0


def _ratio(one: float, two: float) -> float:
    return 1 - abs(one - two) / max(one, two) if max(one, two) else 1.0


# ----- articles that do not exist


@dataclass(frozen=True, slots=True)
class StatuteCorpus:
    """The articles of statutes that exist: numbers by title."""

    articles: Mapping[str, frozenset[str]]
    _of: dict[str | None, frozenset[str]] = field(default_factory=dict)

    def knows(self, article: Article) -> bool | None:
        """Return whether an article exists; None if the corpus does not have its statute."""
        statute = article.statute
        if statute not in self._of:
            held = (numbers for title, numbers in self.articles.items() if self._is_title(title, statute))
            self._of[statute] = frozenset[str]().union(*held)
        numbers = self._of[statute]
        return article.number in numbers if numbers else None

    def _is_title(self, title: str, statute: str | None) -> bool:
        if statute is None:
            return len(self.articles) == 1
        return title.isascii() == statute.isascii() and is_same_title(title, statute)


@lru_cache(maxsize=4)
def load_statutes(corpus: CorpusFile) -> StatuteCorpus:
    """Read a corpus of statutes: rows with a title that names an article, or with a title and the number of one."""
    found: dict[str, set[str]] = {}
    for article in _corpus_articles(corpus.path):
        if article.statute:
            found.setdefault(article.statute, set()).add(article.number)
    if not found:
        raise InputError(Message("law.no_articles"), where=corpus.path, hint=Message("law.no_articles_hint"))
    return StatuteCorpus({title: frozenset(numbers) for title, numbers in found.items()})


def _corpus_articles(path: str) -> Iterator[Article]:
    for record in read_records(path)[0]:
        title = next((str(record.fields[name]) for name in _FIELDS if record.fields.get(name)), "")
        number = next((str(record.fields[name]) for name in _NUMBERS if record.fields.get(name) is not None), "")
        text = normalise(title)
        if number:
            text = _named_article(text.removeprefix("《").removesuffix("》"), normalise(number))
        elif whole := _WHOLE_TITLE.match(text):
            text = f"《{whole[1].removeprefix('《').removesuffix('》')}》{whole[2]}"
        yield from statutes(text)[:1]


def _named_article(title: str, number: str) -> str:
    """Return a title and a number, such as 264, 264.0, 第264条 or 133之一, as a text that names the article."""
    mark = _WHOLE_NUMBER.sub("", number.removeprefix("第"))
    if title.isascii():
        return f"Article {mark} of {title}"
    head, of, sub = mark.partition("之")
    return f"《{title}》第{mark if '条' in mark else f'{head}条{of}{sub}'}"


def known_statutes(pairs: AnswerBatch) -> Scored:
    """Return the share of the articles of each answer that exist, with those that do not as its note."""
    corpus = load_statutes(pairs.statutes) if pairs.statutes else StatuteCorpus({})
    scores, notes = [], {}
    for row, answer in enumerate(pairs.answers):
        known = [(each, exists) for each in _statutes(answer) if (exists := corpus.knows(each)) is not None]
        scores.append(sum(exists for _, exists in known) / len(known) if known else np.nan)
        if missing := [_name(each) for each, exists in known if not exists]:
            names = Joined("core.listed", [*missing[:_MOST_NAMED], *(["…"] if len(missing) > _MOST_NAMED else [])])
            notes[row] = Message("law.no_such_articles", names=names)
    return Scored(np.array(scores, np.float64), {}, notes)


def _name(article: Article) -> str:
    return f"{article.title or ''} {article.text}".strip()
