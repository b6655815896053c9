"""`steelyard new`: what it writes works as it is, and nothing is overwritten."""

import json
import re
import shlex
from pathlib import Path

import commands
import pytest

from steelyard.legal import benchmark

STARTER = Path(benchmark.__path__[0]) / "starter"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["my_case", "my case"])
def test_the_commands_of_the_readme_run_as_they_are(tmp_path, language, name):
    done = commands.run("new", name, "--lang", language, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    readme = (tmp_path / name / "README.md").read_text("utf-8")
    assert readme.startswith(f"# {name}\n")
    assert "CASE" not in readme
    lines = re.findall("^steelyard (.*)$", readme, re.MULTILINE)
    assert [line.partition(" ")[0] for line in lines] == ["validate", "bench", "report"]
    assert all(f"steelyard {line}\n" in done.stdout for line in lines)
    for line in lines:
        ran = commands.run(*shlex.split(line), cwd=tmp_path)
        assert ran.returncode == 0, line
    assert (tmp_path / name / "report.html").exists()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_of_every_type_without_a_warning(tmp_path, language):
    assert commands.run("new", "a/b", "--lang", language, cwd=tmp_path).returncode == 0
    checked = commands.run("validate", "a/b", "--strict", cwd=tmp_path)
    assert checked.returncode == 0
    assert checked.stdout.startswith("lease.md: 2 pages, ")
    assert checked.stdout.endswith("without an answer\n5 files, 6 questions: 0 errors, 0 warnings\n")
    ran = commands.run("bench", "a/b", "--system", "builtin:baseline", "--json", "-q", cwd=tmp_path)
    (result,) = json.loads(ran.stdout)["results"]
    types = {item["tags"]["type"] for item in result["per_item"]}
    assert (types, result["errors"]) == ({"fact_exact", "evidence_set", "conflict_gap", "key_points"}, 0)
    assert ("虚构" if language == "zh" else "invented") in (tmp_path / "a/b/documents/lease.md").read_text("utf-8")


def test_both_languages_have_the_same_files():
    files = [{path.relative_to(STARTER / each) for path in (STARTER / each).rglob("*")} for each in ("en", "zh")]
    assert files[0] == files[1]


def test_a_folder_with_content_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert commands.run("new", "empty", cwd=tmp_path).returncode == 0
    for name, message in (("empty", "empty: the folder is not empty\n"), ("empty/README.md", "a file has this name\n")):
        done = commands.run("new", name, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert "give the name of a new folder" in done.stderr
