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
        yield pair_table(_counts(before), _counts(after), words, list(_unanswered(before, after, words)))
    yield Notes([text for table in (old, new) for text in mean_lines(table, words)])


def compared_parts(new: Table, old: Table, settings: ComparisonSettings) -> list[PartGroup]:
    """The shares over all questions, then for each type the score and the parts that count in it."""
    kinds = [kind for kind in dict.fromkeys(old.tags.get("type", ())) if kind in new.tags.get("type", ())]
    groups = {
        ALL: [_columns(table, _common_parts(new, old), _SHARES) for table in (new, old)],
        **{code_of("type_values", kind): [_type(table, kind) for table in (new, old)] for kind in kinds},
    }
    having = {title: _common(*tables) for title, tables in groups.items()}
    tested = {title: pair for title, pair in having.items() if pair is not None}
    compared = compare_each(list(tested.values()), [old, new], settings)
    return [
        PartGroup(title, [(_name(each.metric), each) for each in of_group])
        for title, of_group in zip(tested, compared, strict=True)
    ]


def _common_parts(new: Table, old: Table) -> list[str]:
    """The parts of every type that do not count in the score; without penalties, their score is the score itself."""
    return ["passed", *(part for part in COMMON_PARTS if part not in ("passed", *_without_penalties(new, old)))]


def _without_penalties(*tables: Table) -> tuple[str, ...]:
    columns = [(table.parts.get(METRIC, {}).get(PENALISED), table.column(METRIC)) for table in tables]
    same = all(part is None or np.array_equal(part, score, equal_nan=True) for part, score in columns)
    return (PENALISED,) if same else ()


def reason(table: Table, row: int, metric: str, language: Language) -> str:
    """The reason of a part, or of the first part of a score that lacks something, after the name of the part."""
    parts = table.parts.get(METRIC, {})
    output = (table.outputs[row] if table.outputs else None) or {}
    reasons = reasons_in(language, output) if metric.partition(".")[0] == METRIC else {}
    named = metric.rpartition(".")[2]
    lacking = [part for part in reasons if part not in COMMON_PARTS and _lacks(parts, part, row)]
    wanted = [named] if named in reasons else lacking
    if not wanted:
        return note_in(language, table, row, metric) if not reasons else ""
    return words_of(language).labelled(words_of(language).name("part", wanted[0]), reasons[wanted[0]])


def _lacks(parts: Mapping[str, FloatArray], part: str, row: int) -> bool:
    return part not in parts or bool(parts[part][row] < 1)


def _counts(counts: results.Refusals) -> Counts:
    return Counts(
        counts.refused_answerable, counts.answered_answerable, counts.refused_unanswerable, counts.answered_unanswerable
    )


def _unanswered(before: results.Refusals, after: results.Refusals, words: Words) -> Iterator[list[str]]:
    """Questions about gaps without an answer, where a result has some."""
    pairs = (
        ("report.the_system_failed", before.failed, after.failed),
        ("report.no_answer", before.silent, after.silent),
    )
    for code, old, new in pairs:
        if old or new:
            yield [words(code), f"{old:,} → {new:,}", cells.DASH, cells.DASH]


def _type(table: Table, kind: str) -> Table:
    """The items of a type with the score and the parts that count in it."""
    of_type = table.take(np.flatnonzero(np.array(table.tags["type"]) == kind))
    return _columns(of_type, [part for part in part_labels() if part not in COMMON_PARTS], {}, scored=True)


def _columns(
    table: Table,
    parts: Sequence[str],
    shares: Mapping[str, tuple[str, Callable[[Table], FloatArray]]],
    *,
    scored: bool = False,
) -> Table:
    """The table with these parts as columns, and nothing else but the score if it is asked for."""
    known = table.parts.get(METRIC, {})
    columns = {name: find(table) for name, (_, find) in shares.items()}
    columns |= {f"{METRIC}.{part}": known[part] for part in parts if part in known}
    score = {METRIC: table.columns[METRIC]} if scored else {}
    made = {name: _column(values) for name, values in columns.items() if not np.isnan(values).all()}
    return replace(table, columns={**score, **made})


def _column(values: FloatArray) -> Column:
    return Column(values, np.isnan(values).astype(np.int64), (_UNSCORED,), bounds=(0.0, 1.0))


def _common(new: Table, old: Table) -> tuple[Table, Table] | None:
    """Both tables with the columns that both have; None if they share no item or no column."""
    names = [name for name in new.columns if name in old.columns]
    if not names or set(new.ids).isdisjoint(old.ids):
        return None
    return new.only(names), old.only(names)


def _name(column: str) -> str:
    """The code of the name of a column."""
    if column in _SHARES:
        return _SHARES[column][0]
    return code_of("part_names", column.rpartition(".")[2])
