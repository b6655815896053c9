"""LegalBench-RAG: questions with gold spans of characters, and results with the spans that were retrieved.

Spans are half-open: the first character, and the one after the last. Rows of tests (`snippets`) and of retrieved spans
(`retrieved`), each with an id, are read too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import NUMBER, TEXT, ListOf, Plain, Shape
from steelyard.io.shapes import Fields as ObjectShape
from steelyard.io.writing import write_whole

NAME: Final = "legalbench-rag"
TITLE: Final = "LegalBench-RAG"
CARRIES: Final = frozenset((rows.QUESTION, rows.CONTEXTS, rows.REFERENCE_CONTEXTS, rows.SCORES, rows.TAGS))


def _is_span(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(type(each) is int for each in value):
        return False
    return bool(0 <= value[0] <= value[1])


_SPAN: Final = Plain(Message("words.span_of_two"), _is_span)
_SNIPPETS: Final = ListOf(
    ObjectShape({"file_path": TEXT, "span": _SPAN, "answer": TEXT, "score": NUMBER}, frozenset(("file_path", "span")))
)
_TEST: Final = ObjectShape(
    {"query": TEXT, "question": TEXT, "snippets": _SNIPPETS, "retrieved": _SNIPPETS, "tags": ListOf(TEXT)}
)
_RESULT: Final = ObjectShape(
    {"qa_gt": _TEST, "retrieved_snippets": _SNIPPETS}, frozenset(("qa_gt", "retrieved_snippets"))
)
_TESTS: Final[Shape] = ObjectShape({"tests": ListOf(_TEST)}, frozenset(("tests",)))
_RESULTS: Final[Shape] = ObjectShape(
    {"qa_result_list": ListOf(_RESULT), "weights": ListOf(NUMBER)}, frozenset(("qa_result_list",))
)
_NAMES: Final = {"file_path": "document", "answer": "text"}
_USED: Final = ("query", "question", "id", "snippets", "retrieved", "tags")


def recognises(container: Container) -> bool:
    """Whether it has tests with snippets, results of them, or rows with spans of files."""
    first = container.first if container.kind in ("rows", "document") else {}
    if container.kind == "rows":
        return any(_has_spans(first.get(name)) for name in ("snippets", "retrieved"))
    tests = first.get("tests")
    head = tests[0] if isinstance(tests, list) and tests else None
    return isinstance(first.get("qa_result_list"), list) or (isinstance(head, dict) and "snippets" in head)


def read(container: Container) -> Iterator[Record]:
    """Yield the tests, and with results the retrieved spans as contexts."""
    if container.kind == "rows":
        for record in container.records():
            rows.check(record.fields, _TEST, record.where, TITLE)
            yield record._replace(fields=_fields(record.fields))
        return
    document = container.document
    is_result = "qa_result_list" in document
    rows.check(document, _RESULTS if is_result else _TESTS, container.name, TITLE)
    yield from _results(document, container.name) if is_result else _tests(document, container.name)


def write(content: Iterable[Fields], path: Path) -> None:
    """Write tests, or results if a row has contexts."""
    all_rows = list(content)
    if any(rows.CONTEXTS in row for row in all_rows):
        document: Fields = {"qa_result_list": [_result(row) for row in all_rows], "weights": [1.0] * len(all_rows)}
    else:
        document = {"tests": [_test(row) for row in all_rows]}
    write_whole(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def _has_spans(value: Any) -> bool:
    head = value[0] if isinstance(value, list) and value else None
    return isinstance(head, dict) and "file_path" in head and "span" in head


def _tests(document: Fields, name: str) -> Iterator[Record]:
    for number, test in enumerate(document["tests"]):
        yield Record(name, number, _fields(test), "{}#/tests/{}")


def _results(document: Fields, name: str) -> Iterator[Record]:
    weights = document.get("weights") or []
    for number, result in enumerate(document["qa_result_list"]):
        contexts = [_context(each) for each in result["retrieved_snippets"]]
        numbers = {key: value for key, value in result.items() if rows.is_score(value)}
        extra = {"weight": weights[number]} if number < len(weights) else {}
        scores = {rows.SCORES: {key: rows.score(value) for key, value in numbers.items()}} if numbers else {}
        fields = {**_fields(result["qa_gt"]), rows.CONTEXTS: contexts, **scores}
        extra |= rows.extra_of(fields, NAME)
        yield Record(name, number, rows.with_extra(fields, extra, NAME), "{}#/qa_result_list/{}")


def _fields(test: Mapping[str, Any]) -> Fields:
    tags = test.get("tags")
    extra = {**rows.others(test, _USED), **({"tags": tags[1:]} if tags and len(tags) > 1 else {})}
    fields = {
        rows.ID: test.get("id"),
        rows.QUESTION: test.get("query") or test.get("question"),
        rows.CONTEXTS: [_context(each) for each in test.get("retrieved") or ()],
        rows.REFERENCE_CONTEXTS: [_context(each) for each in test.get("snippets") or ()],
        rows.TAGS: {"set": tags[0]} if tags else {},
    }
    return rows.with_extra(rows.present(fields), extra, NAME)


def _context(snippet: Mapping[str, Any]) -> Fields:
    return {_NAMES.get(name, name): value for name, value in snippet.items()}


def _snippet(context: Any) -> Fields:
    names = {ours: name for name, ours in _NAMES.items()}
    fields: Fields = context if isinstance(context, dict) else {"text": str(context)}
    return {names.get(name, name): value for name, value in fields.items()}


def _test(row: Fields) -> Fields:
    snippets = [_snippet(each) for each in row.get(rows.REFERENCE_CONTEXTS) or ()]
    tags = list((row.get(rows.TAGS) or {}).values())
    return {"query": row.get(rows.QUESTION, ""), "snippets": snippets, "tags": tags}


def _result(row: Fields) -> Fields:
    retrieved = [_snippet(each) for each in row.get(rows.CONTEXTS) or ()]
    return {"qa_gt": _test(row), "retrieved_snippets": retrieved, **(row.get(rows.SCORES) or {})}
