"""Answers: right in every script by default, and to the letter as others have them on request."""

import json
import math
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import steelyard
from steelyard.answers.metrics import DEFAULT_ANSWERS, option_letters
from steelyard.i18n import Message

NAMES = list(DEFAULT_ANSWERS)


def scores(references, prediction, **keywords):
    table = steelyard.evaluate_answers([prediction], [references], **keywords)
    return {name: table.column(name)[0] for name in table.metrics}


def approx(values):
    return pytest.approx(dict(zip(NAMES, values, strict=True)), abs=1e-9)


# observed with UltraRAG 015e838: acc em stringem coverem f1 rouge-1 rouge-2 rouge-l
ULTRARAG = [
    (["True"], "yes", [1, 1, 1, 1, 1, 1, 0, 1]),
    (["no"], "False", [1, 1, 1, 1, 1, 1, 0, 1]),
    (["3.14"], "3 14", [1] * 8),
    (["54 Mbit/s"], "54 Mbit s", [1] * 8),
    (["new york new york"], "new york", [0, 0, 0, 1, 2 / 3, 2 / 3, 0.5, 2 / 3]),
    (["a b c"], "c b a", [0, 0, 0, 1, 1, 1, 0, 0.5]),
    (["an apple"], "apple", [1, 1, 1, 1, 1, 1, 0, 1]),
    (["14 December 1972 UTC", "December 1972"], "December 14, 1973", [0, 0, 0, 0, 4 / 7, 4 / 7, 0, 0.4]),
    (["14 December 1972 UTC", "December 1972"], "December 1972", [1, 1, 0.5, 1, 1, 1, 1, 1]),
    (["Москва"], "Город Москва", [1, 0, 0, 1, 2 / 3, 0, 0, 0]),
    (["北京", "北京市"], "中国的首都是北京。", [1, 0, 0, 0, 0, 0, 0, 0]),
    (["北京"], "北京", [1, 1, 1, 1, 1, 0, 0, 0]),
    (["The Beatles"], "beatles", [1, 1, 1, 1, 1, 1, 0, 1]),
    (["!!!"], "anything", [1, 0, 0, 1, 0, 0, 0, 0]),
]
# gold "A" and others that are articles only (OpenBMB/UltraRAG#509): before and after the change
ARTICLES_ONLY = [
    (["A"], "B", [1, 0, 0, 1, 0, 0, 0, 0], [0] * 8),
    (["A"], "A", [0, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0, 1]),
    (["A"], "A.", [0, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0, 1]),
    (["A"], "", [0, 1, 1, 1, 0, 0, 0, 0], [0] * 8),
    (["A"], "a B", [1, 0, 0, 1, 0, 0, 0, 0], [0] * 8),
    (["A", "B"], "B", [1, 1, 0.5, 1, 1, 1, 0, 1], [1, 1, 0.5, 1, 1, 1, 0, 1]),
    (["The The"], "the", [0, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 2 / 3, 2 / 3, 0, 2 / 3]),
]
BOTH = [
    *((version, *row) for version in ("ultrarag", "ultrarag-2026-09") for row in ULTRARAG),
    *(("ultrarag", references, prediction, before) for references, prediction, before, _ in ARTICLES_ONLY),
    *(("ultrarag-2026-09", references, prediction, after) for references, prediction, _, after in ARTICLES_ONLY),
]


@pytest.mark.parametrize(("profile", "references", "prediction", "expected"), BOTH)
def test_the_ultrarag_profile(profile, references, prediction, expected):
    assert scores(references, prediction, profile=profile) == approx(expected)


@pytest.mark.parametrize("profile", ["ultrarag", "ultrarag-2026-09"])
def test_a_signature_names_the_version_of_the_profile(profile):
    table = steelyard.evaluate_answers(["A"], [["A"]], ["Acc"], profile=profile)
    assert table.signature.get("profile") == profile


