"""The results file, which is all that comparison, gate and report ever need of a run.

A header line (kind, name, signature, metrics), one line per item, written as soon as the item is done, and a footer
line with the means. Files are only appended to, so a crash costs at most the item being written: a torn last line is
ignored when reading and cut off when the file is resumed. Several results may follow one another in a file.
"""

from steelyard.io.results.lines import Footer, Header, Item, dump, items_of, numbers, utc_now
from steelyard.io.results.reading import CONTRADICTED, DISAGREEING, UNFINISHED, begins_with_header, load, load_all
from steelyard.io.results.writing import (
    ResultsWriter,
    check_new,
    check_regular,
    check_unfinished,
    held,
    new_path,
    save,
    save_all,
)

__all__ = [
    "CONTRADICTED",
    "DISAGREEING",
    "UNFINISHED",
    "Footer",
    "Header",
    "Item",
    "ResultsWriter",
    "begins_with_header",
    "check_new",
    "check_regular",
    "check_unfinished",
    "dump",
    "held",
    "items_of",
    "load",
    "load_all",
    "new_path",
    "numbers",
    "save",
    "save_all",
    "utc_now",
]
