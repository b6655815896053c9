"""Judging with a deadline and without exceptions, and the items of results files: an answer that cannot be judged is
an error of its item."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from steelyard import limits
from steelyard.deadline import DeadlineExceeded, deadline
from steelyard.documents.pages import Document
from steelyard.i18n import Message, to_json
from steelyard.io.outputs import record_of
from steelyard.io.results import Item
from steelyard.legal.formulas import METRIC
from steelyard.legal.model import About, Question
from steelyard.legal.score import judge
from steelyard.legal.verdicts import LegalVerdict
from steelyard.systems.base import Failure, Reply

Json = dict[str, Any]
UNWRITABLE: Final = (ValueError, TypeError, RecursionError, MemoryError)  # of answers that a file cannot hold
_LONGEST_REASON: Final = 200  # characters


def judge_safely(question: Question, record: Mapping[str, Any], document: Document) -> LegalVerdict | Message:
    """The verdict, or why there is none; only KeyboardInterrupt and SystemExit are raised."""
    return _guarded(lambda: judge(question, record, document))


def judge_answer(question: Question, answer: Any, document: Document) -> LegalVerdict | Message:
    """The same for an answer of any shape; None is a failed answer."""
    return _guarded(lambda: judge(question, {} if answer is None else record_of(answer, question.about.id), document))


def _guarded(work: Callable[[], LegalVerdict]) -> LegalVerdict | Message:
    try:
        with deadline(limits.JUDGING_SECONDS.value):
            return work()
    except DeadlineExceeded:
        return Message("pipelines.judging_timeout", value=limits.JUDGING_SECONDS.value)
    except Exception as error:
        return Message("pipelines.judging_failed", error=_described(error))


def verdict_on_answer(question: Question, answer: Any, document: Document) -> LegalVerdict:
    """The verdict on an answer of any shape; one that cannot be judged scores 0, with a flag that says why."""
    return completed(question, document, judge_answer(question, answer, document))


def completed(question: Question, document: Document, outcome: LegalVerdict | Message) -> LegalVerdict:
    """A verdict as it is; a verdict of 0 for an answer that could not be judged."""
    if isinstance(outcome, LegalVerdict):
        return outcome
    parts = _zero_parts(question, document)
    flag = Message("pipelines.not_judged", reason=outcome)
    return LegalVerdict(0.0, parts, {next(iter(parts), "error"): outcome}, (flag,))


def _zero_parts(question: Question, document: Document) -> dict[str, float]:
    """The parts of a question's score, each 0; empty if even an empty answer cannot be judged."""
    outcome = judge_safely(question, {}, document)
    return dict.fromkeys(outcome.parts, 0.0) if isinstance(outcome, LegalVerdict) else {}


def _described(error: BaseException) -> str:
    """The type of an exception and the beginning of its message, on one line."""
    text = " ".join(str(error)[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def item_of(question: Question, answer: Reply | Failure, document: Document) -> Item:
    """The item of an answer: score, parts, reasons, and the output of the system."""
    if isinstance(answer, Failure):
        return failed_item(question, answer, document)
    spent = {"seconds": round(answer.seconds, 6), **({} if answer.tokens is None else {"tokens": answer.tokens})}
    output = {**answer.record, "question": question.about.question, **spent}
    verdict = judge_safely(question, answer.record, document)
    try:
        if isinstance(verdict, Message):
            return failed_item(question, Failure(verdict, answer.seconds, 1), document, output)
        return judged_item(question, verdict, output)
    except UNWRITABLE as error:
        return unwritable_item(question, answer, document, error)


def judged_item(question: Question, verdict: LegalVerdict, output: Json) -> Item:
    """The item of a verdict with the output of the system."""
    content: Json = {
        "reasons": verdict.reasons,
        "remarks": list(verdict.remarks),
        "expected": question.expected_output(),
        "messages": {
            "reasons": {part: to_json(why) for part, why in verdict.why.items()},
            "remarks": [to_json(flag) for flag in verdict.flags],
        },
        **({"reached": dict(verdict.reached)} if verdict.reached else {}),
        **question.verdict_fields(verdict),
    }
    return _item(question.about, verdict.score, dict(verdict.parts), verdict.reason, {**output, "verdict": content})


def failed_item(question: Question, failure: Failure, document: Document, output: Json | None = None) -> Item:
    """An item without a verdict; `output` is the output of the system, if there is one."""
    about, message = question.about, failure.message
    spent = output or {"question": about.question, "seconds": failure.seconds, "attempts": failure.attempts}
    stored = {} if isinstance(message, str) else {"messages": {"error": to_json(message)}}
    shown = {**spent, "verdict": {"expected": question.expected_output(), **stored}}
    return replace(_item(about, 0.0, _zero_parts(question, document), str(message), shown), error=str(message))


def _item(about: About, score: float, parts: dict[str, float], note: str, output: Json) -> Item:
    tags = dict(about.tags)
    return Item(about.id, {METRIC: score}, parts={METRIC: parts}, notes={METRIC: note}, tags=tags, output=output)


def unwritable_item(question: Question, answer: Reply | Failure, document: Document, error: Exception) -> Item:
    """The item of an answer that a results file cannot hold."""
    message = Message("pipelines.answer_not_writable", error=_described(error))
    return failed_item(question, Failure(message, answer.seconds, 1), document)
