"""What reviews say of a judge, as text for the terminal and as Markdown."""

from collections.abc import Iterator, Sequence

from steelyard.i18n import Language, Words, words_of
from steelyard.io.reviews import Judgement
from steelyard.reports import cells
from steelyard.reports.agreement import Agreement, Between, Rate, ReviewAgreement
from steelyard.reports.grids import Grid, console_grid, markdown, markdown_grid
from steelyard.stats.agreement import Kappa
from steelyard.text.visible import visible

Block = tuple[Grid, Sequence[str]]
"""A table, whose headings may be empty, and the remarks below it."""


def render_agreement(found: Agreement, *, language: Language = "en") -> str:
    """The findings for a terminal."""
    lines: list[str] = []
    for grid, remarks in _blocks(found, words_of(language)):
        lines += [*console_grid(grid, colour=False), *map(visible, remarks), ""]
    return "\n".join(lines)


def render_agreement_markdown(found: Agreement, *, language: Language = "en") -> str:
    """The same as Markdown."""
    blocks: list[str] = []
    for grid, remarks in _blocks(found, words_of(language)):
        said = "\n".join(f"- {markdown(remark)}" for remark in remarks)
        blocks += [markdown_grid(grid), *([said] if said else [])]
    return "\n\n".join(blocks) + "\n"


def _blocks(found: Agreement, words: Words) -> Iterator[Block]:
    for review in found.reviews:
        yield _headline(found, review, words), list(_remarks(found, review, words))
        if len(review.by) > 1:
            yield _by(found.tag or "", review, words), ()
        if review.disagreements:
            yield _disagreements(review.disagreements, words), ()
    for between in found.between:
        yield _between(between, words), ()
        if between.differ:
            yield _differing(between, words), ()


def _headline(found: Agreement, review: ReviewAgreement, words: Words) -> Grid:
    who = f" ({', '.join(review.reviewers)})" if review.reviewers else ""
    rows = [
        _rate_row(words("review.agreement"), review.rate, words),
        *([_rate_row(words("review.agreement_weighted"), review.weighted, words)] if review.weighted else []),
        _kappa_row(words("review.kappa_judge"), review.kappa),
        [words("review.wrong_at_most"), _percent(review.bound), "", _bound_words(review, words)],
    ]
    return _named_rows(f"{found.table.name} · {found.metric} · {review.file}{who}", rows, words)


def _named_rows(title: str, rows: Sequence[Sequence[str]], words: Words) -> Grid:
    """Rows of a name, a number, its interval and words."""
    return Grid(["", "", words("report.interval"), ""], rows, title, texts=4)


def _rate_row(name: str, rate: Rate, words: Words) -> list[str]:
    counted = f"{rate.decided - rate.errors} / {rate.decided} {words('review.reviewed')}"
    return [name, cells.number(rate.agreement), cells.interval(rate.interval), counted]


def _kappa_row(name: str, kappa: Kappa) -> list[str]:
    return [name, cells.number(kappa.value), cells.interval(kappa.interval), ""]


def _bound_words(review: ReviewAgreement, words: Words) -> str:
    if review.is_whole:
        return words("review.no_chance_left")
    return f"{review.rate.errors} / {review.rate.decided} {words('review.wrong')}; {words('review.one_sided')}"


def _remarks(found: Agreement, review: ReviewAgreement, words: Words) -> Iterator[str]:
    sampling = review.judgements[0].sampling
    unread = len(review.judgements) - review.rate.decided - review.unsure
    counts = f"{len(review.judgements)} / {found.population} {words('review.sampled')}"
    by = f", {words('review.by')} {sampling.by}" if sampling.by else ""
    rest = f"{review.unsure} {words('review.unsure')} · {unread} {words('review.still_open')}"
    yield f"{counts} ({words('report.seed')} {sampling.seed}{by}) · {rest}"
    if review.weighted:
        yield words("review.weighted")
    if review.unheard:
        yield f"{words('review.nothing_known_of')}: {', '.join(review.unheard)}"
    if review.unsure and not review.is_whole:
        yield f"{words('review.if_unsure_wrong')} {_percent(review.upper_if_unsure)}"


def _by(tag: str, review: ReviewAgreement, words: Words) -> Grid:
    codes = ("review.agreement", "report.interval", "review.reviewed", "review.wrong_at_most")
    rows = [
        [
            value or cells.DASH,
            cells.number(rate.agreement),
            cells.interval(rate.interval),
            str(rate.decided),
            _percent(rate.error_upper),
        ]
        for value, rate in review.by.items()
    ]
    return Grid([tag, *map(words, codes)], rows, f"{review.file}: {tag}")


def _disagreements(found: Sequence[Judgement], words: Words) -> Grid:
    rows = [[each.id, cells.number(each.verdict, 2), each.remark] for each in found]
    return Grid(
        ["id", words("review.verdict_score"), words("review.remark")], rows, words("review.disagreements"), texts=3
    )


def _between(between: Between, words: Words) -> Grid:
    counted = f"{between.same} / {between.both} {words('review.same')}"
    kappa = _kappa_row(words("review.kappa_persons"), between.kappa)
    return _named_rows(f"{between.a} – {between.b}", [[*kappa[:3], counted]], words)


def _differing(between: Between, words: Words) -> Grid:
    rows = [
        [one.id, _said(one, words), _said(other, words), f"{one.remark} {other.remark}"]
        for one, other in between.differ
    ]
    return Grid(["id", between.a, between.b, words("review.remark")], rows, words("review.differ_on"), texts=4)


def _said(judgement: Judgement, words: Words) -> str:
    return words("review.agree") if judgement.agree else words("review.disagree")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
