"""Tools and servers that UltraRAG has and we do not offer, each with the reason; told before anything starts."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.yamls import Located
from steelyard.pipelines.homes import Choice, Home, foreign_python
from steelyard.pipelines.import_check import missing_modules
from steelyard.pipelines.spec import Step

UNAVAILABLE_HINT = Message("pipelines.activate_ultrarag_checkout")
_WEB: Final = Message("words.it_searches_the_web")
_IMAGES: Final = Message("words.it_works_on_images")
_MEMORY: Final = Message("words.it_keeps_memories_of_users")
_MINERU: Final = Message("words.it_runs_mineru")

NOT_OFFERED: Final[Mapping[str, Mapping[str, Message]]] = {
    "retriever": {
        "retriever_websearch": _WEB,
        "retriever_batch_websearch": _WEB,
        # names of UltraRAG 0.2
        "retriever_exa_search": _WEB,
        "retriever_tavily_search": _WEB,
        "retriever_zhipuai_search": _WEB,
        "retriever_project_memory_search": _MEMORY,
    },
    "prompt": {
        "qa_with_memory": _MEMORY,
        "qa_rag_with_memory": _MEMORY,
        "evisrag_vqa": _IMAGES,
    },
    "generation": {"multimodal_generate": _IMAGES},
    "corpus": {
        "build_image_corpus": _IMAGES,
        "mineru_parse": _MINERU,
        "build_mineru_corpus": _MINERU,
    },
    "memory": {
        "get_global_memory": _MEMORY,
        "save_memory": _MEMORY,
    },
}
"""By the folder of a server: the tools that UltraRAG's server of this name has and ours has not."""

_SERVERS: Final = {"memory": _MEMORY}
"""Servers of UltraRAG of which we have none."""


def refuse_unavailable(steps: Iterable[Step], homes: Mapping[str, Home], choice: Choice = "auto") -> None:
    """Refuse the first step that needs what only UltraRAG's servers have, where these cannot run."""
    for step in steps:
        home = homes.get(step.server)
        if home is None or home.folder is None:
            continue
        if home.folder.name in _SERVERS and choice != "project" and _cannot_run(home):
            raise _no_server(home.folder.name, step.where)
        reason = NOT_OFFERED.get(home.folder.name, {}).get(step.tool) if home.bundled else None
        if reason is not None:
            message = Message("pipelines.ultrarag_tool_steelyard_does_not", name=step.name, reason=reason)
            raise ConfigError(message, where=step.where, hint=UNAVAILABLE_HINT)


def offers_all(steps: Iterable[Step], homes: Mapping[str, Home]) -> bool:
    """Whether our servers of the same folders have every tool that the steps use."""
    return not any(step.tool in _lacking(homes.get(step.server)) for step in steps)


def _lacking(home: Home | None) -> Mapping[str, Message]:
    return NOT_OFFERED.get(home.folder.name, {}) if home is not None and home.folder is not None else {}


def refuse_server(found: Located) -> None:
    """Refuse a server that only UltraRAG has and that is not here either."""
    path = Path(found.value) if isinstance(found.value, str) else None
    if path is not None and path.name in _SERVERS and path.parent.name == "servers" and not path.is_dir():
        raise _no_server(path.name, found.where)


def _no_server(name: str, where: str) -> ConfigError:
    message = Message("pipelines.ultrarag_server_steelyard_does_not", name=name, servers=_SERVERS[name])
    return ConfigError(message, where=where, hint=UNAVAILABLE_HINT)


def _cannot_run(home: Home) -> bool:
    """Whether the program of a server imports what is not installed."""
    programs = {} if home.program is None else {home.alias: str(home.program)}
    return any(missing_modules(programs, foreign_python()).values())
