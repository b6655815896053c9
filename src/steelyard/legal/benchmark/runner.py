"""The legal benchmark against a system: ask, judge, and write down every item as soon as it is done."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from steelyard import __version__
from steelyard.documents.pages import Document, read_document
from steelyard.documents.sets import DocumentSet
from steelyard.errors import InputError, Problem, SteelyardError, SystemFailure, UnknownName
from steelyard.i18n import Message, to_json
from steelyard.io.results import (
    Footer,
    Header,
    Item,
    ResultsWriter,
    check_regular,
    check_unfinished,
    held,
    load,
    new_path,
)
from steelyard.io.writing import replace_whole
from steelyard.legal.benchmark.judging import (
    Unjudged,
    judge_safely,
    judged,
    judged_answer,
    parts_of_nothing,
    unwritable,
)
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.benchmark.questions import QuestionFile, find_document, read_benchmark
from steelyard.legal.model import TYPES, Fact, Gap, Question, question_of
from steelyard.legal.score import Verdict
from steelyard.systems.ask import AskSettings, ask_all
from steelyard.systems.base import Ask, Failure, Reply, System, SystemSettings, open_system
from steelyard.systems.python import PythonSystem
from steelyard.systems.replay import ReplaySystem
from steelyard.table import Signature, Table

METRIC: Final = "legal"
BUNDLED: Final = "bundled"
RESUME_HINT: Final = Message("pipelines.name_another_file_o_remove")
HOPELESS: Final = 10
"""So many questions that fail one after the other, before any was answered, end a run."""
HOPELESS_HINT: Final = Message("pipelines.what_asked_kept_mend_system")
OUTSIDE: Final = Message("pipelines.lies_outside_folder_whose_results")
NO_PATH: Final = Message("pipelines.cannot_name_folder_file")
_LONGEST_PLACE: Final = 200
UNASKED: Final = "counts.answers_unasked"

Progress = Callable[[int, int], None]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions with the documents that they are about."""

    questions: tuple[Question, ...]
    documents: Mapping[str, Document]
    digest: str
    folder: str = ""

    def asks(self, without: frozenset[str] = frozenset()) -> Iterator[Ask]:
        """What a system sees of the questions."""
        return (
            Ask(question.about.id, question.about.question, question.about.document)
            for question in self.questions
            if question.about.id not in without
        )


def load_benchmark(
    folder: str | Path,
    types: str | Sequence[str] = (),
    limit: int | None = None,
    ids: Collection[str] | None = None,
    *,
    documents_folder: str | Path | None = None,
) -> Benchmark:
    """The questions of a folder, of these types or ids, with their documents; what is missing or wrong is an error.

    Documents lie inside the folder, or in `documents_folder` where one is given.
    """
    types = [types] if isinstance(types, str) else types
    for kind in types:
        if kind not in TYPES:
            raise UnknownName.of(Message("words.question_type"), kind, TYPES)
    questions: list[Question] = []
    documents: dict[str, Document] = {}
    for file in read_benchmark(folder):
        if file.document not in documents:
            documents[file.document] = read_document(find_document(file, folder, documents_folder))
        questions += [
            question_of(raw.fields, document=file.document, criteria=file.criteria, where=raw.where)
            for raw in file.questions
        ]
    chosen = [question for question in questions if not types or question.about.type in types]
    chosen = [question for question in chosen if ids is None or question.about.id in ids][:limit]
    if not chosen:
        raise InputError(Message("pipelines.no_question_type", names=" or ".join(types)), where=str(folder))
    return Benchmark(tuple(chosen), documents, _digest(chosen, documents), _named(folder))


def _named(folder: str | Path) -> str:
    """A folder as a results file names it; the bundled one has no place of its own."""
    return BUNDLED if Path(folder).resolve() == benchmark_folder().resolve() else str(folder)


def documents_of(
    benchmark: str, *, within: Path | None = None, beside: Path | None = None, also: Path | None = None
) -> DocumentSet:
    """The documents of the benchmark that a results file names, and why others are not there; nothing is an error.

    A relative folder is looked for from the current folder and then from `beside`, the folder of the results file.
    With `within`, only what lies in that folder is read, or is bundled: a result may name any place on this machine.
    Documents lie inside the benchmark, or in the folder `also`, where the user names one.
    """
    if not benchmark:
        return DocumentSet()
    if benchmark == BUNDLED:
        return _documents_in(benchmark_folder(), None, also)
    places = dict.fromkeys([Path(benchmark), (beside or Path()) / benchmark])
    missing: list[Problem] = []
    for place in places:
        found = _documents_in(place, within, also)
        if found.found:
            return found
        missing += found.missing
    return DocumentSet(missing=tuple(missing))


