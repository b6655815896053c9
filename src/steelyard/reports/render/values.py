"""Reports for programs: JSON, CSV, JUnit XML (which GitHub, GitLab and Jenkins show), and what trec_eval prints."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from steelyard.errors import ConfigError, SteelyardError
from steelyard.i18n import Message
from steelyard.io.results import numbers
from steelyard.registry.names import MEASURES, parse_measure, place_of, trec_name
from steelyard.reports.blocks import Block, CheckCase, CheckSuite, Fields, ItemScores, Records
from steelyard.reports.content import Report
from steelyard.table import Column, Table
from steelyard.text.visible import indented_json

RESULTS = "results"


def render_json(blocks: Sequence[Block]) -> str:
    """Return the fields as JSON, indented."""
    return indented_json(as_json(blocks))


def as_json(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return the fields of the blocks, in order; those of results are a list under `results`."""
    output: dict[str, Any] = {}
    for block in blocks:
        match block:
            case Fields(result=None):
                output.update(block.values())
            case Fields(result=int(index)):
                _result(output.setdefault(RESULTS, []), index).update(block.values())
    return output


def _result(results: list[dict[str, Any]], index: int) -> dict[str, Any]:
    while len(results) <= index:
        results.append({})
    return results[index]


_UNSEEN: Final = (
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\"]"
)
"""White space, control characters and other invisible ones; a spreadsheet may drop them, and quotation marks too."""
_FORMULA: Final = re.compile(rf"{_UNSEEN}*[=+\-@＝＋－＠]")
"""How a formula begins for some spreadsheet (OWASP, CSV injection)."""
_CELL_END: Final = re.compile(r"([;\t\r\n])")
"""Where some spreadsheet begins another cell: one that separates by these knows no quotation marks within a cell."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def render_csv(blocks: Sequence[Block]) -> str:
    """Return the scores of items, one line per result and item, where there are some; else the records."""
    scores = [line for block in blocks if isinstance(block, ItemScores) for line in _score_rows(block)]
    records = (line for block in blocks if isinstance(block, Records) for line in (block.columns, *block.rows))
    return "".join(map(_csv_line, scores or records))


def _score_rows(block: ItemScores) -> Iterator[Sequence[object]]:
    yield block.keys
    for scores in block.results:
        columns = [[None] * len(scores.ids) if column is None else numbers(column) for column in scores.columns]
        for row, identifier in enumerate(scores.ids):
            yield [scores.result, identifier, *(column[row] for column in columns)]


def _csv_line(row: Sequence[object]) -> str:
    """Return a line; a cell with an end of line of any kind is quoted (csv quotes only ends that it writes)."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\r\n").writerow([*map(_csv_cell, row)])
    return output.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(value: object) -> object:
    """Return a cell that no spreadsheet reads as a formula: an apostrophe precedes whatever begins like one."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    pieces = _CELL_END.split(value)
    marked = "".join(f"'{piece}" if _FORMULA.match(piece) else piece for piece in pieces)
    return f"'{marked}" if marked.startswith(("\t", "\r", "\n")) else marked


# XML 1.0 has no place for these, escaped or not
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(blocks: Sequence[Block], *, when: datetime, seconds: float) -> str:
    """Return the test suite with its properties, cases and output; `when` it ran, and how many seconds."""
    suite = next(block for block in blocks if isinstance(block, CheckSuite))
    attributes = {
        "name": suite.name,
        "tests": str(len(suite.cases)),
        "failures": str(sum(case.status == "failed" for case in suite.cases)),
        "errors": "0",
        "skipped": str(sum(case.status == "skipped" for case in suite.cases)),
        "time": f"{seconds:.3f}",
    }
    root = Element("testsuites", _valid({key: value for key, value in attributes.items() if key != "skipped"}))
    moment = {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%S"), "hostname": "localhost"}
    _fill(SubElement(root, "testsuite", _valid({**attributes, **moment})), suite)
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _fill(element: Element, suite: CheckSuite) -> None:
    properties = SubElement(element, "properties")
    for name, value in suite.properties.items():
        SubElement(properties, "property", _valid({"name": name, "value": value}))
    for case in suite.cases:
        _add_case(element, suite.classname, case)
    SubElement(element, "system-out").text = _valid_text("\n".join(suite.output))
    SubElement(element, "system-err")


def _add_case(suite: Element, classname: str, case: CheckCase) -> None:
    element = SubElement(suite, "testcase", _valid({"name": case.name, "classname": classname, "time": "0.000"}))
    if case.status == "failed":
        failure = SubElement(element, "failure", _valid({"message": case.reason, "type": case.outcome}))
        failure.text = _valid_text("\n".join((case.reason, *case.details)))
    elif case.status == "skipped":
        SubElement(element, "skipped", _valid({"message": case.reason}))
    SubElement(element, "system-out").text = _valid_text(case.output)


def _valid(attributes: dict[str, str]) -> dict[str, str]:
    return {key: _valid_text(value) for key, value in attributes.items()}


def _valid_text(text: str) -> str:
    return _FORBIDDEN.sub("", text)


_TOTALS = ("NumRet", "NumRel", "NumRelRet")
"""Metrics in every set of trec_eval that also has the name of the run and the number of queries."""


def render_trec_eval(report: Report) -> str:
    """Return the lines `measure, query, value` in the order of trec_eval.

    What trec_eval does not have follows at the end.

    A report of several results, or of another kind than rankings, is an error.
    """
    table = report.tables[0]
    if len(report.tables) > 1 or table.kind != "retrieval":
        raise one_run_only()
    names = _names(table)
    lines = list(_query_lines(table, names)) if report.per_item else []
    return "".join(f"{line}\n" for line in [*lines, *_mean_lines(table, names, report.run_tag or table.name)])


def one_run_only() -> ConfigError:
    """Return the error for what trec_eval's format cannot hold."""
    return ConfigError(Message("reports.one_run_only"), hint=Message("reports.one_run_only_hint"))


def _names(table: Table) -> dict[str, str]:
    """Return the name in trec_eval of each column, in its order."""
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
    """Yield a line for each measure of each query; trec_eval 9 leaves out queries that are missing from the run."""
    rows = _evaluated(table)
    if (table.signature.get("trec_eval") or "").startswith("9") and "NumRet" in table.columns:
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
    """Return the rows that have a score."""
    scored = np.zeros(len(table), np.bool_)
    for column in table.columns.values():
        scored |= ~np.isnan(column.values)
    return np.flatnonzero(scored)


def _printed(column: Column, value: float) -> str:
    return f"{value:.0f}" if column.summed else f"{value:6.4f}"


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{_one_field(query)}\t{_one_field(value)}"


def _one_field(text: str) -> str:
    """Return the text without tabs and line breaks, which separate fields."""
    return re.sub(r"[\x00-\x1f]", "_", text)
