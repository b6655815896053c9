"""`steelyard sample RESULT -n 20 -o review.html`: a sample of verdicts for human review."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.language import refused
from steelyard.cli.options import (
    add_documents_option,
    add_language_option,
    add_overwrite_option,
    documents_folder,
    natural,
)
from steelyard.i18n import Message, words_of
from steelyard.io.addresses import path_of

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet
    from steelyard.io.reviews import Judgement
    from steelyard.stats.review import SampleSize
    from steelyard.table import Table

SUFFIXES = (".html", ".jsonl")


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "sample",
        help="help.sample",
        description="help.sample_about",
    )
    parser.add_argument("result", metavar="RESULT", help="help.result")
    parser.add_argument("-n", dest="size", type=sample_size, default="20%", metavar="N", help="help.sample_size")
    parser.add_argument("--by", metavar="TAG", help="help.sample_by")
    parser.add_argument("-m", "--metric", metavar="NAME", help="help.sample_metric")
    parser.add_argument("--system", metavar="NAME", help="help.system_name")
    parser.add_argument("--seed", type=natural, default=42, metavar="N", help="help.seed")
    parser.add_argument("--mask", action="store_true", help="help.mask")
    parser.add_argument("--benchmark", metavar="DIR", help="help.benchmark")
    add_documents_option(parser)
    parser.add_argument(
        "-o", "--output", action="append", type=path_of, required=True, metavar="FILE", help="help.sample_output"
    )
    add_overwrite_option(parser)
    add_language_option(parser)
    parser.set_defaults(run=run)


def sample_size(text: str) -> "SampleSize":
    """A count, or a share in percent."""
    from steelyard.stats.review import SampleSize

    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)\s*", text)
    number, percent = (float(match[1]), bool(match[2])) if match else (0.0, False)
    if not (0 < number <= 100 if percent else number >= 1 and number.is_integer()):
        raise refused("cli.must_be_sample_size", text=text)
    return SampleSize(number, percent)


def run(arguments: argparse.Namespace) -> int:
    """Draw the sample, write it, and print what was drawn."""
    from steelyard.cli.log import notify
    from steelyard.cli.results import folder_of, load_documents
    from steelyard.io.results import load
    from steelyard.io.reviews import is_untouched
    from steelyard.reports.files import check_outputs
    from steelyard.stats.review import SampleSettings, take_sample

    check_outputs(arguments.output, [arguments.result], suffixes=SUFFIXES, overwrite=True)
    if not (arguments.overwrite or all(map(is_untouched, _reviews(arguments.output)))):
        check_outputs(arguments.output, suffixes=SUFFIXES)
    table = load(arguments.result, system=arguments.system)
    sample = take_sample(table, SampleSettings(arguments.size, arguments.by, arguments.seed, arguments.metric))
    beside = [folder_of(arguments.result)]
    documents = load_documents([table], arguments.benchmark, beside, documents_folder(arguments))
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
    """Lines about the sample, documents that are not shown, and ids with private data."""
    from steelyard.stats.review import UNCERTAIN, uncertain_rows

    population = sample[0].sampling.population
    drawn = len(sample)
    yield Message("cli.sampled", drawn=drawn, population=population, seed=arguments.seed).text(arguments.lang)
    if arguments.by == UNCERTAIN:
        uncertain = sum(judgement.sampling.stratum == UNCERTAIN for judgement in sample)
        all_of = len(uncertain_rows(table, sample[0].metric))
        yield Message("cli.uncertain_drawn", drawn=uncertain, all_of=all_of).text(arguments.lang)
    if any(path.suffix.lower() != ".jsonl" for path in arguments.output):
        words = words_of(arguments.lang)
        not_shown = words("report.documents_not_shown")
        yield from (words.labelled(not_shown, problem.text(arguments.lang)) for problem in documents.missing)
    if arguments.mask:
        yield from (line.text(arguments.lang) for line in _private_ids([judgement.id for judgement in sample]))


def _reviews(paths: Sequence[Path]) -> list[Path]:
    """The existing review files among the outputs."""
    return [path for path in paths if path.suffix.lower() == ".jsonl" and path.exists()]


def _private_ids(ids: Sequence[str]) -> Iterator[Message]:
    """A notice about ids with private data, which are not masked because agreement needs them."""
    from steelyard.reports.masking import mask_text

    count = sum(mask_text(identifier) != identifier for identifier in ids)
    if count:
        yield Message("cli.private_ids", count=count)