def _documents_in(folder: Path, within: Path | None, also: Path | None) -> DocumentSet:
    try:
        for path in (folder, *folder.glob("*.json"), *folder.glob("questions/*.json")):  # a link may lead elsewhere
            _check_within(path, within)
        files = {file.document: file for file in read_benchmark(folder)}
    except (SteelyardError, ValueError, OSError) as error:
        return DocumentSet(missing=(_problem(error, folder),))
    return DocumentSet.of(_document_of(file, folder, within, also) for file in files.values())


def _document_of(file: QuestionFile, folder: Path, within: Path | None, also: Path | None) -> DocumentSet:
    try:
        path = find_document(file, folder, also)
        if also is None or not path.resolve().is_relative_to(also.resolve()):
            _check_within(path, within)
        return DocumentSet({file.document: read_document(path)})
    except (SteelyardError, ValueError, OSError) as error:
        return DocumentSet(missing=(_problem(error, folder / file.document),))


def _check_within(path: Path, folder: Path | None) -> None:
    if folder is not None and not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(OUTSIDE, where=str(path))


def _problem(error: Exception, place: Path) -> Problem:
    """What is wrong, and where; a name that somebody else wrote is cut, and commands no terminal."""
    where, message = str(place), NO_PATH
    match error:
        case SteelyardError():
            where, message = error.problems[0].where or where, error.problems[0].message
        case OSError():
            message = Message("formats.cannot_read", strerror=error.strerror)
    shown = where if len(where) <= _LONGEST_PLACE else f"{where[:_LONGEST_PLACE]}…"
    arguments = {name: _printable(value) if isinstance(value, str) else value for name, value in message.args.items()}
    return Problem(_printable(shown), Message(message.code, **arguments))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def evaluate_legal(
    system: Any,
    folder: str | Path | None = None,
    *,
    types: str | Sequence[str] = (),
    ids: Collection[str] | None = None,
    path: str | Path | None = None,
    settings: AskSettings | None = None,
    documents_folder: str | Path | None = None,
) -> Table:
    """Weigh a system on a legal benchmark, by default the bundled one.

    `system` is a SPEC (`http://…`, `replay:FILE`, `builtin:baseline` …), an object with `.query(question)`, or a
    function of the question; it gives text, or a mapping with `answer`, `citations` and typed fields. With `path`
    every item is written there as soon as it is done. Documents lie inside the folder, or in `documents_folder`.
    """
    benchmark = load_benchmark(folder or benchmark_folder(), types, ids=ids, documents_folder=documents_folder)
    opened = (
        open_system(system, SystemSettings(documents=benchmark.documents, folder=Path.cwd()))
        if isinstance(system, str)
        else PythonSystem(system)
    )
    with TemporaryDirectory() as scratch:
        target = Path(path) if path is not None else Path(scratch) / "results.jsonl"
        return run_benchmark(benchmark, opened, settings or AskSettings(), target)


