"""Rerankers: reorder the passages of a query by BM25, a local model, or an endpoint."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.net.replies import IT
from steelyard.net.secrets import public_address
from steelyard.progress import ProgressCallback
from steelyard.rag.settings import (
    EndpointSettings,
    checked_queries,
    endpoint_settings,
    from_one,
    reason,
    section_of,
)
from steelyard.search.terms import Bm25, terms
from steelyard.threads import map_in_threads

MODEL_HINT: Final = Message("rag.reranker_hint")
_LARGEST_SCORE: Final = 1e300
_BASE: Final = re.compile(r"(?:/v\d+)?/?")  # a base address, to which /rerank is added

Passages = Sequence[str]


class Reranker(Protocol):
    """Ranks the passages of one query."""

    concurrency: int

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """Return the indices of the best passages, at most `top_k`, the best first."""


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """The settings of a reranker, under the names of UltraRAG."""

    backend: str = "lexical"
    model_name_or_path: str = ""
    backend_configs: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 16
    gpu_ids: str | int | None = None


def open_reranker(settings: RerankerSettings) -> Reranker:
    """Return the reranker that the settings name."""
    config = section_of(settings.backend_configs, settings.backend)
    match settings.backend:
        case "sentence_transformers":
            return LocalModel(settings, config)
        case "openai":
            return Endpoint(endpoint_settings(EndpointSettings, config, where="backend_configs.openai"))
    return Lexical()


def rerank(
    reranker: Reranker,
    queries: Sequence[str | None],
    passages: Sequence[Passages | None],
    *,
    top_k: int,
    instruction: str,
    progress: ProgressCallback,
) -> list[list[str]]:
    """Return the best passages of each list for its query; an empty query keeps the order of its passages."""
    texts, lists, wanted = checked_queries(queries), _checked_passages(passages), from_one(top_k, "top_k")
    if len(texts) != len(lists):
        raise InputError(Message("rag.queries_lists_passages", queries=len(texts), lists=len(lists)))
    instructed = texts if isinstance(reranker, Lexical) else [instruction + query if query else "" for query in texts]

    def best(row: tuple[str, list[str]]) -> list[str]:
        query, candidates = row
        if not query.strip() or not candidates:
            return candidates[:wanted]
        return [candidates[index] for index in reranker.rank(query, candidates, wanted)]

    rows = list(zip(instructed, lists, strict=True))
    return map_in_threads(best, rows, threads=reranker.concurrency, progress=progress)


class Lexical:
    """BM25 over the passages of one query; ties keep their order. It needs no model."""

    concurrency = 1

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """Return the indices by falling BM25 score."""
        scores = Bm25([terms(passage) for passage in passages]).scores(terms(query))
        return sorted(range(len(passages)), key=lambda index: -scores.get(index, 0.0))[:top_k]


class LocalModel:
    """A cross-encoder of the library sentence-transformers."""

    concurrency = 1

    def __init__(self, settings: RerankerSettings, config: Mapping[str, Any]) -> None:
        if not settings.model_name_or_path:
            raise ConfigError(Message("rag.model_path_missing"), hint=MODEL_HINT, parameter="model_name_or_path")
        self._batch_size = settings.batch_size
        self._model = _cross_encoder(settings, config)

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """Return the indices that the model ranks first."""
        try:
            rows = self._model.rank(
                query, list(passages), top_k=top_k, batch_size=self._batch_size, show_progress_bar=False
            )
        except (RuntimeError, ValueError) as error:
            raise SystemFailure(Message("rag.model_failed", error=error)) from None
        return [int(row["corpus_id"]) for row in rows]


class Endpoint:
    """A reranker that takes model, query, documents and top_n by POST, as those of Jina, Cohere and vLLM do."""

    def __init__(self, settings: EndpointSettings) -> None:
        self.concurrency = settings.concurrency
        is_base = _BASE.fullmatch(urlsplit(settings.base_url).path)
        self._address = settings.base_url.rstrip("/") + "/rerank" if is_base else settings.base_url
        self._model = settings.model_name
        self._client = settings.client("/rerank" if is_base else "", party=IT)

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """Return the indices in the reply, by falling score."""
        rows = self._rows({"model": self._model, "query": query, "documents": list(passages), "top_n": top_k})
        if passages and not rows:
            raise self._failure(Message("rag.no_results_in_reply"))
        indices = [_index(row, passages) for row in sorted(rows, key=_negative_score)]
        known = [index for index in dict.fromkeys(indices) if index is not None]
        if len(known) < len(rows):
            raise self._failure(Message("rag.result_without_index"))
        return known[:top_k]

    def _rows(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the results in the reply to a request."""
        try:
            reply = self._client.post(body)
        except SystemFailure as failure:
            raise self._failure(reason(failure)) from None
        rows = reply.get("results", reply.get("data")) if isinstance(reply, dict) else reply
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._failure(Message("rag.no_results_in_reply"))
        return rows

    def _failure(self, reason: Message) -> SystemFailure:
        return SystemFailure(Message("rag.reranker_failed", address=public_address(self._address), reason=reason))


def _checked_passages(passages: Any) -> list[list[str]]:
    if not isinstance(passages, Sequence) or isinstance(passages, str):
        raise InputError(Message("rag.passages_must_be_lists", name=type(passages).__name__))
    for number, row in enumerate(passages, 1):
        if row is not None and not (isinstance(row, list | tuple) and all(isinstance(text, str) for text in row)):
            raise InputError(Message("rag.passages_must_be_texts", number=number))
    return [list(row or ()) for row in passages]


def _negative_score(row: Mapping[str, Any]) -> float:
    """Return the sort key of a row; 0 for a row without a score."""
    score = row.get("relevance_score", row.get("score"))
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) < _LARGEST_SCORE:
        return 0.0
    return -float(score)


def _index(row: Mapping[str, Any], passages: Passages) -> int | None:
    """Return the index of the passage of a row: its `index`, else that of its text."""
    index, document = row.get("index"), row.get("document")
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(passages):
        return index
    text = document.get("text") if isinstance(document, Mapping) else document
    return passages.index(text) if isinstance(text, str) and text in passages else None


def _cross_encoder(settings: RerankerSettings, config: Mapping[str, Any]) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        purpose = Message("words.reranking_by_a_local_model")
        raise MissingExtra.of("sentence-transformers", "models", purpose=purpose) from None
    chosen = {name: value for name, value in config.items() if name != "sentence_transformers_encode" and value}
    if settings.gpu_ids not in (None, "") and chosen.get("device") in (None, "cuda"):
        chosen["device"] = f"cuda:{str(settings.gpu_ids).split(',')[0].strip()}"
    try:
        return CrossEncoder(settings.model_name_or_path, **chosen)
    except (OSError, ValueError, RuntimeError, AssertionError, TypeError) as error:
        raise ConfigError(Message("rag.model_cannot_load", model=settings.model_name_or_path, error=error)) from None
