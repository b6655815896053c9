"""The review file: the judgement of a person about each sampled verdict, one JSON line each.

    {"id": …, "verdict": score, "agree": true | false | null, "unsure": false, "remark": "", "reviewer": "",
     "metric": …, "result": digest, "sampling": {"seed", "by", "n", "population", "stratum", "drawn", "of"}}

`agree` is null where nobody has judged yet, and where somebody was `unsure`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from steelyard.errors import MOST_PROBLEMS, InputError, Problem, SteelyardError
from steelyard.i18n import Message
from steelyard.io.records import Record, read_records
from steelyard.io.results import dump, items_of
from steelyard.table import Table

REVIEW_HINT: Final = Message("formats.review_file_hint")
_TEXTS: Final = ("id", "remark", "reviewer", "metric", "result")

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
    """A sampled verdict and a reviewer's judgement of it; `where` is its location in the file."""

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

    @property
    def is_decided(self) -> bool:
        """Whether the person agreed or disagreed."""
        return self.agree is not None

    def line(self) -> Json:
        """As the file has it."""
        return {key: value for key, value in asdict(self).items() if key != "where"}


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


def read_review(path: str | Path) -> list[Judgement]:
    """Return the judgements of a file; every line must be complete, and each id unique."""
    records, _ = read_records(path)
    if not records:
        raise InputError(Message("formats.empty_file"), where=str(path), hint=REVIEW_HINT)
    problems = [problem for record in records for problem in _problems(record)]
    problems += _doubled(records)
    if problems:
        raise InputError.of(problems[:MOST_PROBLEMS], hint=REVIEW_HINT)
    return [_judgement(record) for record in records]


def _judgement(record: Record) -> Judgement:
    known = {key: record.fields[key] for key in (*_TEXTS, "agree")}
    sampling = Sampling(**{key: record.fields["sampling"][key] for key in Sampling.__slots__})
    verdict, unsure = float(record.fields["verdict"]), bool(record.fields.get("unsure"))
    return Judgement(**known, verdict=verdict, unsure=unsure, sampling=sampling, where=record.where)


def _problems(record: Record) -> Iterator[Problem]:
    for key in (*_TEXTS, "verdict", "agree", "sampling"):
        if key not in record.fields:
            yield Problem(record.where, Message("formats.field_missing", key=key))
        elif (wrong := _wrong(key, record.fields[key])) is not None:
            yield Problem(record.where, wrong)


def _wrong(key: str, value: Any) -> Message | None:
    if key == "agree":
        return None if value is None or isinstance(value, bool) else Message("formats.agree_not_boolean", value=value)
    if key == "verdict":
        return None if _is_number(value) else Message("formats.verdict_not_a_number", value=value)
    if key == "sampling":
        return None if _is_sampling(value) else Message("formats.invalid_sampling")
    return None if isinstance(value, str) else Message("formats.not_text", key=key, value=value)


def _is_sampling(value: Any) -> bool:
    match value:
        case {"seed": int(), "by": str() | None, "n": int(), "population": int(), "stratum": str()}:
            drawn, of = value.get("drawn"), value.get("of")
            return isinstance(drawn, int) and isinstance(of, int) and 1 <= drawn <= of
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _doubled(records: Sequence[Record]) -> Iterator[Problem]:
    first: dict[Any, int] = {}
    for record in records:
        identifier = str(record.fields.get("id"))
        if identifier in first:
            message = Message("formats.duplicate_id_on_line", identifier=identifier, first=first[identifier])
            yield Problem(record.where, message)
        first.setdefault(identifier, record.number)
