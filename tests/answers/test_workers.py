"""Processes that weigh answers and are killed: their part is done again, and twice is one clear error."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from platforms import forking, linux

from steelyard.answers.evaluate import evaluate_answers
from steelyard.cli import main
from steelyard.errors import SteelyardError
from steelyard.registry.metrics import REGISTRY, metric

ROWS = 6 * 2048


@pytest.fixture
def killed(tmp_path):
    """A metric whose first calls kill the process that makes them, as often as there are files to take away."""

    @metric("Killed", kind="answers")
    def compute(pairs, profile):
        """1 for every answer, if it comes to that."""
        for path in sorted(tmp_path.glob("kill*")):
            try:
                path.unlink()
            except FileNotFoundError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return np.ones(len(pairs.answers))

    yield lambda times: [(tmp_path / f"kill{number}").touch() for number in range(times)]
    del REGISTRY["Killed"]


def weighed():
    texts = [str(number) for number in range(ROWS)]
    return evaluate_answers(texts, texts, ["Killed"], processes=2)


@forking
def test_the_part_of_a_killed_process_is_done_again(killed):
    killed(1)
    table = weighed()
    assert len(table) == ROWS
    assert list(table.ids) == [str(number) for number in range(1, ROWS + 1)]
    assert table.mean("Killed") == 1.0


@forking
def test_a_process_that_is_killed_again_is_one_error(killed):
    killed(1000)
    with pytest.raises(SteelyardError) as caught:
        weighed()
    assert str(caught.value) == (
        "answers#rows=1-2048: the process for this part was killed (2 attempts)\n"
        "hint: is there enough memory? fewer workers need less: -j 1; more attempts: --retries"
    )


IGNORES = """
import os, pathlib, signal, sys, time
import numpy as np
from steelyard.answers.evaluate import evaluate_answers
from steelyard.registry.metrics import metric

signal.signal(signal.SIGTERM, signal.SIG_IGN)
kill = pathlib.Path(sys.argv[1])

@metric("Killed", kind="answers")
def compute(pairs, profile):
    \"\"\"The first call ends its process; others ignore SIGTERM and give more than a pipe holds.\"\"\"
    try:
        kill.unlink()
    except FileNotFoundError:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1)
        return np.ones(len(pairs.answers))
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)

texts = [str(number) for number in range(6 * 2048)]
print(evaluate_answers(texts, texts, ["Killed"], processes=2).mean("Killed"))
"""


@forking
@pytest.mark.slow
def test_workers_end_where_the_program_ignores_sigterm(tmp_path: Path):
    (tmp_path / "kill").touch()
    command = [sys.executable, "-c", IGNORES, str(tmp_path / "kill")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "1.0\n"


@pytest.fixture
def gives():
    """A metric that gives a value for every answer."""
    values: list[object] = []
    metric("Gives", kind="answers", bounds=(-np.inf, np.inf))(lambda pairs, profile: values * len(pairs.answers))
    yield values.append
    del REGISTRY["Gives"]


@pytest.mark.filterwarnings("error")
def test_large_values_are_compared_and_gated(gives, tmp_path: Path, capsys):
    gives(1e100)
    texts = [str(number) for number in range(5)]
    for name in ("old", "new"):
        evaluate_answers(texts, texts, ["Gives"], name=name).save(tmp_path / f"{name}.jsonl")
    old, new = str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl")
    assert main(["compare", old, new]) == 0
    assert main(["gate", new, "--require", "Gives >= baseline", "--baseline", old]) == 0
    assert main(["report", old, new, "-o", str(tmp_path / "page.html")]) == 0
    assert "Traceback" not in capsys.readouterr().err


@linux
@pytest.mark.slow
def test_a_plain_script_needs_no_guard_whatever_the_start_method(tmp_path):
    """As Python 3.14 does, processes would be started by a fork server, which runs the script again."""
    rows = [json.dumps({"id": str(n), "prediction": "a", "references": ["a"]}) for n in range(5000)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), "utf-8")
    (tmp_path / "script.py").write_text(
        "import multiprocessing, steelyard\nmultiprocessing.set_start_method('forkserver')\n"
        "print(steelyard.evaluate_answers('rows.jsonl', None, ['EM'], engine='local').mean('EM'))\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("1.0\n", "")
