"""Errors and notices of our servers reach the client as values, over MCP as in this process."""

import shutil
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard.errors import ConfigError, Problem
from steelyard.i18n import Message
from steelyard.pipelines.protocol import (
    ERROR,
    NOTICES,
    error_from_json,
    error_to_json,
    notices_from_json,
    notices_to_json,
)

ROOT = Path(__file__).parents[2]
PIPELINE = """servers:
  benchmark: servers/benchmark
  prompt: servers/prompt
  evaluation: servers/evaluation
pipeline:
- benchmark.get_data
- {step}
"""
PARAMETERS = """benchmark:
  benchmark:
    path: answers.jsonl
    limit: {limit}
    key_map:
      q_ls: {question}
      gt_ls: gold
      pred_ls: answer
prompt:
  template: {template}
evaluation:
  metrics: [em]
  save_path: output/scores.json
"""
VALUES = {"limit": "2", "question": "q", "template": "prompt/qa_boxed.jinja"}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the pipeline with these values, and return the exit code and standard error."""
    answers = '{"q": "1?", "gold": ["one"], "answer": "one"}\n{"q": "2?", "gold": ["two"], "answer": "one"}\n'
    (tmp_path / "answers.jsonl").write_text(answers)
    shutil.copytree(ROOT / "prompt", tmp_path / "prompt")
    (tmp_path / "parameters").mkdir()
    monkeypatch.chdir(tmp_path)

    def run(*options: str, step: str = "evaluation.evaluate", **values: str) -> tuple[int, str]:
        Path("p.yaml").write_text(PIPELINE.format(step=step))
        Path("parameters/p_parameter.yaml").write_text(PARAMETERS.format(**{**VALUES, **values}))
        code = main(["run", "p.yaml", *options])
        return code, capsys.readouterr().err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("isolated", [[], ["--isolated"]])
@pytest.mark.parametrize(
    ("values", "line", "message"),
    [
        ({"limit": "many"}, 4, "limit must be an integer of at least 1, or -1 for all, not 'many'"),
        ({"question": "quest"}, 6, "answers.jsonl: no row has the field 'quest' of q_ls"),
    ],
)
def test_the_line_of_a_parameter_is_found(run, values, line, message, isolated):
    _, err = run("--lang", "en", *isolated, **values)
    assert f"parameters/p_parameter.yaml:{line}: benchmark.get_data: {message}\n" in err


@pytest.mark.slow
def test_errors_of_isolated_servers_are_translated(run):
    code, err = run("--lang", "zh", "--isolated", question="quest")
    assert code == 3
    assert (
        "parameters/p_parameter.yaml:6: benchmark.get_data：answers.jsonl: 没有任何一行含有 q_ls 的字段 'quest'" in err
    )


@pytest.mark.slow
def test_notices_of_isolated_servers_are_translated(run):
    code, err = run("--lang", "zh", "--isolated")
    assert code == 0
    assert "已保存：output/scores_" in err


@pytest.mark.slow
def test_an_error_of_an_isolated_prompt_is_its_own(run):
    Path("prompt/other.jinja").write_text("{{ other }}")
    code, err = run("--lang", "en", "--isolated", step="prompt.qa_boxed", template="prompt/other.jinja")
    assert code == 3, err
    assert "parameters/p_parameter.yaml:10: prompt.qa_boxed: prompt/other.jinja:1: " in err


@pytest.mark.slow
def test_an_error_is_the_same_after_the_way():
    hint = Message("core.known", names="a, b")
    problems = [Problem("x:1", Message("words.text")), Problem("x:2", Message("core.known", names="c"))]
    error = ConfigError(problems[0].message, where="x:1", hint=hint, problems=problems, parameter="a.b")
    received = error_from_json(error_to_json(error))
    assert received is not None
    assert (str(received), received.text("zh"), received.parameter) == (str(error), error.text("zh"), "a.b")


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        None,
        "text",
        {ERROR: None},
        {ERROR: {}},
        {ERROR: {"problems": [["x", ["no.such_code"]]]}},
        {ERROR: {"problems": [["x", ["words.text"]], 3]}},
        {ERROR: {"problems": [[1, ["words.text"]]]}},
        {ERROR: {"problems": 7}},
    ],
)
def test_what_cannot_be_read_is_no_error(fields):
    assert error_from_json(fields) is None


@pytest.mark.slow
def test_notices_are_messages_or_foreign_text():
    notices = [Message("servers.saved", path="x"), "loaded"]
    assert [str(notice) for notice in notices_from_json(notices_to_json(notices))] == ["saved: x", "loaded"]
    assert notices_from_json({NOTICES: ["of an older server", {"text": "unknown", "message": ["no.code"]}, 3, {}]}) == [
        "of an older server",
        "unknown",
    ]
    assert notices_from_json({NOTICES: "text"}) == []
    assert notices_from_json(None) == []
