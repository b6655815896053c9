"""The items of a report as the data of its page: columns to sort and filter by, answers, and their contexts.

Each text of a context is on the page once, however many answers have it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any, Final

from steelyard.i18n import LANGUAGES, translations
from steelyard.registry.kinds import is_lower_better, kind_of
from steelyard.reports.content import BOARD, Report
from steelyard.reports.kinds import ItemDetails, Json, KindPage, Mark, Rows, as_list, as_text, present
from steelyard.reports.sections.leaderboard import ranking
from steelyard.table import FloatArray, Table

MOST_CONTEXTS: Final = 200
LONGEST_CONTEXT: Final = 4_000
"""So many characters of a context are kept, so that a page does not hold the index a second time."""
MOST_CHARACTERS: Final = 40_000
"""So many characters of the contexts of one answer are kept; of those after them, `SHORTENED` each."""
SHORTENED: Final = 300
MOST_IDS: Final = 50
_LONGEST_ID: Final = 200
_TEXT_FIELDS: Final = ("text", "contents", "content", "page_content", "passage", "body", "snippet", "chunk")
_ID_FIELDS: Final = ("id", "_context_id", "doc_id", "docid", "passage_id", "context_id", "chunk_id", "pid")


@dataclass(frozen=True, slots=True)
class ShownContext:
    """A context of an answer; `shown` is the part of its text that the page has."""

    text: str
    shown: str
    id: str | None = None


def contexts_in(output: Mapping[str, Any]) -> list[ShownContext]:
    """Return the contexts of an output, best first; those of which only the id is known have no text."""
    if not output.get("contexts") and not output.get("context_ids"):
        return []
    given, ids = as_list(output.get("contexts")), as_list(output.get("context_ids"))
    members = given or [None] * len(ids)
    names = ids if len(ids) == len(members) else [None] * len(members)
    shown: list[ShownContext] = []
    left = MOST_CHARACTERS
    for member, name in zip(members, names, strict=True):
        text = _context_text(member)
        part = text[: LONGEST_CONTEXT if left > 0 else SHORTENED]
        left -= len(part)
        own = _first_of(member, _ID_FIELDS) if isinstance(member, Mapping) else None
        shown.append(ShownContext(text, part, _context_id(own or name)))
    return shown


class ContextTexts:
    """The texts of the contexts of a page, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def as_json(self) -> list[str]:
        """Return the texts, in the order of their numbers."""
        return list(self._numbers)

    def answer(self, output: Mapping[str, Any], marks: Sequence[Sequence[Mark]]) -> Json:
        """Return the contexts of an answer with what is marked in them, and the wanted ids that are not among them."""
        contexts = contexts_in(output)
        if not contexts:
            return {}
        wanted, texts = (
            _wanted(output),
            frozenset(_context_text(each) for each in as_list(output.get("reference_contexts"))),
        )
        found = {each.id for each in contexts}
        missed = [name for name, is_wanted in wanted.items() if is_wanted and name not in found]
        return {
            "contexts": [
                self._entry(context, _relevance(context, wanted, texts), marks[place] if place < len(marks) else ())
                for place, context in enumerate(contexts[:MOST_CONTEXTS])
            ],
            "others": max(0, len(contexts) - MOST_CONTEXTS) or None,
            "missed": missed[:MOST_IDS] if found != {None} else (),
            "unlisted": max(0, len(missed) - MOST_IDS) or None,
        }

    def expected(self, output: Mapping[str, Any]) -> list[Json]:
        """Return the reference contexts of an item; those of which only the id is known have no text."""
        ids = [name for name, is_wanted in _wanted(output).items() if is_wanted]
        given = {"contexts": output.get("reference_contexts"), "context_ids": ids}
        return [self._entry(context, None, ()) for context in contexts_in(given)[:MOST_CONTEXTS]]

    def _entry(self, context: ShownContext, relevant: bool | None, marks: Sequence[Mark]) -> Json:
        values = {
            "text": self._numbers.setdefault(context.shown, len(self._numbers)) if context.text else None,
            "id": context.id,
            "length": len(context.text) if len(context.text) > len(context.shown) else None,
            "relevant": relevant,
            "marks": marks,
        }
        return present(values)


def _relevance(context: ShownContext, wanted: Mapping[str, bool], texts: frozenset[str]) -> bool | None:
    """Whether a context was wanted: by its id, or because it is a reference context; None if that is not known."""
    if context.id is not None and wanted:
        return wanted.get(context.id, False)
    return True if context.text and context.text in texts else None


def _wanted(output: Mapping[str, Any]) -> dict[str, bool]:
    """Return the ids of the reference contexts, each with whether it is relevant; a list has only those that are."""
    given = output.get("reference_context_ids")
    if isinstance(given, Mapping):
        return {_context_id(name) or "": isinstance(grade, int) and grade > 0 for name, grade in given.items()}
    return {name: True for each in as_list(given) if (name := _context_id(each))}


def _context_id(value: Any) -> str | None:
    return None if value is None else as_text(value)[:_LONGEST_ID] or None


