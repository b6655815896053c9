"""`steelyard demo`: the first five minutes, without a key and without a network."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option

RUNS = ("run_b.txt", "run_a.txt", "run_c.txt")
METRICS = "nDCG@10,AP,RR,R@20,P@5,Success@1"

_INTRODUCTION = {
    "en": "Three invented search systems, {queries} invented legal questions; run_b is the baseline.",
    "zh": "三个虚构检索系统，{queries} 个虚构法律问题；run_b 为基线。",
}


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "demo", help="the first five minutes: no key, no network", description="Weigh and compare the bundled samples."
    )
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Weigh the samples, and say which command did it."""
    from steelyard.cli.parser import build_parser
    from steelyard.errors import SteelyardError

    folder = samples()
    if not folder.is_dir():
        raise SteelyardError("the sample files are missing", where=str(folder), hint="install steelyard again")
    files = [str(folder / name) for name in ("qrels.txt", *RUNS)]
    words = ["retrieval", *files, "-m", METRICS, "--lang", arguments.lang]
    queries = (folder / "queries.jsonl").read_bytes().count(b"\n")
    sys.stdout.write(_INTRODUCTION[arguments.lang].format(queries=queries) + "\n\n")
    sys.stdout.write(f"$ steelyard {' '.join(_shown(word) for word in words)}\n\n")
    sys.stdout.flush()
    command = build_parser().parse_args(words)
    code: int = command.run(command)
    return code


def samples() -> Path:
    """Where the sample files are: inside the installed package, or beside the sources."""
    package = Path(__file__).parents[1]
    installed = package / "samples"
    return installed if installed.is_dir() else package.parents[1] / "data"


def _shown(word: str) -> str:
    here = Path.cwd()
    path = Path(word)
    near = path.is_absolute() and path.is_relative_to(here) and here != Path(here.anchor)
    return shlex.quote(str(path.relative_to(here)) if near else word)
