"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, a header line above `query-id corpus-id score`."""

from pathlib import Path

from steelyard.errors import InputError


def qrels_file(folder: Path) -> Path:
    """The judgments of a BEIR folder: the test split, or the only one there is."""
    place = folder / "qrels" if (folder / "qrels").is_dir() else folder
    found = {path.name.split(".")[0]: path for path in sorted(place.glob("*.tsv*"))}
    if not found:
        raise InputError("no judgments in this folder", where=str(folder), hint="a BEIR folder has qrels/test.tsv")
    if len(found) == 1:
        return next(iter(found.values()))
    if "test" in found:
        return found["test"]
    names = ", ".join(str(path) for path in found.values())
    raise InputError("several splits and none is called test", where=str(place), hint=f"name one: {names}")
