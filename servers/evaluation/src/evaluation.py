"""Evaluation server: answers against references, runs against judgments, and one run against another."""

import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import steelyard
from steelyard.errors import ConfigError, InputError, UnknownName, os_reason
from steelyard.i18n import Message
from steelyard.io.results import save_all
from steelyard.pipelines.server import Server, notify, progress
from steelyard.registry.names import CUTOFFS, parse_measure
from steelyard.stats.compare import Comparison
from steelyard.stats.correction import adjust
from steelyard.stats.summary import interval_list
from steelyard.table import counts_with_texts

ABOUT = """Evaluates retrieval-augmented generation. evaluate: answers against references (any script, also Chinese);
evaluate_trec: a ranking against judgments, as trec_eval does; evaluate_trec_pvalue: whether a new ranking is
significantly better than an old one; evaluate_legal: answers to the questions of a legal benchmark. Files are paths on
the server's machine."""

app = Server("evaluation", __file__, ABOUT)

ANSWER_METRICS = ("acc", "em", "stringem", "coverem", "f1", "rouge-1", "rouge-2", "rouge-l")
RESAMPLES = 10_000
RESULTS = ".jsonl"
"""Extension of a results file."""

Names = Annotated[list[str] | str | None, "which metrics; null for all of them"]
Rankings = Annotated[list[str] | str | None, "of mrr, map, recall, ndcg, precision; null for all of them"]
Cutoffs = Annotated[list[int] | None, "cut-offs of recall, ndcg and precision; null for 1, 5, 10, 20, 50, 100"]
Judgments = Annotated[str, "judgments in TREC form: query 0 document grade"]
Run = Annotated[str, "ranking in TREC form: query Q0 document rank score tag"]
SavePath = Annotated[
    str | None,
    "where to save the result as JSON, with the time added to the name, and beside it a results file (.jsonl) with"
    " the scores of every item; null to save nothing",
]

# what UltraRAG removes from a text before a comparison, by profile
_DROPPED = {"ultrarag": re.compile(r"\b(?:a|an|the)\b|[\W_]"), "ultrarag-2026-09": re.compile(r"[\W_]")}

# name of a metric in UltraRAG → start of its keys in the result, and its name in steelyard
_WHOLE = {"map": ("map", "AP"), "mrr": ("mrr", "RR")}
_CUT = {"ndcg": ("ndcg", "nDCG"), "precision": ("P", "P"), "recall": ("recall", "R")}


def _check_answers(arguments: Mapping[str, Any]) -> None:
    """Check the names of metrics and of the profile with one answer."""
    columns = [str(parse_measure(name)) for name in _names(arguments.get("metrics"), ANSWER_METRICS)]
    steelyard.evaluate_answers(["a"], [["a"]], columns, profile=arguments.get("profile", "ultrarag"))


def _check_rankings(arguments: Mapping[str, Any]) -> None:
    """Check the settings without reading the files."""
    _ranking_names(arguments.get("metrics"))
    _cutoffs(arguments.get("ks"))
    if arguments.get("n_resamples") is not None:
        _from_one(arguments["n_resamples"], "n_resamples")


