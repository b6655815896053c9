"""`python -m bench.lawbench_models FOLDER [--write]`: every model of LawBench by task, as read, without examples.

A cell has the mean in per cent, its 95 % interval and letters: results that share a letter do not differ, by paired t
tests of every two models on the items of the task, corrected by Holm's method. `--write` puts the table into the pages.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

import steelyard
from bench.lawbench import published
from bench.pages import pages_of, write_part
from steelyard.reports.content import compare_results
from steelyard.reports.sections.leaderboard import letters_by_metric
from steelyard.stats.compare import ComparisonSettings
from steelyard.table import Table

SHOT: Final = "zero_shot"
SETTINGS: Final = ComparisonSettings(test="t")
TASKS: Final = (
    *("1-1", "1-2", "2-2", "2-3", "2-4", "2-5", "2-6", "2-7", "2-8"),
    *("3-1", "3-2", "3-3", "3-4", "3-5", "3-6", "3-7", "3-8"),
)
PUBLISHED: Final = "Published"


def column(task: str, *, folder: Path) -> tuple[str, dict[str, str], dict[str, tuple[float, float]]]:
    """Return the metric of a task, the cell of each model, and its means as published and as read."""
    paths = [each.path for each in published(folder) if (each.shot, each.task) == (SHOT, task)]
    tables = [
        steelyard.evaluate_answers(path, profile="lawbench", name=path.parent.name)
        for path in sorted(paths)
        if path.is_file()
    ]
    metric = next(name for name in tables[0].metrics if name != PUBLISHED)
    means = {table.name: (table.mean(PUBLISHED), table.mean(metric)) for table in tables}
    return metric, cells([table.only([metric]) for table in tables], metric), means


def cells(tables: Sequence[Table], metric: str) -> dict[str, str]:
    """Return the mean, the interval and the letters of each result."""
    report = compare_results(tables, SETTINGS)
    marks = letters_by_metric(report)[metric] or {}
    found = {}
    for summary in report.summaries:
        mean = summary.metrics[metric]
        low, high = (100 * end for end in (mean.interval.low, mean.interval.high))
        found[summary.name] = f"{100 * mean.mean:.1f} [{low:.0f}, {high:.0f}] {marks.get(summary.name, '')}".strip()
    return found


def table(found: Mapping[str, tuple[str, dict[str, str], dict[str, tuple[float, float]]]]) -> Iterator[str]:
    """Yield the lines of the table: the models by their mean over the tasks as read."""
    means: dict[str, list[tuple[float, float]]] = {}
    for _, _, by_model in found.values():
        for model, pair in by_model.items():
            means.setdefault(model, []).append(pair)
    overall = {model: tuple(100 * np.mean(pairs, axis=0)) for model, pairs in means.items()}
    by_published = sorted(overall, key=lambda model: -overall[model][0])
    heads = [f"{task} {metric}" for task, (metric, _, _) in found.items()]
    yield f"| # | model | as read | published (#) | {' | '.join(heads)} |"
    yield f"|---:|---|---:|---:|{'---|' * len(heads)}"
    for rank, model in enumerate(sorted(overall, key=lambda model: -overall[model][1]), 1):
        before, now = overall[model]
        row = [by_model.get(model, "–") for _, by_model, _ in found.values()]
        yield f"| {rank} | {model} | {now:.1f} | {before:.1f} ({by_published.index(model) + 1}) | {' | '.join(row)} |"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, or put it into the pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.lawbench_models", description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of LawBench")
    parser.add_argument("-j", "--processes", type=int, default=None)
    parser.add_argument("--write", action="store_true", help="put the table into the pages of the documentation")
    arguments = parser.parse_args(argv)
    with ProcessPoolExecutor(arguments.processes) as pool:
        columns = pool.map(partial(column, folder=arguments.folder), TASKS)
        text = "\n".join(table(dict(zip(TASKS, columns, strict=True))))
    print(text)
    for page in pages_of("explanation/lawbench.md") if arguments.write else ():
        write_part(page, "models", text)


if __name__ == "__main__":
    main()
