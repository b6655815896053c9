"""lm-evaluation-harness: `exact_match`, `acc` and `acc_norm` of samples, and the means of the results beside them."""

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.checks.findings import Finding, Left, Value, mean, number, standard_error, valued
from steelyard.io.foreign import lm_eval, rows
from steelyard.io.foreign.containers import Container
from steelyard.io.records import parse_json_file
from steelyard.io.streams import read_text

_FILE: Final = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_CHOSEN: Final = ("acc", "acc_norm")
_MATCHED: Final = "exact_match"
_ONLY: Final = "none"


def check(container: Container) -> Iterator[Finding]:
    """Yield the scores of samples; with `results_….json` of the same time beside the file, its means too."""
    name = _FILE.fullmatch(container.path.name)
    path = container.path.with_name(f"results_{name['stamp']}.json") if name else None
    results = parse_json_file(read_text(path)[0], str(path)) if path is not None and path.is_file() else {}
    task = name["task"] if name else ""
    metrics = ((results.get("configs") or {}).get(task) or {}).get("metric_list") or []
    settings = {each["metric"]: each for each in metrics}
    options = settings.get(_MATCHED, {}) if settings else None
    if not all(map(_is_safe, (options or {}).get("regexes_to_ignore") or [])):
        options = None
    columns: dict[tuple[str, str], list[float | None]] = {}
    for sample in (record.fields for record in container.records()):
        for metric in sample.get("metrics") or [each for each in (*_CHOSEN, _MATCHED) if each in sample]:
            kind = sample.get("filter", _ONLY)
            if not isinstance(metric, str):
                continue
            columns.setdefault((metric, kind), []).append(number(sample.get(metric)))
            yield _sample(sample, metric if kind == _ONLY else f"{metric},{kind}", metric, options)
    yield from _means((results.get("results") or {}).get(task), settings, columns)


def _is_safe(pattern: str) -> bool:
    """Whether a pattern of the file cannot take long: it is valid, and repeats at most once."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return sum(map(pattern.count, "*+{")) <= 1


def _sample(sample: Mapping[str, Any], label: str, metric: str, options: Mapping[str, Any] | None) -> Finding:
    row, written = str(sample.get("doc_id")), number(sample.get(metric))
    if written is None:
        return Left(row, label, "unscored")
    if metric in _CHOSEN and (choices := lm_eval.choices_of(sample)):
        target = rows.parsed_cell(str(sample["target"]))
        lengths = [len(text) if metric == "acc_norm" else 1 for text, _ in choices]
        best = max(range(len(choices)), key=lambda place: choices[place][1] / max(lengths[place], 1))
        return Value(row, label, written, float(best == target), "likelihood")
    if metric != _MATCHED or not isinstance(sample["target"], str) or sample["target"].startswith("["):
        return Left(row, label, "other_metric")
    response = sample["filtered_resps"][0]
    if not isinstance(response, str):
        return Left(row, label, "other_metric")
    equal = _plain(response, options or {}) == _plain(sample["target"], options or {})
    if options is None and equal != bool(written):
        return Left(row, label, "no_settings")
    return Value(row, label, written, float(equal), "texts")


def _plain(text: str, options: Mapping[str, Any]) -> str:
    for pattern in options.get("regexes_to_ignore") or []:
        text = re.sub(pattern, "", text)
    text = text.lower() if options.get("ignore_case") else text
    removed = string.punctuation if options.get("ignore_punctuation") else ""
    removed += string.digits if options.get("ignore_numbers") else ""
    return text.translate(str.maketrans("", "", removed))


def _means(
    results: Mapping[str, Any] | None,
    settings: Mapping[str, Mapping[str, Any]],
    columns: Mapping[tuple[str, str], Sequence[float | None]],
) -> Iterator[Finding]:
    for (metric, kind), values in columns.items():
        usual = "mean" if metric in (*_CHOSEN, _MATCHED) else None
        is_mean = settings.get(metric, {}).get("aggregation", usual) == "mean"
        for suffix, value in (("", mean), ("_stderr", standard_error)):
            label = f"{metric}{suffix}" if kind == _ONLY else f"{metric}{suffix},{kind}"
            known = [each for each in values if each is not None]
            if results is None or not is_mean or len(known) < len(values):
                yield Left("", label, "no_results" if results is None else "unscored" if is_mean else "other_metric")
            else:
                written = number(results.get(f"{metric}{suffix},{kind}"))
                yield valued("", label, written, value(known), suffix.strip("_") or "mean")
    if results is not None and "sample_len" in results:
        counted = max((len(values) for values in columns.values()), default=0)
        yield valued("", "sample_len", number(results["sample_len"]), float(counted), "count")
