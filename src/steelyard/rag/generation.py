"""Generation: prompts to answers, by the embedded generator, a model behind an interface, or one on this machine.

What fails is never an answer: it is None, with its reason beside it.
"""

import difflib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, Protocol

from steelyard.errors import ConfigError, MissingExtra, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.rag import extractive
from steelyard.rag.chat import VLLM_HINT, ChatGenerator, ChatSettings
from steelyard.rag.conversations import Conversation, Outcome, Told
from steelyard.rag.endpoints import endpoint_settings

BACKENDS: Final = ("extractive", "openai", "vllm", "hf")
_EMPTY: Final = Message("rag.prompt_empty")


class Generator(Protocol):
    """Answers conversations."""

    def generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        """One outcome per conversation, in their order."""


def open_generator(
    backend: str,
    *,
    configs: Mapping[str, Any] | None = None,
    sampling: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
    key: str = "",
) -> Generator:
    """The generator of this name with its section of `configs`; `key` is for models that want one."""
    if backend not in BACKENDS:
        raise UnknownName.of(Message("words.backend"), str(backend), BACKENDS, parameter="backend")
    config = _section(_section(configs, "backend_configs"), f"backend_configs.{backend}", backend)
    chosen, more = _section(sampling, "sampling_params"), _section(extra, "extra_params")
    match backend:
        case "openai" | "vllm":
            return _chat(config, chosen, more, key=key, where=f"backend_configs.{backend}")
        case "hf":
            return LocalGenerator(config, sampling=chosen)
    return ExtractiveGenerator()


def check_generator(backend: str, *, configs: Any = None, sampling: Any = None, extra: Any = None) -> None:
    """Refuse settings that `open_generator` would refuse; no model is loaded or asked."""
    if backend == "hf":
        _section(_section(configs, "backend_configs"), "backend_configs.hf", "hf")
        return
    open_generator(backend, configs=configs, sampling=sampling, extra=extra)


def generate(
    generator: Generator,
    conversations: Sequence[Conversation],
    *,
    proven: bool = False,
    told: Told = lambda done, total: None,
) -> tuple[list[str | None], list[str | None]]:
    """Answers and errors side by side: an answer is None where there is none, and then its error says why.

    An answer with an error was had, but not whole. Where all that are asked fail, the key, the model or the address is
    wrong, and the system fails; unless it is `proven`, that is, has answered something before.
    """
    asked = [conversation for conversation in conversations if conversation]
    answered = generator.generate(asked, told) if asked else []
    if answered and not proven and all(outcome.answer is None for outcome in answered):
        hint = generator.hint(answered[0].error) if isinstance(generator, ChatGenerator) else None
        raise SystemFailure(Message("rag.every_generation_failed", error=answered[0].error), hint=hint)
    waiting = iter(answered)
    outcomes = [next(waiting) if conversation else Outcome(None, _EMPTY) for conversation in conversations]
    return [outcome.answer for outcome in outcomes], [_text(outcome.error) for outcome in outcomes]


def _text(error: Message | str | None) -> str | None:
    """An error as it is kept beside the answers: in English."""
    return None if error is None else str(error)


class ExtractiveGenerator:
    """The embedded one: words of the documents in the prompt, no model and no network."""

    def generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        """One outcome per conversation; the last message is the prompt."""
        outcomes = []
        for conversation in conversations:
            outcomes.append(Outcome(extractive.answer(conversation[-1]["content"]), None))
            told(len(outcomes), len(conversations))
        return outcomes


class LocalGenerator:
    """A model of the transformers library in this process."""

    def __init__(self, config: Mapping[str, Any], *, sampling: Mapping[str, Any]) -> None:
        try:
            library = importlib.import_module("transformers")
        except ImportError:
            raise MissingExtra.of("transformers", "models", purpose=Message("words.a_model_on_this_machine")) from None
        name = config.get("model_name_or_path")
        if not name:
            message, where = Message("rag.model_name_path_say_which"), "backend_configs.hf"
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path")
        settings = {key: value for key, value in config.items() if key != "model_name_or_path"}
        try:
            self._ask = library.pipeline("text-generation", model=name, **settings)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            message = Message("rag.local_model_cannot_loaded", model=name, error=_first_line(error))
            where = "backend_configs.hf"
            raise ConfigError(message, where=where, parameter=f"{where}.model_name_or_path") from None
        self._sampling = dict(sampling)

    def generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        """One outcome per conversation."""
        outcomes = []
        for conversation in conversations:
            outcomes.append(self._outcome(conversation))
            told(len(outcomes), len(conversations))
        return outcomes

    def _outcome(self, conversation: Conversation) -> Outcome:
        try:
            found = self._ask(list(conversation), return_full_text=False, **self._sampling)
        except (ValueError, TypeError, RuntimeError) as error:
            return Outcome(None, _first_line(error))
        return Outcome(str(found[0]["generated_text"]), None)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _chat(
    config: Mapping[str, Any], sampling: Mapping[str, Any], extra: Mapping[str, Any], *, key: str, where: str
) -> ChatGenerator:
    """A model behind an interface; vLLM's model may be called as vLLM calls it, and its server must be running."""
    if where.endswith("vllm"):
        if not config.get("base_url"):
            message = Message("rag.vllm_needs_base_url_running")
            raise ConfigError(message, where=where, hint=VLLM_HINT, parameter=f"{where}.base_url")
        renamed = {"model_name_or_path": "model_name"}
        unused = engine_settings(config)
        config = {renamed.get(name, name): value for name, value in config.items() if name not in unused}
    settings = endpoint_settings(ChatSettings, config, key=key, where=where)
    return ChatGenerator(settings, sampling=sampling, extra=extra)


def engine_settings(config: Mapping[str, Any]) -> list[str]:
    """The settings of a vllm section that are for vLLM's engine: a server that is running has its own already.

    A name that is close to a setting of ours is not among them: it is more likely misspelt.
    """
    known = [*(each.name for each in fields(ChatSettings)), "api_key", "model_name_or_path"]
    return [name for name in config if name not in known and not difflib.get_close_matches(str(name), known)]


def _section(settings: Any, where: str, name: str | None = None) -> Mapping[str, Any]:
    """A mapping of settings, or the one below a name; nothing is none."""
    found = settings.get(name) if name is not None else settings
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise ConfigError(Message("rag.mapping_not", where=where, name=type(found).__name__), parameter=where)
    return found
