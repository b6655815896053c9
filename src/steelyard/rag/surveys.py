"""Surveys that a model writes section by section (SurveyCPM): actions in its replies, sections, states, final text.

A survey is an object with a title and sections. A section has a title, a plan and, once it is written, its content, and
may have subsections, on two levels. Positions are outline, section-1, section-1.2.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.i18n import Message

PAD: Final = "<PAD>"
OUTLINE: Final = "outline"
MOST_KEYWORDS: Final = 5
MOST_CITATIONS: Final = 12
SHORTEST_PART: Final = 50

_DEPTH: Final = 3
_NAMED_KEYS: Final = {
    "search": {"name", "keywords"},
    "init-plan": {"name", "title", "sections"},
    "extend-plan": {"name", "position", "subsections"},
    "nop": {"name"},
    "write": {"name", "content"},
}
# bounded repetitions keep the time linear in the length of a reply
_CITED: Final = re.compile(r"\\\w{0,40}cite(?!style)\w{0,40}\{([^}\n]{1,2000})\}")
_NOT_CITED: Final = re.compile(r"\\nocite\{([^}\n]{1,2000})\}")
_CITATION: Final = re.compile(r"\\cite\{([^}\n]{1,2000})\}")
_PLACEHOLDER: Final = re.compile(r"#\d+")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_NO_LANGUAGE: Final = re.compile(r"[\s!-@\[-`{-~]")  # blanks, ASCII punctuation and digits

_DOT: Final = r"[.\uff0e\u3002]"
_NUMERAL: Final = "一二三四五六七八九十"
_NUMBERING: Final = tuple(
    (re.compile(pattern), "")
    for pattern in (
        r"(?i)^\s*section[-\s]*\d[\d.\uff0e\u3002]*\s*",
        rf"^(?:第\s*[0-9{_NUMERAL}百千]+\s*(?:章|节|部(?:分)?|篇|卷)\s*[-—:：.、，,]?\s*)+",
        rf"^\s*\d+(?:{_DOT}\d+)+[.、，,]?\s*",
        r"^\s*\d+[.、，,]\s*",
        r"[(（]\d+[)）]\s*",
        rf"^\s*[{_NUMERAL}]+(?:{_DOT}\d+)+[.、，,]?\s*",
        rf"^\s*[{_NUMERAL}]+[.、，,]\s*",
        rf"[(（][{_NUMERAL}]+[)）]\s*",
        rf"^[{_NUMERAL}]+\s+",
    )
)
_TIDYING: Final = (
    (re.compile(r"\bSection-(\d+(?:\.\d+)*)\b"), ""),
    (re.compile(r"^[ \t]+(#{1,6})\s+", re.MULTILINE), r"\1 "),
    (re.compile(r"\n{3,}"), "\n\n"),
    (re.compile(r"([^\n])\n(#{1,6}\s)"), r"\1\n\n\2"),
    (re.compile(r"(#{1,6}\s[^\n]+)\n([^\n#])"), r"\1\n\n\2"),
)

Survey = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A section or subsection: the numbers of its position, its title, and its object."""

    numbers: tuple[int, ...]
    title: str
    node: Mapping[str, Any]

    @property
    def number(self) -> str:
        """1.2 for the second subsection of the first section."""
        return ".".join(map(str, self.numbers))


@dataclass(frozen=True, slots=True)
class Reply:
    """The action of a reply, and whether it is valid."""

    action: Mapping[str, Any]
    valid: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """How actions are checked; `strict` adds limits of number, length, language and citations."""

    strict: bool
    instruction: str = ""
    survey: Mapping[str, Any] | None = None
    cursor: str | None = None
    known_keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a survey: state, position of the next part, number of extensions and of steps."""

    state: str
    cursor: str | None
    extended: int
    step: int


def read_survey(text: str | None) -> Survey:
    """Return a survey from its JSON; an empty one if it is not begun."""
    if not text or text == PAD:
        return {}
    try:
        survey = json.loads(text)
    except (ValueError, RecursionError):
        survey = None
    if not isinstance(survey, dict):
        raise InputError(Message("rag.survey_must_be_object"))
    return survey


def written(survey: Survey) -> str:
    """Return a survey as JSON."""
    return json.dumps(survey, ensure_ascii=False)


def parts(survey: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the sections of a survey, each followed by its subsections."""
    for number, section in enumerate(survey.get("sections", ()), start=1):
        key = "name" if "name" in section else "title"
        yield from _parts((number,), section, key)


