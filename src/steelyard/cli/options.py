"""Options that several commands share."""

import argparse
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.stats.compare import ComparisonSettings

TESTS = ("permutation", "t", "wilcoxon", "sign", "bootstrap")
CORRECTIONS = ("holm", "bh", "bonferroni", "none")
LANGUAGES = ("en", "zh")
LARGEST = 10**12


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """-m, -k and where further metrics come from."""
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "-m", "--metric", action="append", metavar="NAME", help="a metric, or several separated by commas (repeatable)"
    )
    group.add_argument(
        "-k", "--cutoffs", type=cutoffs, metavar="1,5,10", help="cut-offs for metrics that are named without one"
    )
    group.add_argument(
        "--metrics-from", action="append", default=[], metavar="MODULE", help="import a module that defines metrics"
    )


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """-o, --json, -q and the language."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="write a report; the extension is the format: .html .md .tex .csv .json .jsonl .svg .png (repeatable)",
    )
    add_overwrite_option(group)
    group.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
    group.add_argument("-q", "--per-item", action="store_true", help="every item, not only the means")
    add_language_option(group)


def add_overwrite_option(parser: Any) -> None:
    """--overwrite, without which recorded results and reviews are not replaced."""
    words = "replace a .jsonl file that exists, once the new one is whole (other formats are always replaced)"
    parser.add_argument("--overwrite", action="store_true", help=words)


def add_language_option(parser: Any) -> None:
    """--lang, by default that of the locale."""
    words = "language of messages and reports (by default that of the locale)"
    parser.add_argument("--lang", choices=LANGUAGES, default=_locale_language(), help=words)


def add_test_options(parser: argparse.ArgumentParser) -> None:
    """How differences are tested."""
    group = parser.add_argument_group("comparison (with two files or more)")
    group.add_argument("--test", choices=TESTS, default="permutation", help="paired test (%(default)s)")
    group.add_argument("--resamples", type=positive, default=10_000, metavar="N", help="for resampling (%(default)s)")
    group.add_argument(
        "--correction", choices=CORRECTIONS, default="holm", help="of p-values as a family (%(default)s)"
    )
    group.add_argument("--alpha", type=fraction, default=0.05, metavar="A", help="level of significance (%(default)s)")
    group.add_argument("--seed", type=natural, default=42, metavar="N", help="of everything random (%(default)s)")


def comparison_settings(arguments: argparse.Namespace) -> "ComparisonSettings":
    """What the test options say."""
    from steelyard.stats.compare import ComparisonSettings

    return ComparisonSettings(
        arguments.test, arguments.resamples, arguments.seed, arguments.correction, arguments.alpha
    )


def cutoffs(text: str) -> list[int]:
    """Whole numbers from 1 on, separated by commas."""
    return [positive(part) for part in text.split(",")]


def positive(text: str) -> int:
    """A whole number from 1 on."""
    return _whole(text, least=1)


def natural(text: str) -> int:
    """A whole number from 0 on."""
    return _whole(text, least=0)


def seconds(text: str) -> float:
    """A time above 0."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < LARGEST:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text!r}")
    return found


def fraction(text: str) -> float:
    """A number between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, not {text}")
    return number


def result_names(paths: Sequence[str]) -> list[str]:
    """The names of results: file names without folders and extensions, made unique."""
    from steelyard.formats.sources import result_name
    from steelyard.reports.content import unique_names

    return unique_names([result_name(path) for path in paths])


def _whole(text: str, *, least: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text.strip()):
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")
    if not least <= int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(f"must lie between {least} and {LARGEST:,}, not {text}")
    return int(text)


def _locale_language() -> str:
    setting = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
    return "zh" if setting.lower().startswith("zh") else "en"
