"""The rules of a gate and their text form.

    METRIC >= 0.95      also > <= < ==          METRIC[type=fact_exact,difficulty=hard] >= 0.9
    legal.no_hallucination == 1                 METRIC >= baseline - 0.01
    METRIC not-worse-by 0.02                    no item of fact_exact may fall from 1
    "Correctness [GEval]" >= 0.5                a name with brackets or operators is quoted
                                                no item of legal.uncertain may rise from 0 (where less is better)

`str(rule)` is its text, and parsing that text gives the same rule.
"""

import json
import math
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.registry.kinds import directed_parts, is_directed, is_lower_better
from steelyard.registry.names import column_called

Operator = Literal[">=", ">", "<=", "<", "=="]

RULE_HINT: Final = Message("stats.rules_hint")
TAG_HINT: Final = Message("stats.tags_hint")

_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_PLAIN_NAME: Final = r"""(?:[^][<>=()"]|\([^()<>\[\]"]*\))+?"""
_NAME: Final = rf"""(?:"(?:[^"\\]|\\.)+"|{_PLAIN_NAME})"""
_TAGS: Final = r"""\[(?P<tags>(?:[^]["]|"(?:[^"\\]|\\.)*")*)\]"""
_TARGET: Final = rf"\s*(?P<name>{_NAME})\s*(?:{_TAGS})?"
_NO_REGRESSION: Final = re.compile(
    rf"\s*no\s+item\s+of\s{_TARGET}\s*(?<=[\s\]])may\s+(?:fall\s+from\s+1|(?P<rise>rise\s+from\s+0))\s*", re.DOTALL
)
_NOT_WORSE: Final = re.compile(rf"{_TARGET}\s*(?<=[\s\]])not-worse-by\s+(?P<margin>\S+)\s*", re.DOTALL)
_COMPARED: Final = re.compile(rf"{_TARGET}\s*(?P<operator>{'|'.join(get_args(Operator))})(?P<value>[^<>=]*)", re.DOTALL)
_BASELINE: Final = re.compile(rf"baseline(?:\s*(?P<sign>[+-])\s*(?P<offset>{_NUMBER}))?")
_TAG: Final = re.compile(r"""\s*(?P<tag>[^=,"]+?)\s*=\s*(?P<value>"(?:[^"\\]|\\.)*"|[^,"]*?)\s*(?:,|$)""", re.DOTALL)
_QUOTES: Final = {**dict.fromkeys("“”„‟「」", '"'), **dict.fromkeys("‘’", "'")}
_SIGNS: Final = str.maketrans({"≥": ">=", "≤": "<=", "≧": ">=", "≦": "<=", "−": "-", **_QUOTES})
_PERCENT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")
_EQUALS: Final = re.compile(r"(?<![<>=])=(?![<>=])(?=[^]]*$)")
_PLAIN: Final = re.compile(r"""[^\s\[\],"](?:[^\[\],"]*[^\s\[\],"])?""")


@dataclass(frozen=True, slots=True)
class Target:
    """What a rule applies to: a metric, or a part of one (`legal.no_hallucination`), on the items with these tags."""

    name: str
    tags: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        tags = ",".join(f"{tag}={_quoted(value)}" for tag, value in self.tags)
        is_plain = re.fullmatch(_PLAIN_NAME, self.name) and " ".join(self.name.split()) == self.name
        name = self.name if is_plain else json.dumps(self.name, ensure_ascii=False)
        return f"{name}[{tags}]" if tags else name


@dataclass(frozen=True, slots=True)
class Threshold:
    """The measured mean against a number."""

    target: Target
    operator: Operator
    value: float

    def __str__(self) -> str:
        return f"{self.target} {self.operator} {_formatted(self.value)}"


@dataclass(frozen=True, slots=True)
class Relative:
    """The mean against that of the baseline on the same items, plus an offset."""

    target: Target
    operator: Operator
    offset: float = 0.0

    def __str__(self) -> str:
        sign = "-" if self.offset < 0 else "+"
        offset = f" {sign} {_formatted(abs(self.offset))}" if self.offset else ""
        return f"{self.target} {self.operator} baseline{offset}"


@dataclass(frozen=True, slots=True)
class NotWorse:
    """Non-inferiority: proven, not only measured, to be worse than the baseline by less than the margin."""

    target: Target
    margin: float

    def __str__(self) -> str:
        return f"{self.target} not-worse-by {_formatted(self.margin)}"


