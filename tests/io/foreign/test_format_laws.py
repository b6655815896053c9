"""Laws of all formats: one recogniser for each file, names, and what X → ours → X keeps."""

import copy
import json
import random
from typing import Any

import pytest
from foreign_files import DATA, carried, fields_of, title_of

from steelyard.errors import InputError
from steelyard.io.foreign import native
from steelyard.io.foreign.containers import open_container
from steelyard.io.foreign.formats import formats, is_writable
from steelyard.io.foreign.rows import ALL

FOLDERS = [folder for folder in DATA.rglob("*") if (folder / "queries.jsonl").is_file() or folder.name == "mteb"]
INSIDE = [path for folder in FOLDERS for path in folder.rglob("*")]
FILES = sorted(path for path in DATA.rglob("*") if path.is_file() and path.name != "README.md" and path not in INSIDE)
SAMPLES = [*FILES, *FOLDERS]
OTHERS: list[Any] = [None, 7, "x", [], {}, [1], [{}], {"a": {"b": []}}, True, "{", float("nan")]


def recognising(path):
    container = open_container(path)
    try:
        return [name for name, each in formats().items() if each.recognises(container)]
    finally:
        container.close()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(DATA)))
def test_one_format_alone_recognises_a_file(path):
    assert len(recognising(path)) == 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(DATA)))
def test_records_have_our_fields_and_keep_what_has_no_place_under_the_name_of_their_format(path):
    (name,) = recognising(path)
    for fields in fields_of(path):
        assert fields.keys() <= ALL
        assert set(fields.get("extra", {})) <= {name}
        assert json.loads(json.dumps(fields)) == fields


WRITTEN = [path for path in SAMPLES if any(is_writable(formats()[name]) for name in recognising(path))]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(DATA)))
def test_what_a_format_has_a_place_for_is_the_same_after_our_rows(path, tmp_path):
    (name,) = recognising(path)
    native.write(fields_of(path), tmp_path / "ours.jsonl")
    target = tmp_path / (f"{path.stem}.jsonl" if _is_array(path) else path.name)
    formats()[name].write(fields_of(tmp_path / "ours.jsonl"), target)  # type: ignore[attr-defined]
    assert carried(fields_of(target), name) == carried(fields_of(path), name)


def test_titles_and_names_differ():
    assert len({each.TITLE for each in formats().values()}) == len(formats())
    assert all(name == each.NAME for name, each in formats().items())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_format_is_on_the_page(language):
    text = (DATA.parents[3] / "docs" / language / "reference" / "formats.md").read_text("utf-8")
    assert [name for name in formats() if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.csv", "empty.json"])
def test_a_file_without_rows_has_no_format(name, tmp_path):
    file = tmp_path / name
    file.write_text({"empty.jsonl": "", "empty.csv": "id,prediction\n", "empty.json": "{}"}[name])
    assert title_of(file) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix in (".json", ".jsonl")], ids=lambda path: str(path.relative_to(DATA))
)
def test_values_of_another_type_are_read_or_refused_with_a_message(path, tmp_path):
    text = path.read_text()
    given = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
    places = [place for place in _places(given) if len(place) > (path.suffix == ".jsonl")]
    file = tmp_path / path.name
    for place in random.Random(5).sample(places, min(len(places), 20)):
        for value in OTHERS:
            changed = _replaced(given, place, value)
            lines = changed if path.suffix == ".jsonl" else [changed]
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
            assert str(file) in _said(file)


def _is_array(path):
    """Whether a file holds rows in another way than as lines or cells; these are written as lines."""
    container = open_container(path)
    container.close()
    return container.kind == "rows" and path.suffix in (".json", ".parquet")


def _said(file):
    """The message about a file; its name if it could be read."""
    try:
        fields_of(file)
    except InputError as error:
        return str(error)
    return str(file)


def _places(value, place=()):
    yield place
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from _places(member, (*place, key))


def _replaced(given, place, value):
    changed = copy.deepcopy(given)
    if not place:
        return value
    around = changed
    for key in place[:-1]:
        around = around[key]
    around[place[-1]] = value
    return changed
