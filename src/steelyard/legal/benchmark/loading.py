"""Loading a benchmark: its questions, and the documents that they are about."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from steelyard.documents.pages import Document, read_document
from steelyard.documents.sets import DocumentSet
from steelyard.errors import InputError, Problem, SteelyardError, UnknownName, os_reason
from steelyard.i18n import Message
from steelyard.legal.benchmark import questions
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.benchmark.questions import QuestionFile, check_pages, find_document, question_paths
from steelyard.legal.model import Question
from steelyard.legal.question_types import TYPES, question_of

BUNDLED: Final = "bundled"
OUTSIDE: Final = Message("legal.outside_viewed_folder")
NO_PATH: Final = Message("legal.invalid_path")
_LONGEST_LOCATION: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with the documents that they are about."""

    questions: tuple[Question, ...]
    documents: Mapping[str, Document]
    digest: str
    folder: str = ""

    @property
    def by_id(self) -> dict[str, Question]:
        """The questions by their ids."""
        return {question.about.id: question for question in self.questions}


def load_benchmark(
    folder: str | Path,
    types: str | Sequence[str] = (),
    limit: int | None = None,
    ids: Collection[str] | None = None,
    *,
    documents_folder: str | Path | None = None,
) -> Benchmark:
    """The questions of a folder, of these types or ids, with their documents; raises InputError for missing files.

    Documents are inside the folder, or in `documents_folder` if it is given.
    """
    types = [types] if isinstance(types, str) else types
    for name in types:
        if name not in TYPES:
            raise UnknownName.of(Message("words.question_type"), name, TYPES)
    files = questions.read_benchmark(folder)
    documents: dict[str, Document] = {}
    for file in files:
        if file.document not in documents:
            documents[file.document] = read_document(find_document(file, folder, documents_folder))
        check_pages(file, documents[file.document])
    chosen = [
        question_of(raw.fields, document=file.document, criteria=file.criteria, where=raw.where)
        for file in files
        for raw in file.questions
        if (not types or raw.fields["type"] in types) and (ids is None or str(raw.fields["id"]) in ids)
    ][:limit]
    if not chosen:
        raise InputError(Message("legal.no_question_of_type", names=" or ".join(types)), where=str(folder))
    is_bundled = Path(folder).resolve() == benchmark_folder().resolve()
    return Benchmark(tuple(chosen), documents, _digest(chosen, documents), BUNDLED if is_bundled else str(folder))


def _digest(chosen: Sequence[Question], documents: Mapping[str, Document]) -> str:
    """The digest of questions and documents that results files hold; independent of the folder."""
    digest = sha256()
    for question in chosen:
        text = repr(replace(question, about=replace(question.about, where="")))  # type: ignore[type-var]
        digest.update(text.replace(type(question).__name__, question.digest_name, 1).encode())
    for name in sorted(documents):
        digest.update(documents[name].digest.encode())
    return digest.hexdigest()


def documents_of(
    benchmark: str, *, within: Path | None = None, beside: Path | None = None, also: Path | None = None
) -> DocumentSet:
    """The documents of the benchmark that a results file names, and problems for those that cannot be read.

    A relative folder is looked for in the current folder and then in `beside`, the folder of the results file; an
    absolute one must be in `beside`, because a results file may name any folder of the machine. Without `beside`, the
    user has named the benchmark. With `within`, only files in that folder, or bundled ones, are read. Documents are
    inside the benchmark, or in the folder `also`, if the user names one.
    """
    if not benchmark:
        return DocumentSet()
    if benchmark == BUNDLED:
        return _documents_in(benchmark_folder(), None, also)
    named, missing = Path(benchmark), list[Problem]()
    here = beside if beside is None or named.is_absolute() else Path()
    for folder, around in {named: here, (beside or Path()) / named: beside}.items():
        documents = _documents_in(folder, within or around, also)
        if documents.found:
            return documents
        missing += documents.missing
    return DocumentSet(missing=tuple(missing))


def _documents_in(folder: Path, within: Path | None, also: Path | None) -> DocumentSet:
    try:
        for path in (folder, *folder.glob("*.json"), *folder.glob("questions/*.json")):  # may be links
            _check_within(path, within)
        files = {file.document: file for file in map(questions.document_name, question_paths(folder))}
    except (SteelyardError, ValueError, OSError) as error:
        return DocumentSet(missing=(_problem(error, folder),))
    return DocumentSet.of(_document_of(file, folder, within, also) for file in files.values())


def _document_of(file: QuestionFile, folder: Path, within: Path | None, also: Path | None) -> DocumentSet:
    try:
        path = find_document(file, folder, also)
        if also is None or not path.resolve().is_relative_to(also.resolve()):
            _check_within(path, within)
        return DocumentSet({file.document: read_document(path)})
    except (SteelyardError, ValueError, OSError) as error:
        return DocumentSet(missing=(_problem(error, folder / file.document),))


def _check_within(path: Path, folder: Path | None) -> None:
    if folder is not None and not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(OUTSIDE, where=str(path))


def _problem(error: Exception, path: Path) -> Problem:
    """The problem that an exception stands for; long names are cut and unprintable characters replaced."""
    where, message = str(path), NO_PATH
    match error:
        case SteelyardError():
            where, message = error.problems[0].where or where, error.problems[0].message
        case OSError():
            message = Message("formats.cannot_read", strerror=os_reason(error))
    shown = where if len(where) <= _LONGEST_LOCATION else f"{where[:_LONGEST_LOCATION]}…"
    arguments = {name: _printable(value) if isinstance(value, str) else value for name, value in message.args.items()}
    return Problem(_printable(shown), Message(message.code, **arguments))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
