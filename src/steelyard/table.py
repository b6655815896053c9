"""The one result: items down, metrics across, and the settings that made the numbers.

Every evaluator ends in a Table, and everything after it (means, intervals, paired tests, gates, reports) starts
from one. Columns are arrays; a cell that is not a number always says why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas

    from steelyard.stats.summary import Summary

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Signature:
    """Every setting that produced the numbers, in a fixed order; prints as `key:value|key:value`."""

    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> Self:
        """The signature of these settings; `|`, `:` and line breaks in a value are written as `%XX`."""
        return cls(tuple((key, _escape(str(value))) for key, value in settings.items()))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read back what `str` wrote."""
        return cls(tuple((key, value) for key, _, value in (part.partition(":") for part in text.split("|") if part)))

    def get(self, key: str) -> str | None:
        """The value of one setting, or None."""
        return dict(self.settings).get(key)

    def differences(self, other: "Signature", *, apart_from: Sequence[str] = ()) -> list[str]:
        """The names of settings on which the two do not agree."""
        ours, theirs = dict(self.settings), dict(other.settings)
        return [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key) and key not in apart_from]

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.settings)


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a cell holds no number: it was not scored, or scoring it failed."""

    kind: Literal["unscored", "error"]
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Scores of one system: `columns[metric][row]` belongs to `ids[row]`.

    A cell without a number is NaN in its column, and `status[metric][row]` is then 1 + the place of its reason in
    `gaps`; a metric that is not in `status` was scored on every row. `parts` holds the components of a score
    (metric → part → column), `notes` why a score is what it is (metric → row → words), `outputs` what the system
    said, row by row, where that was kept. `failures` are rows on which the system failed (row → why): they count as 0,
    and are never silent. `counts` is what was counted on the way and must be said, by the codes of module `counts`;
    `sums` names the metrics whose total people quote; `bounds` are the values that a metric can take, within which
    intervals are kept; `benchmark` is the folder of the questions, where a report finds their documents. A run that was
    cut off is not `complete`.
    """

    ids: Sequence[str]
    columns: Mapping[str, FloatArray]
    kind: str = "answers"
    name: str = ""
    signature: Signature = field(default_factory=Signature)
    gaps: Sequence[Gap] = ()
    status: Mapping[str, IntArray] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    outputs: Sequence[Mapping[str, Any] | None] = ()
    failures: Mapping[int, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    sums: Sequence[str] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    benchmark: str = ""
    complete: bool = True

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if len(column) != len(self.ids):
                raise ValueError(f"column {name!r} has {len(column)} cells for {len(self.ids)} items")
            if not np.array_equal(np.isnan(column), self._status(name) > 0):
                raise ValueError(f"column {name!r}: a cell is NaN if and only if it has a reason")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Table {self.name!r}: {len(self)} {self.kind} items, {', '.join(self.columns)}>"

    @property
    def metrics(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    def column(self, metric: str) -> FloatArray:
        """The scores of one metric, row by row; NaN where `why` has a reason."""
        if metric not in self.columns:
            raise KeyError(f"no column {metric!r}; there are: {', '.join(self.columns)}")
        return self.columns[metric]

    def scored(self, metric: str) -> FloatArray:
        """The scores of one metric without the rows that have none."""
        column = self.column(metric)
        return column[~np.isnan(column)]

    def mean(self, metric: str) -> float:
        """The mean over scored rows; NaN when there is none."""
        return mean(self.scored(metric))

    def why(self, metric: str, row: int) -> Gap | None:
        """Why the cell has no number, or None if it has one."""
        self.column(metric)
        code = int(self._status(metric)[row])
        return self.gaps[code - 1] if code else None

    def count(self, kind: Literal["unscored", "error"], metric: str) -> int:
        """How many cells of a metric are gaps of this kind."""
        codes = [code for code, gap in enumerate(self.gaps, 1) if gap.kind == kind]
        return int(np.isin(self._status(metric), codes).sum())

    def take(self, rows: IntArray) -> "Table":
        """The same table with only these rows, in this order."""
        chosen = rows.tolist()
        place = {row: new for new, row in enumerate(chosen)}
        return replace(
            self,
            ids=[self.ids[row] for row in chosen],
            columns={metric: column[rows] for metric, column in self.columns.items()},
            status={metric: codes[rows] for metric, codes in self.status.items()},
            tags={tag: [values[row] for row in chosen] for tag, values in self.tags.items()},
            parts={metric: {part: of[part][rows] for part in of} for metric, of in self.parts.items()},
            notes={
                m: {place[row]: note for row, note in notes.items() if row in place} for m, notes in self.notes.items()
            },
            outputs=[self.outputs[row] for row in chosen] if self.outputs else (),
            failures={place[row]: why for row, why in self.failures.items() if row in place},
        )

    def only(self, metrics: Sequence[str]) -> "Table":
        """The same table with only these metrics, in this order, and what belongs to them."""
        return replace(
            self,
            columns={metric: self.column(metric) for metric in metrics},
            status={metric: self.status[metric] for metric in metrics if metric in self.status},
            parts={metric: self.parts[metric] for metric in metrics if metric in self.parts},
            notes={metric: self.notes[metric] for metric in metrics if metric in self.notes},
            sums=[metric for metric in self.sums if metric in metrics],
            bounds={metric: self.bounds[metric] for metric in metrics if metric in self.bounds},
        )

    def summary(self) -> "Summary":
        """Means with intervals, and what was counted."""
        from steelyard.stats.summary import summarise

        return summarise(self)

    def save(self, path: str | Path) -> None:
        """Write a results file, which `steelyard.load` reads back."""
        from steelyard.formats.results import save

        save(self, Path(path))

    def to_pandas(self) -> "pandas.DataFrame":
        """A data frame: one row per item (the index), tags first, then metrics."""
        try:
            import pandas
        except ImportError:
            raise ImportError('Table.to_pandas needs pandas: pip install "steelyard[pandas]"') from None
        return pandas.DataFrame({**self.tags, **self.columns}, index=pandas.Index(self.ids, name="id"))

    def _status(self, metric: str) -> IntArray:
        status = self.status.get(metric)
        return np.zeros(len(self.ids), np.int64) if status is None else status


def mean(values: FloatArray) -> float:
    """The mean; NaN of nothing.

    Added up one by one, not in pairs, so that a mean that lies on a rounding border prints as trec_eval prints it.
    """
    if not len(values):
        return float("nan")
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(np.cumsum(values)[-1] / len(values))
    return found if np.isfinite(found) else float(np.sum(values / len(values)))  # the sum alone was too large


def _escape(value: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in "|:\n\r%" else char for char in value)
