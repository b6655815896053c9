"""What reports say, they say in Chinese too."""

import ast
from pathlib import Path

from steelyard import evaluate_retrieval
from steelyard.reports.words import CHINESE, words_of

REPORTS = Path(__file__).parents[2] / "src" / "steelyard" / "reports"


def test_every_word_of_a_report_is_translated():
    used = set()
    for path in REPORTS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "words":
                used |= {leaf.value for leaf in ast.walk(node.args[0]) if isinstance(leaf, ast.Constant)}
    assert len(used) > 10
    assert used - set(CHINESE) == set()


def test_every_count_is_translated():
    counts = evaluate_retrieval({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP"]).counts
    assert set(counts) - set(CHINESE) == set()


def test_english_stays_english():
    assert words_of("en")("mean") == "mean"
    assert words_of("zh")("nDCG@10") == "nDCG@10"
