"""A copy of UltraRAG's checkout made ready as a user would: its data, and the parameters that `build` has written."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from bench.ultrarag_data import write_data

FOLDERS: Final = ("examples", "servers", "prompt", "data")
LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "*.pyc", "logs", "output")
INDEXING: Final = ("corpus_index", "bm25_index")
"""Pipelines that make the indexes which others need."""

_KEY_MAP: Final = {"q_ls": "question", "gt_ls": "golden_answers"}
_MORE_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "evaluate_results": {"pred_ls": "prediction"},
    "vanilla_multiple_choice": {"choices_ls": "choices", "gt_ls": "letters"},
    "rag_multiple_choice": {"choices_ls": "choices", "gt_ls": "letters"},
}
_TEMPLATES: Final[Mapping[str, str]] = {
    "RAG": "qa_rag_citation",
    "ircot": "IRCoT",
    "r1_searcher": "r1_searcher_init",
    "search_r1": "search_r1_init",
    "rag_wow": "qa_rag_boxed_wow",
    "vanilla_wow": "qa_boxed_wow",
    "rag_multiple_choice": "qa_rag_boxed_multiple_choice",
    "vanilla_multiple_choice": "qa_boxed_multiple_choice",
    "iterretgen": "qa_rag_boxed",
}
_OTHER_NAMES: Final[Mapping[str, str]] = {
    "kr_template": "prompt/RankCoT_knowledge_refinement.jinja",
    "qa_template": "prompt/RankCoT_question_answering.jinja",
    "search_r1_gen_template": "prompt/search_r1_append.jinja",
    "r1_searcher_gen_template": "prompt/r1_searcher_append.jinja",
    "webnote_fill_page_template": "prompt/webnote_fill_page.jinja",
    "webnote_gen_answer_template": "prompt/webnote_gen_answer.jinja",
}
"""Templates that have other names than ours, or that a demo's own parameters name and UltraRAG's build forgets."""
_ALONE: Final = ("LLM", "vanilla_llm", "vanilla_vlm", "multimodal_rag", "visrag")
_MESSAGES: Final = [
    {"role": "user", "content": "which harbour did Velmora have"},
    {"role": "assistant", "content": "Port Osk."},
    {"role": "user", "content": "and when did they sail"},
]


@dataclass(frozen=True, slots=True)
class Shipped:
    """A pipeline of UltraRAG's checkout: the folder that it is in, and its name."""

    folder: str
    name: str

    @property
    def path(self) -> str:
        """Its file, from the root of the checkout."""
        return f"examples/{self.folder}/{self.name}.yaml"

    @property
    def parameters(self) -> str:
        """Where UltraRAG's build writes its parameters."""
        return f"examples/{self.folder}/parameter/{self.name}_parameter.yaml"

    def read(self, root: Path) -> dict[str, Any]:
        """Return what the file says."""
        content: dict[str, Any] = yaml.safe_load((root / self.path).read_text(encoding="utf-8"))
        return content


def shipped(checkout: Path) -> list[Shipped]:
    """Return the pipelines of a checkout."""
    folders = ("demos", "experiments")
    return [
        Shipped(folder, path.stem)
        for folder in folders
        for path in sorted((checkout / "examples" / folder).glob("*.yaml"))
    ]


def copy_checkout(checkout: Path, folder: Path) -> None:
    """Copy what pipelines need of a checkout, and write the invented data beside it."""
    for name in FOLDERS:
        shutil.copytree(checkout / name, folder / name, ignore=LEFT_OUT)
    for built in folder.glob("servers/*/server.yaml"):
        built.unlink()
    write_data(folder)


def prepare_servers(root: Path, pipeline: Shipped, *, ours: bool = False) -> None:
    """Edit the servers' own files where UltraRAG's build needs that: columns of data, templates, messages."""
    _add_parameters(root / "servers/prompt/parameter.yaml", _templates_missing())
    if pipeline.name == "multiturn_chat":
        _add_parameters(root / "servers/generation/parameter.yaml", {"messages": _MESSAGES})
    more = _MORE_COLUMNS.get(pipeline.name, {})
    if ours and more:
        section = {"path": "data/invented.jsonl", "key_map": {**_KEY_MAP, **more}}
        (root / "servers/benchmark/parameter.yaml").write_text(yaml.safe_dump({"benchmark": section}), encoding="utf-8")
    columns = [name for name in more if name not in _KEY_MAP]
    program = root / "servers/benchmark/src/benchmark.py"
    text = program.read_text(encoding="utf-8")
    if columns and '"benchmark->q_ls,gt_ls"' in text:
        changed = text.replace('"benchmark->q_ls,gt_ls"', f'"benchmark->q_ls,gt_ls,{",".join(columns)}"')
        program.write_text(changed, encoding="utf-8")


