"""Judging with a deadline and without exceptions: an answer that cannot be judged is an error of its item."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from steelyard import limits
from steelyard.deadline import DeadlineExceeded, deadline
from steelyard.documents.pages import Document
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.legal.benchmark.loading import Benchmark
from steelyard.legal.model import Question
from steelyard.legal.score import judge
from steelyard.legal.verdicts import LegalVerdict

_LONGEST_REASON: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why an answer could not be judged."""

    reason: Message


def judge_safely(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict | Unjudged:
    """The verdict, or why there is none; only KeyboardInterrupt and SystemExit are raised."""
    return _guarded(lambda: judge(question, record, document))


def _guarded(work: Callable[[], LegalVerdict]) -> LegalVerdict | Unjudged:
    try:
        with deadline(limits.JUDGING_SECONDS.value):
            return work()
    except DeadlineExceeded:
        return Unjudged(Message("pipelines.judging_timeout", value=limits.JUDGING_SECONDS.value))
    except Exception as error:
        return Unjudged(Message("pipelines.judging_failed", error=described(error)))


def verdict_on(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict:
    """The verdict; an answer that cannot be judged scores 0, with a flag that says why."""
    return _verdict(question, document, judge_safely(question, record, document))


def verdict_on_answer(question: Question, answer: Any, document: Document) -> LegalVerdict:
    """The verdict on an answer of any shape; None (a failed answer) and an unreadable answer score 0."""

    def work() -> LegalVerdict:
        record = {} if answer is None else record_of(answer, question.about.id)
        return judge(question, record, document)

    return _verdict(question, document, _guarded(work))


def _verdict(question: Question, document: Document, outcome: LegalVerdict | Unjudged) -> LegalVerdict:
    if isinstance(outcome, LegalVerdict):
        return outcome
    parts = zero_parts(question, document)
    flag = Message("pipelines.not_judged", reason=outcome.reason)
    return LegalVerdict(0.0, parts, {next(iter(parts), "error"): outcome.reason}, (flag,))


def zero_parts(question: Question, document: Document) -> dict[str, float]:
    """The parts of a question's score, each 0; empty if even an empty answer cannot be judged."""
    outcome = judge_safely(question, {}, document)
    return dict.fromkeys(outcome.parts, 0.0) if isinstance(outcome, LegalVerdict) else {}


def unwritable(error: Exception) -> Message:
    """Why an answer is not in the results file."""
    return Message("pipelines.answer_not_writable", error=described(error))


def described(error: BaseException) -> str:
    """The type of an exception and the beginning of its message, on one line."""
    text = " ".join(str(error)[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def judge_records(benchmark: Benchmark, records: Mapping[str, Mapping[str, Any]]) -> dict[str, LegalVerdict]:
    """Verdicts on recorded outputs by id, without asking a system."""
    return {
        question.about.id: verdict_on(
            question, records.get(question.about.id, {}), benchmark.documents[question.about.document]
        )
        for question in benchmark.questions
    }
