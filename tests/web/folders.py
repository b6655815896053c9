"""Folders of small results for tests of the viewer."""

import os
from dataclasses import replace

from tables import make_table

from steelyard.io.results import save_all
from steelyard.table import Signature

START = 1_700_000_000


SCORES = (1.0, 0.0, 1.0, 0.5)


def table(
    name="run", *, kind="answers", questions="0000", system="demo", scores=SCORES, metrics=("F1", "EM"), **fields
):
    """A result; `questions` names the set of questions, `name` also makes it another run of the `system`."""
    own = {"system": system, "run": f"sha256 {name}", "steelyard": "0.1.0"}
    signature = Signature.of({"kind": kind, "questions": questions, **own})
    return make_table(name, dict.fromkeys(metrics, scores), kind=kind, signature=signature, **fields)


def put(path, *tables, age=0):
    """Write results to a file, `age` hours after the first; tables that do not say when they were made stay so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_all([replace(each, created=each.created or "") for each in tables], path)
    os.utime(path, (START + 3600 * age,) * 2)
    return path
