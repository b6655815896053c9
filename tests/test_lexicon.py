"""Words as data: every entry matches its example and not its counterexample, and every class is used."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

import steelyard
from steelyard.lexicon import LANGUAGES, lexicon

NAMES = sorted(
    file.name.removesuffix(".toml") for file in files("steelyard.lexicon").iterdir() if file.name.endswith(".toml")
)
ENTRIES = [(name, cls, entry) for name in NAMES for cls, entry in lexicon(name).entries()]
PACKAGE = Path(steelyard.__file__).parent
SOURCE = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
FILES = {name: (PACKAGE / "lexicon" / f"{name}.toml").read_text("utf-8") for name in NAMES}


@pytest.mark.parametrize(
    ("name", "cls", "entry"), ENTRIES, ids=[f"{name}.{cls}.{number}" for number, (name, cls, _) in enumerate(ENTRIES)]
)
def test_an_entry_matches_its_example_and_not_its_counterexample(name, cls, entry):
    languages = [key for key in entry if key in (*LANGUAGES, "words")]
    assert len(languages) == 1, f"{name}.{cls}: one of zh, en, any and words"
    assert set(entry) - set(languages) == {"yes", "no", "origin"}
    if "words" in entry:
        assert entry["yes"] in entry["words"].split()
        assert entry["no"] not in entry["words"].split()
        return
    pattern = re.compile(lexicon(name).entry_source(entry), re.IGNORECASE)
    assert pattern.search(entry["yes"]), f"{name}.{cls} does not match {entry['yes']!r}"
    assert not pattern.search(entry["no"]), f"{name}.{cls} matches {entry['no']!r}"


@pytest.mark.parametrize("name", NAMES)
def test_every_class_is_used(name):
    for cls in dict.fromkeys(cls for cls, _ in lexicon(name).entries()):
        kinds = f'f"{cls.partition("_")[0]}_{{kind}}"'  # one class for each kind of item or cue
        is_named = re.search(rf"""["']{cls}["']""", SOURCE) or f"«{cls}»" in FILES[name] or kinds in SOURCE
        assert is_named or any(f"«{name}.{cls}»" in text for text in FILES.values()), f"{name}.{cls}"