def run_benchmark(
    benchmark: Benchmark,
    system: System,
    settings: AskSettings,
    path: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Table:
    """Ask every question that has no answer in the file yet, judge, and write; the Table is read back from the file.

    With `overwrite` an older file stays as it is until every question has been asked; until then the run is written
    to a file beside it, which `resume` goes on with.
    """
    path = path.resolve() if path.is_symlink() else path
    check_regular(path)
    target = unfinished_path(path, resume=resume, overwrite=overwrite)
    if target == path:
        return _run_into(path, benchmark, system, settings, resume=resume, progress=progress)
    with held(path):
        table = _run_into(target, benchmark, system, settings, resume=resume, replace=True, progress=progress)
        replace_whole(target, path)
    return table


def _run_into(
    path: Path,
    benchmark: Benchmark,
    system: System,
    settings: AskSettings,
    *,
    resume: bool,
    replace: bool = False,
    progress: Progress | None,
) -> Table:
    writer, done = _writer(benchmark, system, path, resume=resume, replace=replace)
    if writer is None:
        return _in_order(load(path), benchmark)
    by_id = {question.about.id: question for question in benchmark.questions}
    failed = -1 if done else 0
    with writer, closing(ask_all(system, benchmark.asks(frozenset(done)), settings)) as answers:
        for number, (ask, answer) in enumerate(answers, len(done) + 1):
            _write(writer, by_id[ask.id], answer, benchmark.documents[ask.document])
            failed = _failed_so_far(failed, answer, system, more=number < len(benchmark.questions))
            if progress is not None:
                progress(number, len(benchmark.questions))
        _finish(writer, benchmark, path)
    return _in_order(load(path), benchmark)


def _failed_so_far(failed: int, answer: Reply | Failure, system: System, *, more: bool) -> int:
    """How many questions have failed since the beginning; an answer ends the counting, too many failures the run."""
    if isinstance(answer, Reply) or failed < 0:
        return -1
    if failed + 1 == HOPELESS and more:
        message = Message("pipelines.first_questions_all_failed", hopeless=HOPELESS, message=answer.message)
        raise SystemFailure(message, where=system.name, hint=HOPELESS_HINT)
    return failed + 1


def _write(writer: ResultsWriter, question: Question, answer: Reply | Failure, document: Document) -> None:
    """Write an item; an answer that the file cannot hold is an error of the item."""
    try:
        writer.add(item_of(question, answer, document))
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        writer.add(_failed_item(question, Failure(unwritable(error), answer.seconds, 1), document))


def item_of(question: Question, answer: Reply | Failure, document: Document) -> Item:
    """An item with its score, the parts of it, the reasons, and the output of the system."""
    if isinstance(answer, Failure):
        return _failed_item(question, answer, document)
    about = question.about
    spent = {"seconds": round(answer.seconds, 6), **({} if answer.tokens is None else {"tokens": answer.tokens})}
    output = {**answer.record, "question": about.question, **spent}
    verdict = judge_safely(question, answer.record, document)
    if isinstance(verdict, Unjudged):
        return _failed_item(question, Failure(verdict.reason, answer.seconds, 1), document, output)
    return Item(
        about.id,
        {METRIC: verdict.score},
        parts={METRIC: dict(verdict.parts)},
        notes={METRIC: verdict.reason},
        tags=dict(about.tags),
        output={**output, "verdict": _details(question, verdict)},
    )


def _failed_item(question: Question, failure: Failure, document: Document, output: Json | None = None) -> Item:
    """An item without a verdict; `output` is that of the system, if there was one."""
    about = question.about
    spent = output or {"question": about.question, "seconds": failure.seconds, "attempts": failure.attempts}
    message = failure.message
    stored = {} if isinstance(message, str) else {"messages": {"error": to_json(message)}}
    return Item(
        about.id,
        {METRIC: 0.0},
        parts={METRIC: parts_of_nothing(question, document)},
        notes={METRIC: str(message)},
        tags=dict(about.tags),
        output={**spent, "verdict": {"expected": _expected(question), **stored}},
        error=str(message),
    )


def judge_records(benchmark: Benchmark, records: Mapping[str, Mapping[str, Any]]) -> dict[str, Verdict]:
    """Verdicts of recorded outputs by id, without asking anything."""
    return {
        question.about.id: judged(
            question, records.get(question.about.id, {}), benchmark.documents[question.about.document]
        )
        for question in benchmark.questions
    }


def judge_answers(
    answers: Mapping[str, Any], folder: str | Path | None = None, *, told: Progress = lambda done, total: None
) -> dict[str, Verdict]:
    """Verdicts of answers by the id of their question, in their order; None, an answer that failed, earns nothing."""
    benchmark = load_benchmark(folder or benchmark_folder())
    questions = {question.about.id: question for question in benchmark.questions}
    verdicts: dict[str, Verdict] = {}
    for done, (name, answer) in enumerate(answers.items()):
        if name not in questions:
            raise UnknownName.of(Message("words.question"), str(name), questions)
        told(done, len(answers))
        verdicts[name] = judged_answer(questions[name], answer, benchmark.documents[questions[name].about.document])
    if not verdicts:
        raise InputError(Message("pipelines.no_answers"))
    return verdicts


def _details(question: Question, verdict: Verdict) -> Json:
    """What a report shows beside the score."""
    reasons, remarks = verdict.reasons, list(verdict.remarks)
    found: Json = {"reasons": reasons, "remarks": remarks, "expected": _expected(question)}
    found["messages"] = {
        "reasons": {part: to_json(why) for part, why in verdict.why.items()},
        "remarks": [to_json(remark) for remark in verdict.noted],
    }
    if verdict.reached:
        found["reached"] = dict(verdict.reached)
    if isinstance(question, Gap):
        invented = [asdict(each) for each in verdict.invented]
        found |= {"should_abstain": question.should_abstain, "abstained": verdict.abstained, "invented": invented}
    return found


def _expected(question: Question) -> Json:
    """What a right answer says and cites."""
    evidence = [*question.evidence, *(question.conflicting if isinstance(question, Gap) else ())]
    passages = [{"page": each.page, "text": each.must_include, "speaker": each.speaker} for each in evidence]
    match question:
        case Fact():
            return {"answer": dict(question.expected), "evidence": passages}
        case Gap():
            answer = {} if question.should_abstain else {"answer": dict(question.expected)}
            quotes = list(question.quotes)
            return {**answer, "abstain": question.should_abstain, "quotes": quotes, "evidence": passages}
        case _:
            return {"evidence": passages}


def unfinished_path(path: Path, *, resume: bool, overwrite: bool) -> Path:
    """The file that a run writes to: `path`, or the one beside it that replaces `path` when the run is at its end."""
    new = new_path(path)
    if not resume and not (overwrite and path.exists()):
        return path
    check_unfinished(new)
    if resume:  # of the two, the one that was written to last
        is_newer = new.exists() and (not path.exists() or new.stat().st_mtime_ns >= path.stat().st_mtime_ns)
        return new if is_newer else path
    return new


def _writer(
    benchmark: Benchmark, system: System, path: Path, *, resume: bool, replace: bool
) -> tuple[ResultsWriter | None, set[str]]:
    """The file to write to, and the ids that have an answer in it; no writer if it is finished."""
    header = _header(benchmark, system)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not resume:
        return (ResultsWriter.replace if replace else ResultsWriter.create)(path, header), set()
    writer, old, items = ResultsWriter.resume_or_begin(path, header)
    try:
        _check_same(old.signature, header.signature, path)
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
            Message("pipelines.result_made_other_settings", names=", ".join(differences)),
            where=str(path),
            hint=RESUME_HINT,
        )


