"""Spans in the conventions of OpenInference, OpenTelemetry GenAI, Langfuse and MLflow: one item for each trace.

The question and the answer are those of the root span. The contexts are the documents of the last reranker, or of all
retrievers in the order of their start, each document once; a document without an id gets the hash of its text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from steelyard.io.foreign import rows
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record, json_or_text

EVENT: Final = "gen_ai.evaluation.result"
_RETRIEVERS: Final = ("RETRIEVER", "RETRIEVAL")
_RERANKERS: Final = ("RERANKER", "RERANK")
_STEPS: Final = (*_RETRIEVERS, *_RERANKERS, "EMBEDDING", "EMBEDDINGS", "TOOL", "EXECUTE_TOOL")
_MODELS: Final = ("LLM", "GENERATION", "CHAT", "CHAT_MODEL", "TEXT_COMPLETION", "GENERATE_CONTENT")
_KINDS: Final = ("openinference.span.kind", "mlflow.spanType", "langfuse.observation.type", "gen_ai.operation.name")
# fmt: off
_INPUTS: Final = (
    "input.value", "mlflow.spanInputs", "langfuse.trace.input", "langfuse.observation.input", "gen_ai.input.messages",
    "gen_ai.retrieval.query.text", "reranker.query",
)
_OUTPUTS: Final = (
    "output.value", "mlflow.spanOutputs", "langfuse.trace.output", "langfuse.observation.output",
    "gen_ai.output.messages",
)
_QUESTION_KEYS: Final = ("question", "query", "user_input", "input", "prompt", "text", "content", "messages")
_ANSWER_KEYS: Final = (
    "answer", "response", "output", "result", "completion", "generated_answer", "text", "content", "messages",
    "choices",
)
# fmt: on
_DOCUMENTS: Final = ("reranker.output_documents", "retrieval.documents", "gen_ai.retrieval.documents")
_VERDICTS: Final = ("annotations", "evaluations", "trace.annotations", "trace.evaluations")
_TEXTS: Final = ("text", "content", "page_content", "contents", "document")
_INDEX: Final = re.compile(r"(\d+)(?:\.(.+))?")


class Verdict(NamedTuple):
    """The result of an evaluation: a number, or why there is none."""

    name: str
    value: Any = None
    label: str | None = None
    explanation: str | None = None
    error: str | None = None
    span: str = ""


@dataclass(slots=True)
class Span:
    """One span, with what the conventions say about it; of the record that it comes from only the place is held."""

    trace: str
    id: str
    parent: str
    source: Record
    name: str = ""
    start: Any = 0
    kind: str = ""
    input: Any = None
    output: Any = None
    documents: list[Fields] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    metadata: Any = None
    error: str | None = None

    def __post_init__(self) -> None:
        """Drop the fields of the record."""
        self.source = self.source._replace(fields={})


def describe(span: Span, attributes: Mapping[str, Any], events: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> None:
    """Fill a span by its attributes, which are flat or nested, and its events."""
    flat = dict(_flat(attributes))
    span.kind = str(parsed(next((flat[name] for name in _KINDS if flat.get(name)), ""))).upper()
    span.input = next((flat[name] for name in _INPUTS if flat.get(name) is not None), None)
    span.output = next((flat[name] for name in _OUTPUTS if flat.get(name) is not None), None)
    span.metadata = flat.get("metadata") or dict(_below(flat, "metadata."))
    found = next((listed for name in _DOCUMENTS if (listed := _listed(flat, name))), None)
    span.documents = documents_of(span.output if found is None and is_search(span) else found)
    span.verdicts += [each for name in _VERDICTS for each in _annotations(_listed(flat, name), span.name)]
    span.verdicts += [evaluation(each, span.name) for name, each in events if name == EVENT]


def is_search(span: Span) -> bool:
    """Whether a span is that of a retriever or a reranker."""
    return span.kind in (*_RETRIEVERS, *_RERANKERS)


def parsed(value: Any) -> Any:
    """Return the value of a text that is JSON; any other value as it is."""
    is_json = isinstance(value, str) and value[:1] in ("{", "[", '"')
    return json_or_text(value, lenient=True) if is_json else value


def documents_of(output: Any) -> list[Fields]:
    """Return the documents in the output of a retriever: a list of texts or objects, or an object with such a list."""
    found = parsed(output)
    if isinstance(found, dict):
        found = next((each for each in found.values() if isinstance(each, list)), None)
    listed = found if isinstance(found, list) else []
    return [document for each in listed if isinstance(each, dict | str) and (document := _document(each))]


def records_of(spans: Iterable[Span], source: str) -> Iterator[Record]:
    """One record for each trace, in the order in which the traces begin in the file."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    for trace, members in traces.items():
        root = root_of(members)
        yield root.source._replace(fields=fields_of(trace, root, members, source))


