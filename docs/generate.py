"""Generate what comes from the program: in docs/ metrics, commands, profiles, legal-examples, modules, limits; and
benchmark/schema.json.

`make docs` writes them; a test fails if they are out of date.
"""

import argparse
import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import steelyard
from steelyard import limits
from steelyard.cli.metrics import facts
from steelyard.cli.parser import build_parser
from steelyard.i18n import Language
from steelyard.legal import judge_fact
from steelyard.legal.question_types import question_schema
from steelyard.limits import LIMITS
from steelyard.registry.names import all_metrics

FOLDER = Path(__file__).parent
SCHEMA = FOLDER.parent / "benchmark" / "schema.json"
PACKAGE = FOLDER.parent / "src" / "steelyard"
PROFILES = ("steelyard", "ultrarag", "squad", "rouge-score", "rouge-jieba", "rouge-chinese")
PROFILES_HEAD = """Every value was computed with the profile of its column. The default profile is
correct for every script; the others reproduce other programs, including their errors.

每个数值都由该列的方案实际计算得出；默认方案适用于任何文字，其余方案如实复现其他程序，包括它们的错误。"""
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
LEGAL_HEAD = """Every verdict and reason was computed by `judge_fact`. 每个判定和理由都由 `judge_fact` 实际计算得出。"""
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
LIMITS_BEGIN, LIMITS_END = "<!-- limits: made by `make docs` -->", "<!-- limits: end -->"
WIDEST = 110
MADE = "<!-- made by `make docs`; edit the docstrings and the parser instead -->"
SUFFIXES = {"en": ".md", "zh": ".zh.md"}
TABLES = {"en": "| argument | meaning |", "zh": "| 参数 | 含义 |"}
HEADS = {
    ("metrics", "en"): f"""# Metrics

[中文](metrics.zh.md)

{MADE}

`steelyard metrics NAME` prints the same, in any of the spellings.""",
    ("metrics", "zh"): f"""# 指标

[English](metrics.md)

{MADE}

`steelyard metrics NAME --lang zh` 输出同样的内容，名称的任何写法均可。""",
    ("commands", "en"): f"""# Commands

[中文](commands.zh.md)

{MADE}

`steelyard` and `ultrarag` are two names of one program; if UltraRAG is installed, `ultrarag` runs its client.
For completion in a shell (bash, fish, powershell, tcsh, zsh), `pip install ".[completion]"` and save the script once:
`steelyard --completion bash > ~/.local/share/bash-completion/completions/steelyard`.""",
    ("commands", "zh"): f"""# 命令

[English](commands.md)

{MADE}

`steelyard` 和 `ultrarag` 是同一程序的两个名称；安装了 UltraRAG 时，`ultrarag` 运行它的客户端。
要在 shell（bash、fish、powershell、tcsh、zsh）中自动补全，请 `pip install ".[completion]"`，并把脚本保存一次：
`steelyard --completion bash > ~/.local/share/bash-completion/completions/steelyard`。""",
}
HIDDEN = (argparse._HelpAction, argparse._VersionAction, argparse._SubParsersAction)
EVERY = {
    "en": "## Options of every command\n\nAlso before the command: [output in CI, defaults in a file](ci.md).",
    "zh": "## 每个命令都有的选项\n\n它们也可以写在命令之前：[CI 中的输出、文件中的默认值](ci.zh.md)。",
}
MODULES_TITLE = f"""# Modules

{MADE}

The first line of the docstring of every folder and module. How they work together: [architecture](architecture.md)."""


def metrics_page(language: Language = "en") -> str:
    """Every metric: meaning, formula, conventions, source, spellings."""
    lines = HEADS["metrics", language].splitlines()
    for metric in all_metrics():
        first, *others = metric.explained(language)
        lines += ["", f"## {metric.name}", "", first, ""]
        lines += [f"- {line}" for line in (*others, *facts(metric, language, quote="`"))]
    return "\n".join(lines) + "\n"


def commands_page(language: Language = "en") -> str:
    """Every command with its arguments and options."""
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


