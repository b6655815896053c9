"""`steelyard validate` and `steelyard new`: check question files and documents, and write a benchmark to start from."""

import argparse
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from steelyard import limits
from steelyard.cli.options import DOCUMENTS, JSON, LANGUAGE, Command, argument, documents_folder, flag
from steelyard.cli.output import print_json, print_text
from steelyard.cli.parser import display_width
from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS, Document, Page, read_document
from steelyard.documents.quality import quality_of
from steelyard.errors import ConfigError, InputError, Problem, SteelyardError
from steelyard.i18n import Message, Words, words_of
from steelyard.io.records import format_suffix
from steelyard.io.streams import read_text
from steelyard.io.writing import write_whole
from steelyard.legal import benchmark
from steelyard.legal.benchmark.cail import case_files, is_cail
from steelyard.legal.benchmark.checks import lint
from steelyard.legal.benchmark.places import with_right_places
from steelyard.legal.benchmark.questions import (
    QuestionFile,
    check_pages,
    find_document,
    is_question_file,
    question_paths,
    read_question_file,
    repeated_ids,
)
from steelyard.text.visible import visible_lines

Result = TypeVar("Result")

_KIND_HINT = Message("cli.input_kinds")
_DOCUMENT_HINT = Message("cli.document_kinds")
_UNITS: Final = {
    "header": "units.header",
    "question": "units.question",
    "answer": "units.answer",
    "line": "units.line",
}
"""Kinds of units of a page, by the codes of their names."""


def run_validate(arguments: argparse.Namespace) -> int:
    """Check all paths, then print the problems."""
    if arguments.dry_run and not arguments.fix:
        raise ConfigError(Message("cli.dry_run_without_fix"))
    findings = _Findings(allowed=documents_folder(arguments), fixes=arguments.fix, dry_run=arguments.dry_run)
    for path in arguments.paths:
        findings.attempt(findings.show if arguments.show else findings.check, Path(path))
    if arguments.json:
        print_json(_json(findings))
    else:
        print_text("\n".join(_lines(findings, arguments.lang)) + "\n")
    return 2 if findings.errors or (arguments.strict and findings.warnings) else 0


class _Findings:
    """The files checked so far, and their problems."""

    def __init__(self, allowed: Path | None, *, fixes: bool, dry_run: bool) -> None:
        self.allowed, self.fixes, self.dry_run = allowed, fixes, dry_run
        self.diffs: list[str] = []
        self.errors: list[SteelyardError] = []
        self.warnings: list[Problem] = []
        self.questions = 0
        self.uncounted = 0  # question files with errors
        self.files: set[Path] = set()
        self.documents: dict[Path, Document | None] = {}
        self.shown: list[Document] = []

    @property
    def read(self) -> list[Document]:
        """The documents that could be read."""
        return [document for document in self.documents.values() if document]

    def attempt(self, read: Callable[[Path], Result], path: Path) -> Result | None:
        """Return the result of `read`; None and a recorded error if it fails."""
        try:
            return read(path)
        except SteelyardError as error:
            self.errors.append(error)
            return None

    def check(self, path: Path) -> None:
        """Check a folder, a question file or a document."""
        kind = format_suffix(path)
        if path.is_file():
            self.files.add(path)
        if path.is_dir():
            self._check_questions(question_paths(path), path)
        elif kind == ".json" and is_question_file(path):
            self._check_questions([path], path.parent.parent if path.parent.name == "questions" else path.parent)
        elif path.is_file() and kind not in (*DOCUMENT_KINDS, *OLD_KINDS):
            raise InputError(Message("cli.not_checkable"), where=str(path), hint=_KIND_HINT)
        else:
            self._document(path)

    def show(self, path: Path) -> None:
        """Read a document to print its pages."""
        kind = format_suffix(path)
        is_other = path.is_file() and kind not in (*DOCUMENT_KINDS, *OLD_KINDS)
        if path.is_dir() or is_other or (kind == ".json" and is_question_file(path)):
            raise InputError(Message("cli.not_a_document"), where=str(path), hint=_DOCUMENT_HINT)
        if path.is_file():
            self.files.add(path)
        document = self._document(path)
        self.shown += [document] if document else []

    def _check_questions(self, paths: Iterable[Path], folder: Path) -> None:
        files = []
        for path in paths:
            self.files.add(path)
            file = self.attempt(read_question_file, path)
            files += [file] if file else []
            self.uncounted += file is None
        repeated = repeated_ids(files)
        if repeated:
            self.errors.append(InputError.of(repeated))
        for file in files:
            self.questions += len(file.questions)
            self.attempt(partial(self._lint, file), folder)

    def _lint(self, file: QuestionFile, folder: Path) -> None:
        path = find_document(file, folder, self.allowed)
        self.files.add(path)
        document = self._document(path)
        if document:
            file = self._fixed(file, document) if self.fixes else file
            self.warnings += lint(file, document)
            check_pages(file, document)

    def _fixed(self, file: QuestionFile, document: Document) -> QuestionFile:
        """Return a question file with right places, which is written unless this is a dry run."""
        old, _ = read_text(file.path, limits.DOCUMENT_BYTES)
        new = with_right_places(file, old, document)
        if old == new:
            return file
        before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
        self.diffs += unified_diff(before, after, fromfile=file.path, tofile=file.path)
        if self.dry_run:
            return file
        write_whole(Path(file.path), new)
        return read_question_file(file.path)

    def _document(self, path: Path) -> Document | None:
        """Return a document, read once even if several question files refer to it."""
        if path not in self.documents:
            self.documents[path] = document = self.attempt(read_document, path)
            self.warnings += document.warnings if document else ()
        return self.documents[path]


