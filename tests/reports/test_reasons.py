"""Every reason that a legal verdict can give has a Chinese form."""

import ast
import re
from itertools import product
from pathlib import Path

import pytest

from steelyard.legal import claims, forbidden
from steelyard.legal.facts import FIELDS
from steelyard.reports.legal import PARTS
from steelyard.reports.reasons import KINDS, LEADS, NAMES, REASONS, WORDS, reason_in

SOURCES = Path(__file__).parents[2] / "src" / "steelyard"
# they speak of question files, make answers, hold patterns, or name kinds; none of them gives a reason
SILENT = ("__init__", "clauses", "forbidden", "lint", "model", "oracle", "quotes")
SILENT += ("copies", "english_refusal_words", "equations", "polarity_words", "proper_names", "refusal_words", "roles")
SILENT += ("saying", "sources")
ENGLISH = re.compile(r"[a-z]{2}[:,]? [a-z{(]")
# the place before a reason about a citation, joined to it in the next line of the source
PLACE = "page {}, '{}'"


def templates(node, constants):
    """The texts that an expression can be, {} for words of the case; `x or "y"` inside is both."""
    if isinstance(node, ast.Constant):
        return [node.value]
    choices = [_choices(part, constants) for part in node.values]
    return ["".join(chosen) for chosen in product(*choices)]


def _choices(part, constants):
    if isinstance(part, ast.Constant):
        return [part.value]
    slot = "'{}'" if part.conversion == ord("r") else "{}"
    if isinstance(part.value, ast.Name) and part.value.id in constants:
        return [constants[part.value.id]]
    if isinstance(part.value, ast.BoolOp):
        return [slot, part.value.values[-1].value]
    return [slot]


def reasons_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant)
    }
    for node in _without_patterns(tree):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield from templates(node, constants)


def _without_patterns(node):
    """The nodes of a tree without docstrings, constants, patterns, lists of words, and the pieces of a longer text."""
    is_alone = isinstance(node, ast.Expr | ast.AnnAssign) and isinstance(node.value, ast.Constant)
    if is_alone or _is_word_list(node) or ast.unparse(getattr(node, "func", node)).startswith("re."):
        return
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _without_patterns(child)


def _is_word_list(node):
    """Whether a node is "some words".split()."""
    function = getattr(node, "func", None)
    is_split = isinstance(function, ast.Attribute) and function.attr == "split"
    return is_split and isinstance(function.value, ast.Constant)


def remarks_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and str(node.value).startswith("approx_") and path.stem == "amounts":
            yield node.value


def produced():
    paths = [path for path in sorted((SOURCES / "legal").glob("*.py")) if path.stem not in SILENT]
    paths.append(SOURCES / "pipelines" / "judging.py")
    found = {text for path in paths for text in reasons_of(path) if ENGLISH.search(text)}
    found |= {text for path in paths for text in remarks_of(path)}
    return sorted(found - {PLACE})


def loose_words():
    """Why a value of an answer is not exact."""
    for name in ("dates", "mentions"):
        for node in ast.walk(ast.parse((SOURCES / "text" / f"{name}.py").read_text(encoding="utf-8"))):
            is_set = isinstance(node, ast.Assign) and "loose" in ast.unparse(node.targets[0])
            if is_set or (isinstance(node, ast.keyword) and node.arg == "loose"):
                words = (leaf.value for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant))
                yield from (word for word in words if isinstance(word, str) and word)


@pytest.mark.slow
def test_reasons_are_found():
    found = produced()
    assert len(found) > 60
    for text in ("the answer says no such number", "in the asked role the answer names {}", "approx_added"):
        assert text in found


@pytest.mark.parametrize("english", produced())
def test_every_reason_is_translated(english):
    filled = english.removeprefix("{}: ").replace("{}", "七")
    chinese = reason_in("zh", filled)
    assert re.search("[a-z]", chinese) is None, chinese
    assert chinese.count("七") == filled.count("七")


@pytest.mark.parametrize("english", REASONS)
def test_a_translation_keeps_every_word_of_the_case(english):
    words = [f"w{n}" for n in range(english.count("{}"))]
    chinese = reason_in("zh", english.format(*words))
    assert all(word in chinese for word in words)
    assert re.search("[a-z]{2}", chinese) is None, chinese


