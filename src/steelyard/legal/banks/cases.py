"""A benchmark made of a bank of questions: its documents, its files, and what is left to look at."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.beside import ocr_files
from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS, TEXT_KINDS, read_document
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.records import format_suffix, unique_names
from steelyard.legal.banks.questions import found_in, question_fields
from steelyard.legal.banks.reading import BANK_KINDS, MARKDOWN, Entry, read_bank
from steelyard.legal.evidence.quotes import Source, source_of

_MOST_DOCUMENTS: Final = 100  # in a folder that nobody named


class Case(NamedTuple):
    """A benchmark in memory: question files and documents by their names in its folder, and what is left to look at."""

    files: dict[str, Any]
    problems: list[Problem]

    def lines(self) -> Iterator[Problem]:
        """Yield what is left to look at, and then how many questions each file has."""
        yield from self.problems
        for name, content in self.files.items():
            if isinstance(content, dict):
                yield Problem(name, Message("cli.questions", n=len(content["questions"])))


def case_of(bank: Path, folder: Path | None = None) -> Case:
    """Return the benchmark of a bank, a file or a folder; documents stand beside it, or in the folder given."""
    case = Case({}, [])
    entries = _entries(bank, case.problems)
    sources = _sources(bank, folder, case.problems)
    names = dict(zip(sources, unique_names([path.stem for path in sources]), strict=True))
    about = next(iter(sources))
    written = []
    for entry in entries:
        about = _document_of(entry, sources, about)
        remarks: list[Message] = []
        kind, fields = question_fields(entry, sources[about], remarks)
        case.problems.extend(Problem(entry.where, remark) for remark in remarks)
        if fields:
            written.append(fields)
            _add(case, kind, fields, about, names[about])
    if not written:
        raise InputError.of(case.problems)
    for fields, name in zip(written, unique_names([fields["id"] for fields in written]), strict=True):
        fields["id"] = name
    return case


def _add(case: Case, kind: str, fields: Mapping[str, Any], path: Path, name: str) -> None:
    """Put a question into the file of its document and type, and the document and its OCR file among the documents."""
    document = f"{name}{path.suffix}"
    content = {"benchmark_type": kind, "document": document, "questions": []}
    case.files.setdefault(f"questions/{name}_{kind}.json", content)["questions"].append(fields)
    pages = ocr_files(path) if format_suffix(path) in TEXT_KINDS else ()
    for copied in (path, *pages):
        case.files[f"documents/{name}{copied.name.removeprefix(path.stem)}"] = copied


def _files(paths: Iterable[Path], kinds: tuple[str, ...]) -> list[Path]:
    return [path for path in sorted(paths) if format_suffix(path) in kinds and path.stem != "README"]


def _entries(bank: Path, problems: list[Problem]) -> list[Entry]:
    """Return the questions of all files of a bank; a file of a folder that has none is no part of it."""
    entries: list[Entry] = []
    for path in _files(bank.rglob("*") if bank.is_dir() else [bank], BANK_KINDS):
        faults: list[Problem] = []
        found = list(read_bank(path, faults))
        entries += found
        if found or path == bank:
            problems += faults
    if not entries:
        none = Problem(str(bank), Message("banks.no_questions"))
        raise InputError.of([none, *problems], hint=Message("banks.fields_hint"))
    return entries


def _sources(bank: Path, folder: Path | None, problems: list[Problem]) -> dict[Path, Source]:
    """Return the documents in a folder, by default that of the bank, else those beside it and in folders beside it."""
    home = bank if bank.is_dir() else bank.parent
    paths = _documents((folder or home).rglob("*"))
    if not paths and not folder:
        paths = _documents([*home.parent.glob("*"), *home.parent.glob("*/*")])
    sources: dict[Path, Source] = {}
    for path in paths if folder or len(paths) <= _MOST_DOCUMENTS else []:
        try:
            sources[path] = source_of(read_document(path))
        except SteelyardError as error:
            problems += error.problems[:1]
    if not sources:
        none = Problem(str(folder or home), Message("banks.no_documents"))
        raise InputError.of([none, *problems], hint=Message("banks.documents_hint"))
    return sources


def _documents(place: Iterable[Path]) -> list[Path]:
    """Return the documents among files, those in JSON last; no banks, in which the passages stand, too."""
    paths = sorted(_files(place, (*DOCUMENT_KINDS, *OLD_KINDS)), key=lambda path: path.suffix == ".json")
    return [path for path in paths if format_suffix(path) not in MARKDOWN or not any(read_bank(path, []))]


def _document_of(entry: Entry, sources: Mapping[Path, Source], before: Path) -> Path:
    """Return the document that an entry names, else the one with most of its passages: a near one, the one before."""
    ranks = {}
    for path, source in sources.items():
        is_named = entry.document in (path.name, path.stem)
        found = len("".join(found_in(entry, source, [])))
        ranks[path] = (is_named, found, path.is_relative_to(entry.path.parent), path == before)
    return max(ranks, key=ranks.__getitem__)