def _json(findings: _Findings) -> str:
    problems = [(problem, "error") for error in findings.errors for problem in error.problems]
    problems += [(problem, "warning") for problem in findings.warnings]
    rows = [{"where": problem.where, "message": str(problem.message), "level": level} for problem, level in problems]
    content: dict[str, Any] = {"problems": rows, "files": len(findings.files), "questions": findings.questions}
    content["documents"] = [_document_json(document, findings.shown) for document in findings.read]
    if findings.fixes:
        content["diff"] = "".join(findings.diffs)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _document_json(document: Document, shown: Sequence[Document]) -> dict[str, Any]:
    content = {"name": document.name, "is_paged": document.is_paged, **quality_of(document)._asdict()}
    if document in shown:
        content["pages"] = [_page_json(page) for page in document.pages]
    return content


def _page_json(page: Page) -> dict[str, Any]:
    return {
        "page": page.number,
        "characters": len(page.text),
        "units": [{"kind": unit.kind, "start": unit.start, "end": unit.end} for unit in page.units],
        "text": page.text,
    }


def _lines(findings: _Findings, language: str) -> Iterator[str]:
    yield from (line.removesuffix("\n") for line in findings.diffs)
    for document in findings.shown:
        for page in document.pages:
            yield from _page_lines(document.name, page, words_of(language))
    for error in findings.errors:
        yield error.text(language)
    for warning in findings.warnings:
        yield Problem(warning.where, Message("cli.warning", message=warning.message)).text(language)
    for document in findings.read:
        yield _quality_line(document).text(language)
    if findings.uncounted:
        yield words_of(language)("cli.errors_uncounted")
    yield _closing(findings).text(language)


def _quality_line(document: Document) -> Message:
    quality = quality_of(document)
    return Message(
        "cli.document_read",
        name=document.name,
        pages=Message("cli.pages", n=quality.page_count) if document.is_paged else Message("cli.without_pages"),
        characters=Message("cli.characters", n=quality.characters),
        unreadable=f"{100 * quality.unreadable:.2g}",
        blank=Message("cli.pages_without_text", n=len(quality.pages_without_text)),
        unanswered=Message("cli.questions_without_answer", n=quality.questions_without_answer),
    )


def _page_lines(name: str, page: Page, words: Words) -> Iterator[str]:
    """Yield a heading, and every unit of the page with its kind; control characters are escaped."""
    yield words("cli.page_heading", name=name, page=page.number, characters=Message("cli.characters", n=len(page.text)))
    labels = {kind: words(code) for kind, code in _UNITS.items()}
    widest = max(map(display_width, labels.values()))
    for unit in page.units:
        label = labels[unit.kind]
        text = visible_lines(page.text[unit.start : unit.end]).replace("\n", "\n" + " " * (widest + 2))
        yield f"{label}{' ' * (widest - display_width(label) + 2)}{text}"
    if not page.units:
        yield words("cli.no_text")
    yield ""


