"""`python -m bench.answers`: time answer metrics beside their peers and write explanation/performance.md."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from bench.machine import render_machine
from bench.markdown import NOTHING, render_grid, render_paragraph, show_ratio, show_seconds
from bench.pages import pages_of, with_lower_headings, write_part
from bench.processes import ProcessFailed, run_python
from bench.progress import report
from bench.texts import TextSet, write_rows

PART: Final = "answers"
TITLE: Final = "## Answers"
PACKAGES: Final = ("numpy", "rjieba", "rouge-score", "rouge-score-rs", "rouge-chinese", "jieba")
OPTIONAL: Final = ("torchmetrics", "evaluate")  # they bring PyTorch, or a download from a hub
ROUNDS: Final = 3

SHORT: Final = TextSet("short", 10_000, 4)
LONG: Final = TextSet("long", 10_000, 60)
PROSE: Final = tuple(TextSet(f"prose{share}", 10_000, 60, marked=share / 100) for share in (15, 58, 100))
CHINESE: Final = TextSet("chinese", 10_000, 60, chinese=True)
MILLION: Final = TextSet("million", 1_000_000, 4)
TENFOLD: Final = TextSet("tenfold", 10_000_000, 4)
COMMAND: Final = "steelyard answers FILE --json"

# of each set: who scores it, and how many rows of it; what takes milliseconds a row is given fewer
ENGLISH: Final = {
    "steelyard": 10_000,
    "steelyard --profile ultrarag": 10_000,
    "steelyard --profile squad": 10_000,
    "steelyard --profile rouge-score": 10_000,
    "steelyard --profile rouge-score-stemmed": 10_000,
    "the same, three metrics": 10_000,
    "rouge_score": 1_000,
    "rouge_score_rs": 10_000,
    "torchmetrics": 300,
    "evaluate": 1_000,
    "reference loop": 1_000,
}
RACES: Final[Mapping[TextSet, Mapping[str, int]]] = {
    LONG: ENGLISH,
    **dict.fromkeys(PROSE, ENGLISH),
    SHORT: ENGLISH,
    CHINESE: {
        "steelyard": 10_000,
        "steelyard --profile rouge-jieba": 10_000,
        "steelyard --profile rouge-chinese": 10_000,
        "the same, ROUGE alone": 10_000,
        "rouge_chinese": 1_000,
    },
}
PEERS: Final = ("rouge_score", "rouge_score_rs", "reference loop", "rouge_chinese")  # with a column of ratios
# means that must be equal before anything is timed: who, the beginning of its means, the peer
EQUAL: Final = {
    "steelyard --profile ultrarag": ("reference loop", 0),
    "steelyard --profile rouge-score-stemmed": ("rouge_score", 5),
    "the same, three metrics": ("rouge_score", 0),
    "steelyard --profile rouge-chinese": ("rouge_chinese", 5),
}

HEAD: Final = """
Made by `{command}` on {today}; do not edit. Times vary from machine to machine and with whatever else is
running; what counts are the ratios within a table."""
RULES: Final = """
Steelyard computes eight metrics (Acc, EM, StringEM, CoverEM, F1, ROUGE-1, ROUGE-2, ROUGE-L), without intervals;
the others what their names say: rouge_score, rouge_score_rs, torchmetrics, evaluate and rouge_chinese (with jieba)
three kinds of ROUGE, the reference loop (`tests/reference/answers.py`) eight metrics as UltraRAG has them. Ratios are
those of all metrics that each computes; the second column divides by their number. Texts are in memory and libraries
imported; each run is a fresh process with nothing remembered. Times are CPU time, the best of {rounds} rounds, in which
the programs take turns. Slow programs score the first rows only. Before timing, means over the same rows were compared:
{agreement}. {absent}"""
TEXTS: Final = """
The words of `long`, `short` and `chinese` are invented, with frequencies that fall as in real text. The prose is made
of sentences of the docstrings of Python's own library, which are ASCII; in 15, 58 or 100 % of the rows quotation marks,
apostrophes, dashes and points of omission are set as in print, and one text in ten of these ends with a name that has
accents."""
WHOLE: Final = """
Fresh processes from file to JSON, with intervals, wall clock: what a user waits. Reading is JSONL; nothing is
compiled, kept on disk or left running. Ten million rows are timed by `python -m bench.answers --scale` only, once."""


@dataclass(frozen=True, slots=True)
class Lap:
    """Microseconds of CPU time a row, and the means."""

    microseconds: float
    means: tuple[float, ...]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m bench.answers", description="Time answer metrics beside their peers.")
    parser.add_argument("--quick", action="store_true", help="few rows, one round: see that everything runs")
    parser.add_argument("--scale", action="store_true", help="time 10 million rows too (1.2 GB on disk)")
    arguments = parser.parse_args(argv)
    quick = arguments.quick
    command = "python -m bench.answers --scale" if arguments.scale else "python -m bench.answers"
    head = HEAD.format(command=command, today=date.today().isoformat())
    chapters = [render_paragraph(head)]
    chapters.append(render_paragraph(render_machine(PACKAGES)))
    absent = _absent()
    said = f"Not measured here: {'; '.join(f'{name} ({why})' for name, why in absent.items())}." if absent else ""
    rules = RULES.format(rounds=1 if quick else ROUNDS, agreement=_agreement(quick), absent=said)
    chapters += ["## Metrics alone", render_paragraph(rules), render_paragraph(TEXTS)]
    for texts, contestants in RACES.items():
        present = {name: rows for name, rows in contestants.items() if name not in absent}
        chapters.append(_render_race(texts, present, quick))
    chapters += ["## The whole command", render_paragraph(WHOLE), _render_command(quick, arguments.scale)]
    text = "\n\n".join([TITLE, *map(with_lower_headings, chapters)])
    print(text)
    for page in () if quick else pages_of("explanation/performance.md"):
        write_part(page, PART, text)


def _absent() -> dict[str, str]:
    """Return the programs that cannot run here, and why."""
    write_rows(SHORT)
    absent = {}
    for name in OPTIONAL:
        try:
            _lap(name, SHORT, 2)
        except ProcessFailed as error:
            absent[name] = str(error).rpartition(": ")[2].rstrip(".")
    return absent


def _agreement(quick: bool) -> str:
    """Compare means over equal rows, and say the largest difference."""
    largest = 0.0
    for texts, contestants in RACES.items():
        for name in EQUAL.keys() & contestants.keys():
            peer, skipped = EQUAL[name]
            rows = 100 if quick else 1_000
            ours, theirs = _lap(name, texts, rows).means, _lap(peer, texts, rows).means
            largest = max([largest, *(abs(a - b) for a, b in zip(ours[skipped:], theirs, strict=True))])
    if largest > 1e-9:
        raise SystemExit(f"means differ by {largest:g}")
    return f"largest difference {largest:.1g}"


def _render_race(texts: TextSet, contestants: Mapping[str, int], quick: bool) -> str:
    turns = [
        {name: _lap(name, texts, rows // (100 if quick else 1)) for name, rows in contestants.items()}
        for _ in range(1 if quick else ROUNDS)
    ]
    best = {name: min(turn[name].microseconds for turn in turns) for name in contestants}
    peers = [name for name in contestants if name in PEERS]
    rows = [
        (
            name,
            f"{best[name]:,.1f}",
            f"{best[name] / len(turns[0][name].means):,.1f}",
            *(show_ratio(best[peer] / best[name]) for peer in peers),
            f"{contestants[name]:,}",
        )
        for name in contestants
    ]
    header = ("program", "µs a row", "µs a row and metric", *(f"times as fast as {peer}" for peer in peers), "rows")
    share = "" if texts.marked is None else f", {texts.marked:.0%} of the rows not ASCII"
    return f"### {texts.name}: about {texts.words} words{share}\n\n{render_grid(header, rows)}"


def _lap(name: str, texts: TextSet, rows: int) -> Lap:
    write_rows(texts)
    found = json.loads(run_python(("-m", "bench.answer_contestants", name, str(texts.path), str(rows))).output)
    lap = Lap(found["cpu"] / found["rows"] * 1e6, tuple(found["means"]))
    report(f"{texts.name}: {name} {lap.microseconds:,.1f} µs a row")
    return lap


def _render_command(quick: bool, scale: bool) -> str:
    commands = [(LONG, 1), (PROSE[1], 1), (SHORT, 1), (CHINESE, 1), (MILLION, 1), (MILLION, 2)]
    commands += [(TENFOLD, 1), (TENFOLD, 2)] if scale else []
    rows = [_command_row(texts, processes, quick) for texts, processes in commands]
    return render_grid((f"`{COMMAND}`", "seconds", "µs a row", "peak MB"), rows)


def _command_row(texts: TextSet, processes: int, quick: bool) -> tuple[str, ...]:
    sized = replace(texts, rows=texts.rows // 100) if quick else texts
    write_rows(sized)
    words = ("-m", "steelyard", "answers", str(sized.path), "--json", "-j", str(processes))
    done = [run_python(words) for _ in range(1 if quick or texts is TENFOLD else ROUNDS)]
    seconds, peak = min(found.seconds for found in done), min(found.peak_bytes for found in done)
    report(f"{sized.name} -j {processes}: {seconds:.2f} s, {peak / 1e6:.0f} MB")
    shown = f"{sized.rows:,} {'short' if texts in (MILLION, TENFOLD) else texts.name} rows, -j {processes}"
    a_row = f"{seconds / sized.rows * 1e6:,.1f}"
    return shown, show_seconds(seconds), a_row, f"{peak / 1e6:.0f}" if processes == 1 else NOTHING


if __name__ == "__main__":
    main()
