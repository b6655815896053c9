"""Generation server: prompts to answers; what fails is null, with its reason beside it."""

import os
from typing import Annotated, Any

from steelyard.errors import ConfigError
from steelyard.pipelines.server import Server, progress
from steelyard.rag.conversations import Conversation, many_turns, single_turns
from steelyard.rag.generation import Generator, open_generator
from steelyard.rag.generation import generate as generate_answers

app = Server("generation", __file__)

KEY = "LLM_API_KEY"

SystemPrompt = Annotated[str | None, "what the model is told before the prompt; empty for nothing"]

# the generator that generation_init has opened
_opened: dict[str, Generator] = {}


@app.tool("backend_configs,sampling_params,extra_params,backend->None")
def generation_init(
    backend_configs: Annotated[dict[str, Any] | None, "the settings of each backend, by its name"] = None,
    sampling_params: Annotated[dict[str, Any] | None, "temperature, max_tokens and the like"] = None,
    extra_params: Annotated[dict[str, Any] | None, "what the server takes beyond OpenAI's parameters"] = None,
    backend: Annotated[str, "extractive, openai, vllm or hf"] = "extractive",
) -> None:
    """Choose what answers the prompts: `extractive` needs neither model nor network.

    The key of an interface is its `api_key` in `backend_configs`, else the environment variable LLM_API_KEY.
    """
    _opened["generator"] = open_generator(
        backend,
        configs=backend_configs,
        sampling=sampling_params,
        extra=extra_params,
        key=os.environ.get(KEY, ""),
    )


@app.tool("prompt_ls,system_prompt->ans_ls,ans_errors")
def generate(
    prompt_ls: Annotated[list[Any], "the prompts, each a text or a message"], system_prompt: SystemPrompt = None
) -> dict[str, list[str | None]]:
    """Answer every prompt, in order: `ans_ls` is null where that failed, and `ans_errors` says why there."""
    return _answered(single_turns(prompt_ls, system_prompt))


@app.tool("messages,system_prompt->ans_ls,ans_errors")
def multiturn_generate(
    messages: Annotated[list[Any], "the messages of a conversation with role and content, or a list of such lists"],
    system_prompt: SystemPrompt = None,
) -> dict[str, list[str | None]]:
    """Continue a conversation, or several: one answer each, null where that failed, with the reason beside it."""
    return _answered(many_turns(messages, system_prompt))


@app.tool("->None")
def vllm_shutdown() -> None:
    """Do nothing: a vLLM server is started and stopped by whoever runs it."""


def _answered(conversations: list[Conversation]) -> dict[str, list[str | None]]:
    if "generator" not in _opened:
        hint = "put generation.generation_init before this step"
        raise ConfigError("nothing is chosen to answer the prompts", hint=hint)
    answers, errors = generate_answers(_opened["generator"], conversations, told=progress)
    return {"ans_ls": answers, "ans_errors": errors}


if __name__ == "__main__":
    app.run()
