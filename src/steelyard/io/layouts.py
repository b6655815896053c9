"""Column layouts: which column has the id, the prediction and so on, by the names of common tools or as mapped."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from steelyard.errors import ConfigError, InputError, nearest
from steelyard.i18n import Message, Option

# what a column may be mapped to
FIELDS = (
    "id", "question", "references", "prediction", "tags",
    "contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids",
)  # fmt: skip

ID = ("id", "qid", "query_id", "_id", "question_id")
QUESTION = ("question", "query", "user_input", "input", "q_ls")
# fmt: off
REFERENCES = (
    "golden_answers", "references", "reference", "answers", "expected_output", "target", "gt_answer", "generation_gt",
    "ground_truth", "ground_truths", "gold", "gold_answers", "gt_ls",
)
PREDICTION = (
    "pred_answer", "prediction", "pred", "response", "actual_output", "output", "answer", "generated_answer", "pred_ls",
)
CONTEXTS = (
    "contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "retrieved_contents", "retrieved_docs",
    "retrieved_documents", "retrieved_passages", "retrieval_result", "source_documents", "source_nodes", "documents",
    "passages", "ret_psg", "ctxs", "context",
)
REFERENCE_CONTEXTS = (
    "reference_contexts", "gold_contexts", "golden_contexts", "ground_truth_contexts", "ground_truth_context",
    "gold_passages", "positive_ctxs",
)
RETRIEVED_IDS = ("retrieved_context_ids", "retrieved_ids", "retrieved_doc_ids", "retrieved_docids")
REFERENCE_IDS = (
    "reference_context_ids", "gold_context_ids", "gold_ids", "gold_doc_ids", "relevant_ids", "relevant_doc_ids",
    "retrieval_gt",
)
# fmt: on
# field of a Layout → its name in a mapping, and the names of its columns
_EVIDENCE = {
    "contexts": ("contexts", CONTEXTS),
    "reference_contexts": ("reference_contexts", REFERENCE_CONTEXTS),
    "retrieved_ids": ("retrieved_context_ids", RETRIEVED_IDS),
    "reference_ids": ("reference_context_ids", REFERENCE_IDS),
}
# field → the names of its columns
_USUAL = dict(_EVIDENCE.values(), id=ID, question=QUESTION, references=REFERENCES, prediction=PREDICTION)
TAGS = ("tags", "metadata")
_WRAPPED = ("node", "kwargs", "init_parameters")
ID_HINT = Message("formats.unique_ids_hint", option=Option("column", field="id", column="COLUMN"))
ANSWERABLE = "answerable"  # whether the documents have an answer, which may be a boolean
LABELS = ("type", "category", "difficulty", "language", "document", "task", ANSWERABLE)


def inner_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that a framework has wrapped: LlamaIndex a node, LangChain and Haystack a document."""
    inner = next((value[name] for name in _WRAPPED if isinstance(value.get(name), Mapping)), value)
    resource = inner.get("text_resource")  # LlamaIndex since 0.12
    return {**inner, "text": resource.get("text")} if isinstance(resource, Mapping) else inner


@dataclass(frozen=True, slots=True)
class Columns:
    """A file and the columns that it has; `written` are their names in the file, if it is read under others."""

    name: str
    columns: Sequence[str]
    written: Sequence[str] = ()


class Layout(NamedTuple):
    """The column of each field; None if there is none."""

    id: str | None
    prediction: str | None
    references: str | None
    question: str | None
    tags: tuple[str, ...]
    contexts: str | None = None
    reference_contexts: str | None = None
    retrieved_ids: str | None = None
    reference_ids: str | None = None
    unused: tuple[str, ...] = ()  # columns that have a name of contexts or ids, beside the one that is used

    def columns(self) -> set[str]:
        """Every column that has a meaning."""
        single = (each for each in self if isinstance(each, str))
        return {*single, *self.tags, *self.unused}


def check_mapping(mapping: Mapping[str, str], *files: Columns) -> None:
    """Refuse unknown fields and columns; with two files, predictions are in the first and references in the last."""
    for name, column in mapping.items():
        if name not in FIELDS:
            meant = next((field for field, names in _USUAL.items() if name.casefold() in names), name)
            raise ConfigError(Message("formats.no_field_called", name=name), hint=nearest(meant, FIELDS))
        places = {"prediction": files[:1], "references": files[-1:]}.get(name, files)
        if all(column not in file.columns for file in places):
            hint = nearest(column, [each for file in places for each in file.written or file.columns])
            raise InputError(Message("formats.no_column_called", column=column), where=places[0].name, hint=hint)


