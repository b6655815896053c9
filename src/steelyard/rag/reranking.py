"""Rerankers: the passages found for a query in a better order, by shared terms, a local model, or an endpoint."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, InputError, MissingExtra, SystemFailure
from steelyard.i18n import Message, as_message
from steelyard.rag.choices import RERANKERS, check_backend
from steelyard.rag.endpoints import EndpointSettings, endpoint_settings, shown_address, without_key
from steelyard.rag.queries import checked_queries, from_one
from steelyard.rag.remote import ask_json
from steelyard.rag.terms import Told, terms

MODEL_HINT: Final = Message("rag.example_openbmb_minicpm_reranker_light")
K1: Final = 1.5
B: Final = 0.75
_LARGEST_SCORE: Final = 1e300
_BASE: Final = re.compile(r"(?:/v\d+)?/?")  # an address without the path of a tool: /rerank belongs behind it

Passages = Sequence[str]


class Reranker(Protocol):
    """Gives the places of the best passages for one query, the best first."""

    concurrency: int

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """At most `top_k` places."""


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """What a reranker is opened with; the names are those of UltraRAG."""

    backend: str = "lexical"
    model_name_or_path: str = ""
    backend_configs: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 16
    gpu_ids: str | int | None = None


def open_reranker(settings: RerankerSettings) -> Reranker:
    """The reranker that the settings name."""
    from_one(settings.batch_size, "batch_size")
    check_backend("backend", settings.backend, RERANKERS)
    config = settings.backend_configs.get(settings.backend) or {}
    if not isinstance(config, Mapping):
        message = Message("rag.settings_mapping_not", backend=settings.backend, name=type(config).__name__)
        raise ConfigError(message, parameter=f"backend_configs.{settings.backend}")
    match settings.backend:
        case "sentence_transformers":
            return LocalModel(settings, config)
        case "openai":
            chosen = endpoint_settings(EndpointSettings, config, key="", where="backend_configs.openai")
            return Endpoint(chosen)
    return Lexical()


def rerank(
    reranker: Reranker,
    queries: Sequence[str | None],
    passages: Sequence[Passages | None],
    *,
    top_k: int,
    instruction: str,
    told: Told,
) -> list[list[str]]:
    """The best passages of each list for its query; a query that says nothing leaves its passages in their order."""
    asked, lists, wanted = checked_queries(queries), _checked_passages(passages), from_one(top_k, "top_k")
    if len(asked) != len(lists):
        raise InputError(Message("rag.queries_lists_passages", asked=len(asked), lists=len(lists)))
    instructed = asked if isinstance(reranker, Lexical) else [instruction + query if query else "" for query in asked]
    found: list[list[str]] = []
    with ThreadPoolExecutor(reranker.concurrency) as pool:
        for row in pool.map(lambda query, given: _best(reranker, query, given, wanted), instructed, lists):
            found.append(row)
            told(len(found), len(lists))
    return found


class Lexical:
    """BM25 over the passages of the query alone; of equals the one that was found first. It needs no model."""

    concurrency = 1

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """The places with the most weight in the terms of the query."""
        counts = [Counter(terms(passage)) for passage in passages]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths) or 1.0
        weights = {term: _weight(sum(term in count for count in counts), len(counts)) for term in set(terms(query))}
        scores = [
            sum(weight * _saturated(count[term], length / mean) for term, weight in sorted(weights.items()))
            for count, length in zip(counts, lengths, strict=True)
        ]
        return sorted(range(len(passages)), key=lambda place: -scores[place])[:top_k]


class LocalModel:
    """A cross-encoder of the library sentence-transformers."""

    concurrency = 1

    def __init__(self, settings: RerankerSettings, config: Mapping[str, Any]) -> None:
        if not settings.model_name_or_path:
            raise ConfigError(Message("rag.model_name_path_missing"), hint=MODEL_HINT, parameter="model_name_or_path")
        self._batch_size = settings.batch_size
        self._model = _cross_encoder(settings, config)

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """The places that the model ranks first."""
        try:
            rows = self._model.rank(
                query, list(passages), top_k=top_k, batch_size=self._batch_size, show_progress_bar=False
            )
        except (RuntimeError, ValueError) as error:
            raise SystemFailure(Message("rag.model_failed", error=error)) from None
        return [int(row["corpus_id"]) for row in rows]


class Endpoint:
    """A model behind an address that takes model, query, documents and top_n, as Jina's, Cohere's and vLLM's do."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self.concurrency = settings.concurrency
        bare = _BASE.fullmatch(urlsplit(settings.base_url).path)
        self._address = settings.base_url.rstrip("/") + "/rerank" if bare else settings.base_url
        self._headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}

    def rank(self, query: str, passages: Passages, top_k: int) -> Sequence[int]:
        """The places that the reply names, by their scores."""
        body = {"model": self._settings.model_name, "query": query, "documents": list(passages), "top_n": top_k}
        found = ask_json(
            self._address,
            body,
            seconds=self._settings.timeout,
            failure=self._failure,
            headers=self._headers,
            retries=self._settings.retries,
        )
        rows = found.get("results", found.get("data")) if isinstance(found, dict) else found
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or (passages and not rows):
            raise self._failure(Message("rag.reply_no_results"))
        places = [_place(row, passages) for row in sorted(rows, key=_falling)]
        chosen = [place for place in dict.fromkeys(places) if place is not None]
        if len(chosen) < len(rows):
            raise self._failure(Message("rag.result_no_index"))
        return chosen[:top_k]

    def _failure(self, why: Message | str) -> SystemFailure:
        masked = without_key(as_message(why), self._settings)
        return SystemFailure(Message("rag.reranker_failed", address=shown_address(self._address), masked=masked))


