"""Two legal results that are compared: refusals before and after, and how the parts of their scores differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from steelyard.i18n import Language, Message, Words, code_of, words_of
from steelyard.legal.formulas import COMMON_PARTS, METRIC
from steelyard.legal.question_types import part_labels
from steelyard.legal.report import results
from steelyard.legal.report.sections import mean_lines
from steelyard.legal.report.verdicts import note_in, reasons_in
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Notes
from steelyard.reports.kinds import PartGroup
from steelyard.reports.sections.refusals import Counts, pair_table
from steelyard.stats.compare import ComparisonSettings, compare_each
from steelyard.table import Column, FloatArray, Missing, Table

ALL: Final = "report.all_questions"
PENALISED: Final = "penalised_score"
_UNSCORED: Final = Missing("unscored", Message("missing.no_part"))
_SHARES: Final[Mapping[str, tuple[str, Callable[[Table], FloatArray]]]] = {
    "legal.invented": ("report.hallucinating_answers", results.inventions),
    "legal.wrong_answer": ("report.answered_unanswerable", results.wrong_answers),
    "legal.wrong_refusal": ("report.abstained_answerable", results.wrong_refusals),
}
"""Columns that verdicts give and results files do not have: the codes of their names, and how they are found."""


def pair_blocks(new: Table, old: Table, words: Words) -> Iterator[Block]:
    """Refusals before and after, and what is to be known of the means of both."""
    if results.has_gaps(new) and results.has_gaps(old):
        before, after = (results.refusals(table) for table in (old, new))
        unanswered = {
            "report.the_system_failed": (before.failed, after.failed),
            "report.no_answer": (before.silent, after.silent),
        }
        rows = [
            [words(code), " → ".join(f"{each:,}" for each in pair), cells.DASH, cells.DASH]
            for code, pair in unanswered.items()
            if any(pair)
        ]
        old_counts, new_counts = (
            Counts(of.refused_answerable, of.answered_answerable, of.refused_unanswerable, of.answered_unanswerable)
            for of in (before, after)
        )
        yield pair_table(old_counts, new_counts, words, rows)
    yield Notes([text for table in (old, new) for text in mean_lines(table, words)])


def compared_parts(new: Table, old: Table, settings: ComparisonSettings) -> list[PartGroup]:
    """The shares over all questions, then for each type the score and the parts that count in it."""
    shared = _common_parts(new, old)
    counted = [part for part in part_labels() if part not in COMMON_PARTS]
    news, olds = results.by_type(new), results.by_type(old)
    groups = {ALL: tuple(_columns(table, shared, _SHARES) for table in (new, old))}
    for kind in (kind for kind in olds if kind in news):
        pair = (news[kind], olds[kind])
        groups[code_of("type_values", kind)] = tuple(_columns(table, counted, {}, scored=True) for table in pair)
    tested = {title: having for title, tables in groups.items() if (having := _common(*tables)) is not None}
    compared = compare_each(list(tested.values()), [old, new], settings)
    return [
        PartGroup(title, [(_name(each.metric), each) for each in of_group])
        for title, of_group in zip(tested, compared, strict=True)
    ]


def _common_parts(new: Table, old: Table) -> list[str]:
    """The parts of every type that do not count in the score; without penalties, their score is the score itself."""
    columns = [(table.parts.get(METRIC, {}).get(PENALISED), table.column(METRIC)) for table in (new, old)]
    is_same = all(part is None or np.array_equal(part, score, equal_nan=True) for part, score in columns)
    left_out = ("passed", PENALISED) if is_same else ("passed",)
    return ["passed", *(part for part in COMMON_PARTS if part not in left_out)]


def reason(table: Table, row: int, metric: str, language: Language) -> str:
    """The reason of a part, or of the first part of a score that lacks something, after the name of the part."""
    parts = table.parts.get(METRIC, {})
    reasons = reasons_in(language, results.output_of(table, row)) if metric.partition(".")[0] == METRIC else {}
    if not reasons:
        return note_in(language, table, row, metric)
    named = metric.rpartition(".")[2]
    lacking = (part for part in reasons if part not in COMMON_PARTS and (part not in parts or parts[part][row] < 1))
    part = named if named in reasons else next(lacking, None)
    words = words_of(language)
    return "" if part is None else words.labelled(words.name("part", part), reasons[part])


def _columns(
    table: Table,
    parts: Sequence[str],
    shares: Mapping[str, tuple[str, Callable[[Table], FloatArray]]],
    *,
    scored: bool = False,
) -> Table:
    """The table with these parts as columns, and nothing else but the score if it is asked for."""
    of_score = table.parts.get(METRIC, {})
    found = {name: find(table) for name, (_, find) in shares.items()}
    found |= {f"{METRIC}.{part}": of_score[part] for part in parts if part in of_score}
    columns = {METRIC: table.columns[METRIC]} if scored else {}
    for name, values in found.items():
        missing = np.isnan(values)
        if not missing.all():
            columns[name] = Column(values, missing.astype(np.int64), (_UNSCORED,), bounds=(0.0, 1.0))
    return replace(table, columns=columns)


def _common(new: Table, old: Table) -> tuple[Table, Table] | None:
    """Both tables with the columns that both have; None if they share no item or no column."""
    names = [name for name in new.columns if name in old.columns]
    if not names or set(new.ids).isdisjoint(old.ids):
        return None
    return new.only(names), old.only(names)


def _name(column: str) -> str:
    """The code of the name of a column."""
    return _SHARES[column][0] if column in _SHARES else code_of("part_names", column.rpartition(".")[2])