def next_part(survey: Mapping[str, Any]) -> str | None:
    """Return the position of the first part without content; outline for an empty survey, None for a complete one."""
    if not survey:
        return OUTLINE
    return next((f"section-{part.number}" for part in parts(survey) if "content" not in part.node), None)


def outline(survey: Mapping[str, Any]) -> str:
    """Return a survey as a model sees it: a line for each part, with its content or its plan."""
    if not survey:
        return "There is no survey."
    title = survey.get("title")
    lines = [f"# Title: {'None' if title is None else _line(title)}"]
    for part in parts(survey):
        depth = len(part.numbers)
        lines.append(f"{'    ' * (depth - 1)}{'#' * depth} Section-{part.number} [{part.title}]: {_shown(part.node)}")
    return "".join(f"{line}\n" for line in lines)


def read_reply(reply: str | None, allowed: Sequence[str], rules: Rules) -> Reply:
    """Return the JSON action in <action>…</action> of a reply, if it is one of the allowed ones."""
    text = _between(reply or "", "<action>", "</action>")
    try:
        action = json.loads(text) if text is not None else {}
    except (ValueError, RecursionError):
        action = {}
    if not isinstance(action, dict):
        return Reply({}, valid=False)
    return Reply(action, _valid(action, allowed, rules))


def read_text_reply(reply: str | None, rules: Rules) -> Reply:
    """Return the text in <action>…</action> of a reply, as the content of a part."""
    action = {"name": "write", "content": _between(reply or "", "<action>", "</action>") or ""}
    return Reply(action, reply is not None and _valid(action, ["write"], rules))


def replaced(survey: Survey, position: str, more: Mapping[str, Any]) -> Survey:
    """Return a copy of a survey in which the part at this position has these entries too."""
    changed = copy.deepcopy(survey)
    _at(changed, position).update(copy.deepcopy(dict(more)))
    return changed


def cited_keys(text: str) -> list[str]:
    r"""Return the keys of \cite{…} in a text, in order of first use, without those of \nocite{…}."""
    left_out = {key for group in _NOT_CITED.findall(text) for key in _keys(group)}
    return list(dict.fromkeys(key for group in _CITED.findall(text) for key in _keys(group) if key not in left_out))


