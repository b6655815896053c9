"""Embedders: texts to vectors, by latent semantic analysis of the corpus, a local model, or an embeddings endpoint."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.errors import ConfigError, MissingExtra, SystemFailure
from steelyard.i18n import Message
from steelyard.net.openai import embeddings_of
from steelyard.net.secrets import public_address
from steelyard.progress import ProgressCallback, no_progress
from steelyard.rag.settings import EndpointSettings, hint_for
from steelyard.search.terms import terms
from steelyard.search.vectors import LatentModel, Vectors, fit_latent, load_latent
from steelyard.threads import map_in_threads

SEED: Final = 42
KEY_VARIABLE: Final = "RETRIEVER_API_KEY"


class Embedder:
    """Turns passages and queries into vectors; `identity` (model) and `address` (endpoint) are for the stamp."""

    identity: str
    address = ""

    def embed_passages(self, texts: Sequence[str], progress: ProgressCallback) -> Vectors:
        """Return one vector for each passage."""
        raise NotImplementedError

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Return one vector for each query; the instruction is put before it, for models that were trained with one."""
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Save beside a file of vectors what embedding a query needs: nothing, unless the model was fitted."""

    def load(self, path: Path) -> None:
        """Load what was saved beside a file of vectors."""


class Latent(Embedder):
    """Latent semantic analysis of the corpus; instructions are ignored."""

    identity = "latent-1"

    def __init__(self) -> None:
        self._fitted: LatentModel | None = None

    def embed_passages(self, texts: Sequence[str], progress: ProgressCallback) -> Vectors:
        """Fit the model to the passages, and embed them."""
        self._fitted, vectors = fit_latent(texts, seed=SEED, progress=progress)
        return vectors

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed by the fitted model."""
        return self._model.embed([terms(text) for text in texts])

    def save(self, path: Path) -> None:
        """Write the fitted model."""
        self._model.save(_beside(path))

    def load(self, path: Path) -> None:
        """Read the fitted model."""
        self._fitted = load_latent(_beside(path))

    @property
    def _model(self) -> LatentModel:
        if self._fitted is None:
            raise ConfigError(Message("rag.not_embedded"), hint=Message("rag.embed_hint"))
        return self._fitted


class SentenceTransformers(Embedder):
    """A local model of the library sentence-transformers."""

    def __init__(self, model: str, *, settings: Mapping[str, Any], batch_size: int, devices: Sequence[str]) -> None:
        self.model = model
        self._settings = settings
        self._encoding = settings.get("sentence_transformers_encode") or {}
        prompt = self._encoding.get("psg_prompt_name")
        self.identity = f"{model}, prompt {prompt}" if prompt else model
        self._batch_size = batch_size
        self._devices = list(devices)

    def embed_passages(self, texts: Sequence[str], progress: ProgressCallback) -> Vectors:
        """Embed as documents, with the model's prompt for documents."""
        vectors = self._encode(self._loaded.encode_document, texts, self._encoding.get("psg_prompt_name"))
        progress(len(texts), len(texts))
        return vectors

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed as queries, with the model's prompt for queries."""
        instructed = [f"{instruction}{text}" for text in texts]
        return self._encode(self._loaded.encode_query, instructed, self._encoding.get("q_prompt_name"))

    def _encode(self, encode: Callable[..., Any], texts: Sequence[str], prompt_name: str | None) -> Vectors:
        prompt = {"prompt_name": prompt_name} if prompt_name else {}
        several = {"device": self._devices} if len(self._devices) > 1 else {}
        vectors = encode(list(texts), batch_size=self._batch_size, show_progress_bar=False, **prompt, **several)
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _loaded(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            purpose = Message("words.embedding_by_a_local_model")
            raise MissingExtra.of("sentence-transformers", "models", purpose=purpose) from None
        trust = bool(self._settings.get("trust_remote_code", False))
        first = self._devices[0] if self._devices else None
        try:
            return SentenceTransformer(self.model, trust_remote_code=trust, device=first)
        except (OSError, ValueError) as error:
            raise ConfigError(Message("rag.model_cannot_load", model=self.model, error=error)) from None


class Endpoint(Embedder):
    """A model behind an OpenAI-compatible embeddings endpoint; batches are sent concurrently."""

    def __init__(self, settings: EndpointSettings, *, batch_size: int) -> None:
        self.model = settings.model_name
        self.address = public_address(settings.base_url)
        self.identity = settings.model_name
        self._settings = settings
        self._batch_size = batch_size
        self._client = settings.client("/embeddings")

    def embed_passages(self, texts: Sequence[str], progress: ProgressCallback) -> Vectors:
        """Embed the passages as they are."""
        return self._embed(texts, progress)

    def embed_queries(self, texts: Sequence[str], instruction: str) -> Vectors:
        """Embed the queries, each with the instruction before it."""
        return self._embed([f"{instruction}{text}" for text in texts], no_progress)

    def _embed(self, texts: Sequence[str], progress: ProgressCallback) -> Vectors:
        size, total = self._batch_size, len(texts)
        replies = map_in_threads(
            self._request,
            [texts[start : start + size] for start in range(0, total, size)],
            threads=self._settings.concurrency,
            progress=lambda done, _: progress(min(done * size, total), total),
        )
        vectors = [vector for reply in replies for vector in reply]
        if len({len(vector) for vector in vectors}) > 1:
            raise SystemFailure(Message("rag.embeddings_different_lengths"), where=self.address)
        try:
            return np.array(vectors, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise SystemFailure(Message("rag.embeddings_not_numbers"), where=self.address) from None

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the embeddings of one batch."""
        # as numbers: not every endpoint supports base64
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        try:
            reply = self._client.post(body)
        except SystemFailure as failure:
            hint = hint_for(failure.message, self._settings, KEY_VARIABLE) or failure.hint
            message = Message("rag.embeddings_endpoint_failed", reason=failure.message)
            raise SystemFailure(message, where=self.address, hint=hint) from None
        vectors = embeddings_of(reply)
        if vectors is None:
            raise SystemFailure(Message("rag.no_embeddings_in_reply"), where=self.address)
        if len(vectors) != len(texts):
            message = Message("rag.number_of_embeddings", found=len(vectors), texts=len(texts))
            raise SystemFailure(message, where=self.address)
        return vectors


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.latent.npz")
