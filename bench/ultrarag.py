"""`python -m bench.ultrarag CHECKOUT`: build and run every pipeline of an UltraRAG checkout with a stub for a model.

Each pipeline is built, its parameters are filled in, and it is run, all by the command line in a copy of the checkout;
no network is used but this machine's own. The table says what runs, what is refused and why. `--write FILE` puts it
into a document between its marks; `--matrix --upstream-python PYTHON` compares clients and servers of both projects.
"""

import argparse
import os
import re
import shutil
import string
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.pages import write_part
from bench.processes import PROJECT
from bench.progress import report
from bench.ultrarag_project import INDEXING, Shipped, copy_checkout, edit_parameters, prepare_servers, shipped
from bench.ultrarag_stub import Model, read_templates, serving
from steelyard.errors import ConfigError
from steelyard.i18n.catalogue import texts

SECONDS: Final = 600.0
REFUSALS: Final = ("pipelines.missing_tool", "pipelines.missing_server", "rag.backend_not_offered")
"""The codes of the messages by which a pipeline is refused before it starts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a pipeline: whether it runs, is refused or fails, the message, and where its files are."""

    pipeline: Shipped
    state: str
    message: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Party:
    """A client with servers: the commands of the client, the environment, and whose servers a project has."""

    name: str
    client: tuple[str, ...]
    options: tuple[str, ...] = ()
    path: str = ""
    our_servers: bool = False
    upstream: bool = False

    def environment(self) -> dict[str, str]:
        """Return the environment of a client: the python that it starts servers by comes first."""
        before = f"{self.path}{os.pathsep}" if self.path else ""
        known = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        fixed = {"PYTHONPATH": str(PROJECT / "src"), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", "no_proxy": "*"}
        return {**known, "PATH": before + os.environ["PATH"], **fixed}


OURS: Final = Party("Steelyard", (sys.executable, "-m", "steelyard"), path=str(Path(sys.executable).parent))


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parser().parse_args(argv)
    if arguments.matrix:
        from bench.ultrarag_matrix import render_matrix

        name, text = "matrix", render_matrix(arguments)
    else:
        wanted = [each for each in shipped(arguments.checkout) if not arguments.only or each.name in arguments.only]
        keep = arguments.keep / "table" if arguments.keep else None
        outcomes = list(run_all(arguments.checkout, OURS, wanted=wanted, mixed=True, keep=keep))
        name, text = "table", render_table(outcomes)
    print(text)
    if arguments.write:
        write_part(arguments.write, name, text)


def run_all(
    checkout: Path, party: Party, *, wanted: Sequence[Shipped] | None = None, mixed: bool, keep: Path | None = None
) -> Iterator[Outcome]:
    """Build and run the pipelines of a checkout, each in a copy of its own that has the indexes already."""
    model = Model(read_templates(checkout / "prompt"), mixed)
    with _folder(keep) as folder, serving(model, _port(folder)) as address:
        (folder / "address.txt").write_text(address, encoding="utf-8")
        base = folder / "base"
        if not base.exists():
            _project(checkout, base, party)
            for pipeline in (each for each in shipped(checkout) if each.name in INDEXING):
                _report(party, run_one(base, pipeline, party, address))
        for pipeline in shipped(checkout) if wanted is None else wanted:
            copy = folder / f"{pipeline.folder}_{pipeline.name}"
            if (copy / "outcome.txt").is_file():
                yield _kept(copy, pipeline)
                continue
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(base, copy)
            if pipeline.name in INDEXING:
                for made in ("index", "embedding"):
                    shutil.rmtree(copy / made, ignore_errors=True)
            outcome = run_one(copy, pipeline, party, address)
            _report(party, outcome)
            (copy / "outcome.txt").write_text(f"{outcome.state}\n{outcome.message}", encoding="utf-8")
            yield outcome


def run_one(root: Path, pipeline: Shipped, party: Party, address: str) -> Outcome:
    """Build a pipeline, fill in its parameters, run it."""
    if party.upstream or party.options or pipeline.name == "multiturn_chat":
        prepare_servers(root, pipeline, ours=party.our_servers)
    built = _command(party, "build", pipeline, root)
    if built.returncode != 0:
        return _outcome(pipeline, built, root)
    servers = {alias: str(path) for alias, path in pipeline.read(root)["servers"].items()}
    for file in _parameter_files(root, pipeline):
        edit_parameters(file, pipeline, servers, address)
    return _outcome(pipeline, _command(party, "run", pipeline, root), root)


def render_table(outcomes: Sequence[Outcome]) -> str:
    """Return the table of all pipelines, with totals."""
    counted = {state: sum(outcome.state == state for outcome in outcomes) for state in ("runs", "refused", "fails")}
    parts = f"{counted['runs']} run, {counted['refused']} are refused, {counted['fails']} fail"
    lines = ["| pipeline | outcome |", "|---|---|"]
    for outcome in outcomes:
        pipeline = outcome.pipeline
        said = f": {outcome.message}" if outcome.message else ""
        lines.append(f"| `{pipeline.folder}/{pipeline.name}` | {outcome.state}{said} |")
    return "\n".join([f"Of {len(outcomes)} pipelines {parts}.", "", *lines])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.ultrarag", description="Run UltraRAG's pipelines with Steelyard.")
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="a checkout of OpenBMB/UltraRAG")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="some pipelines, by name")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a page with marks: reference/ultrarag.md")
    parser.add_argument("--matrix", action="store_true", help="compare both clients with both sets of servers")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the projects here; what is there is not run again"
    )
    parser.add_argument("--upstream-python", type=Path, metavar="PYTHON", help="a python that has UltraRAG installed")
    return parser