@pytest.mark.slow
def test_no_translation_is_left_over():
    made = {text.replace("'{}'", "{}").removeprefix("{}: ") for text in produced()}
    # built from pieces: the ends of a range are joined, and so are the sums of a list
    built = {"the field is {} to {}", "the answer lists nothing"}
    assert set(REASONS) - made - built == set()
    assert {f"{lead}: {{}}" for lead in LEADS} <= made


def test_every_part_and_every_field_has_a_name():
    assert {*PARTS, *FIELDS} <= set(NAMES)
    assert set(loose_words()) <= set(WORDS)
    kinds = claims._CHECKED | {kind for kinds in forbidden._KINDS.values() for kind in kinds}
    assert kinds | {"quote", "name", "place"} == set(KINDS)


LINES = {
    "exact_match: amount_total: 24000元 is not 42000; citation_correctness: page 1, '一共收了42000元': not page 1": (
        "精确匹配：金额：回答称“24000元”，应为 42000；引用正确：第 1 页“一共收了42000元”：引用的不是第 1 页"
    ),
    "exact_match: date: 2022年5月30日 is not exact (bound); count: the answer says that there was none": (
        "精确匹配：日期：“2022年5月30日”不确切（只是上限或下限）；数量：回答称数量为零"
    ),
    "exact_match: boolean_answer: the answer says no; citation_correctness: every required passage is cited": (
        "精确匹配：是非：回答称“否”；引用正确：应引的段落均已引用"
    ),
    "exact_match: date_range: the field is 2022-06-01 to 2022-06-15; citation_correctness: page 1, '甲': nothing is "
    "cited; page 7, '乙': said to be the question": (
        "精确匹配：起止日期：字段为“2022-06-01 至 2022-06-15”；"
        "引用正确：第 1 页“甲”：没有引用；第 7 页“乙”：引用时标为问话"
    ),
    "recall: page 2, 'a; recall: b': does not include \"it's; page 3, 'c': d\"; precision: 1 of 4 snippets are "
    "relevant; citation_provided: a snippet stands on its page": (
        "证据召回：第 2 页“a; recall: b”：引文不含“it's; page 3, 'c': d”；证据精确：4 个片段中有 1 个相关；"
        "有引用：有片段见于所标的页"
    ),
    "correct_abstention: after '没有' the answer goes on: 是5元; no_hallucination: 王五, 李四 (name), 555-0142 "
    "(forbidden phone); quote_included: does not quote I can't tell: no; conflict_surfaced: does not give '甲' on page "
    "2": (
        "拒答正确：说了“没有”之后又作答：“是5元”；没有编造：查出“王五, 李四”（姓名）、“555-0142”（禁止提供的电话）；"
        "引用原话：没有引用“I can't tell: no”；指出矛盾：没有给出第 2 页的“甲”"
    ),
    "recall: page 2, 'it\\'s \"x\"; recall: b': nothing is cited": '证据召回：第 2 页“it\'s "x"; recall: b”：没有引用',
    "no_hallucination: he is not she; recall: all (quote); quote_included: quotes 'he' is not she": (
        "没有编造：查出“he is not she; recall: all”（引语）；引用原话：引用了“'he' is not she”"
    ),
    "count_ok: 1 of 3 snippets": "片段数：应有 3 个，只有 1 个",
    "exact_match: entity: the text says that it is unknown: the answer says '未记载'": (
        "精确匹配：姓名或名称：文本却称不知道：回答称“未记载”"
    ),
    "parts_do_not_add_up: 3000 is not 4000元": "各项之和 3000 与所称合计“4000元”不符",
}


@pytest.mark.parametrize("english", LINES)
def test_whole_lines(english):
    assert reason_in("zh", english) == LINES[english]
    assert reason_in("en", english) == english


def test_what_is_not_known_stays_english():
    assert reason_in("zh", "no answer within 60 s; 3 attempts") == "no answer within 60 s; 3 attempts"
    line = "exact_match: date: an unheard-of reason; count: the answer says 四份"
    assert reason_in("zh", line) == "精确匹配：日期：an unheard-of reason；数量：回答称“四份”"