@app.tool(
    "pred_ls,gt_ls,metrics,save_path,profile,id_ls,memory_q_ls,ret_psg->eval_res",
    checks=_check_answers,
)
def evaluate(  # noqa: PLR0917 - the first arguments are those of UltraRAG
    pred_ls: Annotated[list[Any], "the answers, one text per question; null for an answer that failed"],
    gt_ls: Annotated[list[Any], "for each question the list of its reference answers"],
    metrics: Names = None,
    save_path: SavePath = None,
    profile: Annotated[
        str,
        "ultrarag repeats UltraRAG's numbers (English only), ultrarag-2026-09 those since September 2026, when"
        " a reference 'A' is no longer read as empty; steelyard reads any script",
    ] = "ultrarag",
    ids: Annotated[list[Any] | None, "for the results file: ids of the questions; without them 1, 2, …"] = None,
    questions: Annotated[
        list[Any] | None, "for the results file: the questions; of several lists, as loops have them, the first"
    ] = None,
    contexts: Annotated[
        list[Any] | None, "for the results file: for each question the passages that were found"
    ] = None,
) -> dict[str, Any]:
    """Evaluate answers: for each metric a list of scores in the order of the questions, and its mean avg_<metric>.

    The default profile gives UltraRAG's numbers; for Chinese, use the profile steelyard. Metrics:
    acc (contains a reference), em (equals one), stringem, coverem, f1, rouge-1, rouge-2, rouge-l, from 0 to 1.
    The score of an item without a reference is null, and not part of the mean. An answer that is null scores 0.
    """
    if not (isinstance(pred_ls, list) and isinstance(gt_ls, list)):
        raise InputError(Message("servers.predictions_no_lists"))
    if len(pred_ls) != len(gt_ls):
        raise InputError(Message("servers.lengths_differ", answers=len(pred_ls), references=len(gt_ls)))
    columns = {name: str(parse_measure(name)) for name in _names(metrics, ANSWER_METRICS)}
    on_progress = partial(progress, total=len(pred_ls))
    table = steelyard.evaluate_answers(
        pred_ls, gt_ls, list(columns.values()), profile=profile, progress=on_progress, keep=save_path is not None
    )
    scores = {name: [_known(score) for score in table.column(column).tolist()] for name, column in columns.items()}
    averages = {f"avg_{name}": _known(table.mean(column)) for name, column in columns.items()}
    _warn_of_misjudged(profile, gt_ls)
    result = {**scores, **averages, "profile": profile, **_settings(table, columns)}
    return _saved(result, save_path, [_with_texts(table, ids, questions, contexts)])


@app.tool("run_path,qrels_path,ir_metrics,ks,save_path->eval_res", checks=_check_rankings)
def evaluate_trec(
    run_path: Run, qrels_path: Judgments, metrics: Rankings = None, ks: Cutoffs = None, save_path: SavePath = None
) -> dict[str, Any]:
    """Evaluate a run: the mean of each metric over all judged queries; a query that the run lacks scores 0."""
    names, cutoffs = _ranking_names(metrics), _cutoffs(ks)
    whole = {key: column for name, (key, column) in _WHOLE.items() if name in names}
    cut = {f"{key}@{k}": f"{column}@{k}" for k in cutoffs for name, (key, column) in _CUT.items() if name in names}
    columns = whole | cut
    table = steelyard.evaluate_retrieval(Path(qrels_path), Path(run_path), list(columns.values()))
    means = {key: table.mean(column) for key, column in columns.items()}
    return _saved({**means, **_settings(table, columns)}, save_path, [table])


@app.tool("run_new_path,run_old_path,qrels_path,ir_metrics,ks,n_resamples,save_path->eval_res", checks=_check_rankings)
def evaluate_trec_pvalue(  # noqa: PLR0917 - the arguments are those of UltraRAG
    run_new_path: Annotated[str, "the new ranking (A), in TREC form"],
    run_old_path: Annotated[str, "the old ranking (B), in TREC form"],
    qrels_path: Judgments,
    metrics: Rankings = None,
    ks: Cutoffs = None,
    n_resamples: Annotated[int | None, "how many random sign flips; null for 10000"] = None,
    save_path: SavePath = None,
) -> dict[str, Any]:
    """Test the new run (A) against the old (B): a seeded permutation test for each metric.

    For each metric: A_mean, B_mean, diff = A - B with its ci95, p_value (two-sided), significant (p below 0.05),
    p_adjusted (Holm, over all requested metrics), exact (whether p_value is computed from all sign flips; otherwise it
    is estimated from random ones, and at least 1 / (n_resamples + 1)) and effect_size.
    """
    resamples = RESAMPLES if n_resamples is None else _from_one(n_resamples, "n_resamples")
    cutoffs = _cutoffs(ks)
    columns = {key: column for name in _ranking_names(metrics) for key, column in _columns(name, cutoffs).items()}
    tables = []
    for done, path in enumerate((run_new_path, run_old_path)):
        progress(done, 3)
        tables.append(steelyard.evaluate_retrieval(Path(qrels_path), Path(path), list(columns.values())))
    progress(2, 3)
    new, old = tables
    comparisons = steelyard.compare(old, new, metrics=list(columns.values()), resamples=resamples, correction="none")
    adjusted = adjust([comparison.p_value for comparison in comparisons], "holm")
    results = {key: _fields(comparison, p) for key, comparison, p in zip(columns, comparisons, adjusted, strict=True)}
    return _saved(results, save_path, [old, new])


