"""The blocks of `agreement`: each review with its rates, groups and disagreements, then every two reviews."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from steelyard.i18n import Language, Words, words_of
from steelyard.io.reviews import Judgement
from steelyard.reports import cells
from steelyard.reports.agreement import Agreement, Between, Rate, ReviewAgreement, as_json
from steelyard.reports.blocks import Block, Fields, TableBlock
from steelyard.stats.agreement import Kappa


def agreement_blocks(agreement: Agreement, language: Language = "en") -> list[Block]:
    """The blocks in the order of the reviews."""
    return [*_tables(agreement, words_of(language)), Fields(partial(as_json, agreement))]


def _tables(agreement: Agreement, words: Words) -> Iterator[TableBlock]:
    for review in agreement.reviews:
        yield _rates(agreement, review, words)
        if len(review.by) > 1:
            yield _by(agreement.tag or "", review, words)
        if review.disagreements:
            yield _disagreements(review.disagreements, words)
    for between in agreement.between:
        yield _between(between, words)
        if between.differ:
            yield _differing(between, words)


def _rates(agreement: Agreement, review: ReviewAgreement, words: Words) -> TableBlock:
    """Agreement, kappa and the bound on wrong verdicts, with notes about the sample."""
    who = f" ({words.joined('core.listed', review.reviewers)})" if review.reviewers else ""
    rows = [
        _rate_row(words("review.agreement"), review.rate, words),
        *([_rate_row(words("review.agreement_weighted"), review.weighted, words)] if review.weighted else []),
        _kappa_row(words("review.kappa_judge"), review.kappa),
        [words("review.wrong_at_most"), cells.percent(review.bound, words), "", _bound_words(review, words)],
    ]
    title = f"{agreement.table.name} · {words.name('headline', agreement.metric)} · {review.file}{who}"
    return replace(_named_rows(title, rows, words), notes=list(_notes(agreement, review, words)))


def _named_rows(title: str, rows: Sequence[Sequence[str]], words: Words) -> TableBlock:
    """Rows of a name, a number, its interval and a text."""
    return TableBlock(["", "", words("report.interval"), ""], rows, title, text_columns=4)


def _rate_row(name: str, rate: Rate, words: Words) -> list[str]:
    counted = f"{rate.decided - rate.errors} / {rate.decided} {words('review.reviewed')}"
    return [name, cells.number(rate.agreement), cells.interval(rate.interval), counted]


def _kappa_row(name: str, kappa: Kappa) -> list[str]:
    return [name, cells.number(kappa.value), cells.interval(kappa.interval), ""]


def _bound_words(review: ReviewAgreement, words: Words) -> str:
    if review.is_whole:
        return words("review.no_chance_left")
    wrong = f"{review.rate.errors} / {review.rate.decided} {words('review.wrong')}"
    return words.joined("core.clauses", [wrong, words("review.one_sided")])


def _notes(agreement: Agreement, review: ReviewAgreement, words: Words) -> Iterator[str]:
    sampling = review.judgements[0].sampling
    unread = len(review.judgements) - review.rate.decided - review.unsure
    counts = f"{len(review.judgements)} / {agreement.population} {words('review.sampled')}"
    by = [f"{words('review.by')} {sampling.by}"] if sampling.by else []
    drawn = words.joined("core.comma", [f"{words('report.seed')} {sampling.seed}", *by])
    rest = f"{review.unsure} {words('review.unsure')} · {unread} {words('review.still_open')}"
    yield f"{counts} ({drawn}) · {rest}"
    if review.weighted:
        yield words("review.weighted")
    if review.unheard:
        yield words.labelled(words("review.nothing_known_of"), words.joined("core.listed", review.unheard))
    if review.unsure and not review.is_whole:
        yield f"{words('review.if_unsure_wrong')} {cells.percent(review.upper_if_unsure, words)}"


def _by(tag: str, review: ReviewAgreement, words: Words) -> TableBlock:
    codes = ("review.agreement", "report.interval", "review.reviewed", "review.wrong_at_most")
    rows = [
        [
            words.value(tag, value) or cells.DASH,
            cells.number(rate.agreement),
            cells.interval(rate.interval),
            str(rate.decided),
            cells.percent(rate.error_upper, words),
        ]
        for value, rate in review.by.items()
    ]
    name = words.name("tag", tag)
    return TableBlock([name, *map(words, codes)], rows, words.labelled(review.file, name))


def _disagreements(judgements: Sequence[Judgement], words: Words) -> TableBlock:
    rows = [[judgement.id, cells.number(judgement.verdict, 2), judgement.remark] for judgement in judgements]
    return TableBlock(
        ["id", words("review.verdict_score"), words("review.remark")],
        rows,
        words("review.disagreements"),
        text_columns=3,
    )


def _between(between: Between, words: Words) -> TableBlock:
    counted = f"{between.same} / {between.both} {words('review.same')}"
    kappa = _kappa_row(words("review.kappa_persons"), between.kappa)
    return _named_rows(f"{between.a} – {between.b}", [[*kappa[:3], counted]], words)


def _differing(between: Between, words: Words) -> TableBlock:
    rows = [
        [one.id, _answer(one, words), _answer(other, words), f"{one.remark} {other.remark}"]
        for one, other in between.differ
    ]
    return TableBlock(
        ["id", between.a, between.b, words("review.remark")], rows, words("review.differ_on"), text_columns=4
    )


def _answer(judgement: Judgement, words: Words) -> str:
    return words("review.agree") if judgement.agree else words("review.disagree")
