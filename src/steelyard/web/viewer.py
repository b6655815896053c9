"""The pages of a folder of results: list, history, one result, two compared. Addresses hold ids, never paths."""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.errors import SteelyardError
from steelyard.i18n import Language, Message, code_of, translations, words_of
from steelyard.io.records import unique_names
from steelyard.registry.kinds import is_directed, is_lower_better
from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.reports.plots.means import MOST_METRICS, MOST_RUNS
from steelyard.reports.render.html.frame import render_page
from steelyard.stats.compare import ComparisonSettings, compare_all
from steelyard.stats.pairing import check_comparable
from steelyard.stats.scopes import Units
from steelyard.table import Table
from steelyard.web.history import Draw, draw_trend, means_of, series_of, title_of, trends_of
from steelyard.web.index import Entry, Index
from steelyard.web.rendering import OPEN, Privacy, Render

TEMPLATES: Final = Path(__file__).parent / "templates"
REASONS: Final = {
    HTTPStatus.REQUEST_TIMEOUT: "view.why_timeout",
    HTTPStatus.REQUEST_URI_TOO_LONG: "view.why_too_long",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "view.why_headers",
    HTTPStatus.SERVICE_UNAVAILABLE: "view.why_busy",
    HTTPStatus.INTERNAL_SERVER_ERROR: "view.why_failed",
    HTTPStatus.NOT_FOUND: "view.why_not_found",
    HTTPStatus.FORBIDDEN: "view.why_forbidden",
    HTTPStatus.UNAUTHORIZED: "view.why_unauthorized",
    HTTPStatus.METHOD_NOT_ALLOWED: "view.why_method",
}
OTHER_REASON: Final = "view.why_bad_request"
PHRASES: Final = {
    HTTPStatus.BAD_REQUEST: "view.bad_request",
    HTTPStatus.UNAUTHORIZED: "view.unauthorized",
    HTTPStatus.FORBIDDEN: "view.forbidden",
    HTTPStatus.NOT_FOUND: "view.not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "view.method_not_allowed",
    HTTPStatus.REQUEST_TIMEOUT: "view.request_timeout",
    HTTPStatus.CONFLICT: "view.conflict",
    HTTPStatus.REQUEST_URI_TOO_LONG: "view.uri_too_long",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "view.headers_too_large",
    HTTPStatus.INTERNAL_SERVER_ERROR: "view.internal_server_error",
    HTTPStatus.SERVICE_UNAVAILABLE: "view.service_unavailable",
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED: "view.version_not_supported",
}
"""The titles of error pages; other statuses have the phrase of `http`, in English."""

COMMANDS: Final = {
    "view.make_benchmark": "steelyard bench --system builtin:baseline -o {folder}/baseline.jsonl",
    "view.make_answers": "steelyard answers answers.jsonl -o {folder}/answers.jsonl",
    "view.make_rankings": "steelyard retrieval qrels.txt run.txt -o {folder}/run.jsonl",
}
"""What an empty folder is filled with: the first command needs no file of the user."""

