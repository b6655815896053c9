"""Limits: what is above one is refused with its value, and the environment raises it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import steelyard
from steelyard import limits
from steelyard.errors import ConfigError, InputError
from steelyard.stats.compare import ComparisonSettings
from steelyard.stats.intervals import mean_interval
from steelyard.systems.ask import AskSettings
from steelyard.systems.base import SystemSettings

ROOT = Path(__file__).parents[1]


@pytest.fixture
def restored():
    before = {name: limit.value for name, limit in limits.LIMITS.items()}
    yield
    for name, value in before.items():
        limits.LIMITS[name].value = value


def test_what_is_above_a_limit_is_refused_with_its_value_and_how_to_raise_it():
    limits.RESAMPLES.check(10_000_000, "n")
    with pytest.raises(InputError) as caught:
        limits.RESAMPLES.check(10**30, "n", error=InputError, where="p.yaml:3")
    assert str(caught.value) == (
        "p.yaml:3: n is above the limit of 10,000,000 (about 1e30)\nhint: to raise the limit, set STEELYARD_RESAMPLES"
    )


@pytest.mark.usefixtures("restored")
def test_the_environment_raises_limits():
    limits.read_environment({"STEELYARD_RESAMPLES": "2e7", "STEELYARD_JUDGING_SECONDS": "0.5", "STEELYARD_OTHER": "x"})
    assert (limits.RESAMPLES.value, limits.JUDGING_SECONDS.value) == (20_000_000, 0.5)
    limits.RESAMPLES.check(20_000_000, "n")


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("text", ["x", "0", "-1", "nan", "inf", "1" * 50])
def test_a_limit_is_a_number_above_nought(text):
    with pytest.raises(ConfigError, match=r"^STEELYARD_RETRIES: a limit must be a number above 0, not "):
        limits.read_environment({"STEELYARD_RETRIES": text})


@pytest.mark.parametrize(
    "make",
    [
        lambda: ComparisonSettings(resamples=10**30),
        lambda: mean_interval(np.array([0.0, 1.0]), resamples=10**30),
        lambda: steelyard.compare(None, None, resamples=10**30),
        lambda: AskSettings(concurrency=1_000_000),
        lambda: AskSettings(rate=1e-300),
        lambda: AskSettings(retries=10**9),
        lambda: AskSettings(timeout=1e300),
        lambda: SystemSettings(timeout=1e300),
    ],
)
def test_numbers_from_outside_have_limits(make):
    with pytest.raises(ConfigError, match="is above the limit of"):
        make()


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, 0.0])
def test_a_rate_is_a_number_above_nought(rate):
    with pytest.raises(ConfigError, match="timeout and rate must be above 0"):
        AskSettings(rate=rate)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-j", "1000000"], "must be at most 1,024 (to raise the limit, set STEELYARD_CONCURRENCY)"),
        (["--rate", "1e-300"], "must be at least 1/3600"),
        (["--rate", "nan"], "must be a number above 0, not 'nan'"),
        (["--timeout", "inf"], "must be a number of seconds above 0, not 'inf'"),
        (["--timeout", "1e9"], "must be at most 86,400 (to raise the limit, set STEELYARD_TIMEOUT_SECONDS)"),
        (["--retries", "1000000"], "must be at most 100 (to raise the limit, set STEELYARD_RETRIES)"),
        (["--limit", "9" * 5000], "must be between 1 and 1,000,000,000,000, not 999"),
    ],
)
def test_options_have_limits(words, message, capsys):
    from steelyard.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["bench", "--system", "builtin:baseline", *words])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_line_reads_the_environment(tmp_path):
    words = [sys.executable, "-m", "steelyard", "bench", "--system", "builtin:baseline", "--limit", "1"]
    words += ["-j", "2", "-o", str(tmp_path / "r.jsonl")]
    done = [
        subprocess.run(
            words, cwd=ROOT, env={"STEELYARD_CONCURRENCY": limit, "PYTHONPATH": "src"}, capture_output=True, check=False
        ).returncode
        for limit in ("1", "2")
    ]
    assert done == [2, 0]