def _check_asked(items: Sequence[Item], benchmark: Benchmark, path: Path) -> None:
    """Refuse a file with an item that no question asks for: such a run could never be finished."""
    asked = {question.about.id for question in benchmark.questions}
    for item in items:
        if item.id not in asked:
            message = Message("pipelines.item_none_questions", item=item.id)
            raise InputError(message, where=str(path), hint=RESUME_HINT)


def _header(benchmark: Benchmark, system: System) -> Header:
    settings = {
        "kind": METRIC,
        "system": system.name,
        "questions": f"sha256 {benchmark.digest[:16]}",
        "items": len(benchmark.questions),
        "steelyard": __version__,
    }
    return Header(
        METRIC,
        system.name,
        Signature.of(settings),
        [METRIC],
        items=len(benchmark.questions),
        bounds={METRIC: (0.0, 1.0)},
        counts=_unasked(benchmark, system),
        benchmark=benchmark.folder,
    )


def _unasked(benchmark: Benchmark, system: System) -> dict[str, int]:
    """How many recorded answers are for no question; an error if none is for any."""
    if not isinstance(system, ReplaySystem):
        return {}
    wanted = {question.about.id for question in benchmark.questions}
    if not system.ids & wanted:
        hint = Message("pipelines.recording_questions", ids=min(system.ids), wanted=min(wanted))
        raise InputError(Message("pipelines.no_recorded_answer_question_benchmark"), where=system.name, hint=hint)
    return {UNASKED: len(system.ids - wanted)} if system.ids - wanted else {}


def _finish(writer: ResultsWriter, benchmark: Benchmark, path: Path) -> None:
    """Close the file; if every question failed, it stays open for another attempt, and the system is to blame."""
    table = load(path)
    if len(table.failures) == len(table):
        why = next(iter(table.failures.values()), Message("pipelines.nothing_asked"))
        raise SystemFailure(Message("pipelines.every_question_failed", why=why), where=table.name)
    if len(table) == len(benchmark.questions) and not table.failures:
        writer.finish(Footer.of(table))


def _in_order(table: Table, benchmark: Benchmark) -> Table:
    """The items in the order of the questions, whatever order the answers came in."""
    place = {identifier: row for row, identifier in enumerate(table.ids)}
    return table.take(np.array([place[q.about.id] for q in benchmark.questions if q.about.id in place], np.int64))


def _digest(questions: Sequence[Question], documents: Mapping[str, Document]) -> str:
    found = sha256()
    for question in questions:
        anywhere = replace(question, about=replace(question.about, where=""))  # the folder does not matter
        found.update(repr(anywhere).encode())
    for name in sorted(documents):
        found.update(documents[name].digest.encode())
    return found.hexdigest()
