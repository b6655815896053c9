"""The settings of RAG servers: which backends are offered, which settings each reads, and those of endpoints.

An unknown backend or setting is an error. A setting of UltraRAG that has no effect here is reported. Nothing here needs
a corpus or a model. A key in the environment of a server is sent only to addresses that the operator of the server has
named: in the server's own parameter.yaml, or in a variable beside the key (LLM_BASE_URL for LLM_API_KEY).
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from steelyard import limits
from steelyard.errors import ConfigError, InputError, SteelyardError, UnknownName
from steelyard.i18n import Message
from steelyard.net.http import STATUS, UNREACHABLE, JsonClient, is_address, origin
from steelyard.net.openai import model_client
from steelyard.net.replies import MODEL
from steelyard.net.retry import RetryRule
from steelyard.net.secrets import public_address

BM25: Final = "bm25"
BACKENDS: Final = ("latent", "sentence_transformers", "openai", BM25)
INDEX_BACKENDS: Final = ("faiss",)
RERANKERS: Final = ("lexical", "sentence_transformers", "openai")
CHUNKERS: Final = ("token", "sentence", "recursive")
_NOT_OFFERED: Final = {
    "infinity": Message("rag.infinity_hint"),
    **dict.fromkeys(("milvus", "qdrant", "lancedb"), Message("rag.use_faiss")),
}
_PARAMETERS: Final = {
    "backend": Message("words.backend"),
    "index_backend": Message("words.index_backend"),
    "chunk_backend": Message("words.chunk_backend"),
}
"""The parameters that name a backend."""
_LOADING: Final = (  # UltraRAG passes them to the library
    *("device", "prompts", "default_prompt_name", "similarity_fn_name", "cache_folder", "revision", "token", "backend"),
    *("local_files_only", "truncate_dim", "model_kwargs", "tokenizer_kwargs", "config_kwargs", "processor_kwargs"),
)
OPENAI_URL: Final = "https://api.openai.com/v1"
_KEY_BACKENDS: Final = ("openai", "vllm")
_PLACEHOLDERS: Final = ("abc", "EMPTY")  # that UltraRAG and vLLM write where no key is needed
_DENIED: Final = (401, 403)
_NUMBERS: Final = {  # with the least and the largest value of each
    "concurrency": (1, limits.CONCURRENCY),
    "retries": (0, limits.RETRIES),
    "base_delay": (0, limits.INTERVAL_SECONDS),
    "timeout": (0, limits.TIMEOUT_SECONDS),
}


def checked_queries(queries: Any) -> list[str]:
    """Return the queries as a list of texts; a text is a list of one, and None is an empty query."""
    if isinstance(queries, str):
        return [queries]
    if not isinstance(queries, Sequence):
        raise InputError(Message("rag.queries_must_be_texts", queries=queries))
    for number, query in enumerate(queries, 1):
        if not isinstance(query, str | None):
            raise InputError(Message("rag.query_must_be_text", number=number, query=query))
    return ["" if query is None else query for query in queries]


def from_one(value: Any, what: str, *, section: str = "") -> int:
    """Return the value, which must be an integer from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(Message("rag.must_be_from_1", what=what, value=value), parameter=f"{section}{what}")
    return value


class Keys(NamedTuple):
    """The settings that a backend reads, those of UltraRAG without effect here, and those with nested settings."""

    read: Sequence[str] = ()
    ignored: Sequence[str] = ()
    nested: Mapping[str, "Keys"] = {}


Finding = SteelyardError | tuple[str, ...]
"""The error of a setting, with its `parameter`, or the names that lead to a setting without effect here."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter that names a backend, the parameter with the settings of backends, and the keys of these settings.

    A backend without keys has no settings, or passes all of them to a library.
    """

    parameter: str
    configs: str
    default: str
    offered: Sequence[str]
    keys: Mapping[str, Keys]