def _closing(findings: _Findings) -> Message:
    return Message(
        "cli.checked",
        files=Message("cli.files", n=len(findings.files)),
        questions=Message("cli.questions", n=findings.questions),
        errors=Message("cli.errors", n=sum(len(error.problems) for error in findings.errors)),
        warnings=Message("cli.warnings", n=len(findings.warnings)),
    )


_README = "README.md"
_NAME = "CASE"
"""The name of the folder in the README."""


def run_new(arguments: argparse.Namespace) -> int:
    """Write the folder, and print its files and the commands to run."""
    folder: Path = arguments.folder
    _check_free(folder)
    documents = documents_folder(arguments)
    if arguments.bank is not None:
        return _imported(folder, arguments.bank, documents, arguments.lang)
    if documents is not None:
        raise ConfigError(Message("cli.documents_without_from"), where=str(documents))
    source = Path(benchmark.__path__[0]) / "starter" / arguments.lang
    paths = sorted(path for path in source.rglob("*") if path.is_file())
    files = {str(path.relative_to(source)): path.read_text("utf-8") for path in paths}
    files[_README] = _filled(files[_README], folder)
    _write(folder, files)
    commands = files[_README].split("```")[1].strip()
    print_text(f"\n{Message('cli.new_commands').text(arguments.lang)}\n\n{commands}\n")
    return 0


def _imported(folder: Path, bank: Path, documents: Path | None, language: str) -> int:
    """Write the questions and documents of a bank, or of a file of CAIL's, and print what is left to look at."""
    from steelyard.legal.banks.cases import case_of

    if not bank.is_dir() and is_cail(bank):
        _write(folder, dict(case_files(bank)))
        return 0
    case = case_of(bank, documents)
    _write(folder, case.files)
    print_text("\n")
    for line in case.lines():
        print_text(f"{line.text(language)}\n")
    case_name = shlex.quote(str(folder))
    commands = f"steelyard validate {case_name}\nsteelyard bench {case_name} --system builtin:baseline"
    print_text(f"\n{Message('cli.new_commands').text(language)}\n\n{commands}\n")
    return 0


def _write(folder: Path, files: Mapping[str, Any]) -> None:
    """Write files of JSON, or text, or copies, and print their names."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case Path():
                write_whole(target, content.read_bytes())
            case dict():
                write_whole(target, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
            case _:
                write_whole(target, content)
        print_text(f"{target}\n")


def _filled(text: str, folder: Path) -> str:
    """Return the README with the name of the folder as its title, and its path in the commands."""
    titled = text.replace(f"# {_NAME}", f"# {folder.resolve().name}", 1)
    return titled.replace(_NAME, shlex.quote(str(folder)))


def _check_free(folder: Path) -> None:
    """Refuse a file, and a folder that has content."""
    if folder.exists() and not (folder.is_dir() and next(folder.iterdir(), None) is None):
        code = "cli.folder_not_empty" if folder.is_dir() else "cli.is_a_file"
        raise ConfigError(Message(code), where=str(folder), hint=Message("cli.other_folder_hint"))


COMMANDS: Final = {
    "new": Command(
        run_new,
        [
            argument("folder", metavar="CASE", type=Path, help="help.new_folder"),
            argument("--from", metavar="BANK", type=Path, dest="bank", help="help.new_from"),
            argument("--documents", type=Path, metavar="DIR", help="help.new_documents"),
            LANGUAGE,
        ],
    ),
    "validate": Command(
        run_validate,
        [
            argument("paths", metavar="PATH", nargs="+", help="help.validate_paths"),
            flag("--show", help="help.validate_show"),
            flag("--strict", help="help.strict"),
            flag("--fix", help="help.fix"),
            flag("--dry-run", help="help.fix_dry_run"),
            JSON,
            DOCUMENTS,
            LANGUAGE,
        ],
    ),
}
