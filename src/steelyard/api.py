"""What Python code calls beside the evaluators: comparison, gate and report, as objects that notebooks display."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from steelyard.errors import ConfigError
from steelyard.i18n import Language, Message, locale_language, words_of
from steelyard.io.addresses import path_of
from steelyard.io.records import unique_names
from steelyard.io.results import load
from steelyard.progress import FAILED_GATES
from steelyard.reports import cells
from steelyard.reports.blocks import Block, TableBlock
from steelyard.reports.content import Report, compare_results
from steelyard.reports.gate import gate_blocks, headline
from steelyard.reports.render.console import render_console
from steelyard.reports.render.fragment import render_fragment
from steelyard.reports.render.latex import render_latex
from steelyard.reports.render.markdown import render_markdown
from steelyard.reports.render.values import as_json
from steelyard.reports.sections import report_blocks
from steelyard.reports.sections.leaderboard import letters_notes
from steelyard.stats.belief import Calibrations
from steelyard.stats.calibration import LEAST_KAPPA, read_calibration
from steelyard.stats.compare import Comparison, ComparisonSettings, Family, compare_all
from steelyard.stats.correction import Correction
from steelyard.stats.gate import Finding, Gate, GateSettings, check_rules, decide
from steelyard.stats.paired import TestName
from steelyard.stats.rules import parse_rule, spelled
from steelyard.stats.scopes import Units
from steelyard.stats.summary import Summary
from steelyard.table import Table, pandas_package

if TYPE_CHECKING:
    import pandas

Result = Table | str | Path
"""A Table, or the path of a file that `steelyard.load` reads."""


class Shown(ABC):
    """An outcome made of blocks: text, and HTML in notebooks; options of commands are named as arguments."""

    @abstractmethod
    def blocks(self, language: Language = "en") -> Sequence[Block]:
        """Return the blocks in a language."""

    def __str__(self) -> str:
        return render_console(self.blocks(locale_language()))

    def _repr_html_(self) -> str:
        return self.to_html(language=locale_language())

    def to_markdown(self, *, language: Language = "en") -> str:
        """As Markdown."""
        return render_markdown(self.blocks(language))

    def to_latex(self, *, language: Language = "en") -> str:
        """As LaTeX tables."""
        return render_latex(self.blocks(language), language=language)

    def to_html(self, *, language: Language = "en") -> str:
        """As a fragment of HTML."""
        return render_fragment(self.blocks(language))

    def as_dict(self) -> dict[str, Any]:
        """As the command prints with `--json`."""
        return as_json(self.blocks())


@dataclass(frozen=True)
class Comparisons(Shown, Sequence[Comparison]):
    """Results compared with the first of them: a sequence of comparisons, one for each result and metric.

    With three results or more, every two are compared as well; results that share a letter do not differ.
    """

    outcome: Report

    def blocks(self, language: Language = "en") -> Sequence[Block]:
        """Return means, differences, changed items, and letters over all pairs."""
        return report_blocks(self.outcome, language, "python")

    @cached_property
    def comparisons(self) -> Sequence[Comparison]:
        """The comparisons in order of results and metrics."""
        return self.outcome.comparisons

    @property
    def letters(self) -> dict[str, dict[str, str] | None]:
        """For each metric the letters of every result; empty for two results.

        None for a metric of which no test could be significant: `letters_notes` says why.
        """
        return self.as_dict().get("letters", {})  # type: ignore[no-any-return]

    @property
    def letters_notes(self) -> dict[str, str]:
        """For each metric without letters, why: too few resamples (and how many would do), or too few items."""
        return letters_notes(self.outcome, words_of("en", "python"))

    @overload
    def __getitem__(self, index: int) -> Comparison: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Comparison]: ...

    def __getitem__(self, index: int | slice) -> Comparison | Sequence[Comparison]:
        return self.comparisons[index]

    def __len__(self) -> int:
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __repr__(self) -> str:
        names = ", ".join(table.name for table in self.outcome.tables)
        return f"<Comparisons of {names}: {len(self)}>"

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame, a row per comparison: `old`, `new`, their means, and the other fields of JSON output."""
        return pandas_package().DataFrame([_old_and_new(comparison) for comparison in self])

    def plot(self, path: str | Path | None = None, *, language: Language = "en") -> "Plot":
        """Return the means and the differences with their intervals; written as SVG, PNG or PDF if a path is given."""
        return _plot(self.outcome, path, language)

    def report(self, path: str | Path, *, language: Language = "en", lang: Language | None = None) -> None:
        """Write the comparison in the format of the extension, as `steelyard compare -o` does."""
        _write(self.outcome, path_of(path), lang or language)


