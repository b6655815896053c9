"""promptfoo: scores from weighted assertions, success by threshold, totals, and assertions that compare texts."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, number, valued
from steelyard.checks.texts import SHORTEST, bleu
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.promptfoo import results_of, summary_of

_ERROR: Final = 2  # failureReason
_COMPARED: Final = frozenset(("select-best", "max-score", "guardrails"))
"""Assertions about several outputs, or that replace the verdict of the others."""
_PLAIN: Final = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*\.?")
"""A text that every tokenizer of English divides into the same words."""
_FLOOR: Final = 1e-7
"""The precision of n-grams without a match, in BLEU."""

Result = Mapping[str, Any]


def check(container: Container) -> Iterator[Finding]:
    """Yield the assertions, scores and successes of every result, and the totals."""
    found = container.records() if container.kind == "rows" else results_of(container)
    results = sorted((record.fields for record in found), key=lambda each: (each["testIdx"], each["promptIdx"]))
    has_several = any(each["promptIdx"] for each in results)
    for each in results:
        row = f"{each['testIdx']}/{each['promptIdx']}" if has_several else str(each["testIdx"])
        yield from _result(row, each)
    summary = summary_of(container.first)[0] if container.kind == "document" else None
    yield from _totals(summary or {}, results)


def _result(row: str, result: Result) -> Iterator[Finding]:
    graded = result.get("gradingResult") or {}
    test, components = result.get("testCase") or {}, _components(graded)
    if result.get("failureReason") == _ERROR or not components:
        why = "unscored" if result.get("failureReason") == _ERROR else "no_assertion"
        yield from (Left(row, name, why) for name in ("score", "success"))
        return
    yield from _assertions(row, components, result)
    if test.get("assertScoringFunction") or any(_type(each) in _COMPARED for each in components):
        yield from (Left(row, name, "own_function") for name in ("score", "success"))
        return
    yield from _score(row, components, result)
    threshold, score = number(test.get("threshold")), number(result.get("score"))
    passed = all(each["pass"] for each in components) if threshold is None else (score or 0) >= threshold
    why = "all_assertions" if threshold is None else "threshold"
    yield valued(row, "success", number(result.get("success")), float(passed), why)


def _components(graded: Mapping[str, Any]) -> list[Result]:
    """Return the results of assertions; those of a set, which follow it, are left out."""
    found, kept = graded.get("componentResults") or [], list[Result]()
    while found:
        kept.append(found[0])
        inner = [each["score"] for each in found[0].get("componentResults") or []]
        found = found[1:]
        if [each["score"] for each in found[: len(inner)]] == inner:
            found = found[len(inner) :]
    return kept


def _type(component: Result) -> str:
    return str((component.get("assertion") or {}).get("type", ""))


def _weight(component: Result) -> float:
    """Return the weight of an assertion or of a set; 1 unless it is given."""
    given = component.get("assertion") or (component.get("metadata") or {}).get("assertionSet") or {}
    weight = number(given.get("weight"))
    return 1.0 if weight is None else weight


def _score(row: str, components: Sequence[Result], result: Result) -> Iterator[Finding]:
    """Yield the score and the scores of names, which are means by weight."""
    yield _mean(row, "score", result.get("score"), [(each["score"], _weight(each)) for each in components])
    for name, written in (result.get("namedScores") or {}).items():
        pairs = [pair for each in components for pair in _named(each, name)]
        is_mean = len(pairs) == 1 or "namedScoreWeights" in result["gradingResult"]  # it was a sum before
        yield _mean(row, name, written, pairs) if pairs and is_mean else Left(row, name, "own_function")


def _named(component: Result, name: str) -> Iterator[tuple[float, float]]:
    """Yield score and weight of an assertion with this name, or of those in a set."""
    if (component.get("assertion") or {}).get("metric") == name:
        yield component["score"], _weight(component)
    elif name in (component.get("namedScores") or {}):
        inner = (component.get("namedScoreWeights") or {}).get(name, 1)
        yield component["namedScores"][name], inner * _weight(component)


def _mean(row: str, name: str, written: Any, pairs: Sequence[tuple[float, float]]) -> Finding:
    total = math.fsum(weight for _, weight in pairs)
    if not total:
        return Left(row, name, "no_weight")
    return valued(row, name, number(written), math.fsum(score * weight for score, weight in pairs) / total, "weighted")


def _assertions(row: str, components: Sequence[Result], result: Result) -> Iterator[Finding]:
    output = (result.get("response") or {}).get("output")
    is_changed = "transform" in ((result.get("testCase") or {}).get("options") or {})
    for place, each in enumerate(components, 1):
        assertion, kind = each.get("assertion") or {}, _type(each) or "assert-set"
        label, value = f"assertion {place} {kind}", _value(each)
        score = None
        if isinstance(output, str) and not (is_changed or "transform" in assertion or _is_made(value)):
            score = _compared(kind.removeprefix("not-"), output, value)
        if score is None:
            yield Left(row, label, "other_metric")
            continue
        why = "clipping" if kind.endswith("bleu") and isinstance(value, list) else "texts"
        yield valued(row, label, number(each["score"]), 1 - score if kind.startswith("not-") else score, why)


def _value(component: Result) -> Any:
    """Return the value of an assertion; a template as it was filled in, if the file says so."""
    value = (component.get("assertion") or {}).get("value")
    filled = (component.get("metadata") or {}).get("renderedAssertionValue")
    return filled if isinstance(value, str) and "{{" in value and "://" not in value and filled else value


def _is_made(value: Any) -> bool:
    """Whether a value is a template or a reference, whose text the file does not have."""
    texts = value if isinstance(value, list) else [value]
    return not all(isinstance(text, str) and "{{" not in text and "://" not in text for text in texts)


def _compared(kind: str, output: str, value: Any) -> float | None:
    """Return the score of an output by an assertion; None if it cannot be recomputed."""
    values = value if isinstance(value, list) else [value]
    if kind in ("contains-any", "contains-all") and isinstance(value, list):
        return float((any if kind == "contains-any" else all)(text in output for text in values))
    if kind == "bleu":
        words, *others = (text.lower().split() for text in (output, *values))
        return bleu(words, others, _FLOOR) if len(words) >= SHORTEST and all(others) else None
    return _SINGLE[kind](output, value) if kind in _SINGLE and isinstance(value, str) else None


def _rouge(output: str, value: str) -> float | None:
    """Return ROUGE-1 of texts with nothing but words and an end."""
    texts = [text.lower() for text in (output, value)]
    if not all(map(_PLAIN.fullmatch, texts)):
        return None
    one, other = (Counter(text.replace(".", " .").split()) for text in texts)
    return 2 * (one & other).total() / (one.total() + other.total())


_SINGLE: Final[Mapping[str, Callable[[str, str], float | None]]] = {
    "equals": lambda output, value: float(output == value),
    "contains": lambda output, value: float(value in output),
    "icontains": lambda output, value: float(value.lower() in output.lower()),
    "starts-with": lambda output, value: float(output.startswith(value)),
    "rouge-n": _rouge,
}


def _totals(summary: Mapping[str, Any], results: Sequence[Result]) -> Iterator[Finding]:
    for name, counted in _outcomes(results).items():
        if name in (summary.get("stats") or {}):
            yield valued("", name, number(summary["stats"][name]), float(counted), "count")
    prompts = summary.get("prompts") or []
    for place, prompt in enumerate(prompts):
        own = [each for each in results if each["promptIdx"] == place]
        metrics, label = prompt.get("metrics") or {}, f"{place} " if len(prompts) > 1 else ""
        names = {"successes": "testPassCount", "failures": "testFailCount", "errors": "testErrorCount"}
        found: dict[str, float] = {names[name]: float(count) for name, count in _outcomes(own).items()}
        found["score"] = math.fsum(number(each.get("score")) or 0.0 for each in own)
        for name, expected in found.items():
            if name in metrics:
                why = "sum" if name == "score" else "count"
                yield valued("", label + name, number(metrics[name]), expected, why)


def _outcomes(results: Sequence[Result]) -> dict[str, int]:
    errors = sum(each.get("failureReason") == _ERROR for each in results)
    passed = sum(each.get("success") is True for each in results)
    return {"successes": passed, "failures": len(results) - passed - errors, "errors": errors}
