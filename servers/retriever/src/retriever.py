"""Retriever server: a corpus indexed by its terms or by vectors, and the passages that are nearest to a query."""

import os
from pathlib import Path
from typing import Annotated, Any

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.pipelines.manifest import read_parameters
from steelyard.pipelines.server import Server, notify, progress
from steelyard.rag.embedding import KEY_VARIABLE
from steelyard.rag.retrieval import (
    BATCH_SIZE,
    EMBEDDINGS,
    Retriever,
    RetrieverSettings,
    SearchResult,
    search_remote,
    write_run,
)
from steelyard.rag.settings import refuse_option, refuse_unknown, retriever_findings, with_key

app = Server("retriever", __file__)

TOP_K = 5

# what retriever_init opens and the other tools use
_opened: list[Retriever] = []

Queries = Annotated[list[str | None], "questions or search texts; an empty one, or null, finds nothing"]
TopK = Annotated[int | None, "how many passages to find for each query, from 1 on; 5 by default"]
Instruction = Annotated[str | None, "text put before each query, for embedding models that were taught with one"]
Collection = Annotated[str | None, "accepted for compatibility; it names nothing in a file index"]
EmbeddingPath = Annotated[str | None, "the .npy file of the embeddings"]
Overwrite = Annotated[bool, "make it anew even if it is there; false uses what was made from the same corpus and model"]


@app.tool(
    "model_name_or_path,backend_configs,batch_size,corpus_path,gpu_ids,is_multimodal,backend,index_backend,"
    "index_backend_configs,is_demo,collection_name,adopt->"
)
def retriever_init(  # noqa: PLR0917 - the arguments are those of UltraRAG
    model_name_or_path: Annotated[str | None, "the model of the backend sentence_transformers"] = None,
    backend_configs: Annotated[
        dict[str, Any] | None, "settings by backend: openai, sentence_transformers, bm25"
    ] = None,
    batch_size: Annotated[int | None, "texts embedded at a time; 16 by default"] = None,
    corpus_path: Annotated[str, "the file of passages: rows with id and contents, or _id, title and text"] = "",
    gpu_ids: Annotated[str | int | None, "graphics cards for a local model, for example '0,1'; none by default"] = None,
    is_multimodal: Annotated[bool, "images are not offered: false"] = False,
    backend: Annotated[
        str | None, "latent (default, nothing to download), sentence_transformers, openai or bm25"
    ] = None,
    index_backend: Annotated[str | None, "faiss"] = None,
    index_backend_configs: Annotated[dict[str, Any] | None, "settings by index: faiss with index_path"] = None,
    is_demo: Annotated[bool, "the demo of UltraRAG is not offered: false"] = False,
    collection_name: Collection = None,
    adopt: Annotated[bool, "use embeddings and indexes that UltraRAG has made, after a check of their sizes"] = False,
) -> None:
    """Open a corpus for search; call this before any other tool here. Indexes that an earlier run made are used."""
    configs, indexes = backend_configs or {}, index_backend_configs or {}
    chosen = {"backend": backend, "index_backend": index_backend, "batch_size": batch_size}
    options = {"is_multimodal": is_multimodal, "is_demo": is_demo}
    sections = {"backend_configs": configs, "index_backend_configs": indexes}
    refuse_unknown(retriever_findings({**chosen, **sections, **options}))
    _opened[:] = []
    settings = RetrieverSettings(
        corpus_path=corpus_path,
        backend=backend or "latent",
        model_name_or_path=model_name_or_path or "",
        backend_configs=with_key(
            configs,
            backend or "latent",
            variable=KEY_VARIABLE,
            environment=os.environ,
            operator=read_parameters(app.folder / "parameter.yaml"),
            log=notify,
        ),
        batch_size=BATCH_SIZE if batch_size is None else batch_size,
        gpu_ids=gpu_ids,
        index_backend=index_backend or "faiss",
        index_backend_configs=indexes,
        adopt=adopt or os.environ.get("RETRIEVER_ADOPT") == "1",
    )
    _opened[:] = [Retriever(settings, notify)]


