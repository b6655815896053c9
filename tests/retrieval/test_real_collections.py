"""Stored output of trec_eval on real collections, digit for digit: each query, and the mean."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard
from steelyard.registry.names import parse_measure
from steelyard.reports.content import Report
from steelyard.reports.render.values import render_trec_eval
from steelyard.retrieval.reading.trec import read_run

COVID = [
    (
        f"trec_covid_round{n}/qrels.txt",
        f"trec_covid_round{n}/runs/{run}",
        f"trec_covid_round{n}/expected/{run}.trec_eval-",
    )
    for n, runs in (
        (1, ("PS-r1-bm25none", "T5R1", "run1", "sheikh_bm25_all", "wistud_bing")),
        (2, ("GUIR_S2_run3", "ru-t-exp-rnd2")),
    )
    for run in runs
]
COVID_SETTINGS = {
    "9.0.8.c.all_trec.q.txt": {},
    "9.0.8.noc.all_trec.txt": {"missing": "skip"},
    "9.0.8.c.l2.all_trec.txt": {"relevance_level": 2},
    "10.0-rc3.c.all_trec.txt": {"trec_eval": 10},
}
SUITE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "out.test": ("qrels.test", "results.test", {"missing": "skip"}),
    "out.test.a": ("qrels.test", "results.test", {"missing": "skip"}),
    "out.test.aq": ("qrels.test", "results.test", {"missing": "skip"}),
    "out.test.aqc": ("qrels.test", "results.trunc", {}),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"depth": 100}),
    "out.test.aql": ("qrels.rel_level", "results.test", {"missing": "skip", "relevance_level": 2}),
}


def cases():
    for qrels, run, prefix in COVID:
        for suffix, settings in COVID_SETTINGS.items():
            yield qrels, run, prefix + suffix, settings
    for name, (qrels, run, settings) in SUITE.items():
        folder = "trec_eval_suite"
        yield f"{folder}/{qrels}", f"{folder}/{run}", f"{folder}/expected_9.0.8/{name}", settings
        yield f"{folder}/{qrels}", f"{folder}/{run}", f"{folder}/{name}", {**settings, "trec_eval": 10}
    parameters = {"missing": "skip", "trec_eval": 10}
    yield f"{folder}/qrels.test", f"{folder}/results.test", f"{folder}/out.test.meas_params", parameters
    for system in ("bm25", "tfidf"):
        for qrels in ("qrels.lecard", "qrels.lecard.test20"):
            for kind in ("full_run", "judged_only", "judged_only.l3"):
                run = "" if kind == "full_run" else ".judged_only"
                expected = f"lecard/expected/{system}_top100.{qrels}.{kind}.txt"
                settings = {"relevance_level": 3} if kind.endswith("l3") else {}
                yield f"lecard/{qrels}.txt", f"lecard/run.{system}_top100{run}.txt", expected, settings
    yield "lecoqa/qrels.test.txt", "lecoqa/run.bm25-jieba.test.txt", "lecoqa/expected/bm25-jieba.test.txt", {}


NO_METRICS = {"runid", "num_q", "relstring", "relstring_20"}
"""What is no number of each query."""
OWN_WEIGHTS = {"utility_2,-1,0,0", "11pt_avg_.25,.5,.75", "ndcg_1=3,2=9,4=4.5"}
"""What has other weights or levels than ours can have."""


def stored(path: Path):
    for line in path.read_text().splitlines():
        measure, query, value = (cell.strip() for cell in line.split("\t"))
        if measure not in NO_METRICS | OWN_WEIGHTS:
            yield str(parse_measure(measure)), query, value


def as_printed(name: str, value: float) -> str:
    return f"{value:.0f}" if name.startswith("Num") else f"{value:.4f}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("qrels", "run", "expected", "settings"), list(cases()), ids=lambda v: Path(v).name if isinstance(v, str) else ""
)
def test_every_digit(real, qrels, run, expected, settings):
    rows = list(stored(real / expected))
    if settings.get("relevance_level") and settings.get("missing") != "skip":
        # trec_eval -c counts num_rel over all queries at level 1 whatever -l says; see the NumRel docstring
        rows = [row for row in rows if row[:2] != ("NumRel", "all")]
    table = steelyard.evaluate_retrieval(real / qrels, real / run, list(dict.fromkeys(r[0] for r in rows)), **settings)
    place = {item: row for row, item in enumerate(table.ids)}
    for name, query, value in rows:
        column = table.column(name)
        total = np.nansum(column) if name.startswith("Num") else table.mean(name)
        assert as_printed(name, total if query == "all" else column[place[query]]) == value, (name, query)
    assert len(rows) >= 6


def asked(expected: Path) -> list[str]:
    """The metrics that the stored output is of."""
    measures = dict.fromkeys(line.split("\t")[0].strip() for line in expected.read_text().splitlines())
    if "num_q" not in measures:
        return list(measures)
    return ["official" if expected.name == "out.test" else "all_trec"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("qrels", "run", "expected", "settings"),
    [case for case in cases() if not case[2].endswith("meas_params")],
    ids=lambda v: Path(v).name if isinstance(v, str) else "",
)
def test_the_output_of_trec_eval_to_the_byte(real, qrels, run, expected, settings):
    path = real / expected
    table = steelyard.evaluate_retrieval(real / qrels, real / run, asked(path), **settings)
    per_query = any(not line.split("\t")[1].startswith("all") for line in path.read_text().splitlines())
    ours = render_trec_eval(Report([table], per_item=per_query, run_tag=read_run(real / run).tag()))
    wanted = [line for line in path.read_text().splitlines() if not line.startswith("relstring")]
    found = ours.splitlines()
    if settings.get("relevance_level") and settings.get("missing") != "skip":
        # trec_eval -c counts num_rel over all queries at level 1 whatever -l says; see the NumRel docstring
        wanted, found = (
            [line for line in lines if line.split()[:2] != ["num_rel", "all"]] for lines in (wanted, found)
        )
    assert found == wanted
    assert ours.endswith("\n")


def test_the_published_leaderboard_of_trec_covid(real):
    # NIST's table for round 1, made with trec_eval -c -M1000
    for line in (real / "trec_covid_round1/published_leaderboard.csv").read_text().splitlines()[1:]:
        cells = line.split(",")
        table = steelyard.evaluate_retrieval(
            real / "trec_covid_round1/qrels.txt",
            real / "trec_covid_round1/runs" / cells[0],
            ["ndcg@10", "p@5", "RBP(p=0.5)", "bpref", "MAP"],
            depth=1000,
        )
        assert [f"{table.mean(metric):.4f}" for metric in table.metrics] == cells[6:], cells[0]