_ID = "([0-9a-f]{16})"


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its status, as UTF-8."""

    status: HTTPStatus
    content: bytes

    @property
    def html(self) -> str:
        """The page as text."""
        return self.content.decode("utf-8")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of the sources of a page: it changes when the page does; `size` is the bytes to read for it."""

    state: tuple[object, ...]
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing as it is shown; masking may make two paths equal, so broken files are pairs and not a mapping."""

    entries: list[Entry]
    broken: Sequence[tuple[str, tuple[str, ...]]]
    others: int


@dataclass(frozen=True, slots=True)
class Viewer:
    """The pages of an index. `render` makes the page of a report, `draw` a plot; `units` say what decides in them."""

    index: Index
    render: Render
    language: Language = "en"
    privacy: Privacy = OPEN
    draw: Draw = draw_trend
    units: Units = "auto"

    def page(self, path: str, language: Language) -> Page:
        """Return the page at a path."""
        for pattern, handler in _ROUTES.items():
            match = re.fullmatch(pattern, path)
            if match:
                try:
                    return handler(self, language, *match.groups()) or self.error_page(HTTPStatus.NOT_FOUND, language)
                except SteelyardError as error:
                    return self._conflict(error, language)
        return self.error_page(HTTPStatus.NOT_FOUND, language)

    def stamp(self, path: str) -> Stamp | None:
        """Return the current state of the sources of the page at a path; None if it is not known."""
        match = re.fullmatch(f"/result/{_ID}|/compare/{_ID}/{_ID}", path)
        if match:
            files = [self.index.stamp(identifier) for identifier in match.groups() if identifier]
            known = [file for file in files if file is not None]
            return Stamp(tuple(known), sum(file.size for file in known)) if len(known) == len(files) else None
        if re.fullmatch(f"/|/history(/{_ID})?", path):
            self.index.refresh()
            return Stamp(self.index.revision())
        return None

    def error_page(self, status: HTTPStatus, language: Language) -> Page:
        """Return the page of an error status."""
        return self._message(status, translations(Message(REASONS.get(status, OTHER_REASON))), language)

    def listed(self) -> Listed:
        """Return the current contents of the folder, masked if that is asked for."""
        self.index.refresh()
        listing = self.index.listing()
        shown = self.privacy.text
        entries = [
            replace(entry, name=shown(entry.name), path=shown(entry.path), signature=shown(entry.signature))
            for entry in listing.entries
        ]
        broken = [(shown(path), tuple(map(shown, problem))) for path, problem in listing.broken.items()]
        return Listed(entries, broken, listing.others)

    def list_page(self, language: Language) -> Page:
        """Return the list of all results, to search, sort, open and compare."""
        listing = self.listed()
        runs = {key: len(entries) for key, entries in series_of(listing.entries).items()}
        rows = [_row(entry, runs[entry.series]) for entry in listing.entries]
        data = {"results": rows, **_directions([listing.entries])}
        return self._view(
            "list",
            data,
            "view.all_results",
            language,
            broken=listing.broken,
            others=listing.others,
            commands=() if listing.entries else self._commands(),
        )

    def _commands(self) -> list[tuple[str, str]]:
        """Commands that make a result in the folder, each with the code of what it evaluates."""
        folder = shlex.quote(self.privacy.text(self.index.folder.name) or ".")
        return [(code, command.format(folder=folder)) for code, command in COMMANDS.items()]

    def history_page(self, language: Language) -> Page:
        """Every set of questions that was run more than once."""
        series = {key: runs for key, runs in series_of(self.listed().entries).items() if len(runs) > 1}
        return self._view(
            "history", _directions(series.values()), "view.history", language, series=series, means=means_of
        )

    def series_page(self, language: Language, key: str) -> Page | None:
        """Return the metrics of the runs over one set of questions."""
        runs = series_of(self.listed().entries).get(key)
        if runs is None:
            return None
        trends = list(trends_of(runs, language, self.draw))
        most = {"drawn": MOST_RUNS, "drawn_metrics": MOST_METRICS}
        return self._view("series", _directions([runs]), "view.history", language, runs=runs, trends=trends, **most)

    def result_page(self, language: Language, identifier: str) -> Page | None:
        """Return the report of one result."""
        tables = self._tables(identifier)
        return self._report(Report(tables, per_item=True, units=self.units), language) if tables else None

    def compare_page(self, language: Language, old: str, new: str) -> Page | None:
        """Return the report of two results; the first is what the second is compared with."""
        tables = self._tables(old, new)
        if len(tables) < 2:
            return None
        check_comparable(tables[1], tables[0])
        compared = compare_all(tables[1:], tables[0], ComparisonSettings(units=self.units))
        return self._report(Report(tables, compared, per_item=True, units=self.units), language)

    def _tables(self, *identifiers: str) -> list[Table]:
        """Return the results with these ids that exist, under different names."""
        tables = [table for identifier in identifiers if (table := self.index.open(identifier)) is not None]
        shown = self.privacy.tables(tables)
        names = unique_names([table.name for table in shown])
        return [  # the location of documents is not shown, but needed to find them
            replace(table, name=name, benchmark=original.benchmark)
            for table, name, original in zip(shown, names, tables, strict=True)
        ]

    def _report(self, report: Report, language: Language) -> Page:
        return Page(HTTPStatus.OK, self.render(report, language).encode("utf-8", "replace"))

    def _conflict(self, error: SteelyardError, language: Language) -> Page:
        texts = (text.replace(f"{self.index.folder}/", "") for text in translations(error))
        return self._message(HTTPStatus.CONFLICT, tuple(map(self.privacy.text, texts)), language)

    def _message(self, status: HTTPStatus, texts: tuple[str, ...], language: Language) -> Page:
        page = self._view("message", {}, PHRASES.get(status, status.phrase), language, texts=texts)
        return replace(page, status=status)

    def _view(self, part: str, data: Mapping[str, Any], title: str, language: Language, **context: Any) -> Page:
        html = render_page(
            "view",
            {**data, "page": part},
            title=f"{words_of(language).named(title)} · Steelyard",
            language=language,
            folders=[TEMPLATES],
            part=part,
            heading=title,
            number=_number,
            title_of=title_of,
            code_of=code_of,
            interval=_interval,
            **context,
        )
        return Page(HTTPStatus.OK, html.encode("utf-8", "replace"))


_ROUTES: Final[dict[str, Callable[..., Page | None]]] = {
    "/": Viewer.list_page,
    "/history": Viewer.history_page,
    f"/history/{_ID}": Viewer.series_page,
    f"/result/{_ID}": Viewer.result_page,
    f"/compare/{_ID}/{_ID}": Viewer.compare_page,
}


def _directions(series: Iterable[Sequence[Entry]]) -> dict[str, list[str]]:
    """Return the metrics of which less is better, and those of which neither is."""
    metrics = {metric for runs in series for run in runs for metric in run.metrics}
    undirected = [metric for metric in metrics if not is_directed(metric)]
    return {"falling": sorted(filter(is_lower_better, metrics)), "undirected": sorted(undirected)}


def _row(entry: Entry, runs: int) -> dict[str, Any]:
    """Return a result as the script of the list reads it."""
    main = entry.metrics.get(entry.main, {})
    low, high = main.get("ci95", (None, None))
    return {
        "id": entry.id,
        "name": entry.name,
        "path": entry.path,
        "kind": entry.kind,
        "time": entry.time,
        "file_time": entry.file_time,
        "items": entry.items,
        "errors": entry.errors,
        "unfinished": entry.unfinished,
        "metric": entry.main,
        "mean": main.get("mean"),
        "low": low,
        "high": high,
        "metrics": {name: found.get("mean") for name, found in entry.metrics.items()},
        "series": entry.series,
        "runs": runs,
    }


def _number(value: float | None) -> str:
    return cells.DASH if value is None else cells.number(value)


def _interval(bounds: Sequence[float | None]) -> str:
    return "" if None in bounds else f"[{', '.join(map(_number, bounds))}]"
