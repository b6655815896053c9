"""Generation: prompts to answers, by the embedded generator, an OpenAI-compatible interface, or a local model.

A failure is never an answer: the answer is None, and the reason is given beside it.
"""

import difflib
import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Protocol

from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.net.openai import NO_COMPLETION, SAMPLING_PARAMETERS, completion_of, model_client
from steelyard.net.retry import RetryRule, call_with_retries
from steelyard.progress import ProgressCallback, no_progress
from steelyard.rag.embedded import UNKNOWN, answer
from steelyard.rag.endpoints import EndpointSettings, endpoint_settings, hint_for, reason
from steelyard.rag.prompts import text_of
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer, or the reason why there is none; an answer that was cut off has a remark as its `error`."""

    answer: str | None
    error: Message | str | None


def single_turns(prompts: Any, system_prompt: str | None) -> list[Conversation]:
    """A conversation for each prompt, after the system prompt if there is one; an empty one for an empty prompt."""
    if not isinstance(prompts, list):
        raise InputError(Message("rag.prompts_must_be_list"))
    texts = ["" if prompt is None else text_of(prompt) for prompt in prompts]
    return [_with_system([{"role": "user", "content": text}], system_prompt) if text else [] for text in texts]


def many_turns(messages: Any, system_prompt: str | None) -> list[Conversation]:
    """One conversation from a list of messages, several from a list of such lists, where None is an empty one."""
    if not isinstance(messages, list) or not messages:
        raise InputError(Message("rag.messages_must_be_list"))
    conversations = messages if all(isinstance(entry, list | None) for entry in messages) else [messages]
    return [_with_system(list(map(_message, entry)), system_prompt) if entry else [] for entry in conversations]


class Generator(Protocol):
    """Answers conversations."""

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """One outcome per conversation, in their order."""


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
    """The generator of this name with its section of `configs`."""
    if backend not in BACKENDS:
        raise UnknownName.of(Message("words.backend"), str(backend), BACKENDS, parameter="backend")
    config = _section(_section(configs, "backend_configs"), f"backend_configs.{backend}", backend)
    parameters, more = _section(sampling, "sampling_params"), _section(extra, "extra_params")
    _check_names(configs or {}, parameters if backend == "extractive" else {})
    match backend:
        case "openai":
            return _chat(config, parameters, more, where="backend_configs.openai")
        case "vllm":
            return _chat(_vllm_config(config), parameters, more, where="backend_configs.vllm")
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
    """Answers and errors, two lists of one length: an answer is None if there is none, and then its error says why.

    An answer with an error is incomplete. If every conversation fails, the key, the model or the address is wrong, and
    SystemFailure is raised; not if the generator is `proven`, that is, has answered before.
    """
    sent = [conversation for conversation in conversations if conversation]
    answered = generator.generate(sent, progress) if sent else []
    if answered and not proven and all(outcome.answer is None for outcome in answered):
        hint = generator.hint(answered[0].error) if isinstance(generator, ChatGenerator) else None
        raise SystemFailure(Message("rag.every_generation_failed", error=answered[0].error), hint=hint)
    waiting = iter(answered)
    outcomes = [next(waiting) if conversation else Outcome(None, _EMPTY) for conversation in conversations]
    return [outcome.answer for outcome in outcomes], [_text(outcome.error) for outcome in outcomes]


class ExtractiveGenerator:
    """The embedded generator: words of the documents in the prompt, no model and no network."""

    @staticmethod
    def notice(answers: Sequence[str | None]) -> Message | None:
        """That it found nothing for some of the prompts; None if it found something for each."""
        unknown = sum(answer in UNKNOWN for answer in answers)
        return Message("rag.extractive_found_nothing", unknown=unknown, prompts=len(answers)) if unknown else None

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """One outcome per conversation; the last message is the prompt."""
        outcomes = []
        for conversation in conversations:
            outcomes.append(Outcome(answer(conversation[-1]["content"]), None))
            progress(len(outcomes), len(conversations))
        return outcomes


class ChatGenerator:
    """A chat model behind an OpenAI-compatible interface, called several times at once."""

    def __init__(self, settings: ChatSettings, *, sampling: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        _check_sampling(sampling)
        self._settings = settings
        self._parameters = {**sampling, "model": settings.model_name, **extra}
        self._rule = RetryRule(settings.retries, settings.base_delay)
        self._client = model_client(
            settings.base_url,
            "/chat/completions",
            key=settings.key,
            timeout=settings.timeout or None,
            proxy=settings.proxy,
        )

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """One outcome per conversation, in their order."""
        return map_in_threads(self._outcome, conversations, threads=self._settings.concurrency, progress=progress)

    def hint(self, error: Message | str | None) -> Message | None:
        """What to do if every prompt failed with this error."""
        return hint_for(error, self._settings, KEY_VARIABLE)

    def _outcome(self, conversation: Conversation) -> Outcome:
        """The answer to a conversation; a failure that stays is its error."""
        body = {"messages": list(conversation), **self._parameters}
        try:
            completion = completion_of(call_with_retries(lambda: self._client.post(body), self._rule))
        except SystemFailure as failure:
            return Outcome(None, reason(failure))
        if completion.finish_reason == "length":
            return Outcome(completion.text, _CUT_OFF)
        return Outcome(completion.text, NO_COMPLETION if completion.text is None else None)


class LocalGenerator:
    """A model of the transformers library in this process."""

    def __init__(self, config: Mapping[str, Any], *, sampling: Mapping[str, Any]) -> None:
        try:
            library = importlib.import_module("transformers")
        except ImportError:
            raise MissingExtra.of("transformers", "models", purpose=Message("words.a_model_on_this_machine")) from None
        name = config.get("model_name_or_path")
        if not name:
            message, where = Message("rag.local_model_missing"), "backend_configs.hf"
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path")
        settings = {key: value for key, value in config.items() if key != "model_name_or_path"}
        try:
            self._pipeline = library.pipeline("text-generation", model=name, **settings)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            message = Message("rag.local_model_cannot_load", model=name, error=_first_line(error))
            where = "backend_configs.hf"
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path") from None
        self._sampling = dict(sampling)

    def generate(self, conversations: Sequence[Conversation], progress: ProgressCallback) -> list[Outcome]:
        """One outcome per conversation."""
        outcomes = []
        for conversation in conversations:
            outcomes.append(self._outcome(conversation))
            progress(len(outcomes), len(conversations))
        return outcomes

    def _outcome(self, conversation: Conversation) -> Outcome:
        try:
            completions = self._pipeline(list(conversation), return_full_text=False, **self._sampling)
        except (ValueError, TypeError, RuntimeError) as error:
            return Outcome(None, _first_line(error))
        return Outcome(str(completions[0]["generated_text"]), None)


def engine_settings(config: Mapping[str, Any]) -> list[str]:
    """The settings of a vllm section that are for vLLM's engine: a running server has its own.

    A name that is close to a known setting is not among them, because it is probably a misspelling.
    """
    known = [*(known.name for known in fields(ChatSettings)), "api_key", "model_name_or_path"]
    return [name for name in config if name not in known and not difflib.get_close_matches(str(name), known)]


def _chat(
    config: Mapping[str, Any], sampling: Mapping[str, Any], extra: Mapping[str, Any], *, where: str
) -> ChatGenerator:
    settings = endpoint_settings(ChatSettings, config, where=where)
    return ChatGenerator(settings, sampling=sampling, extra=extra)


def _vllm_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings of a running vLLM server as those of an endpoint."""
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
        section, where = _section(configs, f"backend_configs.{backend}", backend), f"backend_configs.{backend}"
        engine = engine_settings(section) if backend == "vllm" else ()
        for name, value in section.items():
            if name not in (*known, *others, *engine) and value not in (None, ""):
                what = Message("words.setting")
                raise UnknownName.of(what, str(name), known, where=where, parameter=f"{where}.{name}")
    _check_sampling([name for name in sampling or () if _misspelt(name)])


def _misspelt(name: Any) -> str | None:
    """The sampling parameter that this name is probably meant to be; None if it is one, or like none."""
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


def _text(error: Message | str | None) -> str | None:
    """An error as it is stored beside the answers: in English."""
    return None if error is None else str(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _section(settings: Any, where: str, name: str | None = None) -> Mapping[str, Any]:
    """A mapping of settings, or the one under a name; an empty one for None."""
    section = settings.get(name) if name is not None else settings
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise ConfigError(Message("rag.must_be_mapping", where=where, name=type(section).__name__), parameter=where)
    return section
