"""The compiled kernel in a wheel: built where there is a compiler, left out where there is none."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from platforms import linux, posix

from steelyard import native

ROOT = Path(__file__).parents[1]
SAY = "from steelyard.native import description; print(description())"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler")


def build(folder, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("CC", "CFLAGS", native.SWITCH)}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    return subprocess.run(command, cwd=ROOT, env={**clean, **environment}, capture_output=True, text=True, check=False)


def built(folder, **environment):
    """The one wheel that is built, unpacked, and its name."""
    done = build(folder, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "wheel")
    return wheel.name, folder / "wheel"


def describe(folder):
    environment = {**os.environ, "PYTHONPATH": str(folder), native.SWITCH: ""}
    done = subprocess.run(
        [sys.executable, "-c", SAY], capture_output=True, text=True, check=True, env=environment, cwd=folder
    )
    return done.stdout.strip()


@needs_compiler
@posix
@pytest.mark.slow
def test_one_wheel_for_every_version_of_python(tmp_path):
    name, folder = built(tmp_path)
    assert "-cp311-abi3-" in name
    assert [path.name for path in folder.glob("steelyard/_native*")] == ["_native.abi3.so"]
    assert describe(folder) == "compiled kernel"


@posix
@pytest.mark.slow
@pytest.mark.parametrize("environment", [{"CC": "false"}, {"CC": "no-such-compiler"}, {native.SWITCH: "1"}])
def test_without_a_compiler_the_wheel_is_pure_python(tmp_path, environment):
    name, folder = built(tmp_path, **environment)
    assert name.endswith("-py3-none-any.whl")
    assert list(folder.glob("steelyard/_native*")) == []
    assert describe(folder) == "pure Python"


@posix
@pytest.mark.slow
def test_a_kernel_that_must_be_there_and_cannot_be_built_is_an_error(tmp_path):
    assert build(tmp_path, CC="false", **{native.SWITCH: "0"}).returncode != 0
    assert list(tmp_path.glob("*.whl")) == []


def test_a_kernel_of_other_sources_is_not_used(monkeypatch):
    monkeypatch.setattr(native, "_INTERFACE", -1)
    monkeypatch.setenv(native.SWITCH, "")
    assert native.kernel.__wrapped__() is None


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler with sanitizers")
@linux
@pytest.mark.slow
@pytest.mark.parametrize(("program", "inputs"), [("bench.fuzz_native", 20_000), ("bench.fuzz_mappings", 2_000)])
def test_generated_inputs_under_sanitizers(program, inputs):
    command = [sys.executable, "-m", program, "-n", str(inputs), "--seed", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "cannot find" in done.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no error" in done.stdout
