"""The items of a report as its page holds them: columns to sort and filter by, and what each system said."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from steelyard.documents.pages import Document
from steelyard.i18n import LANGUAGES
from steelyard.io.results import numbers
from steelyard.legal.report.passages import Json, Library, answer_marks
from steelyard.legal.report.verdicts import kind_names, note_in, part_names, reasons_in, remarks_in
from steelyard.reports.content import Report
from steelyard.stats.direction import is_lower_better
from steelyard.table import FloatArray, Table

Output = Mapping[str, Any]

LONGEST_CONTEXT: Final = 600
"""So many characters of a retrieved text are kept: a page is no second index."""
LONGEST_FIELD: Final = 2_000
DIGITS: Final = 6
DOCUMENT: Final = "document"
_SPENT: Final = ("seconds", "tokens", "attempts")
_SHOWN: Final = frozenset(
    ("id", "question", "answer", "references", "citations", "evidence", "contexts", "abstained", "verdict", *_SPENT)
)
"""Fields that have a place of their own; the others are shown by their names."""


def item_data(report: Report, documents: Mapping[str, Document], main: str) -> Json:
    """All items of all results; the items of the first result come first, each id once."""
    ids = list(dict.fromkeys(identifier for table in report.tables for identifier in table.ids))
    library = Library(documents)
    rows = [{identifier: row for row, identifier in enumerate(table.ids)} for table in report.tables]
    places = [[row.get(identifier) for identifier in ids] for row in rows]
    return {
        "kind": report.tables[0].kind,
        "metrics": report.metrics,
        "falling": [metric for metric in report.metrics if is_lower_better(metric)],
        "main": main,
        "ids": ids,
        "questions": [_first(report.tables, rows, identifier, "question") for identifier in ids],
        "tags": _tags(report.tables, places),
        "expected": _expected(report.tables, rows, ids, library),
        "results": [_result(table, place, library) for table, place in zip(report.tables, places, strict=True)],
        "documents": library.as_json(),
        "library": list(documents),
        "names": part_names("zh"),
        "kinds": kind_names("zh"),
    }


def _first(tables: Sequence[Table], rows: Sequence[Mapping[str, int]], identifier: str, key: str) -> Any:
    """What the first result that has it says of an item under this key."""
    outputs = (_output(table, row.get(identifier)) for table, row in zip(tables, rows, strict=True))
    return next((output[key] for output in outputs if output.get(key)), "")


def _tags(tables: Sequence[Table], places: Sequence[Sequence[int | None]]) -> Json:
    """Tag → its values, each once, and for each item the number of its value; -1 where it has none."""
    found: Json = {}
    for tag in dict.fromkeys(name for table in tables for name in table.tags):
        column = [_tag(tables, rows, tag) for rows in zip(*places, strict=True)]
        values = {value: number for number, value in enumerate(dict.fromkeys(value for value in column if value))}
        found[tag] = {"values": list(values), "codes": [values.get(value, -1) for value in column]}
    return found


def _tag(tables: Sequence[Table], rows: Sequence[int | None], tag: str) -> str:
    pairs = zip(tables, rows, strict=True)
    said = (table.tags[tag][row] for table, row in pairs if row is not None and tag in table.tags)
    return next((value for value in said if value), "")


def _expected(
    tables: Sequence[Table], rows: Sequence[Mapping[str, int]], ids: Sequence[str], library: Library
) -> list[Json | None]:
    """What a right answer says, by item: typed values, references, a refusal, passages."""
    return [
        _expected_of(
            _first(tables, rows, identifier, "verdict") or {},
            _first(tables, rows, identifier, "references"),
            _tag(tables, [row.get(identifier) for row in rows], DOCUMENT),
            library,
        )
        for identifier in ids
    ]


def _expected_of(verdict: Output, references: Any, document: str, library: Library) -> Json | None:
    expected = verdict.get("expected") or {}
    found = {
        "answer": {key: _text(value) for key, value in (expected.get("answer") or {}).items()},
        "abstain": expected.get("abstain"),
        "quotes": expected.get("quotes"),
        "evidence": library.placed(expected.get("evidence"), document),
        "references": references,
    }
    return {key: value for key, value in found.items() if value not in (None, "", [], {})} or None


def _result(table: Table, places: Sequence[int | None], library: Library) -> Json:
    return {
        "name": table.name,
        "scores": {metric: _column(table.column(metric), places) for metric in table.metrics},
        "parts": {
            metric: {part: _column(column, places) for part, column in of.items()}
            for metric in table.metrics
            if (of := table.parts(metric))
        },
        "said": [None if row is None else _said(table, row, library) for row in places],
    }


def _column(column: FloatArray, places: Sequence[int | None]) -> list[float | None]:
    values = [None if value is None else round(value, DIGITS) for value in numbers(column)]
    return [None if row is None else values[row] for row in places]


def _said(table: Table, row: int, library: Library) -> Json:
    """What one system said to one item, and what was made of it; what there is not is left out."""
    output = _output(table, row)
    document = table.tags[DOCUMENT][row] if DOCUMENT in table.tags else ""
    verdict = output.get("verdict") or {}
    answer, cited = _text(output.get("answer")), library.placed(output.get("citations"), document)
    found = {
        "answer": answer,
        "marks": answer_marks(answer, _list(verdict.get("invented")), _quotes(cited, verdict)),
        "fields": {key: _cut(_text(value), LONGEST_FIELD) for key, value in output.items() if key not in _SHOWN},
        "citations": cited,
        "evidence": library.placed(output.get("evidence"), document),
        "contexts": [_cut(_text(_content(each)), LONGEST_CONTEXT) for each in _list(output.get("contexts"))],
        "abstained": verdict.get("abstained"),
        "invented": [[str(each.get("text", "")), str(each.get("kind", ""))] for each in _list(verdict.get("invented"))],
        "reasons": _reasons(output),
        "remarks": list(map(list, zip(remarks_in("en", output), remarks_in("zh", output), strict=True))),
        "notes": {} if verdict.get("reasons") else _notes(table, row),
        "gaps": {metric: [gap.kind, gap.reason] for metric in table.metrics if (gap := table.why(metric, row))},
        "failure": table.failures.get(row),
        "seconds": output.get("seconds"),
        "tokens": output.get("tokens"),
    }
    return {key: value for key, value in found.items() if value not in (None, "", [], {})}


def _quotes(cited: Sequence[Json], verdict: Output) -> list[str]:
    """Words that an answer may quote: those of its citations, and those that it was to quote."""
    wanted = _list((verdict.get("expected") or {}).get("quotes"))
    return [*(each["text"] for each in cited), *map(str, wanted)]


def _notes(table: Table, row: int) -> Json:
    return {metric: [note_in(language, table, row, metric) for language in LANGUAGES] for metric in table.notes(row)}


def _reasons(output: Output) -> list[tuple[str, str, str]]:
    """The parts of the score and their reasons in two languages."""
    chinese = reasons_in("zh", output)
    return [(part, why, chinese[part]) for part, why in reasons_in("en", output).items()]


def _output(table: Table, row: int | None) -> Output:
    return {} if row is None or not table.outputs else table.outputs[row] or {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _content(context: Any) -> Any:
    """The text of a retrieved record, whatever its field is called."""
    if not isinstance(context, Mapping):
        return context
    return next((context[key] for key in ("text", "contents", "content") if context.get(key)), dict(context))


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}… ({len(text):,})"


def _text(value: Any) -> str:
    """A value as it is read: text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
