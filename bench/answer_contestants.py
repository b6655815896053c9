"""`python -m bench.answer_contestants NAME FILE ROWS`: score answers that are in memory; print seconds, and means."""

import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

Rows = Sequence[tuple[str, str]]

ROUGE = "ROUGE-1,ROUGE-2,ROUGE-L"


def steelyard(profile: str, metrics: str | None = None) -> Callable[[Rows], Sequence[float]]:
    from steelyard import evaluate_answers

    evaluate_answers(["warm"], ["up 一下"], profile=profile)

    def weigh(rows: Rows) -> Sequence[float]:
        answers, references = [said for said, _ in rows], [[wanted] for _, wanted in rows]
        table = evaluate_answers(answers, references, metrics, profile=profile)
        return [table.mean(metric) for metric in table.metrics]

    return weigh


def rouge_score() -> Callable[[Rows], Sequence[float]]:
    from rouge_score.rouge_scorer import RougeScorer

    return _by_scorer(RougeScorer)


def rouge_score_rs() -> Callable[[Rows], Sequence[float]]:
    from rouge_score_rs.rouge_scorer import RougeScorer

    return _by_scorer(RougeScorer)


def _by_scorer(scorer_class: Callable[..., Any]) -> Callable[[Rows], Sequence[float]]:
    names = ["rouge1", "rouge2", "rougeL"]
    scorer = scorer_class(names, use_stemmer=True)

    def weigh(rows: Rows) -> Sequence[float]:
        found = [scorer.score(wanted, said) for said, wanted in rows]
        return [sum(scores[name].fmeasure for scores in found) / len(rows) for name in names]

    return weigh


def torchmetrics() -> Callable[[Rows], Sequence[float]]:
    from torchmetrics.functional.text import rouge_score

    keys = ("rouge1", "rouge2", "rougeL")

    def weigh(rows: Rows) -> Sequence[float]:
        answers, references = [said for said, _ in rows], [wanted for _, wanted in rows]
        found = rouge_score(answers, references, rouge_keys=keys, use_stemmer=True)
        return [float(found[f"{key}_fmeasure"]) for key in keys]

    return weigh


def evaluate() -> Callable[[Rows], Sequence[float]]:
    """Return the metric `rouge` of evaluate, which is downloaded from its hub, and calls rouge_score."""
    from evaluate import load

    rouge = load("rouge")
    keys = ["rouge1", "rouge2", "rougeL"]

    def weigh(rows: Rows) -> Sequence[float]:
        answers, references = [said for said, _ in rows], [wanted for _, wanted in rows]
        found = rouge.compute(predictions=answers, references=references, rouge_types=keys, use_stemmer=True)
        return [float(found[key]) for key in keys]

    return weigh


def reference_loop() -> Callable[[Rows], Sequence[float]]:
    score = importlib.import_module("tests.reference.answers").score

    def weigh(rows: Rows) -> Sequence[float]:
        found = [score(said, [wanted]) for said, wanted in rows]
        return [sum(column) / len(rows) for column in zip(*found, strict=True)]

    return weigh


def rouge_chinese() -> Callable[[Rows], Sequence[float]]:
    import jieba
    from rouge_chinese import Rouge

    jieba.initialize()
    scorer = Rouge()

    def weigh(rows: Rows) -> Sequence[float]:
        names = ("rouge-1", "rouge-2", "rouge-l")
        found = [scorer.get_scores(" ".join(jieba.cut(a)), " ".join(jieba.cut(b)))[0] for a, b in rows]
        return [sum(scores[name]["f"] for scores in found) / len(rows) for name in names]

    return weigh


CONTESTANTS: dict[str, Callable[[], Any]] = {
    "steelyard": lambda: steelyard("steelyard"),
    "steelyard --profile ultrarag": lambda: steelyard("ultrarag"),
    "steelyard --profile squad": lambda: steelyard("squad"),
    "steelyard --profile rouge-score": lambda: steelyard("rouge-score"),
    "steelyard --profile rouge-score-stemmed": lambda: steelyard("rouge-score-stemmed"),
    "the same, three metrics": lambda: steelyard("rouge-score-stemmed", ROUGE),
    "steelyard --profile rouge-jieba": lambda: steelyard("rouge-jieba"),
    "steelyard --profile rouge-chinese": lambda: steelyard("rouge-chinese"),
    "the same, ROUGE alone": lambda: steelyard("rouge-chinese", ROUGE),
    "rouge_score": rouge_score,
    "rouge_score_rs": rouge_score_rs,
    "torchmetrics": torchmetrics,
    "evaluate": evaluate,
    "reference loop": reference_loop,
    "rouge_chinese": rouge_chinese,
}


def main(name: str, path: str, limit: str) -> None:
    with open(path, encoding="utf-8") as file:
        parsed = [json.loads(line) for line in file][: int(limit)]
    rows = [(row["prediction"], row["references"][0]) for row in parsed]
    weigh = CONTESTANTS[name]()
    start, begun = time.perf_counter(), time.process_time()
    means = weigh(rows)
    seconds, cpu = time.perf_counter() - start, time.process_time() - begun
    print(json.dumps({"seconds": seconds, "cpu": cpu, "rows": len(rows), "means": list(means)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
