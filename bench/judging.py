"""`python -m bench.judging`: how fast legal answers are judged on one core, by length, and on texts built to hurt."""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bench.processes import PROJECT, run_python

ROUNDS: Final = 5
LENGTHS: Final = (34, 300, 1_300, 20_000)
MIXED_LENGTH: Final = 1_300
MEGABYTE: Final = 1_000_000
CODE: Final = """
import gc, json, sys, time
from dataclasses import replace
from bench.statements import chinese_statement, english_statement
from steelyard.cli import COLLECTED_AFTER
from steelyard.legal.score import judge_safely
from steelyard.legal.benchmark.questions import load_benchmark
gc.set_threshold(COLLECTED_AFTER)  # as in every command
benchmark = load_benchmark(sys.argv[1])
records = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
outputs = {item["id"]: item["output"] for item in records if "id" in item}
def timed(change, benchmark=benchmark):
    records = {k: change(v) for k, v in outputs.items()}
    start = time.process_time()
    for question in benchmark.questions:
        judge_safely(question, records.get(question.about.id, {}), benchmark.documents[question.about.document])
    return time.process_time() - start
def unread(document):
    return replace(document, pages=tuple(replace(page, text=page.text + " ") for page in document.pages))
other = replace(benchmark, documents={name: unread(document) for name, document in benchmark.documents.items()})
tail = "这是对上述情况的说明，双方对此没有其他约定。"
def longer(record, length):
    answer = record.get("answer", "")
    return {**record, "answer": answer + "  " + tail * max(0, (length - len(answer)) // len(tail))}
def best(change):  # of three passes, each over answers that are new
    blanks = (" ", "\\t", " \\t")
    return min(timed(lambda record: {**record, "answer": change(record)["answer"] + blank}) for blank in blanks)
def mixed(statement, length, first):
    seeds = iter(range(first, first + len(outputs)))
    return timed(lambda record: {**record, "answer": record.get("answer", "") + "  " + statement(length, next(seeds))})
print(json.dumps({
    "questions": len(benchmark.questions),
    "first": timed(dict),
    "again": min(timed(dict) for _ in range(5)),
    "next": best(lambda record: {"answer": record.get("answer", "")}),
    "unread": timed(lambda record: {**record, "answer": record.get("answer", "") + "\\t\\t"}, other),
    "longer": timed(lambda record: longer(record, 500)),
    "lengths": {length: best(lambda record: longer(record, length)) for length in map(int, sys.argv[4:])},
    "mixed": {
        name: min([mixed(statement, int(sys.argv[3]), first) for first in range(0, 40_000, 10_000)][1:])
        for name, statement in (("Chinese", chinese_statement), ("English", english_statement))
    },
}))
"""
HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "nested brackets": lambda size: "(" * (size // 2) + ")" * (size // 2),
    "100,000 numbers": lambda size: _repeated("12345元 ", size),
    "one line of digits": lambda size: "7" * size,
    "one line of numerals": lambda size: _repeated("一二三四五六七八九十", size),
    "commas": lambda size: _repeated("1,111,", size),
    "repeated refusals": lambda size: _repeated("无法确定，", size),
    "repeated refusals, English": lambda size: _repeated("I cannot say. ", size),
    "refusals without a verb": lambda size: _repeated("I cannot ", size - 3) + "say",
    "yes and no": lambda size: _repeated("是。不是。", size),
    "alternatives": lambda size: _repeated("三元或", size),
    "names": lambda size: _repeated("张三、李四、", size),
    "places": lambda size: _repeated("河北省", size),
    "dates": lambda size: _repeated("2020年8月30日至", size),
    "markup": lambda size: _repeated("**[a](<b>", size),
    "code fences": lambda size: _repeated("```json\n{", size),
    "quotation marks": lambda size: _repeated("“a", size),
    "line breaks": lambda size: "\n" * size,
    "table": lambda size: _repeated("|甲|乙|\n|--|--|\n", size),
    "prose": lambda size: _repeated("双方对违约责任另有约定，借款人应当承担相应的责任。", size),
    "prose, English": lambda size: _repeated("The borrower shall bear the liability agreed by the parties. ", size),
    "no punctuation": lambda size: _repeated("双方对违约责任另有约定借款人应当承担相应的责任", size),
    "no punctuation, values": lambda size: _repeated("双方约定违约责任百分之五于二〇二〇年五月三日支付四万元", size),
    "dates and sums": lambda size: _repeated("2020年8月30日收到42000元，", size),
    "dates and sums, English": lambda size: _repeated("On 30 August 2020 he paid $42,000, ", size),
    "not … but": lambda size: _repeated("不是三万元，而是五万元。", size),
    "not … but, no values": lambda size: _repeated("不是…而是", size),
    "not … but, English": lambda size: _repeated("It is not the buyer but the seller. ", size),
    "names, English": lambda size: _repeated("John Smith and Mary Jones, ", size),
    "nested quotation marks": lambda size: "（“" * (size // 4) + "”）" * (size // 4),
    "one character": lambda size: "的" * size,
    "one letter": lambda size: "a" * size,
    "blanks": lambda size: "a" + " " * (size - 2) + "b",
}
SIZES: Final = (1_000, 10_000, 100_000)
SLOW: Final = 0.5
"""Seconds that no answer of the greatest length should take."""
GROWTH_CODE: Final = """
import json, sys, time
from steelyard.legal import reading
from steelyard.legal.benchmark.questions import load_benchmark
from steelyard.legal.score import judge
if sys.argv[3] == "lifted":
    reading.MOST_FIGURES = 10**9
benchmark = load_benchmark(sys.argv[1])
asked = {}
for question in benchmark.questions:
    asked.setdefault(question.about.type, question)
text = open(sys.argv[2], encoding="utf-8").read()
found = {}
for kind, question in asked.items():
    document = benchmark.documents[question.about.document]
    judge(question, {"answer": text[:300] + "。"}, document)
    start = time.process_time()
    judge(question, {"answer": text}, document)
    found[kind] = time.process_time() - start
print(json.dumps(found))
"""
HOSTILE_CODE: Final = """
import json, sys, time
from steelyard.legal import detect_abstention, find_invented, judge_fact
text = open(sys.argv[1], encoding="utf-8").read()
judges = {
    "amount": lambda: judge_fact({"amount_total": 42000}, text, question="一共收了多少钱？"),
    "date": lambda: judge_fact({"date": "2020-08-30"}, text, question="是哪一天？"),
    "count": lambda: judge_fact({"count": 3}, text, question="去过几次？"),
    "yes/no": lambda: judge_fact({"boolean_answer": True}, text, question="他是否承认？"),
    "name": lambda: judge_fact({"entity": "张三"}, text, question="谁收了钱？"),
    "refusal": lambda: detect_abstention(text, question="电话是多少？"),
    "invention": lambda: find_invented(text, "材料"),
}
found = {}
for name, judge in judges.items():
    start = time.process_time()
    judge()
    found[name] = time.process_time() - start
print(json.dumps(found))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        run_python(("-m", "steelyard", "bench", "--system", "builtin:baseline", "-o", str(results)))
        rounds = [_round(results) for _ in range(ROUNDS)]
        _print_rates(rounds)
        for figures in ("limited", "lifted"):
            _print_growth(Path(folder), figures)
        for size in (50_000, 100_000, MEGABYTE):
            _print_hostile(Path(folder), size)


def _print_rates(rounds: list[dict[str, Any]]) -> None:
    """Measure the rates; answers of `LENGTHS` repeat one sentence, statements have different sentences with values."""
    questions = rounds[0]["questions"]
    first, again, unread, following = (
        min(each[key] for each in rounds) for key in ("first", "again", "unread", "next")
    )
    print(f"{questions} questions, outputs of the baseline, CPU time, the best of {len(rounds)} fresh processes")
    print("(and of three passes in each, over other answers, but for the first questions and documents not read):")
    print(f"  the first questions of a process:     {questions / first:,.0f} questions a second")
    print(f"  documents not read, answers new:      {questions / unread:,.0f} questions a second")
    print(f"  documents read, answers new:          {questions / following:,.0f} questions a second")
    print(f"  documents and answers read:           {questions / again:,.0f} questions a second")
    for length in LENGTHS:
        best = min(each["lengths"][str(length)] for each in rounds)
        print(f"  answers of about {length:6,} characters:     {questions / best:,.0f} questions a second")
    for name in rounds[0]["mixed"]:
        best = min(each["mixed"][name] for each in rounds)
        print(f"  {MIXED_LENGTH:,} characters of {name} statements: {questions / best:,.0f} questions a second")


def _print_growth(folder: Path, figures: str) -> None:
    """Measure the seconds of whole questions by length; an answer beyond the limits is refused, not read."""
    print(f"CPU seconds of a question at {', '.join(f'{size:,}' for size in SIZES)} characters, figures {figures}:")
    for name, make in HOSTILE.items():
        times = [_growth(folder, make(size), figures) for size in SIZES]
        for kind in times[0]:
            seconds = [found[kind] for found in times]
            mark = "  slow" if seconds[-1] > SLOW else ""
            print(f"  {name:28}{kind:14}" + "  ".join(f"{second:8.4f}" for second in seconds) + mark)


def _growth(folder: Path, text: str, figures: str) -> dict[str, float]:
    path = folder / "growth.txt"
    path.write_text(text, encoding="utf-8")
    arguments = (str(PROJECT / "benchmark"), str(path), figures)
    found: dict[str, float] = json.loads(run_python(("-c", GROWTH_CODE, *arguments)).output)
    return found


def _print_hostile(folder: Path, size: int) -> None:
    print(f"answers of {size:,} characters built to hurt, CPU seconds for each judge (fresh process each):")
    for name, make in HOSTILE.items():
        path = folder / "hostile.txt"
        path.write_text(make(size), encoding="utf-8")
        found = json.loads(run_python(("-c", HOSTILE_CODE, str(path))).output)
        print(f"  {name:28}" + "  ".join(f"{judge} {seconds:.2f}" for judge, seconds in found.items()))


def _repeated(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def _round(results: Path) -> dict[str, Any]:
    started = time.perf_counter()
    arguments = (str(PROJECT / "benchmark"), str(results), str(MIXED_LENGTH), *map(str, LENGTHS))
    found: dict[str, Any] = json.loads(run_python(("-c", CODE, *arguments)).output)
    return {**found, "whole": time.perf_counter() - started}


if __name__ == "__main__":
    main()
