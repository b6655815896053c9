"""Profiles: how texts are tokenized and compared, in our own way and exactly as other programs do."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.rouge import ADDEND, Overlaps, chinese_words, english_tokens
from steelyard.errors import UnknownName
from steelyard.i18n import Message
from steelyard.table import Flags, FloatArray
from steelyard.text.coding import Cut, Encoder, Lexemes, PieceEncoder, Pieces, Runs
from steelyard.text.judgments import applied_part
from steelyard.text.normalisation import squad_text, ultrarag_text, ultrarag_text_2026_09
from steelyard.text.reading import marked_answer
from steelyard.text.tokens import TokenUnit, atoms, segment, tokens

_JUDGE: Final = (
    *("PublishedTerm", "TermRatio", "PublishedFine", "FineRatio"),
    *("PublishedChargeP", "ChargeP", "PublishedChargeR", "ChargeR"),
    *("PublishedStatuteP", "StatuteP(depth=0)", "PublishedStatuteR", "StatuteR(depth=0)"),
)

_AllPieces = tuple[Pieces, Pieces]
"""The pieces of texts with blanks between words, and of others; the encoders of a profile share them."""

Relation = Callable[[AnswerBatch, "Profile"], Flags]


@dataclass(frozen=True, slots=True)
class Profile:
    """The encoders for matching, F1, ROUGE and BLEU, and the rules for contained, covered and found references.

    With `short_as_whole`, texts that are too short to have n-grams are compared as a whole, so that a single word
    scores 1 against itself in ROUGE-2 too; in the programs of the other profiles it scores 0. With `nothing_matches`
    two texts without tokens are equal. `answer_in` finds the answer in an output, given the question. `part_of`
    gives the part of a text in which values of law of a kind are read: statutes, charges, terms or fines. `metrics`
    are computed where none is named, if they are not the usual ones.
    """

    name: str
    matching: Encoder
    bag: Encoder
    rouge: Encoder
    bleu: Cut
    contained: Relation
    covered: Relation
    found: Callable[[AnswerBatch, "Profile"], FloatArray]
    ngrams: Callable[[AnswerBatch, "Profile", int], Overlaps]
    subsequence: Callable[[AnswerBatch, "Profile"], Overlaps]
    short_as_whole: bool = False
    nothing_matches: bool = True
    answer_in: Callable[[str, str], str] | None = None
    part_of: Callable[[str, str], str] | None = None
    metrics: tuple[str, ...] = ()


def profile_of(name: str, unit: TokenUnit = "words") -> Profile:
    """Return the profile of this name; `unit` applies to our own only."""
    if name not in _PROFILES:
        raise UnknownName.of(Message("words.profile"), name, _PROFILES)
    return _PROFILES[name](unit, (Pieces(), Pieces(spaced=False)))


def _steelyard(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    spaced, lexemes = Lexemes(pieces[0], atoms), Lexemes(pieces[1])
    matching = Encoder(atoms, spaced, Runs(lexemes, atoms, segmented=False))
    cut = partial(tokens, unit=unit)
    words = matching if unit == "chars" else Encoder(cut, spaced, Runs(lexemes, cut, segmented=True))
    every = partial(tokens, unit=unit, articles=True)
    counted = (Lexemes(pieces[0], every, articles=True), Lexemes(pieces[1], articles=True))
    return Profile(
        name="steelyard",
        matching=matching,
        bag=words,
        rouge=Encoder(every, counted[0], Runs(counted[1], every, segmented=unit == "words")),
        bleu=every,
        contained=lambda pairs, _: pairs.contained(matching),
        covered=lambda pairs, _: pairs.covered(matching) & pairs.has_tokens(matching),
        found=lambda pairs, _: pairs.group_share(pairs.contained(matching)),
        ngrams=_shared_ngrams,
        subsequence=_subsequence,
        short_as_whole=True,
        nothing_matches=False,
    )


def _squad(_: TokenUnit, pieces: _AllPieces) -> Profile:
    cut = _split(squad_text)
    reading = _by_pieces(pieces, cut, _split(squad_text.__wrapped__))
    base = _steelyard("words", pieces)
    return replace(
        base,
        name="squad",
        matching=reading,
        bag=reading,
        rouge=_english(pieces, stemmed=True),
        bleu=cut,
        contained=lambda pairs, profile: (
            _is_substring(pairs, profile, squad_text) & (pairs.shared(profile.matching).wanted > 0)
        ),
        covered=_as_sets,
        found=lambda pairs, _: pairs.group_share(pairs.contained(base.matching, counted=False)),
        short_as_whole=False,
        nothing_matches=True,
    )


def _ultrarag(_: TokenUnit, pieces: _AllPieces, *, name: str, normalise: Callable[[str], str]) -> Profile:
    """Return a version of the profile; texts that have no tokens by pieces are normalised as a whole."""
    truth = frozenset(("True", "False"))
    reading = _by_pieces(pieces, _split(normalise), _split(_ultrarag_pieces), truth)
    rouge = _by_pieces(
        pieces,
        lambda text: english_tokens(normalise(text), stemmed=True),
        lambda joined: english_tokens(_ultrarag_pieces(joined), stemmed=True, marked=True),
        truth,
    )
    return replace(
        _squad("words", pieces),
        name=name,
        matching=reading,
        bag=reading,
        rouge=rouge,
        bleu=reading.tokens,
        contained=lambda pairs, profile: (
            _is_substring(pairs, profile, normalise) & (pairs.shared(profile.matching).predicted > 0)
        ),
        found=lambda pairs, profile: pairs.share(pairs.shared(profile.matching).equal),
    )


def _rouge_score(_: TokenUnit, pieces: _AllPieces, *, stemmed: bool) -> Profile:
    name = "rouge-score-stemmed" if stemmed else "rouge-score"
    return replace(_squad("words", pieces), name=name, rouge=_english(pieces, stemmed=stemmed))


def _rouge_jieba(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    return replace(
        _steelyard(unit, pieces),
        name="rouge-jieba",
        rouge=_by_pieces(pieces, _jieba_words, _jieba_words),
        bleu=segment,
        short_as_whole=False,
    )


def _rouge_chinese(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    return replace(
        _steelyard(unit, pieces),
        name="rouge-chinese",
        rouge=Encoder(lambda text: chinese_words(segment(text))),
        bleu=segment,
        ngrams=lambda pairs, profile, n: Overlaps.of(*pairs.distinct(profile.rouge, n), addend=ADDEND),
        subsequence=partial(_subsequence, addend=ADDEND),
        short_as_whole=False,
    )


def _lawbench(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    return replace(_steelyard(unit, pieces), name="lawbench", answer_in=marked_answer, metrics=("Published",))


def _judge(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    return replace(_steelyard(unit, pieces), name="judge", part_of=applied_part, metrics=_JUDGE)


def _cail2025(unit: TokenUnit, pieces: _AllPieces) -> Profile:
    return replace(_steelyard(unit, pieces), name="cail2025", metrics=("PublishedCAIL", "CAIL"))


def _english(pieces: _AllPieces, *, stemmed: bool) -> Encoder:
    cut = partial(english_tokens, stemmed=stemmed)
    return _by_pieces(pieces, cut, partial(cut, marked=True))


def _by_pieces(pieces: _AllPieces, tokens: Cut, cut: Cut, exceptions: frozenset[str] = frozenset()) -> Encoder:
    """Return the encoder by pieces, whatever the script."""
    return Encoder(tokens, *(PieceEncoder(some, cut, tokens, exceptions) for some in pieces))


def _split(normalise: Callable[[str], str]) -> Cut:
    return lambda text: normalise(text).split()


def _ultrarag_pieces(joined: str) -> str:
    """Pieces of texts other than "True" and "False"; what is joined never equals these."""
    return ultrarag_text.__wrapped__(joined)


def _jieba_words(text: str) -> list[str]:
    return [word for word in segment(text) if word.strip()]


def _as_sets(pairs: AnswerBatch, profile: Profile) -> Flags:
    shared = pairs.shared(profile.matching)
    return np.equal(shared.present, shared.wanted)


def _is_substring(pairs: AnswerBatch, profile: Profile, normalise: Callable[[str], str]) -> Flags:
    """Return whether the answer has the reference as a substring; all words except the outer two must occur."""
    shared = pairs.shared(profile.matching)
    candidates = shared.present >= shared.wanted - 2
    return (
        pairs.compare_texts(lambda answer, reference: normalise(reference) in normalise(answer), where=candidates) > 0
    )


def _shared_ngrams(pairs: AnswerBatch, profile: Profile, n: int) -> Overlaps:
    shared = pairs.shared(profile.rouge)
    if n == 1:
        return Overlaps.of(shared.unigrams, shared.predicted, shared.wanted)
    pairs_of = Overlaps.of(shared.bigrams, shared.predicted - 1, shared.wanted - 1)
    return pairs_of.with_ones(shared.equal & (shared.wanted == 1)) if profile.short_as_whole else pairs_of


def _subsequence(pairs: AnswerBatch, profile: Profile, addend: float = 0.0) -> Overlaps:
    shared = pairs.shared(profile.rouge)
    return Overlaps.of(shared.subsequence, shared.predicted, shared.wanted, addend=addend)


_PROFILES: dict[str, Callable[[TokenUnit, _AllPieces], Profile]] = {
    "steelyard": _steelyard,
    "ultrarag": partial(_ultrarag, name="ultrarag", normalise=ultrarag_text),
    "ultrarag-2026-09": partial(_ultrarag, name="ultrarag-2026-09", normalise=ultrarag_text_2026_09),
    "squad": _squad,
    "rouge-score": partial(_rouge_score, stemmed=False),
    "rouge-score-stemmed": partial(_rouge_score, stemmed=True),
    "rouge-jieba": _rouge_jieba,
    "rouge-chinese": _rouge_chinese,
    "lawbench": _lawbench,
    "judge": _judge,
    "cail2025": _cail2025,
}
