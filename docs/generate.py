"""Write what comes from the program: pages of docs/, parts of pages between two marks, and benchmark/schema.json.

Whole pages are the commands and the metrics. Parts are the Python names, the verdicts on facts and the limits: each
stands between `<!-- NAME: made by `make docs` -->` and `<!-- NAME: end -->`. `make docs` writes all of them, in both
languages; a test fails if they are out of date.
"""

import argparse
import ast
import dataclasses
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import steelyard
from steelyard import legal, limits
from steelyard.cli.metrics import facts
from steelyard.cli.parser import build_parser
from steelyard.i18n import Language, Words, words_of
from steelyard.legal import judge_fact
from steelyard.legal.question_types import question_schema
from steelyard.limits import LIMITS
from steelyard.registry.names import all_metrics
from steelyard.suite.outcomes import KINDS
from steelyard.suite.report import shown
from steelyard.suite.targets import read_targets
from steelyard.suite.vectors import Vector, read_vectors, suite_folder

FOLDER = Path(__file__).parent
SCHEMA = FOLDER.parent / "benchmark" / "schema.json"
PROFILES = ("steelyard", "ultrarag", "ultrarag-2026-09", "squad", "rouge-score", "rouge-jieba", "rouge-chinese")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
PROFILES_HEAD = {
    "en": """## Profiles

`--profile` selects how answers and references are normalised and split into words. The default, `steelyard`, is
correct for every script; the others reproduce another program, including its errors. Every value below was computed.

| answer | reference | metric |""",
    "zh": """## 方案

`--profile` 决定回答和参考答案如何归一化、如何切分。默认方案 `steelyard` 适用于任何文字；其余方案如实复现另一个程序，\
包括它的错误。下表中的数值都是实际计算得出的。

| 回答 | 参考答案 | 指标 |""",
}
EXAMPLES = (
    ("北京", "北京", "ROUGE-L"),
    ("北京。", "北京", "EM"),
    ("北京是中国的首都", "中国的首都是北京", "F1"),
    ("１９７２年", "1972年", "EM"),
    ("他收了42000元", "2000元", "Acc"),
    ("B", "A", "Acc"),
    ("A", "A", "F1"),
    ("vitamin A", "vitamin", "EM"),
    ("none of them", "one", "Acc"),
    ("42000元", "42,000元", "EM"),
    ("3 14", "3.14", "EM"),
    ("C++", "C", "EM"),
    ("new york", "new york new york", "CoverEM"),
    ("c b a", "a b c", "CoverEM"),
    ("город Москва", "Москва", "ROUGE-1"),
    ("The generously funded plan", "generous funding plans", "ROUGE-1"),
    ("yes", "True", "EM"),
    ("法院法院判决", "法院判决", "ROUGE-1"),
)
VERDICT_WORDS = {
    "en": ("| question | answer | verdict | reason |", "correct", "wrong", " ({})"),
    "zh": ("| 题目 | 回答 | 判定 | 理由 |", "正确", "错误", "（{}）"),
}
COLLECTED, OWED, WHEN = "他一共收了多少钱？", "他还欠多少钱？", "退款是哪一天？"
LEGAL_EXAMPLES = (
    (COLLECTED, {"amount_total": 42000}, "一共四万二千元"),
    (COLLECTED, {"amount_total": 42000}, "4.2万"),
    (COLLECTED, {"amount_total": 42000}, "肆万贰仟元整"),
    (COLLECTED, {"amount_total": 42000}, "现金30000元，转账12000元，共计42000元"),
    (COLLECTED, {"amount_total": 42000}, "大约42000元"),
    (COLLECTED, {"amount_total": 42000}, "42000元或43000元"),
    (COLLECTED, {"amount_total": 42000}, "好像是42000元"),
    (COLLECTED, {"amount_total": 42000}, "四万多元"),
    (COLLECTED, {"amount_total": 42000}, "42000日元"),
    (COLLECTED, {"amount_total": 42000}, "不是42000元，是24000元"),
    (OWED, {"amount_total": 24000}, "收了42000元，退了18000元，尚欠24000元"),
    (OWED, {"amount_total": 24000}, "金额有42000元、18000元和24000元"),
    (OWED, {"amount_total": 24000}, "42000-18000=24000元"),
    (WHEN, {"date": "2020-08-30"}, "二〇二〇年八月三十日"),
    (WHEN, {"date": "2020-08-30"}, "August 30, 2020"),
    (WHEN, {"date": "2020-08-30"}, "2020年8月底"),
    (WHEN, {"date": "2020-08-30"}, "2020年8月30日以前"),
    ("他去过几次？", {"count": 2}, "两回"),
    ("他去过几次？", {"count": 2}, "两三次"),
    ("他是否承认？", {"boolean_answer": True}, "并非不承认"),
    ("他是否承认？", {"boolean_answer": False}, "笔录未载明"),
    ("年利率是多少？", {"text_answer": "1.2%"}, "百分之一点二"),
    ("年利率是多少？", {"text_answer": "1.2%"}, "不超过1.2%"),
    ("谁介绍的？", {"entity": "龚半夏"}, "由龚半夏女士介绍"),
    ("谁介绍的？", {"entity": "龚半夏"}, "龚半夏或者宫商羽"),
)
LIMITS_HEAD = {"en": "| variable | default | limit |", "zh": "| 变量 | 默认 | 上限 |"}
MARKS = "<!-- {name}: made by `make docs` -->", "<!-- {name}: end -->"
WIDEST = 110
MADE = "<!-- made by `make docs`; edit the docstrings and the parser instead -->"
TABLES = {"en": "| argument | meaning |", "zh": "| 参数 | 含义 |"}
HEADS = {
    ("metrics", "en"): f"""# Metrics

{MADE}

`steelyard metrics NAME` prints the same, in any of the spellings.""",
    ("metrics", "zh"): f"""# 指标

{MADE}

`steelyard metrics NAME --lang zh` 输出同样的内容，名称的任何写法均可。""",
    ("commands", "en"): f"""# Commands

{MADE}

`steelyard` and `ultrarag` are two names of one program; if UltraRAG is installed, `ultrarag` runs its client.
For completion in a shell (bash, fish, powershell, tcsh, zsh), `pip install ".[completion]"` and save the script once:
`steelyard --completion bash > ~/.local/share/bash-completion/completions/steelyard`.""",
    ("commands", "zh"): f"""# 命令

{MADE}

`steelyard` 和 `ultrarag` 是同一程序的两个名称；安装了 UltraRAG 时，`ultrarag` 运行它的客户端。\
要在 shell（bash、fish、powershell、tcsh、zsh）中自动补全，请 `pip install ".[completion]"`，并把脚本保存一次：\
`steelyard --completion bash > ~/.local/share/bash-completion/completions/steelyard`。""",
}
HIDDEN = (argparse._HelpAction, argparse._VersionAction, argparse._SubParsersAction)
EVERY = {
    "en": "## Options of every command\n\nAlso before the command: [CI and defaults in a file](../guides/ci.md).",
    "zh": "## 每个命令都有的选项\n\n它们也可以写在命令之前：[CI 中的输出、文件中的默认值](../guides/ci.md)。",
}


