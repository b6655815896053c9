"""`python -m bench.judge_profile PLACE`: the figures of JuDGE's example, as its script prints them and as read.

PLACE is a copy of the repository of JuDGE. Nothing of it is kept here.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from bench.markdown import NOTHING, render_grid
from steelyard import evaluate_answers
from steelyard.table import Table

REFERENCES: Final = "expected.jsonl"
EXAMPLE: Final = "Example_Output.jsonl"
COLUMNS: Final = {
    "term": ("PublishedTerm", "TermRatio"),
    "fine": ("PublishedFine", "FineRatio"),
    "charges, precision": ("PublishedChargeP", "ChargeP"),
    "charges, recall": ("PublishedChargeR", "ChargeR"),
    "articles, precision": ("PublishedStatuteP", "StatuteP(depth=0)"),
    "articles, recall": ("PublishedStatuteR", "StatuteR(depth=0)"),
}
HEADER: Final = ("", "as published", "scored", "as read", "scored", "rows that differ")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", type=Path)
    place = parser.parse_args(argv).place
    for answers in (EXAMPLE, REFERENCES):
        table = evaluate_answers(place / answers, place / REFERENCES, profile="judge")
        print(f"{answers}\n\n{render_grid(HEADER, [*_rows(table), *_harmonic(table)])}\n", flush=True)


def _rows(table: Table) -> list[list[str]]:
    return [
        [name, *_mean(table, one), *_mean(table, two), _differing(table, one, two)]
        for name, (one, two) in COLUMNS.items()
    ]


def _harmonic(table: Table) -> list[list[str]]:
    """Return F1 as JuDGE has it: of the mean precision and the mean recall."""
    rows = []
    for name in ("charges", "articles"):
        pairs = zip(COLUMNS[f"{name}, precision"], COLUMNS[f"{name}, recall"], strict=True)
        means = [(table.mean(precision), table.mean(recall)) for precision, recall in pairs]
        one, two = (f"{2 * p * r / (p + r):.4f}" for p, r in means)
        rows.append([f"{name}, F1 of the means", one, NOTHING, two, NOTHING, NOTHING])
    return rows


def _mean(table: Table, metric: str) -> list[str]:
    return [f"{table.mean(metric):.4f}", str(int(np.isfinite(table.column(metric)).sum()))]


def _differing(table: Table, one: str, two: str) -> str:
    """Return the number of rows whose scores differ, or of which only one is scored."""
    return str(int((~np.isclose(table.column(one), table.column(two), equal_nan=True)).sum()))


if __name__ == "__main__":
    main()
