"""Running the legal benchmark: ask a system, judge its answers, and write each item as soon as it is done."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import numpy as np

from steelyard import __version__, limits
from steelyard.documents.pages import Document
from steelyard.engines.base import Engine, Part, engine_of
from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message, to_json
from steelyard.io.addresses import Address, path_of
from steelyard.io.objects import check_writable, upload
from steelyard.io.results import (
    Footer,
    Header,
    Item,
    ResultsWriter,
    check_new,
    check_regular,
    check_unfinished,
    held,
    load,
    new_path,
    utc_now,
)
from steelyard.io.streams import open_stream
from steelyard.io.writing import replace_whole, write_whole
from steelyard.legal.benchmark.judging import Unjudged, judge_safely, unwritable, zero_parts
from steelyard.legal.benchmark.loading import Benchmark, load_benchmark
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.formulas import METRIC
from steelyard.legal.model import Question
from steelyard.legal.verdicts import LegalVerdict
from steelyard.progress import FailureCallback, ProgressCallback, no_failure, no_progress
from steelyard.reports.kinds import failure_reason
from steelyard.systems.ask import Answered, AskSettings, ask_all
from steelyard.systems.base import Ask, Failure, Reply, System, SystemSettings, open_system
from steelyard.systems.python import PythonSystem
from steelyard.systems.replay import ReplaySystem
from steelyard.table import Signature, Table

RESUME_HINT: Final = Message("legal.resume_hint")
MOST_FAILURES: Final = 10
"""The number of consecutive failures, before any answer, that ends a run."""
FAILURES_HINT: Final = Message("legal.failures_hint")
JUDGED_TOGETHER: Final = 16
"""The number of answers in a part for the workers of an engine."""
UNASKED: Final = "counts.answers_unasked"

Json = dict[str, Any]


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
    opened = _opened(system, SystemSettings(documents=benchmark.documents, folder=Path.cwd()))
    with TemporaryDirectory() as scratch, engine_of(engine) as workers:
        target = path_of(path) if path is not None else Path(scratch) / "results.jsonl"
        return run_benchmark(benchmark, opened, settings or AskSettings(), target, name=name, engine=workers)


def _opened(system: Any, settings: SystemSettings) -> System:
    if isinstance(system, str):
        return open_system(system, settings)
    is_system = all(hasattr(system, name) for name in ("name", "ask", "close")) and not isinstance(system, type)
    return cast(System, system) if is_system else PythonSystem(system)


def run_benchmark(
    benchmark: Benchmark,
    system: System,
    settings: AskSettings,
    path: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    name: str | None = None,
    engine: Engine | None = None,
    progress: ProgressCallback = no_progress,
    on_failure: FailureCallback = no_failure,
) -> Table:
    """Ask every question that has no answer in the file yet, judge and write the answers, and load the file.

    With `overwrite`, an existing file is replaced only when every question has been asked; until then the run is
    written to a second file, which `resume` continues. `name` is the name of the result, by default that of the system.
    Recorded outputs can be judged by the workers of an `engine`. At an address the run is written to a local file
    (`spool_path`), which becomes the object at the end.
    """
    if engine is not None and not isinstance(system, ReplaySystem):
        message = Message("engines.only_recorded", system=system.name)
        raise ConfigError(message, hint=Message("engines.only_recorded_hint"))
    if isinstance(path, Address):
        again = partial(run_benchmark, name=name, engine=engine, progress=progress, on_failure=on_failure)
        with _spooled(path, resume=resume, overwrite=overwrite) as spool:
            return again(benchmark, system, settings, spool, resume=resume, overwrite=overwrite)
    path = path.resolve() if path.is_symlink() else path
    check_regular(path)
    target = unfinished_path(path, resume=resume, overwrite=overwrite)
    run = partial(_run_into, resume=resume, name=name, engine=engine, progress=progress, on_failure=on_failure)
    if target == path:
        return run(path, benchmark, system, settings)
    with held(path):
        table = run(target, benchmark, system, settings, replace=True)
        replace_whole(target, path)
    return table


def spool_path(address: Address) -> Path:
    """The local file of a run whose results go to an address: under `results/`, one for each address."""
    name = Path(address.name)
    return Path("results") / f"{name.stem}-{sha256(address.url.encode()).hexdigest()[:8]}{name.suffix}"


@contextmanager
def _spooled(address: Address, *, resume: bool, overwrite: bool) -> Iterator[Path]:
    """The local file of a run; at the end it is uploaded and removed, and it is kept if that fails."""
    spool = spool_path(address)
    check_writable(address)
    if not (resume or overwrite):
        check_new(address)
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


def _run_into(
    path: Path,
    benchmark: Benchmark,
    system: System,
    settings: AskSettings,
    *,
    resume: bool,
    replace: bool = False,
    name: str | None,
    engine: Engine | None,
    progress: ProgressCallback,
    on_failure: FailureCallback,
) -> Table:
    writer, done = _writer(benchmark, system, path, resume=resume, replace=replace, name=name)
    if writer is None:
        return _in_order(load(path), benchmark)
    by_id = {question.about.id: question for question in benchmark.questions}
    failed = None if done else 0
    with writer, closing(ask_all(system, benchmark.asks(frozenset(done)), settings)) as answers:
        for number, (ask, answer, item) in enumerate(_judged(benchmark, system, answers, engine), len(done) + 1):
            _write(writer, by_id[ask.id], answer, benchmark.documents[ask.document], item)
            failed = _failures_at_start(failed, answer, system, more=number < len(benchmark.questions))
            if isinstance(answer, Failure):
                on_failure()
            progress(number, len(benchmark.questions))
        _finish(writer, benchmark, path)
    return _in_order(load(path), benchmark)


def _judged(
    benchmark: Benchmark, system: System, answers: Iterator[Answered], engine: Engine | None
) -> Iterator[tuple[Ask, Reply | Failure, Item | None]]:
    """The answers with their items, which the workers of an engine make; without an engine there are none yet."""
    if engine is None:
        yield from ((ask, answer, None) for ask, answer in answers)
        return
    taken: deque[list[Answered]] = deque()
    task = AnswerJudging({each.about.id: each for each in benchmark.questions}, benchmark.documents)
    for items in engine.map_in_order(task, _parts(system.name, answers, taken)):
        yield from ((ask, answer, item) for (ask, answer), item in zip(taken.popleft(), items, strict=True))


def _parts(name: str, answers: Iterator[Answered], taken: deque[list[Answered]]) -> Iterator[Part]:
    """The answers in parts, which are also appended to `taken`."""
    number = 0
    while part := list(islice(answers, JUDGED_TOGETHER)):
        taken.append(part)
        yield Part(f"{name}#answers={number + 1}-{number + len(part)}", part)
        number += len(part)


@dataclass(frozen=True, slots=True)
class AnswerJudging:
    """The task that judges answers; None for an item that cannot be made, which is explained where it is written."""

    questions: Mapping[str, Question]
    documents: Mapping[str, Document]

    def __call__(self, answers: Sequence[Answered]) -> list[Item | None]:
        """The item of each answer."""
        return [self._item(ask, answer) for ask, answer in answers]

    def _item(self, ask: Ask, answer: Reply | Failure) -> Item | None:
        try:
            return item_of(self.questions[ask.id], answer, self.documents[ask.document])
        except (ValueError, TypeError, RecursionError, MemoryError):
            return None


def _failures_at_start(failed: int | None, answer: Reply | Failure, system: System, *, more: bool) -> int | None:
    """The number of failures before the first answer, None after one; raises SystemFailure if there are too many."""
    if isinstance(answer, Reply) or failed is None:
        return None
    if failed + 1 == MOST_FAILURES and more:
        message = Message("legal.first_questions_failed", count=MOST_FAILURES, message=answer.message)
        raise SystemFailure(message, where=system.name, hint=FAILURES_HINT)
    return failed + 1


def _write(
    writer: ResultsWriter, question: Question, answer: Reply | Failure, document: Document, item: Item | None
) -> None:
    """Write an item, which is made if it is None; an answer that cannot be written is an error of the item."""
    try:
        writer.add(item or item_of(question, answer, document))
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        writer.add(failed_item(question, Failure(unwritable(error), answer.seconds, 1), document))


def item_of(question: Question, answer: Reply | Failure, document: Document) -> Item:
    """The item of an answer: score, parts, reasons, and the output of the system."""
    if isinstance(answer, Failure):
        return failed_item(question, answer, document)
    about = question.about
    spent = {"seconds": round(answer.seconds, 6), **({} if answer.tokens is None else {"tokens": answer.tokens})}
    output = {**answer.record, "question": about.question, **spent}
    verdict = judge_safely(question, answer.record, document)
    if isinstance(verdict, Unjudged):
        return failed_item(question, Failure(verdict.reason, answer.seconds, 1), document, output)
    return judged_item(question, verdict, output)


def judged_item(question: Question, verdict: LegalVerdict, output: Json) -> Item:
    """The item of a verdict with the output of the system."""
    about = question.about
    return Item(
        about.id,
        {METRIC: verdict.score},
        parts={METRIC: dict(verdict.parts)},
        notes={METRIC: verdict.reason},
        tags=dict(about.tags),
        output={**output, "verdict": _verdict_json(question, verdict)},
    )


def failed_item(question: Question, failure: Failure, document: Document, output: Json | None = None) -> Item:
    """An item without a verdict; `output` is the output of the system, if there is one."""
    about = question.about
    spent = output or {"question": about.question, "seconds": failure.seconds, "attempts": failure.attempts}
    message = failure.message
    stored = {} if isinstance(message, str) else {"messages": {"error": to_json(message)}}
    return Item(
        about.id,
        {METRIC: 0.0},
        parts={METRIC: zero_parts(question, document)},
        notes={METRIC: str(message)},
        tags=dict(about.tags),
        output={**spent, "verdict": {"expected": question.expected_output(), **stored}},
        error=str(message),
    )


def _verdict_json(question: Question, verdict: LegalVerdict) -> Json:
    """What a results file holds of a verdict beside the score and its parts."""
    content: Json = {
        "reasons": verdict.reasons,
        "remarks": list(verdict.remarks),
        "expected": question.expected_output(),
        "messages": {
            "reasons": {part: to_json(why) for part, why in verdict.why.items()},
            "remarks": [to_json(flag) for flag in verdict.flags],
        },
    }
    if verdict.reached:
        content["reached"] = dict(verdict.reached)
    return content | question.verdict_fields(verdict)


def unfinished_path(path: Path, *, resume: bool, overwrite: bool) -> Path:
    """The file that a run writes to: `path`, or the file that replaces `path` when the run is complete."""
    path = spool_path(path) if isinstance(path, Address) else path
    new = new_path(path)
    if not resume and not (overwrite and path.exists()):
        return path
    check_unfinished(new)
    if resume:  # the file that was written last
        is_newer = new.exists() and (not path.exists() or new.stat().st_mtime_ns >= path.stat().st_mtime_ns)
        return new if is_newer else path
    return new


def _writer(
    benchmark: Benchmark, system: System, path: Path, *, resume: bool, replace: bool, name: str | None
) -> tuple[ResultsWriter | None, set[str]]:
    """The writer, and the ids that have an answer in the file; no writer if the file is complete."""
    header = _header(benchmark, system, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not resume:
        return (ResultsWriter.replace if replace else ResultsWriter.create)(path, header), set()
    writer, old, items = ResultsWriter.resume_or_begin(path, header)
    try:
        _check_same(old.signature, header.signature, path)
        _check_name(old.name, name, path)
        _check_asked(items, benchmark, path)
    except InputError:
        if writer is not None:
            writer.close()
        raise
    return writer, {item.id for item in items if not item.error}


def _check_same(recorded: Signature, signature: Signature, path: Path) -> None:
    differences = recorded.differences(signature, apart_from=("steelyard",))
    if differences:
        raise InputError(
            Message("legal.recorded_with_other_settings", names=", ".join(differences)),
            where=str(path),
            hint=RESUME_HINT,
        )


def _check_name(recorded: str, name: str | None, path: Path) -> None:
    """Refuse another name than that of the file: a result has one name, which stands at its beginning."""
    if name is not None and name != recorded:
        message = Message("legal.recorded_under_other_name", name=recorded)
        raise InputError(message, where=str(path), hint=Message("legal.resume_name_hint"))


def _check_asked(items: Sequence[Item], benchmark: Benchmark, path: Path) -> None:
    """Refuse a file with an item that belongs to no question: such a run could never be complete."""
    asked = {question.about.id for question in benchmark.questions}
    for item in items:
        if item.id not in asked:
            message = Message("legal.item_of_no_question", item=item.id)
            raise InputError(message, where=str(path), hint=RESUME_HINT)


def _header(benchmark: Benchmark, system: System, name: str | None) -> Header:
    settings = {
        "kind": METRIC,
        "system": system.name,
        "questions": f"sha256 {benchmark.digest[:16]}",
        "items": len(benchmark.questions),
        "steelyard": __version__,
    }
    return Header(
        METRIC,
        name or system.name,
        Signature.of(settings),
        [METRIC],
        items=len(benchmark.questions),
        bounds={METRIC: (0.0, 1.0)},
        counts=_unasked(benchmark, system),
        benchmark=benchmark.folder,
        created=utc_now(),
    )


def _unasked(benchmark: Benchmark, system: System) -> dict[str, int]:
    """The number of recorded answers that belong to no question; an error if all of them do not."""
    if not isinstance(system, ReplaySystem):
        return {}
    wanted = {question.about.id for question in benchmark.questions}
    if not system.ids & wanted:
        hint = Message("legal.recording_hint", ids=min(system.ids), wanted=min(wanted))
        raise InputError(Message("legal.recording_of_other_questions"), where=system.name, hint=hint)
    return {UNASKED: len(system.ids - wanted)} if system.ids - wanted else {}


def _finish(writer: ResultsWriter, benchmark: Benchmark, path: Path) -> None:
    """Write the footer if every question was answered; raises SystemFailure if every question failed."""
    table = load(path)
    if len(table.failures) == len(table):
        why = next((failure_reason(table, row) for row in table.failures), Message("legal.nothing_asked"))
        raise SystemFailure(Message("legal.every_question_failed", why=why), where=table.name)
    if len(table) == len(benchmark.questions) and not table.failures:
        writer.finish(Footer.of(table))


def _in_order(table: Table, benchmark: Benchmark) -> Table:
    """The items in the order of the questions."""
    rows = {identifier: row for row, identifier in enumerate(table.ids)}
    order = [rows[question.about.id] for question in benchmark.questions if question.about.id in rows]
    return table.take(np.array(order, np.int64))
