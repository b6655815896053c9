"""`python -m bench.statistics`: are p-values and intervals what they claim to be? Into explanation/statistics.md."""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import scipy.stats

from bench.markdown import Row, render_grid, render_paragraph
from bench.pages import pages_of
from bench.populations import BINARY, CONTINUOUS, PAIRS, SKEWED, Population, real_columns
from bench.progress import report
from bench.simulation import (
    LEVELS,
    Cluster,
    Misses,
    cluster_misses,
    difference_misses,
    family_errors,
    gate_errors,
    null_p_values,
    rejections,
    scope_misses,
    seeds_of,
    shares_at_random,
    summary_misses,
)
from steelyard.stats.paired import TestName

DOCUMENTS: Final = pages_of("explanation/statistics.md")
BEGIN, END = "<!-- simulated:begin -->", "<!-- simulated:end -->"
SIZES: Final = (30, 100, 1_000)
BAND: Final = (0.94, 0.96)
TESTS: Final[tuple[tuple[str, TestName, int], ...]] = (
    ("permutation, exact", "permutation", 25),
    ("permutation, sampled", "permutation", 100),
    ("t", "t", 100),
    ("Wilcoxon", "wilcoxon", 100),
    ("bootstrap", "bootstrap", 100),
)
DISCRETE: Final[tuple[tuple[str, TestName, int, bool], ...]] = (
    ("sign, continuous scores", "sign", 100, False),
    ("sign, 0/1 scores", "sign", 100, True),
    ("permutation, 0/1 scores", "permutation", 100, True),
)
CLUSTERS: Final[dict[str, Sequence[int]]] = {
    "5 items each": [5] * 30,
    "20 items each": [20] * 30,
    "1 to 20 items": [1 + 7 * number % 20 for number in range(30)],
}
SHAPES: Final = ((6, 20), (10, 15), (30, 5))
KINDS: Final[tuple[Cluster, ...]] = ("continuous", "skewed", "0/1")

