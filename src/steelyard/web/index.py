"""An index of a folder of results in SQLite: only files that changed are read again.

The index is a copy of data in the files and may be deleted at any time. One that is damaged or of another version is
replaced; if it cannot be written, it is kept in memory. Paths in it are not trusted: see `folder.within`.
"""

import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from steelyard import __version__, limits
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.i18n import LANGUAGES, Localized, Message
from steelyard.io.foreign.tables import KIND as SCORES
from steelyard.io.results import load_all
from steelyard.io.results.lines import summary_json
from steelyard.progress import ProgressCallback, no_progress
from steelyard.reports.content import main_of
from steelyard.stats.pairing import OWN_SETTINGS
from steelyard.table import Signature, Table
from steelyard.web.folder import FileStamp, ResultFile, files_below, holds_results, problem_texts, within

NAME = ".steelyard-index.sqlite"
LONGEST = 300
"""The most characters of a name that are listed."""

_VERSION = re.compile(r"[-_. ]+(?:v\d[\d.]*|\d{4}-?\d\d-?\d\d[\d.:T _-]*)$")
"""The end of a name that tells runs of one system apart: a version or a date."""
LATEST = 253_370_000_000.0
"""Later times (after the year 9998) are shown as this one: not every calendar has them."""

UNREAD = -1
"""The time of a file that could not be read."""
UNREADABLE = "formats.cannot_read"

