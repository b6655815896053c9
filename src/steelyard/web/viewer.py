"""The pages of a folder of results: list, history, one result, two compared. Addresses hold ids, never paths."""

import json
import re
import secrets
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, SteelyardError
from steelyard.i18n import Language, Localized, Message, code_of, translations, words_of
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
from steelyard.web.folder import FileStamp, problem_texts
from steelyard.web.history import Draw, draw_trend, means_of, series_of, title_of, trends_of
from steelyard.web.index import Entry, Index
from steelyard.web.rendering import OPEN, Privacy, Render
from steelyard.web.reviewing import Json, Reviewed, check_given, review_path, shown_judgement

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
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "view.why_body",
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
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "view.body_too_large",
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

LIVE_SECONDS: Final = 3600.0
"""For so long after its last change the file of an unfinished run is taken to be still written."""

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

    @property
    def tag(self) -> str:
        """A short text that is the same for the same state."""
        return sha256(repr(self.state).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a page: its language, and the tag of the state that it shows."""

    language: Language
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing as it is shown; masking may make two paths equal, so broken files are pairs and not a mapping."""

    entries: list[Entry]
    broken: Sequence[tuple[str, tuple[str, ...]]]
    others: int


@dataclass(frozen=True, slots=True)
class Viewer:
    """The pages of an index. `render` makes the page of a report, `draw` a plot; `units` say what decides in them.

    `key` is on the pages of this viewer only: a request that has it comes from one of them.
    """

    index: Index
    render: Render
    language: Language = "en"
    privacy: Privacy = OPEN
    draw: Draw = draw_trend
    units: Units = "auto"
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def page(self, path: str, language: Language, stamp: Stamp | None = None) -> Page:
        """Return the page at a path, of sources in this state."""
        asked = Asked(language, stamp.tag if stamp else "")
        for pattern, handler in _ROUTES.items():
            match = re.fullmatch(pattern, path)
            if match:
                try:
                    return handler(self, asked, *match.groups()) or self.error_page(HTTPStatus.NOT_FOUND, language)
                except SteelyardError as error:
                    return self._conflict(error, language)
        return self.error_page(HTTPStatus.NOT_FOUND, language)

    def stamp(self, path: str) -> Stamp | None:
        """Return the current state of the sources of the page at a path; None if it is not known."""
        match = re.fullmatch(f"/result/{_ID}|/compare/{_ID}/{_ID}", path)
        if match:
            identifiers = [identifier for identifier in match.groups() if identifier]
            files = [self.index.stamp(identifier) for identifier in identifiers]
            known = [file for file in files if file is not None]
            state = (*known, *map(self._review_stamp, identifiers))
            return Stamp(state, sum(file.size for file in known)) if len(known) == len(files) else None
        if re.fullmatch(f"/|/history(/{_ID})?", path):
            self.index.refresh()
            return Stamp(self.index.revision())
        return None

    def review(self, identifier: str, body: bytes) -> Page:
        """Save the judgement in a request about a result; the response is JSON, as what was saved or the error."""
        try:
            given = check_given(json.loads(body))
            found = next(iter(self._results(identifier)), None)
            if found is None or given["id"] not in found.table.ids:
                return _json(HTTPStatus.NOT_FOUND, {"error": translations(Message(REASONS[HTTPStatus.NOT_FOUND]))})
            if self.privacy is not OPEN:
                raise ConfigError(Message("web.review_masked"))
            return _json(HTTPStatus.OK, {"judgement": shown_judgement(found.save(given))})
        except SteelyardError as error:
            return _json(HTTPStatus.CONFLICT, {"error": self._texts(error)})
        except (ValueError, RecursionError):  # not JSON
            return _json(HTTPStatus.BAD_REQUEST, {"error": translations(Message(OTHER_REASON))})

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

    def list_page(self, asked: Asked) -> Page:
        """Return the list of all results, to search, sort, open and compare."""
        listing = self.listed()
        runs = {key: len(entries) for key, entries in series_of(listing.entries).items()}
        rows = [_row(entry, runs[entry.series]) for entry in listing.entries]
        data = {"results": rows, **_directions([listing.entries]), **_live(listing.entries, asked)}
        return self._view(
            "list",
            data,
            "view.all_results",
            asked.language,
            broken=listing.broken,
            others=listing.others,
            commands=() if listing.entries else self._commands(),
        )

    def _commands(self) -> list[tuple[str, str]]:
        """Commands that make a result in the folder, each with the code of what it evaluates."""
        folder = shlex.quote(self.privacy.text(self.index.folder.name) or ".")
        return [(code, command.format(folder=folder)) for code, command in COMMANDS.items()]

    def history_page(self, asked: Asked) -> Page:
        """Every set of questions that was run more than once."""
        entries = self.listed().entries
        series = {key: runs for key, runs in series_of(entries).items() if len(runs) > 1}
        data = {**_directions(series.values()), **_live(entries, asked)}
        return self._view("history", data, "view.history", asked.language, series=series, means=means_of)

    def series_page(self, asked: Asked, key: str) -> Page | None:
        """Return the metrics of the runs over one set of questions."""
        runs = series_of(self.listed().entries).get(key)
        if runs is None:
            return None
        trends = list(trends_of(runs, asked.language, self.draw))
        most = {"drawn": MOST_RUNS, "drawn_metrics": MOST_METRICS}
        data = {**_directions([runs]), **_live(runs, asked)}
        return self._view("series", data, "view.history", asked.language, runs=runs, trends=trends, **most)

    def result_page(self, asked: Asked, identifier: str) -> Page | None:
        """Return the report of one result."""
        results = self._results(identifier)
        if not results:
            return None
        tables = self._tables(results)
        report = Report(tables, per_item=True, units=self.units, served=self._served(results, asked))
        return self._report(report, asked.language)

    def compare_page(self, asked: Asked, old: str, new: str) -> Page | None:
        """Return the report of two results; the first is what the second is compared with."""
        results = self._results(old, new)
        if len(results) < 2:
            return None
        tables = self._tables(results)
        check_comparable(tables[1], tables[0])
        compared = compare_all(tables[1:], tables[0], ComparisonSettings(units=self.units))
        served = self._served(results, asked)
        return self._report(Report(tables, compared, per_item=True, units=self.units, served=served), asked.language)

    def _results(self, *identifiers: str) -> list[Reviewed]:
        """Return the results with these ids that exist, with their reviews."""
        found = []
        for identifier in identifiers:
            path, place = self.index.located(identifier)
            table = self.index.open(identifier)
            if path is not None and table is not None:
                found.append(Reviewed.read(identifier, table, review_path(path, place)))
        return found

    def _tables(self, results: Sequence[Reviewed]) -> list[Table]:
        """Return the results as they are shown, under different names."""
        shown = self.privacy.tables([result.shown for result in results])
        names = unique_names([table.name for table in shown])
        return [  # the location of documents is not shown, but needed to find them
            replace(table, name=name, benchmark=result.table.benchmark)
            for table, name, result in zip(shown, names, results, strict=True)
        ]

    def _served(self, results: Sequence[Reviewed], asked: Asked) -> Json:
        """Return what a page needs to save reviews, and to follow a run that is still being written."""
        reviews = [{"problem": self._texts(result.problem)} if result.problem else result.data() for result in results]
        reviewing = {"reviewing": {"key": self.key, "results": reviews}} if self.privacy is OPEN else {}
        stamps = [self.index.stamp(result.id) for result in results if not result.table.complete]
        is_live = any(stamp and _is_recent(stamp.times_ns[0] / 1e9) for stamp in stamps)
        return {**reviewing, **({"live": asked.tag} if asked.tag and is_live else {})}

    def _review_stamp(self, identifier: str) -> FileStamp | None:
        path, place = self.index.located(identifier)
        return None if path is None else FileStamp.of(review_path(path, place), identifier)

    def _report(self, report: Report, language: Language) -> Page:
        return Page(HTTPStatus.OK, self.render(report, language).encode("utf-8", "replace"))

    def _conflict(self, error: SteelyardError, language: Language) -> Page:
        return self._message(HTTPStatus.CONFLICT, self._texts(error), language)

    def _texts(self, problem: Localized) -> tuple[str, ...]:
        return tuple(map(self.privacy.text, problem_texts(problem, self.index.folder)))

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


def _live(entries: Iterable[Entry], asked: Asked) -> Json:
    """Return the state of a list in which a run is still being written; nothing for others."""
    is_live = any(entry.unfinished and _is_recent(entry.changed) for entry in entries)
    return {"live": asked.tag} if asked.tag and is_live else {}


def _is_recent(changed: float) -> bool:
    return time.time() - changed < LIVE_SECONDS


def _json(status: HTTPStatus, content: Json) -> Page:
    return Page(status, json.dumps(content).encode())


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
