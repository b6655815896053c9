"""Inspect: means, standard errors and counts from the samples, and the scorers that compare texts from their texts."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import punctuation
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, mean, number, standard_error
from steelyard.checks.texts import Texts, checked_texts
from steelyard.io.foreign import inspect_log, rows
from steelyard.io.foreign.archives import opened
from steelyard.io.foreign.containers import Container

FORMAT: Final = "inspect"

_HEADER: Final = "header.json"
_TEXTS: Final = {"exact": "EM", "f1": "F1"}
_F1_DIGITS: Final = {"f1": 2}
"""F1 of a sample is rounded to two decimals by the tool."""
_MEANS: Final = ("accuracy", "mean")
_SQUARED: Final = "stderr"

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
        yield from _metrics(each, samples, has_epochs=(about.get("config") or {}).get("epochs", 1) != 1)
    if "completed_samples" in results:
        done = sum(not sample.get(rows.ERROR) for sample in samples)
        yield Value("", "completed_samples", number(results["completed_samples"]), float(done), "count")


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
            [_reading(text) for text in sample.get(rows.REFERENCES) or []],
            {name: value for name, value in sample.get(rows.SCORES, {}).items() if not scorers.get(name)},
        )
        for sample in samples
    ]
    yield from checked_texts(read, _TEXTS, "squad", _F1_DIGITS)


def _reading(text: str) -> str:
    return " ".join(map(_as_number, re.split("[ -]", text)))


def _as_number(word: str) -> str:
    try:
        return str(float(word.strip(punctuation)))
    except ValueError:
        return word


def _matches(samples: Sequence[Sample], scorers: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield the scores of `includes` and `match`; those of other scorers are not made of texts alone."""
    for sample in samples:
        for name, written in sample.get(rows.SCORES, {}).items():
            options = scorers.get(name, {})
            if name in _TEXTS and not options:
                continue
            if written is None or name not in _CHECKS or options.get("numeric"):
                yield Left(_row(sample), name, "unscored" if written is None else "judged")
                continue
            fold = str.casefold if options.get("ignore_case", True) else str
            answer, targets = fold(sample.get(rows.PREDICTION) or ""), map(fold, sample.get(rows.REFERENCES) or [])
            hit = any(_CHECKS[name](answer, target, options.get("location", "end")) for target in targets)
            yield Value(_row(sample), name, written, float(hit), "texts")


def _includes(answer: str, target: str, _: str) -> bool:
    return target in answer


def _match(answer: str, target: str, location: str) -> bool:
    answer, target = (text.strip().strip(punctuation) for text in (answer, target))
    found = {"begin": answer.startswith(target), "end": answer.endswith(target), "exact": answer == target}
    return found.get(location, target in answer)


_CHECKS: Final[Mapping[str, Callable[[str, str, str], bool]]] = {"includes": _includes, "match": _match}


def _metrics(given: Mapping[str, Any], samples: Sequence[Sample], *, has_epochs: bool) -> Iterator[Finding]:
    """Yield the metrics of a scorer, and how many samples have a score."""
    name = given["name"]
    scores = [score for sample in samples if not sample.get(rows.ERROR) and (score := _score(sample, name, given))]
    values = [value for (value,) in scores if value is not None]
    for metric, found in given["metrics"].items():
        label = f"{name} {metric}"
        if has_epochs or found.get("params") or metric not in (*_MEANS, _SQUARED):
            yield Left("", label, "reduced" if has_epochs else "other_metric")
            continue
        value = standard_error(values) if metric == _SQUARED else mean(values)
        yield Value("", label, number(found["value"]), value, "mean" if metric in _MEANS else "stderr")
    if given.get("scored_samples") is not None and not has_epochs:
        yield Value("", f"{name} scored_samples", number(given["scored_samples"]), float(len(values)), "count")
        missing = float(len(scores) - len(values))
        yield Value("", f"{name} unscored_samples", number(given["unscored_samples"]), missing, "count")


def _score(sample: Sample, name: str, given: Mapping[str, Any]) -> tuple[float | None] | None:
    """Return the score of a sample by a scorer; None if the scorer did not see it."""
    scores = sample.get(rows.SCORES, {})
    names = (name, f"{given.get('scorer')}/{name}")  # a scorer with several values has a name for each
    return next(((scores[each],) for each in names if each in scores), None)
