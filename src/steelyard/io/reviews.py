"""The review file: the judgement of a person about each sampled verdict, one JSON line each.

    {"id": …, "verdict": score, "agree": true | false | null, "unsure": false, "remark": "", "reviewer": "",
     "metric": …, "result": digest, "sampling": {"seed", "by", "n", "population", "stratum", "drawn", "of"},
     "score": corrected score, "parts": {part: corrected value}, "time": …}

`agree` is null where nobody has judged yet, and where somebody was `unsure`. The last three fields are there only if
they have a value. The viewer appends its lines, with their `time`: such a line replaces earlier ones about its verdict.
"""

import errno
import io
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from steelyard import limits
from steelyard.errors import MOST_PROBLEMS, ConfigError, InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.locking import try_lock
from steelyard.io.records import Record, format_suffix, stream_records
from steelyard.io.results import dump, items_of
from steelyard.io.shapes import is_number
from steelyard.io.streams import Stream, open_stream
from steelyard.io.writing import errors_at
from steelyard.table import Table

REVIEW_HINT: Final = Message("formats.review_file_hint")
SUFFIX: Final = ".review.jsonl"
"""What the name of a review file has in the place of the suffix of its results file."""
CHOSEN: Final = "chosen"
"""The `by` of verdicts that a reviewer chose, which are no sample."""
MODEL_REVIEWER: Final = "judge:"
"""How the names of reviewers begin that are models."""
LOCK_SECONDS: Final = 10.0
_TEXTS: Final = ("id", "remark", "reviewer", "metric", "result")
_OPTIONAL: Final = ("score", "parts", "time")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an item was sampled: one of `drawn` out of the `of` items of its stratum."""

    seed: int
    by: str | None
    n: int
    population: int
    stratum: str
    drawn: int
    of: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and a reviewer's judgement of it; `where` is its location in the file.

    `score` and `parts` are what the verdict should have been, as far as the reviewer has corrected it.
    """

    id: str
    verdict: float
    agree: bool | None
    unsure: bool
    remark: str
    reviewer: str
    metric: str
    result: str
    sampling: Sampling
    where: str = ""
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    time: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether the person agreed or disagreed."""
        return self.agree is not None

    @property
    def is_by_model(self) -> bool:
        """Whether a model is the reviewer."""
        return self.reviewer.startswith(MODEL_REVIEWER)

    @property
    def is_by_person(self) -> bool:
        """Whether a person has decided or looked at it."""
        return not self.is_by_model and (self.is_decided or self.unsure)

    def line(self) -> Json:
        """As the file has it."""
        fields = asdict(self)
        absent = [key for key in _OPTIONAL if fields[key] in (None, {}, "")]
        return {key: value for key, value in fields.items() if key not in ("where", *absent)}


def digest_of(table: Table) -> str:
    """Return a digest of a result: of its settings and of its items in any order."""
    found = sha256(str(table.signature).encode())
    for line in sorted(dump(item.to_json()) for item in items_of(table)):
        found.update(line.encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:16]


def render_review_lines(judgements: Sequence[Judgement]) -> str:
    """Return the file as text."""
    return "".join(dump(judgement.line()) + "\n" for judgement in judgements)


def is_untouched(path: Path) -> bool:
    """Whether a file is a review without any judgement yet, so that it may be replaced."""
    try:
        found = read_review(path) if path.is_file() else []
    except SteelyardError:
        return False
    return bool(found) and not any(each.is_decided or each.unsure or each.remark or each.reviewer for each in found)


def read_review(path: str | Path, *, unfinished: bool = False) -> list[Judgement]:
    """Return the judgements of a file; every line must be complete, and each id unique but for lines with a time.

    The last line about a verdict counts, but that of a model never takes the place of a person's. With `unfinished`,
    the last line may be a torn one, of a viewer that was killed, and there may be no other.
    """
    with closing(open_stream(path)) as stream:
        content = stream.read_all(limits.FILE_BYTES)
    content = content[: _end(content)] if unfinished else content
    records = list(stream_records(Stream(str(path), io.BytesIO(content)), format_suffix(path)))
    if not (records or unfinished):
        raise InputError(Message("formats.empty_file"), where=str(path), hint=REVIEW_HINT)
    problems = [problem for record in records for problem in _problems(record)]
    problems += _doubled(records)
    if problems:
        raise InputError.of(problems[:MOST_PROBLEMS], hint=REVIEW_HINT)
    found: dict[str, Judgement] = {}
    for record in records:
        judgement = _judgement(record)
        if not (judgement.is_by_model and judgement.id in found and found[judgement.id].is_by_person):
            found[judgement.id] = judgement
    return list(found.values())


def append_judgement(path: Path, judgement: Judgement) -> None:
    """Add a line to a review file, which is created if missing: the whole line, or nothing; a torn one is cut off."""
    line = render_review_lines([judgement]).encode("utf-8", "replace")
    with errors_at(path), open(path, "a+b", buffering=0) as file:
        _lock(file, path)
        file.seek(0)
        content = file.read()
        size = file.truncate(_end(content))
        line = line if content[:size].endswith(b"\n") or not size else b"\n" + line
        if file.write(line) < len(line):
            file.truncate(size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())


def _end(content: bytes) -> int:
    """Return where the last line ends that is whole, or JSON."""
    whole = content.rfind(b"\n") + 1
    try:
        json.loads(content[whole:])
    except (ValueError, RecursionError):
        return whole
    return len(content)


def _lock(file: IO[bytes], path: Path) -> None:
    """Wait until nobody else appends to this file."""
    end = time.monotonic() + LOCK_SECONDS
    while not try_lock(file):
        if time.monotonic() > end:
            raise ConfigError(Message("formats.file_locked"), where=str(path))
        time.sleep(0.02)


def _judgement(record: Record) -> Judgement:
    known = {key: record.fields[key] for key in (*_TEXTS, "agree")}
    optional = {key: record.fields[key] for key in _OPTIONAL if record.fields.get(key) is not None}
    sampling = Sampling(**{key: record.fields["sampling"][key] for key in Sampling.__slots__})
    verdict, unsure = float(record.fields["verdict"]), bool(record.fields.get("unsure"))
    return Judgement(**known, **optional, verdict=verdict, unsure=unsure, sampling=sampling, where=record.where)


def _problems(record: Record) -> Iterator[Problem]:
    for key in (*_TEXTS, "verdict", "agree", "sampling", *_OPTIONAL):
        if key in _OPTIONAL and record.fields.get(key) is None:
            continue
        if key not in record.fields:
            yield Problem(record.where, Message("formats.field_missing", key=key))
        elif (wrong := _wrong(key, record.fields[key])) is not None:
            yield Problem(record.where, wrong)


def _wrong(key: str, value: Any) -> Message | None:
    if key == "agree":
        return None if value is None or isinstance(value, bool) else Message("formats.agree_not_boolean", value=value)
    if key in ("verdict", "score"):
        return None if is_number(value) else Message("formats.verdict_not_a_number", key=key, value=value)
    if key == "parts":
        is_parts = isinstance(value, dict) and all(map(is_number, value.values()))
        return None if is_parts else Message("formats.invalid_review_parts")
    if key == "sampling":
        return None if _is_sampling(value) else Message("formats.invalid_sampling")
    return None if isinstance(value, str) else Message("formats.not_text", key=key, value=value)


def _is_sampling(value: Any) -> bool:
    match value:
        case {"seed": int(), "by": str() | None, "n": int(), "population": int(), "stratum": str()}:
            drawn, of = value.get("drawn"), value.get("of")
            return isinstance(drawn, int) and isinstance(of, int) and 1 <= drawn <= of
    return False


def _doubled(records: Sequence[Record]) -> Iterator[Problem]:
    first: dict[Any, int] = {}
    for record in records:
        identifier = str(record.fields.get("id"))
        if identifier in first and not record.fields.get("time"):
            message = Message("formats.duplicate_id_on_line", identifier=identifier, first=first[identifier])
            yield Problem(record.where, message)
        first.setdefault(identifier, record.number)