def root_of(members: list[Span]) -> Span:
    """Return the first span whose parent is not in the trace; the spans are put into the order of their start."""
    members.sort(key=lambda each: str(each.start).rstrip("Z").zfill(24))
    known = {each.id for each in members}
    return next((each for each in members if each.parent not in known), members[0])


def fields_of(trace: str, root: Span, members: list[Span], source: str) -> Fields:
    """Return the fields of a trace; what was not recorded is named under `extra`."""
    contexts = _contexts(members)
    has_text = any(context.get("text") for context in contexts)
    ordered = sorted(members, key=lambda each: each is not root)
    fields = {
        rows.ID: trace,
        rows.QUESTION: _question(root, members),
        rows.PREDICTION: _answer(root, members) or None,
        rows.CONTEXTS: contexts if has_text else [],
        rows.RETRIEVED_IDS: [context["id"] for context in contexts],
        rows.TAGS: rows.tags_of(metadata) if isinstance(metadata := parsed(root.metadata), dict) else {},
        **scores_of(verdict for span in ordered for verdict in span.verdicts),
        rows.ERROR: root.error,
    }
    wanted = (rows.QUESTION, rows.PREDICTION, *([rows.CONTEXTS] if contexts else []))
    missing = [name for name in wanted if not fields[name] and not root.error]
    extra = rows.present({"name": root.name, "not_recorded": missing})
    return rows.present({**fields, rows.EXTRA: {source: extra} if extra else {}})


def scores_of(verdicts: Iterable[Verdict]) -> Fields:
    """Verdicts as scores, with explanations and with the reasons of those without a number."""
    scores: dict[str, float | None] = {}
    reasons, errors, notes = {}, {}, {}
    for name, verdict in named(verdicts):
        scores[name] = rows.score(verdict.value) if rows.is_score(verdict.value) else None
        if verdict.error:
            errors[name] = str(verdict.error)
        elif scores[name] is None:
            reasons[name] = str(verdict.label or verdict.explanation or "no number")
        texts = [verdict.label, verdict.explanation] if scores[name] is not None else [verdict.explanation]
        if note := ": ".join(str(each) for each in texts if each):
            notes[name] = note
    return {rows.SCORES: scores, rows.UNSCORED: reasons, rows.ERRORS: errors, rows.NOTES: notes}


def named(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, Verdict]]:
    """Each verdict with its name; a second one of the same name has the name of its span, or a number, too."""
    taken: set[str] = set()
    for verdict in verdicts:
        name = f"{verdict.name}/{verdict.span}" if verdict.name in taken and verdict.span else verdict.name
        numbered = (f"{name}/{number}" for number in range(2, len(taken) + 3))
        name = name if name not in taken else next(each for each in numbered if each not in taken)
        taken.add(name)
        yield name, verdict


def _contexts(members: list[Span]) -> list[Fields]:
    rerankers = [each for each in members if each.kind in _RERANKERS and each.documents]
    searches = rerankers[-1:] or [each for each in members if each.kind in _RETRIEVERS]
    found: dict[tuple[str, str | None], Fields] = {}
    for document in (each for span in searches for each in span.documents):
        found.setdefault((document["id"], document.get("text")), document)
    return list(found.values())


