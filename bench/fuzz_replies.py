"""Replies that a system could send: `python -m bench.fuzz_replies [-n 20000] [--seed 1]`.

Real replies of the built-in baseline are mutated (values, types, texts, bytes); each is decoded, read as an output
record, judged, and written down as a line of a results file. A SteelyardError is an error of that item; any other
exception would be a bug, and is a failure. Prints how often each outcome came about, and the slowest reply.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from bench.mutations import mutate_bytes, mutate_value
from bench.outcomes import outcome_of, print_outcomes, read_options
from steelyard.documents.pages import Document
from steelyard.io.results import dump
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.legal.model import Question
from steelyard.legal.score import judge
from steelyard.net.replies import decode_reply
from steelyard.systems.base import reply_of
from steelyard.systems.replay import ADDED

TEXTS: Final = (
    *("", " ", "1 1 1 1 " * 200, "材料未显示。" * 100, "\n" * 2000, "```json\n{", "{" * 500, "<think>" * 50),
    *("一二三四五六七八九十" * 440, "9" * 4400, "第1页" * 300, "“" * 500, "13800000000 " * 100, "\u202e\0\x1b[31m"),
    *("not" + " not" * 500, "1,000,000.00元" * 100, "2024年1月1日至" * 100, "王某" * 500, "page " + " " * 3000),
)


def main() -> int:
    """Mutate, judge, count; 1 if anything failed."""
    options = read_options(__doc__, "replies")
    outcomes, slowest = fuzz(options.n, options.seed)
    code = print_outcomes(outcomes)
    sys.stdout.write(f"slowest: {slowest[0]:.2f} s for {slowest[1]:,} bytes\n")
    return code


def fuzz(number: int, seed: int) -> tuple[Counter[str], tuple[float, int]]:
    """Return how often each outcome came about, and the seconds and bytes of the slowest reply."""
    chance = random.Random(seed)
    benchmark = load_benchmark(benchmark_folder())
    replies = real_replies()
    outcomes: Counter[str] = Counter()
    slowest = (0.0, 0)
    for _ in range(number):
        question = chance.choice(benchmark.questions)
        content = mutated(replies[question.about.id], chance)
        begun = time.perf_counter()
        attempt = partial(write_down, content, question, benchmark.documents[question.about.document])
        outcomes[outcome_of(attempt, outcomes, "judged")] += 1
        slowest = max(slowest, (time.perf_counter() - begun, len(content)))
    return outcomes, slowest


def write_down(content: bytes, question: Question, document: Document) -> None:
    """Read a reply, judge it, and make the line of a results file."""
    record = reply_of(decode_reply(content)).record
    verdict = judge(question, record, document)
    dump({"output": record, "score": verdict.score, "reasons": dict(verdict.reasons)}).encode()


def real_replies() -> dict[str, dict[str, Any]]:
    """Return what the baseline says to each question, without what we write beside it."""
    table = evaluate_legal("builtin:baseline")
    said = zip(table.ids, table.outputs, strict=True)
    return {name: {key: value for key, value in (of or {}).items() if key not in ADDED} for name, of in said}


def mutated(reply: dict[str, Any], chance: random.Random) -> bytes:
    """Return the reply with some values changed, or its text, or its bytes."""
    changed: Any = reply
    for _ in range(chance.choice((1, 1, 2, 4))):
        changed = mutate_value(changed, chance) if isinstance(changed, dict | list) else changed
    if isinstance(changed, dict) and chance.random() < 0.4:
        changed = {**changed, "answer": mutated_text(str(reply.get("answer", "")), TEXTS, chance)}
    content = json.dumps(changed, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return mutate_bytes(content, chance) if chance.random() < 0.1 else content


def mutated_text(text: str, others: Sequence[str], chance: random.Random) -> str:
    """Return a text with a piece of it doubled or taken out, or another one put in."""
    at, end = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
    match chance.randrange(4):
        case 0:
            return text[:at] + chance.choice(others) + text[end:]
        case 1:
            return text[:at] + text[at:end] * chance.choice((0, 2, 50)) + text[end:]
        case 2:
            return chance.choice(others)
        case _:
            return text[::-1] + chance.choice(others)


if __name__ == "__main__":
    sys.exit(main())