@dataclass(frozen=True)
class GateResult(Shown):
    """The outcome of a gate: true if every rule passes."""

    gate: Gate

    def __bool__(self) -> bool:
        if not self.passed and (failed := FAILED_GATES.get()) is not None:
            failed.append(self)
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether every rule passes."""
        return self.gate.passed

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The outcome of each rule."""
        return self.gate.findings

    def blocks(self, language: Language = "en") -> Sequence[Block]:
        """Return the outcome, the rules, and what is to be known about them."""
        return gate_blocks(self.gate, language, "python")

    def __repr__(self) -> str:
        """Return the outcome, and the rules that do not pass, in one line."""
        words = words_of(locale_language())
        outcome = words.joined("core.clauses", self.unmet) or words("gate.every_rule_passes")
        return f"<{words.labelled(headline(self.gate, words), outcome)}>"

    @property
    def unmet(self) -> list[str]:
        """The rules that do not pass, with what was measured."""
        return [
            f"{finding.rule} ({finding.outcome}: {cells.number(finding.value)}, n = {finding.n})"
            for finding in self.findings
            if not self.gate.lets_pass(finding)
        ]


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure as SVG, which notebooks display."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot: {len(self.svg):,} characters of SVG>"


@dataclass(frozen=True)
class TableView(Shown):
    """The means of a Table, as `steelyard report` prints them."""

    table: Table

    def blocks(self, language: Language = "en") -> Sequence[Block]:
        """Return the means, counts and settings."""
        return report_blocks(Report([self.table]), language, "python")


@dataclass(frozen=True)
class SummaryView(Shown):
    """A summary as a table."""

    summary: Summary

    def blocks(self, language: Language = "en") -> Sequence[Block]:
        """Return a row per metric: mean, interval, and the numbers of items."""
        words = words_of(language)
        headings = map(words, ("report.metric", "report.mean", "report.interval", "report.fates"))
        rows = [
            [metric, cells.mean(mean), cells.spread(mean), cells.counts(mean)]
            for metric, mean in self.summary.metrics.items()
        ]
        return [TableBlock(list(headings), rows, self.summary.name)]


def compare(
    old: Result,
    new: Result,
    *more: Result,
    metrics: str | Sequence[str] | None = None,
    by: str | None = None,
    test: TestName = "permutation",
    resamples: int | None = None,
    seed: int = 42,
    correction: Correction = "holm",
    alpha: float = 0.05,
    units: Units = "auto",
    family: Family = "all",
    calibrations: str | Path | Sequence[str | Path] = (),
) -> Comparisons:
    """Compare results with the first, item by item, as `steelyard compare OLD NEW [NEW…]` does.

    A difference is new minus old. All p-values are corrected as one family, or if `family` is "metric" those of each
    metric apart; without `resamples` there are as many as the family needs. `by` is a tag for whose values the
    differences are given too. `units` says what decides: items, documents, or documents if there are enough.
    `calibrations` are files of `steelyard judge calibrate`.
    """
    settings = ComparisonSettings(test, resamples, seed, correction, alpha, units, family)
    names = [metrics] if isinstance(metrics, str) else metrics
    tables, given = _tables(old, new, *more), _calibrations(calibrations)
    return Comparisons(compare_results(tables, settings, metrics=names, by=by, calibrations=given))


