"""Tables of scores that other tools computed, and of rows with an id and columns of numbers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard import __version__, limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io import layouts
from steelyard.io.costs import BOUNDS as COST_BOUNDS
from steelyard.io.costs import costs_in
from steelyard.io.foreign import rows
from steelyard.io.foreign.formats import Source, open_source
from steelyard.io.foreign.items import AGAIN, item_ids, questions_again, systems_of
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record, result_name
from steelyard.io.shapes import wrong_shape
from steelyard.io.streams import hint_for_folder
from steelyard.registry.judged import documented_bounds
from steelyard.registry.kinds import COSTS
from steelyard.table import (
    JUDGED_NAME,
    JUDGES,
    REPEAT_TAG,
    UNBOUNDED,
    Bounds,
    Column,
    FloatArray,
    Missing,
    Signature,
    Table,
)

KIND: Final = "scores"
NO_SCORE: Final = Message("missing.not_recorded")
REPEATS: Final = "counts.repeated_rows"
_LONGEST_LABEL: Final = 100
_REPEAT_NAMES: Final = ("repeat", "epoch", "trial", "attempt")
_TEXTS: Final = frozenset((*layouts.QUESTION, *layouts.REFERENCES, *layouts.PREDICTION, *layouts.TAGS))
_DOCUMENT: Final = ("text", "title", "content", "contents", "document", "passage")
_OUTPUT: Final = {
    rows.QUESTION: "question",
    rows.PREDICTION: "answer",
    rows.CONTEXTS: "contexts",
    rows.RETRIEVED_IDS: "context_ids",
    rows.REFERENCE_CONTEXTS: "reference_contexts",
    rows.REFERENCE_IDS: "reference_context_ids",
}


def load_scores(path: str | Path) -> list[Table]:
    """Read the scores in a file of another tool, or of rows with an id and columns of numbers; a table for a system."""
    source = open_source(path)
    records = list(source.records() if source.format else _plain(source))
    if not any(record.fields.get(rows.SCORES) for record in records):
        raise InputError(Message("formats.no_scores"), where=str(path), hint=_hint(source, records))
    records = [_with_costs(record) for record in records]
    systems = systems_of(records)
    return [
        _Scores(source, [record for record in records if str(record.fields.get(rows.SYSTEM) or "") == system]).table(
            system or result_name(str(path))
        )
        for system in systems
    ]


def _with_costs(record: Record) -> Record:
    """Return a record with what the reply cost among its scores, unless the system failed."""
    costs = {} if record.fields.get(rows.ERROR) else costs_in(record.fields)
    scores = {**costs, **(record.fields.get(rows.SCORES) or {})}
    return record._replace(fields={**record.fields, rows.SCORES: scores}) if costs else record


def _hint(source: Source, records: Sequence[Record]) -> Message:
    """Say what to do with a file without scores: rows of a known format can be scored, rankings with judgments."""
    if source.format is None:
        return hint_for_folder(Path(source.container.name)) or Message("formats.no_scores_hint")
    name, fields = source.container.name, records[0].fields if records else {}
    ranking = f"retrieval QRELS {name}" if rows.RETRIEVED_IDS in fields else f"retrieval {name} RUN"
    command = f"answers {name}" if fields.keys() & {rows.QUESTION, rows.PREDICTION, rows.REFERENCES} else ranking
    return Message("formats.score_rows_hint", title=source.title, command=command)


def holds_scores(path: str | Path) -> bool:
    """Whether a file of another tool has scores, or one of rows has an id, numbers and short labels only.

    False for files that cannot be read.
    """
    try:
        source = open_source(path)
        if source.format is None:
            with closing(source.container):
                begins = _begins_with_scores(source)
            return begins and bool(load_scores(path))
        return any(record.fields.get(rows.SCORES) for record in source.records())
    except InputError:
        return False


def _begins_with_scores(source: Source) -> bool:
    """Whether the first of some rows has an id and numbers, and beside them only short labels."""
    first = source.container.first if source.container.kind == "rows" else {}
    where = source.container.name
    values = {name: rows.parsed_cell(value, where) if source.cells else value for name, value in first.items()}
    others = [value for name, value in values.items() if name.casefold() not in layouts.ID and value is not None]
    labels = [value for value in others if not rows.is_score(value)]
    are_short = all(isinstance(value, str) and len(value) <= _LONGEST_LABEL for value in labels)
    has_texts = any(name.casefold() in (*_TEXTS, *_DOCUMENT) for name in first)
    return len(labels) < len(others) < len(first) and are_short and not has_texts


def _plain(source: Source) -> Iterator[Record]:
    """Rows by their columns: the id, numbers as scores, and labels as tags; others are not used."""
    records = list(source.records())
    columns = list(dict.fromkeys(name for record in records for name in record.fields))
    identifier = next((name for name in columns if name.casefold() in layouts.ID), None)
    if identifier is None:
        raise InputError(Message("formats.no_scores"), where=source.container.name, hint=_hint(source, records))
    parsed = [_parsed(record, identifier) for record in records] if source.cells else records
    scores = [name for name in columns if name != identifier and _is_scores(name, parsed)]
    others = [name for name in columns if name not in (identifier, *scores) and name.casefold() not in _TEXTS]
    tags = [name for name in others if name.casefold() in layouts.LABELS or _are_labels(name, parsed)]
    for record in parsed:
        yield record._replace(fields=_plain_fields(record.fields, identifier, scores, tags))


def _parsed(record: Record, identifier: str) -> Record:
    where = record.where
    values = {name: rows.parsed_cell(value, where) for name, value in record.fields.items() if name != identifier}
    return record._replace(fields={identifier: rows.whole_cell(record.fields[identifier]) or None, **values})


def _is_scores(name: str, records: Sequence[Record]) -> bool:
    """Whether a column has numbers only, apart from empty cells; an error if others are among many numbers."""
    if name.casefold() in (*_TEXTS, *_REPEAT_NAMES, *layouts.LABELS):
        return False
    given = [(record, value) for record in records if (value := record.fields.get(name)) is not None]
    others = [(record, value) for record, value in given if not rows.is_score(value)]
    if others and 2 * len(others) <= len(given):  # numbers but for some: a column of scores with mistakes
        record, value = others[0]
        raise wrong_shape(name, Message("words.a_number"), value, record.where)
    return bool(given) and not others


def _are_labels(name: str, records: Sequence[Record]) -> bool:
    """Whether a column has short texts only."""
    values = [value for record in records if (value := record.fields.get(name)) is not None]
    return all(isinstance(value, str) and len(value) <= _LONGEST_LABEL for value in values)


def _plain_fields(fields: Mapping[str, Any], identifier: str, scores: Sequence[str], labels: Sequence[str]) -> Fields:
    repeat = next((fields[name] for name in fields if name.casefold() in _REPEAT_NAMES), None)
    tags = {name: str(fields[name]) for name in labels if fields.get(name) is not None}
    texts = {
        field: next((value for name, value in fields.items() if name.casefold() in names and value is not None), None)
        for field, names in ((rows.QUESTION, layouts.QUESTION), (rows.PREDICTION, layouts.PREDICTION))
    }
    found = {rows.ID: fields.get(identifier), rows.REPEAT: repeat, rows.TAGS: tags, **texts}
    return {**rows.present(found), rows.SCORES: {name: rows.score(fields.get(name)) for name in scores}}


@dataclass(slots=True)
class _Scores:
    """The records of one system."""

    source: Source
    records: Sequence[Record]
    ids: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)

    def table(self, name: str) -> Table:
        """Return the scores as a table; repeats of one item share a tag, by which intervals and tests are clustered."""
        self.ids, self.items = item_ids(self.records)
        named = dict.fromkeys(metric for record in self.records for metric in record.fields.get(rows.SCORES) or {})
        metrics = sorted(named, key=COSTS.__contains__)
        columns = {metric: self._column(metric) for metric in metrics}
        judged = {metric: found for metric in metrics if (found := JUDGED_NAME.fullmatch(metric))}
        names = {metric: judged[metric][1] if metric in judged else metric for metric in metrics}
        repeated = len(set(self.items)) < len(self.items)
        return Table(
            ids=self.ids,
            columns={names[metric]: column for metric, column in columns.items() if column is not None},
            kind=KIND,
            name=name,
            signature=self._signature({found[1]: found[2] for found in judged.values()}),
            tags={**self._tags(), **({REPEAT_TAG: self.items} if repeated else {})},
            outputs=self._outputs(),
            counts=self._counts(repeated=repeated),
        )

    def _column(self, metric: str) -> Column | None:
        """Return the numbers of a metric; None if no record has one and none says why."""
        reasons: dict[Missing, int] = {}
        values, status = np.empty(len(self.records)), np.zeros(len(self.records), np.int64)
        for row, record in enumerate(self.records):
            value = (record.fields.get(rows.SCORES) or {}).get(metric)
            values[row] = np.nan if value is None else _checked(value, metric, record)
            if value is None:
                status[row] = reasons.setdefault(_missing(record, metric), len(reasons) + 1)
        return Column(values, status, list(reasons), notes=self._notes(metric), bounds=self._bounds(metric, values))

    def _bounds(self, metric: str, values: FloatArray) -> Bounds | None:
        """Return the values that scores of this format, or metrics of this name, can take.

        None if some score is outside.
        """
        if metric in COSTS:
            return COST_BOUNDS
        low, high = getattr(self.source.format, "BOUNDS", None) or documented_bounds(metric) or UNBOUNDED
        is_within = bool(np.all((values >= low) & (values <= high) | np.isnan(values)))
        return (low, high) if is_within and (low, high) != UNBOUNDED else None

    def _notes(self, metric: str) -> dict[int, str]:
        notes = [(record.fields.get(rows.NOTES) or {}).get(metric) for record in self.records]
        return {row: str(note) for row, note in enumerate(notes) if note}

    def _tags(self) -> dict[str, list[str]]:
        tags = [record.fields.get(rows.TAGS) or {} for record in self.records]
        names = dict.fromkeys(name for of_record in tags for name in of_record)
        return {name: [str(of_record.get(name, "")) for of_record in tags] for name in names}

    def _outputs(self) -> list[dict[str, Any]]:
        outputs = [_output(record.fields) for record in self.records]
        return outputs if any(outputs) else []

    def _counts(self, *, repeated: bool) -> dict[str, int]:
        again = questions_again(self.records)
        repeats = {REPEATS: len(self.items) - len(set(self.items))} if repeated else {}
        return repeats | ({AGAIN: again} if again else {})

    def _settings(self) -> Fields:
        """Return the settings of the scores that the format knows of."""
        names = getattr(self.source.format, "SETTINGS", ())
        known = rows.extra_of(self.records[0].fields, self.source.format.NAME) if self.source.format else {}
        return {name: known[name] for name in names if name in known}

    def _signature(self, judges: Mapping[str, str]) -> Signature:
        suite = getattr(self.source.format, "suite", lambda container: None)(self.source.container)
        return Signature.of(
            {
                "kind": KIND,
                "format": self.source.title or "rows",
                **self._settings(),
                **({"suite": suite} if suite else {}),
                **({JUDGES: ",".join(f"{metric}={judge}" for metric, judge in judges.items())} if judges else {}),
                "predictions": f"sha256 {self.source.container.digest()[:16]}",
                "steelyard": __version__,
            }
        )


def _missing(record: Record, metric: str) -> Missing:
    """Why a record has no score: the system failed, scoring failed, or nothing was measured."""
    errors, unscored = record.fields.get(rows.ERRORS) or {}, record.fields.get(rows.UNSCORED) or {}
    if (failed := errors.get(metric) or record.fields.get(rows.ERROR)) is not None:
        return Missing("error", str(failed))
    return Missing("unscored", str(unscored[metric]) if metric in unscored else NO_SCORE)


def _checked(value: float, metric: str, record: Record) -> float:
    if not np.isfinite(value):
        raise InputError(Message("formats.score_not_finite", metric=metric), where=record.where)
    limits.SCORE.check(abs(value), Message("words.a_value_of", measure=metric), error=InputError, where=record.where)
    return float(value)


def _output(fields: Mapping[str, Any]) -> dict[str, Any]:
    shown = {ours: fields[name] for name, ours in _OUTPUT.items() if fields.get(name) is not None}
    references = fields.get(rows.REFERENCES)
    return {**shown, **({} if references is None else {"references": _groups(references)})}


def _groups(references: Any) -> list[list[str]]:
    """Return references as results files have them: groups of aliases."""
    many = references if isinstance(references, list) else [references]
    if many and all(isinstance(each, list) for each in many):
        return [list(map(str, group)) for group in many]
    return [list(map(str, many))]
