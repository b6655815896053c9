"""Inspect: means, standard errors and counts from the samples, and the scorers that compare texts from their texts."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import punctuation, whitespace
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, mean, number, standard_error, valued
from steelyard.checks.texts import Texts, checked_texts
from steelyard.io.foreign import inspect_log, rows
from steelyard.io.foreign.archives import opened
from steelyard.io.foreign.containers import Container

_HEADER: Final = "header.json"
_TEXTS: Final = {"exact": "EM", "f1": "F1"}
_F1_DIGITS: Final = {"f1": 2}
"""F1 of a sample is rounded to two decimals by the tool."""
_METRICS: Final = {"accuracy": mean, "mean": mean, "stderr": standard_error}
_MEANS: Final = (None, "mean", ["mean"])
"""How the epochs of a sample are reduced, unless it is in another way."""

Sample = rows.Fields


def check(container: Container) -> Iterator[Finding]:
    """Yield the scores of samples and the metrics of scorers."""
    log = _header(container)
    samples = [record.fields for record in inspect_log.read(container)]
    results, about = log.get("results") or {}, log.get("eval") or {}
    scorers = {each["name"]: each.get("options") or {} for each in about.get("scorers") or []}
    yield from _texts(samples, scorers)
    yield from _matches(samples, scorers)
    for each in results.get("scores") or []:
        yield from _metrics(each, samples, (about.get("config") or {}).get("epochs_reducer"))
    if "completed_samples" in results:
        done = sum(not sample.get(rows.ERROR) for sample in samples)
        yield valued("", "completed_samples", number(results["completed_samples"]), float(done), "count")


def _header(container: Container) -> dict[str, Any]:
    if container.kind != "archive":
        return container.first
    with opened(container.path) as archive:
        return dict(archive.json(_HEADER)) if _HEADER in archive.members else {}


def _row(sample: Sample) -> str:
    return sample[rows.ID] if sample[rows.REPEAT] == 1 else f"{sample[rows.ID]} ({sample[rows.REPEAT]})"


def _texts(samples: Sequence[Sample], scorers: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield `exact` and `f1`, whose texts are read as SQuAD reads them once numbers and hyphens are as in Inspect."""
    read = [
        Texts(
            _row(sample),
            _reading(sample.get(rows.PREDICTION) or ""),
            [_reading(text) for text in sample.get(rows.REFERENCES) or [] if text.strip()],
            {name: value for name, value in sample.get(rows.SCORES, {}).items() if scorers.get(name) == {}},
        )
        for sample in samples
    ]
    yield from checked_texts(read, _TEXTS, "squad", _F1_DIGITS)


def _reading(text: str) -> str:
    return " ".join(map(_as_number, re.split("[ -]", text)))


def _as_number(word: str) -> str:
    try:
        number = float(word.strip(punctuation))
    except ValueError:
        return word
    return str(number) if math.isfinite(number) else word


def _matches(samples: Sequence[Sample], scorers: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield the scores of `includes` and `match`; those of other scorers are not made of texts alone."""
    for sample in samples:
        for name, written in sample.get(rows.SCORES, {}).items():
            options = scorers.get(name)
            if name in _TEXTS and options == {}:
                continue
            if written is None or options is None or name not in _CHECKS or options.get("numeric"):
                yield Left(_row(sample), name, "unscored" if written is None else "judged")
                continue
            fold = str.casefold if options.get("ignore_case", True) else str
            answer, targets = fold(sample.get(rows.PREDICTION) or ""), map(fold, sample.get(rows.REFERENCES) or [])
            hit = any(_CHECKS[name](answer, target, options.get("location", "end")) for target in targets)
            yield Value(_row(sample), name, written, float(hit), "texts")


def _includes(answer: str, target: str, _: str) -> bool:
    return target in answer


def _match(answer: str, target: str, location: str) -> bool:
    answer, target = (text.strip(whitespace + punctuation) for text in (answer, target))
    found = {"begin": answer.startswith(target), "end": answer.endswith(target), "exact": answer == target}
    return found.get(location, target in answer)


_CHECKS: Final[Mapping[str, Callable[[str, str, str], bool]]] = {"includes": _includes, "match": _match}


def _metrics(given: Mapping[str, Any], samples: Sequence[Sample], reducer: Any) -> Iterator[Finding]:
    """Yield the metrics of a scorer, and how many samples have a score; several epochs of a sample have one, a mean."""
    name, epochs = given["name"], dict[str, list[float | None]]()
    for sample in samples:
        scores = sample.get(rows.SCORES, {})
        label = next((each for each in (name, f"{given.get('scorer')}/{name}") if each in scores), None)
        if label is not None:  # a scorer with several values has a name for each
            epochs.setdefault(sample[rows.ID], []).append(scores[label])
    reduced = [mean(value for value in values if value is not None) for values in epochs.values()]
    values = [value for value in reduced if value is not None]
    for metric, found in given["metrics"].items():
        label, define = f"{name} {metric}", _METRICS.get(metric)
        if define is None or found.get("params") or reducer not in _MEANS:
            yield Left("", label, "other_metric")
        else:
            yield valued("", label, number(found["value"]), define(values), "stderr" if metric == "stderr" else "mean")
    for key, count in (("scored_samples", len(values)), ("unscored_samples", len(reduced) - len(values))):
        if given.get(key) is not None:
            yield valued("", f"{name} {key}", number(given[key]), float(count), "count")