_ENDPOINT: Final = Keys(("model_name", "base_url", "api_key", "concurrency", "retries", "timeout"))
_ENCODING: Final = Keys(
    ("psg_prompt_name", "q_prompt_name"), ("normalize_embeddings", "encode_chunk_size", "psg_task", "q_task")
)
_BACKEND: Final = Choice(
    "backend",
    "backend_configs",
    "latent",
    BACKENDS,
    {
        "sentence_transformers": Keys(
            ("trust_remote_code", "sentence_transformers_encode"), _LOADING, {"sentence_transformers_encode": _ENCODING}
        ),
        "openai": _ENDPOINT,
        BM25: Keys(("lang", "tokenizer", "save_path")),
    },
)
_INDEX: Final = Choice(
    "index_backend",
    "index_backend_configs",
    "faiss",
    INDEX_BACKENDS,
    {"faiss": Keys(("index_path",), ("index_use_gpu", "index_chunk_size"))},
)
_RERANKER: Final = Choice("backend", "backend_configs", "lexical", RERANKERS, {"openai": _ENDPOINT})
_CHUNKER: Final = Choice(
    "chunk_backend",
    "chunk_backend_configs",
    "token",
    CHUNKERS,
    {
        "token": Keys(("chunk_overlap",)),
        "sentence": Keys(("chunk_overlap", "min_sentences_per_chunk", "delim")),
        "recursive": Keys(("min_characters_per_chunk",), ("chunk_overlap",)),
    },
)


def check_backend(parameter: str, name: Any, offered: Sequence[str]) -> None:
    """Raise an error for a backend that is not offered or unknown."""
    if name in offered:
        return
    if isinstance(name, str) and name in _NOT_OFFERED:
        message = Message("rag.backend_not_offered", name=name, parameter=_PARAMETERS[parameter])
        raise ConfigError(message, hint=_NOT_OFFERED[name], parameter=parameter)
    raise UnknownName.of(_PARAMETERS[parameter], str(name), offered, parameter=parameter)


def section_of(configs: Mapping[str, Any], backend: str, *, parameter: str = "backend_configs") -> Mapping[str, Any]:
    """Return the settings of one backend."""
    section = configs.get(backend) or {}
    if not isinstance(section, Mapping):
        message = Message("rag.settings_must_be_mapping", backend=backend, name=type(section).__name__)
        raise ConfigError(message, parameter=f"{parameter}.{backend}")
    return section


def refuse_option(name: str, value: Any) -> None:
    """Raise an error for an option of UltraRAG that is not offered."""
    if value:
        hint = Message("rag.set_false", name=name)
        raise ConfigError(Message("rag.option_not_offered", name=name), hint=hint, parameter=name)


def refuse_unknown(findings: Iterator[Finding]) -> None:
    """Raise the first error; values without effect are ignored."""
    for finding in findings:
        if isinstance(finding, SteelyardError):
            raise finding


def retriever_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the findings about the arguments of retriever_init; those of bm25 are checked for every backend."""
    yield from _of_choice(_BACKEND, values, also=(BM25,))
    searched_by_terms = values.get(_BACKEND.parameter) == BM25
    yield from _of_choice(_INDEX, values, unused=searched_by_terms)
    yield from _of_terms(values.get(_BACKEND.configs))
    yield from _of_number("batch_size", values)
    for name in ("is_multimodal", "is_demo"):
        yield from _caught((name,), partial(refuse_option, name, values.get(name)))


def reranker_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the findings about the arguments of reranker_init."""
    name = values.get("backend")
    yield from _of_choice(_RERANKER, {**values, "backend": name.lower() if isinstance(name, str) else name})
    yield from _of_number("batch_size", values)


def chunking_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the findings about the arguments of chunk_documents."""
    from steelyard.rag.corpus import check_tokenizer

    yield from _of_choice(_CHUNKER, values)
    yield from _of_number("chunk_size", values)
    tokenizer = "tokenizer_or_token_counter"
    yield from _caught((tokenizer,), lambda: check_tokenizer(values.get(tokenizer, "character")))


def search_findings(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the findings about the arguments of a search."""
    yield from _of_number("top_k", values)


