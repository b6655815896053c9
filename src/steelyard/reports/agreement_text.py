"""What reviews say of a judge, as text for the terminal and as Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from steelyard.formats.reviews import Judgement
from steelyard.reports import cells
from steelyard.reports.agreement import Agreement, Between, Rate, ReviewAgreement
from steelyard.reports.words import Language, Words, words_of
from steelyard.stats.agreement import Kappa

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>#~&$|]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class _Block:
    """A title, rows of cells (the first row are headings, which may be empty), and remarks below."""

    title: str
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()


def render_agreement(found: Agreement, *, language: Language = "en") -> str:
    """The findings for a terminal."""
    lines: list[str] = []
    for block in _blocks(found, words_of(language)):
        lines += [block.title, *_aligned(block.rows), *block.remarks, ""]
    return "\n".join(lines)


def render_agreement_markdown(found: Agreement, *, language: Language = "en") -> str:
    """The same as Markdown."""
    blocks = (_markdown_block(block) for block in _blocks(found, words_of(language)))
    return "\n\n".join(blocks) + "\n"


def _blocks(found: Agreement, words: Words) -> Iterator[_Block]:
    for review in found.reviews:
        yield _headline(found, review, words)
        if len(review.by) > 1:
            yield _by(found.tag or "", review, words)
        if review.disagreements:
            yield _disagreements(review.disagreements, words)
    for between in found.between:
        yield _between(between, words)
        if between.differ:
            yield _differing(between, words)


def _headline(found: Agreement, review: ReviewAgreement, words: Words) -> _Block:
    who = f" ({', '.join(review.reviewers)})" if review.reviewers else ""
    rows = [
        ["", "", words("95 % interval"), ""],
        _rate_row(words("agreement"), review.rate, words),
        *([_rate_row(words("agreement, weighted"), review.weighted, words)] if review.weighted else []),
        _kappa_row(words("kappa of judge and person"), review.kappa),
        [words("wrong verdicts, at most"), _percent(review.bound), "", _bound_words(review, words)],
    ]
    return _Block(
        f"{found.table.name} · {found.metric} · {review.file}{who}", rows, list(_remarks(found, review, words))
    )


def _rate_row(name: str, rate: Rate, words: Words) -> list[str]:
    counted = f"{rate.decided - rate.errors} / {rate.decided} {words('reviewed')}"
    return [name, cells.number(rate.agreement), cells.interval(rate.interval), counted]


def _kappa_row(name: str, kappa: Kappa) -> list[str]:
    return [name, cells.number(kappa.value), cells.interval(kappa.interval), ""]


def _bound_words(review: ReviewAgreement, words: Words) -> str:
    if review.is_whole:
        return words("all verdicts were reviewed: no chance is left")
    return f"{review.rate.errors} / {review.rate.decided} {words('wrong')}; {words('95 %, one-sided')}"


def _remarks(found: Agreement, review: ReviewAgreement, words: Words) -> Iterator[str]:
    sampling = review.judgements[0].sampling
    unread = len(review.judgements) - review.rate.decided - review.unsure
    counts = f"{len(review.judgements)} / {found.population} {words('sampled')}"
    by = f", {words('by')} {sampling.by}" if sampling.by else ""
    rest = f"{review.unsure} {words('unsure')} · {unread} {words('still open')}"
    yield f"{counts} ({words('seed')} {sampling.seed}{by}) · {rest}"
    if review.weighted:
        yield words(
            "weighted: a verdict stands for the size of its stratum divided by how many of it were reviewed; "
            "interval and bound by Clopper and Pearson with the effective number of verdicts"
        )
    if review.unheard:
        yield f"{words('nothing reviewed, and nothing known, of')}: {', '.join(review.unheard)}"
    if review.unsure and not review.is_whole:
        yield f"{words('if every unsure one were wrong, at most')} {_percent(review.upper_if_unsure)}"


def _by(tag: str, review: ReviewAgreement, words: Words) -> _Block:
    headings = [tag, words("agreement"), words("95 % interval"), words("reviewed"), words("wrong verdicts, at most")]
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
    return _Block(f"{review.file}: {tag}", [headings, *rows])


def _disagreements(found: Sequence[Judgement], words: Words) -> _Block:
    rows = [[each.id, cells.number(each.verdict, 2), _line(each.remark)] for each in found]
    return _Block(words("disagreements"), [["id", words("verdict score"), words("remark")], *rows])


def _between(between: Between, words: Words) -> _Block:
    counted = f"{between.same} / {between.both} {words('the same')}"
    kappa = _kappa_row(words("kappa of both persons"), between.kappa)
    return _Block(f"{between.a} – {between.b}", [["", "", words("95 % interval"), ""], [*kappa[:3], counted]])


def _differing(between: Between, words: Words) -> _Block:
    rows = [
        [one.id, _said(one, words), _said(other, words), _line(f"{one.remark} {other.remark}")]
        for one, other in between.differ
    ]
    return _Block(words("they differ on"), [["id", between.a, between.b, words("remark")], *rows])


def _said(judgement: Judgement, words: Words) -> str:
    return words("agree") if judgement.agree else words("disagree")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _line(text: str) -> str:
    return " ".join(text.split())


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows with their cells below one another; a Chinese character is two wide."""
    from rich.cells import cell_len

    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = ((cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return ["  ".join(row).rstrip() for row in padded]


def _markdown_block(block: _Block) -> str:
    headings, *rows = [[_escaped(cell) for cell in row] for row in block.rows]
    table = [headings, ["---"] * len(headings), *rows]
    lines = [f"### {_escaped(block.title)}", "", *(f"| {' | '.join(row)} |" for row in table)]
    return "\n".join([*lines, *([""] if block.remarks else []), *(f"- {_escaped(remark)}" for remark in block.remarks)])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", _line(text))