@app.tool("id_ls,pred_ls,legal_path,save_path->eval_res")
def evaluate_legal(
    id_ls: Annotated[list[str], "ids of the questions that were asked"],
    pred_ls: Annotated[
        list[Any], "for each id the answer: text, or {answer, citations: [{page, text}], …}; null if it failed"
    ],
    legal_path: Annotated[str | None, "folder of the benchmark; null for the one that comes with steelyard"] = None,
    save_path: SavePath = None,
) -> dict[str, Any]:
    """Evaluate answers to the questions of a legal benchmark: facts, cited evidence, and unanswerable questions.

    Returns the ids, under `legal` a score from 0 to 1 for each, `reasons` as text, avg_legal, and the average of each
    part of a score (avg_exact_match, avg_citation_correctness, …) over the questions that have it.
    """
    from steelyard.legal.benchmark.runner import judge_answers  # noqa: PLC0415 - long to import, for one tool

    if len(id_ls) != len(pred_ls):
        raise InputError(Message("servers.ids_and_answers", ids=len(id_ls), answers=len(pred_ls)))
    often = Counter(id_ls).most_common(1)
    if often and often[0][1] > 1:
        raise InputError(Message("servers.question_twice", question=often[0][0]))
    judged = judge_answers(dict(zip(id_ls, pred_ls, strict=True)), legal_path, progress=progress)
    verdicts = judged.verdicts
    parts = dict.fromkeys(part for verdict in verdicts.values() for part in verdict.parts)
    averages = {
        f"avg_{part}": _mean([each.parts[part] for each in verdicts.values() if part in each.parts]) for part in parts
    }
    scores = [each.score for each in verdicts.values()]
    items = {"ids": list(verdicts), "legal": scores, "reasons": [each.reason for each in verdicts.values()]}
    failed = counts_with_texts({"counts.failed": sum(answer is None for answer in pred_ls)})
    return _saved({**items, "avg_legal": _mean(scores), **averages, "counts": failed}, save_path, [judged.table])


def _warn_of_misjudged(profile: str, gt_ls: Sequence[Any]) -> None:
    """Notify of the number of questions with a reference that UltraRAG's rules cannot score."""
    if profile not in _DROPPED:
        return
    lists = (references if isinstance(references, list) else [references] for references in gt_ls)
    misjudged = sum(any(_is_misjudged(str(reference), profile) for reference in references) for references in lists)
    if misjudged:
        notify(Message("servers.misjudged", misjudged=misjudged, questions=len(gt_ls), profile=profile))


def _is_misjudged(reference: str, profile: str) -> bool:
    """Whether a reference has letters other than a to z, or is empty without what the profile drops."""
    if not reference.isascii() and any(char.isalpha() and not char.isascii() for char in reference):
        return True
    return not _DROPPED[profile].sub("", reference.lower())


def _mean(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)


def _settings(table: steelyard.Table, columns: Mapping[str, str]) -> dict[str, Any]:
    """Return the interval of each mean, the counts, and the signature with all settings."""
    summaries = table.summary().metrics
    intervals = {key: interval_list(summaries[column].interval) for key, column in columns.items()}
    return {"ci95": intervals, "counts": counts_with_texts(table.counts), "signature": str(table.signature)}


def _fields(comparison: Comparison, adjusted: float) -> dict[str, Any]:
    return {
        "A_mean": comparison.a_mean,
        "B_mean": comparison.b_mean,
        "diff": comparison.difference,
        "p_value": comparison.p_value,
        "significant": comparison.significant,
        "p_adjusted": adjusted,
        "exact": comparison.exact,
        "ci95": interval_list(comparison.interval),
        "effect_size": _known(comparison.effect_size),
    }


def _names(metrics: Sequence[str] | None, default: Sequence[str]) -> list[str]:
    """Return the requested names in lower case without duplicates, or all of them."""
    wanted = [metrics] if isinstance(metrics, str) else metrics or default
    for name in wanted:
        if not isinstance(name, str):
            raise ConfigError(Message("servers.metric_no_text", name=name), parameter="metrics")
    return list(dict.fromkeys(name.strip().lower() for name in wanted))


def _ranking_names(metrics: Sequence[str] | None) -> list[str]:
    known = [*_WHOLE, *_CUT]
    names = _names(metrics, known)
    for name in names:
        if name not in known:
            raise UnknownName.of(Message("words.metric"), name, known)
    return names


