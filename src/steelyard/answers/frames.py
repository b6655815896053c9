"""Tables of other packages as columns of Python values: pandas, polars, Arrow, Hugging Face data sets, and mappings.

None of the packages is imported: what a table has is found by its attributes, and each column is converted as a whole.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.io.layouts import ID
from steelyard.io.records import repeated_one

Values = list[Any]
_TO_LIST: Final = ("to_pylist", "to_list", "tolist")  # Arrow; pandas and polars; NumPy


@dataclass(frozen=True, slots=True)
class Frame:
    """A table with named columns, each converted when it is called; `index` is that of pandas, and `rows` their number.

    None stands for a missing value.
    """

    columns: Mapping[str, Callable[[], Values]]
    rows: int
    index: Any = None

    def with_ids(self, mapping: Mapping[str, str], ids: Any = None) -> "Frame":
        """Return the table with a column of these ids, or of the index where that is what tells rows apart."""
        found = values_of(ids) if ids is not None else self._index_ids(mapping)
        if found is None:
            return self
        if len(found) != self.rows:
            raise InputError(Message("formats.id_count_differs", ids=len(found), predictions=self.rows))
        return replace(self, columns={**self.columns, mapping.get("id", ID[0]): lambda: found})

    def _index_ids(self, mapping: Mapping[str, str]) -> Values | None:
        """Return the ids that the index gives; None if a column has ids or the index has none."""
        if self.index is None or mapping.get("id") in self.columns:
            return None
        is_mapped = "id" in mapping and mapping["id"] == str(self.index.name)
        has_ids = "id" in mapping or any(name.casefold() in ID for name in self.columns)
        return index_ids(self.index) if is_mapped or not has_ids else None


def frame_of(value: Any) -> Frame | None:
    """Return a table with named columns; None for anything else."""
    names = getattr(value, "column_names", None)
    if isinstance(names, Mapping):
        raise ConfigError(Message("formats.several_splits", names=", ".join(map(repr, names))))
    if isinstance(value, Mapping):
        return _mapping_frame(value)
    if names and hasattr(value, "__len__"):  # Arrow, Hugging Face
        return _frame(value.with_format(None) if hasattr(value, "with_format") else value, names)
    if hasattr(value, "shape") and hasattr(value, "columns"):  # pandas, polars
        return _frame(value, value.columns, getattr(value, "index", None))
    return None


def _frame(value: Any, names: Iterable[Any], index: Any = None) -> Frame:
    known = list(names)
    again = repeated_one(map(str, known))
    if again is not None:
        raise InputError(Message("formats.duplicate_column", again=again), where="answers")
    return Frame({str(name): partial(_column, value, name) for name in known}, len(value), index)


def _column(value: Any, name: Any) -> Values:
    return values_of(value[name])


def _mapping_frame(value: Mapping[Any, Any]) -> Frame | None:
    """Return columns by name; None for a mapping of texts by id."""
    if not value or not all(isinstance(column, list | tuple) or is_series(column) for column in value.values()):
        return None
    lengths = {str(name): len(column) for name, column in value.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(Message("formats.columns_differ_length", lengths=lengths), where="answers")
    return Frame({str(name): partial(_column, value, name) for name in value}, next(iter(lengths.values())))


def is_series(value: Any) -> bool:
    """Return whether a value is a column of another package."""
    has_values = any(hasattr(value, name) for name in _TO_LIST) and not isinstance(value, str | type)
    return has_values and getattr(value, "ndim", 1) != 0


def values_of(column: Any) -> Values:
    """Return the values of a column as Python values; None for NaN, NaT and NA."""
    convert = next((getattr(column, name) for name in _TO_LIST if hasattr(column, name)), None)
    values = list(column[:]) if convert is None else convert()
    if not hasattr(column, "isna"):
        return values
    missing = column.isna().tolist()
    if not any(missing):
        return values
    return _without(values, missing, whole=getattr(getattr(column, "dtype", None), "kind", "") == "f")


def _without(values: Values, missing: Iterable[bool], *, whole: bool) -> Values:
    """Return the values, None where one is missing; whole numbers that pandas stores as floats beside NaN are int."""
    found = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    if whole and all(value is None or value.is_integer() for value in found):
        return [None if value is None else int(value) for value in found]
    return found


def index_ids(index: Any) -> Values | None:
    """Return the labels of an index; None if they are 0, 1, 2 …, or numbers that are repeated, as after `concat`."""
    labels = index.tolist()
    if index.name is None and getattr(index, "nlevels", 1) == 1:
        if labels == list(range(len(labels))):
            return None
        if all(type(label) is int for label in labels) and len(set(labels)) < len(labels):
            return None
    missing = [False] * len(labels) if getattr(index, "nlevels", 1) > 1 else index.isna().tolist()
    return [None if gone else _label(label) for label, gone in zip(labels, missing, strict=True)]


def _label(label: Any) -> int | str:
    if isinstance(label, tuple):
        return "/".join(map(str, label))
    return label if type(label) is int else str(label)


def paired_ids(predictions: Any, references: Any) -> Values | None:
    """Return the ids that two Series have by their index; an error if their labels differ."""
    indexes = (getattr(each, "index", None) for each in (predictions, references))
    labelled: list[Any] = [index for index in indexes if hasattr(index, "tolist")]
    if len({len(index) for index in labelled}) == 1 and not labelled[0].equals(labelled[-1]):
        raise InputError(Message("formats.index_differs"), where="answers", hint=Message("formats.index_hint"))
    return index_ids(labelled[0]) if labelled else None