_MADE_BY = f"6 {__version__} {' '.join(LANGUAGES)}"
"""The layout of the tables, the version that computed the numbers in them, and the languages of their texts."""
_TABLES = (
    "CREATE TABLE made_by (version TEXT)",
    "CREATE TABLE files (path BLOB PRIMARY KEY, mtime_ns INTEGER, size INTEGER, problem TEXT) WITHOUT ROWID",
    "CREATE TABLE results (id TEXT PRIMARY KEY, path BLOB, place INTEGER, kind TEXT, name TEXT, signature TEXT,"
    " items INTEGER, errors INTEGER, unfinished INTEGER, main TEXT, metrics TEXT, created REAL) WITHOUT ROWID",
)
Found = TypeVar("Found")
_LISTED = (
    "SELECT results.*, files.mtime_ns, count(*) OVER (PARTITION BY path) = 1 FROM results JOIN files USING (path)"
    " ORDER BY coalesce(created, files.mtime_ns / 1e9) DESC, files.mtime_ns DESC, path, place"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One result as it is listed; `metrics` are as in `Summary.as_dict`, and `main` is the metric of the list.

    `series` is the same for runs of one system and kind, of one tool, over one set of questions with the same settings;
    see `_system`. `time` is that of the header, or that of the file (`file_time`) if the header has none. A result is
    `alone` if its file has no other. `changed` is when its file was.
    """

    id: str
    path: str
    kind: str
    name: str
    signature: str
    items: int
    errors: int
    unfinished: bool
    main: str
    metrics: dict[str, dict[str, Any]]
    time: float
    series: str
    file_time: bool = False
    alone: bool = False
    changed: float = 0.0

    @property
    def system(self) -> str:
        """What was evaluated; "" if only the set of questions is known."""
        return _system(self.kind, self.name, Signature.parse(self.signature), alone=self.alone)

    @property
    def settings(self) -> list[tuple[str, str]]:
        """What the runs of its series have in common: the system, and the settings."""
        return _shared(self.kind, self.name, self.signature, alone=self.alone)


@dataclass(frozen=True, slots=True)
class Listing:
    """The results of a folder, the latest first; files that cannot be read; how many files hold no results.

    The error of a broken file is a text in every language.
    """

    entries: list[Entry]
    broken: Mapping[str, tuple[str, ...]]
    others: int


class Index:
    """The results of a folder; several threads may use it, one at a time reads changed files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._database = _open(self.folder / NAME)
        self._lock = threading.Lock()
        self._changes = 0
        self._refreshing = threading.Lock()

    def refresh(self, progress: ProgressCallback = no_progress) -> None:
        """Read new and changed files, forget deleted ones; returns at once if another thread is doing so."""
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            self._refresh(progress)
        except sqlite3.Error:  # a full disk, a locked or damaged file: the index is only a copy
            self._start_over()
            self._refresh(progress)
        finally:
            self._refreshing.release()

    def listing(self) -> Listing:
        """Return the contents of the index; one with values that this program does not write is replaced, in memory."""
        return self._recovered(self._listing)

    def revision(self) -> tuple[int, int]:
        """Return a value that changes whenever the index does, also if another viewer of the same folder changes it."""
        return self._recovered(lambda: (self._changes, self._query("PRAGMA data_version")[0][0]))

    def stamp(self, identifier: str) -> FileStamp | None:
        """Return the state of the file with the result of this id; None if there is none."""
        path = self.located(identifier)[0]
        return None if path is None else FileStamp.of(path, identifier)

    def _listing(self) -> Listing:
        entries = [_entry(row) for row in self._query(_LISTED)]
        files = self._query("SELECT path, problem FROM files WHERE problem IS NOT NULL ORDER BY path")
        broken = {_shown(path): _texts(problem) for path, problem in files if problem}
        return Listing(entries, broken, others=len(files) - len(broken))

    def open(self, identifier: str) -> Table | None:
        """Return the result with this id, read from its file; None if there is none."""
        path, place = self.located(identifier)
        if path is None:
            return None
        tables = load_all(path)
        return tables[place] if place < len(tables) else None

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def located(self, identifier: str) -> tuple[Path | None, int]:
        """Return the file with a result, and the index of the result in it."""
        query = "SELECT path, place FROM results WHERE id = ?"
        match self._recovered(lambda: self._query(query, identifier)):
            case [(bytes(path), int(place)), *_] if place >= 0:
                return within(self.folder, os.fsdecode(path)), place
            case _:
                return None, 0

    def _recovered(self, look_up: Callable[[], Found]) -> Found:
        """Return what is found in the index; if it cannot be read, in a new one in memory."""
        try:
            return look_up()
        except (sqlite3.Error, TypeError, ValueError, LookupError, AttributeError, RecursionError):
            with self._refreshing:
                self._start_over()
                self._refresh(no_progress)
            return look_up()

    def _start_over(self) -> None:
        """Replace the index by an empty one in memory."""
        with self._lock:
            self._database.close()
            self._database = _in_memory()
            self._changes += 1

    def _refresh(self, progress: ProgressCallback) -> None:
        known = {path: row for path, *row in self._query("SELECT path, mtime_ns, size, problem FROM files")}
        files = {os.fsencode(file.path): file for file in files_below(self.folder)}
        for path in known.keys() - files.keys():
            self._replace(path, None, [])
        unknown = [None] * 3
        changed = [
            (path, file) for path, file in files.items() if known.get(path, unknown)[:2] != [file.mtime_ns, file.size]
        ]
        for done, (path, file) in enumerate(changed):
            progress(done, len(changed))
            row, results = _read(self.folder, file)
            if [*row[1:]] != known.get(path):  # it still cannot be read
                self._replace(path, row, results)

    def _replace(self, path: bytes, file: tuple[Any, ...] | None, results: Iterable[tuple[Any, ...]]) -> None:
        """Replace the rows of a file in one transaction."""
        with self._lock, self._database:
            self._changes += 1
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("DELETE FROM files WHERE path = ?", (path,))
            self._database.execute("DELETE FROM results WHERE path = ?", (path,))
            if file is not None:
                self._database.execute("INSERT INTO files VALUES (?, ?, ?, ?)", file)
            self._database.executemany("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", results)

    def _query(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(query, values).fetchall()


def _read(folder: Path, file: ResultFile) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Return the row of a file and those of its results.

    Its problem is None if it is valid, "" if it holds no results. A file that the system does not let us read has no
    time, so that it is read again.
    """
    path = os.fsencode(file.path)
    stamp = (path, file.mtime_ns, file.size)
    place = folder / file.path
    try:
        if file.problem:
            return (*stamp, _stored(file.problem, folder)), []
        size = Message("words.bytes_of_file")
        limits.VIEW_RESULT_BYTES.check(file.size, size, error=InputError, where=file.path)
        if not holds_results(place):
            return (*stamp, ""), []
        return (*stamp, None), [_row(path, number, table) for number, table in enumerate(load_all(place))]
    except SteelyardError as error:
        time = UNREAD if error.message.code == UNREADABLE else file.mtime_ns
        return (path, time, file.size, _stored(error, folder)), []
    except Exception as error:  # one bad file must not hide the others
        stamp = (path, UNREAD, file.size) if isinstance(error, OSError) else stamp
        why = Message("web.not_a_result", error=f"{type(error).__name__}: {error}")
        return (*stamp, _stored(Problem(file.path, why), folder)), []


def _stored(problem: Localized, folder: Path) -> str:
    """Return a problem as the index keeps it: its texts, none of them very long."""
    return json.dumps([_storable(text, longest=2000) for text in problem_texts(problem, folder)])


def _texts(stored: str) -> tuple[str, ...]:
    """Return the texts of a stored problem; raises ValueError for anything that this program does not write."""
    texts = json.loads(stored)
    if not isinstance(texts, list) or len(texts) != len(LANGUAGES):
        raise ValueError("not the texts of a problem")
    return tuple(map(str, texts))


def _row(path: bytes, place: int, table: Table) -> tuple[Any, ...]:
    summary = summary_json(table)
    means = [metric for metric in table.metrics if metric not in table.sums]
    main = main_of(table.kind, means, table.main) if means else ""
    metrics = {_storable(metric): values for metric, values in summary["metrics"].items()}
    return (
        _digest([path.hex(), place]),
        path,
        place,
        _storable(table.kind),
        _storable(table.name),
        _storable(str(table.signature), longest=10_000),
        len(table),
        summary["errors"],
        not table.complete,
        _storable(main),
        json.dumps(metrics),
        _seconds(table.created or ""),
    )


def _seconds(created: str) -> float | None:
    """Return the time of a header as seconds; None for no time, or text that is none."""
    try:
        moment = datetime.fromisoformat(created)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _entry(row: tuple[Any, ...]) -> Entry:
    identifier, path, _, kind, name, signature, items, errors, unfinished, main, metrics, created, mtime_ns, alone = row
    return Entry(
        identifier,
        _shown(path),
        kind,
        name,
        signature,
        items,
        errors,
        bool(unfinished),
        main,
        json.loads(metrics),
        min(max(mtime_ns / 1e9 if created is None else float(created), 0.0), LATEST),
        series=_digest([kind, *_shared(kind, name, signature, alone=bool(alone))]),
        file_time=created is None,
        alone=bool(alone),
        changed=mtime_ns / 1e9,
    )


def _shared(kind: str, name: str, signature: str, *, alone: bool) -> list[tuple[str, str]]:
    """Return the system, the format of its file, and the settings that do not belong to one run only."""
    settings = Signature.parse(signature)
    own = [("system", _system(kind, name, settings, alone=alone)), ("format", settings.get("format") or "")]
    others = [pair for pair in settings.settings if pair[0] not in (*OWN_SETTINGS, "kind")]
    return [*(pair for pair in own if pair[1]), *others]


def _system(kind: str, name: str, settings: Signature, *, alone: bool) -> str:
    """Return what was evaluated: the suite or the system of the settings, or the name without its version or date.

    The name tells the results of one file apart; that of a result alone in its file is the name of the file, and says
    nothing of the system. Of scores of other tools nothing says that two files have the same questions, so that their
    whole name counts.
    """
    named = settings.get("suite") or settings.get("system")
    if named or kind == SCORES:
        return named or name
    return "" if alone else _VERSION.sub("", name) or name


def _open(path: Path) -> sqlite3.Connection:
    if path.is_symlink():  # its target would be overwritten
        return _in_memory()
    try:
        return _prepared(path)
    except sqlite3.OperationalError:  # not writable, or locked
        return _in_memory()
    except sqlite3.DatabaseError:  # not a database, or damaged
        return _made_anew(path)


def _made_anew(path: Path) -> sqlite3.Connection:
    try:
        for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        return _prepared(path)
    except (OSError, sqlite3.Error):
        return _in_memory()


def _in_memory() -> sqlite3.Connection:
    return _prepared(":memory:")


def _prepared(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        for setting in ("trusted_schema = OFF", "journal_mode = WAL", "synchronous = NORMAL"):
            database.execute(f"PRAGMA {setting}")
        if database.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
            raise sqlite3.DatabaseError("damaged")
        _lay_out(database)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _lay_out(database: sqlite3.Connection) -> None:
    """Create the tables, unless exactly these exist and are of this version."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        present = {text for (text,) in database.execute("SELECT sql FROM sqlite_master")}
        ours = present == set(_TABLES)
        if ours and database.execute("SELECT version FROM made_by").fetchall() == [(_MADE_BY,)]:
            return
        if present:  # of another version, or with other views and triggers
            raise sqlite3.DatabaseError("another layout")
        for table in _TABLES:
            database.execute(table)
        database.execute("INSERT INTO made_by VALUES (?)", (_MADE_BY,))


def _digest(parts: object) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _storable(text: str, *, longest: int = LONGEST) -> str:
    """Text that SQLite accepts, cut to a length: a lone surrogate becomes ?."""
    return text[:longest].encode("utf-8", "replace").decode()


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")
