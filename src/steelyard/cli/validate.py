"""`steelyard validate PATH…`: what is wrong with questions and documents, each with its place."""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unicodedata import east_asian_width

from steelyard.cli.options import add_documents_option, add_language_option, documents_folder
from steelyard.i18n import Message, Words, words_of
from steelyard.text.visible import visible_lines

if TYPE_CHECKING:
    from steelyard.documents.pages import Document, Page
    from steelyard.errors import Problem, SteelyardError
    from steelyard.legal.benchmark.questions import QuestionFile

Result = TypeVar("Result")

_DESCRIPTION = """Check a benchmark folder, files of questions, or documents. Errors make a file useless and come first;
warnings say what looks wrong with questions beside their document: evidence that is not on its page, and its like.
With --show, the pages of documents are printed as they are read."""
_KIND_HINT = Message("cli.questions_json_document_json_md")
_DOCUMENT_HINT = Message("cli.document_json_pages_md_txt")
_UNITS: Final = {
    "header": "cli.unit_header",
    "question": "cli.unit_question",
    "answer": "cli.unit_answer",
    "line": "cli.unit_line",
}
"""Kinds of units of a page, by the codes of their names."""
_CHARACTERS: Final = ("cli.one_character", "cli.characters")
_FILES: Final = ("cli.one_file", "cli.files")
_QUESTIONS: Final = ("cli.one_question", "cli.questions")
_ERRORS: Final = ("cli.one_error", "cli.errors")
_WARNINGS: Final = ("cli.one_warning", "cli.warnings")
"""What is counted: the code for one, and that for any other number."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "validate",
        help="check questions and documents, with places",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a benchmark folder, a file of questions, a document")
    parser.add_argument("--show", action="store_true", help="print what is read of documents, page by page")
    parser.add_argument("--strict", action="store_true", help="warnings count as errors: exit code 2")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
    add_documents_option(parser)
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, then tell."""
    from steelyard.cli.output import print_json, print_text

    findings = _Findings(allowed=documents_folder(arguments))
    for path in arguments.paths:
        findings.attempt(findings.show if arguments.show else findings.check, Path(path))
    if arguments.json:
        print_json(_json(findings))
    else:
        print_text("\n".join(_lines(findings, arguments.lang)) + "\n")
    return 2 if findings.errors or (arguments.strict and findings.warnings) else 0


@dataclass(slots=True)
class _Findings:
    """What has been looked at so far, and what was wrong with it."""

    allowed: Path | None = None
    errors: list["SteelyardError"] = field(default_factory=list)
    warnings: list["Problem"] = field(default_factory=list)
    questions: int = 0
    files: set[Path] = field(default_factory=set)
    documents: dict[Path, "Document | None"] = field(default_factory=dict)
    shown: list["Document"] = field(default_factory=list)

    def attempt(self, read: Callable[[Path], Result], path: Path) -> Result | None:
        """What `read` gives, or nothing and an error more."""
        from steelyard.errors import SteelyardError

        try:
            return read(path)
        except SteelyardError as error:
            self.errors.append(error)
            return None

    def check(self, path: Path) -> None:
        """Look at a path, whatever it is."""
        from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS
        from steelyard.errors import InputError
        from steelyard.io.records import kind_of
        from steelyard.legal.benchmark.questions import is_question_file, question_paths

        kind = kind_of(path)
        if path.is_file():
            self.files.add(path)
        if path.is_dir():
            self._check_questions(question_paths(path), path)
        elif kind == ".json" and is_question_file(path):
            self._check_questions([path], path.parent.parent if path.parent.name == "questions" else path.parent)
        elif path.is_file() and kind not in (*DOCUMENT_KINDS, *OLD_KINDS):
            raise InputError(Message("cli.neither_file_questions_nor_document"), where=str(path), hint=_KIND_HINT)
        else:
            self._document(path)

    def show(self, path: Path) -> None:
        """Read a document whose pages are to be printed."""
        from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS
        from steelyard.errors import InputError
        from steelyard.io.records import kind_of
        from steelyard.legal.benchmark.questions import is_question_file

        kind = kind_of(path)
        is_other = path.is_file() and kind not in (*DOCUMENT_KINDS, *OLD_KINDS)
        if path.is_dir() or is_other or (kind == ".json" and is_question_file(path)):
            raise InputError(Message("cli.only_document_can_shown"), where=str(path), hint=_DOCUMENT_HINT)
        if path.is_file():
            self.files.add(path)
        document = self._document(path)
        self.shown += [document] if document else []

    def _check_questions(self, paths: Iterable[Path], folder: Path) -> None:
        from steelyard.errors import InputError
        from steelyard.legal.benchmark.questions import read_question_file, repeated_ids

        files = []
        for path in paths:
            self.files.add(path)
            file = self.attempt(read_question_file, path)
            files += [file] if file else []
        repeated = repeated_ids(files)
        if repeated:
            self.errors.append(InputError.of(repeated))
        for file in files:
            self.questions += len(file.questions)
            self.attempt(partial(self._lint, file), folder)

    def _lint(self, file: "QuestionFile", folder: Path) -> None:
        from steelyard.legal.benchmark.lint import lint
        from steelyard.legal.benchmark.questions import find_document

        path = find_document(file, folder, self.allowed)
        self.files.add(path)
        document = self._document(path)
        if document:
            self.warnings += lint(file, document)

    def _document(self, path: Path) -> "Document | None":
        """A document, read once however many files ask about it."""
        from steelyard.documents.pages import read_document

        if path not in self.documents:
            self.documents[path] = document = self.attempt(read_document, path)
            self.warnings += document.warnings if document else ()
        return self.documents[path]