@app.tool("embedding_path,overwrite,is_multimodal->")
def retriever_embed(
    embedding_path: EmbeddingPath = None,
    overwrite: Overwrite = False,
    is_multimodal: Annotated[bool, "images are not offered: false"] = False,
) -> None:
    """Embed all passages of the corpus into a file; the step before retriever_index."""
    refuse_option("is_multimodal", is_multimodal)
    _retriever().embed(Path(embedding_path or EMBEDDINGS), overwrite=overwrite, progress=progress)


@app.tool("embedding_path,overwrite,collection_name,corpus_path->")
def retriever_index(
    embedding_path: EmbeddingPath = None,
    overwrite: Overwrite = False,
    collection_name: Collection = None,
    corpus_path: Annotated[str | None, "accepted for compatibility; the corpus is that of retriever_init"] = None,
) -> None:
    """Index the embeddings, so that retriever_search can find passages by them."""
    _retriever().index(Path(embedding_path or EMBEDDINGS), overwrite=overwrite)


@app.tool("q_ls,top_k,query_instruction,collection_name->ret_psg,ret_ids,ret_scores")
def retriever_search(
    query_list: Queries,
    top_k: TopK = None,
    query_instruction: Instruction = None,
    collection_name: Collection = None,
) -> dict[str, list[list[Any]]]:
    """Find the passages nearest to each query, the best first: their texts, their ids and their scores."""
    return _published(_retriever().search(query_list, _wanted(top_k), query_instruction or ""))


@app.tool("batch_query_list,top_k,query_instruction,collection_name->ret_psg_ls")
def retriever_batch_search(
    batch_query_list: Annotated[
        list[list[str | None] | None], "lists of queries, for example the sub-questions of each question; null for none"
    ],
    top_k: TopK = None,
    query_instruction: Instruction = None,
    collection_name: Collection = None,
) -> dict[str, list[list[list[str]]]]:
    """Find passages for several lists of queries; for each list, what retriever_search finds."""
    search, wanted, instruction = _retriever().search, _wanted(top_k), query_instruction or ""
    lists = [[] if queries is None else queries for queries in batch_query_list]
    return {"ret_psg_ls": [search(queries, wanted, instruction).passages for queries in lists]}


@app.tool("overwrite->")
def bm25_index(overwrite: Overwrite = False) -> None:
    """Index the corpus by its words and Chinese characters, so that bm25_search can find passages by them."""
    _retriever().index_terms(overwrite=overwrite, progress=progress)


@app.tool("q_ls,top_k->ret_psg,ret_ids,ret_scores")
def bm25_search(query_list: Queries, top_k: TopK = None) -> dict[str, list[list[Any]]]:
    """Find the passages that share words with each query (BM25), the best first; none that shares nothing."""
    return _published(_retriever().search_terms(query_list, _wanted(top_k)))


@app.tool("retriever_url,q_ls,top_k,query_instruction->ret_psg")
def retriever_deploy_search(
    retriever_url: Annotated[str, "the address of a running retriever, http or https"],
    query_list: Queries,
    top_k: TopK = None,
    query_instruction: Instruction = None,
) -> dict[str, list[list[str]]]:
    """Ask a retriever that runs elsewhere; retriever_init is not needed for it."""
    found = search_remote(retriever_url, query_list, top_k=_wanted(top_k), instruction=query_instruction or "")
    return {"ret_psg": found}


@app.tool("ret_ids,ret_scores,run_path,query_ids->")
def retriever_save_run(
    ret_ids: Annotated[
        list[list[str] | None], "per query, the ids of the passages found, the best first; null for none"
    ],
    ret_scores: Annotated[list[list[float] | None], "their scores"],
    run_path: Annotated[str, "the file to write; what is there is replaced"],
    query_ids: Annotated[list[str | int] | None, "the ids of the queries; without them q1, q2, …"] = None,
) -> None:
    """Write what was found as a run in TREC format, which evaluate_trec weighs."""
    write_run(run_path, ret_ids, ret_scores, query_ids)


def _retriever() -> Retriever:
    if not _opened:
        raise ConfigError(Message("servers.no_corpus"), hint=Message("servers.retriever_init_first"))
    return _opened[0]


def _published(found: SearchResult) -> dict[str, list[list[Any]]]:
    return {"ret_psg": found.passages, "ret_ids": found.ids, "ret_scores": found.scores}


def _wanted(top_k: int | None) -> int:
    return TOP_K if top_k is None else top_k


if __name__ == "__main__":
    app.run()
