"""`steelyard sample` and `steelyard agreement`: a sample of verdicts for human review, and how far reviewers agree."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from steelyard.cli import options
from steelyard.cli.console import notify
from steelyard.cli.options import Command, argument, refused, repeated
from steelyard.cli.output import check_outputs, folder_of, load_documents, show_blocks, write_and_show
from steelyard.documents.pages import DocumentSet
from steelyard.i18n import Message, words_of
from steelyard.io.addresses import path_of
from steelyard.io.results import load
from steelyard.io.reviews import Judgement, is_untouched, read_review, render_review_lines
from steelyard.io.writing import write_whole
from steelyard.reports.agreement import agree, agreement_blocks
from steelyard.reports.files import RENDERERS
from steelyard.reports.masking import mask_text
from steelyard.reports.render.html.review_html import mask_strata, render_review
from steelyard.stats.review import UNCERTAIN, SampleSettings, SampleSize, take_sample, uncertain_rows
from steelyard.table import Table

SAMPLE_SUFFIXES = (".html", ".jsonl")


def sample_size(text: str) -> SampleSize:
    """Return a count, or a share in percent."""
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)\s*", text)
    number, percent = (float(match[1]), bool(match[2])) if match else (0.0, False)
    if not (0 < number <= 100 if percent else number >= 1 and number.is_integer()):
        raise refused("cli.must_be_sample_size", text=text)
    return SampleSize(number, percent)


def run_sample(arguments: argparse.Namespace) -> int:
    """Draw the sample, write it, and print what was drawn."""
    check_outputs(arguments.output, [arguments.result], suffixes=SAMPLE_SUFFIXES, overwrite=True)
    if not (arguments.overwrite or all(map(is_untouched, _reviews(arguments.output)))):
        check_outputs(arguments.output, suffixes=SAMPLE_SUFFIXES)
    table = load(arguments.result, system=arguments.system)
    sample = take_sample(table, SampleSettings(arguments.size, arguments.by, arguments.seed, arguments.metric))
    beside = [folder_of(arguments.result)]
    documents = load_documents([table], arguments.benchmark, beside, options.documents_folder(arguments))
    _write(table, sample, documents, arguments)
    notify(*_notices(table, sample, documents, arguments))
    return 0


def _write(table: Table, sample: Sequence[Judgement], documents: DocumentSet, arguments: argparse.Namespace) -> None:
    for path in dict.fromkeys(arguments.output):
        if path.suffix.lower() == ".jsonl":
            lines = render_review_lines(mask_strata(sample) if arguments.mask else sample)
            write_whole(path, lines, overwrite=arguments.overwrite or is_untouched(path))
        else:
            options = {"language": arguments.lang, "mask": arguments.mask}
            write_whole(path, render_review(table, sample, documents=documents, **options))


def _notices(
    table: Table, sample: Sequence[Judgement], documents: DocumentSet, arguments: argparse.Namespace
) -> Iterator[str]:
    """Yield lines about the sample, documents that are not shown, and ids with private data."""
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
    """Return the existing review files among the outputs."""
    return [path for path in paths if path.suffix.lower() == ".jsonl" and path.exists()]


def _private_ids(ids: Sequence[str]) -> Iterator[Message]:
    """Yield a notice about ids with private data, which are not masked because agreement needs them."""
    count = sum(mask_text(identifier) != identifier for identifier in ids)
    if count:
        yield Message("cli.private_ids", count=count)


AGREEMENT_SUFFIXES = (".md", ".json")


def run_agreement(arguments: argparse.Namespace) -> int:
    """Read, compare, deliver."""
    check_outputs(arguments.output, [arguments.result, *arguments.reviews], suffixes=AGREEMENT_SUFFIXES)
    table = load(arguments.result)
    names = options.result_names(arguments.reviews)
    reviews = {name: read_review(path) for name, path in zip(names, arguments.reviews, strict=True)}
    blocks = agreement_blocks(agree(table, reviews, by=arguments.by), arguments.lang)

    def write(path: Path) -> None:
        write_whole(path, RENDERERS[path.suffix.lower()](blocks, arguments.lang))

    write_and_show(arguments.output, write, lambda: show_blocks(blocks, arguments))
    return 0


COMMANDS: Final = {
    "sample": Command(
        run_sample,
        [
            argument("result", metavar="RESULT", help="help.result"),
            argument("-n", dest="size", type=sample_size, default="20%", metavar="N", help="help.sample_size"),
            argument("--by", metavar="TAG", help="help.sample_by"),
            argument("-m", "--metric", metavar="NAME", help="help.sample_metric"),
            argument("--system", metavar="NAME", help="help.system_name"),
            options.SEED,
            options.MASK,
            options.BENCHMARK,
            options.DOCUMENTS,
            argument(
                "-o",
                "--output",
                action="append",
                type=path_of,
                required=True,
                metavar="FILE",
                help="help.sample_output",
            ),
            options.OVERWRITE,
            options.LANGUAGE,
        ],
    ),
    "agreement": Command(
        run_agreement,
        [
            argument("result", metavar="RESULT", help="help.sampled_result"),
            argument("reviews", metavar="REVIEW", nargs="+", help="help.completed_review"),
            argument("--by", metavar="TAG", help="help.agreement_by"),
            options.JSON,
            repeated("-o", "--output", type=path_of, metavar="FILE", help="help.agreement_output"),
            options.LANGUAGE,
        ],
    ),
}