def _context_text(context: Any) -> str:
    """Return the text of a retrieved record, whatever its field is called, after its title."""
    if not isinstance(context, Mapping):
        return as_text(context)
    text, title = _first_of(context, _TEXT_FIELDS), context.get("title")
    if isinstance(title, str) and title.strip():
        return title if text is None else f"{title}\n{as_text(text)}"
    return as_text(text if text is not None or _first_of(context, _ID_FIELDS) is not None else dict(context))


def _first_of(context: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((context[name] for name in names if context.get(name) not in (None, "")), None)


Output = Mapping[str, Any]

LONGEST_FIELD: Final = 2_000
DIGITS: Final = 6
DOCUMENT: Final = "document"
_COSTS: Final = ("seconds", "tokens", "attempts")
_CONTEXTS: Final = ("contexts", "context_ids", "reference_contexts", "reference_context_ids")
_SHOWN: Final = frozenset(("id", "question", "answer", "references", "judged", *_CONTEXTS, *_COSTS))
"""Fields that have a place of their own; the others are shown by their names."""


def item_data(report: Report, main: str, kind: KindPage, details: ItemDetails, library: Iterable[str] = ()) -> Json:
    """Return all items of all results; the items of the first result come first, each id once.

    `library` are the names of the documents that the page has.
    """
    tables = report.tables
    ids = list(dict.fromkeys(identifier for table in tables for identifier in table.ids))
    positions = [{identifier: row for row, identifier in enumerate(table.ids)} for table in tables]
    rows = [[position.get(identifier) for identifier in ids] for position in positions]
    outputs = [[_output(*each) for each in zip(tables, of_item, strict=True)] for of_item in zip(*rows, strict=True)]
    texts = ContextTexts()
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
        "library": list(library),
        "contexts": texts.as_json(),
        **kind.item_columns(tables, rows, order),
    }


def _chosen(report: Report, main: str) -> int:
    """Return the number of the result whose items are listed at first.

    Of many the best after the first, else the last.
    """
    names = [table.name for table in report.tables]
    ranked = [names.index(summary.name) for _, summary in ranking(report, main)] if report.layout in BOARD else []
    return next(filter(None, ranked), len(names) - 1)


def _first(outputs: Sequence[Output], key: str) -> Any:
    """Return what the first result that has it says of an item under this key; `outputs` are those of the item."""
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
    """Return the value of a tag for each item, from the first result that has one; "" where none has."""
    column = [""] * len(rows[0])
    for table, of_table in zip(tables, rows, strict=True):
        if tag in table.tags:
            values = table.tags[tag]
            column = [
                known or ("" if row is None else values[row]) for known, row in zip(column, of_table, strict=True)
            ]
    return column


def _expected(outputs: Sequence[Output], document: str, details: ItemDetails, texts: ContextTexts) -> Json | None:
    """Return what a right answer to an item has; None where nothing is known of it."""
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
    """Return the answers of each result; those to one item are made together, in this order of the items.

    Details that are limited for one page are then those of items that a reader looks at first.
    """
    answers: list[list[Json | None]] = [[None] * len(of_table) for of_table in rows]
    for item in order:
        for table, of_table, of_result in zip(tables, rows, answers, strict=True):
            row = of_table[item]
            of_result[item] = None if row is None else answer(table, row)
    return answers


def _lowest_first(table: Table, rows: Rows, main: str) -> list[int]:
    """Return the items in the order of their scores in a result, the lowest first."""
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
    """Return the answer of one system to one item, with its verdict; fields without a value are left out."""
    output = _output(table, row)
    text = as_text(output.get("answer"))
    verdict = details.answer(text, output, table.tags[DOCUMENT][row] if DOCUMENT in table.tags else "")
    others = {key: as_text(value) for key, value in output.items() if key not in _SHOWN and key not in details.fields}
    noted = () if verdict.reasons else table.notes(row)
    failure = table.failures.get(row)
    values = {
        "answer": text,
        "marks": verdict.marks,
        "fields": {
            **verdict.values,
            **{
                key: text if len(text) <= LONGEST_FIELD else f"{text[:LONGEST_FIELD]}… ({len(text):,})"
                for key, text in others.items()
            },
        },
        "citations": verdict.citations,
        "evidence": verdict.evidence,
        **texts.answer(output, verdict.contexts),
        "abstained": verdict.abstained,
        "invented": verdict.invented,
        "claims": verdict.claims,
        "reasons": verdict.reasons,
        "remarks": verdict.remarks,
        "notes": {metric: [kind.note(table, row, metric, language) for language in LANGUAGES] for metric in noted},
        "gaps": _gaps(table, row),
        "failure": None
        if failure is None
        else [kind.note(table, row, table.metrics[0], language) or failure for language in LANGUAGES],
        "seconds": output.get("seconds"),
        "tokens": output.get("tokens"),
    }
    return present(values)


def _gaps(table: Table, row: int) -> Json:
    """Return why an item has no score, by metric: the kind of the reason, and its text in every language."""
    columns = ((metric, column) for metric, column in table.columns.items() if column.reasons)
    missing = {metric: why for metric, column in columns if (why := column.why(row))}
    return {metric: [why.kind, list(translations(why.reason))] for metric, why in missing.items()}


def _output(table: Table, row: int | None) -> Output:
    return {} if row is None or not table.outputs else table.outputs[row] or {}
