"""ROUGE equals rouge_score and rouge_chinese: golden values always, generated pairs where those are installed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.rouge import chinese_subsequence_overlap, distinct_ngram_overlap, subsequence_overlap

from steelyard import evaluate_answers
from steelyard.answers.rouge import Overlap, chinese_words, english_tokens, ngram_overlap, summary_overlap
from steelyard.text.tokens import segment

NOTHING = Overlap(0.0, 0.0, 0.0)
PAIRS = 500

# rouge_score 0.1.2 with nltk 3.10.4: RougeScorer([...], use_stemmer=True).score(reference, prediction), f-measures
ENGLISH = [
    ("generous", "generously", (1.0, 0.0, 1.0)),
    ("cat sat", "the cats sat", (0.8, 0.6666666666666666, 0.8)),
    ("c b a", "a b c", (1.0, 0.0, 0.3333333333333333)),
    ("new york", "new york new york", (0.6666666666666666, 0.5, 0.6666666666666666)),
    ("December 14, 1973", "14 December 1972 UTC", (0.5714285714285715, 0.0, 0.28571428571428575)),
    ("Город Москва", "Москва", (0.0, 0.0, 0.0)),
    ("", "yes", (0.0, 0.0, 0.0)),
    (
        "The quick brown dog jumps on the log.",
        "The quick brown fox jumps over the lazy dog",
        (0.7058823529411765, 0.26666666666666666, 0.5882352941176471),
    ),
    (
        "The court agreed; the agreements were terminated in 1972.",
        "In 1972 the courts' agreement was terminated.",
        (0.75, 0.28571428571428575, 0.5),
    ),
]
# rouge_score 0.1.2: RougeScorer(["rougeLsum"]).score(reference, prediction), as precision, recall, f-measure
SUMMARIES = [
    ("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5", (0.4, 0.8, 0.5333333333333333)),
    ("the cat the cat\nsat", "cat sat\nthe the cat", (1.0, 1.0, 1.0)),
    ("a b\nb a", "b a b\na a", (1.0, 0.8, 0.888888888888889)),
    ("one", "\n", (0.0, 0.0, 0.0)),
]
# rouge_chinese 1.0.3: Rouge().get_scores(prediction, reference), f of rouge-1, rouge-2, rouge-l
CHINESE = [
    ("法院 认为 合同 有效", "法院 认为 合同 有效", (0.999999995, 0.999999995, 0.999999995)),
    (
        "被告 应当 返还 借款 。 被告 应当 履行 义务",
        "被告 应当 履行 义务 。 诉讼 费用 由 被告 承担",
        (0.6249999950781252, 0.37499999507812504, 0.42105262659279785),
    ),
    ("好。但 是", "好。 但 是", (0.999999995, 0.999999995, 0.999999995)),
    ("判决 如下", "合同 有效", (0.0, 0.0, 0.0)),
]
ENGLISH_VOCABULARY = """the The a cat cats sat on mat running runs runner quickly generously generous flies fly agreed
agreement, U.S. 3.14 café Москва 北京 İstanbul don't — … x_y 54 Mbit/s naïve national nationally relational relate of in
and law laws court's courts. judgment judgments 1972"""
CHINESE_VOCABULARY = "被告 原告 法院 认为 合同 有效 判决 应当 履行 义务 的 于 二〇一九年 3.14 U.S. 借款 人民币"
CHINESE_MARKS = "。 ！ ？ ? ， ” ’ …… ...... ....... 。” 。。。 ？！ 好。但"
BLANKS = ["\n", " "]  # jieba gives these as tokens

tokens = st.lists(st.sampled_from("abcde"), max_size=12)


@pytest.mark.parametrize(("prediction", "reference", "expected"), ENGLISH)
def test_golden_english(prediction, reference, expected):
    sides = english_tokens(prediction, stemmed=True), english_tokens(reference, stemmed=True)
    overlaps = ngram_overlap(*sides, n=1), ngram_overlap(*sides, n=2), subsequence_overlap(*sides)
    assert tuple(overlap.f1 for overlap in overlaps) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("prediction", "reference", "expected"), SUMMARIES)
