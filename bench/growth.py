"""`python -m bench.growth [SIZE…]`: how the CPU time of every judge grows with the length of texts built to hurt.

A line per judge and pattern: seconds at each size, and how much ten times the text costs (10 is linear, 100 is
quadratic). Only lines that are slower than `--above` seconds per 10,000 characters, or steeper than 20, are printed,
unless `--all` is given. A judgement that takes longer than `--limit` seconds is interrupted.
"""

import argparse
import math
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

SIZES: Final = (1_000, 10_000, 100_000)
NOISE: Final = 0.05
"""Seconds below which a growth is not told from noise."""

PATTERNS: Final[dict[str, str]] = {
    "ones": "1 ",
    "sums": "12345元 ",
    "sums in words": "一千二百元，",
    "dollars": "$1,234.50 and ",
    "digits": "7",
    "numerals": "一二三四五六七八九十",
    "tens": "十",
    "points": "1.",
    "groups": "1,111,",
    "number words": "one hundred twenty ",
    "percent": "百分之三",
    "equations": "1+1=2,",
    "long equation": "1+",
    "alternatives": "三元或",
    "dates": "2020年8月30日至",
    "ISO dates": "2020-08-30 to ",
    "English dates": "August 30, 2020 - ",
    "clocks": "12:30 ",
    "refusals": "无法确定，",
    "English refusals": "I cannot say. ",
    "no stops": "无法确定",
    "English, no stops": "I cannot determine ",
    "unknown": "未知",
    "sorry": "抱歉",
    "not not": "not ",
    "不不": "不",
    "yes and no": "是。不是。",
    "whether": "是否",
    "no": "no, ",
    "names": "张三、李四、",
    "English names": "John Smith and ",
    "capitals": "A. B. ",
    "one capital word": "Xa",
    "places": "北京市朝阳区",
    "roads": "路1号",
    "brackets": "(",
    "closing brackets": ")",
    "bracket pairs": "（甲）",
    "quotation marks": "“a",
    "closed quotations": "“甲”",
    "straight quotes": '"',
    "apostrophes": "'s ",
    "book titles": "《甲",
    "newlines": "\n",
    "blanks": " ",
    "tabs and newlines": "\t\n",
    "lines": "甲\n",
    "commas": "，",
    "ASCII commas": ", ",
    "full stops": "。",
    "dots": ".",
    "dashes": "-",
    "stars": "*",
    "underscores": "_",
    "hashes": "# ",
    "markup": "**[a](<b>",
    "tags": "<a",
    "thinking": "<think>",
    "entities": "&amp;",
    "fences": "```json\n{",
    "backticks": "`",
    "braces": "{",
    "JSON": '{"answer":',
    "arrays": "[",
    "table": "|甲|乙|\n|--|--|\n",
    "table rules": "|--",
    "LaTeX": "\\frac{1}{2}$",
    "boxed": "\\boxed{",
    "dollar signs": "$",
    "conclusions": "答案是：",
    "English conclusions": "The answer is: ",
    "because": "因为",
    "although": "虽然，",
    "questions": "什么？",
    "prose": "双方对违约责任另有约定，借款人应当承担相应的责任。",
    "English prose": "The parties agreed that the borrower shall pay the sum. ",
    "one long word": "a",
    "one long Chinese word": "的",
    "letters and digits": "a1",
    "emoji": "😀",
    "circled": "①",
    "full width": "１",
    "combining": "e\u0301",
    "list numbers": "1. 甲\n",
    "inline numbers": "1) a ",
    "addresses": "http://a.b/",
    "hyphens": "a-",
    "ellipses": "…",
    "identity numbers": "11010119900307123X ",
    "phones": "13800138000，",
}
DOCUMENT: Final = """=== 第1页 共1页 ===
问：你一共收了多少钱？
答：我在2020年8月30日收了张三42000元，电话号码我忘记了。
"""


