"""Generation: prompts to answers, by the embedded generator, an OpenAI-compatible interface, or a local model.

A failure is never an answer: the answer is None, and the reason is given beside it. The embedded generator answers with
words of the documents in the prompt, without a model or a network. It reads prompts whose parts have headings
(`Documents:`, `Question:`, `Options:`, or 资料, 问题, 选项) and returns the sentence that shares most with the
question, or its date, number, name or place if the question asks for one. With it every pipeline runs anywhere, and it
is a lower bound for real systems.
"""

import difflib
import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.net.openai import NO_COMPLETION, SAMPLING_PARAMETERS, completion_of
from steelyard.progress import ProgressCallback, no_progress
from steelyard.rag.prompts import text_of
from steelyard.rag.settings import EndpointSettings, check_known, endpoint_settings, hint_for, reason
from steelyard.search.extractive import Evidence, sentences, span
from steelyard.text.normalisation import has_han
from steelyard.threads import map_in_threads

BACKENDS: Final = ("extractive", "openai", "vllm", "hf")
KEY_VARIABLE: Final = "LLM_API_KEY"
VLLM_HINT: Final = Message("rag.vllm_hint")
SAMPLING_HINT: Final = Message("rag.sampling_hint")

_EMPTY: Final = Message("rag.prompt_empty")
_CUT_OFF: Final = Message("rag.cut_off")
_MISSPELT: Final = 0.85  # similarity; top_k is a parameter of other servers, not top_p misspelt

