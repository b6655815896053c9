"""Answers to the questions of a benchmark that were given elsewhere: their verdicts, and a Table of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.documents.pages import Document
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.io.results import Footer, Item
from steelyard.io.results.reading import Section, table_of
from steelyard.legal.benchmark.judging import completed, failed_item, judge_answer, judged_item
from steelyard.legal.benchmark.loading import load_benchmark
from steelyard.legal.benchmark.question_checks import benchmark_folder
from steelyard.legal.benchmark.runner import header_of
from steelyard.legal.model import Question
from steelyard.legal.verdicts import LegalVerdict
from steelyard.progress import ProgressCallback, no_progress
from steelyard.systems.base import Failure
from steelyard.table import Table


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
    items: dict[str, Item] = {}
    for done, (identifier, answer) in enumerate(answers.items()):
        if identifier not in questions:
            raise UnknownName.of(Message("words.question"), str(identifier), questions)
        progress(done, len(answers))
        question = questions[identifier]
        document = benchmark.documents[question.about.document]
        outcome = judge_answer(question, answer, document)
        verdicts[identifier] = completed(question, document, outcome)
        items[identifier] = _item(question, answer, outcome, document)
    if not verdicts:
        raise InputError(Message("legal.no_answers"))
    section = Section(header_of(benchmark, name, name, len(items)), items, footer=Footer(len(items), {}))
    return JudgedAnswers(verdicts, table_of(section))


def _item(question: Question, answer: Any, outcome: LegalVerdict | Message, document: Document) -> Item:
    """The item of an answer; one that is None, cannot be read or cannot be judged is a failure of the system."""
    why = Message("legal.answer_null") if answer is None else outcome
    output = {"question": question.about.question}
    if isinstance(why, Message):
        return failed_item(question, Failure(why, 0.0, 1), document, output)
    return judged_item(question, why, {**record_of(answer, question.about.id), **output})
