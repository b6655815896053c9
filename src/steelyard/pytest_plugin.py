"""pytest: the fixture `steelyard`, one test per item, results kept as files, and scores as properties in JUnit.

`steelyard.answers(…)`, `.retrieval(…)` and `.legal(…)` give Tables, of which a test asserts `table.meets("F1 >= 0.8")`.
A test with the mark `steelyard_items("questions/")` runs for each item, and asserts `steelyard_item.check(answer)`.
Nothing of the package is imported before a test uses it.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from steelyard.observers import FAILED_GATES

if TYPE_CHECKING:
    from steelyard.answers.rows import AnswerRow
    from steelyard.documents.pages import Document
    from steelyard.legal.model import Question
    from steelyard.legal.verdicts import LegalVerdict
    from steelyard.table import Table

MARK: Final = "steelyard_items"
ITEM: Final = "steelyard_item"
_GATES: Final = pytest.StashKey[list[Any]]()
_KEPT: Final = pytest.StashKey[list[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The folder of results files."""
    words = "folder for the results files of the fixture `steelyard` (default: in pytest's cache)"
    parser.getgroup("steelyard").addoption("--steelyard-results", metavar="DIR", type=Path, help=words)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", f"{MARK}(path): one test for each item of a benchmark folder or a file of rows")
    config.stash[_KEPT] = []


@dataclass(slots=True)
class Evaluations:
    """The evaluators; each result is kept as a file, and its means become properties of the test."""

    folder: Path
    test: str
    record: Callable[[str, object], None]
    kept: list[Path] = field(default_factory=list)

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

    def load(self, path: str | Path) -> "Table":
        """`steelyard.load`: a result that exists already; it is not kept again."""
        from steelyard.io.results import load

        return load(path)

    def _keep(self, table: "Table") -> "Table":
        from steelyard.io.results import save

        path = self.folder / f"{_file_name(self.test)}-{len(self.kept) + 1}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        save(table, path)
        self.kept.append(path)
        for metric in table.metrics:
            self.record(f"{table.name}.{metric}", table.mean(metric))
        self.record(f"{table.name}.results", str(path))
        return table


@pytest.fixture
def steelyard(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None], pytestconfig: pytest.Config
) -> Iterator[Evaluations]:
    """Evaluators whose results are kept as files and whose means are properties of the test."""
    evaluations = Evaluations(_results_folder(pytestconfig), request.node.nodeid, record_property)
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
        return f"<{'passed' if self.passed else 'failed'}: {scores}; {self.reason}>"


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """A question of a legal benchmark with its document."""

    content: "Question"
    document: "Document"

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.content.about.id

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.content.about.question

    def check(self, answer: Any, *, at_least: float | None = None) -> ItemCheck:
        """The verdict on an answer (text, or a mapping with citations); it passes with the score of its type."""
        from steelyard.legal.benchmark.judging import verdict_on_answer

        verdict: LegalVerdict = verdict_on_answer(self.content, answer, self.document)
        least = self.content.about.passing if at_least is None else at_least
        return ItemCheck(verdict.score >= least, {"legal": verdict.score, **verdict.parts}, verdict.reason)


@dataclass(frozen=True, slots=True)
class RowItem:
    """A row of a file with a question and its references."""

    row: "AnswerRow"

    @property
    def id(self) -> str:
        """The id of the row."""
        return self.row.id

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.row.question

    def check(self, answer: str, metric: str = "F1", *, at_least: float = 1.0) -> ItemCheck:
        """The score of an answer by one metric; it passes with at least this score."""
        from steelyard.answers.evaluate import evaluate_answers

        references = [list(group) for group in self.row.references]
        table = evaluate_answers([answer], [references if self.row.nested else references[0]], [metric])
        score = float(table.column(metric)[0])
        return ItemCheck(score >= at_least, {metric: score}, f"at least {at_least:g} is needed")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each item, where a test has the mark and the argument `steelyard_item`."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None or ITEM not in metafunc.fixturenames:
        return
    if not mark.args:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {MARK} needs the path of a benchmark or a file of rows")
    path = Path(mark.args[0])
    path = path if path.is_absolute() else metafunc.definition.path.parent / path
    items = list(_items(path))
    metafunc.parametrize(ITEM, items, ids=[item.id for item in items])


def _items(path: Path) -> "Iterator[QuestionItem | RowItem]":
    from steelyard.errors import SteelyardError

    try:
        yield from _questions(path) if path.is_dir() else _rows(path)
    except SteelyardError as error:
        raise pytest.UsageError(str(error)) from None


def _questions(folder: Path) -> Iterator[QuestionItem]:
    from steelyard.legal.benchmark.loading import load_benchmark

    root = folder.parent if folder.name == "questions" else folder
    benchmark = load_benchmark(root)
    for question in benchmark.questions:
        yield QuestionItem(question, benchmark.documents[question.about.document])


def _rows(path: Path) -> Iterator[RowItem]:
    from steelyard.answers.sources import read_questions

    return (RowItem(row) for row in read_questions(path))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Collect the gates that do not pass while the test runs."""
    token = FAILED_GATES.set(item.stash.setdefault(_GATES, []))
    try:
        return (yield)
    finally:
        FAILED_GATES.reset(token)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the gates that did not pass to the report of a failed test."""
    report = yield
    if report.when == "call" and report.failed:
        for gate in item.stash.get(_GATES, []):
            report.sections.append(("steelyard gate", str(gate)))
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where the results are."""
    kept = config.stash.get(_KEPT, [])
    if kept:
        terminalreporter.write_line(f"steelyard: {len(kept)} results files in {kept[0].parent}")


def _results_folder(config: pytest.Config) -> Path:
    chosen = config.getoption("--steelyard-results")
    if chosen is not None:
        return Path(chosen)
    cache = getattr(config, "cache", None)
    return Path(cache.mkdir("steelyard")) if cache is not None else config.rootpath / ".steelyard"


def _file_name(nodeid: str) -> str:
    return re.sub(r"[^\w.-]+", "_", nodeid)[-120:]
