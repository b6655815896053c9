"""The second name of the command: UltraRAG's own client where UltraRAG is installed, ours where it is not."""

import os
import subprocess
import sys

import pytest

CODE = "import sys; from steelyard.cli.ultrarag import main; sys.exit(main())"
CLIENT = "import sys\n\n\ndef main():\n    print('UltraRAG', *sys.argv[1:])\n    return 7\n"
MINUTE = 60


def install(folder, program=CLIENT):
    """Put a package beside that names itself as UltraRAG does."""
    (folder / "ultrarag").mkdir(parents=True)
    (folder / "ultrarag" / "__init__.py").write_text("")
    (folder / "ultrarag" / "client.py").write_text(program)
    about = folder / "ultrarag-0.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ultrarag\nVersion: 0.3\n")
    (about / "entry_points.txt").write_text("[console_scripts]\nultrarag = ultrarag.client:main\n")


def run(folder, *words, code=CODE):
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=MINUTE,
        check=False,
    )


@pytest.mark.slow
def test_alone_it_is_ours(tmp_path):
    done = run(tmp_path, "run", "none.yaml", "--lang", "en")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("none.yaml: no such file\n")


@pytest.mark.slow
def test_beside_ultrarag_it_is_ultrarags(tmp_path):
    install(tmp_path)
    done = run(tmp_path, "run", "p.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (7, "UltraRAG run p.yaml\n", "")


@pytest.mark.slow
def test_an_ultrarag_that_cannot_be_imported_is_one_message(tmp_path):
    install(tmp_path, "import no_such_package\n")
    done = run(tmp_path, "run", "p.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "UltraRAG is installed, but its client cannot be imported: No module named 'no_such_package'\n"
        "hint: steelyard runs the same pipelines\n"
    )


SERVE = "import sys; from steelyard.cli import main; sys.exit(main(['serve', 'sayhello', '--lang', 'en']))"
OLD = "using MCP needs mcp>=1.30,<3, but mcp {} is installed"


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.20", "3.0"])
def test_an_mcp_library_of_an_unknown_version_is_one_message(tmp_path, version):
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("")
    about = tmp_path / f"mcp-{version}.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mcp\nVersion: {version}.0\n")
    done = run(tmp_path, code=SERVE)
    assert (done.returncode, done.stdout) == (2, "")
    first, hint = done.stderr.splitlines()
    assert first == OLD.format(version)
    assert hint.startswith('hint: pip install "mcp>=1.30,<3"')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("raise ImportError(name='mcp')", "using MCP needs the package mcp"),
        ("import no_such_package", "the package mcp cannot be imported: No module named 'no_such_package'"),
    ],
)
def test_an_mcp_library_that_is_missing_or_broken_is_one_message(tmp_path, program, told):
    (tmp_path / "mcp.py").write_text(program)
    done = run(tmp_path, code=SERVE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == told
    assert len(done.stderr.splitlines()) == 2
