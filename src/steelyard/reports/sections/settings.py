"""What was counted and the settings of each result, side by side; in text they are lines (`footnotes`)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Words, code_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, PageForm, PageTables, TableBlock
from steelyard.reports.content import Report
from steelyard.stats.summary import Summary

ORDER: Final = 80
_FORM: Final = PageForm("settings")


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Both tables, on pages only."""
    yield PageTables(partial(_tables, report, words))


def _tables(report: Report, words: Words) -> Iterator[TableBlock]:
    return _of_many(report, words) if report.is_many else _side_by_side(report, words)


def _of_many(report: Report, words: Words) -> Iterator[TableBlock]:
    """The counts with a row for each result; the settings that all share, and those in which they differ."""
    names = [summary.name for summary in report.summaries]
    uniform = all(summary.uniform for summary in report.summaries)
    counted = _rows([_counts(summary, uniform=uniform) for summary in report.summaries])
    headings = [words("report.system"), *map(words.named, counted)]
    yield TableBlock(headings, _down(names, counted), page=_FORM)
    settings = _rows([dict(table.signature.settings) for table in report.tables])
    shared = {key: values for key, values in settings.items() if len(set(values)) == 1}
    heads = [words("report.setting"), words("report.every_system")]
    rows = [[words.name("setting", key), _setting(key, values[0], words)] for key, values in shared.items()]
    yield TableBlock(heads, rows, words("report.signature"), text_columns=2, page=_FORM)
    if own := {key: values for key, values in settings.items() if key not in shared}:
        heads = [words("report.system"), *(words.name("setting", key) for key in own)]
        yield TableBlock(heads, _down(names, own), words("report.differing"), text_columns=len(heads), page=_FORM)


def _down(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """A row for each result, with its value of each column."""
    return [[name, *(values[place] for values in columns.values())] for place, name in enumerate(names)]


def _side_by_side(report: Report, words: Words) -> Iterator[TableBlock]:
    """The counts and the settings with a column for each result."""
    names = [summary.name for summary in report.summaries]
    uniform = all(summary.uniform for summary in report.summaries)
    counted = _rows([_counts(summary, uniform=uniform) for summary in report.summaries])
    rows = [[words.named(key), *values] for key, values in counted.items()]
    yield TableBlock([words("report.counted"), *names], rows, page=_FORM)
    settings = _rows([dict(table.signature.settings) for table in report.tables])
    yield TableBlock(
        [words("report.setting"), *names],
        [
            [words.name("setting", key), *(_setting(key, value, words) for value in values)]
            for key, values in settings.items()
        ],
        words("report.signature"),
        text_columns=1 + len(names),
        page=_FORM,
    )


def _setting(key: str, value: str, words: Words) -> str:
    """The word for a value that the program gives a setting, such as `missing:zero`; other values are themselves."""
    code = code_of("setting_values", f"{key} {value}")
    return words(code) if code.startswith("setting_values.") else value


def _counts(summary: Summary, *, uniform: bool) -> dict[str, str]:
    """The items by status, then the other counts; the table of means has the numbers of metrics that differ in them."""
    scored = {"report.scored": summary.scored, "report.unscored": summary.unscored} if uniform else {}
    counts = {"report.items": summary.items, **scored, "report.errors": summary.errors, **summary.counts}
    return {key: f"{count:,}" for key, count in counts.items()}


def _rows(results: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """For each key of any result its values; a dash where a result does not have it."""
    keys = dict.fromkeys(key for of_result in results for key in of_result)
    return {key: [of_result.get(key, cells.DASH) for of_result in results] for key in keys}
