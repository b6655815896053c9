"""What Steelyard computes of the judges: its own judges, which ask the server of `judge.py`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from judge import (
    MODEL,
    Ask,
    Given,
    Replies,
    answer,
    claims,
    contexts,
    item_in,
    listed,
    question,
    reason,
    said,
    serving,
    single,
)

from steelyard.judges.calls import Caller, ChatModel, Endpoint
from steelyard.judges.journal import Journal
from steelyard.judges.run import judge_rows
from steelyard.judges.spec import Judge, load_judge
from steelyard.judges.tasks import JudgedRow
from steelyard.systems.ask import AskSettings

_CLAIMS: Final = {"yes": "supported", "no": "contradicted", "absent": "not_found", "unknown": "unknown"}
_GRADES: Final = {"yes": "3", "no": "0", "unknown": "unknown"}
_NUGGETS: Final = {"yes": "support", "partly": "partial_support", "no": "not_support", "unknown": "unknown"}
_NUGGET_METRICS: Final = {
    "vital": "NuggetVital",
    "vital_strict": "NuggetVitalStrict",
    "all": "NuggetAll",
    "all_strict": "NuggetAllStrict",
}


def of_claims(metric: str, given: Given) -> float | None:
    """Ask the judge of claims: it splits a text, and checks its claims against the contexts, with quotations."""
    form = _checks(given, " ".join(contexts(given)))
    row = JudgedRow("1", question(given), answer(given, form), (" ".join(claims(given)),), _passages(given))

    def replies(ask: Ask) -> Any:
        return said(given, form) if "verdicts" in ask.schema else {"claims": claims(given)}

    return _judged(load_judge("claims"), row, metric, replies, given)


def of_both(metric: str, given: Given) -> float | None:
    """Ask it about claims of an answer and the reference, and about claims of the reference and the answer."""
    other = {**given, "claims": given["reference_claims"], "verdicts": given["reference_verdicts"]}
    own_text, other_text = " ".join(claims(given)), " ".join(claims(other))

    def replies(ask: Ask) -> Any:
        is_split = "verdicts" not in ask.schema
        is_own = (claims(given)[0] if is_split else f"1. {claims(given)[0]}") in ask.text
        about, source = (given, other_text) if is_own else (other, own_text)
        return {"claims": claims(about)} if is_split else said(about, _checks(about, source))

    row = JudgedRow("1", question(given), own_text, (other_text,))
    return _judged(load_judge("claims"), row, metric, replies, given)


def context_precision(given: Given) -> float | None:
    """Ask the judge of relevance: a grade of 0 to 3 for each passage, one by one."""

    def form(verdicts: Any) -> Any:
        return single(verdicts, _GRADES, reason=reason(given))

    row = JudgedRow("1", question(given), contexts=_passages(given))
    return _judged(
        load_judge("relevance"),
        row,
        "ContextPrecision",
        lambda ask: said(given, form, item_in(given, ask.text)),
        given,
    )


def grade(given: Given) -> float | None:
    """Ask a judge with a menu of the user's."""
    return _graded(given, given["menu"])


def rating(given: Given) -> float | None:
    """Ask a judge whose menu is whole numbers."""
    low, high = given["scale"]
    return _graded(given, {str(number): (number - low) / (high - low) for number in range(low, high + 1)})


def _graded(given: Given, menu: Mapping[str, float]) -> float | None:
    def form(verdicts: Any) -> Any:
        return single(verdicts, {}, reason=reason(given))

    judge = replace(load_judge("criteria"), scale={label: float(score) for label, score in menu.items()})
    row = JudgedRow("1", question(given), answer(given, form))
    return _judged(judge, row, judge.metric, lambda ask: said(given, form), given)


def nuggets(given: Given) -> float | None:
    """Ask the judge of nuggets: it finds them in the reference, labels them, and looks for them in the answer."""

    def form(verdicts: Any) -> Any:
        return {"verdicts": listed(verdicts, _NUGGETS, numbered="nugget")}

    def replies(ask: Ask) -> Any:
        if "verdicts" not in ask.schema:
            return {"nuggets": claims(given)}
        if "vital" in ask.schema:
            return {"verdicts": listed([label for _, label in given["claims"]], {}, numbered="nugget")}
        return said(given, form)

    row = JudgedRow("1", question(given), given.get("answer", "An answer."), (" ".join(claims(given)),))
    return _judged(load_judge("nuggets"), row, _NUGGET_METRICS[given["score"]], replies, given)


def _judged(judge: Judge, row: JudgedRow, metric: str, replies: Replies, given: Given) -> float | None:
    """Return the score of a row as `judge run` computes it; None if it has none."""
    with serving(replies, once=given.get("once", False)) as url, TemporaryDirectory() as folder:
        endpoint = Endpoint(MODEL, url)
        own = judge.with_model(MODEL)
        with Journal.open(Path(folder, "x.calls.jsonl"), {}, resume=False) as journal:
            model = ChatModel(own, endpoint, settings=AskSettings(retries=2, backoff=0.01))
            (judged,) = judge_rows(own, [row], Caller(own, endpoint, journal, model), (metric,))
    score = judged.scores[metric]
    return score if isinstance(score, float) else None


def _checks(given: Given, source: str) -> Callable[[Any], Any]:
    return lambda verdicts: {
        "verdicts": listed(verdicts, _CLAIMS, numbered="claim", quote=source, reason=reason(given))
    }


def _passages(given: Given) -> tuple[tuple[str, str], ...]:
    return tuple((str(rank), text) for rank, text in enumerate(contexts(given), 1))


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "faithfulness": partial(of_claims, "Faithfulness"),
    "context_recall": partial(of_claims, "ContextRecall"),
    "claim_recall": partial(of_both, "ClaimRecall"),
    "claim_f1": partial(of_both, "ClaimF1"),
    "context_precision": context_precision,
    "grade": grade,
    "rating": rating,
    "nuggets": nuggets,
}
