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


@pytest.mark.parametrize(
    ("options", "headline"), [([], "nDCG@10"), (["-m", "P@1,nDCG@10,AP"], "P@1"), (["-m", "NumRet,P@1,AP"], "P@1")]
)
def test_a_results_file_keeps_the_headline(options, headline, capsys, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n", encoding="utf-8")
    names = [str(tmp_path / name) for name in ("x.run", "y.run", "z.run")]
    for name in names:
        (tmp_path / name).write_text("1 Q0 d1 1 1.0 x\n", encoding="utf-8")
    kept = str(tmp_path / "kept.jsonl")
    assert main(["retrieval", str(tmp_path / "qrels.txt"), *names, *options, "-o", kept]) == 0
    for again in ("report", "compare"):
        capsys.readouterr()
        assert main([again, kept]) == 0
        assert capsys.readouterr().out.startswith(f"{headline} of 3 systems\n")
    capsys.readouterr()
    assert main(["report", kept, "-m", "AP"]) == 0
    assert capsys.readouterr().out.startswith("AP of 3 systems\n")
