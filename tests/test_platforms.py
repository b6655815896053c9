"""Modules and ordinary commands on systems without POSIX: what Windows lacks is taken away in a process of its own."""

import importlib.util
import os
import subprocess
import sys
import types

import pytest

from steelyard.io import locking

# what Windows lacks, of the modules and names that a program of this kind might use
WITHOUT_POSIX = """
import os, signal, sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
import asyncio, multiprocessing, socket, subprocess, threading  # they use these names on this system
for module, names in {
    os: "chown fork getuid geteuid killpg mkfifo setsid sysconf O_NOFOLLOW O_NONBLOCK WNOWAIT",
    signal: "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 alarm getitimer setitimer ITIMER_REAL",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        vars(module).pop(name, None)
"""
IMPORT_ALL = """
import importlib, pkgutil, steelyard
for module in pkgutil.walk_packages(steelyard.__path__, "steelyard."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
COMMAND = """
import numpy, rich.console, steelyard.io.locking  # they call functions of Windows on it
sys.platform = "win32"
from steelyard.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(code, *arguments, **options):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=240, check=False, **options)


@pytest.mark.slow
def test_every_module_is_imported_without_posix():
    done = run(WITHOUT_POSIX + IMPORT_ALL)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_results_are_written_and_replaced_without_posix(write, tmp_path):
    (judged, ranked), results = (write("qrels", "q 0 d 1\n"), write("run", "q Q0 d 1 1.0 x\n")), tmp_path / "r.jsonl"
    for _ in range(2):
        done = run(WITHOUT_POSIX + COMMAND, "retrieval", judged, ranked, "-o", results, "--overwrite")
        assert done.returncode == 0, done.stderr
    assert results.read_bytes().startswith(b"{")


def test_a_file_is_locked_once(tmp_path):
    path = tmp_path / "r.jsonl"
    with open(path, "a") as one, open(path, "a") as other:
        assert locking.try_lock(one)
        assert not locking.try_lock(other)
    with open(path, "a") as later:
        assert locking.try_lock(later)
    assert os.listdir(tmp_path) == ["r.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="the real msvcrt is used by the other tests")
def test_on_windows_one_byte_beyond_the_end_is_locked(tmp_path, monkeypatch):
    locked = []

    def lock(descriptor, mode, size):
        place = (os.lseek(descriptor, 0, os.SEEK_CUR), mode, size)
        if place in locked:
            raise PermissionError(13, "Permission denied")
        locked.append(place)

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=lock, LK_NBLCK=2))
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("locking_on_windows", locking.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(tmp_path / "r", "w+b") as file:
        file.write(b"12345")
        file.flush()
        assert module.try_lock(file)
        assert not module.try_lock(file)
        assert file.tell() == os.lseek(file.fileno(), 0, os.SEEK_CUR) == 5
    assert locked == [(1 << 42, 2, 1)]
