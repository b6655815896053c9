"""The script with which a shell completes the command line."""

import shutil
import subprocess
import sys

import pytest
from commands import run


def test_without_the_package_the_install_line_is_printed(monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    done = run("--completion", "bash")
    assert (done.returncode, done.stdout) == (2, "")
    line = 'pip install "shtab>=1.13" (the extra steelyard[completion])'
    assert done.stderr == f"completion in a shell needs the package shtab\nhint: {line}\n"


@pytest.mark.parametrize("shell", ["bash", "fish", "powershell", "tcsh", "zsh"])
def test_every_shell_has_a_script(shell):
    pytest.importorskip("shtab", reason="the extra completion is not installed")
    done = run("--completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("retrieval", "per-item", "wilcoxon"):
        assert word in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("ben",), "bench"),
        (("retrieval", "--corr"), "--correction"),
        (("retrieval", "--correction", "hol"), "holm"),
        (("retrieval", "qr"), "qrels.txt"),
        (("--q",), "--quiet"),
    ],
)
def test_bash_completes(words, found, tmp_path):
    pytest.importorskip("shtab", reason="the extra completion is not installed")
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (tmp_path / "qrels.txt").touch()
    (tmp_path / "script").write_text(run("--completion", "bash").stdout)
    line = f"source ./script; COMP_WORDS=(steelyard {' '.join(words)}); COMP_CWORD={len(words)}; _shtab_steelyard"
    done = subprocess.run(
        [bash, "-c", f'{line}; echo "${{COMPREPLY[@]}}"'], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == [found], done.stderr