def hostile(pattern: str, size: int) -> str:
    """Return a text of `size` characters made of a repeated pattern."""
    return (pattern * (size // len(pattern) + 1))[:size]


def judges() -> dict[str, Callable[[str], object]]:
    """Return every public judge as a function of the answer, and scoring a question of each type."""
    from steelyard.legal import contains_quote, detect_abstention, find_invented, judge_fact

    context = DOCUMENT
    facts: dict[str, tuple[Any, str]] = {
        "amount_total": (42000, "一共收了多少钱？"),
        "amount_breakdown": ([{"label": "张三", "amount": 42000}], "分别收了多少钱？"),
        "date": ("2020-08-30", "什么时候收的？"),
        "date_range": ({"start": "2020-08-30", "end": "2020-09-01"}, "什么时候到什么时候？"),
        "count": (3, "一共几次？"),
        "boolean_answer": (True, "他是否收了钱？"),
        "entity": ("张三", "谁付的钱？"),
        "text_answer": ("号码忘记了", "他怎么说？"),
    }

    def fact(key: str) -> Callable[[str], object]:
        return lambda text: judge_fact({key: facts[key][0]}, text, question=facts[key][1])

    return {
        **{key: fact(key) for key in facts},
        "English yes or no": lambda text: judge_fact({"boolean_answer": True}, text, question="Did he pay the rent?"),
        "English name": lambda text: judge_fact({"entity": "John Smith"}, text, question="Who paid the rent?"),
        "abstention": lambda text: detect_abstention(text, question="电话号码是多少？"),
        "English abstention": lambda text: detect_abstention(text, question="What is the phone number?"),
        "invented": lambda text: find_invented(text, context, question="电话号码是多少？"),
        "invented, by document": lambda text: find_invented("他收了42000元。", text, question="收了多少？"),
        "quote": lambda text: contains_quote(text, "号码我忘记了"),
        "quote, required": lambda text: contains_quote("他说号码我忘记了", text),
        **scorers(),
    }


def scorers() -> dict[str, Callable[[str], object]]:
    """Whole questions: the text as answer, as citations with pages, and as the document."""
    from steelyard.documents.pages import Document
    from steelyard.legal import question_of
    from steelyard.legal.score import judge

    about = {"id": "q", "difficulty": "easy", "category": "c"}
    passage = {"doc": "d", "page": 1, "must_include": "电话号码我忘记了", "is_critical": True}
    raw: dict[str, dict[str, Any]] = {
        "fact_exact": {"question": "一共收了多少钱？", "expected": {"amount_total": 42000, "date": "2020-08-30"}},
        "evidence_set": {"question": "列出全部证据"},
        "conflict_gap": {
            "question": "电话号码是多少？",
            "should_abstain": True,
            "required_quote": "电话号码我忘记了",
        },
        "key_points": {
            "question": "是否构成自首？退了多少？",
            "points": [
                {"text": "不构成自首", "points": 1, "forbidden": ["构成自首"], "conclusion": True},
                {"text": "返还42000元", "points": 1, "aliases": ["退还四万二千元", "not one of one"]},
            ],
        },
    }
    document = written(DOCUMENT)

    def scorer(kind: str, of: Callable[[str], tuple[dict[str, Any], Document]]) -> Callable[[str], object]:
        fields = {**about, "type": kind, **raw[kind], "required_evidence": [passage]}
        question = question_of(fields, document="d", criteria={}, where="bench")
        return lambda text: judge(question, *of(text))

    cited: dict[str, Callable[[str], tuple[dict[str, Any], Document]]] = {
        "answer": lambda text: ({"answer": text, "citations": [{"page": 1, "text": "电话号码我忘记了"}]}, document),
        "citation": lambda text: (
            {"answer": "他说电话号码我忘记了", "citations": [{"page": 1, "text": text}]},
            document,
        ),
        "page": lambda text: ({"answer": "42000元", "citations": [{"page": text, "text": "电话"}]}, document),
        "field": lambda text: ({"answer": "", "amount_total": text, "text_answer": text, "date": text}, document),
        "document": lambda text: (
            {"answer": "42000元", "citations": [{"page": 1, "text": "电话号码我忘记了"}]},
            written(DOCUMENT + text),
        ),
    }
    return {f"{kind}: {name}": scorer(kind, of) for kind in raw for name, of in cited.items()}


def written(text: str) -> "Document":
    """Return a document of this text, read from a file as documents are."""
    from steelyard.documents.pages import read_document

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.txt"
        path.write_text(text, encoding="utf-8")
        return read_document(path)


class Late(BaseException):
    """A judgement that takes too long."""


def seconds(judge: Callable[[str], object], text: str, limit: float) -> float:
    """Return how long a judgement takes; `limit` where it takes longer."""

    def stop(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    start = time.process_time()
    try:
        judge(text)
        return time.process_time() - start
    except Late:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def measure(arguments: argparse.Namespace) -> Iterator[tuple[str, str, list[float]]]:
    """Yield every judge on every pattern; larger sizes are left out once one took the limit."""
    for name, judge in judges().items():
        if arguments.judge and arguments.judge not in name:
            continue
        for label, pattern in PATTERNS.items():
            if arguments.pattern and arguments.pattern != label:
                continue
            found: list[float] = []
            for size in arguments.sizes:
                last = found[-1] if found else 0.0
                found.append(
                    seconds(judge, hostile(pattern, size), arguments.limit) if last < arguments.limit else last
                )
            yield name, label, found


def growth(found: list[float], sizes: list[int]) -> float:
    """Return what ten times the text costs, between the last two sizes."""
    if len(found) < 2 or found[-1] < NOISE:
        return 0.0
    return float((found[-1] / max(found[-2], 1e-4)) ** (1 / math.log10(sizes[-1] / sizes[-2])))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), help="characters")
    parser.add_argument("--judge", help="only judges whose name holds this")
    parser.add_argument("--pattern", help="only this pattern")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of one judgement")
    parser.add_argument("--above", type=float, default=1.0, help="seconds per 10,000 characters that are too slow")
    parser.add_argument("--all", action="store_true", help="every line")
    arguments = parser.parse_args()
    worst, count = 0.0, 0
    for name, label, found in measure(arguments):
        count += 1
        rate, grown = found[-1] / arguments.sizes[-1] * 10_000, growth(found, arguments.sizes)
        worst = max(worst, rate)
        if arguments.all or rate > arguments.above or grown > 20:
            times = "  ".join(f"{each:8.3f}" for each in found)
            sys.stdout.write(f"{name:24} {label:22} {times}  x{grown:.0f}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count} pairs; the slowest takes {worst:.3f} s per 10,000 characters\n")


if __name__ == "__main__":
    main()
