"""One answer never ends a run: whatever goes wrong with it is an error of that item, and the run goes on."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from platforms import posix

from steelyard import limits
from steelyard.io.results import load
from steelyard.legal import score
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import BenchmarkRun, judge_answers
from steelyard.legal.facts.fields import judge_fact
from steelyard.legal.model import FactRules
from steelyard.legal.score import judge
from steelyard.signals import DeadlineExceeded, deadline
from steelyard.systems.ask import AskSettings
from steelyard.systems.python import PythonSystem
from steelyard.systems.replay import ReplaySystem

SLOW = re.compile(r"(a+)+$")
ENDLESS = "a" * 60 + "b"


def run_benchmark(*settings, **options):
    return BenchmarkRun(*settings, **options).table()


@pytest.fixture(scope="module")
def benchmark():
    return load_benchmark(benchmark_folder(), ["fact_exact"], 4)


def deep(levels):
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def hostile_records():
    return {
        "numerals": {"answer": "一二三四五六七八九十" * 440},
        "figures": {"answer": "9" * 4_400, "amount_total": "9" * 4_400, "count": "九" * 4_400},
        "page": {"answer": "是", "citations": [{"page": "9" * 5_000, "text": "x"}, {"page": 1e308, "text": "y"}]},
        "range": {"answer": "是", "citations": [{"page": f"第1-{'9' * 5_000}页", "text": "x"}]},
        "nested": {"answer": "是", "amount_breakdown": deep(900)},
        "text": {"answer": "[" * 90_000, "text_answer": '{"answer":' * 20_000},
        "large": {"answer": "是", "amount_total": 10**5_000, "count": 10**5_000},
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", hostile_records())
def test_a_hostile_answer_ends_no_run(benchmark, tmp_path, name):
    hostile = benchmark.questions[1].about.question

    def system(question):
        return hostile_records()[name] if question == hostile else "材料未载明。"

    path = tmp_path / "r.jsonl"
    table = run_benchmark(benchmark, PythonSystem(system, "mine"), AskSettings(retries=0), path)
    assert len(table) == 4
    assert set(table.failures) <= {1}
    again = run_benchmark(benchmark, PythonSystem(system, "mine"), AskSettings(retries=0), path, resume=True)
    assert again.ids == table.ids


def test_a_reply_as_deep_as_is_allowed_can_be_read_again(benchmark, tmp_path):
    system = PythonSystem(lambda question: {"answer": "是", "amount_breakdown": deep(limits.NESTING.value - 1)}, "mine")
    table = run_benchmark(benchmark, system, AskSettings(retries=0), tmp_path / "r.jsonl")
    assert table.failures == {}
    assert load(tmp_path / "r.jsonl").ids == table.ids


@pytest.mark.slow
@pytest.mark.parametrize("name", ["numerals", "figures", "page", "range", "nested", "text"])
def test_a_recorded_hostile_answer_ends_no_run(benchmark, write, tmp_path, name):
    ids = [question.about.id for question in benchmark.questions]
    records = [{"id": ids[0], **hostile_records()[name]}, *({"id": each, "answer": "是"} for each in ids[1:])]
    system = ReplaySystem(write("recorded.jsonl", "".join(json.dumps(record) + "\n" for record in records)))
    table = run_benchmark(benchmark, system, AskSettings(retries=0), tmp_path / "r.jsonl")
    assert len(table) == 4
    assert set(table.failures) <= {0}


def test_a_recorded_answer_that_cannot_be_read_is_an_error_of_its_item(benchmark, write, tmp_path):
    ids = [question.about.id for question in benchmark.questions]
    nested = f'"amount_breakdown": {"[" * 100_000}{"]" * 100_000}'
    lines = [
        f'{{{nested}, "answer": "是", "id": "{ids[0]}"}}',
        *(f'{{"id": "{each}", "answer": "是"}}' for each in ids[1:]),
    ]
    recorded = write("recorded.jsonl", "\n".join(lines))
    path = tmp_path / "r.jsonl"
    table = run_benchmark(benchmark, ReplaySystem(recorded), AskSettings(retries=0), path)
    assert table.failures == {0: f"{recorded}:1: this JSON is nested too deeply"}
    again = run_benchmark(benchmark, ReplaySystem(recorded), AskSettings(retries=0), path, resume=True)
    assert again.failures == table.failures
    mended = write("recorded.jsonl", "\n".join([f'{{"answer": "是", "id": "{ids[0]}"}}', *lines[1:]]))
    assert run_benchmark(benchmark, ReplaySystem(mended), AskSettings(retries=0), path, resume=True).failures == {}


@pytest.mark.parametrize(
    "error", [ValueError("Exceeds the limit"), RecursionError("depth"), MemoryError(), KeyError(3)]
)
def test_an_exception_of_a_judge_is_an_error_of_its_item(benchmark, tmp_path, monkeypatch, error):
    def fragile(question, record, document):
        if question.about.id == benchmark.questions[2].about.id and record:
            raise error
        return judge(question, record, document)

    monkeypatch.setattr(score, "judge", fragile)
    path = tmp_path / "r.jsonl"
    system = PythonSystem(lambda question: "材料未载明。", "mine")
    table = run_benchmark(benchmark, system, AskSettings(), path)
    said = f": {error}" if str(error) else ""
    assert table.failures == {2: f"judging failed: {type(error).__name__}{said}"}
    assert table.outputs[2]["answer"] == "材料未载明。"
    assert table.column("legal")[2] == 0.0
    monkeypatch.undo()
    again = run_benchmark(benchmark, system, AskSettings(), path, resume=True)
    assert again.failures == {}


def test_judging_that_takes_too_long_is_an_error_of_its_item(benchmark, tmp_path, monkeypatch):
    def slow(question, record, document):
        if question.about.id == benchmark.questions[0].about.id and record:
            SLOW.match(ENDLESS)
        return judge(question, record, document)

    monkeypatch.setattr(score, "judge", slow)
    monkeypatch.setattr(limits.JUDGING_SECONDS, "value", 0.2)
    system = PythonSystem(lambda question: "材料未载明。", "mine")
    table = run_benchmark(benchmark, system, AskSettings(), tmp_path / "r.jsonl")
    assert len(table) == 4
    assert table.failures[0] == "judging took longer than 0.2 s"


STUCK = """
import re, sys
from steelyard.legal.question_types.fact import FactQuestion
from steelyard.cli import main