# the same defects, come out right: (references, prediction, metric, value)
RIGHT = [
    (["北京"], "北京", "ROUGE-L", 1),
    (["北京"], "北京。", "EM", 1),
    (["北京"], "北京。", "F1", 1),
    (["北京"], "中国的首都是北京", "Acc", 1),
    (["北京"], "中国的首都是北京", "CoverEM", 1),
    (["北京"], "中国的首都是北京", "EM", 0),
    (["中国的首都是北京"], "北京是中国的首都", "F1", 1),
    (["１９７２年"], "1972年", "EM", 1),
    (["Paris"], "Ｐａｒｉｓ", "EM", 1),
    (["“北京”"], "北京", "EM", 1),
    (["Москва"], "москва", "ROUGE-1", 1),
    (["القاهرة"], "القاهرة", "ROUGE-L", 1),
    (["서울"], "서울특별시", "Acc", 1),
    (["東京"], "東京です", "F1", 2 / 3),  # Japanese, as the answer is
    (["は東京です"], "東京", "ROUGE-2", 0.4),
    (["police killed the gunman"], "police kill the gunman", "ROUGE-L", 0.75),  # articles are words in ROUGE
    (["a cat"], "the cat", "F1", 1),
    (["A"], "B", "Acc", 0),
    (["A"], "A", "Acc", 1),
    (["A"], "A", "F1", 1),
    (["A"], "", "EM", 0),
    (["!!!"], "anything", "Acc", 0),
    (["The The"], "anything", "Acc", 0),
    (["one"], "none of them", "Acc", 0),
    (["1"], "In 2017 there were 10", "Acc", 0),
    (["2017"], "12017", "Acc", 0),
    (["2000元"], "42000元", "Acc", 0),
    (["C"], "C++", "EM", 0),
    (["$5"], "5%", "EM", 0),
    (["-5"], "5", "EM", 0),
    (["3.14"], "3 14", "EM", 0),
    (["U.S."], "US", "EM", 1),
    (["don't"], "dont", "EM", 1),
    (["vitamin"], "vitamin A", "EM", 0),
    (["True"], "True.", "EM", 1),
    (["yes"], "true", "EM", 1),
    (["new york new york"], "new york", "CoverEM", 0),
    (["a b c"], "c b a", "CoverEM", 0),
    (["42,000元"], "42000元", "EM", 1),
]


@pytest.mark.parametrize(("references", "prediction", "metric", "value"), RIGHT)
def test_what_others_get_wrong(references, prediction, metric, value):
    assert scores(references, prediction, metrics=[metric]) == {metric: value}


scripts = st.sampled_from(
    ["北京市朝阳区人民法院", "こんにちは世界", "서울특별시", "القاهرة", "Москва река", "the quick fox", "12.5%"]
)
texts = st.lists(scripts, min_size=1, max_size=5).map(" ".join)


@given(texts, st.sampled_from(["。", "！", ".", "  ", "\n", "”"]))
@examples(40)
def test_marks_and_blanks_around_a_text_do_not_matter(text, mark):
    assert set(scores([text], f"{mark}{text}{mark}").values()) == {1.0}


def test_mappings_are_joined_by_id():
    table = steelyard.evaluate_answers({"a": "x", "c": "y"}, {"b": "y", "a": "x"}, ["EM"])
    assert (list(table.ids), table.column("EM").tolist()) == (["b", "a"], [0.0, 1.0])
    for wrong in ({"x"}, (word for word in "x")):
        with pytest.raises(
            steelyard.ConfigError, match=r"^predictions and references must be sequences, or mappings by id\n"
        ):
            steelyard.evaluate_answers(wrong, ["x"])


@pytest.mark.parametrize("text", ["café", "한국", "Ångström", "がぎ", "Việt Nam"])
def test_composed_and_decomposed_letters_are_equal(text):
    assert set(scores([text], normalize("NFD", text)).values()) == {1.0}


