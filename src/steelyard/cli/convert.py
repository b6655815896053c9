"""`steelyard convert IN OUT`: files of other tools to rows of ours, and back."""

import argparse
from typing import Any

from steelyard.cli.options import add_language_option
from steelyard.io.addresses import path_of


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "convert",
        help="help.convert",
        description="help.convert_about",
    )
    parser.add_argument("source", metavar="IN", help="help.convert_source")
    parser.add_argument("target", metavar="OUT", type=path_of, help="help.convert_target")
    parser.add_argument("--from", dest="read_as", metavar="FORMAT", help="help.convert_from")
    parser.add_argument("--to", dest="write_as", metavar="FORMAT", help="help.convert_to")
    parser.add_argument("--system", metavar="NAME", help="help.convert_system")
    parser.add_argument("--overwrite", action="store_true", help="help.convert_overwrite")
    parser.add_argument("--json", action="store_true", help="help.json")
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
