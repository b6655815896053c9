"""The means of a run, and with `per_item` the values of each query, as trec_eval prints them."""

import re
from collections.abc import Iterator

import numpy as np

from steelyard.errors import ConfigError, SteelyardError
from steelyard.i18n import Message
from steelyard.registry.names import parse_measure
from steelyard.registry.trec_eval import MEASURES, place_of, trec_name
from steelyard.reports.content import Report
from steelyard.table import Column, Table

_TOTALS = ("NumRet", "NumRel", "NumRelRet")
"""Metrics in every set of trec_eval that also has the name of the run and the number of queries."""


def render_trec_eval(report: Report) -> str:
    """The lines `measure, query, value` in the order of trec_eval; what trec_eval does not have follows at the end.

    A report of several results, or of another kind than rankings, is an error.
    """
    table = report.tables[0]
    if len(report.tables) > 1 or table.kind != "retrieval":
        raise one_run_only()
    names = _names(table)
    lines = list(_query_lines(table, names)) if report.per_item else []
    return "".join(f"{line}\n" for line in [*lines, *_mean_lines(table, names, report.run_tag or table.name)])


def one_run_only() -> ConfigError:
    """The error for what trec_eval's format cannot hold."""
    return ConfigError(Message("reports.one_run_only"), hint=Message("reports.one_run_only_hint"))


def _names(table: Table) -> dict[str, str]:
    """The name in trec_eval of each column, in its order."""
    places: dict[str, tuple[float, float]] = {}
    names: dict[str, str] = {}
    for metric in table.metrics:
        try:
            measure = parse_measure(metric)
        except SteelyardError:  # of a results file, from an installed package that is not here
            places[metric], names[metric] = (len(MEASURES), 0), metric
            continue
        places[metric], names[metric] = place_of(measure) or (len(MEASURES), 0), trec_name(measure)
    return {metric: names[metric] for metric in sorted(table.metrics, key=lambda each: places[each])}


def _query_lines(table: Table, names: dict[str, str]) -> Iterator[str]:
    """A line for each measure of each query; trec_eval 9 leaves out queries that are missing from the run."""
    rows = _evaluated(table)
    if _is_version_9(table) and "NumRet" in table.columns:
        rows = rows[table.column("NumRet")[rows] > 0]
    for row in rows.tolist():
        for metric, name in names.items():
            column = table.columns[metric]
            if not column.geometric:
                yield _line(name, table.ids[row], _printed(column, float(column.values[row])))


def _mean_lines(table: Table, names: dict[str, str], run_tag: str) -> Iterator[str]:
    if all(metric in table.columns for metric in _TOTALS):
        yield _line("runid", "all", run_tag)
        yield _line("num_q", "all", str(len(_evaluated(table))))
    for metric, name in names.items():
        column = table.columns[metric]
        value = float(np.cumsum(np.append(0.0, column.scored))[-1]) if column.summed else table.mean(metric)
        yield _line(name, "all", _printed(column, value))


def _evaluated(table: Table) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The rows that have a score."""
    scored = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        scored |= ~np.isnan(column.values)
    return np.flatnonzero(scored)


def _is_version_9(table: Table) -> bool:
    return (table.signature.get("trec_eval") or "").startswith("9")


def _printed(column: Column, value: float) -> str:
    return f"{value:.0f}" if column.summed else f"{value:6.4f}"


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{_one_field(query)}\t{_one_field(value)}"


def _one_field(text: str) -> str:
    """The text without tabs and line breaks, which separate fields."""
    return re.sub(r"[\x00-\x1f]", "_", text)
