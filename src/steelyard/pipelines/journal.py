"""The journal of a run: one line per completed call, from which an interrupted run can be resumed.

The first line names the pipeline. Every other line holds the step, the variables it set (`memory`), the parameters it
changed (`local`), which of them are prompts or routed rows, and a fingerprint of the step, its server and its
parameters. A resumed run goes through the steps again and takes the outputs of each call from its line, up to the first
call without a line or with another fingerprint. The lines from that call on are copied to another file.
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
from steelyard.pipelines.client import PromptText

LOCKED_HINT = Message("pipelines.journal_locked_hint")


@dataclass(frozen=True, slots=True)
class Entry:
    """The outputs of a call."""

    step: str
    mark: str
    memory: Mapping[str, Any] = field(default_factory=dict)
    local: Mapping[str, Any] = field(default_factory=dict)
    routed: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The entry as a line of the journal."""
        prompts = [name for name, value in self.memory.items() if _is_prompts(value)]
        fields = {"step": self.step, "mark": self.mark, "memory": self.memory, "local": self.local, "prompts": prompts}
        if self.routed:
            fields["routed"] = self.routed
        return json.dumps(fields, ensure_ascii=False, allow_nan=False)


class Journal:
    """A file of entries: existing ones are replayed, then new ones are appended."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.changed: str | None = None
        self._file = file
        self._replaying = True

    def begin(self, pipeline: Path) -> None:
        """Write the first line, which names the pipeline."""
        self._file.write(_head(pipeline))
        self._file.flush()
        self._replaying = False

    def skip_head(self) -> None:
        """Skip the first line."""
        self._file.readline()

    def replay(self, step: str, mark: str) -> Entry | None:
        """The next entry if it is of this call; otherwise None, and the rest of the journal is discarded."""
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
        """Append an entry and flush it."""
        try:
            line = entry.line
        except (TypeError, ValueError) as error:
            raise SystemFailure(Message("pipelines.result_not_json", name=entry.step, error=error)) from None
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def finish(self, *, complete: bool) -> Path | None:
        """Write the snapshot in UltraRAG's format; delete the journal if the run is complete."""
        snapshot = self.path.with_suffix(".json")
        with self._file:
            self._file.seek(0)
            self._file.readline()
            empty = not self._file.read(1)
            if not empty:
                _write_snapshot(self.path, snapshot)
            if complete or empty:
                self.path.unlink()
        return None if empty else snapshot


def new_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """A new journal, named after the pipeline and the time, with a number if the name is taken."""
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
    raise ConfigError(Message("pipelines.too_many_journals"), where=str(folder))


def last_journal(folder: Path, benchmark: str, pipeline: Path) -> Journal:
    """The journal of the last unfinished run of this pipeline."""
    name = re.compile(rf"memory_{re.escape(benchmark)}_{re.escape(pipeline.stem)}_\d{{8}}_\d{{6}}(-\d+)?\.jsonl")
    journals = [path for path in folder.glob("*.jsonl") if name.fullmatch(path.name) and _is_of(path, pipeline)]
    if not journals:
        raise ConfigError(Message("pipelines.nothing_to_resume", name=pipeline.stem), where=str(folder))
    journal = _locked(max(journals, key=os.path.getmtime), "r+b")
    journal.skip_head()
    return journal


def _is_of(path: Path, pipeline: Path) -> bool:
    with open(path, "rb") as file:
        return file.readline() == _head(pipeline)


def _head(pipeline: Path) -> bytes:
    return json.dumps({"pipeline": str(pipeline.resolve())}, ensure_ascii=False).encode() + b"\n"


def fingerprint(*parts: Any) -> str:
    """A short hash of a step with its parameters."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_routed(row: Any) -> bool:
    """Whether a row is routed, with its data and its state."""
    return isinstance(row, Mapping) and "data" in row and "state" in row


def unrouted(value: Any) -> Any:
    """The output of a router without the states."""
    return [row["data"] if is_routed(row) else row for row in value] if isinstance(value, list) else value


def _locked(path: Path, mode: str) -> Journal:
    file = open(path, mode)  # noqa: SIM115 - the journal closes it
    if not try_lock(file):
        file.close()
        raise ConfigError(Message("pipelines.journal_locked"), where=str(path), hint=LOCKED_HINT)
    return Journal(path, file)


def _entry(line: bytes) -> Entry | None:
    """The entry of a line; None if the line is incomplete."""
    if not line.endswith(b"\n"):
        return None
    try:
        fields = json.loads(line)
        memory = {
            name: [PromptText(text) for text in value] if name in fields["prompts"] else value
            for name, value in fields["memory"].items()
        }
        return Entry(fields["step"], fields["mark"], memory, fields["local"])
    except (ValueError, KeyError, TypeError):
        return None


def _write_snapshot(journal: Path, snapshot: Path) -> None:
    """Write one object per call, as UltraRAG does, line by line, so that memory does not grow with the run."""
    with open(journal, "rb") as lines, whole_file(snapshot) as part, open(part, "w", encoding="utf-8") as file:
        for number, line in enumerate(_complete_lines(lines)):
            fields = json.loads(line)
            routed = fields.get("routed", ())
            memory = {
                f"memory_{name}": unrouted(value) if name in routed else value
                for name, value in fields["memory"].items()
            }
            text = json.dumps({"step": fields["step"], "memory": memory}, ensure_ascii=False, indent=2)
            file.write("[\n" if number == 0 else ",\n")
            file.write("\n".join(f"  {part}" for part in text.split("\n")))
        file.write("\n]")


def _complete_lines(lines: IO[bytes]) -> Iterator[bytes]:
    lines.readline()  # names the pipeline
    return (line for line in lines if line.endswith(b"\n"))


def _is_prompts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, PromptText) for text in value)
