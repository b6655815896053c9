"""Each sample is recognised by its own format and by no other, and damage to it ends in one message."""

import json
import random
from contextlib import closing
from pathlib import Path

import pytest
from foreign_files import DATA

from steelyard.errors import SteelyardError
from steelyard.io.foreign.containers import open_container
from steelyard.io.foreign.formats import format_called, formats, is_writable, open_source

FORMATS = {
    "cail2025": ("cail2025",),
    "deepeval": ("deepeval_goldens", "deepeval_conversations", "deepeval_camel"),
    "deepeval-run": ("deepeval_latest",),
    "flashrag": ("flashrag", "ultrarag_dataset"),
    "haystack": ("haystack",),
    "judge": ("judge",),
    "lawbench": ("lawbench",),
    "lm-eval": ("samples_",),
    "mlflow": ("mlflow",),
    "open-rag-eval": ("open_rag_eval",),
    "promptfoo": ("promptfoo",),
    "ragas": ("ragas",),
    "ragchecker": ("ragchecker",),
    "ultrarag": ("ultrarag_memory", "ultrarag_evaluate"),
}
BEGINNINGS = {beginning: name for name, beginnings in FORMATS.items() for beginning in beginnings}
SAMPLES = sorted(path.name for path in DATA.glob("*.*") if path.name.startswith(tuple(BEGINNINGS)))
TEXTS = [name for name in SAMPLES if not name.endswith(".parquet")]


def format_of(sample: str) -> str:
    """The format of a sample by its name; the longest beginning counts."""
    return BEGINNINGS[max((each for each in BEGINNINGS if sample.startswith(each)), key=len)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_one_format_recognises_a_sample(sample):
    assert recognised_by(DATA / sample) == [format_of(sample)]


def recognised_by(path: Path) -> list[str]:
    """Every format that recognises a file."""
    found = []
    for name, each in formats().items():
        with closing(open_container(path)) as container:
            found += [name] if each.recognises(container) else []
    return found


def test_every_format_has_a_sample():
    assert {format_of(sample) for sample in SAMPLES} == set(FORMATS)


@pytest.mark.parametrize("name", [name for name in FORMATS if is_writable(format_called(name))])
def test_nothing_is_written_as_nothing(name, tmp_path):
    format_called(name).write([], tmp_path / "x.jsonl")  # type: ignore[attr-defined]
    assert (tmp_path / "x.jsonl").read_text() == ""


def damaged(value: object, chance: random.Random) -> object:
    """A JSON value in which some parts are of another kind or missing."""
    if chance.random() < 0.04:
        return chance.choice([None, "x", 7, -1.5, True, [], {}, [None], {"a": 1}, "", float("nan")])
    if isinstance(value, dict):
        return {name: damaged(each, chance) for name, each in value.items() if chance.random() > 0.03}
    return [damaged(each, chance) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("sample", [name for name in TEXTS if not name.endswith(".csv")])
def test_a_damaged_sample_is_read_or_refused(sample, tmp_path):
    text = (DATA / sample).read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if sample.endswith(".jsonl") else json.loads(text)
    chance = random.Random(sample)
    for _ in range(40):
        content = damaged(rows, chance)
        lines = content if sample.endswith(".jsonl") and isinstance(content, list) else None
        written = json.dumps(content) if lines is None else "\n".join(json.dumps(each) for each in lines)
        (tmp_path / sample).write_text(written, "utf-8")
        read_or_refused(tmp_path / sample, format_of(sample))


@pytest.mark.parametrize("sample", TEXTS)
def test_a_part_of_a_sample_is_read_or_refused(sample, tmp_path):
    content = (DATA / sample).read_bytes()
    for part in range(1, 12):
        (tmp_path / sample).write_bytes(content[: len(content) * part // 12])
        read_or_refused(tmp_path / sample, format_of(sample))


def read_or_refused(path, name):
    """Read a file as a format; an error must be one that names the file."""
    failure = ""
    try:
        for record in open_source(path, name).records():
            json.dumps(record.fields)
    except SteelyardError as error:
        failure = str(error)
    assert not failure or path.name in failure
