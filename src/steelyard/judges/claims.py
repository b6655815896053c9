"""The claims of a judged result as a result of its own: one item for each, so that people can label claims.

A calibration by claims is of the same judge. Its verdicts are of two kinds, so that it corrects the faithfulness of any
result of that judge (Rogan and Gladen), while labels of whole answers correct only the result that they are of.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.judges.tasks import CLAIM_METRICS
from steelyard.stats.calibration import CLAIM
from steelyard.stats.scopes import CLUSTER_TAG
from steelyard.table import Column, Missing, Signature, Table

METRIC = CLAIM_METRICS[0]


def claims_of(table: Table) -> Table:
    """Return one item for each claim that was checked against the contexts; claims of one answer belong together."""
    found = list(_claims(table)) if METRIC in table.judges else []
    if not found:
        raise InputError(Message("judges.no_claims"), where=table.name, hint=Message("judges.no_claims_hint"))
    rows = [row for row, *_ in found]
    scores = np.array([np.nan if claim["score"] is None else claim["score"] for *_, claim in found], np.float64)
    open_ones = (Missing("unscored", Message("missing.judge_unknown")),)
    tags = {name: [values[row] for row in rows] for name, values in table.tags.items()}
    return Table(
        [f"{table.ids[row]}/{number}" for row, number, _, _ in found],
        {METRIC: Column(scores, np.isnan(scores).astype(np.int64), open_ones, bounds=(0.0, 1.0))},
        name=f"{table.name} claims",
        signature=Signature((*table.signature.settings, ("unit", CLAIM))),
        tags={**tags, CLUSTER_TAG: [table.ids[row] for row in rows]},
        outputs=[_output(table.outputs[row], judge, claim) for row, _, judge, claim in found],
        complete=table.complete,
    )


def _claims(table: Table) -> Iterator[tuple[int, int, str, Mapping[str, Any]]]:
    """Yield the row, the number, the name of the judge and the claim."""
    for row, output in enumerate(table.outputs or ()):
        for judge, details in ((output or {}).get("judged") or {}).items():
            for number, claim in enumerate((details.get("claims") or {}).get("contexts") or (), 1):
                yield row, number, judge, claim


def _output(output: Mapping[str, Any] | None, judge: str, claim: Mapping[str, Any]) -> dict[str, Any]:
    given = output or {}
    shown = {name: given[name] for name in ("question", "contexts", "context_ids") if name in given}
    return {**shown, "answer": claim["claim"], "judged": {judge: {"claims": {"contexts": [dict(claim)]}}}}