judge = FactQuestion.judge

def stuck(question, case):
    if question.about.id == "ID":
        re.match(r"(a+)+$", "a" * 60 + "b")
    return judge(question, case)

FactQuestion.judge = stuck
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_judge_that_never_ends_keeps_no_command(benchmark, tmp_path):
    program = STUCK.replace("ID", benchmark.questions[0].about.id)
    words = ["bench", "--system", "builtin:baseline", "--type", "fact_exact", "--limit", "4", "-o", "r.jsonl"]
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=tmp_path,
        env={**os.environ, "STEELYARD_JUDGING_SECONDS": "1"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 3, done.stderr  # one of four questions failed
    table = load(tmp_path / "r.jsonl")
    failed = {table.ids[row]: why for row, why in table.failures.items()}
    assert (len(table), failed) == (4, {benchmark.questions[0].about.id: "judging took longer than 1 s"})


def test_answers_without_a_run_are_judged_one_by_one(benchmark, monkeypatch):
    first, second = (question.about.id for question in benchmark.questions[:2])
    verdicts = judge_answers({first: {"answer": "是", "amount_breakdown": deep(900)}, second: "材料未载明。"}).verdicts
    assert verdicts[first].score == 0.0
    assert verdicts[first].remarks[0].startswith("not_judged: judging failed: SystemFailure: ")
    assert verdicts[second].remarks == ()


@posix
def test_a_deadline_interrupts_a_regular_expression_and_leaves_no_trace():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(DeadlineExceeded), deadline(0.1):
        SLOW.match(ENDLESS)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with deadline(0.01):
        pass
    threading.Event().wait(0.03)


@posix
def test_of_two_deadlines_the_outer_one_holds_too():
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded), deadline(0.2), deadline(30):
        SLOW.match(ENDLESS)
    assert time.monotonic() - started < 10


@posix
@pytest.mark.slow
def test_a_timer_of_the_program_goes_on_behind_a_deadline():
    rang = threading.Event()
    before = signal.signal(signal.SIGALRM, lambda *_: rang.set())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with deadline(0.1):
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        with deadline(60):  # ours would come later than the program's own
            time.sleep(0.4)
        assert rang.is_set()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_are_not_interrupted():
    done = []

    def work():
        with deadline(0.01):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


@pytest.mark.parametrize(
    ("answer", "source", "expected", "correct"),
    [
        ("It follows up to 10 redirects.", "The client follows up to 10 redirects.", {"count": 10}, True),
        ("At least 10 redirects.", "The client follows up to 10 redirects.", {"count": 10}, False),
        ("It does not follow up to 10 redirects.", "The client follows up to 10 redirects.", {"count": 10}, False),
        ("Up to 12 redirects.", "The client follows up to 10 redirects.", {"count": 10}, False),
        ("It follows up to 10 redirects.", "", {"count": 10}, False),
        ("On or before 30 April 2024.", "due on or before 30 April 2024", {"date": "2024-04-30"}, True),
        ("After 30 April 2024.", "due on or before 30 April 2024", {"date": "2024-04-30"}, False),
        ("10次以内", "须在10次以内完成", {"count": 10}, True),
        ("至少10次", "须在10次以内完成", {"count": 10}, False),
    ],
)
def test_a_bound_in_the_words_of_the_evidence_is_exact(answer, source, expected, correct):
    verdict = judge_fact(expected, answer, question="How many, and when?", rules=FactRules(source=source))
    assert verdict.correct is correct
