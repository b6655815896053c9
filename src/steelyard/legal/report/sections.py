"""The blocks of a report that only legal results have.

Of one result: parts by type, questions about gaps, uncertain verdicts, the weighted mean and the questions with the
lowest scores. Of two that are compared: refusals before and after, and how the parts of their scores differ.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard.i18n import Language, Words, code_of, words_of
from steelyard.legal.model import COMMON_PARTS, METRIC
from steelyard.legal.question_types import part_labels
from steelyard.legal.report import results
from steelyard.legal.report.attribution import hallucinated, hallucination_rate, outcomes
from steelyard.legal.report.results import Uncertain, uncertain, uncertain_by_type
from steelyard.legal.report.verdicts import note_in, reasons_in
from steelyard.reports import cells
from steelyard.reports.blocks import Block, ItemList, ListItem, Note, Notes, TableBlock
from steelyard.reports.content import lowest_rows
from steelyard.reports.kinds import KindReport, PartGroup
from steelyard.reports.sections.answers import refusals_table, uncertain_table
from steelyard.stats.compare import ComparisonSettings, compare_each
from steelyard.stats.scopes import Scope
from steelyard.stats.selection import NO_PART
from steelyard.stats.summary import known
from steelyard.table import Column, FloatArray, Table

if TYPE_CHECKING:
    from steelyard.documents.pages import DocumentSet
    from steelyard.legal.report.page import LegalPage

ALL: Final = "report.all_questions"
PENALISED: Final = "penalised_score"
_SHARES: Final[Mapping[str, tuple[str, Callable[[Table], FloatArray]]]] = {
    "legal.invented": ("answer_part_names.hallucinated", hallucinated),
    "legal.wrong_answer": ("report.answered_unanswerable", results.wrong_answers),
    "legal.wrong_refusal": ("report.abstained_answerable", results.wrong_refusals),
}
"""Columns that verdicts give and results files do not have: the codes of their names, and how they are found."""
_UNANSWERED: Final = {"failed": "report.the_system_failed", "silent": "report.no_answer"}
"""The codes of questions without an answer, by the fields of `Refusals`."""


class LegalReport(KindReport):
    """What reports show of legal results."""

    def blocks(self, table: Table, words: Words, scope: Scope) -> Iterator[Block]:
        yield _parts(table, words, scope)
        if results.has_gaps(table):
            yield _gaps(table, words)
        yield from _uncertain(table, words)
        yield _lowest(table, words)

    def pair_blocks(self, new: Table, old: Table, words: Words) -> Iterator[Block]:
        if results.has_gaps(new) and results.has_gaps(old):
            before, after = results.refusals(old), results.refusals(new)
            unanswered = {code: (getattr(before, name), getattr(after, name)) for name, code in _UNANSWERED.items()}
            rows = [
                [words(code), " → ".join(f"{each:,}" for each in pair), cells.DASH, cells.DASH]
                for code, pair in unanswered.items()
                if any(pair)
            ]
            yield refusals_table([before.counts, after.counts], words, rows=rows)
        yield Notes([Note(text, named=True) for table in (old, new) for text in _mean_lines(table, words)])

    def compared_parts(self, new: Table, old: Table, settings: ComparisonSettings) -> list[PartGroup]:
        """Compare the shares over all questions, then for each type the score and the parts that count in it."""
        counted = [part for part in part_labels() if part not in COMMON_PARTS]
        shared = _common_parts(new, old)
        news, olds = results.by_type(new), results.by_type(old)
        groups = {ALL: [_columns(table, shared, _SHARES) for table in (new, old)]}
        for kind in (kind for kind in olds if kind in news):
            pair = (news[kind], olds[kind])
            groups[code_of("type_values", kind)] = [_columns(table, counted, {}, scored=True) for table in pair]
        tested = {title: having for title, tables in groups.items() if (having := _common(*tables)) is not None}
        compared = compare_each(list(tested.values()), [old, new], settings)
        return [
            PartGroup(title, [(_name(each.metric), each) for each in of_group])
            for title, of_group in zip(tested, compared, strict=True)
        ]

    def reason(self, table: Table, row: int, metric: str, language: Language) -> str:
        """Return the reason of a part, or of the first part of a score that lacks something, after its name."""
        parts = table.parts.get(METRIC, {})
        reasons = reasons_in(language, results.output_of(table, row)) if metric.partition(".")[0] == METRIC else {}
        if not reasons:
            return note_in(language, table, row, metric)
        named = metric.rpartition(".")[2]
        lacking = (part for part in reasons if part not in COMMON_PARTS and (part not in parts or parts[part][row] < 1))
        part = named if named in reasons else next(lacking, None)
        words = words_of(language)
        return "" if part is None else words.labelled(words.name("part", part), reasons[part])

    def fields(self, table: Table, scope: Scope) -> Mapping[str, Any]:
        return {**results.as_json(table, scope), "hallucination_rate": known(hallucination_rate(table))}

    def attribution(self, table: Table) -> Column | None:
        return outcomes(table)

    def page(self) -> "LegalPage":
        from steelyard.legal.report.page import LegalPage

        return LegalPage()

    def documents(self, benchmark: str, **folders: Path | None) -> "DocumentSet":
        from steelyard.legal.benchmark.questions import documents_of

        return documents_of(benchmark, **folders)


def _parts(table: Table, words: Words, scope: Scope) -> TableBlock:
    """Return the score and its parts for each type of question."""
    rows = [
        [
            words.value("type", part.type),
            words.name("part", part.part),
            cells.number(part.mean),
            cells.interval(part.interval),
            f"{part.items:,}",
        ]
        for part in results.part_means(table, scope)
    ]
    headings = [*map(words, ("report.type", "report.part", "report.mean", "report.interval")), "n"]
    title = words.labelled(table.name, words("report.parts"))
    return TableBlock(headings, rows, title, labels=2, grouped=True)


def _gaps(table: Table, words: Words) -> TableBlock:
    """Return answered and abstained, of answerable questions and of others; questions without an answer, if any."""
    refusals = results.refusals(table)
    unanswered = {code: getattr(refusals, name) for name, code in _UNANSWERED.items()}
    rows = [[words(code), str(count), "", ""] for code, count in unanswered.items() if count]
    title = words.labelled(table.name, words("report.questions_about_gaps"))
    return refusals_table([refusals.counts], words, title, refused="report.abstained", rows=rows)


def _uncertain(table: Table, words: Words) -> Iterator[TableBlock]:
    """Yield a row for each type with an uncertain verdict, and one for all types, where there is any."""
    summary = uncertain(table)
    if summary is not None and summary.count:
        found = {
            words.value("type", each.share.type) if each.share.type else words("report.all"): each.doubts
            for each in (*uncertain_by_type(table), summary)
            if each.count
        }
        yield uncertain_table("report.type", found, table.name, words)


def _lowest(table: Table, words: Words) -> ItemList:
    """Return the questions with the lowest scores and the reasons, below what is to be known of the mean."""
    items = []
    for row in lowest_rows(table, METRIC, results.WORST, best=1.0):
        score, question = table.column(METRIC)[row], str(results.output_of(table, row).get("question", ""))
        shown = (table.ids[row], cells.number(float(score), 2), question)
        items.append(ListItem(shown, note_in(words.language, table, row)))
    title = words.labelled(table.name, words("report.worst_questions"))
    return ItemList(title, items, list(_mean_lines(table, words)), numbered=True)


def _mean_lines(table: Table, words: Words) -> Iterator[str]:
    """Yield the weighted mean, and the range of the mean, where the result has them."""
    weighted = results.weighted_mean(table)
    if weighted is not None:
        yield words.labelled(table.name, f"{words('report.weighted_mean')} {cells.number(weighted)}")
    doubts = uncertain(table)
    if doubts is not None:
        share = cells.percent(doubts.share.mean, words)
        counted = words("report.uncertain_share", n=f"{doubts.count:,}", items=f"{doubts.share.items:,}", share=share)
        bounds = [mean_range(doubts, words)] if doubts.count else []
        yield words.labelled(table.name, words.joined("core.comma", [counted, *bounds]))


def mean_range(doubts: Uncertain, words: Words) -> str:
    """Return the range of the mean."""
    return words("report.mean_range", low=cells.number(doubts.low), high=cells.number(doubts.high))


def _common_parts(new: Table, old: Table) -> list[str]:
    """Return the parts of every type that do not count in the score; without penalties theirs is the score itself."""
    columns = [(table.parts.get(METRIC, {}).get(PENALISED), table.column(METRIC)) for table in (new, old)]
    is_same = all(part is None or np.array_equal(part, score, equal_nan=True) for part, score in columns)
    left_out = ("passed", PENALISED) if is_same else ("passed",)
    return ["passed", *(part for part in COMMON_PARTS if part not in left_out)]


def _columns(
    table: Table,
    parts: Sequence[str],
    shares: Mapping[str, tuple[str, Callable[[Table], FloatArray]]],
    *,
    scored: bool = False,
) -> Table:
    """Return the table with these parts as columns, and nothing else but the score if it is asked for."""
    of_score = table.parts.get(METRIC, {})
    values = {name: find(table) for name, (_, find) in shares.items()}
    values |= {f"{METRIC}.{part}": of_score[part] for part in parts if part in of_score}
    columns = {METRIC: table.columns[METRIC]} if scored else {}
    for name, column in values.items():
        missing = np.isnan(column)
        if not missing.all():
            columns[name] = Column(column, missing.astype(np.int64), (NO_PART,), bounds=(0.0, 1.0))
    return replace(table, columns=columns)


def _common(new: Table, old: Table) -> tuple[Table, Table] | None:
    """Return both tables with the columns that both have; None if they share no item or no column."""
    names = [name for name in new.columns if name in old.columns]
    if not names or set(new.ids).isdisjoint(old.ids):
        return None
    return new.only(names), old.only(names)


def _name(column: str) -> str:
    """Return the code of the name of a column."""
    return _SHARES[column][0] if column in _SHARES else code_of("part_names", column.rpartition(".")[2])