def metrics_page(language: Language = "en") -> str:
    """Return every metric with meaning, formula, conventions, source and spellings, then the profiles."""
    lines = HEADS["metrics", language].splitlines()
    for metric in all_metrics():
        first, *others = metric.explained(language)
        lines += ["", f"## {metric.name}", "", first, ""]
        lines += [f"- {line}" for line in (*others, *facts(metric, language, quote="`"))]
    return "\n".join([*lines, "", *profiles(language)]) + "\n"


def commands_page(language: Language = "en") -> str:
    """Return every command with its arguments and options."""
    lines = [*HEADS["commands", language].splitlines(), ""]
    parser = build_parser(language)
    every = [
        option
        for option in parser._option_string_actions
        if option in parser.commands.choices["demo"]._option_string_actions
    ]
    lines += [EVERY[language], "", *_options(parser, language, apart_from=["--completion"]), ""]
    for name, command in _commands(parser):
        options = _options(command, language, apart_from=every)
        lines += [f"## steelyard {name}", "", command.description or "", "", *options, ""]
    lines.append(parser.epilog or "")
    return "\n".join(lines).rstrip() + "\n"


def profiles(language: Language) -> list[str]:
    """Return examples for which profiles differ: pairs of answer and reference, scored with each."""
    lines = f"{PROFILES_HEAD[language]} {' | '.join(f'`{profile}`' for profile in PROFILES)} |".splitlines()
    lines.append(f"|---|---|---|{'---:|' * len(PROFILES)}")
    for answer, reference, metric in EXAMPLES:
        values = [steelyard.evaluate_answers([answer], [reference], [metric], profile=each) for each in PROFILES]
        cells = " | ".join(f"{table.mean(metric):.3g}" for table in values)
        lines.append(f"| {answer} | {reference} | {metric} | {cells} |")
    return lines


