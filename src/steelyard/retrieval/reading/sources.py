"""Qrels and runs from any source: a path, a BEIR folder, a mapping, columns, a data frame, rows."""

from contextlib import closing
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io.addresses import addressed
from steelyard.io.records import LINES, format_suffix, is_record_format, stream_records
from steelyard.io.streams import STDIN, is_folder, open_stream, read_once
from steelyard.retrieval.matching import Run
from steelyard.retrieval.reading import trec
from steelyard.retrieval.reading.rankings import Qrels

QrelsSource = Any
"""A path, `{query: {document: grade}}`, columns by name, three arrays, a data frame, or rows of the three."""
RunSource = Any
"""A path, `{query: {document: score}}`, columns by name, three arrays, a data frame, or rows of the three."""

START: Final = ("start", "start_index", "start_char")
END: Final = ("end", "end_index", "end_char")
"""Names of the columns of a span of characters."""


def are_spans(path: str | Path) -> bool:
    """Return whether a file is JSONL whose first line has the start and the end of a span of characters."""
    source = addressed(path)
    if format_suffix(source) not in LINES or is_folder(source) or read_once(source):
        return False
    with closing(open_stream(source)) as stream:
        first = next(stream_records(stream, format_suffix(source)), None)
    names = {field.casefold() for field in first.fields} if first else set()
    return not names.isdisjoint(START) and not names.isdisjoint(END)


def are_questions(source: QrelsSource) -> bool:
    """Return whether a path is a folder of questions, whose required passages are the judgments."""
    if not isinstance(source, str | Path) or not is_folder(source):
        return False
    return (Path(source) / "questions").is_dir() or any(Path(source).glob("*.json"))


def qrels_from(source: QrelsSource, *, subtopics: bool = False) -> Qrels:
    """Return qrels from any source; by subtopic only from TREC files."""
    if isinstance(source, Qrels):
        return source
    path = None
    if isinstance(source, str | Path):
        path = _beir_qrels(Path(source)) if is_folder(source) else addressed(source)
        if not _has_names(path):
            return trec.read_qrels(path, subtopics=subtopics)
    from steelyard.retrieval.reading.tabular import named_qrels

    return named_qrels(source, path)


def run_from(source: RunSource) -> Run:
    """Return a run from any source."""
    if isinstance(source, Run):
        return source
    path = None
    if isinstance(source, str | Path):
        path = addressed(source)
        if is_folder(path):
            raise InputError(Message("formats.run_is_folder"), where=str(path))
        if not _has_names(path):
            return trec.read_run(path)
    from steelyard.retrieval.reading.tabular import named_run

    return named_run(source, path)


def _has_names(path: str | Path) -> bool:
    """Return whether a file has names of columns, or is a JSON object; others are TREC files, except for ranx."""
    if format_suffix(path) == ".lz4":
        message = Message("formats.type_not_read", suffix=".lz4")
        raise InputError(message, where=str(path), hint=Message("formats.lz4_hint"))
    return str(path) != STDIN and is_record_format(format_suffix(path)) and not trec.looks_like_trec(path)


def _beir_qrels(folder: Path) -> Path:
    """Return the qrels file of a BEIR folder (qrels/SPLIT.tsv): the test split, or the only one."""
    qrels = folder / "qrels" if (folder / "qrels").is_dir() else folder
    splits = {path.name.split(".")[0]: path for path in sorted(qrels.glob("*.tsv*"))}
    if not splits:
        raise InputError(
            Message("formats.no_judgments_in_folder"),
            where=str(folder),
            hint=Message("formats.beir_folder_hint"),
        )
    if len(splits) == 1:
        return next(iter(splits.values()))
    if "test" in splits:
        return splits["test"]
    names = ", ".join(str(path) for path in splits.values())
    raise InputError(
        Message("formats.no_test_split"),
        where=str(qrels),
        hint=Message("formats.one_of_hint", names=names),
    )
