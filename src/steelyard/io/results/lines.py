"""The three kinds of lines of a results file as values: header, item and footer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Self

import numpy as np

from steelyard import __version__
from steelyard.i18n import FOREIGN, Localized, Message, as_message, codes, from_json, texts, to_json
from steelyard.io.results.checks import check_footer, check_header, check_item
from steelyard.table import (
    UNBOUNDED,
    Bounds,
    FloatArray,
    Missing,
    Note,
    Signature,
    Table,
    counts_with_codes,
    counts_with_texts,
)

Json = dict[str, Any]

NOT_RECORDED = Message("missing.not_recorded")


@dataclass(frozen=True, slots=True)
class Header:
    """The line that opens a result; `items` is how many a run that is written item by item will have.

    `created` is when it was written first, `main` the metric of the headline; they are no part of the signature.
    """

    kind: str
    name: str
    signature: Signature
    metrics: Sequence[str]
    items: int | None = None
    sums: Sequence[str] | None = None
    geometric: Sequence[str] = ()
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    benchmark: str = ""
    created: str = ""
    main: str = ""

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the header of a finished table."""
        return cls(
            kind=table.kind,
            name=table.name,
            signature=table.signature,
            metrics=table.metrics,
            sums=table.sums,
            geometric=table.geometric,
            bounds={metric: column.bounds for metric, column in table.columns.items() if column.bounds},
            counts=table.counts,
            benchmark=table.benchmark,
            created=utc_now() if table.created is None else table.created,
            main=table.main,
        )

    @classmethod
    def parse(cls, line: Json, where: str) -> Self:
        """Return the header in a line of JSON, checked."""
        check_header(line, where)
        return cls(
            kind=line["kind"],
            name=line["name"],
            signature=Signature.parse(line["signature"]),
            metrics=line["metrics"],
            items=line.get("items"),
            sums=line.get("sums"),
            geometric=line.get("geometric") or (),
            bounds={metric: read_bounds(bounds) for metric, bounds in (line.get("bounds") or {}).items()},
            counts=counts_with_codes(line.get("counts") or {}, _count_codes(line)),
            benchmark=line.get("benchmark") or "",
            created=line.get("created") or "",
            main=line.get("main") or "",
        )

    def to_line(self) -> Json:
        """As the file has it."""
        return {
            "steelyard": __version__,
            "kind": self.kind,
            "name": self.name,
            "signature": str(self.signature),
            "inputs": {key: value for key, value in self.signature.settings if value.startswith("sha256 ")},
            "metrics": list(self.metrics),
            **({} if self.items is None else {"items": self.items}),
            **({} if self.sums is None else {"sums": list(self.sums)}),
            **({"geometric": list(self.geometric)} if self.geometric else {}),
            "bounds": {metric: _finite(bounds) for metric, bounds in self.bounds.items()},
            "counts": counts_with_texts(self.counts),
            **_present("codes", self._codes()),
            **_present("benchmark", self.benchmark),
            **_present("created", self.created),
            **_present("main", self.main),
        }

    def _codes(self) -> Json:
        """Return the code of each text among the counts that is one of the catalogue."""
        known = {texts("en")[code]: code for code in self.counts if code in texts("en")}
        return _present("counts", known)


@dataclass(frozen=True, slots=True)
class Item:
    """One item: its scores by metric, and what belongs to them; `error` says why the system failed on it."""

    id: str
    scores: Mapping[str, float | None]
    unscored: Mapping[str, Note] = field(default_factory=dict)
    errors: Mapping[str, Note] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    notes: Mapping[str, Note] = field(default_factory=dict)
    tags: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] | None = None
    error: str = ""

    @classmethod
    def parse(cls, line: Json, header: Header, where: str) -> Self:
        """Return the item in a line of JSON, checked against its header."""
        check_item(line, header.kind, header.metrics, header.bounds, where)
        codes = line.get("codes") or {}
        return cls(
            id=line["id"],
            scores=line["scores"],
            unscored=_notes(line.get("unscored"), codes.get("unscored")),
            errors=_notes(line.get("errors"), codes.get("errors")),
            parts=line.get("parts") or {},
            notes=_notes(line.get("notes"), codes.get("notes")),
            tags=line.get("tags") or {},
            output=line.get("output"),
            error=str(line.get("error") or ""),
        )

    def missing(self, metric: str) -> Missing:
        """Why the item has no score of a metric."""
        if metric in self.errors:
            return Missing("error", _reason(self.errors[metric]))
        return Missing("unscored", _reason(self.unscored.get(metric, NOT_RECORDED)))

    def to_json(self) -> Json:
        """As JSON output; what an item does not have is left out."""
        fields = {
            "errors": texts_of(self.errors),
            "unscored": texts_of(self.unscored),
            "parts": self.parts,
            "notes": texts_of(self.notes),
            "tags": self.tags,
            "output": self.output,
            "error": self.error,
        }
        present = {name: value for name, value in fields.items() if value}
        return {"id": self.id, "scores": self.scores, **present}

    def to_line(self) -> Json:
        """As the file has it: with the codes and arguments of the texts that are messages."""
        given = {"errors": self.errors, "unscored": self.unscored, "notes": self.notes}
        codes = {name: found for name, notes in given.items() if (found := _codes(notes))}
        return {**self.to_json(), **_present("codes", codes)}