ORIGIN: Final = """
Made by `python -m bench.statistics`; do not edit. Every number is a share of simulated cases in %, over as many as the
table says; the seeds are made from the names in the tables, so a second run gives the same. Coverages are marked ↓
where they lie below 94 and ↑ above 96."""
UNIFORM: Final = """
Two systems that are equally good, {simulations:,} comparisons for each test: p is then as likely to be anywhere between
0 and 1. KS is the p-value of the Kolmogorov-Smirnov test of that; below 1 it would be doubtful."""
STEPS: Final = """
Where p can take only a few values it cannot be uniform; it must only not be small too often ({simulations:,}
comparisons each):"""
FAMILY: Final = """
How often a comparison of two equally good systems on several correlated metrics (0.7; 60 items; {simulations:,}
comparisons, permutation test) finds any difference at 0.05. At most 5 are promised with Holm's correction."""
COVERAGE: Final = """
How many of the 95 % intervals in a summary hold the true mean ({simulations:,} samples each; the error of such a share
is about 0.15). In brackets: Student's t alone, on the same samples."""
OTHERS: Final = """
The same for items that share documents (30 documents, {simulations:,} samples each; true means 0.5, 0.2, 0.8):"""
DIFFERENCES: Final = """
The 95 % interval of a paired difference, as `compare` prints it ({simulations:,} samples each):"""
SCOPES: Final = """
Documents whose expected scores differ (mean 0.5, standard deviation 0.1; {simulations:,} samples each): how many of the
95 % intervals over items, and over documents, hold the mean of these documents, and that of all documents of the kind.
Intervals over items are about these documents: they count the spread between documents as spread between items, so they
hold the mean of these documents more often than promised, and that of all documents too seldom. Intervals over
documents are about all documents."""
GATES: Final = """
How often the gate `not-worse-by` passes a system that is worse by just the margin ({simulations:,} samples each); 5 are
allowed:"""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many cases are simulated."""

    summaries: int
    others: int
    tests: int


FULL: Final = Effort(summaries=20_000, others=10_000, tests=2_000)
QUICK: Final = Effort(summaries=500, others=500, tests=200)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m bench.statistics", description="Check the statistics by simulation.")
    parser.add_argument("--quick", action="store_true", help="few simulations, nothing written: see that all runs")
    parser.add_argument("--only", choices=TITLES, help="simulate one chapter; the others stay as they are")
    arguments = parser.parse_args(argv)
    kept = chapters_of(DOCUMENTS[0].read_text("utf-8"))
    for title in [arguments.only] if arguments.only else TITLES:
        kept[title] = _chapter(title, QUICK if arguments.quick else FULL)
        print(kept[title], end="\n\n", flush=True)
    if not arguments.quick:
        tables = [render_paragraph(ORIGIN), *(kept[title] for title in TITLES if title in kept)]
        for document in DOCUMENTS:
            document.write_text(replaced(document.read_text("utf-8"), "\n\n".join(tables)), encoding="utf-8")
            report(f"written: {document}")


def chapters_of(page: str) -> dict[str, str]:
    """Return the chapters between the marks of a page, by title."""
    tables = page.partition(BEGIN)[2].partition(END)[0]
    chapters = re.split(r"^(?=### )", tables, flags=re.MULTILINE)[1:]
    return {chapter.partition("\n")[0].removeprefix("### "): chapter.strip() for chapter in chapters}


def replaced(page: str, tables: str) -> str:
    """Return the page with these tables between the marks."""
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"statistics.md lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def _chapter(title: str, effort: Effort) -> str:
    """Return a heading and its tables, each under its words."""
    return "\n\n".join(
        [f"### {title}", *(_table(words, getattr(effort, count), rows) for words, count, rows in CHAPTERS[title])]
    )


def _table(words: str, simulations: int, rows: Callable[[int], Iterator[Row]]) -> str:
    """Return a table under its words; the first row is the head."""
    head, *body = rows(simulations)
    return "\n\n".join([render_paragraph(words.format(simulations=simulations)), render_grid(head, body)])


def _uniform(simulations: int) -> Iterator[Row]:
    yield "test", "items", *(f"p ≤ {level:g}" for level in LEVELS), "KS"
    for name, test, items in TESTS:
        report(f"p: {name}")
        p_values = null_p_values(test, items, simulations=simulations, seed=seeds_of(name))
        distance = scipy.stats.kstest(p_values, "uniform").pvalue
        yield name, str(items), *map(_percent, rejections(p_values)), _percent(float(distance))


def _steps(simulations: int) -> Iterator[Row]:
    yield "test", "items", *(f"p ≤ {level:g}" for level in LEVELS)
    for name, test, items, binary in DISCRETE:
        p_values = null_p_values(test, items, simulations=simulations, seed=seeds_of(name), binary=binary)
        yield name, str(items), *map(_percent, rejections(p_values))


def _families(simulations: int) -> Iterator[Row]:
    yield "metrics", "any p-value below 0.05", "any adjusted by Holm below 0.05"
    for metrics in (5, 20):
        report(f"family of {metrics}")
        with_holm, without = family_errors(metrics, simulations=simulations, seed=seeds_of("family"))
        yield str(metrics), _percent(without), _percent(with_holm)


def _summaries(simulations: int) -> Iterator[Row]:
    yield "scores", *(f"n = {items:,}" for items in SIZES)
    for population in (*BINARY, *CONTINUOUS, *SKEWED, *real_columns()):
        report(f"mean: {population.name}")
        yield f"{population.kind}: {population.name}", *(_both(population, n, simulations) for n in SIZES)
    shares = partial(shares_at_random, simulations=simulations, seed=seeds_of("shares"))
    yield "0/1: right in 2% to 98%, drawn anew for each sample", *(_covered(shares(items)) for items in SIZES)


def _both(population: Population, items: int, simulations: int) -> str:
    ours, plain = summary_misses(population, items, simulations=simulations, seed=seeds_of(population.name))
    return f"{_covered(ours)} ({_percent(plain.coverage)})"


def _clusters(simulations: int) -> Iterator[Row]:
    yield "scores", *CLUSTERS
    for kind in KINDS:
        report(f"clusters: {kind}")
        misses = partial(cluster_misses, kind, simulations=simulations, seed=seeds_of(kind))
        yield kind, *(_covered(misses(sizes)) for sizes in CLUSTERS.values())


def _scopes(simulations: int) -> Iterator[Row]:
    yield "scores", "items: these documents", "documents: all documents", "items: all documents"
    for kind, (documents, items) in product((KINDS[0], KINDS[2]), SHAPES):
        name = f"{kind}: {documents} documents, {items} items each"
        report(f"scopes: {name}")
        found = scope_misses(kind, documents, items, simulations=simulations, seed=seeds_of("scopes", kind))
        yield name, *map(_covered, (found.items_of_these, found.documents_of_all, found.items_of_all))


def _differences(simulations: int) -> Iterator[Row]:
    return _by_pair(lambda *case: _covered(difference_misses(*case[:2], simulations=simulations, seed=case[2])))


def _gates(simulations: int) -> Iterator[Row]:
    return _by_pair(lambda *case: _percent(gate_errors(*case[:2], simulations=simulations, seed=case[2])))


def _by_pair(cell: Callable[..., str]) -> Iterator[Row]:
    yield "scores, old → new", *(f"n = {items:,}" for items in SIZES)
    for pair in PAIRS:
        report(f"pair: {pair.name}")
        yield f"{pair.kind}: {pair.name}", *(cell(pair, items, seeds_of(pair.name)) for items in SIZES)


def _covered(misses: Misses) -> str:
    low, high = BAND
    rounded = round(misses.coverage, 3)
    return f"{'↓ ' if rounded < low else '↑ ' if rounded > high else ''}{_percent(misses.coverage)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


CHAPTERS: Final[dict[str, Sequence[tuple[str, str, Callable[[int], Iterator[Row]]]]]] = {
    "p under no difference": [(UNIFORM, "tests", _uniform), (STEPS, "tests", _steps)],
    "Families of metrics": [(FAMILY, "tests", _families)],
    "Intervals of a mean": [(COVERAGE, "summaries", _summaries), (OTHERS, "others", _clusters)],
    "Documents and items": [(SCOPES, "others", _scopes)],
    "Intervals of a difference": [(DIFFERENCES, "others", _differences)],
    "Gates": [(GATES, "others", _gates)],
}
TITLES: Final = tuple(CHAPTERS)


if __name__ == "__main__":
    main()