def test_other_references_are_other_settings():
    first, second = (steelyard.evaluate_answers(["x"], [gold], ["EM"]) for gold in ("x", "y"))
    assert "reference set" in first.signature.differences(second.signature)
    again = steelyard.evaluate_answers(["z"], ["x"], ["EM"])
    assert "reference set" not in first.signature.differences(again.signature)


def test_the_signature_tells_what_is_read_of_one_source():
    rows = [{"question": "x", "answer": "y", "output": "x", "references": "x", "system": name} for name in ("s", "t")]
    first, second, third = (
        steelyard.evaluate_answers(rows, metrics=["EM"], mapping={"prediction": column}, system=system)
        for column, system in (("answer", "s"), ("output", "s"), ("output", "t"))
    )
    assert (first.column("EM").tolist(), second.column("EM").tolist()) == ([0.0], [1.0])
    assert first.signature.get("predictions").endswith(" prediction=answer system=s")
    assert first.signature.differences(second.signature) == ["predictions"]
    assert second.signature.differences(third.signature) == ["predictions"]
    assert steelyard.compare(second, first)[0].settings_differ == ()


def test_silence_is_nought_and_a_missing_reference_is_not_scored():
    table = steelyard.evaluate_answers([None, "x", "x"], [["x"], ["x"], []], ["EM", "F1"])
    assert table.column("EM").tolist()[:2] == [0.0, 1.0]
    assert table.why("EM", 2).reason == Message("missing.no_reference")
    assert table.mean("EM") == 0.5


def test_groups_of_aliases():
    groups = [["Paris", "Lutetia"], ["London"]]
    assert scores(groups, "from Lutetia to Rome", metrics=["StringEM"]) == {"StringEM": 0.5}


def test_bleu_and_chrf_are_sacrebleu_s():
    from sacrebleu import sentence_bleu, sentence_chrf

    pairs = [
        ("the quick brown fox jumps", ["the quick brown fox jumped", "a fox"]),
        ("他收了四万二千元现金", ["他一共收了四万二千元"]),
    ]
    table = steelyard.evaluate_answers([p for p, _ in pairs], [r for _, r in pairs], ["bleu", "chrf"])
    for row, (prediction, references) in enumerate(pairs):
        tokenizer = "zh" if row else "13a"
        expected = sentence_bleu(prediction, references, tokenize=tokenizer, use_effective_order=True).score / 100
        assert table.column("BLEU")[row] == pytest.approx(expected)
        assert table.column("chrF")[row] == pytest.approx(sentence_chrf(prediction, references).score / 100)


def test_rouge_lsum_goes_by_lines():
    from rouge_score.rouge_scorer import RougeScorer

    reference, prediction = "the cat sat\non the mat\ntoday", "on the mat\nthe cat sat down"
    expected = RougeScorer(["rougeLsum"]).score(reference, prediction)["rougeLsum"].fmeasure
    assert scores([reference], prediction, metrics=["rouge-lsum"], profile="rouge-score")["ROUGE-Lsum"] == expected


CHOICES = {
    "B": "B",
    "[正确答案]B<eoa>": "B",
    "答案是ＡＢＤ。": "ABD",
    "A、C": "AC",
    "选项 a": "",
    "DNA": "",
    "D. A1、A2 和A3": "D",
    "BAD": "",
    "没有": "",
    "": "",
}


@pytest.mark.parametrize("text", CHOICES)
def test_option_letters(text):
    assert option_letters(text) == frozenset(CHOICES[text])


def test_a_choice_is_right_only_as_a_whole():
    assert scores(["正确答案：AB"], "AB", metrics=["Choice"]) == {"Choice": 1}
    assert scores(["正确答案：AB"], "A", metrics=["Choice"]) == {"Choice": 0}
    assert scores(["正确答案：A"], "A 或 B", metrics=["Choice"]) == {"Choice": 0}


