"""The items of a report as the data of its page: columns to sort and filter by, and the answer of each system."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES, translations
from steelyard.registry.kinds import kind_of
from steelyard.reports.content import Report
from steelyard.reports.ranking import ranking
from steelyard.reports.render.html.contexts import ContextTexts
from steelyard.reports.render.html.kind_page import ItemDetails, Json, KindPage, Rows, as_text, present
from steelyard.stats.direction import is_lower_better
from steelyard.table import FloatArray, Table

Output = Mapping[str, Any]

LONGEST_FIELD: Final = 2_000
DIGITS: Final = 6
DOCUMENT: Final = "document"
_COSTS: Final = ("seconds", "tokens", "attempts")
_CONTEXTS: Final = ("contexts", "context_ids", "reference_contexts", "reference_context_ids")
_SHOWN: Final = frozenset(("id", "question", "answer", "references", *_CONTEXTS, *_COSTS))
"""Fields that have a place of their own; the others are shown by their names."""


def item_data(report: Report, documents: Mapping[str, Document], main: str, kind: KindPage) -> Json:
    """All items of all results; the items of the first result come first, each id once."""
    tables = report.tables
    ids = list(dict.fromkeys(identifier for table in tables for identifier in table.ids))
    positions = [{identifier: row for row, identifier in enumerate(table.ids)} for table in tables]
    rows = [[position.get(identifier) for identifier in ids] for position in positions]
    outputs = [[_output(*each) for each in zip(tables, of_item, strict=True)] for of_item in zip(*rows, strict=True)]
    details, texts = kind.details(documents), ContextTexts()
    answer = partial(_answer, details=details, kind=kind, texts=texts)
    chosen = _chosen(report, main)
    order = _lowest_first(tables[chosen], rows[chosen], main)
    return {
        "kind": tables[0].kind,
        "part_names": kind.part_names,
        "metrics": report.metrics,
        "falling": [metric for metric in report.metrics if is_lower_better(metric)],
        "lower": sorted(name.rpartition(".")[2] for name in kind_of(tables[0].kind).lower_is_better),
        "undirected": sorted(kind_of(tables[0].kind).undirected),
        "main": main,
        "chosen": chosen,
        "ids": ids,
        "questions": [_first(of_item, "question") for of_item in outputs],
        "tags": _tags(tables, rows),
        "expected": [
            _expected(of_item, document, details, texts)
            for of_item, document in zip(outputs, _tag_column(tables, rows, DOCUMENT), strict=True)
        ],
        "results": [_result(*each) for each in zip(tables, rows, _answers(tables, rows, answer, order), strict=True)],
        "documents": details.documents(),
        "library": list(documents),
        "contexts": texts.as_json(),
        **kind.item_columns(tables, rows, order),
    }


def _chosen(report: Report, main: str) -> int:
    """The number of the result whose items are listed at first: of many the best after the first, else the last."""
    names = [table.name for table in report.tables]
    ranked = [names.index(summary.name) for _, summary in ranking(report, main)] if report.is_many else []
    return next(filter(None, ranked), len(names) - 1)


def _first(outputs: Sequence[Output], key: str) -> Any:
    """What the first result that has it says of an item under this key; `outputs` are those of the item."""
    for output in outputs:
        if value := output.get(key):
            return value
    return ""


def _tags(tables: Sequence[Table], rows: Sequence[Rows]) -> Json:
    """Tag → its values, each once, and for each item the number of its value; -1 where it has none."""
    tags: Json = {}
    for tag in dict.fromkeys(name for table in tables for name in table.tags):
        column = _tag_column(tables, rows, tag)
        values = {value: number for number, value in enumerate(dict.fromkeys(value for value in column if value))}
        tags[tag] = {"values": list(values), "codes": [values.get(value, -1) for value in column]}
    return tags


def _tag_column(tables: Sequence[Table], rows: Sequence[Rows], tag: str) -> list[str]:
    """The value of a tag for each item, from the first result that has one; "" where none has."""
    column = [""] * len(rows[0])
    for table, of_table in zip(tables, rows, strict=True):
        if tag in table.tags:
            values = table.tags[tag]
            column = [
                known or ("" if row is None else values[row]) for known, row in zip(column, of_table, strict=True)
            ]
    return column


def _expected(outputs: Sequence[Output], document: str, details: ItemDetails, texts: ContextTexts) -> Json | None:
    """What a right answer to an item has; None where nothing is known of it."""
    expected = details.expected(_first(outputs, "verdict") or {}, document)
    values = {
        "answer": expected.answer,
        "abstain": expected.abstain,
        "quotes": expected.quotes,
        "evidence": expected.evidence,
        "references": _first(outputs, "references"),
        "contexts": texts.expected({key: _first(outputs, key) for key in _CONTEXTS[2:]}),
    }
    return present(values) or None


def _answers(
    tables: Sequence[Table], rows: Sequence[Rows], answer: Callable[[Table, int], Json], order: Sequence[int]
) -> list[list[Json | None]]:
    """The answers of each result; those to one item are made together, in this order of the items.

    Details that are limited for one page are then those of items that a reader looks at first.
    """
    answers: list[list[Json | None]] = [[None] * len(of_table) for of_table in rows]
    for item in order:
        for table, of_table, of_result in zip(tables, rows, answers, strict=True):
            row = of_table[item]
            of_result[item] = None if row is None else answer(table, row)
    return answers


def _lowest_first(table: Table, rows: Rows, main: str) -> list[int]:
    """The items in the order of their scores in a result, the lowest first."""
    scores = _column(table.column(main), rows) if main in table.metrics else [None] * len(rows)
    return sorted(range(len(scores)), key=lambda item: (scores[item] is None, scores[item] or 0.0))


def _result(table: Table, rows: Rows, answers: list[Json | None]) -> Json:
    return {
        "name": table.name,
        "scores": {metric: _column(table.column(metric), rows) for metric in table.metrics},
        "parts": {
            metric: {part: _column(column, rows) for part, column in parts.items()}
            for metric in table.metrics
            if (parts := table.parts.get(metric, {}))
        },
        "said": answers,
    }


def _column(column: FloatArray, rows: Rows) -> list[float | None]:
    values = [None if isnan(value) else round(value, DIGITS) for value in column.tolist()]
    return [None if row is None else values[row] for row in rows]


def _answer(table: Table, row: int, *, details: ItemDetails, kind: KindPage, texts: ContextTexts) -> Json:
    """The answer of one system to one item, with its verdict; fields without a value are left out."""
    output = _output(table, row)
    text = as_text(output.get("answer"))
    verdict = details.answer(text, output, table.tags[DOCUMENT][row] if DOCUMENT in table.tags else "")
    values = {
        "answer": text,
        "marks": verdict.marks,
        "fields": {
            **verdict.values,
            **{
                key: _cut(as_text(value), LONGEST_FIELD)
                for key, value in output.items()
                if key not in _SHOWN and key not in details.fields
            },
        },
        "citations": verdict.citations,
        "evidence": verdict.evidence,
        **texts.answer(output, verdict.contexts),
        "abstained": verdict.abstained,
        "invented": verdict.invented,
        "reasons": verdict.reasons,
        "remarks": verdict.remarks,
        "notes": {} if verdict.reasons else _notes(table, row, kind),
        "gaps": _gaps(table, row),
        "failure": _failure(table, row, kind),
        "seconds": output.get("seconds"),
        "tokens": output.get("tokens"),
    }
    return present(values)


def _failure(table: Table, row: int, kind: KindPage) -> list[str] | None:
    """Why the system failed on an item, in every language."""
    failure = table.failures.get(row)
    if failure is None:
        return None
    return [kind.note(table, row, table.metrics[0], language) or failure for language in LANGUAGES]


def _notes(table: Table, row: int, kind: KindPage) -> Json:
    """The notes of an item by metric, each in every language."""
    return {metric: [kind.note(table, row, metric, language) for language in LANGUAGES] for metric in table.notes(row)}


def _gaps(table: Table, row: int) -> Json:
    """Why an item has no score, by metric: the kind of the reason, and its text in every language."""
    columns = ((metric, column) for metric, column in table.columns.items() if column.reasons)
    missing = {metric: why for metric, column in columns if (why := column.why(row))}
    return {metric: [why.kind, list(translations(why.reason))] for metric, why in missing.items()}


def _output(table: Table, row: int | None) -> Output:
    return {} if row is None or not table.outputs else table.outputs[row] or {}


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}… ({len(text):,})"