def verdicts(language: Language) -> str:
    """Return verdicts on facts, with their reasons."""
    head, correct, wrong, in_brackets = VERDICT_WORDS[language]
    lines = [head, "|---|---|---|---|"]
    for question, expected, answer in LEGAL_EXAMPLES:
        verdict = judge_fact(expected, answer, question=question)
        flags = ", ".join(flag.text(language) for flag in verdict.flags)
        outcome = (correct if verdict.correct else wrong) + (in_brackets.format(flags) if flags else "")
        lines.append(f"| {question} | {answer} | {outcome} | {verdict.why.text(language)} |")
    return "\n".join(lines)


def limits_table(language: Language) -> str:
    """Return the limits on input from outside, with their variables."""
    rows = [f"| `{limit.variable}` | {limits.shown(limit.value)} | {limit.meaning} |" for limit in LIMITS.values()]
    return "\n".join([LIMITS_HEAD[language], "|---|---:|---|", *rows])


def conformance(language: Language) -> str:
    """Return what came out of the conformance suite: counts by family and target, then the faults of each target."""
    words = words_of(language)
    folder = suite_folder() / "results"
    results = {name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in read_targets()}
    head = [words(f"suite_names.{name}") for name in ("family", "target", "version", "date", *KINDS)]
    lines = [_row(head), "|---|---|---|---|" + "---:|" * len(KINDS)]
    for family in sorted(path.stem for path in (suite_folder() / "computes").iterdir()):
        for name, found in results.items():
            if counts := found.get("counts", {}).get(family):
                cells = [words(f"suite_names.{family}"), name, found["target"]["version"], found["date"]]
                lines.append(_row([*cells, *(str(counts[kind]) for kind in KINDS)]))
    lines += ["", *(f"- {name}: {found['failed']}" for name, found in results.items() if "failed" in found)]
    known = {vector.id: vector for vector in read_vectors()}
    for name, found in results.items():
        lines += _faults(name, [each for each in found.get("outcomes", []) if each["kind"] == "fault"], known, words)
    return "\n".join(lines)


def _faults(name: str, faults: Sequence[dict[str, Any]], known: Mapping[str, Vector], words: Words) -> list[str]:
    if not faults:
        return []
    columns = ("vector", "expected", "got", "origin")
    lines = ["", f"### {name}", "", _row([words(f"suite_names.{column}") for column in columns]), "|---|---|---|---|"]
    for each in faults:
        vector = known[each["id"]]
        got = each.get("why") or shown(each.get("value"))
        lines.append(_row([vector.id, shown(vector.expected), got, vector.origin["where"]]))
    return lines


def _row(cells: Sequence[str]) -> str:
    escaped = " | ".join(cell.replace("|", "&#124;") for cell in cells)
    return f"| {escaped} |"


def python_names(_: Language) -> str:
    """Return the public names of both packages with signature and docstring: functions, classes, then errors."""
    members = [
        (f"{module.__name__}.{name}", getattr(module, name)) for module in (steelyard, legal) for name in dir(module)
    ]
    described = [(name, member) for name, member in members if callable(member)]
    return "\n\n".join(_member(name, member) for name, member in sorted(described, key=lambda pair: _order(pair[1])))


def _order(member: object) -> tuple[bool, bool]:
    return inspect.isclass(member), inspect.isclass(member) and issubclass(member, Exception)


def _member(name: str, member: Any) -> str:
    described = _class(member) if inspect.isclass(member) else [f"```text\n{_signature(member)}\n```"]
    docstring = re.sub(r"^>>> .*?(?=\n\n|\Z)", r"```pycon\n\g<0>\n```", inspect.getdoc(member) or "", flags=re.M | re.S)
    return "\n\n".join([f"### {name}", docstring, *described])


