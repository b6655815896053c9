"""A benchmark made of a bank of questions: its documents, its files, and what is left to look at."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import DOCUMENT_KINDS, OLD_KINDS, read_document
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.records import format_suffix, unique_names
from steelyard.legal.banks.questions import TYPES, Drafted, drafted, passages_of
from steelyard.legal.banks.reading import MARKDOWN, TABLES, Entry, read_bank
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
        questions = Message("cli.questions", n=written)
        named = ", ".join(f"{count} {kind}" for kind, count in types.items())
        counts = {"typed": written - texts, "texts": texts, "left_out": len(self.drafts) - written}
        yield Message("banks.written", questions=questions, types=named, **counts)


def case_of(bank: Path, folder: Path | None = None) -> Case:
    """Return the benchmark of a bank, a file or a folder; documents stand beside it, or in the folder given."""
    case = Case({}, {}, [], [])
    entries = _entries(bank, case.problems)
    sources = _sources(bank, folder, case.problems)
    path = next(iter(sources))
    for entry in entries:  # a question without a passage is about the same document as the one before
        path = _document_of(entry, sources) or path
        case.drafts.append(drafted(entry, path, sources[path]))
    _fill(case)
    if not case.files:
        raise InputError.of([line for line in case.lines() if isinstance(line, Problem)])
    return case


def _entries(bank: Path, problems: list[Problem]) -> list[Entry]:
    """Return the questions of all files of a bank; a file of a folder that has none is no part of it."""
    paths = sorted(bank.rglob("*")) if bank.is_dir() else [bank]
    entries: list[Entry] = []
    for path in paths:
        is_bank = format_suffix(path) in (*MARKDOWN, *TABLES) and path.stem != "README"
        read = list(read_bank(path)) if is_bank or path == bank else []
        found = [entry for entry in read if isinstance(entry, Entry)]
        entries += found
        if found or path == bank:
            problems += [problem for problem in read if isinstance(problem, Problem)]
    if not entries:
        none = Problem(str(bank), Message("banks.no_questions"))
        raise InputError.of([none, *problems], hint=Message("banks.fields_hint"))
    return entries


def _sources(bank: Path, folder: Path | None, problems: list[Problem]) -> dict[Path, Source]:
    """Return the documents in a folder, by default that of the bank, else those beside it and in folders beside it."""
    home = bank if bank.is_dir() else bank.parent
    places = [(folder, "**/*")] if folder else [(home, "**/*"), (home.parent, "*"), (home.parent, "*/*")]
    found: dict[Path, Source] = {}
    for root, pattern in places:
        paths = [path for path in sorted(root.glob(pattern)) if _is_document(path)]
        if found or (len(paths) > _MOST_DOCUMENTS and not folder):
            break
        for path in paths:
            try:
                if not _has_questions(path):
                    found[path] = source_of(read_document(path))
            except SteelyardError as error:
                problems += error.problems[:1]
    if not found:
        hint = Message("banks.documents_hint")
        raise InputError(Message("banks.no_documents"), where=str(folder or home), hint=hint)
    return found


def _is_document(path: Path) -> bool:
    kinds = (*DOCUMENT_KINDS, *OLD_KINDS)
    return format_suffix(path) in kinds and path.stem != "README" and path.is_file()


def _has_questions(path: Path) -> bool:
    """Return whether a file is a bank: its passages stand in it, too."""
    return format_suffix(path) in MARKDOWN and any(isinstance(each, Entry) for each in read_bank(path))


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
