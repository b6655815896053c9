"""Mutated inputs for the compiled kernel: `python -m bench.fuzz_native [-n 10000000] [--seed 1]`.

`fuzz_native.c` is compiled together with the kernel, without Python, under AddressSanitizer and
UndefinedBehaviorSanitizer. Blocks of run lines (in order, and of interleaved queries), columns, numbers, pairs of
texts and texts in pieces are written, damaged and torn; what the kernel takes is compared with a plain reading.
Any error ends the program. Needs a compiler with sanitizers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SMALL = "-DAHEAD=128"  # so that short blocks are read in several parts


def main() -> int:
    """Compile and run; the exit code of the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=10_000_000, help="inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="standard C only: neither SSE2 nor builtins of a compiler")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "fuzz_native")
        compile_program(program, SMALL, *(("-DSTEELYARD_PLAIN",) if options.plain else ()))
        return subprocess.run([program, str(options.n), str(options.seed)], check=False).returncode


def compile_program(target: str, *flags: str) -> None:
    """Build the kernel with its inputs as one program."""
    native = ROOT / "native"
    sources = [ROOT / "bench" / "fuzz_native.c", *(path for path in native.glob("*.c") if path.name != "module.c")]
    compiler = os.environ.get("CC") or "cc"
    subprocess.run(
        [compiler, "-std=c11", *SANITIZERS, *flags, f"-I{native}", *map(str, sources), "-o", target], check=True
    )


if __name__ == "__main__":
    sys.exit(main())
