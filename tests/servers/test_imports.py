"""What a pipeline imports: the legal judge only where a step asks for it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from steelyard.cli import main
code = main(sys.argv[1:])
print(*(name for name in sys.modules if name.startswith("steelyard.legal")), file=sys.stderr)
sys.exit(code)
"""


def legal_modules(pipeline, folder):
    """The modules of the legal benchmark that a run has imported."""
    for name in ("data", "examples", "prompt"):
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-c", PROGRAM, "run", f"examples/{pipeline}.yaml"]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return process.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("pipeline", ["eval_trec", "eval_trec_pvalue", "evaluate_results", "rag_full"])
def test_no_legal_module_is_imported_unless_a_step_needs_it(pipeline, tmp_path):
    assert legal_modules(pipeline, tmp_path) == []


def test_the_legal_judge_is_imported_for_legal_answers(tmp_path):
    assert "steelyard.legal.benchmark.runner" in legal_modules("legal", tmp_path)
