"""A file is written whole or not at all, by one function."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from platforms import posix, unprivileged

from steelyard.errors import ConfigError
from steelyard.io.writing import whole_file, write_whole


class Halt(Exception):
    """Something that goes wrong while a file is being written."""


def halfway(path: Path) -> None:
    with whole_file(path) as part:
        part.write_text("half")
        raise Halt


def late(path: Path) -> None:
    with whole_file(path, overwrite=False) as part:
        part.write_text("ours")
        path.write_text("theirs")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(Halt):
        halfway(path)
    assert path.read_text() == "old"
    with whole_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
        assert (part.parent, part.name[0]) == (tmp_path, ".")
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@posix
def test_a_file_larger_than_it_may_be_leaves_the_old_one(tmp_path):
    import resource

    path = tmp_path / "a.txt"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(ConfigError, match="cannot be written: File too large"):
            write_whole(path, "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (path.read_text(), names(tmp_path)) == ("old", ["a.txt"])


@posix
def test_mode_and_links_are_kept(tmp_path):
    (tmp_path / "below").mkdir()
    path, link = tmp_path / "below" / "a.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "新")
    assert link.is_symlink()
    assert path.read_text("utf-8") == "新"
    assert path.stat().st_mode & 0o777 == 0o640
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "below" / "b.txt")
    write_whole(tmp_path / "dangling.txt", b"bytes")
    assert (tmp_path / "below" / "b.txt").read_bytes() == b"bytes"


@posix
def test_a_new_file_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@posix
def test_devices_and_pipes_are_written_to(tmp_path):
    write_whole(Path(os.devnull), "gone")
    assert Path(os.devnull).is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert (heard, pipe.is_fifo()) == (["through"], True)


@posix
def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    words = "import sys; from pathlib import Path; from steelyard.io import writing\nwriting._PIPE_SECONDS = 0\n"
    code = words + "try: writing.write_whole(Path(sys.argv[1]), 'x')\nexcept Exception as error: print(error)"
    command = [sys.executable, "-c", code, tmp_path / "pipe"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (
        done.stdout == f"{tmp_path / 'pipe'}: no process is reading this pipe\nhint: start the reading program first\n"
    )


@posix
def test_a_name_of_standard_output_is_not_replaced(tmp_path):
    """Not even where it leads to an ordinary file, which would lose what is printed later."""
    (tmp_path / "out.json").symlink_to("/dev/stdout")
    code = "import sys; from pathlib import Path; from steelyard.io.writing import write_whole\n"
    code += "write_whole(Path(sys.argv[1]), 'written\\n'); print('printed', flush=True)"
    with open(tmp_path / "file", "ab") as file:
        subprocess.run([sys.executable, "-c", code, tmp_path / "out.json"], stdout=file, check=True)
    assert (tmp_path / "file").read_text().endswith("printed\n")
    assert names(tmp_path) == ["file", "out.json"]


def test_a_file_that_somebody_made_in_the_meantime_is_not_replaced(tmp_path):
    path = tmp_path / "a.jsonl"
    with pytest.raises(ConfigError, match="the file already exists"):
        late(path)
    assert (path.read_text(), names(tmp_path)) == ("theirs", ["a.jsonl"])
    with pytest.raises(ConfigError, match="the file already exists"):
        write_whole(path, "ours", overwrite=False)
    write_whole(path, "ours")
    assert path.read_text() == "ours"


def test_names_as_long_as_a_name_may_be(tmp_path):
    path = tmp_path / ("名" * 84)
    write_whole(path, "x")
    write_whole(path, "y")
    assert path.read_text() == "y"


@unprivileged
def test_what_may_not_be_written(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(ConfigError, match="cannot be written: Permission denied"):
        write_whole(path, "new")
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigError, match="cannot be written: Permission denied"):
        write_whole(path, "new")
    tmp_path.chmod(0o700)
    assert path.read_text() == "old"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere/a\.txt: cannot be written: No such file or directory"):
        write_whole(tmp_path / "nowhere" / "a.txt", "x")
