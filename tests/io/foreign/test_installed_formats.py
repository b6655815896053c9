"""Formats of tools that installed packages add."""

import json

import pytest

from steelyard.cli import main
from steelyard.errors import ConfigError
from steelyard.io.foreign.formats import formats

FORMAT = """
NAME, TITLE = "quiz", "Quiz"


def recognises(container):
    return container.kind == "rows" and "quiz_question" in container.first


def read(container):
    for record in container.records():
        fields = {"id": record.fields["n"], "question": record.fields["quiz_question"], "scores": {"points": 1.0}}
        yield record._replace(fields=fields)
"""


def test_an_installed_format_is_recognised(install, tmp_path, capsys):
    install("quiz", {"steelyard.formats": "quiz = quiz_format"}, quiz_format=FORMAT)
    (tmp_path / "quiz.jsonl").write_text(json.dumps({"n": 1, "quiz_question": "Q"}) + "\n", encoding="utf-8")
    assert main(["report", str(tmp_path / "quiz.jsonl")]) == 0
    printed = capsys.readouterr().out
    assert "format:Quiz" in printed
    assert "points" in printed


def test_a_name_of_ours_is_not_replaced(install):
    install("quiz", {"steelyard.formats": "ragas = quiz_format"}, quiz_format=FORMAT)
    assert formats()["ragas"].TITLE == "RAGAS"


def test_an_object_that_is_no_format_is_an_error(install):
    install("quiz", {"steelyard.formats": "quiz = quiz_format"}, quiz_format="NAME = 'quiz'\n")
    with pytest.raises(ConfigError, match="NAME, TITLE, recognises and read"):
        formats()
