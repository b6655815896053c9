"""Runs that are killed lose no reply: see `bench.judge_kill`, which does it fifty times."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_run_that_is_killed_pays_for_no_reply_twice():
    done = subprocess.run(
        [sys.executable, "-m", "bench.judge_kill", "5"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "0 replies of the journal asked again" in done.stdout
