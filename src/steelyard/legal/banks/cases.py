"""A benchmark made of a bank of questions: its documents, its files, and what is left to look at."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS, read_document
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.records import format_suffix, unique_names
from steelyard.legal.banks.questions import TYPES, Drafted, drafted, passages_of
from steelyard.legal.banks.reading import MARKDOWN, NO_QUESTION, TABLES, Entry, read_bank
from steelyard.legal.evidence.quotes import Source, source_of

_MOST_DOCUMENTS: Final = 100
_SHORT: Final = {name: short for short, name in TYPES.items()}
Json = dict[str, Any]


class Case(NamedTuple):
    """A benchmark in memory: contents and documents by their names in its folder; every question is among `drafts`."""

    files: dict[str, Json]
    documents: dict[str, Path]
    drafts: list[Drafted]
    problems: list[Problem]

    def lines(self) -> Iterator[Problem | Message]:
        """Yield what is left to look at, each with its place, and then the counts."""
        yield from self.problems
        for draft in self.drafts:
            label = str(draft.fields["id"]) if draft.fields else Message("banks.left_out")
            for why in draft.remarks:
                yield Problem(draft.entry.where, Message("banks.remark", label=label, why=why))
        types = Counter(draft.type for draft in self.drafts if draft.fields)
        written = types.total()
        texts = sum(draft.is_text for draft in self.drafts)
        left_out = len(self.drafts) - written
        for problem in self.problems:
            left_out += problem.message.code == NO_QUESTION
        named = ", ".join(f"{count} {kind}" for kind, count in types.items())
        questions = Message("cli.questions", n=written)
        counts = {"typed": written - texts, "texts": texts, "left_out": left_out}
        yield Message("banks.written", questions=questions, types=named, **counts)


def case_of(bank: Path, folder: Path | None = None) -> Case:
    """Return the benchmark of a bank, a file or a folder; documents stand beside it, or in the folder given."""
    case = Case({}, {}, [], [])
    entries = _entries(bank, case.problems)
    sources = _sources(bank, folder, {entry.path for entry in entries}, case.problems)
    for _, group in groupby(entries, key=lambda entry: entry.path.parent):
        near = list(group)
        chosen = [_document_of(entry, sources) for entry in near]
        usual = Counter(filter(None, chosen)) or Counter(list(sources))
        paths = [path or usual.most_common(1)[0][0] for path in chosen]
        case.drafts.extend(drafted(entry, path, sources[path]) for entry, path in zip(near, paths, strict=True))
    _fill(case)
    if not case.files:
        raise InputError.of([line for line in case.lines() if isinstance(line, Problem)])
    return case


def _entries(bank: Path, problems: list[Problem]) -> list[Entry]:
    """Return the questions of all files of a bank; a file of a folder that has none is no part of it."""
    kinds = (*MARKDOWN, *TABLES)
    paths = [path for path in sorted(bank.rglob("*")) if format_suffix(path) in kinds and path.stem != "README"]
    entries: list[Entry] = []
    for path in paths if bank.is_dir() else [bank]:
        read = list(read_bank(path))
        found = [entry for entry in read if isinstance(entry, Entry)]
        entries += found
        if found or path == bank:
            problems += [problem for problem in read if isinstance(problem, Problem)]
    if not entries:
        none = Problem(str(bank), Message("banks.no_questions"))
        raise InputError.of([none, *problems], hint=Message("banks.fields_hint"))
    return entries


def _sources(bank: Path, folder: Path | None, banks: set[Path], problems: list[Problem]) -> dict[Path, Source]:
    """Return the documents in a folder, by default that of the bank, else those beside it and in folders beside it."""
    home = bank if bank.is_dir() else bank.parent
    places = [(folder, "**/*")] if folder else [(home, "**/*"), (home.parent, "*"), (home.parent, "*/*")]
    for root, pattern in places:
        paths = [path for path in sorted(root.glob(pattern)) if _is_document(path) and path not in banks]
        if len(paths) > _MOST_DOCUMENTS and not folder:
            break
        found: dict[Path, Source] = {}
        for path in paths:
            try:
                found[path] = source_of(read_document(path))
            except SteelyardError as error:
                problems += error.problems[:1]
        if found:
            return found
    raise InputError(Message("banks.no_documents"), where=str(folder or home), hint=Message("banks.documents_hint"))


def _is_document(path: Path) -> bool:
    return format_suffix(path) in (*DOCUMENT_KINDS, *OLD_KINDS) and path.stem != "README" and path.is_file()


def _document_of(entry: Entry, sources: Mapping[Path, Source]) -> Path | None:
    """Return the document that an entry names, else the one with most of its passages: a near one, one with pages."""
    named = entry.text("document")
    ranks: dict[Path, tuple[int, bool, bool]] = {}
    for path, source in sources.items():
        if named in (path.name, path.stem):
            return path
        found = passages_of(entry, source).values()
        size = sum(len(part) for parts in found for part in parts)
        ranks[path] = (size, path.is_relative_to(entry.path.parent), source.document.is_paged)
    best = max(ranks, key=ranks.__getitem__)
    return best if ranks[best][0] else None


def _fill(case: Case) -> None:
    """Give ids to the questions, and put them into one file for each document and type."""
    written = [draft for draft in case.drafts if draft.fields]
    used = list(dict.fromkeys(draft.path for draft in written))
    stems = dict(zip(used, unique_names([path.stem for path in used]), strict=True))
    names = [_id(draft, f"{stems[draft.path]}_" if len(used) > 1 else "") for draft in written]
    for draft, name in zip(written, unique_names(names), strict=True):
        path = draft.path
        document = stems[path] + path.suffix
        case.documents[f"documents/{document}"] = path
        pages = path.with_suffix(".json")  # a result of OCR, which may have the pages of the text
        if pages.is_file():
            case.documents[f"documents/{stems[path]}.json"] = pages
        draft.fields = {"id": name, **draft.fields}
        target = f"questions/{stems[path]}_{_SHORT[draft.type]}.json"
        head: Json = {"benchmark_type": draft.type, "document": document, "questions": []}
        case.files.setdefault(target, head)["questions"].append(draft.fields)


def _id(draft: Drafted, before: str) -> str:
    """Return the id that the bank gives, else one of type and number."""
    return before + (draft.entry.text("id") or f"{_SHORT[draft.type]}_{draft.entry.number:03}")
