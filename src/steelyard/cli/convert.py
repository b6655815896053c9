"""`steelyard convert IN OUT`: files of other tools to rows of ours, and back."""

import argparse
from pathlib import Path
from typing import Any

from steelyard.cli.options import add_language_option

_DESCRIPTION = """Convert a file of one tool to that of another. The format of IN is found by its shape, that of OUT by
its suffix: .jsonl .json .csv .tsv .parquet (rows with our names of fields), .run and .qrels (TREC), none (a folder of
BEIR); --to chooses another. Fields that OUT has no place for are listed. IN may be a results file; --to results writes
one."""


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "convert",
        help="convert files of other tools",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", metavar="IN", help="a file or folder of another tool, rows, or results")
    parser.add_argument("target", metavar="OUT", type=Path, help="the file or folder to write")
    parser.add_argument("--from", dest="read_as", metavar="FORMAT", help="the format of IN, such as ragas or inspect")
    parser.add_argument("--to", dest="write_as", metavar="FORMAT", help="the format of OUT, such as ragas or deepeval")
    parser.add_argument("--system", metavar="NAME", help="only this system of IN, which has the outputs of several")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
    add_language_option(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Convert, and print what was read, written and left out."""
    import json

    from steelyard.cli.output import print_json, print_text
    from steelyard.io.conversion import convert
    from steelyard.io.writing import check_absent

    if not arguments.overwrite:
        check_absent(arguments.target)
    names = {"read_as": arguments.read_as, "write_as": arguments.write_as, "system": arguments.system}
    done = convert(arguments.source, arguments.target, **names)
    if arguments.json:
        print_json(json.dumps(done.as_dict(), ensure_ascii=False, indent=2) + "\n")
    else:
        print_text("\n".join(_lines(done, arguments)) + "\n")
    return 0


def _lines(done: Any, arguments: argparse.Namespace) -> list[str]:
    from steelyard.i18n import Message

    path = str(arguments.target)
    first = Message("cli.converted", read=done.read, written=done.written, rows=f"{done.rows:,}", path=path)
    by_count: dict[int, list[str]] = {}
    for name, count in sorted(done.not_carried.items()):
        by_count.setdefault(count, []).append(name)
    numbered = [Message("cli.numbered", rows=f"{done.numbered:,}")] if done.numbered else []
    left = [Message("cli.not_carried", names=", ".join(names), rows=f"{count:,}") for count, names in by_count.items()]
    return [message.text(arguments.lang) for message in (first, *numbered, *left)]
