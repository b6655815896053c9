"""Judging one answer so that nothing in it can end a run: an exception or a missed deadline is its error."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from steelyard import limits
from steelyard.documents.pages import Document
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.legal.benchmark.deadline import DeadlineExceeded, deadline
from steelyard.legal.model import Question
from steelyard.legal.score import Verdict, judge

_LONGEST_REASON: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why an answer could not be judged."""

    reason: Message


def judge_safely(question: Question, record: Mapping[str, Any], document: Document) -> Verdict | Unjudged:
    """The verdict, or why there is none; only Ctrl-C and the end of the program come through."""
    return _guarded(lambda: judge(question, record, document))


def _guarded(work: Callable[[], Verdict]) -> Verdict | Unjudged:
    try:
        with deadline(limits.JUDGING_SECONDS.value):
            return work()
    except DeadlineExceeded:
        return Unjudged(Message("pipelines.judging_took_longer_than_s", value=limits.JUDGING_SECONDS.value))
    except Exception as error:
        return Unjudged(Message("pipelines.judging_failed", error=described(error)))


def judged(question: Question, record: Mapping[str, Any], document: Document) -> Verdict:
    """The verdict; an answer that cannot be judged earns nothing, and a remark says why."""
    return _verdict(question, document, judge_safely(question, record, document))


def judged_answer(question: Question, answer: Any, document: Document) -> Verdict:
    """The verdict on an answer of any shape; None is one that failed, and one that cannot be read earns nothing."""

    def work() -> Verdict:
        record = {} if answer is None else record_of(answer, question.about.id)
        return judge(question, record, document)

    return _verdict(question, document, _guarded(work))


def _verdict(question: Question, document: Document, found: Verdict | Unjudged) -> Verdict:
    if isinstance(found, Verdict):
        return found
    parts = parts_of_nothing(question, document)
    remark = Message("pipelines.not_judged", reason=found.reason)
    return Verdict(0.0, parts, {next(iter(parts), "error"): found.reason}, (remark,))


def parts_of_nothing(question: Question, document: Document) -> dict[str, float]:
    """The parts of the score of a question, each 0; none where even silence cannot be judged."""
    found = judge_safely(question, {}, document)
    return dict.fromkeys(found.parts, 0.0) if isinstance(found, Verdict) else {}


def unwritable(error: Exception) -> Message:
    """Why an answer is not in the results file."""
    return Message("pipelines.answer_cannot_written_down", error=described(error))


def described(error: BaseException) -> str:
    """The type of an exception and the beginning of what it says, on one line."""
    text = " ".join(str(error)[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