def _signature(function: Callable[..., Any]) -> str:
    """Return a call as the source has it, on one line if it fits, else with a parameter on each."""
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, ast.FunctionDef)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({ast.unparse(node.args)}){returned}"
    if len(line) <= WIDEST:
        return line
    parameters = re.split(r", (?=\*?\*?\w+:|\*,)", ast.unparse(node.args))
    return f"{node.name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){returned}"


def _class(member: type) -> list[str]:
    """Return the fields of a class, then its public methods and properties with the first line of their docstrings."""
    fields = dataclasses.fields(member) if dataclasses.is_dataclass(member) else ()
    named = ", ".join(f"`{field.name}`" for field in fields)
    public = {name: value for name, value in vars(member).items() if not name.startswith("_")}
    rows = [f"- `.{name}()`: {_summary(value)}" for name, value in public.items() if inspect.isfunction(value)]
    rows += [f"- `.{name}`: {_summary(value)}" for name, value in public.items() if isinstance(value, property)]
    return [text for text in (f"Fields: {named}" if named else "", "\n".join(rows)) if text]


def _summary(member: object) -> str:
    return (inspect.getdoc(member) or "").partition("\n")[0].replace("<", "&lt;")


def with_part(page: str, name: str, text: str) -> str:
    """Return a page with another text between two marks."""
    opening, closing = (mark.format(name=name) for mark in MARKS)
    before, _, rest = page.partition(opening)
    _, closed, after = rest.partition(closing)
    if not closed:
        raise ValueError(f"the page lacks {opening} or {closing}")
    return f"{before}{opening}\n\n{text}\n\n{closing}{after}"


def schema_file() -> str:
    """Return the schema of question files; an object that fits on a line has one."""
    return _json(question_schema(), "") + "\n"


def _json(value: Any, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= WIDEST or not isinstance(value, dict | list):
        return line
    inner = f"{indent}  "
    members = value.items() if isinstance(value, dict) else ((None, each) for each in value)
    names = ((f"{json.dumps(key)}: " if key else "", each) for key, each in members)
    rows = ",\n".join(f"{inner}{name}{_json(each, inner)}" for name, each in names)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{rows}\n{indent}{closing}"


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name, command
                yield from ((f"{name} {of}", each) for of, each in _commands(command))


def _options(parser: argparse.ArgumentParser, language: Language, apart_from: Sequence[str] = ()) -> list[str]:
    """Return the table of arguments and options, if there are any."""
    rows = []
    for action in parser._actions:
        hidden = action.help == argparse.SUPPRESS or isinstance(action, HIDDEN)  # actions have a part of their own
        if not hidden and not set(action.option_strings) & set(apart_from):
            names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.metavar or action.dest}`"
            choices = f" `{'` `'.join(map(str, action.choices))}`" if action.choices else ""
            value = f" `{action.metavar}`" if action.option_strings and action.metavar else choices
            meaning = parser._get_formatter()._expand_help(action) if action.help else ""
            rows.append(f"| {names}{value} | {meaning} |")
    return [TABLES[language], "|---|---|", *rows] if rows else []


PAGES: dict[str, Callable[[Language], str]] = {
    "reference/metrics.md": metrics_page,
    "reference/commands.md": commands_page,
}
PARTS: dict[str, tuple[str, Callable[[Language], str]]] = {
    "reference/python.md": ("names", python_names),
    "explanation/verdicts.md": ("verdicts", verdicts),
    "explanation/security.md": ("limits", limits_table),
    "explanation/conformance.md": ("conformance", conformance),
}
"""The part of a page that is generated: its name in the marks, and what writes it."""


def generated(folder: Path = FOLDER) -> Iterator[tuple[Path, str]]:
    """Yield every generated file with its text."""
    for language in LANGUAGES:
        for page, write in PAGES.items():
            yield folder / language / page, write(language)
        for page, (name, write) in PARTS.items():
            path = folder / language / page
            yield path, with_part(path.read_text("utf-8"), name, write(language))
    yield SCHEMA, schema_file()


def main() -> None:
    """Write all files."""
    for path, text in generated():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
