"""`steelyard convert IN OUT`: files of other tools to rows of ours, and back."""

import argparse
import json
from typing import Any, Final

from steelyard.cli.options import JSON, LANGUAGE, Command, argument, flag
from steelyard.cli.output import print_json, print_text
from steelyard.i18n import Message
from steelyard.io.addresses import path_of
from steelyard.io.conversion import convert
from steelyard.io.writing import check_absent


def run(arguments: argparse.Namespace) -> int:
    """Convert, and print what was read, written and left out."""
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
    path = str(arguments.target)
    first = Message("cli.converted", read=done.read, written=done.written, rows=f"{done.rows:,}", path=path)
    by_count: dict[int, list[str]] = {}
    for name, count in sorted(done.not_carried.items()):
        by_count.setdefault(count, []).append(name)
    numbered = [Message("cli.numbered", rows=f"{done.numbered:,}")] if done.numbered else []
    left = [Message("cli.not_carried", names=", ".join(names), rows=f"{count:,}") for count, names in by_count.items()]
    return [message.text(arguments.lang) for message in (first, *numbered, *left)]


COMMANDS: Final = {
    "convert": Command(
        run,
        [
            argument("source", metavar="IN", help="help.convert_source"),
            argument("target", metavar="OUT", type=path_of, help="help.convert_target"),
            argument("--from", dest="read_as", metavar="FORMAT", help="help.convert_from"),
            argument("--to", dest="write_as", metavar="FORMAT", help="help.convert_to"),
            argument("--system", metavar="NAME", help="help.convert_system"),
            flag("--overwrite", help="help.convert_overwrite"),
            JSON,
            LANGUAGE,
        ],
    )
}