def layout_of(
    file: Columns,
    mapping: Mapping[str, str],
    wanted: set[str],
    optional: frozenset[str] = frozenset(),
    labels: Sequence[str] = (),
) -> Layout:
    """Return the mapped columns, and the others by their usual names.

    `wanted` are the fields that must be there, except for those that are `optional`; `labels` are further columns that
    are tags.
    """
    unwanted = {"prediction", "references"} - wanted
    mapped = {name: column for name, column in mapping.items() if column in file.columns and name not in unwanted}
    _check_shared(mapped)
    free = [column for column in file.columns if column not in mapped.values()]
    candidates = _candidates(free, mapped, wanted)
    return Layout(
        id=mapped.get("id") or next(_named(free, ID), None),
        question=mapped.get("question") or next(_named(free, QUESTION), None),
        references=_wanted(file, "references", candidates, wanted, optional),
        prediction=_wanted(file, "prediction", candidates, wanted, optional),
        tags=_tags(file, free, mapped, labels),
        **_evidence(free, mapped),
    )


def _tags(file: Columns, free: Sequence[str], mapped: Mapping[str, str], labels: Sequence[str]) -> tuple[str, ...]:
    objects = [mapped["tags"]] if "tags" in mapped else _named(free, TAGS)
    further = [column for column in labels if column in file.columns]
    return tuple(dict.fromkeys((*_named(free, LABELS), *objects, *further)))


def _evidence(free: Sequence[str], mapped: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns of contexts and of ids, and those that are left over."""
    found = {
        field: [mapped[name]] if name in mapped else list(_named(free, names))
        for field, (name, names) in _EVIDENCE.items()
    }
    contexts = found["contexts"]
    if _is_deepeval(contexts) and not found["reference_contexts"]:
        found["reference_contexts"] = [contexts.pop()]
    unused = tuple(column for columns in found.values() for column in columns[1:])
    return {**{field: next(iter(columns), None) for field, columns in found.items()}, "unused": unused}


def _is_deepeval(contexts: Sequence[str]) -> bool:
    """Whether the columns are `retrieval_context`, and last `context`, DeepEval's name for the reference contexts."""
    names = [column.casefold() for column in contexts]
    return "retrieval_context" in names and names[-1] == "context"


def _check_shared(mapped: Mapping[str, str]) -> None:
    first: dict[str, str] = {}
    for name, column in mapped.items():
        if first.setdefault(column, name) != name:
            raise ConfigError(Message("formats.column_given_twice", column=column, first=first[column], name=name))


def _candidates(free: Sequence[str], mapped: Mapping[str, str], wanted: set[str]) -> dict[str, list[str]]:
    """Return the columns that may be the references, and those that may be the prediction.

    `answer` is the system's (old RAGAS), or the reference if another column is the system's and none the references.
    """
    references = [mapped["references"]] if "references" in mapped else list(_named(free, REFERENCES))
    predictions = [mapped["prediction"]] if "prediction" in mapped else list(_named(free, PREDICTION))
    predictions = predictions or list(_named(free, ("result",)))  # LangChain
    answers = list(_named(free, ("answer",)))
    others = [column for column in predictions if column not in answers]
    if not references and (others or "prediction" not in wanted):
        return {"references": answers, "prediction": others}
    return {"references": references, "prediction": predictions}


def _wanted(
    file: Columns, name: str, candidates: Mapping[str, Sequence[str]], wanted: set[str], optional: frozenset[str]
) -> str | None:
    if name not in wanted or (name in optional and len(candidates[name]) != 1):
        return None
    return _only(file, name, candidates)


def _only(file: Columns, name: str, candidates: Mapping[str, Sequence[str]]) -> str:
    found = candidates[name]
    if not found:
        raise InputError(
            Message("formats.no_column_for", name=name, names=", ".join(map(repr, file.written or file.columns))),
            where=file.name,
            hint=_column_hint(name),
        )
    if len(found) > 1:
        raise InputError(
            Message("formats.ambiguous_column", first=found[0], second=found[1], name=name),
            where=file.name,
            hint=Message("formats.choose_column_hint", option=Option("column", field=name, column=found[0])),
        )
    return found[0]


def _column_hint(name: str) -> Message:
    """Return how the column of the references or of the prediction is selected."""
    option = Option("column", field=name, column="COLUMN")
    if name == "prediction":
        return Message("formats.map_column_hint", names=", ".join(PREDICTION), option=option)
    others = {"file": Option("references"), "metrics": Option("metrics")}
    return Message("formats.map_references_hint", names=", ".join(REFERENCES), option=option, **others)


def _named(columns: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """Return the columns that have one of the names in upper or lower case, in the order of the names."""
    known = [column for column in columns if column.casefold() in names]
    return iter(sorted(known, key=lambda column: names.index(column.casefold())))
