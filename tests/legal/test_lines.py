"""Labelled lines: what a careful reader of the rules says of an answer, the judges say too.

`lines/` follows the written rules alone; every person and number in it is invented.
"""

import json
import re
from pathlib import Path

import opencc
import pytest

from steelyard.legal import contains_quote, detect_abstention, find_invented, judge_fact

OWN = Path(__file__).parent / "lines"
FACTS = ("amounts", "dates", "counts", "booleans", "entities", "structured")


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def own(*kinds):
    return [
        pytest.param(line, id=line["id"])
        for kind in kinds
        for path in sorted(OWN.glob(f"{kind}*.jsonl"))
        for line in read(path)
    ]


@pytest.mark.parametrize("line", own(*FACTS))
def test_facts(line):
    check_fact(line)


@pytest.mark.parametrize("line", own("abstention"))
def test_abstention(line):
    check_abstention(line)


@pytest.mark.parametrize("kind", ["unsupplied", "unsupplied.second"])
def test_answers_without_an_item_of_the_asked_kind(kind):
    """`open` refuses or is uncertain, `supplied` is an answer that a general sentence closes."""
    for line in read(OWN / f"{kind}.jsonl"):
        found = detect_abstention(line["answer"], question=line["question"])
        is_right = {
            "open": found.abstains or found.uncertain,
            "refuses": found.abstains,
            "answers": found.kind == "answers" and not found.uncertain,
            "supplied": found.kind in ("mixed", "answers") and not found.abstains,
        }
        assert is_right[line["stance"]], (line["answer"], line["stance"], found)


@pytest.mark.parametrize("line", own("grounding"))
def test_grounding(line):
    check_grounding(line)


@pytest.mark.parametrize("line", own("quotes"))
def test_quotes(line):
    check_quote(line)


CHECKS = dict.fromkeys(FACTS, "fact") | {"abstention": "abstention", "grounding": "grounding", "quotes": "quote"}


@pytest.mark.parametrize("kind", CHECKS)
def test_the_lines_beside_the_project(legal_lines, kind):
    for line in read(legal_lines / f"{kind}.jsonl"):
        globals()[f"check_{CHECKS[kind]}"](line)


def check_fact(line):
    output = line.get("output", line.get("answer"))
    verdict = judge_fact(line["expected"], output, question=line["question"])
    assert verdict.correct == line["correct"], (output, line["why"], verdict.reason)


def check_abstention(line):
    found = detect_abstention(line["answer"], question=line["question"])
    assert found.abstains == line["abstains"], (line["answer"], line["why"], found.reason)


def check_grounding(line):
    found = find_invented(line["answer"], line["context"])
    assert bool(found) == line["hallucinated"], (line["answer"], found)
    assert all(line["answer"][each.start : each.end].strip() for each in found)


def check_quote(line):
    assert contains_quote(line["answer"], line["required_quote"]) == line["included"], line["why"]


FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
TRADITIONAL = opencc.OpenCC("s2t")
WRITINGS = {
    "traditional": TRADITIONAL.convert,
    "full width": lambda text: text.translate(FULL_WIDTH),
    "spaced": lambda text: re.sub(r"(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff])", " ", text),
}


@pytest.mark.parametrize("writing", WRITINGS)
def test_the_verdict_is_the_same_in_another_writing(writing):
    for kind, check in CHECKS.items():
        for path in sorted(OWN.glob(f"{kind}*.jsonl")):
            for line in read(path):
                if isinstance(line.get("answer"), str):
                    globals()[f"check_{check}"](line | {"answer": WRITINGS[writing](line["answer"])})
