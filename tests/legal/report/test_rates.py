"""Rates of a legal result: what was said is counted, and silence is not taken for speech."""

import math

import numpy as np

import steelyard
from steelyard.legal.report import results as legal


def test_silence_invents_nothing_and_is_counted():
    table = steelyard.evaluate_legal(lambda question: "", types="conflict_gap")
    found = legal.refusals(table)
    assert (found.silent, found.failed) == (len(table), 0)
    assert sum(found.counts) == 0
    assert np.isnan(legal.inventions(table)).all()
    assert math.isnan(legal.hallucination_rate(table))


def test_inventions_are_a_share_of_answers():
    answers = {True: "他给了王某八千元，电话13800138000。", False: "材料未显示该信息。"}
    table = steelyard.evaluate_legal(lambda question: answers[len(question) % 2 == 0], types="conflict_gap")
    column = legal.inventions(table)
    invented, said = np.nansum(column), (~np.isnan(column)).sum()
    assert 0 < invented < said == len(table)
    assert legal.hallucination_rate(table) == invented / said
    assert sum(table.parts["legal"]["no_hallucination"] == 0) == invented
