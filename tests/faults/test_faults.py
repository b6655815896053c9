"""No call that touches files loses anything when it fails: see `faults.sweep`. All points: `make exhaustive`."""

import os
import subprocess
import sys

import pytest
from commands import ROOT
from faults.scenarios import SCENARIOS
from platforms import linux

pytestmark = [linux, pytest.mark.slow]


def sweep(*words: object) -> tuple[int, str]:
    """Sweep in a process of its own: it forks, and has no threads."""
    command = [sys.executable, "-m", "faults.sweep", *map(str, words)]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True, check=False)
    sys.stdout.write(done.stdout)
    return done.returncode, done.stdout


def test_nothing_is_lost_at_some_points():
    code, out = sweep("-n", 1)
    assert code == 0, out
    assert out.count("3 points swept, 0 lost") == len(SCENARIOS)


def test_a_file_that_is_not_replaced_whole_is_found():
    code, out = sweep("not atomic")
    assert code == 1
    assert "o.txt is neither the old nor the new file" in out


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_lost_at_any_point(name):
    code, out = sweep(name)
    assert code == 0, out
