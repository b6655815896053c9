"""Published scores of real answers, item by item where they are stored."""

import csv
import json

import pytest

import steelyard

LAWBENCH = {
    "zero_shot__GPT4__1-1": ("ROUGE-L", "rouge-chinese"),
    "zero_shot__GPT4__3-2": ("ROUGE-L", "rouge-chinese"),
    "zero_shot__GPT4__3-8": ("ROUGE-L", "rouge-chinese"),
    "zero_shot__qwen-7b-chat-hf__3-2": ("ROUGE-L", "rouge-chinese"),
    "zero_shot__GPT4__2-5": ("CharF1", "steelyard"),
    "zero_shot__qwen-7b-chat-hf__2-5": ("CharF1", "steelyard"),
    "zero_shot__GPT4__1-2": ("Choice", "steelyard"),
    "zero_shot__GPT4__3-6": ("Choice", "steelyard"),
    "zero_shot__qwen-7b-chat-hf__1-2": ("Choice", "steelyard"),
}
COLUMNS = {"CharF1": "cjrc_f1", "ROUGE-1": "rouge1_f", "ROUGE-2": "rouge2_f", "ROUGE-L": "rougel_f"}


@pytest.mark.parametrize("name", LAWBENCH)
def test_lawbench(real, name):
    metric, profile = LAWBENCH[name]
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))[f"lawbench/{name}"]
    table = steelyard.evaluate_answers(real / "lawbench" / f"{name}.jsonl", metrics=[metric], profile=profile)
    assert table.mean(metric) == pytest.approx(stored["published_score"], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (metric, _) in LAWBENCH.items() if name.endswith(("2-5", "3-2"))])
def test_lawbench_item_by_item(real, name):
    rows = list(csv.DictReader((real / "lawbench" / f"{name}.items.csv").read_text().splitlines()))
    metrics = [metric for metric, column in COLUMNS.items() if column in rows[0]]
    profile = LAWBENCH[name][1]
    table = steelyard.evaluate_answers(real / "lawbench" / f"{name}.jsonl", metrics=metrics, profile=profile)
    for metric in metrics:
        expected = [float(row[COLUMNS[metric]]) for row in rows]
        assert table.column(metric).tolist() == pytest.approx(expected, abs=1e-9)


def test_abstention_in_lawbench(real):
    from steelyard.answers.metrics import option_letters
    from steelyard.answers.sources import stream_answers

    for name, expected in (("zero_shot__GPT4__1-2", 0.002), ("zero_shot__GPT4__3-6", 0.0)):
        rows = [row for batch in stream_answers(real / "lawbench" / f"{name}.jsonl").batches() for row in batch]
        silent = sum(not option_letters(row.prediction or "") for row in rows)
        assert silent / len(rows) == expected


@pytest.mark.slow
def test_rouge_score_s_own_thousand_lines(real):
    # published with rouge_score (bootstrap mid, +-2e-3); precision, recall, F of ROUGE-1 and ROUGE-L
    folder = real / "rouge_score_testdata"
    predictions = (folder / "prediction_large.txt").read_text("utf-8").splitlines()
    references = (folder / "target_large.txt").read_text("utf-8").splitlines()
    expected = {
        ("rouge-score", "ROUGE-1"): (0.49879, 0.31950, 0.38554),
        ("rouge-score-stemmed", "ROUGE-1"): (0.52434, 0.33580, 0.40524),
        ("rouge-score-stemmed", "ROUGE-L"): (0.52104, 0.33377, 0.40275),
    }
    for (profile, metric), values in expected.items():
        table = steelyard.evaluate_answers(predictions, references, [metric], profile=profile)
        parts = table.parts.get(metric, {})
        found = (parts["precision"].mean(), parts["recall"].mean(), table.mean(metric))
        assert found == pytest.approx(values, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bc13B__RAG", "bc13B__direct", "gpt__RAG", "gpt__direct", "qwen7B-ins__RAG"])
def test_rouge_of_lecoqa_in_both_definitions(real, name):
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))[f"lecoqa/predictions/{name}"]
    for profile, key in (
        ("rouge-chinese", "rouge_chinese_jieba"),
        ("rouge-jieba", "rouge_score_jieba_words (multiset n-grams, plain LCS)"),
    ):
        table = steelyard.evaluate_answers(
            real / "lecoqa" / "predictions" / f"{name}.jsonl",
            real / "lecoqa" / "expected_answers.jsonl",
            ["ROUGE-1", "ROUGE-2", "ROUGE-L"],
            profile=profile,
        )
        assert [table.mean(metric) for metric in table.metrics] == pytest.approx(list(stored[key].values()), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["bc13B__RAG", "bc13B__direct", "gpt__RAG", "gpt__direct", "qwen7B-ins__RAG", "qwen7B-ins__direct"]
)
def test_bleu_of_lecoqa(real, name):
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))[f"lecoqa/predictions/{name}"]
    table = steelyard.evaluate_answers(
        real / "lecoqa" / "predictions" / f"{name}.jsonl",
        real / "lecoqa" / "expected_answers.jsonl",
        ["BLEU(smooth=4)"],
        profile="rouge-jieba",
    )
    (metric,) = table.metrics
    assert table.mean(metric) == pytest.approx(stored["recomputed_BLEU_nltk_method4_jieba"], abs=1e-9)
    assert round(table.mean(metric), 4) == stored["published_BLEU"]


LEVAL = [
    f"{system}__{task}"
    for system in ("llama2-13b-chat-4k", "turbo-16k-0613")
    for task in ("legal_contract_qa", "natural_question")
]


@pytest.mark.parametrize("name", LEVAL)
def test_l_eval_as_three_programs_have_it(real, name):
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))[f"leval/{name}"]
    for profile, names, key in (
        ("ultrarag", list(stored["ultrarag_015e838"]), "ultrarag_015e838"),
        ("rouge-score", ["ROUGE-1", "ROUGE-2", "ROUGE-L"], "rouge_score_nostem"),
    ):
        table = steelyard.evaluate_answers(real / "leval" / f"{name}.jsonl", metrics=names, profile=profile)
        assert [table.mean(metric) for metric in table.metrics] == pytest.approx(list(stored[key].values()), abs=1e-9)
    squad = steelyard.evaluate_answers(real / "leval" / f"{name}.jsonl", metrics=["F1"], profile="squad")
    assert squad.mean("F1") == pytest.approx(stored["squad_v1.1_F1"], abs=1e-9)


@pytest.mark.parametrize("name", ["mult_cpa", "sing_lbk", "sing_pae"])
def test_choices_of_disc_law_out_of_whole_outputs(real, name):
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))[f"disc_law_mcq/GPT-3.5-turbo__{name}"]
    path = real / "disc_law_mcq" / f"GPT-3.5-turbo__{name}.jsonl"
    table = steelyard.evaluate_answers(path, metrics=["Choice"], mapping={"prediction": "model_output"})
    assert table.column("Choice").sum() == stored["correct"]
    assert len(table) == stored["n"]
