"""Table, the result of every evaluation: items down, metrics across, and the settings that made the numbers.

Every evaluator returns a Table, and everything after it (means, intervals, paired tests, gates, reports) starts
from one. Columns are arrays; a cell without a number always has a reason.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import MissingExtra
from steelyard.i18n import Localized, Message, as_message, codes, texts

if TYPE_CHECKING:
    import pandas

    from steelyard.api import GateResult, Plot
    from steelyard.i18n import Language
    from steelyard.stats.scopes import Units
    from steelyard.stats.summary import Summary

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bounds = tuple[float, float]
Note = Localized | str
"""An explanation of a score: a message, or text of others, such as of a custom metric."""
UNBOUNDED: Bounds = (-np.inf, np.inf)
REPEAT_TAG = "repeat_of"
"""The tag of repeated runs of one item: its id."""
_LEAST = 1e-300
"""What a logarithm takes for 0."""
_LARGEST_LOGARITHM = 700.0
ROUNDING = 1e-9
"""How far a score may lie outside of its bounds."""
JUDGES: Final = "judges"
"""The setting of a signature that has the hash of the judge of each judged column."""
JUDGED_NAME: Final = re.compile(r"(.+) \[judge ([^\[\]]+)\]", re.DOTALL)
"""A name as `Table.judged_name` writes it."""
_ESCAPED: Final = re.compile("%(7C|3A|0A|0D|25)")
_COUNTS: Final = "counts."
ALWAYS_SHOWN: Final = frozenset(("counts.queries_missing", "counts.predictions_missing"))
"""Counts that are said even where they are 0."""
WARNED: Final = (*sorted(ALWAYS_SHOWN), "counts.documents_absent", "counts.queries_unwinnable")
"""Counts that are warnings where they are not 0."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Every setting that produced the numbers, in a fixed order; prints as `key:value|key:value`."""

    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> Self:
        """Return the signature of these settings; `|`, `:` and line breaks in a value are written as `%XX`."""
        return cls(tuple((key, _escape(str(value))) for key, value in settings.items()))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read back what `str` wrote."""
        return cls(tuple((key, value) for key, _, value in (part.partition(":") for part in text.split("|") if part)))

    def get(self, key: str) -> str | None:
        """Return the value of one setting as it was given, or None."""
        value = dict(self.settings).get(key)
        return None if value is None else _unescape(value)

    def differences(self, other: "Signature", *, apart_from: Sequence[str] = ()) -> list[str]:
        """Return the names of settings on which the two do not agree."""
        ours, theirs = dict(self.settings), dict(other.settings)
        return [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key) and key not in apart_from]

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.settings)


@dataclass(frozen=True, slots=True, init=False)
class Missing:
    """Why a cell holds no number: it was not scored, or scoring it failed.

    The reason is a message of the catalogue (`missing.*`); text of others, such as of a custom metric, stays text.
    """

    kind: Literal["unscored", "error"]
    reason: Message

    def __init__(self, kind: Literal["unscored", "error"], reason: Message | str) -> None:
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "reason", as_message(reason))


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The scores of one metric, row by row.

    A cell without a number is NaN in `values`, and `status[row]` is then 1 + the index of its reason in `reasons`;
    without a `status`, every row was scored. `parts` holds the components of the score (part → values), `notes`
    explain single scores (row → message or text), `bounds` are the values that the metric can take, within which
    intervals are kept, `summed` says that people quote its total, and `geometric` that its mean is the geometric one.
    """

    values: FloatArray
    status: IntArray | None = None
    reasons: Sequence[Missing] = ()
    parts: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: Mapping[int, Note] = field(default_factory=dict)
    bounds: Bounds | None = None
    summed: bool = False
    geometric: bool = False

    def __post_init__(self) -> None:
        if not np.array_equal(np.isnan(self.values), self.codes > 0):
            raise ValueError("a cell is NaN if and only if it has a reason")

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype)

    def __sub__(self, other: "Column") -> FloatArray:
        return self.values - other.values

    @property
    def codes(self) -> IntArray:
        """`status`, with zeros for a column that was scored on every row."""
        return np.zeros(len(self.values), np.int64) if self.status is None else self.status

    @property
    def scored(self) -> FloatArray:
        """The values without the rows that have none."""
        return self.values[~np.isnan(self.values)]

    def why(self, row: int) -> Missing | None:
        """Why the cell has no number, or None if it has one."""
        code = 0 if self.status is None else int(self.status[row])
        return self.reasons[code - 1] if code else None

    def missing(self, kind: Literal["unscored", "error"]) -> Flags:
        """Return which rows have no number for a reason of this kind."""
        return np.isin(self.codes, [code for code, reason in enumerate(self.reasons, 1) if reason.kind == kind])

    def on_log_scale(self) -> "Column":
        """Return the column of natural logarithms, without its parts; its mean is the arithmetic one."""
        low, high = logarithms(np.array(self.bounds or (0.0, np.inf))).tolist()
        return replace(self, values=logarithms(self.values), parts={}, bounds=(low, high), geometric=False)

    def take(self, rows: IntArray) -> "Column":
        """Return the same column with only these rows, in this order."""
        index = {row: new for new, row in enumerate(rows.tolist())}
        return replace(
            self,
            values=self.values[rows],
            status=None if self.status is None else self.status[rows],
            parts={part: values[rows] for part, values in self.parts.items()},
            notes={index[row]: note for row, note in self.notes.items() if row in index},
        )


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Scores of one system: `columns[metric].values[row]` belongs to `ids[row]`.

    `tags` are what rows can be grouped by, `outputs` the answers of the system, row by row, where they were kept.
    `failures` are rows on which the system failed (row → why): they count as 0, and are never silent. `counts` is
    what was counted during the evaluation and must be shown, by codes of the catalogue (`counts.…`); `benchmark` is the
    folder of the questions, where a report finds their documents. A run that was cut off is not `complete`.
    `created` is when its results file was first written (ISO 8601, UTC), "" if the file does not say, None if there
    is no file yet; it belongs to no signature. `main` is the metric of the headline, "" if its kind decides.
    """

    ids: Sequence[str]
    columns: Mapping[str, Column]
    kind: str = "answers"
    name: str = ""
    signature: Signature = field(default_factory=Signature)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    outputs: Sequence[Mapping[str, Any] | None] = ()
    failures: Mapping[int, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    benchmark: str = ""
    complete: bool = True
    created: str | None = None
    main: str = ""

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if len(column) != len(self.ids):
                raise ValueError(f"column {name!r} has {len(column)} cells for {len(self.ids)} items")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Table {self.name!r}: {len(self)} {self.kind} items, {', '.join(self.columns)}>"

    @property
    def metrics(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.columns)

    @property
    def judges(self) -> dict[str, str]:
        """The hash of the judge of each column that a model has judged, wholly or in part."""
        pairs = (pair.rpartition("=") for pair in (self.signature.get(JUDGES) or "").split(",") if pair)
        return {metric: judge for metric, _, judge in pairs}

    def judged_name(self, metric: str) -> str:
        """Return the name of a column in files that have no signature: with its judge, if a model has judged it."""
        return f"{metric} [judge {self.judges[metric]}]" if metric in self.judges else metric

    @property
    def sums(self) -> list[str]:
        """The metrics whose total people quote."""
        return [metric for metric, column in self.columns.items() if column.summed]

    @property
    def geometric(self) -> list[str]:
        """The metrics whose mean is the geometric one."""
        return [metric for metric, column in self.columns.items() if column.geometric]

    def on_log_scale(self) -> "Table":
        """Return the same table with the logarithms of geometric metrics, on which arithmetic means and tests apply."""
        logs = {metric: self.columns[metric].on_log_scale() for metric in self.geometric}
        return replace(self, columns={**self.columns, **logs}) if logs else self

    def __getitem__(self, metric: str) -> Column:
        """Return the column of a metric, in the spelling of any common tool (`map` is AP)."""
        if metric in self.columns:
            return self.columns[metric]
        from steelyard.registry.names import column_called

        name = column_called(metric, self.columns)
        if name not in self.columns:
            raise KeyError(f"no column {metric!r}; there are: {', '.join(self.columns)}")
        return self.columns[name]

    def __str__(self) -> str:
        """Return the means with their intervals, as the commands print them."""
        from steelyard.api import TableView

        return str(TableView(self))

    def _repr_html_(self) -> str:
        from steelyard.api import TableView

        return TableView(self)._repr_html_()

    def column(self, metric: str) -> FloatArray:
        """Return the scores of one metric, row by row; NaN where `why` has a reason."""
        return self[metric].values

    def scored(self, metric: str) -> FloatArray:
        """Return the scores of one metric without the rows that have none."""
        return self[metric].scored

    def mean(self, metric: str) -> float:
        """Return the mean over scored rows, arithmetic or geometric as the metric wants it; NaN when there is none."""
        column = self[metric]
        return exponential(mean(logarithms(column.scored))) if column.geometric else mean(column.scored)

    def why(self, metric: str, row: int) -> Missing | None:
        """Why the cell has no number, or None if it has one."""
        return self[metric].why(row)

    def count(self, kind: Literal["unscored", "error"], metric: str) -> int:
        """Return how many cells of a metric have no number for a reason of this kind."""
        return int(self[metric].missing(kind).sum())

    @property
    def parts(self) -> dict[str, Mapping[str, FloatArray]]:
        """The components of scores (metric → part → values), of the metrics that have some."""
        return {metric: column.parts for metric, column in self.columns.items() if column.parts}

    def bounds(self, metric: str) -> Bounds:
        """Return the least and the greatest value of a metric, as far as they are known."""
        known = self.columns[metric].bounds if metric in self.columns else None
        return UNBOUNDED if known is None else known

    def notes(self, row: int) -> dict[str, str]:
        """Return what explains the scores of one row (metric → text)."""
        return {metric: str(column.notes[row]) for metric, column in self.columns.items() if row in column.notes}

    def note(self, metric: str, row: int, language: "Language" = "en") -> str:
        """Return what explains a score in a language; "" if nothing does."""
        note = self.columns[metric].notes.get(row, "") if metric in self.columns else ""
        return note.text(language) if isinstance(note, Localized) else note

    def take(self, rows: IntArray) -> "Table":
        """Return the same table with only these rows, in this order."""
        chosen = rows.tolist()
        index = {row: new for new, row in enumerate(chosen)}
        return replace(
            self,
            ids=[self.ids[row] for row in chosen],
            columns={metric: column.take(rows) for metric, column in self.columns.items()},
            tags={tag: [values[row] for row in chosen] for tag, values in self.tags.items()},
            outputs=[self.outputs[row] for row in chosen] if self.outputs else (),
            failures={index[row]: why for row, why in self.failures.items() if row in index},
        )

    def only(self, metrics: Sequence[str]) -> "Table":
        """Return the same table with only these metrics, in this order."""
        return replace(self, columns={metric: self[metric] for metric in metrics})

    def headed(self, metrics: object) -> "Table":
        """Return the same table with the mean of its first metric in the headline, if the user named metrics."""
        means = (metric for metric, column in self.columns.items() if not column.summed)
        return replace(self, main=next(means, "")) if metrics else self

    def summary(self, *, units: "Units" = "auto") -> "Summary":
        """Return means with intervals, and counts; `units`: resample items, documents, or choose by their number."""
        from steelyard.stats.summary import summarise

        return summarise(self, units)

    def save(self, path: str | Path) -> None:
        """Write a results file, which `steelyard.load` reads back."""
        from steelyard.io.results import save

        save(self, path)

    def report(self, path: str | Path, *, language: "Language" = "en", lang: "Language | None" = None) -> None:
        """Write a report in the format of the extension, such as `report.html`; `lang` is the same as `language`."""
        from steelyard.api import report

        report(self, path, language=lang or language)

    def plot(self, path: str | Path | None = None, *, language: "Language" = "en") -> "Plot":
        """Return the means with their intervals as a figure; written as SVG or PNG if a path is given."""
        from steelyard.api import plot

        return plot(self, path, language=language)

    def meets(self, *rules: str, baseline: "Table | str | Path | None" = None, **settings: Any) -> "GateResult":
        """Check the table against rules such as `F1 >= 0.8` or `nDCG@10 not-worse-by 0.02` (see `steelyard.gate`)."""
        from steelyard.api import gate

        return gate(self, rules, baseline=baseline, **settings)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame: one row per item (the index), tags first, then metrics."""
        columns = {**self.tags, **{metric: column.values for metric, column in self.columns.items()}}
        return pandas_package().DataFrame(columns, index=pandas_package().Index(self.ids, name="id"))


