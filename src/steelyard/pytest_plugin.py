"""pytest: the fixtures `steelyard` and `steelyard_run`, one test per item, results as files, and properties in JUnit.

`steelyard.answers(…)`, `.retrieval(…)` and `.legal(…)` give Tables, of which a test asserts `table.meets("F1 >= 0.8")`.
`steelyard_run` has the same for the whole session, for fixtures that several tests share. A test with the mark
`steelyard_items("questions/")` runs for each item, and asserts `steelyard_item.check(answer)`.
Nothing of the package is imported before a test uses it.
"""

import math
import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final

import pytest

from steelyard.progress import FAILED_GATES

if TYPE_CHECKING:
    from steelyard.answers.rows import AnswerRow
    from steelyard.documents.pages import Document
    from steelyard.i18n import Words
    from steelyard.legal.model import LegalVerdict, Question
    from steelyard.table import Table

MARK: Final = "steelyard_items"
ITEM: Final = "steelyard_item"
SETTING: Final = "steelyard_results"
_GATES: Final = pytest.StashKey[list[Any]]()
_KEPT: Final = pytest.StashKey[list[str]]()
_OUTPUT: Final = "steelyard_kept"  # what a worker of xdist sends to its controller
_LONGEST: Final = 100  # characters of the name of a file


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the folder of results files."""
    words = "folder for the results files of the fixture `steelyard` (default: in pytest's cache)"
    parser.getgroup("steelyard").addoption("--steelyard-results", metavar="DIR", type=Path, help=words)
    parser.addini(SETTING, f"{words}, relative to the root folder of the project", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", f"{MARK}(path): one test for each item of a benchmark folder or a file of rows")
    config.stash[_KEPT] = []


@dataclass(slots=True, repr=False)
class Evaluations:
    """The evaluators; each result is kept as a file, and its means become properties. All else is the package's."""

    folder: Path
    test: str
    record: Callable[[str, object], None]
    kept: list[str] = field(default_factory=list)
    _names: dict[str, int] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        """Return what the package has, because the name of the fixture hides the module in a test."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(import_module("steelyard"), name)

    def __repr__(self) -> str:
        return f"<steelyard: {len(self.kept)} results in {self.folder}>"

    def answers(self, *arguments: Any, **options: Any) -> "Table":
        """`steelyard.evaluate_answers`, with the texts in the results file."""
        from steelyard.answers.evaluate import evaluate_answers

        return self._keep(evaluate_answers(*arguments, **{"keep": True, **options}))

    def retrieval(self, *arguments: Any, **options: Any) -> "Table":
        """`steelyard.evaluate_retrieval`."""
        from steelyard.retrieval.evaluate import evaluate_retrieval

        return self._keep(evaluate_retrieval(*arguments, **options))

    def legal(self, *arguments: Any, **options: Any) -> "Table":
        """`steelyard.evaluate_legal`."""
        from steelyard.legal.benchmark.runner import evaluate_legal

        return self._keep(evaluate_legal(*arguments, **options))

    def _keep(self, table: "Table") -> "Table":
        from steelyard.io.results import save

        path = self.folder / f"{_file_name(self.test)}-{len(self.kept) + 1}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        save(table, path)
        self.kept.append(str(path))
        name = self._unique(table.name)
        for metric in table.metrics:
            self.record(f"{name}.{metric}", table.mean(metric))
        self.record(f"{name}.results", str(path))
        return table

    def _unique(self, name: str) -> str:
        """Return the name of a result, with a number from the second result of this name on."""
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"


@pytest.fixture
def steelyard(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[Evaluations]:
    """Yield evaluators whose results are kept as files and whose means are properties of the test."""
    properties = request.node.user_properties  # `record_property` warns of a schema of JUnit

    def record(name: str, value: object) -> None:
        properties.append((name, value))

    evaluations = Evaluations(_results_folder(pytestconfig), request.node.nodeid, record)
    yield evaluations
    pytestconfig.stash[_KEPT].extend(evaluations.kept)


@pytest.fixture(scope="session")
def steelyard_run(
    record_testsuite_property: Callable[[str, object], None], pytestconfig: pytest.Config
) -> Iterator[Evaluations]:
    """Yield the same for the whole session, for fixtures of any scope; means are properties of the test suite."""
    worker = getattr(pytestconfig, "workerinput", {}).get("workerid", "")
    name = f"session-{worker}" if worker else "session"
    evaluations = Evaluations(_results_folder(pytestconfig), name, record_testsuite_property)
    yield evaluations
    pytestconfig.stash[_KEPT].extend(evaluations.kept)


@dataclass(frozen=True, slots=True)
class ItemCheck:
    """Whether an answer passes, with its scores and what explains them."""

    passed: bool
    scores: Mapping[str, float]
    reason: str

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        scores = ", ".join(f"{metric} {score:.4f}" for metric, score in self.scores.items())
        code = "plugins.check_passed" if self.passed else "plugins.check_failed"
        return _words()(code, scores=scores, reason=self.reason)


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """A question of a legal benchmark with its document; `question` is its text."""

    id: str
    question: str
    content: "Question"
    document: "Document"

    def check(self, answer: Any, *, at_least: float | None = None) -> ItemCheck:
        """Return the verdict on an answer (text, or a mapping with citations); it passes with the score of its type."""
        from steelyard.legal.score import verdict_on_answer

        verdict: LegalVerdict = verdict_on_answer(self.content, answer, self.document)
        least = self.content.about.passing if at_least is None else at_least
        scores = {"legal": verdict.score, **verdict.parts}
        return ItemCheck(verdict.score >= least, scores, verdict.reason_in(_words().language))


@dataclass(frozen=True, slots=True)
class RowItem:
    """A row of a file with a question and its references; `question` is the text of the question."""

    id: str
    question: str
    row: "AnswerRow"

    def check(
        self,
        answer: str,
        metric: str = "F1",
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        contexts: Sequence[Any] | None = None,
    ) -> ItemCheck:
        """Return the score of an answer by one metric; it passes with at least 1, or within the limits given.

        `contexts` are what the system retrieved, for metrics over them; by default those of the row.
        """
        from steelyard.answers.evaluate import evaluate_answers

        table = evaluate_answers([self._row(answer, contexts)], metrics=[metric])
        words, score = _words(), float(table.column(metric)[0])
        why = table.why(metric, 0)
        if why is not None:
            return ItemCheck(False, {metric: score}, why.reason.text(words.language))
        low = 1.0 if at_least is None and at_most is None else at_least
        named = {"plugins.at_least": low, "plugins.at_most": at_most}
        limits = [words(code, limit=f"{limit:g}") for code, limit in named.items() if limit is not None]
        passed = score >= (-math.inf if low is None else low) and score <= (math.inf if at_most is None else at_most)
        reason = words("plugins.limits_needed", limits=words.joined("core.and", limits))
        return ItemCheck(passed, {metric: score}, reason)

    def _row(self, answer: str, contexts: Sequence[Any] | None) -> dict[str, Any]:
        groups = [list(group) for group in self.row.references]
        references = groups if self.row.nested or not groups else groups[0]
        row = {"question": self.question, "prediction": answer, "references": references}
        own = [each._asdict() for each in self.row.contexts or ()] or None
        found = own if contexts is None else contexts
        return row if found is None else {**row, "contexts": found}


def _words() -> "Words":
    from steelyard.i18n import locale_language, words_of

    return words_of(locale_language())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test for each item, where a test has the mark and the argument `steelyard_item`."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        return
    where = metafunc.definition.nodeid
    if ITEM not in metafunc.fixturenames:
        raise pytest.UsageError(f"{where}: a test with the mark {MARK} needs the argument {ITEM}")
    if len(mark.args) != 1 or mark.kwargs:
        raise pytest.UsageError(f"{where}: {MARK} needs the path of a benchmark or a file of rows")
    items = list(_items(_found(mark.args[0], metafunc.definition.path.parent)))
    metafunc.parametrize(ITEM, items, ids=[item.id for item in items])


def _found(path: str | Path, folder: Path) -> Path:
    """Return a path beside the test file; else from where pytest was started."""
    beside = folder / path
    return Path(path) if not beside.exists() and Path(path).exists() else beside


def _items(path: Path) -> "Iterator[QuestionItem | RowItem]":
    from steelyard.errors import SteelyardError

    try:
        yield from _questions(path) if path.is_dir() else _rows(path)
    except SteelyardError as error:
        raise pytest.UsageError(str(error)) from None


def _questions(folder: Path) -> Iterator[QuestionItem]:
    from steelyard.legal.benchmark.questions import load_benchmark

    root = folder.parent if folder.name == "questions" else folder
    benchmark = load_benchmark(root)
    for question in benchmark.questions:
        about = question.about
        yield QuestionItem(about.id, about.question, question, benchmark.documents[about.document])


def _rows(path: Path) -> Iterator[RowItem]:
    from steelyard.answers.sources import read_questions

    return (RowItem(row.id, row.question, row) for row in read_questions(path))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Collect the gates that do not pass while the test runs."""
    token = FAILED_GATES.set(item.stash.setdefault(_GATES, []))
    try:
        return (yield)
    finally:
        FAILED_GATES.reset(token)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the gates that did not pass to the report of a failed test; an error of ours ends in the user's own code."""
    if call.excinfo is not None and not item.config.getoption("fulltrace", False):
        _cut_at_package(call.excinfo)
    report = yield
    if report.when == "call" and report.failed:
        for gate in {id(gate): gate for gate in item.stash.get(_GATES, [])}.values():
            report.sections.append(("steelyard gate", str(gate)))
    return report


