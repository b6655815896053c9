"""promptfoo: the results of an evaluation as JSON (versions 2 and 3) or JSONL.

Each prompt with each provider is a system. A result whose `failureReason` is 2 is an error of the system; in one with
another reason `error` only says which assertion failed. The scores are `pass`, `score`, those that have a name, and the
mean of the other assertions of each type; with a failed grader they are errors.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any, Final

from steelyard.errors import InputError, cut
from steelyard.i18n import Message
from steelyard.io import layouts, shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "promptfoo"
TITLE: Final = "promptfoo"

_PASS: Final = "pass"
_SCORE: Final = "score"
_FAILED: Final = 2  # failureReason: the provider failed
_LONGEST_LABEL: Final = 60
_AFTER_REASON: Final = "\n---\n"
_CONTEXTS: Final = ("context", "contexts", "retrieved_contexts", "documents", "passages")
_REFERENCES: Final = (*layouts.REFERENCES, "expected", "expected_answer", "correct_answer", "ideal")
# assertions whose value is the expected output
_EXPECTING: Final = frozenset(("equals", "similar", "factuality", "levenshtein", "rouge-n", "bleu", "gleu", "meteor"))
_CSV: Final = frozenset(("Status", "Score", "Named Scores", "Grader Reason"))
_USED: Final = frozenset(("success", "score", "namedScores", "error"))

_COMPONENT: Final = shapes.Fields(
    {
        "score": shapes.NUMBER,
        "reason": shapes.TEXT,
        "assertion": shapes.Fields({"type": shapes.TEXT, "metric": shapes.TEXT}),
        "metadata": shapes.MapOf(shapes.ANYTHING),
    }
)
_RESULT: Final = shapes.Fields(
    {
        "vars": shapes.MapOf(shapes.ANYTHING),
        "prompt": shapes.MapOf(shapes.ANYTHING),
        "provider": shapes.MapOf(shapes.ANYTHING),
        "response": shapes.Fields({"metadata": shapes.MapOf(shapes.ANYTHING)}),
        "testCase": shapes.Fields(
            {
                "metadata": shapes.MapOf(shapes.ANYTHING),
                "assert": shapes.ListOf(shapes.Fields({"type": shapes.TEXT})),
            }
        ),
        "metadata": shapes.MapOf(shapes.ANYTHING),
        "promptIdx": shapes.WHOLE,
        "testIdx": shapes.WHOLE,
        "success": shapes.FLAG,
        "score": shapes.NUMBER,
        "failureReason": shapes.WHOLE,
        "namedScores": shapes.MapOf(shapes.NUMBER),
        "gradingResult": shapes.Fields({"reason": shapes.TEXT, "componentResults": shapes.ListOf(_COMPONENT)}),
    }
)
_OBJECTS: Final = shapes.ListOf(shapes.Fields({}))
_HEAD: Final = shapes.Fields({"prompts": _OBJECTS, "vars": rows.TEXTS}, frozenset(("prompts",)))
_BODY: Final = shapes.ListOf(shapes.Fields({"outputs": _OBJECTS, "vars": shapes.ListOf(shapes.ANYTHING)}))
_OUTPUTS: Final = re.compile(r"\[[^\]]+\] ")  # [provider] prompt
_VERDICT: Final = re.compile(r"\[(PASS|FAIL|ERROR)\]")
_TABLE: Final = shapes.Fields({"head": _HEAD, "body": _BODY}, frozenset(("head", "body")))


def recognises(container: Container) -> bool:
    """Whether a document has versioned results or a table, or rows have the place of a result in the matrix."""
    names = container.first
    if container.kind == "rows":
        return {"promptIdx", "testIdx", "vars"} <= names.keys() or _is_csv(container)
    return container.kind == "document" and summary_of(names)[0] is not None


def read(container: Container) -> Iterator[Record]:
    """Yield the results, each with its system and its test; a test that is there again is a repeat.

    CSV is refused: its scores are rounded, and an error of the provider is a score of 0.
    """
    if _is_csv(container):
        message, hint = Message("formats.promptfoo_csv"), Message("formats.promptfoo_csv_hint")
        raise InputError(message, where=container.name, hint=hint)
    records = list(container.records() if container.kind == "rows" else results_of(container))
    for record in records:
        shapes.check_shape(record.fields, _RESULT, "", record.where)
    records.sort(key=lambda record: _place(record.fields))  # results are in the order of their completion
    systems = _systems([record.fields for record in records])
    tests = _tests([record.fields for record in records])
    for record, system, test in zip(records, systems, tests, strict=True):
        yield record._replace(fields=test | system | _fields(record.fields))


def _is_csv(container: Container) -> bool:
    """Whether rows of CSV are the table that promptfoo exports; older versions have the verdict before the output."""
    first = container.first if container.kind == "rows" and container.cells else {}
    verdicts = (value for name, value in first.items() if _OUTPUTS.match(name) and _VERDICT.match(str(value)))
    return first.keys() >= _CSV or any(verdicts)


def _place(result: Mapping[str, Any]) -> tuple[int, int]:
    """Return the number of the test, then that of the prompt, so that systems are in the order of the configuration."""
    return result.get("testIdx") or 0, result.get("promptIdx") or 0


def summary_of(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return the object with version and results, and the pointer to it."""
    inner = document.get("results")
    if isinstance(inner, dict) and ("table" in inner or "results" in inner):
        return inner, "/results"
    is_summary = isinstance(inner, list) and {"version", "stats"} <= document.keys()
    return (dict(document), "") if is_summary else (None, "")


