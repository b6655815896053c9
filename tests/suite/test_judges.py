"""The vectors of judges: Steelyard is right on all, and plain arithmetic agrees where no reply is deformed."""

import json
import sys
import urllib.error
import urllib.request
from statistics import mean

import pytest

from steelyard.suite.outcomes import judged
from steelyard.suite.vectors import chosen_vectors, read_vectors, suite_folder

VECTORS = chosen_vectors(read_vectors(), ["judges"])
sys.path.append(str(suite_folder() / "targets"))
import judge  # noqa: E402
from ours.judges import FUNCTIONS  # noqa: E402

DEFORMED = {"reply", "status", "refusal"}
CREDIT = {"yes": 1, "no": 0, "absent": 0}
PARTS = {**CREDIT, "partly": 0.5}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_steelyard_is_right(vector):
    value = FUNCTIONS[vector.computes](vector.input)
    assert judged(vector, value).kind == "right", value


# --- plain arithmetic ---


def share(claims, verdicts, credit=CREDIT):
    """The mean credit, None where a claim has no verdict of the menu."""
    if not claims or len(claims) != len(verdicts) or not all(isinstance(each, str) for each in verdicts):
        return None
    found = [credit.get(each.strip().lower()) for each in verdicts]
    return None if None in found else mean(found)


def precision(passages, verdicts):
    if share(passages, verdicts) is None:
        return None
    relevant = [CREDIT[each] for each in verdicts]
    return mean([mean(relevant[: rank + 1]) for rank, each in enumerate(relevant) if each] or [0])


def harmonic(one, other):
    if one is None or other is None:
        return None
    return 2 * one * other / (one + other) if one + other else 0


def nuggets(claims, verdicts, score):
    strict = {name: int(value) for name, value in PARTS.items()}
    if len(claims) != len(verdicts):
        return None
    kept = [pair for pair in zip(claims, verdicts, strict=True) if pair[0][1] == "vital" or score.startswith("all")]
    return share([claim for claim, _ in kept], [verdict for _, verdict in kept], strict if "strict" in score else PARTS)


def plain(computes, given):
    """The value by the definition."""
    if computes in ("faithfulness", "context_recall"):
        return share(given["claims"] if given.get("contexts", True) else [], given["verdicts"])
    if computes == "context_precision":
        return precision(given["passages"], given["verdicts"])
    if computes == "nuggets":
        return nuggets(given["claims"], given["verdicts"], given["score"])
    if computes == "grade":
        label = given["verdicts"][0]
        return given["menu"].get(label.lower()) if isinstance(label, str) else None
    if computes == "rating":
        low, high = given["scale"]
        number = given["verdicts"][0]
        is_on_scale = not isinstance(number, dict) and str(number) in map(str, range(low, high + 1))
        return (int(number) - low) / (high - low) if is_on_scale else None
    recall = share(given["reference_claims"], given["reference_verdicts"])
    return recall if computes == "claim_recall" else harmonic(share(given["claims"], given["verdicts"]), recall)


PLAIN = [each for each in VECTORS if not DEFORMED & each.input.keys() and "unknown" not in each.input["verdicts"]]


@pytest.mark.parametrize("vector", PLAIN, ids=lambda vector: vector.id)
def test_plain_arithmetic_agrees(vector):
    assert judged(vector, plain(vector.computes, vector.input)).kind == "right"


def test_documented_faults_are_the_core():
    threads = [vector for vector in VECTORS if vector.origin["kind"] == "thread"]
    assert len(threads) > len(VECTORS) / 3


# --- the server ---


def ask(url, **body):
    message = {"role": "user", "content": [{"type": "text", "text": "Rate it."}]}
    content = json.dumps({"model": "m", "messages": [message], **body}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", content)) as reply:
        return json.load(reply)["choices"][0]["message"]


def test_an_object_is_the_call_of_a_tool_and_a_sentence_is_not():
    tools = [{"type": "function", "function": {"name": "rate", "parameters": {}}}]
    given = {"verdicts": ["Yes."], "claimed": ["no"], "reply": "Well: {reply}, not {claimed}"}
    form = judge.said(given, lambda verdicts: {"v": judge.worded(verdicts[0], {"yes": "right", "no": "wrong"})})
    with judge.serving(lambda asked: {"asked": asked.text}) as url:
        assert ask(url, tools=tools)["tool_calls"][0]["function"]["arguments"] == '{"asked": "Rate it."}'
    with judge.serving(lambda _: form) as url:
        assert ask(url, tools=tools)["content"] == 'Well: {"v": "Right."}, not {"v": "wrong"}'


def test_an_adapter_that_fails_ends_the_program():
    ends, fails = pytest.raises(SystemExit, match="ZeroDivisionError"), pytest.raises(urllib.error.HTTPError)
    with ends, judge.serving(lambda _: 1 / 0) as url, fails as refused:
        ask(url)
    refused.value.close()