def _question(root: Span, members: list[Span]) -> str:
    candidates = (root, *(each for each in members if each.kind not in _STEPS))
    return next((text for each in candidates if (text := _text(each.input, _QUESTION_KEYS, "user"))), "")


def _answer(root: Span, members: list[Span]) -> str:
    candidates = (root, *(each for each in reversed(members) if each.kind in _MODELS))
    return next((text for each in candidates if (text := _text(each.output, _ANSWER_KEYS, "assistant"))), "")


def _text(value: Any, keys: tuple[str, ...], role: str) -> str:
    """Return the text of a value: of the first known key of an object, the last message of a role, or itself."""
    found = parsed(value)
    if isinstance(found, dict):
        known = [found[key] for key in keys if found.get(key)] or (list(found.values()) if len(found) == 1 else [])
        return _text(known[0], keys, role) if known else json.dumps(found, ensure_ascii=False) if found else ""
    if not isinstance(found, list):
        return "" if found is None else str(found)
    messages = [each for each in found if isinstance(each, dict)]
    last = next((each for each in reversed(messages) if each.get("role") == role), None) or (messages or [{}])[-1]
    parts = last.get("parts") or last.get("content") or last.get("message") or ""
    if isinstance(parts, list):
        return "".join(str(part.get("content") or part.get("text") or "") for part in parts if isinstance(part, dict))
    return _text(parts, keys, role)


def _document(given: Any) -> Fields:
    """Return a document as a context: id, text, score and metadata; {} if it has neither id nor text."""
    if isinstance(given, str):
        return {"id": rows.text_id(given), "text": given}
    fields = {name.removeprefix("document."): value for name, value in _flat_top(given)}
    text = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str)), None)
    others = {name: value for name, value in fields.items() if name not in (*_TEXTS, "id", "metadata")}
    metadata = parsed(fields.get("metadata")) or dict(_below(fields, "metadata."))
    known = rows.present({**others, "text": text, "metadata": metadata})
    known = {"id": rows.id_of({"id": fields.get("id"), "text": text}), **known}
    return known if text or fields.get("id") else {}


def _flat_top(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the members of a document, which may be inside `document`."""
    inner = given.get("document")
    yield from inner.items() if isinstance(inner, dict) else given.items()


def _annotations(listed: Any, span: str) -> Iterator[Verdict]:
    for each in listed or ():
        flat = dict(_flat(each)) if isinstance(each, dict) else {}
        fields = {name.removeprefix("annotation.").removeprefix("evaluation."): flat[name] for name in flat}
        if fields.get("name"):
            yield Verdict(
                str(fields["name"]), fields.get("score"), fields.get("label"), fields.get("explanation"), span=span
            )


def evaluation(attributes: Mapping[str, Any], span: str = "") -> Verdict:
    """Return the verdict of an event `gen_ai.evaluation.result`."""
    prefix = "gen_ai.evaluation."
    return Verdict(
        str(attributes.get(f"{prefix}name") or "evaluation"),
        attributes.get(f"{prefix}score.value"),
        attributes.get(f"{prefix}score.label"),
        attributes.get(f"{prefix}explanation"),
        attributes.get("error.type"),
        span,
    )


def _flat(attributes: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Attributes by their full names; objects in them are taken apart."""
    for name, value in attributes.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _listed(flat: Mapping[str, Any], name: str) -> list[Any] | None:
    """Return the members of a list that is an attribute, JSON text, or attributes with an index, which is a number."""
    if name in flat:
        found = parsed(flat[name])
        return found if isinstance(found, list) else None
    members: dict[int, Fields] = {}
    for rest, value in _below(flat, f"{name}."):
        if index := _INDEX.fullmatch(rest):
            members.setdefault(int(index[1]), {})[index[2] or ""] = value
    return [members[number] for number in sorted(members)] or None


def _below(flat: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    yield from ((name.removeprefix(prefix), value) for name, value in flat.items() if name.startswith(prefix))
