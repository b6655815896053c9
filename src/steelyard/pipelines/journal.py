"""The journal of a run: one line for each call that is done, from which a run that ended early goes on.

The first line names the pipeline. Each other says the step, what it left (`memory`), the parameters it changed
(`local`), which of these are prompts, or rows with the states that a router gave, and a fingerprint of the step, its
server and its parameters. When a run is resumed the steps are walked again; a call whose line is there is not made but
read, until the first that has none, or whose fingerprint is another; what stood there from that one on is kept in a
file beside.
"""

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.locking import try_lock
from steelyard.io.writing import whole_file
from steelyard.pipelines.remote import Prompt

BUSY_HINT = Message("pipelines.wait_until_ends_start_run")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a call left behind."""

    step: str
    mark: str
    memory: Mapping[str, Any] = field(default_factory=dict)
    local: Mapping[str, Any] = field(default_factory=dict)
    routed: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """The line of the journal."""
        prompts = [name for name, value in self.memory.items() if _is_prompts(value)]
        fields = {"step": self.step, "mark": self.mark, "memory": self.memory, "local": self.local, "prompts": prompts}
        if self.routed:
            fields["routed"] = self.routed
        return json.dumps(fields, ensure_ascii=False, allow_nan=False)


class Journal:
    """A file of entries, open for reading what is there and then for adding to it."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.changed: str | None = None
        self._file = file
        self._replaying = True

    def begin(self, pipeline: Path) -> None:
        """Say whose journal it is."""
        self._file.write(_head(pipeline))
        self._file.flush()
        self._replaying = False

    def skip_head(self) -> None:
        """Go to the first entry."""
        self._file.readline()

    def recall(self, step: str, mark: str) -> Entry | None:
        """The next entry if it is of this call; from the first that is not, the journal begins anew."""
        if not self._replaying:
            return None
        start = self._file.tell()
        entry = _entry(self._file.readline())
        if entry is not None and (entry.step, entry.mark) == (step, mark):
            return entry
        self._replaying = False
        if entry is not None:
            self.changed = step
            with whole_file(self.path.with_suffix(".replaced.jsonl")) as part:
                shutil.copyfile(self.path, part)
        self._file.seek(start)
        self._file.truncate()
        return None

    def add(self, entry: Entry) -> None:
        """Write an entry, so that it outlives this process."""
        try:
            line = entry.written
        except (TypeError, ValueError) as error:
            raise SystemFailure(Message("pipelines.gave_something_not_json", step=entry.step, error=error)) from None
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def finish(self, *, whole: bool) -> Path | None:
        """Write the snapshot of upstream's shape beside the journal, which a whole run no longer needs."""
        snapshot = self.path.with_suffix(".json")
        with self._file:
            self._file.seek(0)
            self._file.readline()
            empty = not self._file.read(1)
            if not empty:
                _write_snapshot(self.path, snapshot)
            if whole or empty:
                self.path.unlink()
        return None if empty else snapshot


def new_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """A journal of its own, named after the pipeline and the second; a number follows where the name is taken."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"memory_{benchmark}_{pipeline.stem}_{time.strftime('%Y%m%d_%H%M%S')}"
    for number in range(1, 1000):
        name = stem if number == 1 else f"{stem}-{number}"
        if (folder / f"{name}.json").exists():
            continue
        try:
            journal = _locked(folder / f"{name}.jsonl", "x+b")
        except FileExistsError:
            continue
        journal.begin(pipeline)
        return journal
    raise ConfigError(Message("pipelines.too_many_runs_second"), where=str(folder))


def last_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """The journal of the last run of this pipeline that did not come to its end."""
    name = re.compile(rf"memory_{re.escape(benchmark)}_{re.escape(pipeline.stem)}_\d{{8}}_\d{{6}}(-\d+)?\.jsonl")
    found = [path for path in folder.glob("*.jsonl") if name.fullmatch(path.name) and _is_of(path, pipeline)]
    if not found:
        raise ConfigError(Message("pipelines.no_run_been_left_unfinished", stem=pipeline.stem), where=str(folder))
    journal = _locked(max(found, key=os.path.getmtime), "r+b")
    journal.skip_head()
    return journal


def _is_of(path: Path, pipeline: Path) -> bool:
    with open(path, "rb") as file:
        return file.readline() == _head(pipeline)


def _head(pipeline: Path) -> bytes:
    return json.dumps({"pipeline": str(pipeline.resolve())}, ensure_ascii=False).encode() + b"\n"


def fingerprint(*parts: Any) -> str:
    """A short name for a step with its parameters."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_routed(each: Any) -> bool:
    """Whether this is a row as a router gives it, with its data and its state."""
    return isinstance(each, Mapping) and "data" in each and "state" in each


def unrouted(value: Any) -> Any:
    """What a router gave without its states."""
    return [each["data"] if is_routed(each) else each for each in value] if isinstance(value, list) else value


def _locked(path: Path, mode: str) -> Journal:
    file = open(path, mode)  # noqa: SIM115 - the journal closes it
    if not try_lock(file):
        file.close()
        raise ConfigError(Message("pipelines.another_run_writing_journal"), where=str(path), hint=BUSY_HINT)
    return Journal(path, file)


def _entry(line: bytes) -> Entry | None:
    """The entry of a line; a torn last line is none."""
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
        memory = {
            name: [Prompt(text) for text in value] if name in found["prompts"] else value
            for name, value in found["memory"].items()
        }
        return Entry(found["step"], found["mark"], memory, found["local"])
    except (ValueError, KeyError, TypeError):
        return None


def _write_snapshot(journal: Path, snapshot: Path) -> None:
    """One object per call, as upstream writes them: made line by line, so that a long run needs no memory."""
    with open(journal, "rb") as lines, whole_file(snapshot) as part, open(part, "w", encoding="utf-8") as file:
        for number, line in enumerate(_whole(lines)):
            found = json.loads(line)
            routed = found.get("routed", ())
            memory = {
                f"memory_{name}": unrouted(value) if name in routed else value
                for name, value in found["memory"].items()
            }
            shown = json.dumps({"step": found["step"], "memory": memory}, ensure_ascii=False, indent=2)
            file.write("[\n" if number == 0 else ",\n")
            file.write("\n".join(f"  {each}" for each in shown.split("\n")))
        file.write("\n]")


def _whole(lines: IO[bytes]) -> Iterator[bytes]:
    lines.readline()  # the head
    return (line for line in lines if line.endswith(b"\n"))


def _is_prompts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Prompt) for each in value)
