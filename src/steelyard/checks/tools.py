"""The check of a file: by the format that recognises it."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Final

from steelyard.checks.findings import Finding, Found, Left, Value, mean
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Joined, Message
from steelyard.io.foreign.formats import Format, format_called, open_source
from steelyard.io.foreign.rows import SCORES

CHECKS: Final = {
    "deepeval-run": "steelyard.checks.deepeval",
    "inspect": "steelyard.checks.inspect_log",
    "lm-eval": "steelyard.checks.lm_eval",
    "mteb": "steelyard.checks.mteb",
    "promptfoo": "steelyard.checks.promptfoo",
    "ragas": "steelyard.checks.ragas",
    "ultrarag": "steelyard.checks.ultrarag",
}
"""The modules with a function `check`, by the name of the format that they read."""
_WRONG_SHAPE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

Means = Mapping[str, tuple[float, int]]
"""Means that stand elsewhere, such as in a table of a README, by metric, with the digits that they are written with."""


def check_file(path: str | Path, means: Means | None = None) -> Found:
    """Return what is found in a results file of another tool."""
    source = open_source(path)
    name, tool = source.container.name, source.format
    if tool is None or tool.NAME not in CHECKS:
        source.container.close()
        known = ", ".join(sorted(format_called(each).TITLE for each in CHECKS))
        code = "checks.unknown_tool" if tool is None else "checks.no_check"
        title = {} if tool is None else {"tool": tool.TITLE}
        raise InputError(Message(code, **title), where=name, hint=Message("checks.known_tools", tools=known))
    try:
        with closing(source.container) as container:
            findings = list(import_module(CHECKS[tool.NAME]).check(container))
            unscored = {each.metric for each in findings if isinstance(each, Left) and each.why == "unscored"}
            findings += _means(path, tool, means or {}, unscored)
    except _WRONG_SHAPE as error:  # a file of strangers; its reader checked what it reads of it, not all of it
        problem = f"{type(error).__name__}: {error}"
        raise InputError(Message("checks.wrong_shape", tool=tool.TITLE, error=problem), where=name) from None
    found = Found(name, tool.TITLE, findings)
    if not found.values:
        whys = dict.fromkeys(each.why for each in found.left)
        hint = Joined("core.clauses", [Message(f"check_reason_names.{why}") for why in whys or ("no_scores",)])
        raise InputError(Message("checks.nothing", tool=tool.TITLE, n=len(found.left)), where=name, hint=hint)
    return found


def _means(path: str | Path, tool: Format, means: Means, incomplete: Collection[str]) -> Iterator[Finding]:
    """Yield given means beside those of the rows; one that leaves rows without a score out is none."""
    if not means:
        return
    columns: dict[str, list[float]] = {}
    for record in open_source(path, tool.NAME).records():
        for name, score in (record.fields.get(SCORES) or {}).items():
            columns.setdefault(name, []).extend(() if score is None else (score,))
    for name, (written, digits) in means.items():
        if name not in columns:
            raise UnknownName.of(Message("words.metric"), name, list(columns))
        value = Value("", f"mean {name}", written, mean(columns[name]), "mean", digits)
        is_short = name in incomplete and not value.differs
        yield Value("", f"mean {name}", written, None, "left_out") if is_short else value
