"""The page on which a person reviews sampled verdicts, and the masking of what it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import numpy as np

from steelyard import __version__
from steelyard.documents.pages import Document
from steelyard.i18n import Language
from steelyard.io.reviews import Judgement, render_review_lines
from steelyard.reports.content import Report
from steelyard.reports.kinds import kind_page
from steelyard.reports.masking import mask_apart, mask_documents, mask_table
from steelyard.reports.render.html.frame import render_page
from steelyard.reports.render.html.items import item_data
from steelyard.stats.review import passed
from steelyard.table import Table

SCRIPTS: Final = (
    "report_texts.js",
    "report_diff.js",
    "report_evidence.js",
    "report_contexts.js",
    "report_rankings.js",
    "report_item.js",
)


def render_review(
    table: Table,
    judgements: Sequence[Judgement],
    *,
    documents: Mapping[str, Document],
    language: Language = "en",
    mask: bool = False,
) -> str:
    """Return the page on which a person agrees or disagrees with each verdict."""
    metric = judgements[0].metric
    place = {identifier: row for row, identifier in enumerate(table.ids)}
    sample = table.take(np.array([place[judgement.id] for judgement in judgements], np.int64))
    if mask:
        sample = replace(mask_table(sample), ids=sample.ids)  # an opinion finds its verdict by the id
        judgements, documents = mask_strata(judgements), mask_documents(documents)
    kind = kind_page(table.kind)
    data = item_data(Report([sample]), metric, kind, kind.details(documents), documents)
    is_binary = {*table.scored(metric).tolist()} <= {0.0, 1.0}
    review = _review_data(judgements, passed(sample, metric).tolist(), binary=is_binary)
    return render_page(
        "review",
        {**data, "review": review},
        title=sample.name,
        language=language,
        scripts=SCRIPTS,
        about_documents=kind.about_documents,
        result=sample.name,
        version=__version__,
        masked=mask,
    )


def mask_strata(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements with the names of their strata masked; ids stay, because verdicts are found by them."""
    shown = mask_apart(judgement.sampling.stratum for judgement in judgements)
    return [
        replace(judgement, sampling=replace(judgement.sampling, stratum=shown[judgement.sampling.stratum]))
        for judgement in judgements
    ]


def _review_data(judgements: Sequence[Judgement], verdicts: Sequence[bool], *, binary: bool) -> dict[str, Any]:
    """Return the lines to fill in, and the name under which a browser keeps them: another sample has another.

    Of `binary` verdicts, which are all 0 or 1, one that is wrong has the other score.
    """
    key = sha256(render_review_lines(judgements).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return {
        "key": f"steelyard-review-{key}",
        "lines": [judgement.line() for judgement in judgements],
        "passed": list(verdicts),
        "binary": binary,
    }