def _cut_at_package(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Leave the frames of the package out of the traceback of one of its errors, which names file, line and hint."""
    errors = sys.modules.get("steelyard.errors")
    if errors is None or not isinstance(excinfo.value, errors.SteelyardError):
        return
    last: TracebackType | None = excinfo.tb
    while last is not None and last.tb_next is not None and not _is_ours(last.tb_next.tb_frame):
        last = last.tb_next
    if last is not None:
        last.tb_next = None


def _is_ours(frame: FrameType) -> bool:
    """Return whether a frame is of the package; the hooks around a test are not meant."""
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "steelyard" and not frame.f_code.co_name.startswith("pytest_")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a worker of xdist, tell the controller which files there are."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = session.config.stash[_KEPT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the files of a worker of xdist."""
    node.config.stash[_KEPT].extend(getattr(node, "workeroutput", {}).get(_OUTPUT, []))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where the results are."""
    kept = config.stash.get(_KEPT, [])
    if kept:
        files = "1 results file" if len(kept) == 1 else f"{len(kept)} results files"
        terminalreporter.write_line(f"steelyard: {files} in {Path(kept[0]).parent}")


def _results_folder(config: pytest.Config) -> Path:
    chosen = config.getoption("--steelyard-results") or config.getini(SETTING)
    if chosen:
        return Path(chosen) if isinstance(chosen, Path) else config.rootpath / chosen
    cache = getattr(config, "cache", None)
    return Path(cache.mkdir("steelyard")) if cache is not None else _ignored(config.rootpath / ".steelyard")


def _ignored(folder: Path) -> Path:
    """Return a folder that git does not see, as pytest's cache is."""
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    return folder


def _file_name(nodeid: str) -> str:
    """Return the name of a test as that of a file; where that loses something, a hash tells tests apart."""
    plain = re.sub(r"::|/", ".", nodeid)
    name = re.sub(r"[^\w.-]+", "_", plain)
    if name == plain and len(name) <= _LONGEST:
        return name
    return f"{name[-_LONGEST:].strip('_')}-{sha256(nodeid.encode()).hexdigest()[:8]}"