def profiles_page() -> str:
    """Examples for which profiles differ: pairs of answer and reference, scored with each."""
    lines = ["# Differences between profiles", "", MADE, "", PROFILES_HEAD, ""]
    lines += [f"| answer | reference | metric | {' | '.join(f'`{profile}`' for profile in PROFILES)} |"]
    lines += [f"|---|---|---|{'---:|' * len(PROFILES)}"]
    for answer, reference, metric in EXAMPLES:
        values = [steelyard.evaluate_answers([answer], [reference], [metric], profile=each) for each in PROFILES]
        cells = " | ".join(f"{table.mean(metric):.3g}" for table in values)
        lines.append(f"| {answer} | {reference} | {metric} | {cells} |")
    return "\n".join(lines) + "\n"


def legal_page() -> str:
    """Verdicts on facts, with their reasons."""
    lines = ["# Examples of verdicts on facts", "", MADE, "", LEGAL_HEAD, ""]
    lines += ["| question | answer | verdict | reason |", "|---|---|---|---|"]
    for question, expected, answer in LEGAL_EXAMPLES:
        verdict = judge_fact(expected, answer, question=question)
        flags = f" ({', '.join(verdict.remarks)})" if verdict.remarks else ""
        outcome = "correct" if verdict.correct else "wrong"
        lines.append(f"| {question} | {answer} | {outcome}{flags} | {verdict.reason} |")
    return "\n".join(lines) + "\n"


def modules_page() -> str:
    """Every folder and module of the package with the first line of its docstring."""
    lines = [MODULES_TITLE, "", *_modules(PACKAGE), ""]
    for folder in sorted(path.parent for path in PACKAGE.rglob("*/__init__.py")):
        name = folder.relative_to(PACKAGE).as_posix()
        lines += [f"## `{name}/`", "", _summary(folder / "__init__.py"), "", *_modules(folder), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _modules(folder: Path) -> list[str]:
    paths = (path for path in sorted(folder.glob("*.py")) if not path.stem.startswith("__"))
    rows = [f"| `{path.stem}` | {_summary(path)} |" for path in paths]
    return ["| module | content |", "|---|---|", *rows] if rows else []


def _summary(path: Path) -> str:
    text = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
    return text.replace("|", r"\|")


def security_page() -> str:
    """The existing page with the table of limits between its two marks."""
    before, _, rest = (FOLDER / "security.md").read_text("utf-8").partition(LIMITS_BEGIN)
    _, _, after = rest.partition(LIMITS_END)
    rows = [f"| `{limit.variable}` | {limits.shown(limit.value)} | {limit.meaning} |" for limit in LIMITS.values()]
    table = "\n".join(["| variable | default | limit |", "|---|---:|---|", *rows])
    return f"{before}{LIMITS_BEGIN}\n\n{table}\n\n{LIMITS_END}{after}"


def schema_file() -> str:
    """The schema of question files; an object that fits on a line has one."""
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
            yield from action.choices.items()


def _options(parser: argparse.ArgumentParser, language: Language, apart_from: Sequence[str] = ()) -> list[str]:
    """The table of arguments and options, if there are any."""
    rows = []
    for action in parser._actions:
        hidden = action.help == argparse.SUPPRESS or isinstance(action, HIDDEN)
        if not hidden and not set(action.option_strings) & set(apart_from):
            names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{action.metavar or action.dest}`"
            choices = f" `{'` `'.join(map(str, action.choices))}`" if action.choices else ""
            value = f" `{action.metavar}`" if action.option_strings and action.metavar else choices
            meaning = parser._get_formatter()._expand_help(action) if action.help else ""
            rows.append(f"| {names}{value} | {meaning} |")
    return [TABLES[language], "|---|---|", *rows] if rows else []


def main() -> None:
    """Write all pages."""
    for language, suffix in SUFFIXES.items():
        (FOLDER / f"metrics{suffix}").write_text(metrics_page(language), encoding="utf-8")
        (FOLDER / f"commands{suffix}").write_text(commands_page(language), encoding="utf-8")
    (FOLDER / "profiles.md").write_text(profiles_page(), encoding="utf-8")
    (FOLDER / "legal-examples.md").write_text(legal_page(), encoding="utf-8")
    (FOLDER / "modules.md").write_text(modules_page(), encoding="utf-8")
    (FOLDER / "security.md").write_text(security_page(), encoding="utf-8")
    SCHEMA.write_text(schema_file(), encoding="utf-8")


if __name__ == "__main__":
    main()
