"""BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv; one record for each query.

Of the corpus only documents that a query refers to are read: the others have no place in rows, and are counted.
"""

import csv
from collections.abc import Collection, Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.foreign.trec_columns import number_of
from steelyard.io.foreign.trec_qrels import grades_of
from steelyard.io.records import Record, read_records, stream_records
from steelyard.io.shapes import SCALAR, TEXT
from steelyard.io.shapes import Fields as Shape
from steelyard.io.streams import open_stream
from steelyard.io.writing import write_whole

NAME: Final = "beir"
TITLE: Final = "BEIR"
CARRIES: Final = frozenset((rows.ID, rows.QUESTION, rows.CONTEXTS, rows.REFERENCE_CONTEXTS, rows.REFERENCE_IDS))
NEEDS: Final = frozenset((rows.ID, rows.QUESTION))
IS_FOLDER: Final = True

_CORPUS: Final = "corpus.jsonl"
_QUERIES: Final = "queries.jsonl"
_COLUMNS: Final = ("query-id", "corpus-id", "score")
_SPLIT: Final = "test"
_TEXT: Final = Shape({"_id": SCALAR, "title": TEXT, "text": TEXT}, frozenset(("_id", "text")))
_JUDGMENT: Final = Shape(dict.fromkeys(_COLUMNS, SCALAR), frozenset(_COLUMNS))
_UNREAD: Final = "documents_without_query"

Judgments = dict[str, dict[str, dict[str, float]]]
"""Query, split, document: grade."""


def recognises(container: Container) -> bool:
    """Whether a folder has queries, and a corpus or qrels."""
    folder = container.path
    is_beir = container.kind == "folder" and (folder / _QUERIES).is_file()
    return is_beir and ((folder / _CORPUS).is_file() or (folder / "qrels").is_dir())


def read(container: Container) -> Iterator[Record]:
    """Yield the queries, each with the documents that are relevant to it, by the split `test` where it has one."""
    judgments = _judgments(container.path)
    wanted = {document for splits in judgments.values() for grades in splits.values() for document in grades}
    documents, unread = _documents(container.path / _CORPUS, wanted)
    queries, _ = read_records(container.path / _QUERIES)
    for number, record in enumerate(queries):
        rows.check(record.fields, _TEXT, record.where, TITLE)
        fields = _fields(record.fields, judgments.pop(str(record.fields["_id"]), {}), documents)
        if unread and not number:
            fields[rows.EXTRA] = {NAME: {**rows.extra_of(fields, NAME), _UNREAD: unread}}
        yield record._replace(fields=fields)
    for query in judgments:
        message = Message("formats.query_unknown", identifier=query, file=_QUERIES)
        raise InputError(message, where=str(container.path / "qrels"), hint=rows.read_as(TITLE))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write the folder; contexts that were retrieved are part of the corpus too."""
    (path / "qrels").mkdir(parents=True, exist_ok=True)
    corpus: dict[str, Fields] = {}
    queries, splits = [], {_SPLIT: [list[Any](_COLUMNS)]}
    for row in content:
        queries.append({"_id": row[rows.ID], "text": row.get(rows.QUESTION, ""), **_others(row)})
        for context in (*(row.get(rows.REFERENCE_CONTEXTS) or ()), *(row.get(rows.CONTEXTS) or ())):
            corpus.setdefault(rows.id_of(context), _document(context))
        for identifier, document in (rows.extra_of(row, NAME).get("documents") or {}).items():
            corpus.setdefault(identifier, {"_id": identifier, **document})
        for split, grades in _graded(row).items():
            lines = splits.setdefault(split, [list(_COLUMNS)])
            lines += [[row[rows.ID], document, grade] for document, grade in grades.items()]
    rows.write_lines(corpus.values(), path / _CORPUS)
    rows.write_lines(queries, path / _QUERIES)
    for split, lines in splits.items():
        if len(lines) > 1 or len(splits) == 1:
            write_whole(path / "qrels" / f"{split}.tsv", _table(lines))


def _judgments(folder: Path) -> Judgments:
    found: Judgments = {}
    for path in sorted((folder / "qrels").glob("*.tsv")):
        for record in read_records(path)[0]:
            rows.check(record.fields, _JUDGMENT, record.where, TITLE)
            query, document, grade = (record.fields[name] for name in _COLUMNS)
            grades = found.setdefault(query, {}).setdefault(path.stem, {})
            grades[document] = _whole(number_of(grade, record.where, "score"))
    return found


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _documents(path: Path, wanted: Collection[str]) -> tuple[dict[str, Fields], int]:
    """Return the wanted documents of the corpus, and the number of the others."""
    found: dict[str, Fields] = {}
    others = 0
    if not path.is_file():
        return found, others
    for record in stream_records(open_stream(path), ".jsonl"):
        rows.check(record.fields, _TEXT, record.where, TITLE)
        identifier = str(record.fields["_id"])
        if identifier in wanted:
            found[identifier] = {name: value for name, value in record.fields.items() if name != "_id"}
        else:
            others += 1
    return found, others


def _fields(query: Fields, splits: dict[str, dict[str, float]], documents: dict[str, Fields]) -> Fields:
    split = _SPLIT if _SPLIT in splits else next(iter(splits), "")
    grades = {document: grade for document, grade in splits.get(split, {}).items() if grade > 0}
    texts = [
        {"id": each, **documents[each], **({} if grade == 1 else {"grade": grade})}
        for each, grade in grades.items()
        if each in documents
    ]
    others = {name: value for name, value in query.items() if name not in ("_id", "text")}
    extra = {"query": others, "split": split, "qrels": splits, "documents": _rest(splits, grades, documents)}
    fields = {
        rows.ID: str(query["_id"]),
        rows.QUESTION: query["text"],
        rows.REFERENCE_CONTEXTS: texts,
        rows.REFERENCE_IDS: list(grades),
        rows.EXTRA: {NAME: rows.present(extra)},
    }
    return rows.present(fields)


def _rest(splits: dict[str, dict[str, float]], grades: Collection[str], documents: dict[str, Fields]) -> Fields:
    """Return the documents that were judged and are not relevant."""
    judged = {document for each in splits.values() for document in each}
    return {document: documents[document] for document in sorted(judged - set(grades)) if document in documents}


def _graded(row: Fields) -> dict[str, dict[str, Any]]:
    """Return the grades of each split: as they were read, or those of the reference contexts."""
    kept = rows.extra_of(row, NAME).get("qrels") or {}
    grades = grades_of(row)
    split = rows.extra_of(row, NAME).get("split") or _SPLIT
    same = {document for document, grade in kept.get(split, {}).items() if grade > 0} == grades.keys()
    return kept if kept and same else {**kept, **({split: grades} if grades else {})}


def _others(row: Fields) -> Fields:
    return dict(rows.extra_of(row, NAME).get("query") or {})


def _document(context: Any) -> Fields:
    if not isinstance(context, dict):
        return {"_id": rows.id_of(context), "title": "", "text": rows.text_of(context)}
    others = {name: value for name, value in context.items() if name not in ("id", "text", "grade", "score")}
    return {"_id": rows.id_of(context), "title": "", "text": rows.text_of(context), **others}


def _table(lines: list[list[Any]]) -> str:
    content = StringIO(newline="")
    csv.writer(content, delimiter="\t", lineterminator="\n").writerows(lines)
    return content.getvalue()
