"""Question files from the rows of CAIL's examination task.

Their points are strings such as 【关键词1:不能适用(1分) 白名单1:不适用(1分) 黑名单1:可以适用】. A row has `id`,
`big_ques` (the case), `small_ques`, `ground_answer`, `score` and `score_point`. 关键词 is the text of a point, 白名单
an alias, 黑名单 a forbidden form; each may be numbered, or followed by several forms. The rows do not say which point
is the conclusion: it is the first one if that has a 黑名单.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Final

from steelyard import limits
from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.io import shapes
from steelyard.io.records import LINES, format_suffix, parse_json
from steelyard.io.streams import read_text

Json = dict[str, Any]
_POINT: Final = re.compile(r"【?关键词\s*\d*\s*[:：]")
_LIST: Final = re.compile(r"[(（]?\s*([白黑])名单\s*\d*\s*[:：]")
_EARNS: Final = re.compile(r"\s*[(（]\s*(\d*\.?\d*)\s*分?\s*[)）]?$")
_AMOUNT: Final = re.compile(r"[(（]\s*(\d+\.?\d*)\s*分\s*[)）]")
_NEXT: Final = re.compile(r"(?<=[)）])\s*[、，,；;]\s*|(?<=\d分)\s*[、，,；;]\s*")
_ROW: Final = shapes.Fields(
    {"id": shapes.SCALAR, **dict.fromkeys(("big_ques", "small_ques", "ground_answer", "score_point"), shapes.TEXT)},
    frozenset(("id", "big_ques", "score_point")),
)
_MOST_POINTS: Final = 1_000_000


def key_points_of(text: str) -> list[Json]:
    """Return the points that a string describes, as fields of a question file; empty if it describes none.

    >>> key_points_of("【关键词1:不适用(1分) 黑名单1:可以适用】")
    [{'text': '不适用', 'points': 1.0, 'forbidden': ['可以适用'], 'conclusion': True}]
    """
    blocks = (block.strip().rstrip("】").strip() for block in _POINT.split(text)[1:])
    points = [point for block in blocks if (point := _point(block))]
    if points and "forbidden" in points[0]:
        points[0]["conclusion"] = True
    return points


def _point(block: str) -> Json | None:
    head, *rest = _LIST.split(block)
    lists = list(zip(rest[::2], rest[1::2], strict=True))
    text, own = _form(head)
    stated = _AMOUNT.search(block)
    points = own or (float(stated[1]) if stated else 0.0)
    if not text or not 0 < points <= _MOST_POINTS:
        return None
    aliases = [_form(item) for colour, items in lists if colour == "白" for item in _NEXT.split(items)]
    forbidden = [item for colour, items in lists if colour == "黑" for item in re.split("[、，,]", _form(items)[0])]
    forms = [alias if earns in (0.0, points) else {"text": alias, "points": earns} for alias, earns in aliases if alias]
    found = {"text": text, "points": points, "aliases": forms, "forbidden": list(filter(None, forbidden))}
    return {name: value for name, value in found.items() if value}


def _form(item: str) -> tuple[str, float]:
    """Return a form without the points that it earns, and these; 0 if it does not say."""
    text, earned = item.strip(" 、，,】"), 0.0
    while (points := _EARNS.search(text)) and points[0].strip():
        text, number = text[: points.start()], points[1].strip(".")
        earned = earned or (float(number) if number else 0.0)
    return text.strip(" 、，,)）"), earned


def is_cail(path: str | Path) -> bool:
    """Return whether a file has rows of CAIL's examination task, by the names of their fields."""
    if format_suffix(path) not in (*LINES, ".json", ".txt"):
        return False
    text = read_text(path, limits.DOCUMENT_BYTES)[0]
    return '"score_point"' in text or '"big_ques"' in text


def case_files(path: str | Path) -> Iterator[tuple[str, Json]]:
    """Yield the files of a benchmark of these rows: names inside the folder, and content. A case is a document."""
    cases: dict[str, list[Json]] = {}
    for row in _rows(path):
        cases.setdefault(row["big_ques"], []).append(_question(row))
    for number, (case, questions) in enumerate(cases.items(), 1):
        name = f"case_{number:03}.json"
        yield f"documents/{name}", {"pages": [{"page": 1, "text": case}]}
        yield (
            f"questions/case_{number:03}.points.json",
            {"benchmark_type": "key_points", "document": name, "questions": questions},
        )


def _rows(path: str | Path) -> Sequence[Mapping[str, Any]]:
    text, stream = read_text(path, limits.DOCUMENT_BYTES)
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{stream.name}:{number}"
        row = parse_json(line, where) if line.strip() else None
        if row is None:
            continue
        shapes.check_shape(row, _ROW, "", where)
        if not row["big_ques"]:
            raise InputError(Message("formats.field_missing", key="big_ques"), where=where)
        if not key_points_of(row["score_point"]):
            raise InputError(Message("formats.no_key_points"), where=where)
        rows.append(row)
    return rows


def _question(row: Mapping[str, Any]) -> Json:
    points = key_points_of(row["score_point"])
    question: Json = {"id": str(row["id"]), "question": row.get("small_ques") or row["big_ques"], "points": points}
    if row.get("ground_answer"):
        question["reference_answer"] = row["ground_answer"]
    full = row.get("score")
    if isinstance(full, int | float) and 0 < full < fsum(point["points"] for point in points):
        question["scoring"] = {"full_points": full}
    return question
