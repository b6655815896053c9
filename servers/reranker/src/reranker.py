"""Reranker server: the passages that a retriever found, the best of them first."""

import os
from typing import Annotated, Any

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.pipelines.manifest import read_parameters
from steelyard.pipelines.server import Server, notify, progress
from steelyard.rag.reranking import Reranker, RerankerSettings, open_reranker, rerank
from steelyard.rag.settings import refuse_unknown, reranker_findings, with_key

app = Server("reranker", __file__)

TOP_K = 5
BATCH_SIZE = 16
KEY_VARIABLE = "RERANKER_API_KEY"

# what reranker_init opens and reranker_rerank uses
_opened: list[Reranker] = []


@app.tool("model_name_or_path,backend_configs,batch_size,gpu_ids,backend->None")
def reranker_init(
    model_name_or_path: Annotated[str | None, "the model of the backend sentence_transformers"] = None,
    backend_configs: Annotated[dict[str, Any] | None, "settings by backend: openai, sentence_transformers"] = None,
    batch_size: Annotated[int | None, "passages that a local model scores at a time; 16 by default"] = None,
    gpu_ids: Annotated[str | int | None, "graphics card for a local model, for example 0; none by default"] = None,
    backend: Annotated[str | None, "lexical (default, no model), sentence_transformers or openai"] = None,
) -> None:
    """Open a reranker; call this before reranker_rerank."""
    given = {"backend": backend, "backend_configs": backend_configs, "batch_size": batch_size}
    refuse_unknown(reranker_findings(given))
    _opened[:] = []
    chosen = (backend or "lexical").lower()
    settings = RerankerSettings(
        backend=chosen,
        model_name_or_path=model_name_or_path or "",
        backend_configs=with_key(
            backend_configs or {},
            chosen,
            variable=KEY_VARIABLE,
            environment=os.environ,
            operator=read_parameters(app.folder / "parameter.yaml"),
            log=notify,
        ),
        batch_size=BATCH_SIZE if batch_size is None else batch_size,
        gpu_ids=gpu_ids,
    )
    _opened[:] = [open_reranker(settings)]


@app.tool("q_ls,ret_psg,top_k,query_instruction->rerank_psg")
def reranker_rerank(
    query_list: Annotated[list[str | None], "questions or search texts; null leaves its passages in their order"],
    passages_list: Annotated[list[list[str] | None], "per query, the passages that were found; null for none"],
    top_k: Annotated[int | None, "how many passages to keep for each query, from 1 on; 5 by default"] = None,
    query_instruction: Annotated[str | None, "text put before each query, for models that were taught with one"] = None,
) -> dict[str, list[list[str]]]:
    """Put the passages of each query in order, the best first, and keep the first of them."""
    if not _opened:
        raise ConfigError(Message("servers.no_reranker"), hint=Message("servers.reranker_init_first"))
    wanted, instruction = TOP_K if top_k is None else top_k, query_instruction or ""
    found = rerank(_opened[0], query_list, passages_list, top_k=wanted, instruction=instruction, progress=progress)
    return {"rerank_psg": found}


if __name__ == "__main__":
    app.run()