def selected(results: Sequence[Sequence[str]], most: int) -> list[str]:
    """Return at most `most` passages without repetitions: an equal share of every query first, then the others."""
    share = max(1, most // len(results))
    chosen = dict.fromkeys(text for passages in results for text in passages[:share])
    for text in (text for passages in results for text in passages[share:]):
        if len(chosen) >= most:
            break
        chosen.setdefault(text)
    return list(chosen)


def advanced(now: Progress, *, parsed: bool, extension: str, most_steps: int, most_extensions: int) -> Progress:
    """Return the progress after a step; a step whose reply could not be read is repeated."""
    step = now.step + 1
    if now.step >= most_steps:
        return Progress("done", now.cursor, now.extended, step)
    again = now.extended < most_extensions
    if not parsed:
        if now.state != "analyst-extend_plan":
            return Progress(now.state, now.cursor, now.extended, step)
        return Progress(now.state if again else "done", now.cursor, now.extended + 1, step)
    extended = now.extended + (now.state == "write" and now.cursor is None and again)
    return Progress(_after(now, extension, again), now.cursor, extended, step)


def as_markdown(survey: Mapping[str, Any]) -> str:
    """Return the final text of a survey: numbered headings, tidy paragraphs, citations as [1][2]."""
    if not survey:
        return "No survey generated."
    lines = [f"# {survey.get('title', 'Untitled Survey')}", ""]
    for part in parts(survey):
        lines += [f"{'#' * (len(part.numbers) + 1)} {part.number} {_replaced(part.title, _NUMBERING)}", ""]
        if part.node.get("content"):
            lines += [_replaced(part.node["content"], _TIDYING), ""]
        elif part.node.get("plan"):
            lines += [f"*{part.node['plan'].strip()}*", ""]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    return _CITATION.sub(_bracketed, text).strip()


def _parts(numbers: tuple[int, ...], node: Mapping[str, Any], key: str) -> Iterator[Part]:
    yield Part(numbers, node.get(key, ""), node)
    if len(numbers) < _DEPTH:
        for number, below in enumerate(node.get("subsections", ()), start=1):
            yield from _parts((*numbers, number), below, key)


def _shown(node: Mapping[str, Any]) -> str:
    if node.get("content"):
        return _line(node["content"])
    return "[PLAN] " + node["plan"].replace("\n", " ").strip() if "plan" in node else ""


def _line(text: str) -> str:
    return "[OK] " + text.replace("\n", " ").strip() if text else ""


def _between(text: str, opening: str, closing: str) -> str | None:
    """Return the text between the first opening mark and the next closing mark."""
    _, opened, rest = text.partition(opening)
    inside, closed, _ = rest.partition(closing)
    return inside.strip() if opened and closed else None


def _valid(action: Mapping[str, Any], allowed: Sequence[str], rules: Rules) -> bool:
    name = action.get("name")
    if name not in allowed or action.keys() != _NAMED_KEYS[str(name)]:
        return False
    match name:
        case "search":
            keywords = action["keywords"]
            are_texts = isinstance(keywords, list) and bool(keywords) and all(map(_is_text, keywords))
            return are_texts and (not rules.strict or len(keywords) <= MOST_KEYWORDS)
        case "init-plan":
            return _is_text(action["title"]) and _valid_plan(action["sections"], (3, 12), rules, action["title"])
        case "extend-plan":
            return _valid_position(action["position"], rules) and _valid_plan(action["subsections"], (2, 7), rules)
        case "write":
            return not rules.strict or _valid_part(action["content"], rules)
    return True


def _valid_plan(sections: Any, bounds: tuple[int, int], rules: Rules, *more: str) -> bool:
    if not isinstance(sections, list) or not sections:
        return False
    for section in sections:
        if not isinstance(section, dict) or section.keys() != {"title", "plan"}:
            return False
        if not all(map(_is_text, section.values())):
            return False
    if not rules.strict:
        return True
    texts = [*more, *(text for section in sections for text in section.values())]
    return bounds[0] <= len(sections) <= bounds[1] and _same_language(texts, rules.instruction)


def _valid_position(position: Any, rules: Rules) -> bool:
    """Return whether a part can be extended: it exists on the first two levels and has no subsections."""
    if not _is_text(position) or position == OUTLINE or position.count(".") >= _DEPTH - 1:
        return False
    if rules.cursor is not None and position != rules.cursor:
        return False
    if not rules.survey:
        return True
    try:
        return "subsections" not in _at(rules.survey, position)
    except (LookupError, TypeError, ValueError):
        return False


def _valid_part(content: str, rules: Rules) -> bool:
    if "#" in content or "bibkey" in content.lower() or len(content.strip()) <= SHORTEST_PART:
        return False
    if not _same_language([content], rules.instruction):
        return False
    if rules.known_keys and not set(cited_keys(content)) <= set(rules.known_keys):
        return False
    return content.count("\\cite") <= MOST_CITATIONS


def _same_language(texts: Sequence[str], instruction: str) -> bool:
    """Return whether texts are Chinese exactly if the instruction is."""
    if not instruction:
        return True
    text = _NO_LANGUAGE.sub("", _CITATION.sub("", "".join("".join(texts).split())))
    if not text:
        return True
    share = len(_HAN.findall(text)) / len(text)
    return share > 0.6 if _HAN.search(instruction) else share < 0.05


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _at(survey: Any, position: str) -> Any:
    """Return the object at a position; LookupError or ValueError if there is none."""
    if position == OUTLINE:
        return survey
    first, *below = (int(number) - 1 for number in position.split("-")[1].split("."))
    node = survey["sections"][first]
    for number in below:
        node = node["subsections"][number]
    return node


def _keys(group: str) -> list[str]:
    keys = (key.strip() for key in group.split(",") if not _PLACEHOLDER.fullmatch(key))
    return [key for key in keys if key not in ("", "*")]


def _after(now: Progress, extension: str, again: bool) -> str:
    """Return the state after a step whose reply was read."""
    match now.state:
        case "search":
            return {OUTLINE: "analyst-init_plan", None: "done"}.get(now.cursor, "write")
        case "analyst-init_plan":
            return "analyst-init_plan" if now.cursor in (OUTLINE, None) else "search"
        case "write" if now.cursor is not None:
            return "search"
        case "write":
            return "analyst-extend_plan" if again else "done"
        case "analyst-extend_plan":
            known = {"extended": "search", "nop": "done"}
            return known.get(extension, "analyst-extend_plan" if again else "done")
    return "done"


def _replaced(text: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, new in patterns:
        text = pattern.sub(new, text)
    return text.strip()


def _bracketed(match: re.Match[str]) -> str:
    numbers = set()
    for key in (key.strip().removeprefix("bibkey: ").strip() for key in match[1].split(",")):
        number = key.removeprefix("textid").strip()
        if key.startswith("textid") and number.isascii() and number.isdigit():
            numbers.add(int(number[:18]))
    return "".join(f"[{number}]" for number in sorted(numbers))