def test_an_answer_that_names_no_option_is_wrong_or_left_out_as_asked():
    table = steelyard.evaluate_answers(["A", "B", "不知道"], ["A"] * 3, ["Choice", "Choice(skip=1)"])
    assert table.mean("Choice") == 1 / 3
    assert table.mean("Choice(skip=1)") == 0.5
    assert table.why("Choice(skip=1)", 2).reason == Message("missing.no_option")
    assert np.isnan(table.column("Choice(skip=1)")).tolist() == [False, False, True]


# nltk 3.10.4: sentence_bleu([references], answer, smoothing_function=SmoothingFunction().method4) over these words
SMOOTHED = [
    ("the cat sat on the mat", ["the cat sat on a mat"], 0.537284965911771),
    ("a b c d", ["a x c y"], 0.07258113984652705),
    ("a", ["a"], 1.0),
    ("x", ["a"], 0.0),
    ("the cat sat", ["the cat sat on the mat", "a cat sat"], 0.5757197301274735),
]


@pytest.mark.parametrize(("answer", "references", "expected"), SMOOTHED)
def test_smoothed_bleu(answer, references, expected):
    from steelyard.answers.metrics import smoothed_bleu

    found = smoothed_bleu(answer.split(), [reference.split() for reference in references])
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    # all n-grams of four words are in a reference: what remains is exp(1 - nearest length / 4), of equals the shorter
    [((5, 2), math.exp(-0.25)), ((5, 3), 1.0), ((8,), math.exp(-1)), ((4, 8), 1.0)],
)
def test_bleu_is_short_of_the_reference_of_the_nearest_length(lengths, expected):
    from steelyard.answers.metrics import smoothed_bleu

    words = list("stuvwxyz")
    assert smoothed_bleu(words[:4], [words[:length] for length in lengths]) == pytest.approx(expected)


def test_smoothed_bleu_of_rows_is_that_of_their_words():
    other = str.maketrans({"a": "u", "t": "l"})  # the profile removes articles: other letters, the same counts
    answers = [answer.translate(other) for answer, _, _ in SMOOTHED]
    references = [[each.translate(other) for each in aliases] for _, aliases, _ in SMOOTHED]
    table = steelyard.evaluate_answers(answers, references, ["BLEU(smooth=4)"])
    assert table.column("BLEU(smooth=4)").tolist() == pytest.approx([each[-1] for each in SMOOTHED], abs=1e-12)


def test_precision_and_recall_are_parts():
    table = steelyard.evaluate_answers(["big cat"], ["cat"], ["F1"])
    assert table.parts["F1"]["precision"].tolist() == [0.5]
    assert table.parts["F1"]["recall"].tolist() == [1.0]


def test_the_signature_names_the_profile():
    assert steelyard.evaluate_answers(["a"], ["a"], "EM", profile="squad").signature.get("profile") == "squad"


def test_mistakes():
    from steelyard.errors import InputError, UnknownName

    with pytest.raises(InputError, match=r"^answers: nDCG@10 needs what no row has: ids of contexts and of reference"):
        steelyard.evaluate_answers(["a"], ["a"], ["nDCG@10"])
    with pytest.raises(UnknownName, match=r"^no profile is called 'sqad'\nhint: did you mean 'squad'\?$"):
        steelyard.evaluate_answers(["a"], ["a"], profile="sqad")