def test_golden_summaries(prediction, reference, expected):
    overlap = summary_overlap(sentences(prediction, stemmed=False), sentences(reference, stemmed=False))
    assert parts(overlap) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("prediction", "reference", "expected"), CHINESE)
def test_golden_chinese(prediction, reference, expected):
    overlaps = chinese_overlaps(prediction.split(" "), reference.split(" "))
    assert tuple(overlap.f1 for overlap in overlaps) == pytest.approx(expected, abs=1e-12)


def test_precision_is_of_the_prediction_and_recall_of_the_reference():
    assert ngram_overlap(["a"], ["a", "b", "b", "b"], n=1) == Overlap(1.0, 0.25, 0.4)
    assert subsequence_overlap(["a"], ["a", "b", "b", "b"]) == Overlap(1.0, 0.25, 0.4)
    assert summary_overlap([["a"]], [["a", "b"], ["b", "b"]]) == Overlap(1.0, 0.25, 0.4)


def test_a_repeated_ngram_counts_as_often_as_both_have_it():
    assert ngram_overlap(["new", "york"], ["new", "york", "new", "york"], n=1).recall == 0.5
    assert distinct_ngram_overlap(["new", "york"], ["new", "york", "new", "york"], n=1).recall == 1.0


def test_english_tokens():
    assert " ".join(english_tokens("The U.S. generously agreed: café_9", stemmed=True)) == "the u s gener agre caf 9"
    assert english_tokens("Running dogs", stemmed=False) == ["running", "dogs"]
    assert english_tokens("北京 …", stemmed=True) == []


def test_an_ngram_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"^an n-gram has at least one token, not 0$"):
        ngram_overlap(["a"], ["a"], n=0)


@given(tokens)
def test_an_empty_side_scores_nothing(text):
    for left, right in ((text, []), ([], text)):
        assert ngram_overlap(left, right, n=1) == ngram_overlap(left, right, n=2) == NOTHING
        assert subsequence_overlap(left, right) == summary_overlap([left], [right]) == NOTHING
        assert chinese_overlaps(left, right) == (NOTHING, NOTHING, NOTHING)
    assert summary_overlap([], [text]) == summary_overlap([text], []) == NOTHING


@pytest.mark.slow
@given(tokens, tokens)
def test_sides_changed_change_precision_and_recall(left, right):
    for overlap in (subsequence_overlap, lambda a, b: ngram_overlap(a, b, n=2), chinese_subsequence_overlap):
        one, other = overlap(left, right), overlap(right, left)
        assert (one.precision, one.recall) == (other.recall, other.precision)


@given(tokens.filter(bool))
def test_a_text_overlaps_itself_wholly(text):
    whole = Overlap(1.0, 1.0, 1.0)
    assert ngram_overlap(text, text, n=1) == subsequence_overlap(text, text) == summary_overlap([text], [text]) == whole
    assert chinese_subsequence_overlap(text, text).f1 == pytest.approx(1 - 5e-9, abs=1e-15)


@given(tokens, tokens)
def test_the_subsequence_is_the_longest(left, right):
    length = subsequence_overlap(left, right).precision * len(left)
    assert length == pytest.approx(longest_common_subsequence(left, right))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of the package, as it is compiled
@pytest.mark.parametrize("stemmed", [False, True])
def test_equal_to_rouge_score(stemmed):
    scorers = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = scorers.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=stemmed)
    for prediction_pieces, reference_pieces in generated_pairs(english_pieces):
        prediction, reference = "".join(prediction_pieces), "".join(reference_pieces)
        expected = [tuple(score) for score in scorer.score(reference, prediction).values()]
        for mine, theirs in zip(english_overlaps(prediction, reference, stemmed=stemmed), expected, strict=True):
            assert parts(mine) == pytest.approx(theirs, abs=1e-12), (prediction, reference)