@dataclass(frozen=True, slots=True)
class NoRegression:
    """No item that scored 1 in the baseline may score less; the target may also be a type of question.

    If less is better, no item that scored 0 may score more.
    """

    target: Target

    def __str__(self) -> str:
        return f"no item of {self.target} may {'rise from 0' if is_lower_better(self.target.name) else 'fall from 1'}"


Rule = Threshold | Relative | NotWorse | NoRegression


def parse_rule(text: str) -> Rule:
    """Parse the text of a rule; a ConfigError for invalid text suggests the corrected spelling if there is one."""
    try:
        return _parse(text)
    except ConfigError as error:
        corrected = _corrected(text)
        hint = error.hint if corrected is None else Message("core.nearest_name", name=str(corrected))
        raise ConfigError(error.message, hint=hint) from None


def spelled(rules: Sequence[Rule], columns: Collection[str]) -> list[Rule]:
    """Return the rules with metrics named as in the result; a ConfigError if one that needs a direction has none."""
    found = [
        replace(rule, target=replace(rule.target, name=column_called(rule.target.name, columns))) for rule in rules
    ]
    for rule in found:
        name = rule.target.name
        if isinstance(rule, NotWorse | NoRegression) and name in columns and not is_directed(name):
            hint = Message("stats.undirected_hint", name=name, parts=", ".join(directed_parts(name)))
            raise ConfigError(Message("stats.undirected_rule", rule=str(rule), name=name), hint=hint)
    return found


def needs_baseline(rule: Rule) -> bool:
    """Return whether the rule compares with an earlier result."""
    return not isinstance(rule, Threshold)


def _parse(text: str) -> Rule:
    if (match := _NO_REGRESSION.fullmatch(text)) and (is_lower_better(match["name"].strip()) or not match["rise"]):
        return NoRegression(_target(match, text))
    if match := _NOT_WORSE.fullmatch(text):
        margin = _number(match["margin"], text)
        if margin <= 0:
            raise ConfigError(Message("stats.invalid_margin", text=text, match=match["margin"]), hint=RULE_HINT)
        return NotWorse(_target(match, text), margin)
    if match := _COMPARED.fullmatch(text):
        return _compared(match, text)
    raise ConfigError(Message("stats.invalid_rule", text=text), hint=RULE_HINT)


def _corrected(text: str) -> Rule | None:
    """Return the rule that a text with typographic signs (≥, =, 95 %, “quotes”, full width) stands for."""
    plain = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).strip()
    plain = plain.replace("=>", ">=").replace("=<", "<=")
    plain = _PERCENT.sub(lambda match: _formatted(round(float(match[1]) / 100, 12)), _EQUALS.sub("==", plain))
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1]
    try:
        return _parse(plain)
    except ConfigError:
        return None


def _compared(match: re.Match[str], text: str) -> Threshold | Relative:
    target, value = _target(match, text), match["value"].strip()
    operator = next(known for known in get_args(Operator) if known == match["operator"])
    if earlier := _BASELINE.fullmatch(value):
        offset = _number(earlier["offset"], text) if earlier["offset"] else 0.0
        return Relative(target, operator, -offset if earlier["sign"] == "-" else offset)
    return Threshold(target, operator, _number(value, text))


def _target(match: re.Match[str], text: str) -> Target:
    quoted = match["name"].startswith('"')
    name = _unquoted(match["name"], text) if quoted else " ".join(match["name"].split())
    if not name:
        raise ConfigError(Message("stats.invalid_rule", text=text), hint=RULE_HINT)
    return Target(name, () if match["tags"] is None else _tags(match["tags"], text))


def _tags(inner: str, text: str) -> tuple[tuple[str, str], ...]:
    tags: dict[str, str] = {}
    position = 0
    while position < len(inner) or not tags:
        match = _TAG.match(inner, position)
        if not match:
            raise ConfigError(Message("stats.invalid_tag", text=text, inner=inner), hint=TAG_HINT)
        if match["tag"] in tags:
            raise ConfigError(Message("stats.duplicate_tag", text=text, match=match["tag"]), hint=TAG_HINT)
        tags[match["tag"]] = _unquoted(match["value"], text)
        position = match.end()
    return tuple(tags.items())


def _number(text: str, rule: str) -> float:
    number = float(text) if re.fullmatch(_NUMBER, text) else math.nan
    if not math.isfinite(number):
        raise ConfigError(Message("stats.not_a_number", rule=rule, text=text), hint=RULE_HINT)
    return number + 0.0  # -0 is 0


def _formatted(number: float) -> str:
    """Return the shortest text that parses back to the number."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str, text: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value, strict=False))
    except json.JSONDecodeError:
        raise ConfigError(Message("stats.not_quoted_text", text=text, value=value), hint=TAG_HINT) from None
