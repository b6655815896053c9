"""Outputs of real models, and lines in the style of current ones: how many of the decided verdicts are right.

The real outputs lie beside the project and are not distributed with it. `lines/style.*.jsonl` are invented: written
from the rules by people who had not seen the judges.
"""

import json
from pathlib import Path

import pytest

from steelyard.legal import FactRules, contains_quote, detect_abstention, find_invented, judge_fact

STYLE = Path(__file__).parent / "lines"
# the share of verdicts that may be left open, by kind
OPEN = {
    "refusal": 0.15,
    "amount_total": 0.02,
    "date": 0.02,
    "count": 0.03,
    "entity": 0.10,
    "boolean_answer": 0.35,
    "grounding": 0.0,
    "quote": 0.0,
}


def kind_of(line):
    if "abstains" in line:
        return "refusal"
    if "expected" in line:
        return next(iter(line["expected"]))
    return "grounding" if "hallucinated" in line else "quote"


def judged(line):
    """Whether the verdict is right, whether it is left open, and whether a wrong fact was credited."""
    answer = line["answer"]
    if "abstains" in line:
        verdict = detect_abstention(answer, question=line["question"])
        return verdict.abstains == line["abstains"], verdict.uncertain, False
    if "expected" in line:
        rules = FactRules(source=line.get("source", "") if line.get("kind") else "")
        fact = judge_fact(line["expected"], answer, question=line["question"], rules=rules)
        return fact.correct == line["correct"], fact.uncertain, fact.correct and not line["correct"]
    if "hallucinated" in line:
        context = line.get("context") or line.get("source", "")
        found = find_invented(answer, context, question=line.get("question", ""))
        return bool(found) == line["hallucinated"], False, False
    return contains_quote(answer, line.get("required_quote") or line["quote"]) == line["included"], False, False


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def check(lines, most_open=OPEN):
    verdicts = [(line, *judged(line)) for line in lines]
    decided = [verdict for verdict in verdicts if not verdict[2]]
    wrong = [line.get("id") for line, right, _, _ in decided if not right]
    assert len(wrong) <= 0.03 * len(decided), wrong
    facts = [verdict for verdict in verdicts if "expected" in verdict[0]]
    assert sum(credited and not unsure for _, _, unsure, credited in facts) <= 0.02 * max(len(facts), 50)
    for kind, most in most_open.items():
        of_kind = [verdict for verdict in verdicts if kind_of(verdict[0]) == kind]
        assert sum(unsure for _, _, unsure, _ in of_kind) <= most * len(of_kind) + 1, kind


@pytest.mark.parametrize("name", ["abstention", "facts", "llm_style", "en_legal"])
def test_real_outputs(legal_lines, name):
    path = legal_lines.parent / "real_outputs" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip("the real outputs are not beside this checkout")
    check(read(path))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "en"])
def test_lines_in_the_style_of_current_models(language):
    check(read(STYLE / f"style.{language}.jsonl"), OPEN | {"refusal": 0.25})  # half of them mix refusal and content


def group_of(line, name):
    return "refusal" if "abstains" in line else "fact" if name == "facts" else "style"


LEAST_RIGHT = {"refusal": 0.93, "fact": 0.97, "style": 0.95}


def test_both_parts_of_the_real_outputs(legal_lines):
    """Of all lines but yes and no: the share of the decided that is right, and errors are mostly uncertain."""
    paths = sorted(legal_lines.parent.glob("real_outputs*/*.jsonl"))
    if not paths:
        pytest.skip("the real outputs are not beside this checkout")
    lines = [(path.stem, line) for path in paths for line in read(path) if kind_of(line) != "boolean_answer"]
    verdicts = [(group_of(line, name), *judged(line)[:2]) for name, line in lines]
    for group, least in LEAST_RIGHT.items():
        decided = [right for of, right, unsure in verdicts if of == group and not unsure]
        assert sum(decided) >= least * len(decided), group
    wrong = [unsure for _, right, unsure in verdicts if not right]
    assert 2 * sum(wrong) >= len(wrong)
    assert sum(unsure for _, _, unsure in verdicts) <= 0.15 * len(verdicts)
