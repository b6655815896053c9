"""The journal of a judge: an append-only file with every reply, from which a result can be made again without a model.

    {"journal": 1, "judge": {…}, "hash": …, "endpoint": …, "source": {…}, "created": …}
    {"key": SHA-256, "item": …, "step": …, "repeat": 0, "text": …, "finish": …, "sent": …, "received": …, "mode": …}
    {"key": SHA-256, "item": …, "step": …, "repeat": 0, "failed": why}

The key is made of the endpoint, the model, the messages, the parameters, the schema and the number of the repeat. A
line has left the process before the reply is used. When a journal is continued, a torn last line is cut off, and what
failed is asked again.
"""

import errno
import json
import os
import threading
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self

from steelyard.errors import InputError, os_reason
from steelyard.i18n import Message
from steelyard.io.locking import try_lock
from steelyard.io.results import dump
from steelyard.io.shapes import ANYTHING, TEXT, WHOLE, Fields, ListOf, MapOf, check_shape
from steelyard.io.writing import errors_at
from steelyard.judges.replies import Recorded

VERSION: Final = 1
SUFFIX: Final = ".calls.jsonl"
"""What the name of a journal ends with, by default."""

Json = dict[str, Any]


def call_key(*identity: Any) -> str:
    """Return the key of a call: the hash of endpoint, model, messages, parameters, schema and repeat."""
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Journal:
    """The replies of a journal by their key, and the file to which new ones are appended, if it is open for that.

    `failures` are the reasons of calls that have no reply.
    """

    def __init__(self, path: Path, header: Json, found: "Found | None" = None, file: IO[bytes] | None = None) -> None:
        self.path = path
        self.header = header
        self.replies: dict[str, Recorded] = {} if found is None else found.replies
        self.failures: dict[str, str] = {} if found is None else found.failures
        self._file = file
        self._is_new = False
        self._lock = threading.Lock()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a journal, without writing to it."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(Message("formats.cannot_read", strerror=os_reason(error)), where=str(path)) from None
        found = _parsed(content, path)
        if not found.header:
            raise _not_a_journal(str(path))
        return cls(path, found.header, found)

    @classmethod
    def open(cls, path: Path, header: Json, *, resume: bool, force: bool = False) -> Self:
        """Begin a journal, or continue one; a file that exists is continued only if the user says so.

        That of another judge, address or file of rows is continued only by `force`, or if all its calls failed.
        """
        with errors_at(path), ExitStack() as opened:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                file = opened.enter_context(open(path, "a+b" if resume else "x+b", buffering=0))
            except FileExistsError:
                hint = Message("judges.journal_exists_hint")
                raise InputError(Message("formats.file_exists"), where=str(path), hint=hint) from None
            journal = cls._continued(path, header, file, force=force)
            opened.pop_all()  # closed by `close`
        return journal

    @classmethod
    def _continued(cls, path: Path, header: Json, file: IO[bytes], *, force: bool) -> Self:
        if not try_lock(file):
            raise InputError(Message("formats.file_locked"), where=str(path), hint=Message("formats.file_locked_hint"))
        file.seek(0)
        content = file.read()
        found = _parsed(content, path)
        if content and not found.header and not content.startswith(_BEGINS):
            raise _not_a_journal(f"{path}:1")
        if not force and not found.is_all_failed:
            _check_continues(found.header, header, path)
        file.truncate(found.end)
        file.seek(found.end)
        if found.end and content[found.end - 1 : found.end] != b"\n":
            file.write(b"\n")
        journal = cls(path, found.header or header, found, file)
        journal._is_new = not found.header
        if {**found.header, "created": ""} != {**header, "created": ""}:
            journal.header = {**header, **({"created": found.header["created"]} if found.header else {})}
            journal._append(journal.header)
        return journal

    def add(self, key: str, place: Json, reply: Recorded) -> None:
        """Append a reply; `place` says of which item, step and repeat it is."""
        self._append({"key": key, **place, **_fields(reply)})
        self.replies[key] = reply

    def fail(self, key: str, place: Json, why: str) -> None:
        """Append why a call has no reply."""
        self._append({"key": key, **place, "failed": why})
        self.failures[key] = why

    def _append(self, line: Json) -> None:
        content = (dump(line) + "\n").encode("utf-8", "surrogatepass")
        with self._lock, errors_at(self.path):
            if self._file is None or self._file.write(content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        """Close the file; it can be continued."""
        if self._file is not None:
            with self._lock, errors_at(self.path), self._file as file:
                self._file = None
                os.fsync(file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is not None and self._is_new and not (self.replies or self.failures):
            self.path.unlink(missing_ok=True)  # nothing was asked: the next try begins anew


def _fields(reply: Recorded) -> Json:
    names = ("text", "refusal", "finish", "sent", "received", "mode")
    return {name: value for name in names if (value := getattr(reply, name)) or name == "text"}


class Found(NamedTuple):
    """What a journal has: the last header, replies and failures by key, and where the last whole line ends."""

    header: Json
    replies: dict[str, Recorded]
    failures: dict[str, str]
    end: int

    @property
    def is_all_failed(self) -> bool:
        """Whether there are calls, and none has a reply: nothing was paid that another run could lose."""
        return bool(self.failures) and not self.replies


_BEGINS: Final = b'{"journal"'
_SOURCE: Final = Fields(
    {
        "path": TEXT,
        "digest": TEXT,
        "mapping": MapOf(TEXT),
        "system": TEXT,
        "limit": WHOLE,
        "tags": ListOf(TEXT),
    },
    frozenset(("path", "mapping", "tags")),
)
_HEADER: Final = Fields(
    {
        "journal": WHOLE,
        "judge": MapOf(ANYTHING),
        "hash": TEXT,
        "model": TEXT,
        "endpoint": TEXT,
        "source": _SOURCE,
        "metrics": ListOf(TEXT),
        "name": TEXT,
        "created": TEXT,
    },
    frozenset(("judge", "hash", "model", "endpoint", "metrics", "created")),
)
_REPLY: Final = Fields(
    {"key": TEXT, "text": TEXT, "refusal": TEXT, "finish": TEXT, "sent": WHOLE, "received": WHOLE, "mode": TEXT},
    frozenset(("key",)),
)
_FAILURE: Final = Fields({"key": TEXT, "failed": TEXT}, frozenset(("key", "failed")))


def _parsed(content: bytes, path: Path) -> Found:
    whole = content.rfind(b"\n") + 1
    found = Found({}, {}, {}, len(content) if _line(content[whole:]) else whole)
    for number, text in enumerate(content[: found.end].splitlines(), 1):
        where, line = f"{path}:{number}", _line(text)
        match line:
            case {"journal": 1}:
                check_shape(line, _HEADER, "", where)
                found = found._replace(header=line)
            case {"key": _, "failed": _} if found.header:
                check_shape(line, _FAILURE, "", where)
                found.failures[line["key"]] = line["failed"]
            case {"key": _, "text": _} if found.header:
                check_shape(line, _REPLY, "", where)
                found.replies[line["key"]] = Recorded(
                    **{name: line[name] for name in Recorded.__slots__ if name in line}
                )
            case _:
                raise _not_a_journal(where)
    return found


def _line(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _not_a_journal(where: str) -> InputError:
    return InputError(Message("judges.not_a_journal"), where=where, hint=Message("judges.journal_hint"))


def _check_continues(old: Json, new: Json, path: Path) -> None:
    """Refuse to continue a journal of another judge, address or file; those of second tiers are of any result."""
    if not old or not (old.get("source") or new.get("source")):
        return
    was, now = _about(old), _about(new)
    if was != now:
        hint = Message("judges.other_journal_hint")
        raise InputError(Message("judges.other_journal", was=was, now=now), where=str(path), hint=hint)


def _about(header: Json) -> str:
    """Return what a journal is of: the judge with its hash and model, the address, and the file of rows."""
    name, source = header["judge"].get("name", ""), header.get("source") or {}
    about = f"{name} {header['hash']} ({header['model']}), {header['endpoint']}"
    return f"{about}, {source['path']}" if source else about
