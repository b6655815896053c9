"""Question files and benchmarks: read, checked against the schema, each question with its location and its document."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from filecmp import cmp
from hashlib import sha256
from pathlib import Path, PureWindowsPath
from typing import Any, Final

from steelyard import limits
from steelyard.documents.pages import (
    DOCUMENT_KINDS,
    SCANNED_HINT,
    Document,
    DocumentSet,
    quoted_document,
    read_document,
)
from steelyard.errors import InputError, Problem, SteelyardError, UnknownName, cut, nearest_only, os_reason
from steelyard.i18n import Message
from steelyard.io.located import SourceMap, located_json
from steelyard.io.records import format_suffix, parse_json
from steelyard.io.streams import is_file, is_folder, read_text
from steelyard.legal.benchmark.checks import faults, misplaced, questions_of
from steelyard.legal.evidence.quotes import source_of
from steelyard.legal.model import Fault, Question, place_words, places_of, texts_of
from steelyard.legal.question_types import question_of, types_by_name
from steelyard.resources import bundled


def benchmark_folder() -> Path:
    """Return the folder of the bundled benchmark."""
    return bundled("benchmark")


@dataclass(frozen=True, slots=True)
class RawQuestion:
    """A question as in its file, with `type` filled in; `where` is file:line#pointer."""

    where: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file of questions about one document; `criteria` is its evaluation_criteria."""

    path: str
    type: str
    description: str
    document: str
    questions: tuple[RawQuestion, ...]
    criteria: Mapping[str, Any]
    digest: str = ""
    source_map: SourceMap = field(default_factory=lambda: SourceMap("", {}), repr=False, compare=False)

    @property
    def names_document_at(self) -> str:
        """Where the document is named, as file:line; read again if nothing but the name was."""
        known = self.source_map
        if not known.lines:
            known = located_json(read_text(self.path, limits.DOCUMENT_BYTES)[0], self.path)[1]
        return known.location("/document")


def read_question_file(path: str | Path) -> QuestionFile:
    """Read a question file; raises one InputError with all its problems."""
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    if not text.strip():
        raise InputError(Message("formats.empty_file"), where=stream.name)
    content, source_map = located_json(text, stream.name)
    _check(content, source_map)
    kind, about = content["benchmark_type"], content.get("description", "")
    at = {f"/questions/{index}": fields for index, fields in enumerate(content["questions"])}
    questions = tuple(
        RawQuestion(f"{source_map.location(pointer)}#{pointer}", {"type": kind, **fields})
        for pointer, fields in at.items()
    )
    criteria, digest = content.get("evaluation_criteria", {}), stream.digest()
    return QuestionFile(stream.name, kind, about, content["document"], questions, criteria, digest, source_map)


def read_benchmark(directory: str | Path) -> list[QuestionFile]:
    """Return all question files of a folder, DIR/questions/*.json or else DIR/*.json; no id may be in two of them."""
    files: list[QuestionFile] = []
    problems: list[Problem] = []
    for path in question_paths(directory):
        try:
            files.append(read_question_file(path))
        except InputError as error:
            problems += error.problems
    problems += repeated_ids(files)
    if problems:
        raise InputError.of(problems)
    return files


def document_name(path: str | Path) -> QuestionFile:
    """Read only the document of a question file; a file that names none is read whole, with all its problems."""
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    match parse_json(text, stream.name):
        case {"document": str(name)} if name.strip():
            return QuestionFile(stream.name, "", "", name, (), {})
    return read_question_file(path)


def question_paths(directory: str | Path) -> list[Path]:
    """Return the question files of a folder, sorted by name; other JSON files are left out."""
    folder = Path(directory)
    if not is_folder(folder):
        raise InputError(Message("cli.no_such_folder"), where=str(folder))
    inner = folder / "questions"
    paths = sorted((inner if is_folder(inner) else folder).glob("*.json"))
    for path in paths:  # the content of another file could be shown, or sent to a model
        if not path.resolve().is_relative_to(folder.resolve()):
            message, hint = Message("formats.link_outside_benchmark"), Message("formats.no_link_hint")
            raise InputError(message, where=str(path), hint=hint)
    paths = paths if is_folder(inner) else list(filter(is_question_file, paths))
    if not paths:
        hint = Message("formats.benchmark_folder_hint")
        raise InputError(Message("formats.no_questions"), where=str(folder), hint=hint)
    return paths


def is_question_file(path: str | Path) -> bool:
    """Return whether a JSON file is a question file: it has the field `benchmark_type` or `questions`."""
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    content, _ = located_json(text, stream.name)
    return isinstance(content, dict) and not content.keys().isdisjoint(("benchmark_type", "questions"))


def repeated_ids(files: Iterable[QuestionFile]) -> list[Problem]:
    """Return a problem for each id that appears again."""
    return _repeated(
        (question.fields["id"], file.source_map.location(f"/questions/{index}/id"))
        for file in files
        for index, question in enumerate(file.questions)
    )


def find_document(file: QuestionFile, directory: str | Path, documents: str | Path | None = None) -> Path:
    """Return the path of the document; an error if there is none.

    It is looked for beside the question file, in the benchmark folder and its folder `documents`, and then, by its bare
    name, in the folder above and the folders beside the benchmark. A benchmark may come from anybody, so a name or a
    link must not lead anywhere else. `documents` is another folder that the user allows; it is searched first.
    """
    base, windows = Path(directory), PureWindowsPath(file.document)
    allowed = [base] if documents is None else [Path(documents), base]
    leads_out = Path(file.document).is_absolute() or windows.drive or windows.root or ".." in windows.parts
    if leads_out and documents is None:
        raise _outside(file)
    if "\0" in file.document:
        raise InputError(Message("formats.invalid_file_name"), where=file.names_document_at)
    folders = [Path(file.path).parent, base, base / "documents"]
    near = _folders_near(base) if _is_bare_name(file.document) else []
    for searched, roots in ((allowed[:-1], allowed), (folders, allowed), (near, [base.resolve().parent])):
        if path := _only_one(file, [folder / file.document for folder in searched], roots):
            return path
    names = sorted({entry.name for folder in (*allowed, *folders) if is_folder(folder) for entry in folder.iterdir()})
    hint = nearest_only(file.document, names) or Message("formats.document_folders_hint")
    raise InputError(Message(NO_DOCUMENT, document=file.document), where=file.names_document_at, hint=hint)


def _is_bare_name(name: str) -> bool:
    """Return whether a name is that of a document without a folder; nothing else is read outside a benchmark."""
    return PureWindowsPath(name).name == name and format_suffix(name) in DOCUMENT_KINDS


def _folders_near(base: Path) -> list[Path]:
    """Return the folder above a benchmark and the folders in it, without the benchmark and hidden ones."""
    above = base.resolve().parent
    inside = sorted(folder for folder in above.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    return [above, *(folder for folder in inside if folder != base.resolve())]


def _only_one(file: QuestionFile, candidates: Sequence[Path], roots: Sequence[Path]) -> Path | None:
    """Return the first of these files that exists; two with different content are an error."""
    found = [path for path in candidates if is_file(path)]
    for path in found:
        if not any(path.resolve().is_relative_to(root.resolve()) for root in roots):
            raise _outside(file)
    other = next((path for path in found[1:] if not cmp(found[0], path, shallow=False)), None)
    if other is not None:
        message = Message("formats.two_documents", document=file.document, first=str(found[0]), second=str(other))
        raise InputError(message, where=file.names_document_at, hint=Message("formats.two_documents_hint"))
    return found[0] if found else None


def _outside(file: QuestionFile) -> InputError:
    message = Message("formats.document_outside_benchmark", name=file.document)
    return InputError(message, where=file.names_document_at, hint=Message("formats.documents_folder_hint"))


def _check(content: Any, source_map: SourceMap) -> None:
    """Raise one InputError with all problems, in the order of the file."""
    try:
        sorted_faults = sorted(faults(content), key=lambda fault: source_map.line(fault.pointer))
    except RecursionError:
        raise InputError(Message("formats.json_too_deep"), where=source_map.name) from None
    problems = [fault.problem(source_map) for fault in sorted_faults]
    problems += _repeated(
        (fields["id"], source_map.location(f"/questions/{index}/id"))
        for index, fields in questions_of(content)
        if isinstance(fields, dict) and isinstance(fields.get("id"), str)
    )
    if problems:
        raise InputError.of(problems)


def _repeated(ids: Iterable[tuple[str, str]]) -> list[Problem]:
    """Return a problem for each id that appears again; each id has its location."""
    first: dict[str, str] = {}
    problems = []
    for name, location in ids:
        if name in first:
            problems.append(Problem(location, Message("formats.duplicate_id_at", name=name, first=first[name])))
        first.setdefault(name, location)
    return problems


def check_pages(file: QuestionFile, document: Document) -> None:
    """Refuse questions that need a page without text, such as a scanned one, unless the words stand elsewhere."""
    blank = {page.number for page in document.pages if not page.text}
    source = source_of(document)
    problems = [
        Fault(f"/questions/{index}{pointer}/page", Message("formats.needs_page_without_text", page=place["page"]))
        for index, question in enumerate(file.questions)
        for pointer, place in places_of(question.fields).items()
        if place["page"] in blank and not source.pages_with(place_words(question.fields, pointer))
    ]
    if problems:
        raise InputError.of([fault.problem(file.source_map) for fault in problems], hint=SCANNED_HINT)


NO_DOCUMENT: Final = "formats.no_document"
"""The code of the error that a document is nowhere."""
BUNDLED: Final = "bundled"
OUTSIDE: Final = Message("legal.outside_viewed_folder")
NO_PATH: Final = Message("legal.invalid_path")
_LONGEST_LOCATION: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with the documents that they are about.

    `corrected` is the number of required places that stand on another page than the one that the questions name.
    """

    questions: tuple[Question, ...]
    documents: Mapping[str, Document]
    digest: str
    folder: str = ""
    corrected: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """What is said once of a run: documents without pages or without a file, and places that were corrected."""
        documents = self.documents.values()
        found = {
            "counts.documents_missing": sum(each.is_missing for each in documents),
            "counts.pages_not_checked": sum(not (each.is_paged or each.is_missing) for each in documents),
            "counts.places_corrected": self.corrected,
        }
        return {code: count for code, count in found.items() if count}

    @property
    def by_id(self) -> dict[str, Question]:
        return {question.about.id: question for question in self.questions}


def load_benchmark(
    folder: str | Path,
    types: str | Sequence[str] = (),
    limit: int | None = None,
    ids: Collection[str] | None = None,
    *,
    documents_folder: str | Path | None = None,
) -> Benchmark:
    """Load the questions of a folder, of these types or ids, with their documents; missing files are an InputError.

    Documents are inside the folder, or in `documents_folder` if it is given.
    """
    types = [types] if isinstance(types, str) else types
    for name in types:
        if name not in types_by_name():
            raise UnknownName.of(Message("words.question_type"), name, types_by_name())
    files = read_benchmark(folder)
    documents = _read_documents(files, folder, documents_folder)
    for file in files:
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
    corrected = sum(1 for file in files for _ in misplaced(file, source_of(documents[file.document])))
    name = BUNDLED if is_bundled else str(folder)
    return Benchmark(tuple(chosen), documents, _digest(chosen, documents), name, corrected)


def _read_documents(
    files: Sequence[QuestionFile], folder: str | Path, documents_folder: str | Path | None
) -> dict[str, Document]:
    """Read the documents; one that is nowhere is what the questions quote of it."""
    read: dict[str, Document] = {}
    for file in files:
        if file.document not in read:
            try:
                read[file.document] = read_document(find_document(file, folder, documents_folder))
            except InputError as error:
                if error.message.code != NO_DOCUMENT:
                    raise
                about = [
                    question.fields for each in files if each.document == file.document for question in each.questions
                ]
                read[file.document] = quoted_document(file.document, map(texts_of, about))
    others = {name: tuple(each for at, each in read.items() if at != name and not each.is_missing) for name in read}
    return {name: replace(document, beside=others[name]) for name, document in read.items()}


def _digest(chosen: Sequence[Question], documents: Mapping[str, Document]) -> str:
    """Return the digest of questions and documents that results files hold; independent of the folder."""
    digest = sha256()
    for question in chosen:
        text = repr(replace(question, about=replace(question.about, where="")))  # type: ignore[type-var]
        name = type(question).__name__
        digest.update(text.replace(name, question.digest_name or name, 1).encode())
    for name in sorted(documents):
        digest.update(documents[name].digest.encode())
    return digest.hexdigest()


def documents_of(
    benchmark: str, *, within: Path | None = None, beside: Path | None = None, also: Path | None = None
) -> DocumentSet:
    """Return the documents of the benchmark that a results file names, and problems for those that cannot be read.

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
        files = {file.document: file for file in map(document_name, question_paths(folder))}
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
    """Return the problem that an exception stands for; long names are cut and unprintable characters replaced."""
    where, message = str(path), NO_PATH
    match error:
        case SteelyardError():
            where, message = error.problems[0].where or where, error.problems[0].message
        case OSError():
            message = Message("formats.cannot_read", strerror=os_reason(error))
    arguments = {name: _printable(value) if isinstance(value, str) else value for name, value in message.args.items()}
    return Problem(_printable(cut(where, _LONGEST_LOCATION)), Message(message.code, **arguments))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
