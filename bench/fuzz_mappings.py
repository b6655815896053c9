"""Dictionaries for the compiled kernel: `python -m bench.fuzz_mappings [-n 2000000] [--seed 1]`.

The module of the kernel is compiled under AddressSanitizer and UndefinedBehaviorSanitizer, and a process with it reads
generated dictionaries, regular and odd ones; what it takes, and what it refuses, is compared with a plain reading. Any
error ends the program. Needs a compiler with sanitizers, on Linux.
"""

import argparse
import importlib
import os
import random
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

from bench.fuzz_native import ROOT, SANITIZERS

IDS = ("", "d1", "d2", "FR94-1234567", "x" * 300, "a\0b", "\x7f", "~", "0")
VALUES = (0.0, -0.0, -1.0, -1, 1.5, float("inf"), float("nan"), 5e-324, 0, 7, 2**53 + 1, 10**300)
ODD_IDS = ("é", "文书", "😀", "\ud800", 7, b"d1", None, type("Name", (str,), {})("d3"))
ODD_VALUES = (None, True, "1", 10**400, -(10**400), type("Score", (float,), {})(1.0), 1j)


def main() -> int:
    """Compile, and run the process that reads; its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=2_000_000, help="lists of dictionaries")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help=argparse.SUPPRESS)  # of the module, for the process that reads
    options = parser.parse_args()
    if options.folder:
        print(_read(options.folder, options.n, random.Random(options.seed)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        module = str(Path(folder) / "_native.abi3.so")
        sources = map(str, (ROOT / "native").glob("*.c"))
        compiler = os.environ.get("CC") or "cc"
        include = f"-I{sysconfig.get_paths()['include']}"
        subprocess.run(
            [compiler, "-std=c11", *SANITIZERS, "-fPIC", "-shared", include, *sources, "-o", module], check=True
        )
        words = ("-m", "bench.fuzz_mappings", "-n", str(options.n), "--seed", str(options.seed), "--folder", folder)
        return subprocess.run([sys.executable, *words], env=_environment(compiler), cwd=ROOT, check=False).returncode


def _environment(compiler: str) -> dict[str, str]:
    """Python with the sanitizer, which sees every object, because each is allocated by itself."""
    found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    sanitizer = {"LD_PRELOAD": found.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    return {**os.environ, **sanitizer, "PYTHONMALLOC": "malloc"}


def _read(folder: str, count: int, choose: random.Random) -> str:
    sys.path.insert(0, folder)
    native = importlib.import_module("_native")
    taken = 0
    for _ in range(count):
        mappings = [_mapping(choose) for _ in range(choose.randrange(4))]
        found, expected = native.mapping_columns(mappings), _columns(mappings)
        if found != expected:
            raise SystemExit(f"{mappings!r}: {found!r} instead of {expected!r}")
        taken += found is not None
    return f"{count} lists of dictionaries ({taken} taken); no error"


def _mapping(choose: random.Random) -> Any:
    """Return a dictionary, most often a regular one; some have had more entries than they have."""
    odd = choose.random() < 0.2
    ids, values = (IDS + ODD_IDS, VALUES + ODD_VALUES) if odd else (IDS, VALUES)
    rows = choose.randrange(12) if choose.random() < 0.9 else choose.randrange(200)
    made = {choose.choice(ids): choose.choice(values) for _ in range(rows)}
    made.update((f"{n:x}" * (1 + n % 20), n / 7) for n in range(rows))
    for key in choose.sample(list(made), choose.randrange(len(made) + 1) if choose.random() < 0.3 else 0):
        del made[key]
    return choose.choice((OrderedDict, Counter, list))(made) if choose.random() < 0.02 else made


def _columns(mappings: list[Any]) -> tuple[bytes, bytes] | None:
    if any(type(mapping) is not dict for mapping in mappings):
        return None
    rows = [row for mapping in mappings for row in mapping.items()]
    if not all(type(key) is str and key.isascii() and type(value) in (float, int) for key, value in rows):
        return None
    try:
        values = [float(value) for _, value in rows]
    except OverflowError:
        return None
    return "".join(f"{key}\0" for key, _ in rows).encode(), struct.pack(f"={len(values)}d", *values)


if __name__ == "__main__":
    sys.exit(main())