def results_of(container: Container) -> Iterator[Record]:
    """Yield the results of a document as they are."""
    summary, pointer = summary_of(container.first)
    results, table = (summary or {}).get("results"), (summary or {}).get("table")
    place = f"{container.name}#{pointer}"
    if results is None and table is not None:
        shapes.check_shape(table, _TABLE, "table", place)
        results = list(_cells(table))
    shapes.check_shape(results, _OBJECTS, "results", place)
    for number, result in enumerate(results or []):
        yield Record(container.name, number, result, f"{{}}#{pointer}/results/{{}}")


def _cells(table: Mapping[str, Any]) -> Iterator[Fields]:
    """Yield the cells of the table of version 2 as results."""
    head = table["head"]
    for test, row in enumerate(table["body"]):
        names = dict(zip(head.get("vars") or [], row.get("vars") or [], strict=False))
        for number, (prompt, output) in enumerate(zip(head["prompts"], row.get("outputs") or [], strict=False)):
            yield {
                **output,
                "testIdx": test,
                "promptIdx": number,
                "vars": names,
                "success": output.get("pass"),
                "provider": {"id": output.get("provider") or prompt.get("provider")},
                "prompt": {"label": prompt.get("label") or prompt.get("display"), "raw": output.get("prompt")},
                **_content_of_cell(output),
                "testCase": row.get("test"),
            }


def _content_of_cell(output: Mapping[str, Any]) -> Fields:
    """Return the output in a cell, after the reason of a failure.

    Without a grading the reason is an error of the provider.
    """
    text = output.get("text")
    if not isinstance(text, str) or output.get("pass"):
        return {"response": {"output": text}}
    reason, separator, rest = text.partition(_AFTER_REASON)
    if not output.get("gradingResult"):
        return {"error": output.get("error") or reason, "response": {}}
    return {"response": {"output": rest if separator else text}}


def _systems(results: list[Fields]) -> Iterator[Fields]:
    """Yield the name of the system of each result: provider, prompt or both, whichever differ; none if there is one."""
    providers = [_provider(each) for each in results]
    prompts = [_prompt(each) for each in results]
    of_provider, of_prompt = len(set(providers)) > 1, len(set(prompts)) > 1
    names = [
        " · ".join([one] * of_provider + [other] * of_prompt) for one, other in zip(providers, prompts, strict=True)
    ]
    columns = {(name, each.get("promptIdx")) for name, each in zip(names, results, strict=True)}
    same = {name for name, times in Counter(name for name, _ in columns).items() if times > 1}
    for name, each in zip(names, results, strict=True):
        full = f"{name or _provider(each)} #{each.get('promptIdx')}" if name in same else name
        yield {rows.SYSTEM: full} if full else {}


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider") or {}
    return str(provider.get("label") or provider.get("id") or "")


def _prompt(result: Mapping[str, Any]) -> str:
    """Return the label of a prompt; one that is the whole prompt is cut."""
    prompt = result.get("prompt") or {}
    return cut(str(prompt.get("label") or result.get("promptIdx", "")), _LONGEST_LABEL)


def _tests(results: Iterable[Fields]) -> Iterator[Fields]:
    """Yield the id of the test of each result, and the number of its repeat where a system has it several times."""
    tests: dict[str, str] = {}
    times: dict[tuple[str, str, str], int] = defaultdict(int)
    found = []
    for result in results:
        content = json.dumps([result.get("vars"), (result.get("testCase") or {}).get("assert")], sort_keys=True)
        test = tests.setdefault(content, str(result.get("testIdx", len(tests))))
        key = (test, _provider(result), str(result.get("promptIdx", _prompt(result))))
        times[key] += 1
        found.append((key, times[key]))
    for key, number in found:
        yield {rows.ID: key[0], **({rows.REPEAT: number} if times[key] > 1 else {})}


