"""The metric of the headline: the first that the user names, else the usual one of the kind."""

import json

import pytest

from steelyard.cli import main


@pytest.fixture
def rows(tmp_path):
    paths = [tmp_path / f"{name}.jsonl" for name in ("a", "b", "c")]
    for path in paths:
        row = {"id": "q1", "answer": f"the {path.stem} answer", "reference": "the answer"}
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    ("options", "headline"), [([], "F1"), (["-m", "rouge-l,f1"], "ROUGE-L"), (["-m", "em", "-m", "f1"], "EM")]
)
def test_the_first_named_metric_is_the_headline(rows, options, headline, capsys, tmp_path):
    page = tmp_path / "x.html"
    assert main(["answers", *rows, *options, "-o", str(page)]) == 0
    assert capsys.readouterr().out.startswith(f"{headline} of 3 systems\n")
    assert f">{headline} of 3 systems</span></h1>" in page.read_text(encoding="utf-8")