Conversation = Sequence[Mapping[str, str]]
"""Messages, each with a role and its content."""
_DOCUMENTS: Final = re.compile(
    r"^[ \t]*(?:documents|passages|notes|context|资料|文档|笔记)[ \t]*[:：]", re.MULTILINE | re.I
)
_QUESTION: Final = re.compile(r"^[ \t]*(?:question|问题)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTIONS: Final = re.compile(r"^[ \t]*(?:options|choices|选项)[ \t]*[:：]", re.MULTILINE | re.I)
_OPTION: Final = re.compile(r"^[ \t]*([A-Z])[ \t]*[:：.)、][ \t]*(.+)$", re.MULTILINE)
UNKNOWN: Final = ("我不知道。", "I do not know.")
"""The answers to a question in Chinese and in another language of which the documents say nothing."""
_NO_BOX: Final = str.maketrans("", "", "{}\\")


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or the reason why there is none; an answer that was cut off has a remark as its `error`."""

    answer: str | None
    error: Message | str | None


def single_turns(prompts: Any, system_prompt: str | None) -> list[Conversation]:
    """Return a conversation for each prompt, with the system prompt first; an empty one for an empty prompt."""
    if not isinstance(prompts, list):
        raise InputError(Message("rag.prompts_must_be_list"))
    texts = ["" if prompt is None else text_of(prompt) for prompt in prompts]
    return [_with_system([{"role": "user", "content": text}], system_prompt) if text else [] for text in texts]


def many_turns(messages: Any, system_prompt: str | None) -> list[Conversation]:
    """Return a conversation of a list of messages, or several of a list of such lists, where None is an empty one."""
    if not isinstance(messages, list) or not messages:
        raise InputError(Message("rag.messages_must_be_list"))
    conversations = messages if all(isinstance(entry, list | None) for entry in messages) else [messages]
    return [_with_system(list(map(_message, entry)), system_prompt) if entry else [] for entry in conversations]


class Generator(ABC):
    """Answers conversations."""

    @abstractmethod
    def outcome(self, conversation: Conversation) -> Outcome:
        """Return the answer to a conversation; a final failure is its error."""

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """Return one outcome per conversation, in their order."""
        outcomes = []
        for conversation in conversations:
            outcomes.append(self.outcome(conversation))
            progress(len(outcomes), len(conversations))
        return outcomes

    def hint(self, error: Message | str | None) -> Message | None:
        """Return what to do if every prompt failed with this error."""
        return None


@dataclass(frozen=True, slots=True)
class ChatSettings(EndpointSettings):
    """The settings of an endpoint, the most seconds before the second attempt (doubled with each), and a proxy."""

    base_delay: float = 1.0
    proxy: str | None = field(default=None, repr=False)  # it may contain a password


def open_generator(
    backend: str,
    *,
    configs: Mapping[str, Any] | None = None,
    sampling: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Generator:
    """Return the generator of this name with its section of `configs`."""
    if backend not in BACKENDS:
        raise UnknownName.of(Message("words.backend"), str(backend), BACKENDS, parameter="backend")
    config = _section(_section(configs, "backend_configs"), f"backend_configs.{backend}", backend)
    parameters, more = _section(sampling, "sampling_params"), _section(extra, "extra_params")
    _check_names(configs or {}, parameters if backend == "extractive" else {})
    match backend:
        case "openai" | "vllm":
            chosen = _vllm_config(config) if backend == "vllm" else config
            settings = endpoint_settings(ChatSettings, chosen, where=f"backend_configs.{backend}")
            return ChatGenerator(settings, sampling=parameters, extra=more)
        case "hf":
            return LocalGenerator(config, sampling=parameters)
    return ExtractiveGenerator()


def check_generator(backend: str, *, configs: Any = None, sampling: Any = None, extra: Any = None) -> None:
    """Raise the error that `open_generator` would raise; no model is loaded or called."""
    if backend == "hf":
        _section(_section(configs, "backend_configs"), "backend_configs.hf", "hf")
        _check_names(configs or {})
        return
    open_generator(backend, configs=configs, sampling=sampling, extra=extra)


def generate(
    generator: Generator,
    conversations: Sequence[Conversation],
    *,
    proven: bool = False,
    progress: ProgressCallback = no_progress,
) -> tuple[list[str | None], list[str | None]]:
    """Return answers and errors, two lists of one length: where an answer is None, its error says why.

    An answer with an error is incomplete. If every conversation fails, the key, the model or the address is wrong, and
    SystemFailure is raised; not if the generator is `proven`, that is, has answered before.
    """
    sent = [conversation for conversation in conversations if conversation]
    answered = generator.generate(sent, progress) if sent else []
    if answered and not proven and all(outcome.answer is None for outcome in answered):
        error = answered[0].error
        raise SystemFailure(Message("rag.every_generation_failed", error=error), hint=generator.hint(error))
    waiting = iter(answered)
    outcomes = [next(waiting) if conversation else Outcome(None, _EMPTY) for conversation in conversations]
    errors = [None if outcome.error is None else str(outcome.error) for outcome in outcomes]  # stored in English
    return [outcome.answer for outcome in outcomes], errors


class ExtractiveGenerator(Generator):
    """The embedded generator: words of the documents in the prompt, no model and no network."""

    @staticmethod
    def notice(answers: Sequence[str | None]) -> Message | None:
        """Return the notice that it found nothing for some of the prompts; None if it found something for each."""
        unknown = sum(answer in UNKNOWN for answer in answers)
        return Message("rag.extractive_found_nothing", unknown=unknown, prompts=len(answers)) if unknown else None

    def outcome(self, conversation: Conversation) -> Outcome:
        """Answer the last message."""
        return Outcome(answer(conversation[-1]["content"]), None)


class ChatGenerator(Generator):
    """A chat model behind an OpenAI-compatible interface, called several times at once."""

    def __init__(self, settings: ChatSettings, *, sampling: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        _check_sampling(sampling)
        self._settings = settings
        self._parameters = {**sampling, "model": settings.model_name, **extra}
        self._client = settings.client(
            "/chat/completions", limit=limits.REPLY_BYTES, delay=settings.base_delay, proxy=settings.proxy
        )

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """Return one outcome per conversation, in their order."""
        return map_in_threads(self.outcome, conversations, threads=self._settings.concurrency, progress=progress)

    def hint(self, error: Message | str | None) -> Message | None:
        """Return what to do if every prompt failed with this error."""
        return hint_for(error, self._settings, KEY_VARIABLE)

    def outcome(self, conversation: Conversation) -> Outcome:
        """Ask the model, and again after failures that may pass."""
        body = {"messages": list(conversation), **self._parameters}
        try:
            completion = completion_of(self._client.post(body))
        except SystemFailure as failure:
            return Outcome(None, reason(failure))
        if completion.finish_reason == "length":
            return Outcome(completion.text, _CUT_OFF)
        return Outcome(completion.text, NO_COMPLETION if completion.text is None else None)


class LocalGenerator(Generator):
    """A model of the transformers library in this process."""

    def __init__(self, config: Mapping[str, Any], *, sampling: Mapping[str, Any]) -> None:
        try:
            library = importlib.import_module("transformers")
        except ImportError:
            raise MissingExtra.of("transformers", "models", purpose=Message("words.a_model_on_this_machine")) from None
        where, name = "backend_configs.hf", config.get("model_name_or_path")
        if not name:
            message = Message("rag.local_model_missing")
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path")
        settings = {key: value for key, value in config.items() if key != "model_name_or_path"}
        try:
            self._pipeline = library.pipeline("text-generation", model=name, **settings)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            message = Message("rag.local_model_cannot_load", model=name, error=_first_line(error))
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path") from None
        self._sampling = dict(sampling)

    def outcome(self, conversation: Conversation) -> Outcome:
        """Generate an answer."""
        try:
            completions = self._pipeline(list(conversation), return_full_text=False, **self._sampling)
        except (ValueError, TypeError, RuntimeError) as error:
            return Outcome(None, _first_line(error))
        return Outcome(str(completions[0]["generated_text"]), None)


def engine_settings(config: Mapping[str, Any]) -> list[str]:
    """Return the settings of a vllm section that are for vLLM's engine: a running server has its own.

    A name that is close to a known setting is not among them, because it is probably a misspelling.
    """
    known = [*(known.name for known in fields(ChatSettings)), "api_key", "model_name_or_path"]
    return [name for name in config if name not in known and not difflib.get_close_matches(str(name), known)]


def _vllm_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a running vLLM server as those of an endpoint."""
    if not config.get("base_url"):
        message, where = Message("rag.vllm_needs_base_url"), "backend_configs.vllm"
        raise ConfigError(message, where=where, hint=VLLM_HINT, parameter=f"{where}.base_url")
    renamed = {"model_name_or_path": "model_name"}
    unused = engine_settings(config)
    return {renamed.get(name, name): value for name, value in config.items() if name not in unused}


def _check_names(configs: Mapping[str, Any], sampling: Mapping[str, Any] | None = None) -> None:
    """Raise an error for an unknown name in the section of any backend, chosen or not, and for misspelt `sampling`.

    The section `hf` is passed to a library; that of `vllm` may have settings of its engine.
    """
    for backend in configs:
        if backend not in BACKENDS:
            parameter = f"backend_configs.{backend}"
            raise UnknownName.of(Message("words.backend"), str(backend), BACKENDS, parameter=parameter)
    known = [*(known.name for known in fields(ChatSettings) if known.name != "key"), "api_key"]
    for backend, others in (("openai", []), ("vllm", ["model_name_or_path"])):
        where = f"backend_configs.{backend}"
        section = _section(configs, where, backend)
        allowed = (*others, *(engine_settings(section) if backend == "vllm" else ()))
        given = [name for name, value in section.items() if name not in allowed and value not in (None, "")]
        check_known(given, known, where=where)
    _check_sampling([name for name in sampling or () if _misspelt(name)])


def _misspelt(name: Any) -> str | None:
    """Return the sampling parameter that this name is probably meant to be; None if it is one, or like none."""
    close = difflib.get_close_matches(str(name), SAMPLING_PARAMETERS, n=1, cutoff=_MISSPELT)
    return close[0] if close and name not in SAMPLING_PARAMETERS else None


def _check_sampling(sampling: Iterable[Any]) -> None:
    for name in sampling:
        if name not in SAMPLING_PARAMETERS:
            meant = _misspelt(name)
            hint = Message("core.nearest_name", name=meant) if meant else SAMPLING_HINT
            message, where = Message("rag.unknown_sampling_parameter", name=name), "sampling_params"
            raise ConfigError(message, where=where, hint=hint, parameter=f"{where}.{name}")


def _with_system(messages: Sequence[Mapping[str, str]], system_prompt: str | None) -> Conversation:
    text = (system_prompt or "").strip()
    return [{"role": "system", "content": text}, *messages] if text else messages


def _message(message: Any) -> dict[str, str]:
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    if role not in ("system", "user", "assistant"):
        raise InputError(Message("rag.unknown_role", role=role))
    return {"role": role, "content": text_of(message)}


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _section(settings: Any, where: str, name: str | None = None) -> Mapping[str, Any]:
    """Return a mapping of settings, or the one under a name; an empty one for None."""
    section = settings.get(name) if name is not None else settings
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise ConfigError(Message("rag.must_be_mapping", where=where, name=type(section).__name__), parameter=where)
    return section


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of a prompt; `instructions` is the text outside of the other parts."""

    question: str
    documents: str
    options: Mapping[str, str]
    instructions: str


def read_prompt(prompt: str) -> PromptParts:
    """Return the parts by their headings; the last question heading counts, and the question ends at a blank line."""
    heading = max(_QUESTION.finditer(prompt), key=re.Match.start, default=None)
    if heading is None:
        return PromptParts(prompt.strip(), "", {}, prompt)
    before, after = prompt[: heading.start()], prompt[heading.end() :].strip()
    question, _, rest = after.partition("\n\n")
    first, documents = _cut(before, _DOCUMENTS)
    rest, later = (rest, "") if documents else _cut(rest, _DOCUMENTS)
    instructions, options = _cut(rest, _OPTIONS)
    return PromptParts(question.strip(), documents or later, dict(_OPTION.findall(options)), first + instructions)


def answer(prompt: str) -> str:
    """Return the answer in the form that the instructions of a prompt ask for; without evidence "I do not know."."""
    parts = read_prompt(prompt)
    instructions = parts.instructions.lower()
    form = next((form for words, form in _FORMS if words in instructions), _plain)
    return form(parts, Evidence(parts.question, sentences(parts.documents)))


def _boxed(parts: PromptParts, evidence: Evidence) -> str:
    if parts.options:
        letter = max(parts.options, key=lambda letter: evidence.support(parts.options[letter]))
        known = evidence.support(parts.options[letter]) > 0
        return rf"\boxed{{{letter}}}" if known else _unknown(parts.question)
    if not evidence.relevant:
        return _unknown(parts.question)
    sentence, text = span(parts.question, evidence.relevant)
    return rf"{sentence} \boxed{{{text.translate(_NO_BOX)}}}"


def _chained(parts: PromptParts, evidence: Evidence) -> str:
    if not evidence.sure:
        return _plain(parts, evidence)
    sentence, text = span(parts.question, evidence.relevant)
    return f"{sentence} So the answer is: {text}"


def _plain(parts: PromptParts, evidence: Evidence) -> str:
    return evidence.relevant[0] if evidence.relevant else _unknown(parts.question)


Form = Callable[[PromptParts, Evidence], str]
# words of the instructions, and the form of answer that they ask for; the first that occurs decides
_FORMS: Final[tuple[tuple[str, Form], ...]] = (
    (r"\boxed", _boxed),
    ("so the answer is", _chained),
    (
        "<search>",
        lambda parts, evidence: "The documents suffice." if evidence.sure else f"<search>{parts.question}</search>",
    ),
    ("search query", lambda parts, evidence: " ".join((parts.question, *evidence.relevant[:1]))),
)


def _unknown(question: str) -> str:
    # without a box: a text in a box would be evaluated as an answer
    return UNKNOWN[0] if has_han(question) else UNKNOWN[1]


def _cut(text: str, heading: re.Pattern[str]) -> tuple[str, str]:
    """Return the text before a heading and the text after it."""
    match = heading.search(text)
    return (text[: match.start()], text[match.end() :]) if match else (text, "")
