"""`steelyard sample RESULT -n 20 -o review.html`: verdicts for a person to read."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import (
    add_documents_option,
    add_language_option,
    add_overwrite_option,
    documents_folder,
    natural,
)
from steelyard.i18n import Message, words_of

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet
    from steelyard.io.reviews import Judgement
    from steelyard.stats.review import SampleSize
    from steelyard.table import Table

SUFFIXES = (".html", ".jsonl")
_DESCRIPTION = """Draw verdicts of a result, for a person to agree or disagree with each.
review.html is a page that shows question, expected, answer, citations and reasons, and saves review.jsonl;
review.jsonl is the same file with nothing filled in, for an editor. steelyard agreement reads it."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "sample",
        help="verdicts for a person to review",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("result", metavar="RESULT", help="a results file")
    parser.add_argument("-n", dest="size", type=sample_size, default="20%", metavar="N", help="20, or 20%% (20%%)")
    words = "a tag: from each value its share; uncertain: undecided verdicts first; doubtful: partial credit more often"
    parser.add_argument("--by", metavar="TAG", help=words)
    parser.add_argument("-m", "--metric", metavar="NAME", help="whose verdicts (the first metric of the result)")
    parser.add_argument("--seed", type=natural, default=42, metavar="N", help="of the draw (%(default)s)")
    parser.add_argument("--mask", action="store_true", help="hide numbers of persons, phones and cards, and addresses")
    parser.add_argument("--benchmark", metavar="DIR", help="where the documents are (as the result says)")
    add_documents_option(parser)
    parser.add_argument(
        "-o", "--output", action="append", type=Path, required=True, metavar="FILE", help=".html or .jsonl (repeatable)"
    )
    add_overwrite_option(parser)
    add_language_option(parser)
    parser.set_defaults(run=run)


def sample_size(text: str) -> "SampleSize":
    """A count, or a share in percent."""
    from steelyard.stats.review import SampleSize

    found = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)\s*", text)
    number, percent = (float(found[1]), bool(found[2])) if found else (0.0, False)
    if not (0 < number <= 100 if percent else number >= 1 and number.is_integer()):
        raise argparse.ArgumentTypeError(f"must be a number from 1 on or a share such as 20%, not {text!r}")
    return SampleSize(number, percent)


def run(arguments: argparse.Namespace) -> int:
    """Draw, write, and say what was drawn."""
    from steelyard.cli.output import notify
    from steelyard.cli.results import documents_for
    from steelyard.io.results import load
    from steelyard.io.reviews import is_untouched
    from steelyard.reports.files import check_outputs
    from steelyard.stats.review import SampleSettings, take_sample

    check_outputs(arguments.output, [arguments.result], suffixes=SUFFIXES, overwrite=True)
    if not (arguments.overwrite or all(map(is_untouched, _reviews(arguments.output)))):
        check_outputs(arguments.output, suffixes=SUFFIXES)
    table = load(arguments.result)
    sample = take_sample(table, SampleSettings(arguments.size, arguments.by, arguments.seed, arguments.metric))
    beside = [Path(arguments.result).parent]
    documents = documents_for([table], arguments.benchmark, beside, documents_folder(arguments))
    _write(table, sample, documents, arguments)
    notify(*_notices(table, sample, documents, arguments))
    return 0


def _write(
    table: "Table", sample: "Sequence[Judgement]", documents: "DocumentSet", arguments: argparse.Namespace
) -> None:
    from steelyard.io.reviews import is_untouched, render_review_lines
    from steelyard.io.writing import write_whole
    from steelyard.reports.render.html.review_html import mask_strata, render_review

    for path in dict.fromkeys(arguments.output):
        if path.suffix.lower() == ".jsonl":
            lines = render_review_lines(mask_strata(sample) if arguments.mask else sample)
            write_whole(path, lines, overwrite=arguments.overwrite or is_untouched(path))
        else:
            options = {"language": arguments.lang, "mask": arguments.mask}
            write_whole(path, render_review(table, sample, documents=documents, **options))


def _notices(
    table: "Table", sample: "Sequence[Judgement]", documents: "DocumentSet", arguments: argparse.Namespace
) -> Iterator[str]:
    """What was drawn, which documents are not shown, and which ids hold something private."""
    from steelyard.stats.review import UNCERTAIN, uncertain_rows

    yield f"{len(sample)} of {sample[0].sampling.population} verdicts; seed {arguments.seed}"
    if arguments.by == UNCERTAIN:
        drawn = sum(judgement.sampling.stratum == UNCERTAIN for judgement in sample)
        all_of = len(uncertain_rows(table, sample[0].metric))
        yield Message("cli.uncertain_drawn", drawn=drawn, all_of=all_of).text(arguments.lang)
    if any(path.suffix.lower() != ".jsonl" for path in arguments.output):
        not_shown = words_of(arguments.lang)("report.documents_not_shown")
        yield from (f"{not_shown}: {problem.text(arguments.lang)}" for problem in documents.missing)
    if arguments.mask:
        yield from (line.text(arguments.lang) for line in _open_ids([judgement.id for judgement in sample]))


def _reviews(paths: Sequence[Path]) -> list[Path]:
    """The review files among the outputs that exist."""
    return [path for path in paths if path.suffix.lower() == ".jsonl" and path.exists()]


def _open_ids(ids: Sequence[str]) -> Iterator[Message]:
    """What is said of ids that hold something private: agreement needs them as they are."""
    from steelyard.reports.masking import mask_text

    count = sum(mask_text(identifier) != identifier for identifier in ids)
    if count:
        yield Message("cli.ids_hold_something_private_kept", count=count)
