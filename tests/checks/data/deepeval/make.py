"""DeepEval's test run of invented cases, with a model whose replies are written here; see README.md."""

import os
import sys
from pathlib import Path

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_RESULTS_FOLDER": sys.argv[1]}

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import AnswerRelevancyMetric, ContextualPrecisionMetric, ExactMatchMetric, FaithfulnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

# name: claims, verdicts on them, statements, verdicts on them, verdicts on the two passages, expected output
CASES = {
    "loan-period": (3, "yyy", 2, "yy", "yn", "Books are lent for 21 days."),
    "late-fee": (3, "yny", 2, "yn", "ny", "The fee is 10 cents a day."),
    "opening": (3, "y", 2, "yy", "yy", "The library opens at nine."),
    "parking": (4, "yn", 4, "y", "nn", "The car park has 40 places."),
    "scanner": (2, "", 2, "", "yn", "Scans are free."),
    "silence": (0, "", 1, "n", "ny", "Nobody knows."),
    "renewal": (2, "yi", 3, "yyi", "yn", "A loan is renewed twice."),
    "interlibrary": (2, "yyn", 1, "yn", "yy", "Books from other towns cost 2 euros."),
    "broken": (2, None, 2, "ny", "yn", "The lift is out of order."),
    "reading-room": (5, "yyyyn", 3, "nnn", "yn", "The reading room has 12 seats."),
}
WORDS = {"y": "yes", "n": "no", "i": "borderline"}


class Scripted(DeepEvalBaseLLM):
    """A model that answers by the schema that it is asked to fill."""

    case = ""

    def load_model(self):
        return self

    def get_model_name(self):
        return "scripted"

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)

    def generate(self, prompt, schema=None):
        case = next(name for name in CASES if f"[{name}]" in prompt or name == self.case)
        Scripted.case = case
        claims, on_claims, statements, on_statements, on_passages, _ = CASES[case]
        place = (schema.__module__.split(".")[-2], schema.__name__)
        if place == ("faithfulness", "Verdicts") and on_claims is None:
            raise RuntimeError("the model is away")
        numbered = lambda word, n: [f"{word} {i} of {case}" for i in range(1, n + 1)]  # noqa: E731
        letters = {"faithfulness": on_claims, "answer_relevancy": on_statements, "contextual_precision": on_passages}
        verdicts = [{"verdict": WORDS[each], "reason": "as scripted"} for each in letters[place[0]] or ""]
        filled = {"truths": numbered("truth", 2), "claims": numbered("claim", claims), "verdicts": verdicts}
        filled |= {"statements": numbered("statement", statements), "reason": "as scripted"}
        return schema(**{name: filled[name] for name in schema.model_fields})


def cases():
    for name, (*_, expected) in CASES.items():
        given = "The reading room has twelve seats." if name == "reading-room" else expected
        yield LLMTestCase(
            input=f"[{name}] What about it?",
            actual_output=f" {given}" if name == "renewal" else given,
            expected_output=expected,
            retrieval_context=[f"[{name}] first passage", f"[{name}] second passage"],
            name=name,
        )


def metrics(model):
    found = [FaithfulnessMetric, AnswerRelevancyMetric, ContextualPrecisionMetric]
    made = [kind(model=model, threshold=0.6, async_mode=False) for kind in found]
    for metric in made:
        inner = metric.measure

        def measure(case, *given, inner=inner, **named):
            Scripted.case = case.name
            return inner(case, *given, **named)

        metric.measure = measure
    return [*made, ExactMatchMetric(threshold=0.6)]


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(exist_ok=True)
    evaluate(
        list(cases()),
        metrics(Scripted()),
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
