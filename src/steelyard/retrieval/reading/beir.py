"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, a header line above `query-id corpus-id score`."""

from pathlib import Path

from steelyard.errors import InputError
from steelyard.i18n import Message


def qrels_file(folder: Path) -> Path:
    """The judgments of a BEIR folder: the test split, or the only one there is."""
    place = folder / "qrels" if (folder / "qrels").is_dir() else folder
    found = {path.name.split(".")[0]: path for path in sorted(place.glob("*.tsv*"))}
    if not found:
        raise InputError(
            Message("formats.no_judgments_folder"),
            where=str(folder),
            hint=Message("formats.beir_folder_qrels_test_tsv"),
        )
    if len(found) == 1:
        return next(iter(found.values()))
    if "test" in found:
        return found["test"]
    names = ", ".join(str(path) for path in found.values())
    raise InputError(
        Message("formats.several_splits_none_called_test"),
        where=str(place),
        hint=Message("formats.name_one", names=names),
    )
