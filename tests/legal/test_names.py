"""Names as models give them: written variants agree; rivals in the asked role, lists and owners earn nothing."""

import json
from pathlib import Path

import pytest

from steelyard.legal import judge_fact

LINES = [json.loads(line) for line in (Path(__file__).parent / "lines" / "names.jsonl").read_text("utf-8").splitlines()]


def lines(*, correct):
    return [line for line in LINES if line["correct"] is correct and not line.get("missed")]


def judged(line):
    return judge_fact({"entity": line["name"]}, line["answer"], question=line["question"])


@pytest.mark.parametrize("line", lines(correct=True))
def test_right(line):
    verdict = judged(line)
    assert verdict.correct, verdict.reason
    assert not verdict.uncertain


@pytest.mark.parametrize("line", lines(correct=False))
def test_wrong(line):
    assert not judged(line).correct


@pytest.mark.parametrize("line", [line for line in LINES if line.get("missed")])
@pytest.mark.xfail(reason="the rules misread these", strict=True)
def test_known_misses(line):
    assert judged(line).correct is line["correct"]


def test_a_list_in_a_sentence_that_answers_is_uncertain():
    verdict = judge_fact(
        {"entity": "James Rodriguez"},
        "James Rodriguez and Ann Lee wrote the judgment.",
        question="Who wrote the judgment?",
    )
    assert not verdict.correct
    assert verdict.uncertain


def test_a_bare_list_is_wrong():
    verdict = judge_fact({"entity": "柏若棠"}, "柏若棠、冉予墨、连霁川", question="是谁介绍双方认识的？")
    assert not verdict.correct
    assert not verdict.uncertain


def test_a_surname_alone_is_uncertain():
    verdict = judge_fact({"entity": "Helen Ward"}, "Ward", question="Who wrote the report?")
    assert not verdict.correct
    assert verdict.uncertain


def test_a_text_that_denies_the_typed_field_objects_to_it():
    output = {"entity": "娄知行", "answer": "签字的不是娄知行，而是其弟娄知远。"}
    assert not judge_fact({"entity": "娄知行"}, output, question="谁在欠条上签了字？").correct
