"""Embedders: texts to vectors, by the corpus itself, by a local model, or by an endpoint like OpenAI's."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from steelyard.errors import ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.rag.endpoints import (
    NOT_JSON,
    EndpointSettings,
    RefusedReply,
    hint_for,
    openai_library,
    reason,
    shown_address,
)
from steelyard.rag.latent import LatentModel, Vectors, fit_latent, load_latent
from steelyard.rag.terms import Told, terms

if TYPE_CHECKING:
    import openai

SEED: Final = 42
_PURPOSE: Final = Message("words.embedding_by_an_endpoint")
KEY_VARIABLE: Final = "RETRIEVER_API_KEY"


class Embedder(Protocol):
    """Turns passages and queries into vectors; `identity` says by what, for the stamp, and `address` where."""

    identity: str
    address: str

    def embed_passages(self, texts: Sequence[str], told: Told) -> Vectors:
        """One vector for each passage."""

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """One vector for each query; a model that was taught with an instruction gets it before each."""

    def save(self, path: Path) -> None:
        """Keep beside a file of vectors what a query needs later."""

    def load(self, path: Path) -> None:
        """Take up again what was kept beside a file of vectors."""


class Latent:
    """Vectors learnt from the corpus; an instruction means nothing to it."""

    identity = "latent-1"
    address = ""

    def __init__(self) -> None:
        self._fitted: LatentModel | None = None

    def embed_passages(self, texts: Sequence[str], told: Told) -> Vectors:
        """Learn from the passages, then embed them."""
        self._fitted, vectors = fit_latent(texts, seed=SEED, told=told)
        return vectors

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed by what was learnt."""
        return self._model.embed([terms(text) for text in texts])

    def save(self, path: Path) -> None:
        """Write what was learnt."""
        self._model.save(_beside(path))

    def load(self, path: Path) -> None:
        """Read what was learnt."""
        self._fitted = load_latent(_beside(path))

    @property
    def _model(self) -> LatentModel:
        if self._fitted is None:
            raise ConfigError(Message("rag.nothing_been_embedded_yet"), hint=Message("rag.run_retriever_embed_first"))
        return self._fitted


class _Ready:
    """An embedder whose model is there already: nothing is to be kept."""

    address = ""

    def save(self, path: Path) -> None:
        """Keep nothing."""

    def load(self, path: Path) -> None:
        """Take up nothing."""


class SentenceTransformers(_Ready):
    """A local model of the library sentence-transformers."""

    def __init__(self, model: str, *, settings: Mapping[str, Any], batch_size: int, devices: Sequence[str]) -> None:
        self.model = model
        self._settings = settings
        self._encoding = settings.get("sentence_transformers_encode") or {}
        prompt = self._encoding.get("psg_prompt_name")
        self.identity = f"{model}, prompt {prompt}" if prompt else model
        self._batch_size = batch_size
        self._devices = list(devices)

    def embed_passages(self, texts: Sequence[str], told: Told) -> Vectors:
        """Embed as documents, with the prompt that the model has for them."""
        found = self._encode(self._loaded.encode_document, texts, self._encoding.get("psg_prompt_name"))
        told(len(texts), len(texts))
        return found

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed as queries, with the prompt that the model has for them."""
        instructed = [f"{instruction}{text}" for text in texts]
        return self._encode(self._loaded.encode_query, instructed, self._encoding.get("q_prompt_name"))

    def _encode(self, encode: Callable[..., Any], texts: Sequence[str], prompt_name: str | None) -> Vectors:
        prompt = {"prompt_name": prompt_name} if prompt_name else {}
        several = {"device": self._devices} if len(self._devices) > 1 else {}
        found = encode(list(texts), batch_size=self._batch_size, show_progress_bar=False, **prompt, **several)
        return np.asarray(found, dtype=np.float32)

    @cached_property
    def _loaded(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtra.of(
                "sentence-transformers", "models", purpose=Message("words.embedding_by_a_local_model")
            ) from None
        trust = bool(self._settings.get("trust_remote_code", False))
        first = self._devices[0] if self._devices else None
        try:
            return SentenceTransformer(self.model, trust_remote_code=trust, device=first)
        except (OSError, ValueError) as error:
            raise ConfigError(Message("rag.model_cannot_loaded", model=self.model, error=error)) from None


class Endpoint(_Ready):
    """A model behind an endpoint that speaks OpenAI's protocol; batches are asked side by side."""

    def __init__(self, settings: EndpointSettings, *, batch_size: int) -> None:
        self.model = settings.model_name
        self._settings = settings
        self._batch_size = batch_size
        self.address = shown_address(settings.base_url)
        self.identity = settings.model_name

    def embed_passages(self, texts: Sequence[str], told: Told) -> Vectors:
        """Embed the passages as they are."""
        return self._embed(texts, told)

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed the queries, each with the instruction before it."""
        return self._embed([f"{instruction}{text}" for text in texts], lambda done, total: None)

    def _embed(self, texts: Sequence[str], told: Told) -> Vectors:
        found: list[list[float]] = []
        with ThreadPoolExecutor(self._settings.concurrency) as pool:
            for vectors in pool.map(self._ask, _batches(texts, self._batch_size)):
                found += vectors
                told(len(found), len(texts))
        if len({len(vector) for vector in found}) > 1:
            raise SystemFailure(Message("rag.embeddings_different_lengths"), where=self.address)
        try:
            return np.array(found, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise SystemFailure(Message("rag.embeddings_not_numbers"), where=self.address) from None

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        client = self._client
        try:
            # as numbers: not every endpoint knows the packed form that the client asks for by itself
            reply = client.embeddings.create(model=self.model, input=list(texts), encoding_format="float")
        except (openai_library(purpose=_PURPOSE).APIError, RefusedReply, *NOT_JSON) as error:
            said = reason(error, self._settings)
            hint = hint_for(said, self._settings, KEY_VARIABLE)
            raise SystemFailure(
                Message("rag.embeddings_endpoint_failed", said=said), where=self.address, hint=hint
            ) from None
        found = _embeddings(reply)
        if found is None:
            raise SystemFailure(Message("rag.reply_no_embedding_index_each"), where=self.address)
        if len(found) != len(texts):
            raise SystemFailure(
                Message("rag.embeddings_came_back_texts", found=len(found), texts=len(texts)), where=self.address
            )
        return found

    @cached_property
    def _client(self) -> "openai.OpenAI":
        from steelyard.rag.transports import openai_client

        library, settings = openai_library(purpose=_PURPOSE), self._settings
        client: openai.OpenAI = library.OpenAI(
            api_key=settings.key or "none",  # a local endpoint needs no key, the client does
            base_url=settings.base_url,
            max_retries=settings.retries,
            timeout=settings.timeout or None,
            http_client=openai_client(library, settings.timeout),
        )
        return client


def _embeddings(reply: Any) -> list[list[float]] | None:
    """The embeddings of a reply in the order of their texts; None where it is something else."""
    rows = getattr(reply, "data", None)
    if not isinstance(rows, list) or not all(isinstance(getattr(row, "index", None), int) for row in rows):
        return None
    found: list[Any] = [getattr(row, "embedding", None) for row in sorted(rows, key=lambda row: row.index)]
    return found if all(isinstance(vector, list) for vector in found) else None


def _batches(texts: Sequence[str], size: int) -> list[Sequence[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.latent.npz")
