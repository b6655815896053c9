"""Benchmark server: the columns of a file as lists of the same length."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

from steelyard.errors import InputError, UnknownName, nearest
from steelyard.i18n import Message
from steelyard.io.records import read_records
from steelyard.pipelines.server import Server

app = Server("benchmark", __file__)

ALL_ROWS = -1
WHOLE_ROW = "*"
SETTINGS = ("name", "path", "key_map", "shuffle", "seed", "limit")


def _published(parameters: Mapping[str, Any]) -> list[str]:
    """Return the lists that a key_map names; an invalid one is reported when it is read."""
    benchmark = parameters.get("benchmark")
    fields = benchmark.get("key_map") if isinstance(benchmark, Mapping) else None
    return [str(name) for name in fields] if isinstance(fields, Mapping) and fields else ["q_ls", "gt_ls"]


def _check(arguments: Mapping[str, Any]) -> None:
    """Check the settings without reading the file."""
    benchmark = arguments.get("benchmark")
    if isinstance(benchmark, Mapping):
        _check_names(benchmark)
        _key_map(benchmark)
        _limit(benchmark)
        _order(0, benchmark)


@app.tool(output="benchmark->q_ls,gt_ls", publishes=_published, checks=_check)
def get_data(
    benchmark: Annotated[dict[str, Any], "path, key_map {list: field}, and optionally shuffle, seed, limit, name"],
) -> dict[str, list[Any]]:
    """Read one list per name of `key_map`; a missing field is null, the field `*` is the complete row."""
    _check_names(benchmark)
    path, fields, limit = _path(benchmark), _key_map(benchmark), _limit(benchmark)
    all_rows = _rows(path)
    _check_fields(all_rows, fields, path)
    order = _order(len(all_rows), benchmark)
    rows = [all_rows[index] for index in (order if limit == ALL_ROWS else order[:limit])]
    return {name: [row if field == WHOLE_ROW else row.get(field) for row in rows] for name, field in fields.items()}


def _check_names(benchmark: Mapping[str, Any]) -> None:
    for name in benchmark:
        if name not in SETTINGS:
            raise UnknownName.of(
                Message("words.setting"), str(name), SETTINGS, where="benchmark", parameter=f"benchmark.{name}"
            )


def _rows(path: str) -> list[Mapping[str, Any]]:
    """Return the rows of a file of records, or the questions of a legal benchmark."""
    if os.path.isdir(path) or path.endswith(".json"):
        from steelyard.legal.benchmark import questions  # noqa: PLC0415 - long to import, for these paths only

        if os.path.isdir(path):
            return [question.fields for file in questions.read_benchmark(path) for question in file.questions]
        if questions.is_question_file(path):
            return [question.fields for question in questions.read_question_file(path).questions]
    return [record.fields for record in read_records(Path(path))[0]]


def _order(length: int, benchmark: Mapping[str, Any]) -> list[int]:
    """Return the indexes of rows, shuffled like in UltraRAG if requested, so that a seed gives the same rows."""
    shuffle, seed = benchmark.get("shuffle", False), benchmark.get("seed", 42)
    if not isinstance(shuffle, bool):
        raise InputError(
            Message("servers.shuffle_type", shuffle=shuffle), where="benchmark", parameter="benchmark.shuffle"
        )
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError(Message("servers.seed_type", seed=seed), where="benchmark", parameter="benchmark.seed")
    order = list(range(length))
    if shuffle:
        Random(seed).shuffle(order)
    return order


def _path(benchmark: Mapping[str, Any]) -> str:
    path = benchmark.get("path")
    if not isinstance(path, str) or not path:
        raise InputError(Message("servers.path_type", path=path), where="benchmark", parameter="benchmark.path")
    return path


def _key_map(benchmark: Mapping[str, Any]) -> dict[str, str]:
    fields = benchmark.get("key_map")
    if not isinstance(fields, Mapping) or not fields or not all(isinstance(field, str) for field in fields.values()):
        hint = Message("servers.example_key_map")
        message = Message("servers.key_map_type", fields=fields)
        raise InputError(message, where="benchmark", hint=hint, parameter="benchmark.key_map")
    return dict(fields)


def _limit(benchmark: Mapping[str, Any]) -> int:
    limit = benchmark.get("limit", ALL_ROWS)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < ALL_ROWS or limit == 0:
        raise InputError(Message("servers.limit_type", limit=limit), where="benchmark", parameter="benchmark.limit")
    return limit


def _check_fields(rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str], path: str) -> None:
    if not rows:
        raise InputError(Message("servers.no_rows"), where=path)
    known = list(dict.fromkeys(field for row in rows for field in row))
    for name, field in fields.items():
        if field not in known and field != WHOLE_ROW:
            message = Message("servers.no_row_has_field", field=field, name=name)
            raise InputError(message, where=path, hint=nearest(field, known), parameter=f"benchmark.key_map.{name}")


if __name__ == "__main__":
    app.run()
