"""MTEB: results of a task as JSON, or a folder of them; one record for each task, split and subset.

MTEB rounds what it writes, and has no scores of single queries: an item is a whole subset.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record, parse_json
from steelyard.io.shapes import TEXT, ListOf, MapOf
from steelyard.io.shapes import Fields as Shape
from steelyard.io.streams import read_text

NAME: Final = "mteb"
TITLE: Final = "MTEB"
BOUNDS: Final = (0.0, 1.0)

_META: Final = "model_meta.json"
_DOCUMENT: Final = Shape(
    {"task_name": TEXT, "scores": MapOf(ListOf(Shape({"hf_subset": TEXT})))}, frozenset(("scores",))
)
_MAIN: Final = "main_score"


def recognises(container: Container) -> bool:
    """Whether it is a result, or a folder with one."""
    if container.kind != "folder":
        return container.kind == "document" and _is_result(container.first)
    for path in _files(container.path)[:1]:
        try:
            return _is_result(_parsed(path))
        except InputError:
            return path.with_name(_META).is_file()
    return False


def read(container: Container) -> Iterator[Record]:
    """Yield the scores of each subset; in a folder the model of each result is its system."""
    if container.kind != "folder":
        yield from _records(container.document, container.name, "")
        return
    for path in _files(container.path):
        yield from _records(_parsed(path), str(path), _model(path, container.path))


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and "task_name" in value and "mteb_version" in value and "scores" in value


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.json") if path.name != _META)


def _parsed(path: Path) -> Any:
    text, _ = read_text(path)
    return parse_json(text, str(path), lenient=True)


def _model(path: Path, folder: Path) -> str:
    """Return the name and the revision of the model: as its description has them, or the folders of the file."""
    meta = path.with_name(_META)
    about = _parsed(meta) if meta.is_file() else None
    if isinstance(about, dict) and about.get("name"):
        return "@".join(str(about[name]) for name in ("name", "revision") if about.get(name))
    return path.parent.relative_to(folder).as_posix().removeprefix(".")


def _records(result: Any, name: str, model: str) -> Iterator[Record]:
    rows.check(result, _DOCUMENT, name, TITLE)
    task = str(result.get("task_name") or Path(name).stem)
    about = {key: value for key, value in result.items() if key not in ("task_name", "scores")}
    for split, subsets in result["scores"].items():
        for number, subset in enumerate(subsets):
            fields = _fields(subset, f"{task}/{split}/{subset.get('hf_subset', 'default')}", about)
            pattern = f"{{}}#/scores/{split.replace('{', '{{').replace('}', '}}')}/{{}}"
            yield Record(name, number, rows.present({**fields, rows.SYSTEM: model}), pattern)


def _fields(subset: Mapping[str, Any], item: str, about: Mapping[str, Any]) -> Fields:
    """Return the scores of a subset; the note says how far they are rounded."""
    fields = rows.renamed({"id": item, **subset}, {"id": rows.ID}, NAME)
    scores = fields.get(rows.SCORES) or {}
    digits = max((len(repr(value).partition(".")[2]) for value in scores.values() if value is not None), default=0)
    notes = {_MAIN: f"rounded to {digits} digits by MTEB"} if _MAIN in scores else {}
    extra = {**about, **rows.extra_of(fields, NAME)}
    task, split, subset_name = item.split("/", 2)
    tags = {"task": task, "split": split, "subset": subset_name}
    return {**fields, rows.TAGS: tags, rows.NOTES: notes, rows.EXTRA: {NAME: extra}}
