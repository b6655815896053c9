"""Files of retrieval: written atomically, used if their stamp is current; and runs."""

import pytest

from steelyard.errors import ConfigError, InputError
from steelyard.rag.retrieval import write_run
from steelyard.search.artifacts import TERMS_HINT, is_current, read_stamp, whole_file, whole_folder, write_stamp

# files


def test_a_file_is_written_atomically(tmp_path):
    path = tmp_path / "new" / "file"
    with pytest.raises(TypeError), whole_file(path) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(["half", None])  # type: ignore[list-item]
    assert list(path.parent.iterdir()) == []
    with whole_file(path) as part:
        part.write_text("whole", encoding="utf-8")
        assert not path.exists()
    assert [each.name for each in path.parent.iterdir()] == ["file"]
    with pytest.raises(ConfigError, match=r"cannot be written: File exists$"), whole_file(path / "below") as part:
        pass


def test_a_folder_is_replaced_atomically(tmp_path):
    path = tmp_path / "index"
    with whole_folder(path, {"corpus": "1"}) as part:
        (part / "x").write_text("first", encoding="utf-8")
    with pytest.raises(KeyError), whole_folder(path, {"corpus": "2"}) as part:
        raise KeyError
    assert (path / "x").read_text(encoding="utf-8") == "first"
    assert read_stamp(path) == {"corpus": "1"}
    with whole_folder(path, {"corpus": "2"}):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["index"]
    assert [each.name for each in path.iterdir()] == ["stamp.json"]


def test_a_stamp_says_what_differs(tmp_path):
    path = tmp_path / "file"
    assert not is_current(path, {"corpus": "a" * 64}, TERMS_HINT)
    path.write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        is_current(path, {"corpus": "a" * 64}, TERMS_HINT)
    assert str(caught.value) == (
        f"{path}: there is no record of what this file was created from\n"
        "hint: if UltraRAG created it from this corpus with this model, run with --adopt; to make it again, "
        "run a pipeline with bm25_index (such as bm25_index.yaml) and overwrite: true"
    )
    write_stamp(path, {"corpus": "b" * 64, "passages": 3})
    with pytest.raises(ConfigError) as caught:
        is_current(path, {"corpus": "a" * 64, "passages": 3, "model": "m"}, TERMS_HINT)
    assert str(caught.value.message) == (
        "this file was made from other data: corpus bbbbbbbbbbbb, now aaaaaaaaaaaa; model unknown, now m"
    )
    assert is_current(path, {"passages": 3}, TERMS_HINT)


# runs


def test_a_run_is_written(tmp_path):
    path = tmp_path / "out" / "run.txt"
    write_run(str(path), [["a", "b"], [], ["c"]], [[2.5, 1.0], [], [0.1]], None)
    assert path.read_text(encoding="utf-8") == (
        "q1 Q0 a 1 2.5 steelyard\nq1 Q0 b 2 1.0 steelyard\nq3 Q0 c 1 0.1 steelyard\n"
    )
    write_run(str(path), [["a", "b", "a"]], [[3.0, 2.0, 1.0]], ["q"])  # two passages of one id
    assert path.read_text(encoding="utf-8") == "q Q0 a 1 3.0 steelyard\nq Q0 b 2 2.0 steelyard\n"
    write_run(str(path), [["a"]], [[1.0]], [7])
    assert path.read_text(encoding="utf-8") == "7 Q0 a 1 1.0 steelyard\n"


@pytest.mark.parametrize(
    ("ids", "scores", "names", "message"),
    [
        ([["a"]], [[1.0], []], None, "1 query, 1 list of ids, 2 lists of scores"),
        ([["a"]], [[1.0]], ["x", "y"], "2 queries, 1 list of ids, 1 list of scores"),
        ([["a"]], [[]], None, "the query q1 has 1 id and 0 scores"),
        ([["a b"]], [[1.0]], None, "an id with whitespace cannot be written to a run: 'a b'"),
        ([["a"]], [[1.0]], [""], "an id with whitespace cannot be written to a run: ''"),
    ],
)
def test_a_run_that_does_not_fit_is_refused(ids, scores, names, message, tmp_path):
    with pytest.raises(InputError) as caught:
        write_run(str(tmp_path / "run.txt"), ids, scores, names)
    assert str(caught.value.message) == message
    assert list(tmp_path.iterdir()) == []
