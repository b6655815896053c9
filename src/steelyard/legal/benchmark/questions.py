"""Question files: read, checked against the schema, each question with its location."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

from steelyard import limits
from steelyard.documents.pages import SCANNED_HINT, Document
from steelyard.errors import InputError, Problem, nearest_only
from steelyard.i18n import Message
from steelyard.io.located import SourceMap, located_json
from steelyard.io.records import parse_json
from steelyard.io.streams import is_file, is_folder, read_text
from steelyard.legal.benchmark.question_checks import faults, questions_of
from steelyard.legal.model import Fault, places_of


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
    """All question files of a folder, DIR/questions/*.json or else DIR/*.json; no id may be in two of them."""
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
    """A question file with nothing but its document; all problems of a file that names none are one InputError."""
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    match parse_json(text, stream.name):
        case {"document": str(name)} if name.strip():
            return QuestionFile(stream.name, "", "", name, (), {})
    return read_question_file(path)


def question_paths(directory: str | Path) -> list[Path]:
    """The question files of a folder, sorted by name; other JSON files are left out."""
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
    """Whether a JSON file is a question file: it has the field `benchmark_type` or `questions`."""
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    content, _ = located_json(text, stream.name)
    return isinstance(content, dict) and not content.keys().isdisjoint(("benchmark_type", "questions"))


def repeated_ids(files: Iterable[QuestionFile]) -> list[Problem]:
    """A problem for each id that appears again."""
    return _repeated(
        (question.fields["id"], file.source_map.location(f"/questions/{index}/id"))
        for file in files
        for index, question in enumerate(file.questions)
    )


def find_document(file: QuestionFile, directory: str | Path, documents: str | Path | None = None) -> Path:
    """The path of the document: beside the question file, in the folder, or in its folder `documents`.

    A benchmark may come from anybody, so a name or a link must not lead out of its folder. `documents` is another
    folder that the user allows; it is searched first.
    """
    base, windows = Path(directory), PureWindowsPath(file.document)
    allowed = [base] if documents is None else [Path(documents), base]
    leads_out = Path(file.document).is_absolute() or windows.drive or windows.root or ".." in windows.parts
    if leads_out and documents is None:
        raise _outside(file)
    if "\0" in file.document:
        raise InputError(Message("formats.invalid_file_name"), where=file.names_document_at)
    folders = [*allowed[:-1], Path(file.path).parent, base, base / "documents"]
    for folder in folders:
        path = folder / file.document
        if is_file(path):
            if not any(path.resolve().is_relative_to(root.resolve()) for root in allowed):
                raise _outside(file)
            return path
    names = sorted({entry.name for folder in folders if is_folder(folder) for entry in folder.iterdir()})
    hint = nearest_only(file.document, names) or Message("formats.document_folders_hint")
    raise InputError(Message("formats.no_document", document=file.document), where=file.names_document_at, hint=hint)


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
    """A problem for each id that appears again; each id has its location."""
    first: dict[str, str] = {}
    problems = []
    for name, location in ids:
        if name in first:
            problems.append(Problem(location, Message("formats.duplicate_id_at", name=name, first=first[name])))
        first.setdefault(name, location)
    return problems


def check_pages(file: QuestionFile, document: Document) -> None:
    """Refuse questions that need a page without text, such as a scanned one."""
    blank = {page.number for page in document.pages if not page.text}
    problems = [
        Fault(f"/questions/{index}{pointer}/page", Message("formats.needs_page_without_text", page=place["page"]))
        for index, question in enumerate(file.questions)
        for pointer, place in places_of(question.fields).items()
        if place["page"] in blank
    ]
    if problems:
        raise InputError.of([fault.problem(file.source_map) for fault in problems], hint=SCANNED_HINT)
