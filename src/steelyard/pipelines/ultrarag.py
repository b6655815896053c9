"""Differences from UltraRAG: parameters renamed since 0.2, parameters without effect, and tools that are missing here.

A step that needs a missing tool or server is refused before anything starts.
"""

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.yamls import Located
from steelyard.pipelines.import_check import foreign_python, missing_modules
from steelyard.pipelines.spec import Step

if TYPE_CHECKING:
    from steelyard.pipelines.locate import ServerChoice, ServerLocation

UNAVAILABLE_HINT: Final = Message("pipelines.use_project_servers")
_OPENAI = "backend_configs.openai"
_FAISS = "index_backend_configs.faiss"

# folder of a server → old name → new name; dots separate nested names
RENAMED: Mapping[str, Mapping[str, str]] = {
    "generation": {
        "sampling_params.chat_template_kwargs": "extra_params.chat_template_kwargs",
        "sampling_params.extra_body": "extra_params",
        "model_name": f"{_OPENAI}.model_name",
        "base_url": f"{_OPENAI}.base_url",
        "api_key": f"{_OPENAI}.api_key",
    },
    "retriever": {
        "retriever_path": "model_name_or_path",
        "cuda_devices": "gpu_ids",
        "openai_model": f"{_OPENAI}.model_name",
        "api_base": f"{_OPENAI}.base_url",
        "api_key": f"{_OPENAI}.api_key",
        "index_path": f"{_FAISS}.index_path",
        "faiss_use_gpu": f"{_FAISS}.index_use_gpu",
        "index_chunk_size": f"{_FAISS}.index_chunk_size",
    },
}

# parameters that selected a backend before there was `backend`: folder → name → the backend if it is set
_BACKEND_SELECTORS: Mapping[str, Mapping[str, str]] = {
    "generation": {"model_name": "openai"},
    "retriever": {"use_openai": "openai", "retriever_path": "sentence_transformers"},
}

# parameters of UltraRAG's servers, of any version, that our servers ignore
UNUSED_PARAMETERS: Mapping[str, frozenset[str]] = {
    "generation": frozenset({"image_tag", "model_path", "port", "gpu_ids"}),
    "retriever": frozenset(
        {
            "retrieve_thread_num",
            "websearch_backend",
            "websearch_backend_configs",
            "infinity_kwargs",
            "lancedb_path",
            "table_name",
            "filter_expr",
            "use_openai",
        }
    ),
}

_WEB: Final = Message("words.it_searches_the_web")
_IMAGES: Final = Message("words.it_works_on_images")
_MEMORY: Final = Message("words.it_stores_memories")
_MINERU: Final = Message("words.it_runs_mineru")

MISSING_TOOLS: Final[Mapping[str, Mapping[str, Message]]] = {
    "retriever": {
        "retriever_websearch": _WEB,
        "retriever_batch_websearch": _WEB,
        # names in UltraRAG 0.2
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
"""By the folder of a server: the tools of UltraRAG's server that ours lacks, with the reason."""

_MISSING_SERVERS: Final = {"memory": _MEMORY}
"""Servers of UltraRAG without a bundled counterpart, with the reason."""


def rename_parameters(
    folder: str, values: Mapping[str, Any], defaults: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the parameters of a server with old names replaced, and the new name of each old name that was replaced.

    A value that is given under the new name is kept. Defaults below a new name are kept if no value replaces them.
    """
    renewed = copy.deepcopy(dict(values))
    moved_values: dict[str, Any] = {}
    renamed: dict[str, str] = {}
    for old, new in RENAMED.get(folder, {}).items():
        section, last = _parent_section(renewed, old), old.rpartition(".")[2]
        if last in section and old not in defaults:
            moved_values = _merged(moved_values, _nested(new, section.pop(last)))
            renamed[old] = new
    for old, backend in _BACKEND_SELECTORS.get(folder, {}).items():
        if values.get(old) and "backend" not in {**values, **moved_values} and old not in defaults:
            moved_values["backend"] = backend
            renewed.pop(old, None)
            renamed[old] = f"{renamed[old]}, backend: {backend}" if old in renamed else f"backend: {backend}"
    for name, value in moved_values.items():
        base = {} if name in renewed else defaults.get(name)
        renewed[name] = _merged(_merged(base, value), renewed.get(name))
    return renewed, renamed


def refuse_unavailable(
    steps: Iterable[Step], locations: "Mapping[str, ServerLocation]", choice: "ServerChoice" = "auto"
) -> None:
    """Raise an error for the first step that only UltraRAG's servers can run, if these cannot be imported."""
    for step in steps:
        location = locations.get(step.server)
        if location is None or location.folder is None:
            continue
        if location.folder.name in _MISSING_SERVERS and choice != "project" and _cannot_be_imported(location):
            raise _missing_server(location.folder.name, step.where)
        reason = _missing_tools(location).get(step.tool) if location.is_bundled else None
        if reason is not None:
            message = Message("pipelines.missing_tool", name=step.name, reason=reason)
            raise ConfigError(message, where=step.where, hint=UNAVAILABLE_HINT)


def has_all_tools(steps: Iterable[Step], locations: "Mapping[str, ServerLocation]") -> bool:
    """Return whether the bundled servers have every tool that the steps use."""
    return not any(step.tool in _missing_tools(locations.get(step.server)) for step in steps)


def refuse_missing_server(entry: Located) -> None:
    """Raise an error for a server of UltraRAG that is neither bundled nor in the project."""
    path = Path(entry.value) if isinstance(entry.value, str) else None
    if path is not None and path.name in _MISSING_SERVERS and path.parent.name == "servers" and not path.is_dir():
        raise _missing_server(path.name, entry.where)


def _missing_tools(location: "ServerLocation | None") -> Mapping[str, Message]:
    if location is None or location.folder is None:
        return {}
    return MISSING_TOOLS.get(location.folder.name, {})


def _missing_server(name: str, where: str) -> ConfigError:
    message = Message("pipelines.missing_server", name=name, reason=_MISSING_SERVERS[name])
    return ConfigError(message, where=where, hint=UNAVAILABLE_HINT)


def _cannot_be_imported(location: "ServerLocation") -> bool:
    if location.program is None:
        return False
    return any(missing_modules({location.alias: str(location.program)}, foreign_python()).values())


def _parent_section(values: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the mapping that holds the last name of a path; an empty one if there is none."""
    section: Any = values
    for name in path.split(".")[:-1]:
        section = section.get(name) if isinstance(section, dict) else None
    return section if isinstance(section, dict) else {}


def _nested(path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _merged(low: Any, high: Any) -> Any:
    """Return two values merged name by name; `high` takes precedence."""
    if isinstance(low, Mapping) and isinstance(high, Mapping):
        return {name: _merged(low.get(name), high.get(name)) for name in {**low, **high}}
    return low if high is None else copy.deepcopy(high)