CHECKS: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Iterator[Finding]]]] = {
    ("retriever", "retriever_init"): retriever_findings,
    ("retriever", "retriever_search"): search_findings,
    ("retriever", "retriever_batch_search"): search_findings,
    ("retriever", "retriever_deploy_search"): search_findings,
    ("retriever", "bm25_search"): search_findings,
    ("reranker", "reranker_init"): reranker_findings,
    ("reranker", "reranker_rerank"): search_findings,
    ("corpus", "chunk_documents"): chunking_findings,
}
"""By the folder of a server and the name of a tool."""


def _of_choice(
    choice: Choice, values: Mapping[str, Any], *, also: Sequence[str] = (), unused: bool = False
) -> Iterator[Finding]:
    name = values.get(choice.parameter) or choice.default
    yield from _caught((choice.parameter,), lambda: check_backend(choice.parameter, name, choice.offered))
    configs = values.get(choice.configs)
    for section, given in configs.items() if isinstance(configs, Mapping) else ():
        path = (choice.configs, str(section))
        if section not in (*choice.offered, *_NOT_OFFERED):
            words, parameter = _PARAMETERS[choice.parameter], ".".join(path)
            yield UnknownName.of(words, str(section), choice.offered, where=choice.configs, parameter=parameter)
            continue
        is_used = section in (name, *also) and not unused
        findings = _of_keys(choice.keys.get(section), given, path)
        yield from (finding for finding in findings if is_used or isinstance(finding, SteelyardError))


def _of_terms(configs: Any) -> Iterator[Finding]:
    """Yield the findings about the names of a tokenizer and of a language."""
    from steelyard.search.terms import way_of

    chosen = configs.get(BM25) if isinstance(configs, Mapping) else None
    if isinstance(chosen, Mapping):
        tokenizer, language = chosen.get("tokenizer") or "auto", chosen.get("lang") or "auto"
        yield from _caught((_BACKEND.configs, BM25, "tokenizer"), lambda: way_of(tokenizer, "auto"))
        yield from _caught((_BACKEND.configs, BM25, "lang"), lambda: way_of("auto", language))


def _of_number(name: str, values: Mapping[str, Any]) -> Iterator[Finding]:
    if values.get(name) is not None:
        yield from _caught((name,), lambda: from_one(values[name], name))


def _caught(path: tuple[str, ...], check: Callable[[], object]) -> Iterator[Finding]:
    try:
        check()
    except SteelyardError as error:
        error.parameter = ".".join(path)
        yield error