def _columns(name: str, cutoffs: Sequence[int]) -> dict[str, str]:
    if name in _WHOLE:
        return dict([_WHOLE[name]])
    key, column = _CUT[name]
    return {f"{key}@{k}": f"{column}@{k}" for k in cutoffs}


def _cutoffs(ks: Sequence[int] | None) -> list[int]:
    if ks is None:
        return list(CUTOFFS)
    if not isinstance(ks, list) or not ks:
        message, hint = Message("servers.no_cutoffs", ks=ks), Message("servers.example_cutoffs")
        raise ConfigError(message, hint=hint, parameter="ks")
    return list(dict.fromkeys(_from_one(k, "ks", Message("servers.cutoff_in_ks")) for k in ks))


def _from_one(value: Any, parameter: str, what: Message | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(Message("servers.not_from_one", what=what or parameter, value=value), parameter=parameter)
    return value


def _known(score: float) -> float | None:
    return None if math.isnan(score) else score


def _with_texts(
    table: steelyard.Table, ids: list[Any] | None, questions: list[Any] | None, contexts: list[Any] | None
) -> steelyard.Table:
    """Return the table with the ids of a pipeline and with its texts.

    A list that does not belong to the rows is left out.
    """
    if not table.outputs:
        return table
    first = questions[0] if questions and isinstance(questions[0], list) else questions
    lists = {"question": _rows_of("questions", first, table), "contexts": _rows_of("contexts", contexts, table)}
    texts = {name: values for name, values in lists.items() if values}
    outputs = [
        {**(output or {}), **{name: values[row] for name, values in texts.items() if _is_text(name, values[row])}}
        for row, output in enumerate(table.outputs)
    ]
    return replace(table, ids=_identifiers(ids, table) or table.ids, outputs=outputs)


def _rows_of(argument: str, values: list[Any] | None, table: steelyard.Table) -> list[Any]:
    """Return a list with a value for each row; empty, with a notice, if it has another length."""
    if not values or len(values) == len(table):
        return values or []
    notify(Message("servers.list_left_out", argument=argument, values=len(values), rows=len(table)))
    return []


def _identifiers(ids: list[Any] | None, table: steelyard.Table) -> list[str]:
    """Return the ids as texts; empty, with a notice, if one is missing or occurs twice."""
    names = [str(value) for value in _rows_of("ids", ids, table) if isinstance(value, str | int) and str(value)]
    if not ids or len(names) == len(set(names)) == len(table):
        return names
    if len(ids) == len(table):
        notify(Message("servers.ids_left_out"))
    return []


def _is_text(name: str, value: Any) -> bool:
    """Whether a value is a question, or a list of passages."""
    if name == "question":
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(passage, str) for passage in value)


def _saved(result: dict[str, Any], save_path: str | None, tables: Sequence[steelyard.Table]) -> dict[str, Any]:
    """Return the result as a tool returns it; it is saved as JSON, with a results file of the tables beside it."""
    if save_path is None:
        return {"eval_res": result}
    try:
        saved = _write(json.dumps(result, indent=4, ensure_ascii=False), save_path)
    except OSError as error:
        raise ConfigError(Message("servers.cannot_write", why=os_reason(error)), where=save_path) from None
    notify(Message("servers.saved", path=saved))
    results = Path(saved).with_suffix(RESULTS)
    named = [replace(table, name=results.stem) for table in tables] if len(tables) == 1 else tables
    save_all(named, results, overwrite=False)
    notify(Message("servers.results_saved", path=results))
    return {"eval_res": result}


def _write(text: str, save_path: str) -> str:
    """Write a new file with the time in its name, and return the name; no file is overwritten."""
    stem = f"{os.path.splitext(save_path)[0]}_{datetime.now():%Y%m%d_%H%M%S}"
    Path(stem).parent.mkdir(parents=True, exist_ok=True)
    for name in (stem if number == 1 else f"{stem}-{number}" for number in count(1)):
        if os.path.exists(f"{name}{RESULTS}"):
            continue
        with suppress(FileExistsError), open(f"{name}.json", "x", encoding="utf-8") as file:
            file.write(text)
            break
    return f"{name}.json"


if __name__ == "__main__":
    app.run()