def edit_parameters(path: Path, pipeline: Shipped, servers: Mapping[str, str], address: str) -> None:
    """Fill in a parameter file that `build` has written; a name that is not in it is not added."""
    written = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for alias, section in written.items():
        wanted = _settings(pipeline, alias, Path(servers.get(alias, alias)).name, address)
        known = {name: value for name, value in wanted.items() if name in (section or {})}
        written[alias] = _merged(section or {}, known)
    path.write_text(yaml.safe_dump(written, allow_unicode=True, sort_keys=False), encoding="utf-8")


def _settings(pipeline: Shipped, alias: str, server: str, address: str) -> dict[str, Any]:
    """Return what a user would say to a server of a pipeline."""
    stub = {"model_name": "stub", "base_url": f"{address}/v1", "api_key": "stub"}
    columns = {**_KEY_MAP, **_MORE_COLUMNS.get(pipeline.name, {})}
    template = _TEMPLATES.get(pipeline.name, "qa_boxed" if pipeline.name in _ALONE else "qa_rag_boxed")
    reranker = {"openai": {"model_name": "stub", "base_url": f"{address}/v1/rerank"}}
    settings: dict[str, dict[str, Any]] = {
        "benchmark": {"benchmark": {"name": "invented", "path": "data/invented.jsonl", "key_map": columns}},
        "retriever": _retriever(pipeline, alias, address),
        "reranker": {"backend": "openai", "backend_configs": reranker, "top_k": 2},
        "generation": {"backend": "openai", "backend_configs": {"openai": stub}, "messages": _MESSAGES},
        "prompt": {"template": f"prompt/{template}.jinja", **_OTHER_NAMES, **_templates_missing()},
        "corpus": {"parse_file_path": "data/notes.txt", "chunk_size": 160},
        "evaluation": {"save_path": "output/evaluated.json"},
        "sayhello": {"name": "UltraRAG"},
    }
    return settings.get(server, {})


def _retriever(pipeline: Shipped, alias: str, address: str) -> dict[str, Any]:
    lexical = pipeline.name.startswith("bm25") or alias == "bm25"
    config = {"model_name": "stub", "base_url": f"{address}/v1", "api_key": "stub"}
    faiss = {"index_use_gpu": False, "index_path": "index/index.index"}
    return {
        "backend": "bm25" if lexical else "openai",
        "backend_configs": {"openai": config, "bm25": {"save_path": "index/bm25", "lang": "en"}},
        "corpus_path": "data/invented_corpus.jsonl",
        "embedding_path": "embedding/embedding.npy",
        "index_backend": "milvus" if pipeline.name == "milvus_index" else "faiss",
        "index_backend_configs": {"faiss": faiss},
        "retriever_url": address,
        "is_demo": False,
        "overwrite": pipeline.name not in INDEXING
        and "rag_full" not in pipeline.name
        and "rerank" not in pipeline.name,
        "query_instruction": "",
        "top_k": 2,
        "model_name_or_path": "stub",
    }


def _templates_missing() -> dict[str, str]:
    """Templates whose names UltraRAG's own parameter file lacks."""
    return {"gen_subq_template": "prompt/gen_subq.jinja", "check_psg_template": "prompt/check_passages.jinja"}


def _add_parameters(path: Path, more: Mapping[str, Any]) -> None:
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    written = yaml.safe_load(before) or {}
    new = {name: value for name, value in more.items() if name not in written}
    if new:
        path.write_text(f"{before.rstrip()}\n{yaml.safe_dump(new, sort_keys=False)}", encoding="utf-8")


def _merged(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(before)
    for name, value in more.items():
        old = merged.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping) and name != "key_map"
        merged[name] = _merged(dict(old or {}), value) if both else value
    return merged


def snapshots(root: Path) -> Iterator[Path]:
    """Yield the snapshots of runs in a project's folder, oldest first."""
    yield from sorted((root / "output").glob("memory_*.json"), key=lambda path: path.stat().st_mtime)
