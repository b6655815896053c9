"""Answers to the questions of a benchmark that were given elsewhere: their verdicts, and a Table of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Localized, Message
from steelyard.io.outputs import record_of
from steelyard.io.results import Footer, Header, Item, utc_now
from steelyard.io.results.reading import Section, table_of
from steelyard.legal.benchmark.judging import verdict_on_answer
from steelyard.legal.benchmark.loading import Benchmark, load_benchmark
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.benchmark.runner import failed_item, judged_item
from steelyard.legal.formulas import METRIC
from steelyard.legal.model import Question
from steelyard.legal.verdicts import LegalVerdict
from steelyard.progress import ProgressCallback, no_progress
from steelyard.systems.base import Failure
from steelyard.table import Signature, Table


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Verdicts by the id of their question, in the order of the answers, and the same as a table."""

    verdicts: dict[str, LegalVerdict]
    table: Table


def judge_answers(
    answers: Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    name: str = "answers",
    progress: ProgressCallback = no_progress,
) -> JudgedAnswers:
    """Verdicts on answers by the id of their question; None (a failed answer) scores 0. The table has this name."""
    benchmark = load_benchmark(folder or benchmark_folder())
    questions = {question.about.id: question for question in benchmark.questions}
    verdicts: dict[str, LegalVerdict] = {}
    for done, (identifier, answer) in enumerate(answers.items()):
        if identifier not in questions:
            raise UnknownName.of(Message("words.question"), str(identifier), questions)
        progress(done, len(answers))
        document = benchmark.documents[questions[identifier].about.document]
        verdicts[identifier] = verdict_on_answer(questions[identifier], answer, document)
    if not verdicts:
        raise InputError(Message("legal.no_answers"))
    items = {each: _item(questions[each], answers[each], verdict, benchmark) for each, verdict in verdicts.items()}
    section = Section(_header(benchmark, name, len(items)), items, footer=Footer(len(items), {}))
    return JudgedAnswers(verdicts, table_of(section))


def _item(question: Question, answer: Any, verdict: LegalVerdict, benchmark: Benchmark) -> Item:
    """The item of an answer; one that is None, cannot be read or cannot be judged is a failure of the system."""
    unjudged = [flag.args["reason"] for flag in verdict.flags if flag.code == "pipelines.not_judged"]
    why: list[Localized | str] = [Message("legal.answer_null")] if answer is None else unjudged
    output = {"question": question.about.question}
    if why:
        return failed_item(question, Failure(why[0], 0.0, 1), benchmark.documents[question.about.document], output)
    return judged_item(question, verdict, {**record_of(answer, question.about.id), **output})


def _header(benchmark: Benchmark, name: str, items: int) -> Header:
    settings = {
        "kind": METRIC,
        "system": name,
        "questions": f"sha256 {benchmark.digest[:16]}",
        "items": items,
        "steelyard": __version__,
    }
    return Header(
        METRIC,
        name,
        Signature.of(settings),
        [METRIC],
        bounds={METRIC: (0.0, 1.0)},
        benchmark=benchmark.folder,
        created=utc_now(),
    )
