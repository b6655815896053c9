"""The catalogues: every message that the program makes has a text in every language, with the same arguments."""

import ast
import json
import os
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from steelyard.cli.judge import COMMANDS as JUDGE
from steelyard.cli.parser import MODULES
from steelyard.i18n import LANGUAGES, Joined, Message, as_message, texts

SOURCES = Path(__file__).parents[1] / "src" / "steelyard"
FILES = [*sorted(SOURCES.rglob("*.py")), *sorted((SOURCES.parents[1] / "servers").rglob("*.py"))]
TEMPLATES = [*sorted(SOURCES.rglob("*.j2")), *sorted(SOURCES.rglob("*.js"))]
BY_NAME = (
    *("argparse", "metavars", "json", "os", "remarks", "_names", "_values"),
    *("parts", "kinds", "loose", "units", "senses"),
)
"""Sections whose texts are found by their English words, or by a name of the program."""
OTHERS = [language for language in LANGUAGES if language != "en"]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@cache
def calls() -> list[tuple[str, str, set[str] | None]]:
    """Where a message is made: place, code, and the names of its arguments (None where they are not spelled out)."""
    return list(_calls())


def _calls() -> Iterator[tuple[str, str, set[str] | None]]:
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            target.id: node.value.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id.isupper()
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Message", "Joined", "words"):
                first = node.args[0]
                code = first.value if isinstance(first, ast.Constant) else named.get(getattr(first, "id", ""))
                spelled = all(keyword.arg for keyword in node.keywords)
                names = {keyword.arg or "" for keyword in node.keywords} if spelled else None
                if isinstance(code, str):
                    is_joined = getattr(node.func, "id", "") == "Joined"
                    yield f"{path.name}:{node.lineno}", code, None if is_joined else names


@pytest.mark.slow
def test_every_code_is_in_the_catalogue():
    missing = [f"{place} {code}" for place, code, _ in calls() if code not in texts("en")]
    assert missing == []


@pytest.mark.slow
def test_every_message_has_the_arguments_of_its_text():
    wrong = [
        f"{place} {code}: {sorted(names)}"
        for place, code, names in calls()
        if names is not None and code in texts("en") and names != placeholders(texts("en")[code])
    ]
    assert wrong == []


def test_every_code_of_a_page_is_in_the_catalogue():
    """Codes stand in templates and scripts as what is shown, and in scripts as values of constants, too."""
    sections = "|".join({code.partition(".")[0] for code in texts("en")})
    for path in TEMPLATES:
        source = path.read_text(encoding="utf-8")
        shown = re.findall(r"""\b(?:t|label|word|spoken|block|list|folded|control)\((["'])(.*?)\1""", source)
        quoted = re.findall(rf"""["']((?:{sections})\.[a-z0-9_]+)["']""", source)
        codes = {code for _, code in shown} | {code for code in quoted if not code.endswith(".jsonl")}
        assert codes - texts("en").keys() == set(), path.name


def test_every_text_is_used():
    """A text is used where its code stands in the sources, in a call or as a value that is chosen, or by a command."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (*FILES, *TEMPLATES))
    actions = [f"{name}_{action}" for name, command in JUDGE.items() for action in command.actions]
    of_commands = {f"help.{name}{end}" for name in (*MODULES, *actions) for end in ("", "_about")}
    others = [code for code in texts("en") if code not in of_commands]
    spelled = [code for code in others if not code.partition(".")[0].endswith(BY_NAME)]
    assert [code for code in spelled if f'"{code}"' not in sources and f"'{code}'" not in sources] == []


def catalogue(language: str) -> dict[str, str]:
    own = json.loads((SOURCES / "i18n" / f"{language}.json").read_text(encoding="utf-8"))
    return {f"{section}.{name}": text for section, names in own.items() for name, text in names.items()}


def test_chinese_has_every_text():
    assert catalogue("zh").keys() == texts("en").keys()


@pytest.mark.parametrize("language", OTHERS)
def test_the_texts_of_a_language_have_codes_and_the_same_arguments(language):
    codes = catalogue(language)
    assert codes.keys() <= texts("en").keys()
    assert {code for code, text in codes.items() if placeholders(text) != placeholders(texts("en")[code])} == set()


@pytest.mark.slow
def test_a_language_is_added_by_one_file(tmp_path):
    """A catalogue of three texts: the language can be chosen, its page is in it, and the other texts are English."""
    shutil.copytree(SOURCES, tmp_path / "steelyard", ignore=shutil.ignore_patterns("__pycache__"))
    own = {"language": {"name": "Deutsch", "tag": "de"}, "report": {"summary": "Überblick"}}
    (tmp_path / "steelyard" / "i18n" / "de.json").write_text(json.dumps(own), encoding="utf-8")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 tag\n")
    command = [sys.executable, "-m", "steelyard", "retrieval", "qrels", "run", "-o", "page.html", "--lang", "de"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<html lang="de">' in page
    assert '<span data-en="summary" data-de="Überblick" data-zh="概要">Überblick</span>' in page
    assert '<span data-en="settings" data-de="settings" data-zh="设置">settings</span>' in page
    assert '<button type="button" id="language-switch">中文</button>' in page


def test_chinese_texts_are_chinese():
    alike = [code for code, text in texts("zh").items() if not re.search("[\u3001-\u9fff\uff00-\uffef]", text)]
    assert [code for code in alike if texts("en")[code].lower() != texts("zh")[code].lower()] == [
        "core.percent",
        "language.tag",
    ]


def test_arguments_are_put_into_the_same_language():
    message = Message("core.unknown_name", what=Message("words.metric"), name="ndgc")
    assert str(message) == "no metric is called 'ndgc'"
    assert message.text("zh") == "没有名为 'ndgc' 的指标"


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 error"), ("1", "1 error"), (0, "0 errors"), ("1,234", "1,234 errors")]
)
def test_one_thing_is_in_the_singular(count, text):
    assert str(Message("report.n_errors", n=count)) == text


def test_a_count_in_english_has_words_for_one():
    """Texts that begin with a count and its noun; what stands after "of" or "more than" is not looked at."""
    counted = re.compile(r"^\{(n|count|rows|number)\} (more )?[a-z]+s\b")
    assert [code for code, text in texts("en").items() if counted.search(text)] == ["report.repeats_clustered"]


def test_joined_texts():
    either = Joined("core.or", [Message("words.a_list"), Message("words.an_object")])
    assert (str(either), either.text("zh")) == ("a list or an object", "列表或对象")


def test_text_of_others_is_never_translated():
    assert as_message("no such file").text("zh") == "no such file"


def test_messages_are_values():
    assert Message("core.known", names="a") == Message("core.known", names="a") != Message("core.known", names="b")
    assert len({Message("core.known", names="a"), Message("core.known", names="a")}) == 1
