"""A judge as data: a YAML file with its task, prompts, scale, model and parameters, and one hash over all of it.

name: same                       the name of the judge
task: verdict                    how replies become scores: verdict, claims, relevance or nuggets
metric: SameMeaning              the column, of a judge with one verdict for each answer
needs: [question, answer, references]
scale: {same: 1, different: 0}   the menu of verdicts, with the score of each
answer: [reason, verdict]        the fields of the answer, in this order
unknown: left_out                or `against`, `range`: what the verdict "unknown" counts
quotes: shown                    or `required`: a claim is supported only with a quotation that the source has
reading: last                    or `only`: which of several answers in one reply counts
prompts: {judge: {en: …, zh: …}}
model: ""                        the name of the model, if the judge is to be run with no other
parameters: {temperature: 0}     as the interface of the model has them
repeats: 1
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

from steelyard.errors import ConfigError, InputError, UnknownName, cut, nearest, nearest_only
from steelyard.i18n import Message
from steelyard.io.shapes import is_number
from steelyard.io.yamls import Located, located, read_yaml
from steelyard.net.openai import SAMPLING_PARAMETERS
from steelyard.net.secrets import is_secret_name
from steelyard.registry.judged import judge_called, names_of_judges

Policy = Literal["left_out", "against", "range"]
Quotes = Literal["shown", "required"]
Reading = Literal["last", "only"]
Task = Literal["verdict", "claims", "relevance", "nuggets"]

FORMAT: Final = 1
"""Part of every hash; counts up when requests or readings change although the file of a judge does not."""
UNKNOWN: Final = "unknown"
"""The verdict of a judge that cannot tell; always on the menu."""
NEEDS: Final = ("question", "answer", "references", "contexts")
STEPS: Final[Mapping[Task, tuple[str, ...]]] = {
    "verdict": ("judge",),
    "claims": ("check",),  # without `split`, the sentences are the claims
    "relevance": ("judge",),
    "nuggets": ("create", "label", "assign"),
}
"""The prompts that each task needs."""
OPTIONAL_STEPS: Final[Mapping[Task, tuple[str, ...]]] = {"claims": ("split",)}
RELEVANT: Final = 2
"""The lowest grade of a passage that is relevant, as in TREC and UMBRELA."""
MOST_REPEATS: Final = 25
_SHIPPED: Final = Path(__file__).with_name("shipped")
_HINT: Final = Message("judges.file_hint")
_CRITERIA: Final = "criteria"
"""The judge whose file has a placeholder in the place of a criterion."""
_PLAIN: Final = re.compile(r"[\w-]+")

Prompts = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge; its hash is made of every field but the name and what it decides."""

    name: str
    task: Task
    prompts: Prompts
    scale: Mapping[str, float]
    answer: tuple[str, ...] = ("reason", "verdict")
    metric: str = ""
    needs: tuple[str, ...] = ()
    unknown: Policy = "left_out"
    quotes: Quotes = "shown"
    reading: Reading = "last"
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    criterion: str = ""
    decides: str = ""

    @property
    def hash(self) -> str:
        """The first 16 digits of the SHA-256; the order of verdicts and languages is part of it, that of fields not."""
        content = {name: value for name, value in asdict(self).items() if name not in ("name", "decides")}
        content["scale"] = list(self.scale.items())
        content["prompts"] = {step: list(of_step.items()) for step, of_step in self.prompts.items()}
        text = json.dumps([FORMAT, content], sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def with_model(self, model: str, repeats: int | None = None) -> Self:
        """Return the judge with the model and the number of repeats of a command, which are part of its hash."""
        if model and self.model and model != self.model:
            raise ConfigError(Message("judges.other_model", judge=self.name, model=self.model, given=model))
        return replace(self, model=model or self.model, repeats=repeats or self.repeats)

    def as_dict(self) -> dict[str, Any]:
        """Return the judge as its file has it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def shipped() -> list[str]:
    """Return the names of the judges of this package."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def judge_path(name: str) -> Path:
    """Return the file of a judge: a path, a name of this package, or that of a metric of another tool."""
    path = Path(name)
    if path.suffix.lower() in (".yaml", ".yml"):
        return path
    known = name if name in shipped() else judge_called(name)
    if known is None:
        hint = nearest_only(name, [*shipped(), *names_of_judges()]) or Message("core.known", names=", ".join(shipped()))
        raise UnknownName(Message("core.unknown_name", what=Message("words.judge"), name=cut(name)), hint=hint)
    return _SHIPPED / f"{known}.yaml"


def load_judge(name: str) -> Judge:
    """Read a judge by its path or name."""
    return parse_judge(read_yaml(judge_path(name)))


def judge_to_run(name: str) -> Judge:
    """Read a judge by its path or name; refuse one whose criterion nobody has written."""
    judge = load_judge(name)
    if judge.criterion != load_judge(_CRITERIA).criterion:
        return judge
    if judge_path(name).parent != _SHIPPED:
        raise ConfigError(Message("judges.no_criterion"), where=name, hint=Message("judges.criterion_hint"))
    own = name if _PLAIN.fullmatch(name) else "mine"
    raise ConfigError(Message("judges.no_criterion"), where=cut(name), hint=Message("judges.new_hint", name=own))


def judge_of(content: Mapping[str, Any], where: str) -> Judge:
    """Return the judge that a journal has recorded."""
    return parse_judge(located(content, where))


def template(name: str) -> str:
    """Return the text of a file to edit: the judge of that name, else one with a criterion of the user's."""
    known = name if name in shipped() else _CRITERIA
    text = (_SHIPPED / f"{known}.yaml").read_text("utf-8")
    return text if known == name else text.replace(f"name: {known}", f"name: {name}", 1)


def parse_judge(found: Located) -> Judge:
    """Check what a file says, and return the judge."""
    if not isinstance(found.value, Mapping):
        raise InputError(Message("judges.not_a_mapping"), where=found.where, hint=_HINT)
    known = list(Judge.__dataclass_fields__)
    for name, value in found.value.items():
        if name not in known:
            raise _refused(value, "judges.unknown_field", nearest(name, known) or _HINT, name=name)
        _check(name, value)
    for name in ("name", "task", "prompts", "scale"):
        if name not in found.value:
            raise _refused(found, "formats.field_missing", key=name)
    plain = found.plain()
    listed = {name: tuple(plain[name]) for name in ("answer", "needs") if name in plain}
    scale = {str(label): float(score) for label, score in plain["scale"].items()}
    judge = Judge(**{"needs": _NEEDED.get(plain["task"], ()), **plain, "scale": scale, **listed})
    for check in (_check_parameters, _check_prompts, _check_scale, _check_answer, _check_needs):
        check(judge, found)
    return judge


def _refused(found: Located, code: str, hint: Message | str | None = None, **args: Any) -> InputError:
    return InputError(Message(code, **args), where=found.where, hint=hint or _HINT)


_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "relevance": ("question", "contexts"),
    "nuggets": ("question", "references", "answer"),
}
"""What a row must have, by task; a judge with one verdict says so itself, and that of claims depends on the metrics."""
_CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "task": get_args(Task),
    "unknown": get_args(Policy),
    "reading": get_args(Reading),
    "quotes": get_args(Quotes),
}
_EXAMPLES: Final[Mapping[str, str]] = {
    "repeats": f"repeats: 3 (1 to {MOST_REPEATS})",
    "answer": "answer: [reason, verdict]",
    "needs": "needs: [question, answer]",
    "scale": "scale: {met: 1, not_met: 0}",
    "prompts": "prompts: {judge: {en: …, zh: …}}",
    "parameters": "parameters: {temperature: 0, max_tokens: 512}",
}