@pytest.mark.parametrize(("profile", "stemmed"), [("rouge-score", False), ("rouge-score-stemmed", True)])
def test_batches_equal_pairs(profile, stemmed):
    pairs = [("".join(a), "".join(b)) for a, b in generated_pairs(english_pieces)]
    names = ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum"]
    table = evaluate_answers([a for a, _ in pairs], [b for _, b in pairs], names, profile=profile)
    for row, (prediction, reference) in enumerate(pairs):
        for name, one in zip(names, english_overlaps(prediction, reference, stemmed=stemmed), strict=True):
            found = table.parts[name]["precision"][row], table.parts[name]["recall"][row], table.column(name)[row]
            assert found == parts(one), (prediction, reference)


def test_chinese_batches_equal_pairs():
    pairs = [("".join(a), "".join(b)) for a, b in generated_pairs(chinese_tokens)]
    names = ["ROUGE-1", "ROUGE-2", "ROUGE-L"]
    table = evaluate_answers([a for a, _ in pairs], [b for _, b in pairs], names, profile="rouge-chinese")
    for row, sides in enumerate(pairs):
        for name, one in zip(names, chinese_overlaps(*map(segment, sides)), strict=True):
            found = table.parts[name]["precision"][row], table.parts[name]["recall"][row], table.column(name)[row]
            assert found == parts(one), sides


@pytest.mark.filterwarnings("ignore")  # those of the package, as it is compiled
def test_equal_to_rouge_chinese():
    rouge = pytest.importorskip("rouge_chinese").Rouge()
    for prediction, reference in generated_pairs(chinese_tokens):
        if not ("".join(prediction).strip() and "".join(reference).strip()):
            continue  # refused by rouge_chinese
        scores = rouge.get_scores(" ".join(prediction), " ".join(reference))[0]
        expected = [(score["p"], score["r"], score["f"]) for score in scores.values()]
        for mine, theirs in zip(chinese_overlaps(prediction, reference), expected, strict=True):
            assert parts(mine) == pytest.approx(theirs, abs=1e-12), (prediction, reference)


def english_overlaps(prediction, reference, *, stemmed):
    sides = english_tokens(prediction, stemmed=stemmed), english_tokens(reference, stemmed=stemmed)
    summary = summary_overlap(sentences(prediction, stemmed=stemmed), sentences(reference, stemmed=stemmed))
    return ngram_overlap(*sides, n=1), ngram_overlap(*sides, n=2), subsequence_overlap(*sides), summary


def chinese_overlaps(*sides):
    prediction, reference = map(chinese_words, sides)
    ngrams = (distinct_ngram_overlap(prediction, reference, n=n) for n in (1, 2))
    return *ngrams, chinese_subsequence_overlap(prediction, reference)


def sentences(text, *, stemmed):
    return [english_tokens(line, stemmed=stemmed) for line in text.split("\n") if line]


def parts(overlap):
    return overlap.precision, overlap.recall, overlap.f1


def longest_common_subsequence(left, right):
    lengths = [0] * (len(right) + 1)
    for token in left:
        before = lengths[:]
        for place, other in enumerate(right, start=1):
            lengths[place] = before[place - 1] + 1 if token == other else max(before[place], lengths[place - 1])
    return lengths[-1]


def generated_pairs(make):
    """Pairs of which more than half share most of their tokens, in order or not."""
    choose = random.Random(20)
    for _ in range(PAIRS):
        prediction, reference = make(choose), make(choose)
        if choose.random() < 0.6:
            reference = [token for token in prediction if choose.random() < 0.8] + reference[:10]
        if choose.random() < 0.2:
            choose.shuffle(reference)
        yield prediction, reference


def english_pieces(choose):
    vocabulary = ENGLISH_VOCABULARY.split()
    pool = choose.sample(vocabulary, choose.choice([2, 8, len(vocabulary)]))
    separators = choose.choices([" ", " ", " ", ", ", ". ", "\n", "\n\n"], k=80)
    words = choose.choices(pool, k=choose.choice([0, 1, 2, choose.randint(3, 80)]))
    return [word + separator for word, separator in zip(words, separators, strict=False)]


def chinese_tokens(choose):
    count = choose.choice([0, 1, 2, choose.randint(3, 60)])
    return choose.choices([*CHINESE_VOCABULARY.split() * 3, *CHINESE_MARKS.split(), *BLANKS], k=count)
