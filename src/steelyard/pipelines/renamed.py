"""Parameters of UltraRAG 0.2.0 and 0.2.1 under the names of today, and those that our servers have no use for."""

import copy
from collections.abc import Mapping
from typing import Any

_OPENAI = "backend_configs.openai"
_FAISS = "index_backend_configs.faiss"

# folder of a server → old name → new name; a name below a parameter is written with dots
MOVED: Mapping[str, Mapping[str, str]] = {
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

# what chose a backend before there was a parameter for it: folder → name → the backend where it is set
_CHOSE: Mapping[str, Mapping[str, str]] = {
    "generation": {"model_name": "openai"},
    "retriever": {"use_openai": "openai", "retriever_path": "sentence_transformers"},
}

# parameters of UltraRAG's servers, of any version, that ours have no use for
WITHOUT_USE: Mapping[str, frozenset[str]] = {
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


def renew(folder: str, said: Mapping[str, Any], defaults: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """What a file says of a server under the names of today, and each old name that was found with its new one.

    What the file says under a new name stays; where it says nothing there, the other defaults below that name stay.
    """
    values = copy.deepcopy(dict(said))
    late: dict[str, Any] = {}
    moved: dict[str, str] = {}
    for old, new in MOVED.get(folder, {}).items():
        inside, last = _inside(values, old), old.rpartition(".")[2]
        if last in inside and old not in defaults:
            late = _merged(late, _nested(new, inside.pop(last)))
            moved[old] = new
    for old, backend in _CHOSE.get(folder, {}).items():
        if said.get(old) and "backend" not in {**said, **late} and old not in defaults:
            late["backend"] = backend
            values.pop(old, None)
            moved[old] = f"{moved[old]}, backend: {backend}" if old in moved else f"backend: {backend}"
    for name, value in late.items():
        values[name] = _merged(_merged({} if name in values else defaults.get(name), value), values.get(name))
    return values, moved


def _inside(values: dict[str, Any], path: str) -> dict[str, Any]:
    """The mapping that holds the last name of a path; an empty one where there is none."""
    inside: Any = values
    for name in path.split(".")[:-1]:
        inside = inside.get(name) if isinstance(inside, dict) else None
    return inside if isinstance(inside, dict) else {}


def _nested(path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _merged(low: Any, high: Any) -> Any:
    """Both, name by name; where both say something, what stands in `high`."""
    if isinstance(low, Mapping) and isinstance(high, Mapping):
        return {name: _merged(low.get(name), high.get(name)) for name in {**low, **high}}
    return low if high is None else copy.deepcopy(high)
