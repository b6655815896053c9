"""Every message that a user can see has a Chinese form."""

import ast
from pathlib import Path

import pytest

from steelyard.cli.messages import CHINESE, translate

SOURCES = Path(__file__).parents[2] / "src" / "steelyard"
RAISED = {"InputError", "ConfigError", "UnknownName", "SystemFailure", "TryAgain", "SteelyardError", "_BadJSON", "cls"}
# complaints of the library about itself: a programmer sees them, not a user
INSIDE = ("column {} has {} cells for {} items", "column {}: a cell is NaN if and only if it has a reason")


def template(node) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def messages():
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").endswith("_HINT"):
                yield template(node.value)
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", "")
                yield from (template(a) for a in node.args[:1] if name in RAISED)
                yield from (template(a) for a in node.args[1:2] if name == "Problem")
                yield from (template(keyword.value) for keyword in node.keywords if keyword.arg == "hint")


@pytest.mark.slow
def test_every_message_is_translated():
    found = {text for text in messages() if text is not None} - set(INSIDE)
    assert len(found) > 60
    # where a remark follows directly, the two are translated together
    missing = {
        text
        for text in found
        if not any(text == key or (text.endswith("{}") and key.startswith(text[:-2])) for key in CHINESE)
    }
    assert missing == set()


@pytest.mark.parametrize("english", CHINESE)
def test_a_translation_keeps_every_word_of_the_case(english):
    words = [f"w{n}" for n in range(english.count("{}"))]
    filled = english.format(*words)
    chinese = translate(filled, "zh")
    assert chinese != filled or english.startswith("pip install")
    assert all(word in chinese for word in words)


def test_places_stay_as_they_are():
    message = "data/run.txt:3: score is not a number: 'x: y'\nhint: list each document once per query"
    assert translate(message, "zh") == "data/run.txt:3: 得分不是数字：'x: y'\n提示：每个查询中每篇文档只列一次"
    assert translate("no metric is called 'ndgc'\nhint: did you mean 'nDCG'?", "zh") == (
        "没有名为 'ndgc' 的指标\n提示：是不是 'nDCG'？"
    )
    assert translate(message, "en") == message
    assert translate("nothing we know", "zh") == "nothing we know"