def _of_keys(keys: Keys | None, given: Any, path: tuple[str, ...]) -> Iterator[Finding]:
    """Yield the findings about settings that are not read; empty ones, and ignored ones that are off, have none."""
    if keys is None or not isinstance(given, Mapping):
        return
    for key, value in given.items():
        if key in keys.read:
            yield from _of_keys(keys.nested.get(key), value, (*path, key))
        elif key in keys.ignored and value:
            yield (*path, key)
        elif key not in keys.ignored and value not in (None, ""):
            where = ".".join(path)
            yield UnknownName.of(Message("words.setting"), str(key), keys.read, where=where, parameter=f"{where}.{key}")


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The address and the name of a model, its secret key, and how it is called; a `timeout` of 0 means none."""

    model_name: str
    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    concurrency: int = 8
    retries: int = 3
    timeout: float = 120.0

    def client(
        self,
        path: str,
        *,
        party: Message = MODEL,
        limit: limits.Limit = limits.MODEL_REPLY_BYTES,
        delay: float = 0.5,
        proxy: str | None = None,
    ) -> JsonClient:
        """Return a client of the address with this path, which repeats requests after at most `delay` seconds."""
        return model_client(
            self.base_url,
            path,
            key=self.key,
            timeout=self.timeout or None,
            party=party,
            proxy=proxy,
            limit=limit,
            rule=RetryRule(self.retries, delay),
        )


Settings = TypeVar("Settings", bound=EndpointSettings)


def endpoint_settings(kind: type[Settings], config: Mapping[str, Any], *, where: str) -> Settings:
    """Return the settings in a section of `backend_configs`."""
    given = {name: value for name, value in config.items() if value not in (None, "")}
    known = [*(known.name for known in fields(kind) if known.name != "key"), "api_key"]
    check_known(given, known, where=where)
    for name in ("model_name", "base_url", "api_key", "proxy"):
        if not isinstance(given.get(name, ""), str):
            message = Message("rag.must_be_text", name=name, kind=type(given[name]).__name__)
            raise ConfigError(message, where=where, parameter=f"{where}.{name}")
    if "model_name" not in given:
        raise ConfigError(Message("rag.model_name_missing"), where=where, parameter=f"{where}.model_name")
    for name, (least, largest) in _NUMBERS.items():
        _check_number(name, given.get(name, 1), least, where)
        largest.check(given.get(name, 1), name, where=where, parameter=f"{where}.{name}")
    url, key = given.get("base_url", OPENAI_URL), given.pop("api_key", "").strip()
    if not is_address(url):
        message, hint = Message("core.no_address", url=public_address(url)), Message("rag.endpoint_address_hint")
        raise ConfigError(message, where=where, hint=hint, parameter=f"{where}.base_url")
    if not (key.isascii() and key.isprintable()):  # checked here because a later error would show it
        raise ConfigError(Message("rag.key_characters"), where=where, parameter=f"{where}.api_key")
    return kind(key=key, **given)


def with_key(
    configs: Mapping[str, Any],
    backend: str,
    *,
    variable: str,
    environment: Mapping[str, str],
    operator: Mapping[str, Any],
    log: Callable[[Message], None],
) -> Mapping[str, Any]:
    """Add the key in a variable to the settings of a backend that have none, if the operator named their address.

    `operator` holds the parameters of the server's own parameter.yaml.
    """
    section = configs.get(backend) or {}
    key = environment.get(variable)
    if not key or backend not in _KEY_BACKENDS or not isinstance(section, Mapping):
        return configs
    own, url = section.get("api_key"), section.get("base_url") or OPENAI_URL
    if own not in (None, "", *_PLACEHOLDERS) or not (isinstance(url, str) and is_address(url)):
        return configs
    address = variable_of_address(variable)
    sections = (operator.get("backend_configs") or {}).values()
    named = [other.get("base_url") for other in sections if isinstance(other, Mapping)]
    is_readable = section.get("proxy") and not url.lower().startswith("https:")  # the proxy would read the key
    if is_readable or origin(url) not in {origin(known) for known in (*named, environment.get(address)) if known}:
        log(Message("servers.key_not_sent", key=variable, address=public_address(url), variable=address))
        return configs
    if own:
        log(Message("servers.key_placeholder", name=f"backend_configs.{backend}.api_key", key=own, used=variable))
    return {**configs, backend: {**section, "api_key": key}}


def variable_of_address(variable: str) -> str:
    """Return the variable with the address for the key in `variable`; the name itself if it is not that of a key."""
    return re.sub("_API_KEY$", "_BASE_URL", variable)


def check_known(given: Iterable[Any], known: Sequence[str], *, where: str) -> None:
    """Raise an error for an unknown name of a setting in the section `where`."""
    for name in given:
        if name not in known:
            raise UnknownName.of(Message("words.setting"), str(name), known, where=where, parameter=f"{where}.{name}")


def hint_for(message: Message | str | None, settings: EndpointSettings, variable: str) -> Message | None:
    """Return what to do about a failure of the client; `variable` is the environment variable of the key."""
    match message:
        case Message(code=code) if code == UNREACHABLE:
            return Message("rag.base_url_hint", base_url=public_address(settings.base_url))
        case Message(code=code) if code == STATUS and message.args["status"] in _DENIED:
            return Message("rag.key_hint", variable=variable)
    return None


def reason(failure: SteelyardError) -> Message:
    """Return the message of a failure with its hint, for a place that has no room for hints."""
    if failure.hint is None:
        return failure.message
    return Message("net.reason_and_hint", message=failure.message, hint=failure.hint)


def _check_number(name: str, value: Any, least: int, where: str) -> None:
    types = int if name in ("concurrency", "retries") else (int, float)
    if isinstance(value, bool) or not isinstance(value, types) or not least <= value < math.inf:
        what = Message("words.an_integer") if types is int else Message("words.a_number")
        message = Message("rag.number_from", name=name, what=what, least=least, value=value)
        raise ConfigError(message, where=where, parameter=f"{where}.{name}")