@dataclass(frozen=True, slots=True)
class Footer:
    """The line that closes a result: how many items it has, and their means.

    `summary` is what a list of results shows (`summary_json`), with the version that computed it; None in files that
    lack it. Files of earlier versions have a number of `bytes`, which is not read.
    """

    items: int | None
    means: Mapping[str, float | None]
    summary: Json | None = None

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the footer of a finished table."""
        means = numbers(np.array([table.mean(metric) for metric in table.metrics]))
        return cls(len(table), dict(zip(table.metrics, means, strict=True)), summary_json(table))

    @classmethod
    def parse(cls, line: Any, items: int, where: str) -> Self:
        """Return the footer in a line of JSON, checked against the number of items that came before it."""
        check_footer(line, items, where)
        return cls(line.get("items"), line.get("means") or {}, line.get("summary"))

    def to_line(self) -> Json:
        """As the file has it."""
        return {"footer": {"items": self.items, "means": self.means, **_present("summary", self.summary)}}


def summary_json(table: Table) -> Json:
    """Return what a list of results shows of a table, as a footer has it."""
    summary = table.summary()
    metrics = {metric: mean.as_dict() for metric, mean in summary.metrics.items()}
    return {"steelyard": __version__, "errors": summary.errors, "metrics": metrics}


def utc_now() -> str:
    """Return the time in UTC to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def items_of(table: Table) -> Iterator[Item]:
    """Yield the items of a table, row by row."""
    columns = {metric: numbers(table.column(metric)) for metric in table.metrics}
    parts = {metric: _part_numbers(of_metric) for metric, of_metric in table.parts.items()}
    reasons = {metric: [(each.kind, each.reason) for each in table[metric].reasons] for metric in table.metrics}
    status = {metric: table[metric].codes.tolist() for metric in table.metrics}
    for row, identifier in enumerate(table.ids):
        missing = [(metric, *reasons[metric][column[row] - 1]) for metric, column in status.items() if column[row]]
        yield Item(
            id=identifier,
            scores={metric: values[row] for metric, values in columns.items()},
            unscored={metric: reason for metric, kind, reason in missing if kind == "unscored"},
            errors={metric: reason for metric, kind, reason in missing if kind == "error"},
            parts={metric: {part: values[row] for part, values in of.items()} for metric, of in parts.items()},
            notes={metric: column.notes[row] for metric, column in table.columns.items() if row in column.notes},
            tags={tag: values[row] for tag, values in table.tags.items()},
            output=table.outputs[row] if table.outputs else None,
            error=table.failures.get(row, ""),
        )


def numbers(values: FloatArray) -> list[float | None]:
    """Scores as JSON has them: None where there is no number."""
    return [None if is_nan else value for value, is_nan in zip(values.tolist(), np.isnan(values).tolist(), strict=True)]


def dump(line: Mapping[str, Any]) -> str:
    """One line of JSON; numbers keep every digit, and NaN is refused."""
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def read_bounds(bounds: Sequence[float | None]) -> Bounds:
    """Return the lowest and the highest value; null stands for none."""
    low, high = (end if bound is None else float(bound) for bound, end in zip(bounds, UNBOUNDED, strict=True))
    return low, high


def texts_of(notes: Mapping[str, Note]) -> dict[str, str]:
    """Return notes as English texts."""
    return {metric: str(note) for metric, note in notes.items()}


def _codes(notes: Mapping[str, Note]) -> Json:
    """Return the messages among notes as JSON; text that is not ours has no code."""
    stored = {metric: to_json(note) for metric, note in notes.items() if isinstance(note, Localized)}
    return {metric: message for metric, message in stored.items() if message[0] != FOREIGN}


def _reason(note: Note) -> Message:
    return note if isinstance(note, Message) else as_message(str(note))


def _notes(written: Mapping[str, str] | None, stored: Mapping[str, Any] | None) -> dict[str, Note]:
    """Return the notes of an item: the messages that are stored beside the texts, else the texts."""
    if not written:
        return {}
    return {metric: _note(text, (stored or {}).get(metric)) for metric, text in written.items()}


def _note(text: str, stored: Any) -> Note:
    return _older_note(text) if stored is None else from_json(stored) or text


@lru_cache  # a file has few reasons, each of them on many lines
def _older_note(text: str) -> Note:
    """Return the message whose English text a file of an older version has; text that is not ours stays text."""
    code = codes("missing").get(text)
    return text if code is None else Message(code)


def _count_codes(line: Json) -> dict[str, str]:
    """Return the codes of counts that a header has, as far as this version knows them; older files have none."""
    stored = (line.get("codes") or {}).get("counts") or {}
    return {text: code for text, code in stored.items() if code in texts("en")}


def _part_numbers(parts: Mapping[str, FloatArray]) -> dict[str, list[float | None]]:
    return {part: numbers(values) for part, values in parts.items()}


def _finite(bounds: Bounds) -> list[float | None]:
    return [bound if np.isfinite(bound) else None for bound in bounds]


def _present(key: str, value: Any) -> Json:
    return {key: value} if value else {}
