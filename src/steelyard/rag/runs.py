"""Writes search results as a run in TREC format: `query Q0 document rank score tag`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from steelyard.errors import ConfigError, InputError
from steelyard.i18n import Message
from steelyard.search.artifacts import whole_file

TAG = "steelyard"


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
    """An id, which must be one column of the file."""
    if len(identifier.split()) != 1 or identifier != identifier.strip():
        raise InputError(Message("rag.run_id_with_blanks", identifier=identifier))
    return identifier
