"""A package that is not installed is asked for before any work is done, so that no output is lost."""

import commands
import pytest

ROWS = '{"id": "1", "prediction": "x", "references": ["x"]}\n'


@pytest.fixture
def hide(monkeypatch):
    """Make the import of a package fail, as if it were not installed."""
    import sys

    def hidden(name):
        monkeypatch.setitem(sys.modules, name, None)

    return hidden


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_plot_is_refused_before_a_question_is_asked(suffix, tmp_path, hide):
    hide("vl_convert")
    (tmp_path / "asked.py").write_text("def ask(question):\n    open('asked', 'w').close()\n    return 'x'\n", "utf-8")
    words = ("--system", "python:asked:ask", "--limit", "1", "-o", "r.jsonl", "-o", f"plot{suffix}")
    done = commands.run("bench", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("drawing plots needs")
    assert "steelyard[plots]" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked.py"]


@pytest.mark.parametrize(
    "command", [("retrieval", "q.txt", "r.txt"), ("answers", "a"), ("compare", "a"), ("report", "a")]
)
def test_a_plot_is_refused_before_files_are_read(command, tmp_path, hide):
    hide("vl_convert")
    done = commands.run(*command, "absent.jsonl", "-o", "plot.svg", cwd=tmp_path)  # files that are not there
    assert done.returncode == 2
    assert done.stderr.startswith("drawing plots needs")


def test_a_page_is_written_without_its_charts(tmp_path, hide):
    hide("vl_convert")
    (tmp_path / "a.jsonl").write_text(ROWS, "utf-8")
    done = commands.run("answers", "a.jsonl", "-o", "a.html", cwd=tmp_path)
    assert done.returncode == 0
    line = 'pip install "vl-convert-python>=1.7" (the extra steelyard[plots])'
    assert done.stderr == f"a.html has tables in place of charts; to draw them: {line}\n"
    assert "pip install" not in (tmp_path / "a.html").read_text("utf-8")  # its reader has no use for it


@pytest.mark.parametrize("metric", ["BLEU", "chrF"])
def test_metrics_are_refused_before_files_are_read(metric, tmp_path, hide):
    hide("sacrebleu")
    done = commands.run("answers", "absent.jsonl", "-m", f"EM,{metric}", cwd=tmp_path)
    assert done.returncode == 2
    assert "steelyard[bleu]" in done.stderr
    done = commands.run("answers", "absent.jsonl", "-m", "BLEU(smooth=4)", cwd=tmp_path)
    assert "absent.jsonl" in done.stderr


def test_parquet_is_refused_before_the_first_file_is_read(tmp_path, hide):
    hide("pyarrow")
    for words in (("answers", "absent.jsonl", "b.parquet"), ("retrieval", "absent.txt", "a.txt", "b.parquet")):
        done = commands.run(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert "steelyard[parquet]" in done.stderr
    (tmp_path / "a.jsonl").write_text(ROWS, "utf-8")
    done = commands.run("convert", "a.jsonl", "b.parquet", cwd=tmp_path)
    assert done.returncode == 2
    assert "steelyard[parquet]" in done.stderr
    assert not (tmp_path / "b.parquet").exists()
