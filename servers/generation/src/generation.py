"""Generation server: prompts to answers; what fails is null, with its reason beside it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from steelyard.errors import ConfigError, Problem
from steelyard.i18n import Message
from steelyard.pipelines.manifest import read_parameters
from steelyard.pipelines.server import Server, notify, progress
from steelyard.rag.generation import (
    KEY_VARIABLE,
    Conversation,
    ExtractiveGenerator,
    Generator,
    check_generator,
    engine_settings,
    many_turns,
    open_generator,
    single_turns,
)
from steelyard.rag.generation import generate as generate_answers
from steelyard.rag.settings import with_key

app = Server("generation", __file__)

SystemPrompt = Annotated[str | None, "what the model is told before the prompt; empty for nothing"]


@dataclass(slots=True)
class _Chosen:
    """What answers, and whether it has answered yet: before that, a call that fails whole is a wrong setting.

    `noticed` says that the notice of the extractive backend was given, which is given once.
    """

    generator: Generator
    proven: bool = False
    noticed: bool = False


# what generation_init has chosen
_opened: list[_Chosen] = []


def _check_backend(arguments: Mapping[str, Any]) -> None:
    """Return what is wrong with the settings, whatever the prompts are."""
    check_generator(
        arguments.get("backend", "extractive"),
        configs=arguments.get("backend_configs"),
        sampling=arguments.get("sampling_params"),
        extra=arguments.get("extra_params"),
    )


@app.tool("backend_configs,sampling_params,extra_params,backend->None", checks=_check_backend)
def generation_init(
    backend_configs: Annotated[dict[str, Any] | None, "the settings of each backend, by its name"] = None,
    sampling_params: Annotated[dict[str, Any] | None, "temperature, max_tokens and the like"] = None,
    extra_params: Annotated[dict[str, Any] | None, "what the server takes beyond OpenAI's parameters"] = None,
    backend: Annotated[str, "extractive, openai, vllm or hf"] = "extractive",
) -> None:
    """Choose what answers the prompts: `extractive` needs neither model nor network.

    The key of an interface is its `api_key` in `backend_configs`, else the environment variable LLM_API_KEY, which is
    sent only to addresses that the operator of this server named.
    """
    _opened[:] = []
    generator = open_generator(
        backend,
        configs=_checked_configs(backend, backend_configs),
        sampling=sampling_params,
        extra=extra_params,
    )
    _opened[:] = [_Chosen(generator)]


@app.tool("prompt_ls,system_prompt->ans_ls,ans_errors")
def generate(
    prompt_ls: Annotated[list[Any], "the prompts, each a text or a message; an empty one or null is not asked"],
    system_prompt: SystemPrompt = None,
) -> dict[str, Any]:
    """Answer every prompt, in order: `ans_ls` is null where that failed, and `ans_errors` says why there.

    An answer that was cut off is kept, with a remark in `ans_errors`. `ans_failed` counts the nulls.
    """
    return _answered(single_turns(prompt_ls, system_prompt))


@app.tool("messages,system_prompt->ans_ls,ans_errors")
def multiturn_generate(
    messages: Annotated[list[Any], "the messages of a conversation with role and content, or a list of such lists"],
    system_prompt: SystemPrompt = None,
) -> dict[str, Any]:
    """Continue a conversation, or several: one answer each, null where that failed, with the reason beside it."""
    return _answered(many_turns(messages, system_prompt))


@app.tool("->None")
def vllm_shutdown() -> None:
    """Do nothing: a vLLM server is started and stopped by whoever runs it."""


def _checked_configs(backend: str, configs: Any) -> Any:
    """Return the settings of backends without those of UltraRAG that have no effect here; a notice names them."""
    config = configs.get(backend) if isinstance(configs, dict) else None
    if not isinstance(config, dict):
        return configs
    unused = engine_settings(config) if backend == "vllm" and config.get("base_url") else []
    if unused:
        notify(Problem("backend_configs.vllm", Message("servers.engine_settings", names=", ".join(unused))))
    return with_key(
        configs,
        backend,
        variable=KEY_VARIABLE,
        environment=os.environ,
        operator=read_parameters(app.folder / "parameter.yaml"),
        log=notify,
    )


def _answered(conversations: list[Conversation]) -> dict[str, Any]:
    if not _opened:
        raise ConfigError(Message("servers.no_generator"), hint=Message("servers.generation_init_first"))
    (chosen,) = _opened
    answers, errors = generate_answers(chosen.generator, conversations, proven=chosen.proven, progress=progress)
    is_extractive = isinstance(chosen.generator, ExtractiveGenerator) and not chosen.noticed
    if is_extractive and (notice := ExtractiveGenerator.notice(answers)):
        notify(notice)
        chosen.noticed = True
    failed = answers.count(None)
    chosen.proven = chosen.proven or failed < len(answers)
    return {"ans_ls": answers, "ans_errors": errors, "ans_failed": failed}


if __name__ == "__main__":
    app.run()
