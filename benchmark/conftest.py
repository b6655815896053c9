"""`pytest benchmark/`: one test per question, against the system that STEELYARD_SYSTEM names.

Without one the built-in baseline is weighed, which is no perfect system: its tests say what it scored and never fail on
a low score, only on an error.
"""

import json
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))


def pytest_addoption(parser):
    parser.addoption("--system", default=os.environ.get("STEELYARD_SYSTEM"), help="the system under test")


@pytest.fixture(scope="session")
def results(request):
    """What every chosen question came to, by id; only those are asked."""
    from benchmark.test_runner import BenchmarkRunner

    system = request.config.getoption("--system")
    chosen = [item.callspec.params["question"] for item in request.session.items if hasattr(item, "callspec")]
    summary = BenchmarkRunner(FOLDER).run_benchmark(system or "builtin:baseline", ids=chosen)
    return {result["id"]: result for result in summary["individual_results"]}


def pytest_generate_tests(metafunc):
    if "question" in metafunc.fixturenames:
        files = [json.loads(path.read_text("utf-8")) for path in sorted((FOLDER / "questions").glob("*.json"))]
        pairs = [(each.get("type", file["benchmark_type"]), each["id"]) for file in files for each in file["questions"]]
        metafunc.parametrize("question", [each for _, each in pairs], ids=[f"{kind}-{each}" for kind, each in pairs])