def gate(
    result: Result,
    require: str | Sequence[str],
    *more: str,
    baseline: Result | None = None,
    alpha: float = 0.05,
    allow_inconclusive: bool = False,
    force: bool = False,
    allow_errors: float = 0.0,
    units: Units = "auto",
    calibrations: str | Path | Sequence[str | Path] = (),
    least_kappa: float = LEAST_KAPPA,
    accept_advisory: bool = False,
) -> GateResult:
    """Check a result against rules such as `F1 >= 0.8` or `F1 not-worse-by 0.02`, as `steelyard gate` does.

    `require` is a rule or several; further rules may follow it. `calibrations` are files of `steelyard judge
    calibrate`, without which metrics that a model has judged are advisory; so they are if kappa is not above
    `least_kappa`. With `accept_advisory` those without a calibration decide, and every output says so.
    """
    rules = [parse_rule(text) for text in (*([require] if isinstance(require, str) else require), *more)]
    check_rules(rules, has_baseline=baseline is not None)
    table, *others = _tables(result, *([] if baseline is None else [baseline]))
    given = _calibrations(calibrations, least_kappa)
    settings = GateSettings(
        alpha, allow_inconclusive, force, allow_errors, units, given, accept_advisory=accept_advisory
    )
    return GateResult(decide(spelled(rules, table.columns), table, others[0] if others else None, settings))


def report(
    results: Result | Sequence[Result],
    path: str | Path,
    *,
    by: str | None = None,
    language: Language = "en",
    lang: Language | None = None,
    units: Units = "auto",
    calibrations: str | Path | Sequence[str | Path] = (),
) -> None:
    """Write a report in the format of the extension (.html .md .tex .csv .json .jsonl .svg .png .pdf).

    Several results are compared with the first of them. `lang` is another name of `language`, that of the commands.
    `calibrations` are files of `steelyard judge calibrate`.
    """
    many = [results] if isinstance(results, Table | str | Path) else results
    tables = _tables(*many)
    comparisons = compare_all(tables[1:], tables[0], ComparisonSettings(units=units))
    made = Report(tables, comparisons, by=by, units=units, calibrations=_calibrations(calibrations))
    _write(made, path_of(path), lang or language)


def plot(table: Table, path: str | Path | None = None, *, language: Language = "en") -> Plot:
    """Return the means of a table with their intervals; written as SVG, PNG or PDF if a path is given."""
    return _plot(Report([table]), path, language)


def _calibrations(given: str | Path | Sequence[str | Path], least_kappa: float = LEAST_KAPPA) -> Calibrations:
    paths = [given] if isinstance(given, str | Path) else given
    return Calibrations([read_calibration(path) for path in paths], least_kappa)


def _old_and_new(comparison: Comparison) -> dict[str, Any]:
    """Return the fields of a comparison, with the two results in the order and the words of the call."""
    fields = comparison.as_dict()
    names = {"b": "old", "a": "new", "b_mean": "old_mean", "a_mean": "new_mean"}
    first = {"old": fields["b"], "new": fields["a"], **{key: fields[key] for key in ("metric", "n", "unpaired")}}
    means = {names[key]: fields[key] for key in ("b_mean", "a_mean")}
    return {**first, **means, **{key: value for key, value in fields.items() if key not in (*names, *first)}}


def _tables(*results: Result) -> list[Table]:
    """Return the tables with different names."""
    tables = [_table(each) for each in results]
    names = unique_names([table.name for table in tables])
    return [replace(table, name=name) for table, name in zip(tables, names, strict=True)]


def _table(result: Result) -> Table:
    if isinstance(result, Table):
        return result
    if isinstance(result, str | Path):
        return load(result)
    message = Message("reports.not_a_result", found=type(result).__name__)
    raise ConfigError(message, hint=Message("reports.not_a_result_hint"))


def _write(content: Report, path: Path, language: Language) -> None:
    from steelyard.io.writing import check_outputs
    from steelyard.reports.files import RANKING_SUFFIXES, SUFFIXES, write_report

    suffixes = RANKING_SUFFIXES if content.tables[0].kind == "retrieval" else SUFFIXES
    check_outputs([path], suffixes=suffixes, overwrite=True)
    write_report(content, path, language=language)


def _plot(content: Report, path: str | Path | None, language: Language) -> Plot:
    from steelyard.reports.plots.charts import report_figure, save_plot

    if path is not None:
        save_plot(content, path_of(path), language=language)
    return Plot(report_figure(content, language=language))