def _check(name: str, found: Located) -> None:
    """Refuse a value of the wrong shape."""
    value = found.plain()
    match name:
        case "repeats":
            is_valid = type(value) is int and 1 <= value <= MOST_REPEATS
        case "answer" | "needs":
            is_valid = isinstance(value, list) and all(map(_is_text, value)) and len({*value}) == len(value)
        case "scale":
            is_valid = isinstance(value, dict) and all(map(is_number, value.values())) and len({*value.values()}) > 1
        case "prompts":
            is_valid = isinstance(value, dict) and all(map(_is_prompt, value.values()))
        case "parameters":
            is_valid = isinstance(value, dict) and isinstance(value.get("extra_body", {}), dict | None)
        case _:
            is_valid = isinstance(value, str) and value in _CHOICES.get(name, (value,))
    if is_valid:
        return
    if choices := ", ".join(_CHOICES.get(name, ())):
        raise _refused(found, "judges.bad_field", Message("core.known", names=choices), name=name)
    example = _EXAMPLES.get(name)
    raise _refused(found, "judges.bad_field", Message("judges.example", text=example) if example else None, name=name)


def _is_prompt(value: Any) -> bool:
    return (
        isinstance(value, dict) and bool(value) and value.keys() <= {"en", "zh"} and all(map(_is_text, value.values()))
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _check_parameters(judge: Judge, found: Located) -> None:
    """Refuse parameters that the judge itself sets, that nobody knows, that no request can have, and keys."""
    given = found.value.get("parameters")
    for name, value in given.value.items() if given else ():
        if name in _OWN_PARAMETERS:
            raise _refused(value, "judges.own_parameter", name=name)
        if name not in (*SAMPLING_PARAMETERS, "extra_body") and (hint := nearest(name, SAMPLING_PARAMETERS)):
            raise _refused(value, "judges.unknown_parameter", hint, name=name)
        if name in _NUMBERS and not is_number(value.plain()):
            raise _refused(
                value, "judges.bad_field", Message("judges.example", text=_EXAMPLES["parameters"]), name=name
            )
        try:
            json.dumps(value.plain(), allow_nan=False)
        except (TypeError, ValueError):
            raise _refused(value, "judges.bad_field", name=name) from None
    extra = judge.parameters.get("extra_body") or {}
    for name in extra:
        if name in _OWN_PARAMETERS:
            raise _refused(found.value["parameters"], "judges.own_parameter", name=name)
    if secret := next(filter(is_secret_name, _names_in(extra)), None):
        raise _refused(found.value["parameters"], "judges.key_in_file", Message("judges.key_hint"), name=secret)


def _names_in(value: Any) -> Iterator[str]:
    """Yield the names of all fields of a value."""
    for name, inner in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from [name] if isinstance(name, str) else []
        yield from _names_in(inner)


_OWN_PARAMETERS: Final = ("model", "messages", "response_format", "n", "stream", "tools", "functions")
_NUMBERS: Final = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed")


def _check_prompts(judge: Judge, found: Located) -> None:
    """Refuse prompts that the task does not use, and a judge without one that it needs."""
    used = (*STEPS[judge.task], *OPTIONAL_STEPS.get(judge.task, ()))
    for step, value in found.value["prompts"].value.items():
        if step not in used:
            message = Message("judges.unused_prompt", step=step, task=judge.task)
            raise InputError(
                message, where=value.where, hint=nearest(step, used) or Message("core.known", names=", ".join(used))
            )
    for step in STEPS[judge.task]:
        if step not in judge.prompts:
            raise _refused(found.value["prompts"], "judges.no_prompt", step=step, task=judge.task)


def _check_scale(judge: Judge, found: Located) -> None:
    """Refuse verdicts that cannot be told apart, and scores that the task cannot use."""
    scale, scores = found.value["scale"], judge.scale.values()
    labels = [folded_label(label) for label in (*judge.scale, UNKNOWN)]
    if len({*labels}) < len(labels):
        raise _refused(scale, "judges.same_verdicts", unknown=UNKNOWN)
    if judge.task == "relevance":
        if not all(score >= 0 and score.is_integer() for score in scores) or max(scores) < RELEVANT:
            raise _refused(scale, "judges.bad_grades", relevant=RELEVANT)
    elif not all(0 <= score <= 1 for score in scores):
        raise _refused(scale, "judges.scale_out_of_range")


def _check_answer(judge: Judge, found: Located) -> None:
    """Refuse fields of answers without the verdict, or with one that the task itself sets."""
    if "verdict" not in judge.answer or {*judge.answer} & {*_NUMBERING}:
        hint = Message("judges.example", text=_EXAMPLES["answer"])
        raise _refused(found.value.get("answer", found), "judges.no_verdict_field", hint)
    if judge.task == "claims" and judge.quotes == "required" and "quote" not in judge.answer:
        raise _refused(found.value.get("answer", found), "judges.no_quote_field")


_NUMBERING: Final = ("claim", "nugget")


def _check_needs(judge: Judge, found: Located) -> None:
    """Refuse needs that no row has, a judge of one verdict without needs or metric, and a metric with a comma."""
    for need in judge.needs:
        if need not in NEEDS:
            raise _refused(found.value["needs"], "judges.unknown_need", nearest(need, NEEDS), name=need)
    lacking = {*_NEEDED.get(judge.task, ())} - {*judge.needs}
    if lacking:
        raise _refused(found.value["needs"], "judges.lacking_need", need=min(lacking), task=judge.task)
    if judge.task == "verdict" and not (judge.metric and judge.needs):
        raise _refused(found, "judges.no_metric")
    if "," in judge.metric or judge.metric != judge.metric.strip():
        raise _refused(found.value["metric"], "judges.bad_field", name="metric")
    if not judge.name or Path(judge.name).name != judge.name:
        raise _refused(found.value["name"], "judges.bad_field", name="name")


def folded_label(label: Any) -> str:
    """Return a verdict without case, and with one mark for blanks and hyphens."""
    return re.sub(r"[\s_-]+", "_", str(label).strip().casefold())
