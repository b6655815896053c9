"""The results files of a folder; nothing outside the folder is opened, and no symbolic link is followed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import os_reason
from steelyard.i18n import Localized, Message, translations
from steelyard.io.foreign.tables import holds_scores
from steelyard.io.records import format_suffix
from steelyard.io.results import begins_with_header
from steelyard.io.results.reading import results_beside
from steelyard.io.reviews import SUFFIX as REVIEW

SUFFIXES = (".jsonl", ".json", ".csv", ".parquet", ".eval")
SNAPSHOT = "memory_"
"""How UltraRAG names the files with the variables of its runs."""
LAST_NS = (1 << 63) - 1
"""The last time that fits the index; some file systems have later ones."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A file by its path below the folder, with its time and size; `problem` if the path cannot be read."""

    path: str
    mtime_ns: int
    size: int
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class FileStamp:
    """The state of a file and the id of one of its results; it changes when the file is changed or replaced."""

    identifier: str
    size: int
    times_ns: tuple[int, int]
    inode: int

    @classmethod
    def of(cls, path: Path, identifier: str) -> "FileStamp | None":
        """Return the current state of a file; None if there is none."""
        try:
            state = path.stat()
        except OSError:
            return None
        return cls(identifier, state.st_size, (state.st_mtime_ns, state.st_ctime_ns), state.st_ino)


def problem_texts(problem: Localized, folder: Path) -> tuple[str, ...]:
    """Return a problem in every language, with paths that begin at the folder."""
    return tuple(text.replace(f"{folder}{os.sep}", "") for text in translations(problem))


def files_below(folder: Path) -> Iterator[ResultFile]:
    """Every file that may hold results or scores, by its suffix; hidden folders and links are skipped."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            yield ResultFile(
                str(here.relative_to(folder)), 0, 0, Message("formats.cannot_read", strerror=os_reason(error))
            )
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                waiting.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False) and format_suffix(entry.name) in SUFFIXES:
                yield from _result_file(entry, folder)


def within(folder: Path, path: str) -> Path | None:
    """Return the file at a path below the (resolved) folder, or None if the path leaves it or goes through a link."""
    if "\0" in path:
        return None
    place = folder / path
    try:
        inside = place.is_relative_to(folder) and place.resolve() == place
        return place if inside and place.is_file() else None
    except (OSError, RuntimeError, ValueError):  # too long, links in a circle, or no path at all
        return None


def holds_results(path: Path) -> bool:
    """Whether a file is a results file, or has scores of another tool; other files, such as reviews, are not results.

    Nor is the JSON of an evaluation of a pipeline, beside which the same scores are in a results file.
    A JSONL file whose first line is not JSON is broken: reading it gives the error. The variables of a run of UltraRAG
    (`memory_….json`) are rows to evaluate; its evaluation writes a file of results.
    """
    if (path.name.startswith(SNAPSHOT) and path.suffix == ".json") or path.name.endswith(REVIEW):
        return False
    if begins_with_header(path):
        return True
    return results_beside(path) is None and holds_scores(path)


def _result_file(entry: os.DirEntry[str], folder: Path) -> Iterator[ResultFile]:
    try:
        state = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # gone since it was listed
        return
    time = min(max(state.st_mtime_ns, -LAST_NS), LAST_NS)
    yield ResultFile(str(Path(entry.path).relative_to(folder)), time, state.st_size)
