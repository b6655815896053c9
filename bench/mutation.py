"""`python -m bench.mutation FILE...`: change the source of metrics and statistics; do the tests see it?

The changes are those of mutmut (pip install mutmut==3.8.1), whose runner leaves out functions with a decorator, so all
metrics. Here each is tried in a fork, on the tests that reach its line. Annotations, decorators, errors, messages and
names declared `Final` stay as they are. Once before it, to know which test reaches which line, into `.coverage`:
`STEELYARD_PURE=1 pytest -n0 -m "not slow" --cov --cov-context=test tests/stats tests/answers ...`
"""

import argparse
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import machinery
from pathlib import Path
from typing import Any, Final

import libcst
import pytest
from coverage import CoverageData
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

ROOT: Final = str(Path(__file__).parents[1])
LOADER: Final[Any] = machinery.SourceFileLoader
FEW, MOST_TESTS, SECONDS = 5, 200, 40


def _changes(node: Any, lines: Any, line: int = 1) -> Iterator[tuple[int, Any, Any]]:
    """Yield (line, node, what mutmut would put in its place), for the node and all below it."""
    is_call = isinstance(node, libcst.Call) and getattr(node.func, "value", "") in ("Message", "len", "isinstance")
    is_final = isinstance(node, libcst.AnnAssign) and ": Final" in libcst.Module([]).code_for_node(node)
    if is_call or is_final or isinstance(node, libcst.Annotation | libcst.Decorator | libcst.Raise):
        return
    line = lines[node].start.line if node in lines else line
    for kind, operator in mutation_operators:
        yield from ((line, node, changed) for changed in operator(node)) if isinstance(node, kind) else ()
    for child in node.children:
        yield from _changes(child, lines, line)


def _verdict(path: Path, source: str, tests: list[str]) -> str:
    """Run the tests in a fork, where the module at the path has this source."""
    if (child := os.fork()) == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        changed, plain = compile(source, path, "exec", dont_inherit=True), LOADER.get_code
        LOADER.get_code = lambda self, name: changed if self.path == str(path) else plain(self, name)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(ROOT) and name != "__main__":
                del sys.modules[name]
        os._exit(int(pytest.main(["-x", "-n0", "--assert=plain", f"--timeout={SECONDS}", *tests])))
    status = os.waitpid(child, 0)[1]
    return "timeout" if os.WIFSIGNALED(status) else "killed" if status else "survived"


def measure(path: Path, contexts: dict[int, list[str]], sample: int, seed: int) -> None:
    """Count the verdicts on at most so many changes of a file; print those that no test sees."""
    wrapper, own = MetadataWrapper(libcst.parse_module(path.read_text(encoding="utf-8"))), f"test_{path.stem}"
    reach = {line: {name.rpartition("|")[0] for name in names if name} for line, names in contexts.items()}
    reach[0] = set().union(*reach.values())
    changes = list(_changes(wrapper.module, wrapper.resolve(PositionProvider)))
    counts = Counter(
        changes=len(changes), faulty=_verdict(path, wrapper.module.code, sorted(reach[0])[:MOST_TESTS]) == "killed"
    )
    for line, node, changed in random.Random(seed).sample(changes, min(sample, len(changes))):
        near, source = reach.get(line, set()), wrapper.module.deep_replace(node, changed)
        tests = near if len(near) >= FEW else reach[0]  # what runs at the import is near to tests that import it again
        first = sorted(tests, key=lambda name: (name not in near, own not in name, name))[:MOST_TESTS]
        counts[verdict := _verdict(path, getattr(source, "code", ""), first)] += 1
        if verdict != "killed":
            texts = (" ".join(wrapper.module.code_for_node(each).split()) for each in (node, changed))
            print(f"{path.name}:{line}: {verdict}: {' -> '.join(texts)}", flush=True)
    print(path.name, dict(counts), flush=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--sample", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    os.environ.update(CI="1", STEELYARD_PURE="1")
    (data := CoverageData(os.environ.get("COVERAGE_FILE"))).read()
    pytest.main(["--collect-only", "-qq", "-n0", "tests/stats", "tests/answers"])  # imports the packages once
    for file in map(Path.resolve, given.files):
        measure(file, data.contexts_by_lineno(str(file)), given.sample, given.seed)
