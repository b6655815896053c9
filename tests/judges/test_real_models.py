"""Three real models on the labelled claims of data/judges, replayed from their journals: the small ones are refused.

The journals were recorded on 19 November 2026 by `make judges-real` (llama.cpp's server, xllamacpp 2026.10.11549;
weights by their SHA-256 in bench/judge_real.py). The figures are those that `judge calibrate` printed then.
"""

from pathlib import Path

import numpy as np
import pytest

from steelyard.judges.calls import Caller, Endpoint, Recordings
from steelyard.judges.journal import Journal
from steelyard.judges.labels import LabelSettings, read_labelled
from steelyard.judges.run import Source, judge_file
from steelyard.judges.spec import judge_of
from steelyard.judges.tasks import needs_of

ROOT = Path(__file__).parents[2]


def replayed(name):
    journal = Journal.read(ROOT / "data" / "judges" / f"claims.{name}.calls.jsonl")
    judge, metrics = judge_of(journal.header["judge"], name), journal.header["metrics"]
    source = Source(
        str(ROOT / journal.header["source"]["path"]), {"prediction": "claim", "contexts": "context"}, tags=["label"]
    )
    caller = Caller(judge, Endpoint(journal.header["model"], journal.header["endpoint"]), journal, Recordings(journal))
    table = judge_file(judge, source, source.read(needs_of(judge, metrics)), caller, metrics, name=name)
    assert not caller.stopped
    return table


# values: the means of the judge and of people, and kappa
@pytest.mark.parametrize(
    ("name", "decided", "values", "refused"),
    [
        ("en.135m", 160, (0.0250, 0.4625, -0.0229), "uninformative"),
        ("zh.135m", 127, (0.0394, 0.4724, 0.0543), "kappa_not_above_0"),
        ("en.0.5b", 143, (0.0909, 0.4336, -0.0200), "uninformative"),
        ("zh.0.5b", 162, (0.2963, 0.4444, -0.0603), "uninformative"),
        ("en.1.5b", 175, (0.4171, 0.4629, 0.1669), None),
        ("zh.1.5b", 156, (0.6346, 0.5000, 0.1923), None),
    ],
)
def test_a_real_model_is_worth_what_it_was_worth(tmp_path, name, decided, values, refused):
    path = tmp_path / "result.jsonl"
    replayed(name).save(path)
    found = read_labelled(
        str(path), None, LabelSettings(labels=["label"], positive=["supported"])
    ).calibration.figures()
    assert (found["n"], found["refused"]) == (decided, refused)
    shown = (found["judge_mean"], found["people_mean"], found["kappa"]["value"])
    assert shown == pytest.approx(values, abs=5e-5)
    assert found["kappa"]["lower"] < 0.4  # none of them counts in a gate
    assert np.isfinite(found["rho2"])
