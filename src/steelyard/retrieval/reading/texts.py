"""Texts of queries and documents, for what people see of rankings; no metric uses them.

Queries are TREC topics, JSONL (BEIR), JSON, TSV, CSV or parquet. Documents are JSONL (BEIR), TSV, CSV, parquet or TREC
(<DOC>); they are read as a stream, and only those that are shown are kept.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from xml.parsers import expat

from steelyard.errors import MOST_PROBLEMS, ConfigError, InputError, Problem, UnknownName
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, parse_json, stream_records
from steelyard.io.streams import Stream, is_folder, open_stream, read_text, text_blocks
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.table import Table

TextSource = Any
"""A path, or a mapping from ids to texts; that of a document may be a mapping with `title` and `text`."""

NUMBER: Final = ("num", "number", "identifier", "id", "qid", "query_id", "topic_id", "topicid", "queryid")
"""Names of the element or attribute with the id of a topic."""
TITLE: Final = ("title", "query", "topic", "text")
"""Names of what a user would type; the first that a topic has is its text."""
SENTENCE: Final = ("question", "desc", "description", "summary")
"""Names of the sentence that says the same at length; it follows the title."""

_TOPIC: Final = re.compile(r"<top\b[^>]*>(.*?)(?=</top\s*>|<top\b|\Z)", re.DOTALL | re.IGNORECASE)
_TOPIC_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w.-]*)[^<>]*>")
_LABEL: Final = re.compile(r"\s*(?:number|topic|description|narrative|title)\s*:", re.IGNORECASE)

QUERY_IDS: Final = ("_id", "query_id", "query-id", "q_id", *NUMBER, "topic")
QUERY_TEXTS: Final = ("text", "query", "question", "title", "query_text", "description")
DOCUMENT_IDS: Final = (
    *("_id", "id", "doc_id", "doc-id", "docid", "docno", "document_id", "corpus_id", "pid", "did"),
    "cord_uid",
)
DOCUMENT_TEXTS: Final = ("text", "contents", "content", "body", "passage", "abstract")
DOCUMENT_FIELDS: Final = ("id", "title", "text")
LONGEST: Final = 300
"""So many characters of a document are kept."""

_COLUMNS: Final = (".csv", ".parquet")
_QUERIES_HINT: Final = Message("formats.queries_hint")
_DOCUMENTS_HINT: Final = Message("formats.docs_hint")
_DOCUMENT: Final = re.compile(r"\s*<doc>", re.IGNORECASE)
_DOCNO: Final = re.compile(r"<docno>\s*(\S+?)\s*</docno>", re.IGNORECASE)
_TITLE: Final = re.compile(r"<(title|headline|head|hl)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_LONGEST_MARKUP: Final = 20_000
"""So many characters of a document of TREC are read."""
_LEADING_ID: Final = re.compile(r'\s*\{\s*"(?:_id|id|docid|doc_id|docno|pid)"\s*:\s*"([^"\\]*)"')


class DocumentText(NamedTuple):
    """The title of a document, and how its text begins."""

    title: str
    text: str


_UNREAD: Final = DocumentText("", "")


def with_texts(
    tables: Sequence[Table],
    queries: TextSource | None,
    docs: TextSource | None,
    columns: Mapping[str, str] = MappingProxyType({}),
    *,
    qrels: Qrels | None = None,
    relevance_level: int = 1,
) -> list[Table]:
    """Return tables of kept rankings with the texts of their queries and documents, and the counts of those without.

    `columns` are the names of columns of documents for id, title and text, where they are not the usual ones. With
    `qrels`, outputs have the judged documents that are `absent` from `docs`, each with its grade; they are counted, and
    so are the queries whose relevant documents are all absent.
    """
    asked = None if queries is None else _asked(tables, queries)
    if docs is not None:
        judged = frozenset(() if qrels is None else qrels.documents.texts())
        found = read_documents(docs, set().union(*map(_shown, tables)), columns, others=judged)
        tables = [_with_documents(table, found) for table in tables]
        if qrels is not None:
            absent = _absent(qrels, found)
            tables = [_with_absent(table, absent, relevance_level) for table in tables]
    return list(tables) if asked is None else [_with_queries(table, asked) for table in tables]


def unwinnable(table: Table, relevance_level: int = 1) -> list[str]:
    """Return the queries that have relevant documents, but none that is in the corpus; outputs are of `with_texts`."""
    return [
        id_
        for id_, output in zip(table.ids, table.outputs, strict=True)
        if output and 0 < output["relevant"] == sum(grade >= relevance_level for _, grade in output.get("absent", ()))
    ]


def absent_documents(table: Table) -> list[str]:
    """Return the judged documents that are not in the corpus; outputs are those of `with_texts`."""
    return list(dict.fromkeys(id_ for output in table.outputs if output for id_, _ in output.get("absent", ())))


def _absent(qrels: Qrels, found: Collection[str]) -> dict[str, list[list[Any]]]:
    """Return by query the judged documents that are not among those found, each with its grade."""
    absent: dict[str, list[list[Any]]] = {}
    for query, document, grade in zip(
        qrels.query.tolist(), qrels.documents.texts(), qrels.grades.tolist(), strict=True
    ):
        if document not in found:
            absent.setdefault(qrels.ids[query], []).append([document, grade])
    return absent


def _with_absent(table: Table, absent: Mapping[str, list[list[Any]]], relevance_level: int) -> Table:
    outputs = [
        {**(output or {}), "absent": absent[id_]} if id_ in absent else output
        for id_, output in zip(table.ids, table.outputs, strict=True)
    ]
    table = replace(table, outputs=outputs)
    counts = {
        "counts.documents_absent": len(absent_documents(table)),
        "counts.queries_unwinnable": len(unwinnable(table, relevance_level)),
    }
    return replace(table, counts={**table.counts, **counts})


def read_queries(source: TextSource) -> dict[str, str]:
    """Return query → text, from any source."""
    if isinstance(source, Mapping):
        return {str(key): str(value) for key, value in source.items()}
    path = _in_folder(source, "queries.jsonl")
    if format_suffix(path) in _COLUMNS:
        with closing(open_stream(path)) as stream:
            records = list(stream_records(stream, format_suffix(path)))
        return _by_id(_named(records, QUERY_IDS, QUERY_TEXTS, _QUERIES_HINT), str(path))
    text, stream = read_text(path)
    return _by_id(_query_rows(text, stream.name), stream.name)


def read_documents(
    source: TextSource,
    wanted: Collection[str],
    columns: Mapping[str, str] = MappingProxyType({}),
    *,
    others: frozenset[str] = frozenset(),
) -> dict[str, DocumentText]:
    """Return the wanted documents that a source has; a file is read until all are found.

    Those of `others` that it has are there too, without their texts.
    """
    for name in columns:
        if name not in DOCUMENT_FIELDS:
            raise UnknownName.of(Message("words.column"), name, DOCUMENT_FIELDS)
    if isinstance(source, Mapping):
        return {
            id_: _document(source[id_]) if id_ in wanted else _UNREAD for id_ in others.union(wanted) & source.keys()
        }
    found: dict[str, DocumentText] = {}
    path = _in_folder(source, "corpus.jsonl")
    with closing(open_stream(path)) as stream:
        sought = others.union(wanted)
        for id_, document in _document_rows(stream, format_suffix(path), sought, columns):
            found.setdefault(id_, document if id_ in wanted else _UNREAD)
            if len(found) == len(sought):
                break
    return found


def _in_folder(source: Any, name: str) -> str | Path:
    """Return the file, in a BEIR folder the one of this name."""
    if not isinstance(source, str | Path):
        raise TypeError(f"queries and docs are paths or mappings, not {type(source).__name__}")
    if not is_folder(source):
        return source
    names = (name, f"{name}.gz")
    return next((path for each in names if (path := Path(source, each)).exists()), Path(source, name))


def _asked(tables: Sequence[Table], queries: TextSource) -> dict[str, str]:
    """Return the texts of queries; texts of other queries only are an error."""
    texts = read_queries(queries)
    ids = [id_ for table in tables for id_ in table.ids]
    if ids and texts and not any(id_ in texts for id_ in ids):
        where = "queries" if isinstance(queries, Mapping) else str(queries)
        hint = Message("formats.other_queries_hint", found=next(iter(texts)), wanted=ids[0])
        raise InputError(Message("formats.other_queries"), where=where, hint=hint)
    return texts


def _with_queries(table: Table, asked: Mapping[str, str]) -> Table:
    outputs = [
        {"question": asked[id_], **(output or {})} if asked.get(id_) else output
        for id_, output in zip(table.ids, table.outputs, strict=True)
    ]
    count = sum(id_ not in asked for id_ in table.ids)
    return replace(table, outputs=outputs, counts={**table.counts, "counts.queries_without_text": count})


def _with_documents(table: Table, found: Mapping[str, DocumentText]) -> Table:
    outputs = [
        {**output, "texts": {id_: list(found[id_]) for id_ in _ids_of(output) if id_ in found}}
        for output in (output or {} for output in table.outputs)
    ]
    count = len(_shown(table) - found.keys())
    return replace(table, outputs=outputs, counts={**table.counts, "counts.documents_without_text": count})


def _shown(table: Table) -> set[str]:
    return {id_ for output in table.outputs for id_ in _ids_of(output or {})}


def _ids_of(output: Mapping[str, Any]) -> Iterator[str]:
    return chain(output.get("ranked", ()), (id_ for id_, _, _ in output.get("missed", ())))


Row = tuple[str, str, str]
"""Location, id and text."""


def _query_rows(text: str, name: str) -> Iterator[Row]:
    if is_markup(text):
        return ((f"{name}:{topic.line}", topic.number, topic.text) for topic in read_topics(text, name))
    if text.lstrip().startswith(("{", "[")):
        return _json_rows(text, name)
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return ((where, cells[0], cells[1]) for where, cells in _tab_rows(lines, name, QUERY_IDS, _QUERIES_HINT))


def _json_rows(text: str, name: str) -> Iterator[Row]:
    """JSONL, a JSON array, or one JSON object from ids to texts."""
    suffix = format_suffix(name)
    content = parse_json(text, name) if suffix == ".json" or text.lstrip().startswith("[") else None
    if isinstance(content, dict) and all(isinstance(value, str) for value in content.values()):
        return ((f"{name}#/{key}", key, value) for key, value in content.items())
    if isinstance(content, list):
        records = [Record(name, place, _fields(row, f"{name}#/{place}"), "{}#/{}") for place, row in enumerate(content)]
    else:
        lines = enumerate(text.split("\n"), 1)
        records = [_parsed(line, name, number, _QUERIES_HINT) for number, line in lines if line.strip()]
    return _named(records, QUERY_IDS, QUERY_TEXTS, _QUERIES_HINT)


def _parsed(line: str, name: str, number: int, hint: Message) -> Record:
    try:
        return Record(name, number, _fields(parse_json(line, name, number), f"{name}:{number}"))
    except InputError as error:
        raise InputError.of(error.problems, hint=hint) from None


def _fields(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        message = Message("formats.not_an_object", shown=json.dumps(value)[:40])
        raise InputError(message, where=where, hint=_QUERIES_HINT)
    return value


def _named(records: Sequence[Record], ids: Sequence[str], texts: Sequence[str], hint: Message) -> Iterator[Row]:
    """Yield the id and the text of each record, by the usual names of these fields."""
    for record in records:
        by_name = {key.lower(): value for key, value in record.fields.items()}
        key = next((each for each in ids if by_name.get(each) not in (None, "")), None)
        text = next((each for each in texts if each != key and isinstance(by_name.get(each), str)), None)
        if key is None or text is None:
            message = Message("formats.no_id_and_text", names=", ".join(record.fields) or "–")
            raise InputError(message, where=record.where, hint=hint)
        yield record.where, str(by_name[key]), by_name[text]


def _tab_rows(
    lines: Iterator[tuple[int, str]], name: str, ids: Collection[str], hint: Message
) -> Iterator[tuple[str, list[str]]]:
    """Yield the cells of lines with tabs, without a first line of column names."""
    for place, (number, line) in enumerate(lines):
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) < 2 or not cells[0].strip():
            raise InputError(Message("formats.no_tab"), where=f"{name}:{number}", hint=hint)
        if place or cells[0].strip().lower() not in ids:
            yield f"{name}:{number}", [cells[0].strip(), *cells[1:]]


def _by_id(rows: Iterator[Row], name: str) -> dict[str, str]:
    """Return query → text; a query without id or text, or with two texts, is an error."""
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    for where, id_, text in rows:
        code = "formats.query_incomplete" if not id_ or not text.strip() else "formats.query_repeated"
        if not id_ or not text.strip() or texts.setdefault(id_, text.strip()) != text.strip():
            problems.append(Problem(where, Message(code, id=id_ or "–")))
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems or not texts:
        raise InputError.of(problems or [Problem(name, Message("formats.no_rows"))], hint=_QUERIES_HINT)
    # topics number 051 what judgments number 51
    return {**{id_.lstrip("0"): text for id_, text in texts.items() if id_.isdigit()}, **texts}


def _document_rows(
    stream: Stream, kind: str, wanted: Collection[str], columns: Mapping[str, str]
) -> Iterator[tuple[str, DocumentText]]:
    """Return the wanted documents as they are read."""
    if kind in _COLUMNS:
        return _wanted_records(stream_records(stream, kind), wanted, columns)
    lines = enumerate(chain.from_iterable(text.removesuffix("\n").split("\n") for text in text_blocks(stream)), 1)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        raise InputError(Message("formats.no_rows"), where=stream.name, hint=_DOCUMENTS_HINT)
    every = chain([first], ((number, line) for number, line in lines if line.strip()))
    if first[1].lstrip().startswith("{"):
        return _wanted_records(_records_of(every, stream.name, None if "id" in columns else wanted), wanted, columns)
    if columns:
        raise ConfigError(Message("formats.no_columns"), where=stream.name, hint=_DOCUMENTS_HINT)
    if _DOCUMENT.match(first[1]):
        return _wanted_markup(every, wanted)
    return _wanted_cells(_tab_rows(every, stream.name, DOCUMENT_IDS, _DOCUMENTS_HINT), wanted)


def _wanted_markup(lines: Iterator[tuple[int, str]], wanted: Collection[str]) -> Iterator[tuple[str, DocumentText]]:
    """Yield the wanted documents of TREC: <DOC> with <DOCNO> and texts in other elements, of which the beginning."""
    text, size = [""], 0
    for _, line in lines:
        if _DOCUMENT.match(line):
            text, size = [], 0
        if size < _LONGEST_MARKUP:
            text.append(line[:_LONGEST_MARKUP])
            size += len(line)
        if "</doc>" in line.lower() or (size >= _LONGEST_MARKUP and text):
            whole, text, size = "\n".join(text), [], _LONGEST_MARKUP
            number = _DOCNO.search(whole)
            if number is not None and number[1] in wanted:
                yield number[1], _from_markup(whole[number.end() :])


def _from_markup(text: str) -> DocumentText:
    title = _TITLE.search(text)
    rest = text if title is None else text[: title.start()] + text[title.end() :]
    plain = [unescape(" ".join(_TAG.sub(" ", part).split())) for part in (title[2] if title else "", rest)]
    return _document({"title": plain[0], "text": plain[1]})


def _records_of(lines: Iterator[tuple[int, str]], name: str, wanted: Collection[str] | None) -> Iterator[Record]:
    """Yield the lines of JSONL; of a line that begins with the id of another document nothing more is parsed."""
    for number, line in lines:
        leading = None if wanted is None else _LEADING_ID.match(line)
        if leading is None or wanted is None or leading[1] in wanted:
            yield _parsed(line, name, number, _DOCUMENTS_HINT)


def _wanted_records(
    records: Iterator[Record], wanted: Collection[str], columns: Mapping[str, str]
) -> Iterator[tuple[str, DocumentText]]:
    named = {field: name.lower() for field, name in columns.items()}
    ids = (named["id"],) if "id" in named else DOCUMENT_IDS
    title = named.get("title", "title")
    texts = (named["text"],) if "text" in named else (*DOCUMENT_TEXTS, title)
    for record in records:
        for _, id_, text in _named([record], ids, texts, _DOCUMENTS_HINT):
            if id_ in wanted:
                by_name = {key.lower(): value for key, value in record.fields.items()}
                yield id_, _document({"title": by_name.get(title) or "", "text": text})


def _wanted_cells(rows: Iterator[tuple[str, list[str]]], wanted: Collection[str]) -> Iterator[tuple[str, DocumentText]]:
    """Yield rows of id and text, id, title and text, or (MS MARCO) id, address, title and text."""
    for _, (id_, *cells) in rows:
        if id_ in wanted:
            yield id_, _document({"title": cells[-2] if len(cells) > 1 else "", "text": cells[-1]})


def _document(value: Any) -> DocumentText:
    """Return title and text, cut; a title that the text repeats is left out of the text."""
    fields = value if isinstance(value, Mapping) else {"text": value}
    title, text = (" ".join(str(fields.get(key) or "").split()) for key in ("title", "text"))
    text = "" if text == title else text
    return DocumentText(_cut(title), _cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


@dataclass(slots=True)
class Topic:
    """One topic: its line, and its fields by name in lower case; attributes are fields too."""

    line: int
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """Its id; "" where it has none."""
        return _first(self.fields, NUMBER)

    @property
    def text(self) -> str:
        """Its title, and on the next line the sentence at length; "" where it has neither."""
        return "\n".join(text for text in (_first(self.fields, TITLE), _first(self.fields, SENTENCE)) if text)


def is_markup(text: str) -> bool:
    """Return whether a text may be topics."""
    return text.lstrip().startswith("<")


def read_topics(text: str, name: str) -> list[Topic]:
    """Return the topics of a file, which has one of the two forms."""
    topics = list(_classic(text)) if re.match(r"\s*<top\b", text, re.IGNORECASE) else _xml(text, name)
    if not topics:
        raise InputError(Message("formats.no_topics"), where=name, hint=Message("formats.topics_hint"))
    return topics


def _classic(text: str) -> Iterator[Topic]:
    """Yield topics whose tags need not be closed: a field reaches to the next tag."""
    for found in _TOPIC.finditer(text):
        topic = Topic(text.count("\n", 0, found.start()) + 1)
        tags = list(_TOPIC_TAG.finditer(found[1]))
        ends = [*(tag.start() for tag in tags[1:]), len(found[1])]
        for tag, end in zip(tags, ends, strict=True):
            value = found[1][tag.end() : end]
            if not tag[1]:
                topic.fields.setdefault(tag[2].lower(), _plain(unescape(_LABEL.sub("", value, count=1))))
        yield topic


def _plain(value: str) -> str:
    return " ".join(value.split())


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name)), "")


def _xml(text: str, name: str) -> list[Topic]:
    """Return the children of the root as topics."""

    def refuse(*_: object) -> None:
        raise InputError(Message("formats.topics_doctype"), where=f"{name}:{parser.CurrentLineNumber}")

    handler = _Handler()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: handler.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.lstrip().encode("utf-8"), True)
    except expat.ExpatError as error:
        before = text[: len(text) - len(text.lstrip())].count("\n")
        message = Message("formats.topics_not_xml", error=expat.errors.messages[error.code])
        raise InputError(
            message, where=f"{name}:{before + error.lineno}", hint=Message("formats.topics_hint")
        ) from None
    return handler.topics


class _Handler:
    """Collects the children of the root: attributes, the texts of their own children, or their own text."""

    def __init__(self) -> None:
        self.topics: list[Topic] = []
        self._open: list[str] = []
        self._pieces: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, Any], line: int) -> None:
        """Handle the beginning of an element."""
        self._open.append(tag.rpartition(":")[2].lower())
        if len(self._open) == 2:
            self.topics.append(Topic(line, {key.lower(): _plain(value) for key, value in attributes.items()}))
        if len(self._open) <= 3:
            self._pieces = []

    def characters(self, text: str) -> None:
        """Handle text, of an element or of one inside it."""
        self._pieces.append(text)

    def end(self, _tag: str) -> None:
        """Handle the end of an element."""
        name, depth = self._open.pop(), len(self._open)
        if depth not in (1, 2):
            return
        value, self._pieces = _plain("".join(self._pieces)), []
        if value:
            self.topics[-1].fields.setdefault(name if depth == 2 else "text", value)