def _project(checkout: Path, folder: Path, party: Party) -> None:
    copy_checkout(checkout, folder)
    if party.our_servers:
        shutil.rmtree(folder / "servers")
        shutil.copytree(
            PROJECT / "servers", folder / "servers", ignore=shutil.ignore_patterns("__pycache__", "server.yaml")
        )


def _parameter_files(root: Path, pipeline: Shipped) -> list[Path]:
    named = f"{pipeline.name}_parameter.yaml"
    return list((root / "examples" / pipeline.folder).glob(f"parameter*/{named}"))


def _command(party: Party, command: str, pipeline: Shipped, root: Path) -> subprocess.CompletedProcess[str]:
    words = [*party.client, command, pipeline.path, *party.options]
    try:
        return subprocess.run(
            words, cwd=root, env=party.environment(), capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"no end after {SECONDS:.0f} s")


def _outcome(pipeline: Shipped, done: subprocess.CompletedProcess[str], root: Path) -> Outcome:
    if done.returncode == 0:
        return Outcome(pipeline, "runs", folder=root)
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    refused = [line for line in said if any(_pattern(code).search(line) for code in REFUSALS)]
    if done.returncode == ConfigError.exit_code and refused:
        return Outcome(pipeline, "refused", _shortened(refused[0]), root)
    errors = [line for line in said if "Error" in line or "error" in line or ".yaml:" in line]
    return Outcome(
        pipeline, "fails", f"exit {done.returncode}: {_shortened((errors or said or ['no message'])[-1])}", root
    )


def _pattern(code: str) -> re.Pattern[str]:
    """Return what the English text of a code looks like with anything in its places."""
    parts = [re.escape(text) for text, *_ in string.Formatter().parse(texts("en")[code])]
    return re.compile(".+".join(parts))


def _shortened(line: str) -> str:
    """Return a message without the place at its head, on one line of a table."""
    _, _, rest = line.partition("UltraRAG has ")
    return (f"UltraRAG has {rest}" if rest else line).replace("|", "\\|")[:300]


def _kept(folder: Path, pipeline: Shipped) -> Outcome:
    """Return what came of a pipeline in an earlier run."""
    state, _, message = (folder / "outcome.txt").read_text(encoding="utf-8").partition("\n")
    return Outcome(pipeline, state, message, folder)


def _port(folder: Path) -> int:
    """Return the port of an earlier run, whose indexes know the model by its address."""
    kept = folder / "address.txt"
    return int(kept.read_text(encoding="utf-8").rpartition(":")[2]) if kept.is_file() else 0


def _report(party: Party, outcome: Outcome) -> None:
    report(f"{party.name}: {outcome.pipeline.folder}/{outcome.pipeline.name}: {outcome.state} {outcome.message}")


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


if __name__ == "__main__":
    main()
