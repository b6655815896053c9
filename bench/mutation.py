# /// script
# dependencies = ["mutmut==3.8.1", "pytest-cov"]
# ///
"""`python -m bench.mutation FILE...`: change the sources of metrics and statistics; do the tests see it?

The changes are those of mutmut. Its own runner leaves out every function with a decorator, thus all metrics; here a
changed module is compiled in a forked process, which runs the tests that reach the line. Annotations, decorators,
errors with their messages and names declared `Final` stay. With `--sample` a file has at most so many changes, drawn
with a fixed seed.
"""

import argparse
import contextlib
import importlib.machinery
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import coverage
import libcst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

ROOT: Final = Path(__file__).parents[1]
TESTS: Final = ("stats", "retrieval", "answers", "registry", "contexts", "test_compare.py", "cli/test_gate.py")

CALLS: Final = ("Message", "len", "isinstance")
MOST_TESTS, SECONDS = 200, 40


def _stays(node: Any) -> bool:
    if isinstance(node, libcst.Call):
        return getattr(node.func, "value", "") in CALLS
    is_constant = isinstance(node, libcst.AnnAssign) and ": Final" in libcst.Module([]).code_for_node(node)
    is_hint = isinstance(node, libcst.Arg) and node.keyword is not None and node.keyword.value == "hint"
    return is_constant or is_hint or isinstance(node, libcst.Annotation | libcst.Decorator | libcst.Raise)


def _changes(node: Any, lines: Any, line: int = 1) -> Iterator[tuple[int, Any, Any]]:
    """Yield (line, node, what mutmut would put in its place), for the node and all below it."""
    if _stays(node):
        return
    line = lines[node].start.line if node in lines else line
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from ((line, node, changed) for changed in operator(node))
    for child in node.children:
        yield from _changes(child, lines, line)


def _tests(path: Path, data: coverage.CoverageData) -> dict[int, list[str]]:
    """Find the tests that reach each line, those of the module's own name first; at 0 those of any line."""
    reached = {
        line: {name.split("|")[0] for name in names} for line, names in data.contexts_by_lineno(str(path)).items()
    }
    reached[0] = {name for line in reached.values() for name in line}
    own = f"test_{path.stem}.py"
    return {line: sorted(names - {""}, key=lambda name: (own not in name, name)) for line, names in reached.items()}


def _verdict(path: Path, source: str, tests: list[str]) -> str:
    """Run the tests in a fork, where the module at the path has this source."""
    if (child := os.fork()) == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        try:
            os._exit(_failed(path, compile(source, path, "exec", dont_inherit=True), tests))
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    return "timeout" if os.WIFSIGNALED(status) else "killed" if os.waitstatus_to_exitcode(status) else "survived"


def _failed(path: Path, changed: Any, tests: list[str]) -> int:
    loader: Any = importlib.machinery.SourceFileLoader
    plain = loader.get_code
    loader.get_code = lambda self, name: changed if self.path == str(path) else plain(self, name)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if file.startswith((str(ROOT / "src"), str(ROOT / "tests"))) and file.endswith(".py"):
            del sys.modules[name]
    return int(pytest.main(["-x", "-n0", f"--timeout={SECONDS * 3}", *tests]))


def measure(path: Path, data: coverage.CoverageData, sample: int | None, seed: int) -> Counter[str]:
    """Count the verdicts on the changes of a file; print those that no test sees."""
    wrapper = MetadataWrapper(libcst.parse_module(path.read_text(encoding="utf-8")))
    tests, module = _tests(path, data), wrapper.module
    changes = list(_changes(module, wrapper.resolve(PositionProvider)))
    if sample is not None and len(changes) > sample:
        changes = random.Random(seed).sample(changes, sample)
    if _verdict(path, module.code, tests[0]) != "survived":
        raise SystemExit(f"{path}: the tests fail on the source as it is")
    counts = Counter({"of": len(changes)})
    for line, node, changed in sorted(changes, key=lambda change: change[0]):
        source: Any = module.deep_replace(node, changed)
        chosen = (tests.get(line) or tests[0])[:MOST_TESTS]
        counts[verdict := _verdict(path, source.code, chosen)] += 1
        if verdict != "killed":
            before, after = (" ".join(module.code_for_node(each).split()) for each in (node, changed))
            print(f"{path.name}:{line}: {verdict}: {before} -> {after}", flush=True)
    return counts


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--sample", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--coverage", default=".coverage-mutation", help="contexts of tests; written where it is missing"
    )
    given = options.parse_args()
    os.environ.update(CI="1", STEELYARD_PURE="1", COVERAGE_FILE=given.coverage)
    os.chdir(ROOT)
    if not Path(given.coverage).exists():
        cover = ["--cov=steelyard", "--cov-context=test", "--cov-report=", "--cov-config=none"]
        pytest.main(["-n0", "-m", "not slow and not exhaustive", *cover, *(f"tests/{name}" for name in TESTS)])
        return
    data = coverage.CoverageData(given.coverage)
    data.read()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        pytest.main(["--collect-only", "-n0", *(f"tests/{name}" for name in TESTS)])  # imports the packages once
    for path in given.files:
        print(path.name, dict(measure(path.resolve(), data, given.sample, given.seed)), flush=True)


if __name__ == "__main__":
    main()
