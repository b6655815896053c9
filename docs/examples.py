"""Run the examples of the pages, and write what they print into the pages.

`python docs/examples.py` refreshes the pages. On a page, in order:

- A block with a title, such as `json title="answers.jsonl"`, is a file of the reader.
- In a block `console` a line `$ steelyard …` is a command and the lines below it are what it prints; with nothing below
  it is only run. A line `…` stands for any lines, `…` at the end of a line for its rest; lines longer than WIDTH are
  cut. `| head -N` keeps the first lines of standard output; `$ echo $?` prints the exit code. Other commands, and those
  that run until they are stopped, are left as they are. After `sample -o NAME.html` there is a review, NAME.jsonl.
- In a block without a language, lines that begin with `steelyard` and a command of RUN are run and must succeed.
- A block `text` directly after a block `python` is what the code prints.

Commands run in a folder with a copy of COPIED and an empty folder OUT, code runs in the root of the sources.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
PAGES = [*sorted(ROOT.glob("README*.md")), *sorted(FOLDER.glob("*/**/*.md"))]
WIDTH = 150
COPIED = ("data", "examples", "prompt", "benchmark", "tests/checks/data")
MORE = "…"
OPINIONS = {"interrogation_gap_006": False, "contract_fact_007": False, "interrogation_gap_010": None}
"""What the reviewer of a sample does not agree with (False), or is unsure of (None)."""
TIME = re.compile(r"\d{8}_\d{6}")
RUN = ("answers", "bench", "compare", "demo", "gate", "metrics", "report", "retrieval", "run", "validate")
Run = Callable[[list[str], Path, dict[str, str]], tuple[int, str, str]]
"""Runs a command in a folder with an environment; returns its exit code, standard output and standard error."""

_BLOCK = re.compile(r'^```(?P<kind>\w*)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_CODE = re.compile(
    r"^```python\n(?P<code>(?:(?!```).*\n)*)```\n\n```text\n(?P<text>(?:(?!```).*\n)*)```$", re.MULTILINE
)


def console(page: str, run: Run, folder: Path, environment: dict[str, str]) -> str:
    """Return a page in which every command is followed by what it prints now; files of the page are written."""

    def refreshed(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"], "utf-8")
        if not block["kind"]:
            _succeed(block["text"], run, folder, environment)
        if block["kind"] != "console":
            return block[0]
        return f"```console\n{_session(block['text'], run, folder, environment)}```"

    return _BLOCK.sub(refreshed, page)


def _succeed(block: str, run: Run, folder: Path, environment: dict[str, str]) -> None:
    for line in block.splitlines():
        words = shlex.split(line, comments=True) if line.startswith("steelyard ") else []
        if words[1:2] and words[1] in RUN:
            code, out, err = run(words[1:], folder, environment)
            if code:
                raise ValueError(f"{line}: exit code {code}\n{out}{err}")


def _session(block: str, run: Run, folder: Path, environment: dict[str, str]) -> str:
    lines, code = [], 0
    for command, below in _COMMAND.findall(block):
        shown = below.splitlines()
        words, _, limit = command.partition(" | head -")
        if words == "echo $?":
            shown = [str(code)]
        elif _is_run(words):
            code, out, err = run(shlex.split(words)[1:], folder, environment)
            shown = _refreshed(shown, out, err, int(limit) if limit else None)
            if words.startswith("steelyard sample ") and words.endswith(".html"):
                _review(shlex.split(words.removesuffix("html") + "jsonl")[1:], run, folder, environment)
        lines += [f"$ {command}", *shown]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _refreshed(shown: list[str], out: str, err: str, limit: int | None) -> list[str]:
    """Return the lines below a command: as they are if the command prints them, else what it prints."""
    if limit is not None:
        return [_cut(line) for line in out.splitlines()[:limit]]
    if not shown or any(_is_shown(shown, text) for text in (out, err, out + err, err + out)):
        return shown
    printed = [_cut(line) for line in (out + err).rstrip("\n").splitlines()]
    return [*printed[: len(shown) - 1], MORE] if MORE in shown else printed


def _review(words: list[str], run: Run, folder: Path, environment: dict[str, str]) -> None:
    """Write the review that a reader of a page has been sent back."""
    run(words, folder, environment)
    path = folder / words[-1]
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        opinion = OPINIONS.get(line["id"], True)
        line.update(agree=opinion, unsure=opinion is None, reviewer="lawyer")
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")


def _is_shown(shown: list[str], printed: str) -> bool:
    """Return whether lines are what a command printed, apart from what `…` stands for and from times."""
    lines = (_line(TIME.sub("TIME", line.rstrip())) for line in shown)
    text = "".join(f"{TIME.sub('TIME', line.rstrip())}\n" for line in printed.rstrip("\n").splitlines())
    return re.fullmatch("".join(lines), text) is not None


def _line(shown: str) -> str:
    """Return the pattern of a line; `…` for any lines, or for the rest of one."""
    if shown == MORE:
        return r"(?:.*\n)*?"
    return f"{re.escape(shown.removesuffix(MORE))}{'.*' if shown.endswith(MORE) else ''}\n"


def _is_run(words: str) -> bool:
    return words.startswith("steelyard ") and words.split()[1] not in ("view", "serve")


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + MORE


def prepare(folder: Path) -> None:
    """Put into a folder what the commands of pages expect in theirs."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)
    (folder / "OUT").mkdir()


def code_blocks(page: str) -> list[tuple[str, str]]:
    """Return each block of Python code that has an output, with the output."""
    return [(match["code"], match["text"]) for match in _CODE.finditer(page)]


def with_outputs(page: str, printed: list[str]) -> str:
    """Return a page with other outputs of its code, in order."""
    outputs = iter(printed)
    return _CODE.sub(lambda match: f"```python\n{match['code']}```\n\n```text\n{next(outputs)}```", page)


def language(page: Path) -> dict[str, str]:
    """Return the environment of a reader of a page."""
    is_chinese = FOLDER / "zh" in page.parents or page.name.endswith(".zh.md")
    return {"LANG": "zh_CN.UTF-8" if is_chinese else "en_GB.UTF-8"}


def _run(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "steelyard", *words]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=-1, stderr=-1, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def _printed(code: str, before: str, environment: dict[str, str]) -> str:
    """Return what code prints; what the page has, if a package that the code imports is not installed."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=-1, stderr=-1, check=False)
    if done.returncode and b"ModuleNotFoundError" in done.stderr:
        return before
    done.check_returncode()
    return done.stdout.decode("utf-8")


def _refresh(path: Path) -> None:
    settings = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LC_MESSAGES")}
    sources = os.pathsep.join([str(ROOT / "src"), *filter(None, [settings.get("PYTHONPATH")])])
    environment = {**settings, "PYTHONPATH": sources, "PYTHONIOENCODING": "utf-8", **language(path)}
    page = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        page = console(page, _run, Path(name), environment)
    printed = [_printed(code, before, environment) for code, before in code_blocks(page)]
    path.write_text(with_outputs(page, printed), "utf-8")


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
        _refresh(path.resolve())