def pandas_package() -> ModuleType:
    """Import pandas; raise MissingExtra if it is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra.of("pandas", "pandas", purpose=Message("words.data_frames")) from None
    module: ModuleType = pandas
    return module


def mean(values: FloatArray) -> float:
    """Return the mean; NaN of nothing.

    Added up one by one, not in pairs, so that a mean that lies on a rounding border prints as trec_eval prints it.
    """
    if not len(values):
        return float("nan")
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(np.cumsum(values)[-1] / len(values))
    return found if np.isfinite(found) else float(np.sum(values / len(values)))  # the sum alone was too large


def logarithms(values: FloatArray) -> FloatArray:
    """Return the natural logarithms of scores; finite also of 0."""
    return np.log(np.maximum(values, _LEAST))


def exponential(logarithm: float) -> float:
    """Return the number with this natural logarithm; never too large for a float."""
    return math.exp(min(logarithm, _LARGEST_LOGARITHM))


def _unescape(value: str) -> str:
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), value)


def _escape(value: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in "|:\n\r%" else char for char in value)


# --- counts by code; results files and JSON have the English text of a code ---


def counts_with_texts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts as they are written: by the English text of their code."""
    return {texts("en").get(name, name) if name.startswith(_COUNTS) else name: n for name, n in counts.items()}


def counts_with_codes(counts: Mapping[str, int], known: Mapping[str, str] = MappingProxyType({})) -> dict[str, int]:
    """Return counts as they were written, by their codes; `known` are those that were written beside them."""
    return {known.get(text) or code_of_count(text): n for text, n in counts.items()}


def code_of_count(text: str) -> str:
    """Return the code of a count that is written so; a text that is not ours is itself."""
    return codes("counts").get(text, text)