def _fields(result: Fields) -> Fields:
    inputs, test = result.get("vars") or {}, result.get("testCase") or {}
    fields = {
        rows.QUESTION: _question(inputs, result),
        rows.PREDICTION: _prediction(result),
        rows.REFERENCES: _references(inputs, test),
        rows.CONTEXTS: _contexts(inputs, result),
        rows.TAGS: {name: value for name, value in (test.get("metadata") or {}).items() if isinstance(value, str)},
        rows.EXTRA: {NAME: _extra(result)},
    }
    kept = {name: value for name, value in fields.items() if value is not None and value != {}}
    return kept | _outcome(result)


def _question(inputs: Mapping[str, Any], result: Mapping[str, Any]) -> Any:
    """Return the variable that is a question by its name or because there is no other, else the prompt."""
    found = [inputs[name] for name in layouts.QUESTION if isinstance(inputs.get(name), str)]
    texts = [value for value in inputs.values() if isinstance(value, str)]
    return found[0] if found else texts[0] if len(texts) == 1 else (result.get("prompt") or {}).get("raw")


def _prediction(result: Mapping[str, Any]) -> str | None:
    output = (result.get("response") or {}).get("output")
    return output if output is None or isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _references(inputs: Mapping[str, Any], test: Mapping[str, Any]) -> list[str] | None:
    named = next((inputs[name] for name in _REFERENCES if inputs.get(name) is not None), None)
    expected = [each.get("value") for each in test.get("assert") or [] if each.get("type") in _EXPECTING]
    several = named if isinstance(named, list) else expected if named is None else [named]
    return [each for each in several if isinstance(each, str)] or None


def _contexts(inputs: Mapping[str, Any], result: Mapping[str, Any]) -> list[Any] | None:
    """Return what the provider says that it found, else the context among the variables."""
    places = ((result.get("response") or {}).get("metadata") or {}, result.get("metadata") or {}, inputs)
    found = next((place[name] for place in places for name in _CONTEXTS if place.get(name) is not None), None)
    contexts = [found] if isinstance(found, str | dict) else found
    return [each for each in contexts if isinstance(each, str | dict)] if isinstance(contexts, list) else None


def _extra(result: Mapping[str, Any]) -> Fields:
    """Return what is not among the scores; the variables are once more in the test."""
    rest = {name: value for name, value in result.items() if name not in _USED and value not in (None, {}, [])}
    test = {name: value for name, value in (result.get("testCase") or {}).items() if name != "vars"}
    return {**rest, "testCase": test}


def _outcome(result: Mapping[str, Any]) -> Fields:
    """Return the scores, or the error of the system."""
    graded, error = result.get("gradingResult") or {}, result.get("error")
    reason = result.get("failureReason")
    if reason == _FAILED or (reason is None and error and not graded):
        return {rows.ERROR: str(error or graded.get("reason") or "error")}
    scores = _assertions(graded.get("componentResults") or []) | (result.get("namedScores") or {})
    scores |= {_PASS: result.get("success"), _SCORE: result.get("score")}
    errors = _failed_graders(graded.get("componentResults") or [])
    notes = {_PASS: graded["reason"]} if graded.get("reason") else {}
    found = {name: None if name in errors else rows.score(value) for name, value in scores.items() if value is not None}
    return rows.present({rows.SCORES: found, rows.ERRORS: errors, rows.NOTES: {} if errors else notes})


def _assertions(components: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the mean score of the assertions of each metric, or of each type for those without a metric."""
    scores = defaultdict(list)
    for each in components:
        if each.get("score") is not None:
            scores[_metric(each)].append(each["score"])
    return {name: fmean(values) for name, values in scores.items()}


def _failed_graders(components: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Why metrics could not be scored; `pass` and `score` contain them."""
    failed = {
        _metric(each): str(each.get("reason") or "error")
        for each in components
        if (each.get("metadata") or {}).get("graderError")
    }
    return {**failed, **dict.fromkeys((_PASS, _SCORE), next(iter(failed.values())))} if failed else {}


def _metric(component: Mapping[str, Any]) -> str:
    assertion = component.get("assertion") or {}
    return str(assertion.get("metric") or assertion.get("type") or "assertion")
