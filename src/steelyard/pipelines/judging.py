"""Judging one answer so that nothing in it can end a run: an exception or a missed deadline is its error."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from steelyard import limits
from steelyard.formats.documents import Document
from steelyard.formats.outputs import record_of
from steelyard.legal.model import Question
from steelyard.legal.score import Verdict, judge
from steelyard.pipelines.deadline import DeadlineExceeded, deadline

_LONGEST_REASON: Final = 200  # characters
NOT_JUDGED: Final = "not_judged"
"""What the remark on an answer that could not be judged begins with."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why an answer could not be judged."""

    reason: str


def judge_safely(question: Question, record: Mapping[str, Any], document: Document) -> Verdict | Unjudged:
    """The verdict, or why there is none; only Ctrl-C and the end of the program come through."""
    try:
        with deadline(limits.JUDGING_SECONDS.value):
            return judge(question, record, document)
    except DeadlineExceeded:
        return Unjudged(f"judging took longer than {limits.JUDGING_SECONDS.value:g} s")
    except Exception as error:
        return Unjudged(f"judging failed: {described(error)}")


def judged(question: Question, record: Mapping[str, Any], document: Document) -> Verdict:
    """The verdict; an answer that cannot be judged earns nothing, and a remark says why."""
    found = judge_safely(question, record, document)
    return found if isinstance(found, Verdict) else _nothing(question, document, found.reason)


def judged_answer(question: Question, answer: Any, document: Document) -> Verdict:
    """The verdict on an answer of any shape; None is one that failed, and one that cannot be read earns nothing."""
    try:
        record = {} if answer is None else record_of(answer, question.about.id)
    except Exception as error:
        return _nothing(question, document, f"judging failed: {described(error)}")
    return judged(question, record, document)


def _nothing(question: Question, document: Document, reason: str) -> Verdict:
    parts = parts_of_nothing(question, document)
    return Verdict(0.0, parts, {next(iter(parts), "error"): reason}, (f"{NOT_JUDGED}: {reason}",))


def parts_of_nothing(question: Question, document: Document) -> dict[str, float]:
    """The parts of the score of a question, each 0; none where even silence cannot be judged."""
    found = judge_safely(question, {}, document)
    return dict.fromkeys(found.parts, 0.0) if isinstance(found, Verdict) else {}


def unwritable(error: Exception) -> str:
    """Why an answer is not in the results file."""
    return f"the answer cannot be written down: {described(error)}"


def described(error: BaseException) -> str:
    """The type of an exception and the beginning of what it says, on one line."""
    try:
        text = " ".join(str(error)[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON]
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