@pytest.mark.parametrize("name", ["NQ_DPR", "NQ_FiD", "NQ301_text-davinci-003_zeroshot"])
def test_ultrarag_scores_of_open_natural_questions(real, name):
    # stored beside the data: UltraRAG 015e838
    expected = json.loads((real / "expected_generation.json").read_text())[f"nq_open/{name}"]["ultrarag_015e838"]
    table = steelyard.evaluate_answers(real / "nq_open" / f"{name}.jsonl", metrics=list(expected), profile="ultrarag")
    assert [table.mean(metric) for metric in table.metrics] == pytest.approx(list(expected.values()), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "em", "f1"),
    [
        ("NQ_DPR.jsonl", 40.9141, 47.7848),
        ("NQ_FiD.jsonl", 46.482, 53.6921),
        ("NQ301_text-davinci-003_zeroshot.jsonl", 12.6246, 27.5377),
    ],
)
def test_squad_scores_of_open_natural_questions(real, file, em, f1):
    # stored beside the data: the SQuAD 1.1 script
    table = steelyard.evaluate_answers(real / "nq_open" / file, metrics=["EM", "F1"], profile="squad")
    assert (round(100 * table.mean("EM"), 4), round(100 * table.mean("F1"), 4)) == (em, f1)


@pytest.mark.slow
def test_several_processes_give_the_same_table(write):
    rows = [
        {"id": n, "pred": f"答案 {n % 7} fox", "gold": [f"{n % 5} fox", "答案"], "category": str(n % 3)}
        for n in range(5000)
    ]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    done: list[int] = []
    alone = steelyard.evaluate_answers(path)
    together = steelyard.evaluate_answers(path, processes=2, progress=done.append)
    assert done == [2048, 4096, 5000]
    assert together.ids == alone.ids
    assert (together.tags, together.counts, together.signature) == (alone.tags, alone.counts, alone.signature)
    for name in alone.metrics:
        np.testing.assert_array_equal(together.column(name), alone.column(name))
        for part, values in alone.parts.get(name, {}).items():
            np.testing.assert_array_equal(together.parts[name][part], values)


def test_the_order_of_references_does_not_matter_and_the_best_counts():
    for references in (["x", "a big cat", "cat"], ["cat", "a big cat", "x"]):
        found = scores(references, "a big cat")
        assert set(found.values()) == {1.0}


def test_plain_and_other_rows_of_one_batch_keep_their_places():
    predictions = ["Paris", "北京", None, "x", "café", "Paris"]
    references = [["Paris"], ["北京"], ["x"], [], ["cafe"], ["London", "Paris"]]
    table = steelyard.evaluate_answers(predictions, references, ["EM"])
    np.testing.assert_array_equal(table.column("EM"), [1, 1, 0, np.nan, 0, 1])


@pytest.mark.parametrize(("profile", "name"), [("ultrarag", "normalise"), ("ultrarag-2026-09", "normalise_2026_09")])
def test_the_ultrarag_profile_equals_a_plain_implementation(profile, name):
    from reference import answers as plain

    choose = random.Random(11)
    pieces = ["the", "A", "an", "True", "False", "42,000", "U.S.", "running", "runs", "_x_", "don't", "-5", "café", "!"]
    texts = [choose.choice([" ", "  ", ""]).join(choose.choices(pieces, k=choose.randint(0, 7))) for _ in range(3000)]
    rows = [(texts[n], texts[n + 1 : n + 1 + choose.randint(1, 2)]) for n in range(0, len(texts) - 2, 3)]
    table = steelyard.evaluate_answers([row[0] for row in rows], [row[1] for row in rows], plain.NAMES, profile=profile)
    for place, (prediction, references) in enumerate(rows):
        found = tuple(table.column(metric)[place] for metric in plain.NAMES)
        expected = plain.score(prediction, references, getattr(plain, name))
        assert found == pytest.approx(expected, abs=1e-12), (prediction, references)


def test_evaluations_on_several_threads_do_not_disturb_each_other():
    def texts(number):
        return [" ".join(f"{number}-{row}-{word}" for word in range(8)) for row in range(200)]

    def evaluate(number):
        table = steelyard.evaluate_answers(
            texts(number), [text.rpartition(" ")[0] for text in texts(number)], ["F1", "ROUGE-L"]
        )
        return [table.column(metric).tolist() for metric in table.metrics]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(evaluate, range(24)))
    finally:
        sys.setswitchinterval(before)
    assert found == [evaluate(number) for number in range(24)]
