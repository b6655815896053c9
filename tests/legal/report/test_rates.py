"""Rates of a legal result: what was said is counted, and silence is not taken for speech."""

import math
from dataclasses import replace

import steelyard
from steelyard.legal.report import results as legal
from steelyard.legal.report.attribution import hallucinated, hallucination_rate


def test_silence_invents_nothing_and_is_counted():
    table = steelyard.evaluate_legal(lambda question: "", types="conflict_gap")
    found = legal.refusals(table)
    assert (found.silent, found.failed) == (len(table), 0)
    assert sum(found.counts) == 0
    assert hallucination_rate(table) == 0


def test_inventions_are_a_share_of_all_questions():
    answers = {True: "他给了王某八千元，电话13800138000。", False: "材料未显示该信息。"}
    table = steelyard.evaluate_legal(lambda question: answers[len(question) % 2 == 0], types="conflict_gap")
    column = hallucinated(table)
    invented = int(column.sum())
    assert 0 < invented < len(table)
    assert hallucination_rate(table) == invented / len(table)
    assert sum(table.parts["legal"]["no_hallucination"] == 0) == invented


def test_without_outputs_nothing_is_known():
    table = steelyard.evaluate_legal(lambda question: "8800元", types="conflict_gap")
    assert math.isnan(hallucination_rate(replace(table, outputs=())))
