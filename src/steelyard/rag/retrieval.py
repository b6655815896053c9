"""A retriever: reads a corpus, makes its indexes, searches them or a remote retriever, and writes runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from steelyard import limits
from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.net.http import JsonClient, is_address
from steelyard.net.replies import IT
from steelyard.net.secrets import public_address
from steelyard.progress import ProgressCallback
from steelyard.rag.embedding import Embedder, Endpoint, Latent, SentenceTransformers
from steelyard.rag.indexes import (
    ADOPTED,
    BACKEND_HINT,
    LexicalIndex,
    adopt_dense,
    adopt_embeddings,
    adopt_lexical,
    make_lexical,
    open_lexical,
    read_corpus,
)
from steelyard.rag.settings import (
    BM25,
    EndpointSettings,
    checked_queries,
    endpoint_settings,
    from_one,
    reason,
    section_of,
)
from steelyard.search.artifacts import (
    ADDRESS,
    VECTORS_HINT,
    Stamp,
    digest_of,
    is_current,
    read_stamp,
    remove_stamp,
    whole_file,
    write_stamp,
)
from steelyard.search.terms import NOTHING, Ranking, Way, way_of
from steelyard.search.vectors import check_vectors, load_vectors, open_dense, search_dense, write_dense

if TYPE_CHECKING:
    import faiss

EMBEDDINGS: Final = "output/embedding/embedding.npy"
DENSE_INDEX: Final = "output/index/index.faiss"
LEXICAL_INDEX: Final = "output/index/bm25"
BATCH_SIZE: Final = 16
_TIMEOUT: Final = 60.0
"""Seconds that the retriever has to answer."""
TAG = "steelyard"


@dataclass(frozen=True, slots=True)
class RetrieverSettings:
    """The settings of a retriever, under the names of UltraRAG."""

    corpus_path: str
    backend: str = "latent"
    model_name_or_path: str = ""
    backend_configs: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = BATCH_SIZE
    gpu_ids: str | int | None = None
    index_backend: str = "faiss"
    index_backend_configs: Mapping[str, Any] = field(default_factory=dict)
    adopt: bool = False

    def of_backend(self, name: str) -> Mapping[str, Any]:
        """Return the settings of one backend."""
        return section_of(self.backend_configs, name)

    @property
    def index_path(self) -> Path:
        """The path of the index of vectors."""
        return Path(section_of(self.index_backend_configs, "faiss").get("index_path") or DENSE_INDEX)

    @property
    def lexical_path(self) -> Path:
        """The path of the BM25 index."""
        return Path(self.of_backend(BM25).get("save_path") or LEXICAL_INDEX)

    @property
    def way(self) -> Way:
        """The kind of terms of the BM25 index."""
        chosen = self.of_backend(BM25)
        return way_of(chosen.get("tokenizer") or "auto", chosen.get("lang") or "auto")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """For each query the passages, their ids and their scores, the best first."""

    passages: list[list[str]]
    ids: list[list[str]]
    scores: list[list[float]]


class Retriever:
    """Makes indexes of a corpus and searches them; the files of an earlier run are used again."""

    def __init__(self, settings: RetrieverSettings, log: Callable[[Message], None] = lambda message: None) -> None:
        self._log = log
        self._embedder = _embedder(settings)
        self._settings = settings
        self._way = settings.way
        self._corpus = read_corpus(settings.corpus_path)
        if repeated := self._corpus.repeated:
            message = Message("rag.repeated_ids", repeated=repeated, total=len(self._corpus))
            log(Message("core.labelled", label=settings.corpus_path, message=message))
        self._dense: faiss.Index | None = None
        self._lexical: LexicalIndex | None = None

    def embed(self, path: Path, *, overwrite: bool, progress: ProgressCallback) -> None:
        """Embed all passages into a file, unless it exists already."""
        embedder = self._needed_embedder()
        if path.suffix != ".npy":
            raise ConfigError(Message("rag.embedding_path_suffix", path=str(path)), parameter="embedding_path")
        if not overwrite:
            self._adopt(path, embedder, adopt_embeddings)
        if not overwrite and self._is_current(path, embedder):
            return
        vectors = embedder.embed_passages(self._corpus.texts, progress)
        check_vectors(vectors)
        remove_stamp(path)
        with whole_file(path) as part, part.open("wb") as file:
            np.save(file, vectors)
        embedder.save(path)
        sizes = {"dimensions": vectors.shape[1], "embeddings": digest_of(path)}
        write_stamp(path, {**self._origin(embedder), **sizes})

    def index(self, path: Path, *, overwrite: bool) -> None:
        """Index the embeddings of a file, unless there is an index of them already."""
        embedder, index_path = self._needed_embedder(), self._settings.index_path
        self._adopt(path, embedder, adopt_embeddings)
        if not self._is_current(path, embedder):
            raise ConfigError(Message("rag.no_embeddings"), where=str(path), hint=Message("rag.embed_hint"))
        stamp = read_stamp(path) or {}
        if not overwrite:
            self._adopt(index_path, embedder, adopt_dense)
        if not overwrite and is_current(index_path, _expected(stamp, index_path), VECTORS_HINT):
            return
        vectors = load_vectors(path)
        if vectors.shape != (stamp.get("passages"), stamp.get("dimensions")):
            raise ConfigError(Message("rag.embeddings_differ_from_stamp"), where=str(path), hint=VECTORS_HINT)
        embedder.load(path)
        self._dense = None
        remove_stamp(index_path)
        write_dense(vectors, index_path)
        embedder.save(index_path)
        write_stamp(index_path, stamp)

    def index_terms(self, *, overwrite: bool, progress: ProgressCallback) -> None:
        """Index the passages by their terms, unless there is an index already."""
        self._lexical = None
        if not overwrite:
            self._adopt_lexical()
        make_lexical(self._corpus, self._settings.lexical_path, way=self._way, overwrite=overwrite, progress=progress)

    def search(self, queries: Sequence[str | None], top_k: int, instruction: str) -> SearchResult:
        """Return the best passages for each query, by the chosen backend."""
        embedder = self._embedder
        if embedder is None:
            return self.search_terms(queries, top_k)
        wanted, texts = from_one(top_k, "top_k"), checked_queries(queries)
        index = self._dense = self._dense or self._open_dense(embedder)
        return self._searched(
            texts, lambda sent: search_dense(index, embedder.embed_queries(sent, instruction), wanted)
        )

    def search_terms(self, queries: Sequence[str | None], top_k: int) -> SearchResult:
        """Return the best passages for each query, by BM25."""
        wanted, texts = from_one(top_k, "top_k"), checked_queries(queries)
        if self._lexical is None:
            self._adopt_lexical()
        index = self._lexical = self._lexical or open_lexical(self._corpus, self._settings.lexical_path, way=self._way)
        return self._searched(texts, lambda sent: [index.search(text, wanted) for text in sent])

    def _searched(self, queries: Sequence[str], search: Callable[[Sequence[str]], Sequence[Ranking]]) -> SearchResult:
        """Return the result of a search for the queries that are not empty; the others have no passages."""
        sent = {number: query for number, query in enumerate(queries) if query.strip()}
        rankings = dict(zip(sent, search(list(sent.values())), strict=True)) if sent else {}
        rows = [rankings.get(number, NOTHING) for number in range(len(queries))]
        return SearchResult(
            [[self._corpus.texts[index] for index in row.indices] for row in rows],
            [[self._corpus.ids[index] for index in row.indices] for row in rows],
            [list(row.scores) for row in rows],
        )

    def _open_dense(self, embedder: Embedder) -> "faiss.Index":
        path = self._settings.index_path
        self._adopt(path, embedder, adopt_dense)
        if not self._is_current(path, embedder):
            hint = Message("rag.embed_and_index_hint")
            raise ConfigError(Message("rag.no_index"), where=str(path), hint=hint)
        embedder.load(path)
        return open_dense(path, read_stamp(path) or {})

    def _is_current(self, path: Path, embedder: Embedder) -> bool:
        """Return whether a file was made from this corpus by this model; log a notice if the endpoint has moved."""
        current = is_current(path, self._origin(embedder), VECTORS_HINT)
        before = (read_stamp(path) or {}).get(ADDRESS, embedder.address) if current else embedder.address
        if before != embedder.address:
            notice = Message("rag.moved_endpoint", model=embedder.identity, before=before, now=embedder.address)
            self._log(Message("core.labelled", label=path, message=notice))
        return current

    def _adopt(self, path: Path, embedder: Embedder, adopt: Callable[[Path, Stamp], Message]) -> None:
        """Adopt a file without a stamp, if the settings say so."""
        if not self._settings.adopt or not path.exists() or read_stamp(path) is not None:
            return
        if isinstance(embedder, Latent):
            message = Message("rag.latent_cannot_adopt")
            raise ConfigError(message, where=str(path), hint=BACKEND_HINT)
        self._log(adopt(path, self._origin(embedder)))

    def _adopt_lexical(self) -> None:
        """Adopt a BM25 index without a stamp, if the settings say so."""
        if self._settings.adopt:
            path, chosen = self._settings.lexical_path, self._settings.of_backend(BM25)
            lang, tokenizer = str(chosen.get("lang") or "en"), str(chosen.get("tokenizer") or "auto")
            notice = adopt_lexical(self._corpus, path, lang=lang, tokenizer=tokenizer)
            if notice is not None:
                self._log(notice)

    def _needed_embedder(self) -> Embedder:
        if self._embedder is None:
            raise ConfigError(Message("rag.bm25_has_no_embeddings"), hint=Message("rag.bm25_index_instead"))
        return self._embedder

    def _origin(self, embedder: Embedder) -> Stamp:
        """Return the stamp of embeddings of this corpus by this embedder."""
        address = {ADDRESS: embedder.address} if embedder.address else {}
        return {
            "corpus": self._corpus.digest,
            "passages": len(self._corpus),
            "backend": self._settings.backend,
            "model": embedder.identity,
            **address,
        }


def _embedder(settings: RetrieverSettings) -> Embedder | None:
    """Return the embedder of the settings; None for BM25, which needs none."""
    match settings.backend:
        case "latent":
            return Latent()
        case "sentence_transformers":
            return _sentence_transformers(settings)
        case "openai":
            config = settings.of_backend("openai")
            chosen = endpoint_settings(EndpointSettings, config, where="backend_configs.openai")
            return Endpoint(chosen, batch_size=settings.batch_size)
    return None


def _sentence_transformers(settings: RetrieverSettings) -> Embedder:
    if not settings.model_name_or_path:
        hint = Message("rag.embedder_hint")
        raise ConfigError(Message("rag.model_path_missing"), hint=hint, parameter="model_name_or_path")
    numbers = str(settings.gpu_ids).split(",") if settings.gpu_ids not in (None, "") else []
    return SentenceTransformers(
        settings.model_name_or_path,
        settings=settings.of_backend("sentence_transformers"),
        batch_size=settings.batch_size,
        devices=[f"cuda:{number.strip()}" for number in numbers],
    )


def _expected(embeddings: Stamp, index_path: Path) -> Stamp:
    """Return the expected stamp of an index; that of an adopted one does not name a file of embeddings."""
    if ADOPTED not in (read_stamp(index_path) or {}):
        return embeddings
    return {name: value for name, value in embeddings.items() if name not in ("embeddings", ADOPTED)}


def search_remote(url: str, queries: Sequence[str | None], *, top_k: int, instruction: str) -> list[list[str]]:
    """Return the passages that a retriever finds: POST <url>/search with the queries; `ret_psg` is in the reply.

    An empty query is not sent and has no passages.
    """
    address, texts = _search_address(url), checked_queries(queries)
    sent = [query for query in texts if query.strip()]
    body = {"query_list": sent, "top_k": from_one(top_k, "top_k"), "query_instruction": instruction}
    if not sent:
        return [[] for _ in texts]
    client = JsonClient(address, party=IT, headers={}, timeout=_TIMEOUT, limit=limits.MODEL_REPLY_BYTES)
    try:
        reply = client.post(body)
    except SystemFailure as failure:
        raise _failure(address, reason(failure)) from None
    passages = iter(_passages(reply, len(sent), address))
    return [next(passages) if query.strip() else [] for query in texts]


def _search_address(url: str) -> str:
    if not isinstance(url, str) or not is_address(url):
        shown = public_address(url) if isinstance(url, str) else url
        hint = Message("rag.retriever_address_hint")
        raise ConfigError(Message("core.no_address", url=shown), hint=hint, parameter="retriever_url")
    base = url.rstrip("/")
    return base if base.endswith("/search") else f"{base}/search"


def _passages(reply: Any, queries: int, address: str) -> list[list[str]]:
    """Return the lists of passages in a reply, one for each query."""
    passages: Any = reply.get("ret_psg") if isinstance(reply, dict) else None
    rows: list[Any] = passages if isinstance(passages, list) else [None]
    if not all(isinstance(row, list) and all(isinstance(text, str) for text in row) for row in rows):
        raise _failure(address, Message("rag.no_ret_psg"))
    if len(rows) != queries:
        raise _failure(address, Message("rag.lists_of_passages", lists=len(rows), queries=queries))
    return rows


def _failure(address: str, reason: Message) -> SystemFailure:
    return SystemFailure(Message("rag.retriever_failed", address=public_address(address), reason=reason))


def write_run(
    path: str,
    ids: Sequence[Sequence[str] | None],
    scores: Sequence[Sequence[float] | None],
    query_ids: Sequence[str | int] | None,
) -> None:
    """Write a run; without query ids, queries are called q1, q2, …; a row that is None is empty.

    Of several passages with one id the best is written, because a run has a document once per query.
    """
    if not path or not isinstance(path, str):
        raise ConfigError(Message("rag.run_path_must_be_file", path=path), parameter="run_path")
    names = [f"q{number + 1}" for number in range(len(ids))] if query_ids is None else list(map(str, query_ids))
    if not len(names) == len(ids) == len(scores):
        raise InputError(Message("rag.run_lengths", names=len(names), ids=len(ids), scores=len(scores)))
    lines = "".join(
        line
        for name, row, values in zip(names, ids, scores, strict=True)
        for line in _lines(name, row or (), values or ())
    )
    with whole_file(Path(path)) as part:
        part.write_text(lines, encoding="utf-8")


def _lines(query: str, ids: Sequence[str], scores: Sequence[float]) -> Iterator[str]:
    if len(ids) != len(scores):
        raise InputError(Message("rag.run_row_lengths", query=query, ids=len(ids), scores=len(scores)))
    first: dict[str, float] = {}
    for identifier, score in zip(ids, scores, strict=True):
        first.setdefault(identifier, score)
    for rank, (identifier, score) in enumerate(first.items(), 1):
        yield f"{_word(query)} Q0 {_word(identifier)} {rank} {score!r} {TAG}\n"


def _word(identifier: str) -> str:
    """Return an id, which must be one column of the file."""
    if len(identifier.split()) != 1 or identifier != identifier.strip():
        raise InputError(Message("rag.run_id_with_blanks", identifier=identifier))
    return identifier
