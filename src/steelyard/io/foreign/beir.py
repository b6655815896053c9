"""BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv; one record for each query.

Of the corpus only documents that a query refers to are read: the others have no place in rows, and are counted.
"""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
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

Grades = dict[str, dict[str, float]]
"""Split, document: grade."""
Judgments = dict[str, Grades]


def recognises(container: Container) -> bool:
    """Whether a folder has queries, and a corpus or qrels."""
    folder = container.path
    is_beir = container.kind == "folder" and (folder / _QUERIES).is_file()
    return is_beir and ((folder / _CORPUS).is_file() or (folder / "qrels").is_dir())


def read(container: Container) -> Iterator[Record]:
    """Yield the queries, each with the documents that are relevant to it, by the split `test` where it has one."""
    judgments = _judgments(container.path)
    wanted = {document for splits in judgments.values() for document in _relevant(splits)}
    documents, unread = _documents(container.path / _CORPUS, wanted)
    queries, _ = read_records(container.path / _QUERIES)
    for number, record in enumerate(queries):
        rows.check(record.fields, _TEXT, record.where, TITLE)
        splits = judgments.pop(str(record.fields["_id"]), {})
        extra = _extra(record.fields, splits) | ({_UNREAD: unread} if unread and not number else {})
        fields = _fields(record.fields, _relevant(splits), documents)
        yield record._replace(fields=rows.with_extra(fields, extra, NAME))
    for query in judgments:
        message = Message("formats.query_unknown", identifier=query, file=_QUERIES)
        raise InputError(message, where=str(container.path / "qrels"), hint=rows.read_as(TITLE))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write the folder; contexts that were retrieved are part of the corpus too, unless they have no text."""
    (path / "qrels").mkdir(parents=True, exist_ok=True)
    corpus: dict[str, Fields] = {}
    queries, lines = [], [list[Any](_COLUMNS)]
    for row in content:
        queries.append({"_id": row[rows.ID], "text": row.get(rows.QUESTION, "")})
        for context in (*(row.get(rows.REFERENCE_CONTEXTS) or ()), *(row.get(rows.CONTEXTS) or ())):
            if text := rows.text_of(context):
                corpus.setdefault(rows.id_of(context), _document(context, text))
        lines += [[row[rows.ID], document, grade] for document, grade in grades_of(row).items()]
    rows.write_lines(corpus.values(), path / _CORPUS)
    rows.write_lines(queries, path / _QUERIES)
    write_whole(path / "qrels" / f"{_SPLIT}.tsv", _table(lines))


def _judgments(folder: Path) -> Judgments:
    found: Judgments = {}
    for path in sorted((folder / "qrels").glob("*.tsv")):
        for record in read_records(path)[0]:
            rows.check(record.fields, _JUDGMENT, record.where, TITLE)
            query, document, grade = (record.fields[name] for name in _COLUMNS)
            grades = found.setdefault(query, {}).setdefault(path.stem, {})
            grades[document] = rows.whole(number_of(grade, record.where, "score"))
    return found


def _split(splits: Grades) -> str:
    return _SPLIT if _SPLIT in splits else next(iter(splits), "")


def _relevant(splits: Grades) -> dict[str, float]:
    """Return the documents with a grade above 0 in the split that is read."""
    return {document: grade for document, grade in splits.get(_split(splits), {}).items() if grade > 0}


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


def _fields(query: Fields, grades: Mapping[str, float], documents: Mapping[str, Fields]) -> Fields:
    texts = [
        {"id": each, **documents[each], **({} if grade == 1 else {"grade": grade})}
        for each, grade in grades.items()
        if each in documents
    ]
    fields = {
        rows.ID: str(query["_id"]),
        rows.QUESTION: query["text"],
        rows.REFERENCE_CONTEXTS: texts,
        rows.REFERENCE_IDS: list(grades),
    }
    return rows.present(fields)


def _extra(query: Fields, splits: Grades) -> Fields:
    """Return the other fields of a query, other splits, and the documents that are judged not to be relevant."""
    read = splits.get(_split(splits), {})
    others = {name: grades for name, grades in splits.items() if name != _split(splits)}
    not_relevant = [document for document, grade in read.items() if grade <= 0]
    return rows.others(query, ("_id", "text")) | rows.present({"splits": others, "not_relevant": not_relevant})


def _document(context: Any, text: str) -> Fields:
    others = rows.others(context, ("id", "text", "grade", "score")) if isinstance(context, dict) else {}
    return {"_id": rows.id_of(context), "title": "", "text": text, **others}


def _table(lines: list[list[Any]]) -> str:
    content = StringIO(newline="")
    csv.writer(content, delimiter="\t", lineterminator="\n").writerows(lines)
    return content.getvalue()