def _best(reranker: Reranker, query: str, passages: Passages, top_k: int) -> list[str]:
    if not query.strip() or not passages:
        return list(passages[:top_k])
    return [passages[place] for place in reranker.rank(query, passages, top_k)]


def _checked_passages(passages: Any) -> list[list[str]]:
    if not isinstance(passages, Sequence) or isinstance(passages, str):
        raise InputError(Message("rag.passages_list_list_texts_each", name=type(passages).__name__))
    for place, row in enumerate(passages, 1):
        if row is not None and not (isinstance(row, list | tuple) and all(isinstance(text, str) for text in row)):
            raise InputError(Message("rag.passages_query_list_texts", place=place))
    return [list(row or ()) for row in passages]


def _weight(holding: int, total: int) -> float:
    """How much a term says: the fewer passages hold it, the more."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _saturated(count: int, relative_length: float) -> float:
    return count / (count + K1 * (1 - B + B * relative_length)) if count else 0.0


def _falling(row: Mapping[str, Any]) -> float:
    """What sorts rows by their scores; rows without one stay as they are."""
    score = row.get("relevance_score", row.get("score"))
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) < _LARGEST_SCORE:
        return 0.0
    return -float(score)


def _place(row: Mapping[str, Any], passages: Passages) -> int | None:
    """The place of the passage that a row is about: by its index, else by its text."""
    index, document = row.get("index"), row.get("document")
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(passages):
        return index
    text = document.get("text") if isinstance(document, Mapping) else document
    return passages.index(text) if isinstance(text, str) and text in passages else None


def _cross_encoder(settings: RerankerSettings, config: Mapping[str, Any]) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise MissingExtra.of(
            "sentence-transformers", "models", purpose=Message("words.reranking_by_a_local_model")
        ) from None
    chosen = {name: value for name, value in config.items() if name != "sentence_transformers_encode" and value}
    if settings.gpu_ids not in (None, "") and chosen.get("device") in (None, "cuda"):
        chosen["device"] = f"cuda:{str(settings.gpu_ids).split(',')[0].strip()}"
    try:
        return CrossEncoder(settings.model_name_or_path, **chosen)
    except (OSError, ValueError, RuntimeError, AssertionError, TypeError) as error:
        raise ConfigError(Message("rag.model_cannot_loaded", model=settings.model_name_or_path, error=error)) from None
