"""Running the legal benchmark: ask a system, judge its answers, and write each item as soon as it is done; or judge
answers that were given elsewhere. An answer that cannot be judged is an error of its item."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard import __version__, limits
from steelyard.documents.pages import Document
from steelyard.engines.base import Engine, Part, engine_of
from steelyard.errors import ConfigError, InputError, SystemFailure, UnknownName
from steelyard.i18n import Message, to_json
from steelyard.io import results
from steelyard.io.addresses import Address, path_of
from steelyard.io.objects import check_writable, upload
from steelyard.io.outputs import record_of
from steelyard.io.results import Footer, Header, Item, ResultsWriter, held, load, new_path, utc_now
from steelyard.io.results.reading import Section, table_of
from steelyard.io.streams import open_stream
from steelyard.io.writing import replace_whole, write_whole
from steelyard.legal.benchmark.questions import Benchmark, benchmark_folder, load_benchmark
from steelyard.legal.evidence.retrieved import evidence_scores
from steelyard.legal.model import METRIC, LegalVerdict, Question
from steelyard.legal.score import described, judge_answer, judge_safely, verdict_or_zero, zero_parts
from steelyard.progress import FailureCallback, ProgressCallback, no_failure, no_progress
from steelyard.registry.kinds import COSTS, kind_of
from steelyard.reports.kinds import failure_reason
from steelyard.systems.ask import Answered, AskSettings, ask_all
from steelyard.systems.base import Ask, Failure, Reply, System, SystemSettings, open_system
from steelyard.systems.python import PythonSystem
from steelyard.systems.replay import ReplaySystem
from steelyard.table import Signature, Table

Json = dict[str, Any]
NOTHING_TO_FIND: Final = Message("missing.nothing_to_find")
OF_CONTEXTS: Final = kind_of(METRIC).of_contexts
UNWRITABLE: Final = (ValueError, TypeError, RecursionError, MemoryError)  # of answers that a file cannot hold


def item_of(question: Question, answer: Reply | Failure, document: Document) -> Item:
    """Return the item of an answer: score, parts, reasons, and the output of the system."""
    if isinstance(answer, Failure):
        return failed_item(question, answer, document)
    used = {"seconds": round(answer.seconds, 6), "tokens": answer.tokens, "cost": answer.cost}
    spent = {name: value for name, value in used.items() if value is not None and not isnan(value)}
    output = {**answer.record, "question": question.about.question, **spent}
    verdict = judge_safely(question, answer.record, document)
    try:
        if isinstance(verdict, Message):
            return failed_item(question, Failure(verdict, answer.seconds, 1), document, output)
        return judged_item(question, verdict, output)
    except UNWRITABLE as error:
        return unwritable_item(question, answer, document, error)


def judged_item(question: Question, verdict: LegalVerdict, output: Json) -> Item:
    """Return the item of a verdict with the output of the system."""
    content: Json = {
        "reasons": verdict.reasons,
        "remarks": list(verdict.remarks),
        "expected": question.expected_output(),
        "messages": {
            "reasons": {part: to_json(why) for part, why in verdict.why.items()},
            "remarks": [to_json(flag) for flag in verdict.flags],
        },
        **({"reached": dict(verdict.reached)} if verdict.reached else {}),
        "invented": [asdict(value) for value in verdict.invented],
        **question.verdict_fields(verdict),
    }
    return _item(question, verdict.score, dict(verdict.parts), verdict.reason, {**output, "verdict": content})


def failed_item(question: Question, failure: Failure, document: Document, output: Json | None = None) -> Item:
    """Return an item without a verdict; `output` is the output of the system, if there is one."""
    message = failure.message
    spent = output or {"question": question.about.question, "seconds": failure.seconds, "attempts": failure.attempts}
    stored = {} if isinstance(message, str) else {"messages": {"error": to_json(message)}}
    shown = {**spent, "verdict": {"expected": question.expected_output(), **stored}}
    return replace(_item(question, 0.0, zero_parts(question, document), str(message), shown), error=str(message))


def _item(question: Question, score: float, parts: dict[str, float], note: str, output: Json) -> Item:
    scores, unscored = {METRIC: score}, dict[str, Message]()
    texts = [each if isinstance(each, str) else each.get("text", "") for each in output.get("contexts", ())]
    if question.passages:
        scores |= evidence_scores(question.passages, texts, OF_CONTEXTS)
    elif texts:
        unscored = dict.fromkeys(OF_CONTEXTS, NOTHING_TO_FIND)
    return Item(
        question.about.id,
        scores,
        unscored,
        parts={METRIC: parts},
        notes={METRIC: note},
        tags=dict(question.about.tags),
        output=output,
    )


def unwritable_item(question: Question, answer: Reply | Failure, document: Document, error: Exception) -> Item:
    """Return the item of an answer that a results file cannot hold."""
    message = Message("pipelines.answer_not_writable", error=described(error))
    return failed_item(question, Failure(message, answer.seconds, 1), document)


RESUME_HINT: Final = Message("legal.resume_hint")
MOST_FAILURES: Final = 10
"""The number of consecutive failures, before any answer, that ends a run."""
JUDGED_TOGETHER: Final = 16
"""The number of answers in a part for the workers of an engine."""
UNASKED: Final = "counts.answers_unasked"


def evaluate_legal(
    system: Any,
    folder: str | Path | None = None,
    *,
    types: str | Sequence[str] = (),
    ids: Collection[str] | None = None,
    path: str | Path | None = None,
    settings: AskSettings | None = None,
    documents_folder: str | Path | None = None,
    name: str | None = None,
    engine: str | Engine | None = None,
) -> Table:
    """Evaluate a system on a legal benchmark, by default the bundled one.

    `system` is a SPEC (`http://…`, `replay:FILE`, `builtin:baseline` …), a System, an object with `.query(question)`,
    or a function of the question; it gives text, or a mapping with `answer`, `citations` and typed fields. With `path`
    every item is written there as soon as it is done. Documents are inside the folder, or in `documents_folder`.
    `name` is the name of the result, by default that of the system. Recorded outputs (`replay:FILE`) can be judged by
    an `engine`: "local", "ray", "dask" or an engine of `steelyard.engines`.
    """
    benchmark = load_benchmark(folder or benchmark_folder(), types, ids=ids, documents_folder=documents_folder)
    if isinstance(system, str):
        system = open_system(system, SystemSettings(documents=benchmark.documents, folder=Path.cwd()))
    elif isinstance(system, type) or not all(hasattr(system, name) for name in ("name", "ask", "close")):
        system = PythonSystem(system)
    with TemporaryDirectory() as scratch, engine_of(engine) as workers:
        target = path_of(path) if path is not None else Path(scratch) / "results.jsonl"
        return BenchmarkRun(benchmark, system, settings or AskSettings(), target, name=name, engine=workers).table()


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """A run of a system over a benchmark, whose results go to a file.

    With `overwrite`, an existing file is replaced only when every question has been asked; until then the run is
    written to a second file, which `resume` continues. `name` is the name of the result, by default that of the system.
    Recorded outputs can be judged by the workers of an `engine`. At an address the run is written to a local file
    (`spool_path`), which becomes the object at the end.
    """

    benchmark: Benchmark
    system: System
    settings: AskSettings
    path: Path
    resume: bool = False
    overwrite: bool = False
    name: str | None = None
    engine: Engine | None = None
    progress: ProgressCallback = no_progress
    on_failure: FailureCallback = no_failure

    def table(self) -> Table:
        """Ask every question that has no answer in the file yet, judge and write the answers, and load the file."""
        if self.engine is not None and not isinstance(self.system, ReplaySystem):
            message = Message("engines.only_recorded", system=self.system.name)
            raise ConfigError(message, hint=Message("engines.only_recorded_hint"))
        if isinstance(self.path, Address):
            with _spooled(self.path, resume=self.resume, overwrite=self.overwrite) as spool:
                return replace(self, path=spool).table()
        path = self.path.resolve() if self.path.is_symlink() else self.path
        results.check_regular(path)
        target = unfinished_path(path, resume=self.resume, overwrite=self.overwrite)
        if target == path:
            return self._into(path)
        with held(path):
            table = self._into(target, replaces=True)
            replace_whole(target, path)
        return table

    def _into(self, path: Path, *, replaces: bool = False) -> Table:
        writer, done = self._writer(path, replaces=replaces)
        if writer is None:
            return self._in_order(load(path))
        questions = self.benchmark.by_id
        task = partial(_items, questions, self.benchmark.documents)
        answered = bool(done)
        asks = (
            Ask(identifier, question.about.question, question.about.document)  # all that a system sees of a question
            for identifier, question in questions.items()
            if identifier not in done
        )
        with writer, closing(ask_all(self.system, asks, self.settings)) as answers:
            for number, ((ask, answer), item) in enumerate(self._judged(task, answers), len(done) + 1):
                try:
                    writer.add(item)
                except UNWRITABLE as error:
                    document = self.benchmark.documents[ask.document]
                    writer.add(unwritable_item(questions[ask.id], answer, document, error))
                answered = answered or isinstance(answer, Reply)
                if number == MOST_FAILURES < len(questions) and isinstance(answer, Failure) and not answered:
                    message = Message("legal.first_questions_failed", count=MOST_FAILURES, message=answer.message)
                    raise SystemFailure(message, where=self.system.name, hint=Message("legal.failures_hint"))
                if isinstance(answer, Failure):
                    self.on_failure()
                self.progress(number, len(questions))
            self._finish(writer, path)
        return self._in_order(load(path))

    def _judged(
        self, task: Callable[[Sequence[Answered]], list[Item]], answers: Iterator[Answered]
    ) -> Iterator[tuple[Answered, Item]]:
        """Yield the answers with their items, which the workers of an engine make, if there is one."""
        if self.engine is None:
            yield from ((answered, task([answered])[0]) for answered in answers)
            return
        taken: deque[list[Answered]] = deque()
        for items in self.engine.map_in_order(task, _parts(self.system.name, answers, taken)):
            yield from zip(taken.popleft(), items, strict=True)

    def _writer(self, path: Path, *, replaces: bool) -> tuple[ResultsWriter | None, set[str]]:
        """Return the writer, and the ids that have an answer in the file; no writer if the file is complete."""
        total = len(self.benchmark.questions)
        unasked = {UNASKED: count} if (count := self._unasked()) else {}
        header = _header(self.benchmark, self.system.name, self.name or self.system.name, total)
        header = replace(header, items=total, counts={**self.benchmark.counts, **unasked})
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self.resume:
            return (ResultsWriter.replace if replaces else ResultsWriter.create)(path, header), set()
        writer, old, items = ResultsWriter.resume_or_begin(path, header)
        problem = self._problem(old, header, items)
        if problem is not None:
            if writer is not None:
                writer.close()
            message, hint = problem
            raise InputError(message, where=str(path), hint=hint)
        return writer, {item.id for item in items if not item.error}

    def _problem(self, old: Header, new: Header, items: Sequence[Item]) -> tuple[Message, Message] | None:
        """Return why a file cannot be continued, with a hint: other settings or name, or an item of no question."""
        if differences := old.signature.differences(new.signature, apart_from=("steelyard",)):
            return Message("legal.recorded_with_other_settings", names=", ".join(differences)), RESUME_HINT
        if self.name not in (None, old.name):
            return Message("legal.recorded_under_other_name", name=old.name), Message("legal.resume_name_hint")
        asked = self.benchmark.by_id
        foreign = next((item.id for item in items if item.id not in asked), None)
        return None if foreign is None else (Message("legal.item_of_no_question", item=foreign), RESUME_HINT)

    def _unasked(self) -> int:
        """Return the number of recorded answers that belong to no question; an error if all of them do not."""
        if not isinstance(self.system, ReplaySystem):
            return 0
        ids, wanted = self.system.ids, self.benchmark.by_id.keys()
        if not ids & wanted:
            hint = Message("legal.recording_hint", ids=min(ids), wanted=min(wanted))
            raise InputError(Message("legal.recording_of_other_questions"), where=self.system.name, hint=hint)
        return len(ids - wanted)

    def _finish(self, writer: ResultsWriter, path: Path) -> None:
        """Write the footer if every question was answered; raises SystemFailure if every question failed."""
        table = load(path)
        if len(table.failures) == len(table):
            why = next((failure_reason(table, row) for row in table.failures), Message("legal.nothing_asked"))
            raise SystemFailure(Message("legal.every_question_failed", why=why), where=table.name)
        if len(table) == len(self.benchmark.questions) and not table.failures:
            writer.finish(Footer.of(table.only([metric for metric in table.metrics if metric not in COSTS])))

    def _in_order(self, table: Table) -> Table:
        rows = {identifier: row for row, identifier in enumerate(table.ids)}
        order = [rows[identifier] for identifier in self.benchmark.by_id if identifier in rows]
        return table.take(np.array(order, np.int64))


class JudgedAnswers(NamedTuple):
    """Verdicts by the id of their question, in the order of the answers, and the same as a table."""

    verdicts: dict[str, LegalVerdict]
    table: Table


def judge_answers(
    answers: Mapping[str, Any], folder: str | Path | None = None, *, progress: ProgressCallback = no_progress
) -> JudgedAnswers:
    """Judge answers, given by the id of their question; None (a failed answer) scores 0."""
    benchmark = load_benchmark(folder or benchmark_folder())
    questions = benchmark.by_id
    verdicts: dict[str, LegalVerdict] = {}
    items: dict[str, Item] = {}
    for done, (identifier, answer) in enumerate(answers.items()):
        if identifier not in questions:
            raise UnknownName.of(Message("words.question"), str(identifier), questions)
        progress(done, len(answers))
        question = questions[identifier]
        document = benchmark.documents[question.about.document]
        outcome = judge_answer(question, answer, document)
        verdicts[identifier] = verdict_or_zero(question, document, outcome)
        items[identifier] = _answer_item(question, answer, outcome, document)
    if not verdicts:
        raise InputError(Message("legal.no_answers"))
    section = Section(_header(benchmark, "answers", "answers", len(items)), items, footer=Footer(len(items), {}))
    return JudgedAnswers(verdicts, table_of(section))


def _answer_item(question: Question, answer: Any, outcome: LegalVerdict | Message, document: Document) -> Item:
    """Return the item of an answer; one that is None, cannot be read or cannot be judged is a failure of the system."""
    why = Message("legal.answer_null") if answer is None else outcome
    output = {"question": question.about.question}
    if isinstance(why, Message):
        return failed_item(question, Failure(why, 0.0, 1), document, output)
    return judged_item(question, why, {**record_of(answer, question.about.id), **output})


def spool_path(address: Address) -> Path:
    """Return the local file of a run whose results go to an address: under `results/`, one for each address."""
    name = Path(address.name)
    return Path("results") / f"{name.stem}-{sha256(address.url.encode()).hexdigest()[:8]}{name.suffix}"


@contextmanager
def _spooled(address: Address, *, resume: bool, overwrite: bool) -> Iterator[Path]:
    """Yield the local file of a run; at the end it is uploaded and removed, and it is kept if that fails."""
    spool = spool_path(address)
    check_writable(address)
    if not (resume or overwrite):
        results.check_new(address)
    if resume and not spool.exists() and address.exists():
        spool.parent.mkdir(parents=True, exist_ok=True)
        write_whole(spool, open_stream(address).read_all(limits.RESULTS_BYTES))
    yield spool
    try:
        upload(spool, address, overwrite=resume or overwrite)
    except ConfigError as error:
        message = Message("formats.kept_in_file", problem=error.message, path=str(spool))
        raise ConfigError(message, where=str(address), hint=Message("formats.upload_again_hint")) from None
    spool.unlink()


def _parts(name: str, answers: Iterator[Answered], taken: deque[list[Answered]]) -> Iterator[Part]:
    """Yield the answers in parts, which are also appended to `taken`."""
    number = 0
    while part := list(islice(answers, JUDGED_TOGETHER)):
        taken.append(part)
        yield Part(f"{name}#answers={number + 1}-{number + len(part)}", part)
        number += len(part)


def _items(
    questions: Mapping[str, Question], documents: Mapping[str, Document], answers: Sequence[Answered]
) -> list[Item]:
    """Return the item of each answer; with the first two arguments, the task of the workers of an engine."""
    return [item_of(questions[ask.id], answer, documents[ask.document]) for ask, answer in answers]


def unfinished_path(path: Path, *, resume: bool, overwrite: bool) -> Path:
    """Return the file that a run writes to: `path`, or the file that replaces `path` when the run is complete."""
    path = spool_path(path) if isinstance(path, Address) else path
    new = new_path(path)
    if not resume and not (overwrite and path.exists()):
        return path
    results.check_unfinished(new)
    if resume:  # the file that was written last
        is_newer = new.exists() and (not path.exists() or new.stat().st_mtime_ns >= path.stat().st_mtime_ns)
        return new if is_newer else path
    return new


def _header(benchmark: Benchmark, system: str, name: str, items: int) -> Header:
    """Return the header of a result; its signature has the system, the questions and the number of items."""
    questions = f"sha256 {benchmark.digest[:16]}"
    settings = {"kind": METRIC, "system": system, "questions": questions, "items": items, "steelyard": __version__}
    bounds = dict.fromkeys((METRIC, *OF_CONTEXTS), (0.0, 1.0))
    signature, made = Signature.of(settings), utc_now()
    return Header(METRIC, name, signature, [METRIC], bounds=bounds, benchmark=benchmark.folder, created=made)
