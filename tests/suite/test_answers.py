"""The vectors of answers: Steelyard is right on all, and plain implementations agree or follow a named convention."""

import math
import re
import string
import sys
from collections import Counter

import pytest
from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.chrf_score import sentence_chrf
from rouge_score.rouge_scorer import RougeScorer

from steelyard.suite.outcomes import judged
from steelyard.suite.vectors import chosen_vectors, read_vectors, suite_folder

VECTORS = chosen_vectors(read_vectors(), ["answers"])
sys.path.append(str(suite_folder() / "targets"))
from ours.answers import FUNCTIONS  # noqa: E402


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_steelyard_is_right(vector):
    value = FUNCTIONS[vector.computes](vector.input)
    assert judged(vector, None if math.isnan(value) else value).kind == "right", value


# --- plain implementations ---


def squad_words(text):
    """The words of a text as SQuAD's script has them."""
    plain = text.lower().translate(str.maketrans("", "", string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", plain).split()


def squad_f1(answer, reference):
    predicted, wanted = squad_words(answer), squad_words(reference)
    if not predicted or not wanted:
        return float(predicted == wanted)
    return 2 * (Counter(predicted) & Counter(wanted)).total() / (len(predicted) + len(wanted))


class Words:
    """Words between blanks and ASCII punctuation, in any script."""

    def tokenize(self, text):
        return re.split(rf"[\s{re.escape(string.punctuation)}]+", text.lower().strip(string.punctuation + " \n"))


def rouge(name):
    scorer = RougeScorer([name], tokenizer=Words())
    return lambda answer, reference: scorer.score(reference, answer)[name].fmeasure


def bleu(answer, references):
    return float(sentence_bleu([reference.split() for reference in references], answer.split()))


def best(compare):
    return lambda answer, references: max(float(compare(answer, reference)) for reference in references or [""])


PLAIN = {
    "exact_match": best(lambda answer, reference: squad_words(answer) == squad_words(reference)),
    "token_f1": best(squad_f1),
    "accuracy": best(lambda answer, reference: bool(reference) and reference.lower() in answer.lower()),
    "rouge1": best(rouge("rouge1")),
    "rouge2": best(rouge("rouge2")),
    "rouge_l": best(rouge("rougeL")),
    "rouge_lsum": best(rouge("rougeLsum")),
    "bleu": bleu,
    "chrf": best(lambda answer, reference: bool(answer) and sentence_chrf(reference, answer, beta=2.0)),
}


@pytest.mark.filterwarnings("ignore::UserWarning:nltk")
@pytest.mark.parametrize("name", PLAIN)
def test_plain_implementations_agree_or_follow_a_convention(name):
    vectors = [vector for vector in VECTORS if vector.computes == name]
    found = {vector.id: judged(vector, PLAIN[name](**texts(vector))) for vector in vectors}
    assert [key for key, outcome in found.items() if outcome.kind == "fault"] == []
    right = [key for key, outcome in found.items() if outcome.kind == "right"]
    assert 2 * len(right) > len(found)


def texts(vector):
    return {"answer": vector.input["answer"], "references": vector.input["references"]}


def test_a_third_of_the_vectors_are_documented_faults():
    threads = [vector for vector in VECTORS if vector.origin["kind"] == "thread"]
    assert 3 * len(threads) >= len(VECTORS)
    assert all(re.search(r"^\S+/\S+(#| PR #)\d+$", vector.origin["where"]) for vector in threads)