def _json(findings: _Findings) -> str:
    problems = [(problem, "error") for error in findings.errors for problem in error.problems]
    problems += [(problem, "warning") for problem in findings.warnings]
    rows = [{"where": problem.where, "message": str(problem.message), "level": level} for problem, level in problems]
    output: dict[str, Any] = {"problems": rows, "files": len(findings.files), "questions": findings.questions}
    if findings.shown:
        output["documents"] = [_document_json(document) for document in findings.shown]
    return json.dumps(output, ensure_ascii=False, indent=1) + "\n"


def _document_json(document: "Document") -> dict[str, Any]:
    pages = [
        {
            "page": page.number,
            "characters": len(page.text),
            "units": [{"kind": unit.kind, "start": unit.start, "end": unit.end} for unit in page.units],
            "text": page.text,
        }
        for page in document.pages
    ]
    return {"name": document.name, "pages": pages}


def _lines(findings: _Findings, language: str) -> Iterator[str]:
    from steelyard.errors import Problem

    for document in findings.shown:
        for page in document.pages:
            yield from _page_lines(document.name, page, words_of(language))
    for error in findings.errors:
        yield error.text(language)
    for warning in findings.warnings:
        yield Problem(warning.where, Message("cli.warning", message=warning.message)).text(language)
    yield _closing(findings).text(language)


def _page_lines(name: str, page: "Page", words: Words) -> Iterator[str]:
    """A heading, and every unit of the page with its kind; control characters do not reach the terminal."""
    yield words("cli.page_heading", name=name, page=page.number, characters=_counted(len(page.text), _CHARACTERS))
    labels = {kind: words(code) for kind, code in _UNITS.items()}
    widest = max(map(_width, labels.values()))
    for unit in page.units:
        label = labels[unit.kind]
        text = visible_lines(page.text[unit.start : unit.end]).replace("\n", "\n" + " " * (widest + 2))
        yield f"{label}{' ' * (widest - _width(label) + 2)}{text}"
    if not page.units:
        yield words("cli.no_text")
    yield ""


def _width(text: str) -> int:
    """The columns of the terminal that a text takes: two for a Chinese character."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _closing(findings: _Findings) -> Message:
    return Message(
        "cli.checked",
        files=_counted(len(findings.files), _FILES),
        questions=_counted(findings.questions, _QUESTIONS),
        errors=_counted(sum(len(error.problems) for error in findings.errors), _ERRORS),
        warnings=_counted(len(findings.warnings), _WARNINGS),
    )


def _counted(number: int, codes: tuple[str, str]) -> Message:
    one, several = codes
    return Message(one) if number == 1 else Message(several, n=number)
