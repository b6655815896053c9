"""What the command line suggests for a misspelt command or option, and for a file of another format."""

import pytest

from steelyard.cli import main

LINES = [
    (["repotr", "x"], "report"),
    (["bench", "--sytem", "x"], "--system"),
    (["report", "x", "--outptu", "y"], "--output"),
    (["report", "x", "--outptu=y"], "--output"),
]


@pytest.mark.parametrize(("line", "name"), LINES)
def test_the_nearest_name_is_suggested_in_the_language(line, name, capsys):
    for language, text in (("en", f"hint: did you mean {name}?\n"), ("zh", f"提示：是不是 {name}？\n")):
        with pytest.raises(SystemExit) as left:
            main(["--lang", language, *line])
        assert left.value.code == 2
        assert capsys.readouterr().err.endswith(text)


@pytest.mark.parametrize("line", [["zzzzzz"], ["retrieval", "qrels", "run", "--baseline", "x"]])
def test_nothing_is_suggested_for_what_is_like_nothing(line, capsys):
    with pytest.raises(SystemExit):
        main(line)
    assert "did you mean" not in capsys.readouterr().err


def test_the_output_of_trec_eval_is_told_from_a_log_of_inspect(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 tag\n")
    output = tmp_path / "x.eval"
    assert main(["retrieval", str(tmp_path / "qrels"), str(tmp_path / "run"), "-o", str(output)]) == 0
    capsys.readouterr()
    assert main(["report", str(output)]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"{output}: this is the output of trec_eval: ")
    assert "\nhint: give a results file instead: steelyard retrieval QRELS RUN -o results.jsonl\n" in printed


@pytest.mark.parametrize(("language", "words"), [("en", "the score of a question"), ("zh", "一道题的得分")])
def test_the_score_of_a_benchmark_is_explained(language, words, capsys):
    for name in ("legal", "score"):
        assert main(["metrics", name, "--lang", language]) == 0
        assert words in capsys.readouterr().out.replace("\n  ", "")
