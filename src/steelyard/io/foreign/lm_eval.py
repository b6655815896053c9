"""lm-evaluation-harness: `samples_….jsonl`, one line for each document and filter.

Lines of one document are one record. With several filters its scores are named as in the harness's own results
(`exact_match,strict-match`) and the prediction is the unfiltered response. Of choices, whose responses are log
likelihoods, the most likely one is the prediction.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.io import layouts, shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "lm-eval"
TITLE: Final = "lm-evaluation-harness samples"

_NEEDED: Final = frozenset(("doc_id", "doc", "target", "resps", "filtered_resps"))
_OTHERS: Final = frozenset(("arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash"))
_ONLY: Final = "none"
_DOC_ID: Final = shapes.Plain(shapes.WHOLE.words, lambda value: isinstance(value, str | int))
_SAMPLE: Final = shapes.Fields(
    {
        "doc_id": _DOC_ID,
        "doc": shapes.ANYTHING,
        "target": shapes.ANYTHING,
        "resps": shapes.ListOf(shapes.ANYTHING),
        "filtered_resps": shapes.ListOf(shapes.ANYTHING),
        "filter": shapes.TEXT,
        "metrics": rows.TEXTS,
    },
    _NEEDED,
)


def recognises(container: Container) -> bool:
    """Whether rows have a document with its responses, filtered and not."""
    return container.kind == "rows" and container.first.keys() >= _NEEDED


def read(container: Container) -> Iterator[Record]:
    """One record for each document."""
    samples: dict[Any, list[Record]] = {}
    for record in container.records():
        shapes.check_shape(record.fields, _SAMPLE, "", record.where)
        samples.setdefault(record.fields["doc_id"], []).append(record)
    for same in samples.values():
        yield same[0]._replace(fields=_fields([record.fields for record in same]))


def _fields(samples: Sequence[Fields]) -> Fields:
    first = samples[0]
    choices = choices_of(first)
    fields = {
        rows.ID: str(first["doc_id"]),
        rows.QUESTION: _question(first),
        rows.PREDICTION: _prediction(samples, choices),
        rows.REFERENCES: _references(first["target"], choices),
    }
    scores = {name: rows.score(value) for sample in samples for name, value in _scores(sample, len(samples) > 1)}
    unscored = {name: "NaN" for name, value in scores.items() if value is None}
    kept = {name: value for name, value in fields.items() if value is not None}
    extra = {NAME: {"samples": list(samples)} if len(samples) > 1 else first}
    return kept | rows.present({rows.SCORES: scores, rows.UNSCORED: unscored, rows.EXTRA: extra})


def _scores(sample: Mapping[str, Any], has_filters: bool) -> Iterator[tuple[str, Any]]:
    """Yield the metrics of a sample: those that it names, or every number beside its known fields."""
    names = sample.get("metrics") or [name for name in sample if name not in _NEEDED | _OTHERS]
    for name in names:
        if rows.is_score(sample.get(name)):
            yield f"{name},{sample.get('filter', _ONLY)}" if has_filters else name, sample[name]


def _question(sample: Mapping[str, Any]) -> Any:
    """Return the field of the document that is a question by its name, else the prompt."""
    doc = sample["doc"] if isinstance(sample["doc"], dict) else {}
    found = [doc[name] for name in layouts.QUESTION if isinstance(doc.get(name), str)]
    return found[0] if found else _argument(sample, 0, "arg_0")


def _argument(sample: Mapping[str, Any], number: int, name: str) -> str | None:
    """Return an argument of a request; before 0.4.4 requests are lists."""
    requests = sample.get("arguments")
    request = requests.get(f"gen_args_{number}") if isinstance(requests, dict) else _at(requests, number)
    value = request.get(name) if isinstance(request, dict) else _at(request, int(name[-1]))
    return value if isinstance(value, str) else None


def _at(values: Any, number: int) -> Any:
    return values[number] if isinstance(values, list) and number < len(values) else None


def choices_of(sample: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the choices with their log likelihoods; none if the responses are texts."""
    found = []
    for number, response in enumerate(sample["filtered_resps"]):
        likelihood = rows.parsed_cell(_at(response, 0))
        text = _argument(sample, number, "arg_1")
        if text is None or not isinstance(likelihood, int | float):
            return []
        found.append((text.strip(), likelihood))
    return found


def _prediction(samples: Sequence[Mapping[str, Any]], choices: Sequence[tuple[str, float]]) -> str | None:
    if choices:
        return max(choices, key=lambda choice: choice[1])[0]
    responses = samples[0]["filtered_resps"] if len(samples) == 1 else samples[0]["resps"]
    response = _at(responses, 0)
    while isinstance(response, list):
        response = _at(response, 0)
    return response if isinstance(response, str) else None


def _references(target: Any, choices: Sequence[tuple[str, float]]) -> list[str] | None:
    """Return the texts of the target; a number is that of a choice."""
    number = rows.parsed_cell(target)
    if choices and isinstance(number, int) and 0 <= number < len(choices):
        return [choices[number][0]]
    several = number if isinstance(number, list) else [target]
    return [str(each) for each in several if isinstance(each, str | int | float)] or None
