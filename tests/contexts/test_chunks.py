"""Rankings of chunks against required passages: known answers, a second implementation, formats, and the commands."""

import json
import random
import re
import unicodedata
from itertools import permutations

import numpy as np
import pytest
from commands import run

import steelyard
from steelyard.errors import ConfigError, InputError
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.evidence.retrieved import places_of
from steelyard.search.terms import Bm25, all_terms

SUM = "他给了我42000元现金"
DATE = "时间是2019年3月4日"


def plain(text):
    """A text in one width, case and script; one name of the bundled benchmark is in traditional characters."""
    return unicodedata.normalize("NFKC", text).lower().replace("蘋", "苹")


def pattern(passage):
    """A passage as a regular expression over text: anything that is no letter or digit may stand between."""
    kept = [char for char in plain(passage) if char.isalnum()]
    edges = ("(?<![0-9])" if kept[0] in "0123456789" else "", "(?![0-9])" if kept[-1] in "0123456789" else "")
    return re.compile(edges[0] + r"[\W_]*".join(map(re.escape, kept)) + edges[1])


def recall(passages, chunks, k):
    """EvidenceRecall@k by regular expressions: of each chunk, and of every two joined with every possible overlap."""
    first = list(map(plain, chunks[:k]))
    texts = [*first]
    for one, other in permutations(first, 2):
        overlaps = [size for size in range(len(other)) if one.endswith(other[:size])]
        texts += [one + other[size:] for size in overlaps]
    return sum(any(pattern(each).search(text) for text in texts) for each in passages) / len(passages)


def cut(text, size, overlap=0):
    return [text[start : start + size] for start in range(0, len(text), size - overlap)]


def ranked(question, chunks, depth):
    """The first chunks by BM25, those without a term of the question last."""
    scores = Bm25([all_terms(chunk) for chunk in chunks]).scores(all_terms(question))
    return [chunks[at] for at in sorted(range(len(chunks)), key=lambda at: -scores.get(at, 0.0))[:depth]]


def bundled_run(size, overlap=0, depth=10):
    """The chunks of the document of each question of the bundled benchmark, of this size."""
    benchmark = load_benchmark(benchmark_folder())
    chunks = {name: cut(document.text, size, overlap) for name, document in benchmark.documents.items()}
    return {
        question.about.id: ranked(question.about.question, chunks[question.about.document], depth)
        for question in benchmark.questions
    }


@pytest.mark.slow
@pytest.mark.parametrize(("size", "overlap"), [(100, 0), (300, 0), (500, 0), (300, 60)])
def test_recall_of_the_bundled_benchmark_equals_a_second_implementation(size, overlap):
    run = bundled_run(size, overlap)
    table = steelyard.evaluate_retrieval(benchmark_folder(), run)
    passages = {question.about.id: question.passages for question in load_benchmark(benchmark_folder()).questions}
    for k in (1, 5, 10):
        expected = [recall(passages[question], run[question], k) for question in table.ids]
        assert table.column(f"EvidenceRecall@{k}").tolist() == pytest.approx(expected, abs=1e-12)
        assert table.column(f"EvidenceHit@{k}").tolist() == [float(share == 1) for share in expected]
