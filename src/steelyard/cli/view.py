"""`steelyard view [DIR]`: serve a folder of results to the browser."""

import argparse
import os
import re
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

from steelyard.cli.console import notify, proportion
from steelyard.cli.options import DOCUMENTS, LANGUAGE, MASK, UNITS, Command, argument, documents_folder, refused
from steelyard.errors import InputError
from steelyard.i18n import Message, words_of
from steelyard.text.visible import visible
from steelyard.web.access import Access
from steelyard.web.index import Index
from steelyard.web.rendering import MASKED, OPEN, report_pages
from steelyard.web.server import serve
from steelyard.web.viewer import Viewer

TOKEN_VARIABLE = "STEELYARD_TOKEN"
PORT = 8765
LAST_PORT = 65_535


def run_view(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not _is_folder(arguments.dir):
        hint = Message("cli.results_folder_hint")
        raise InputError(Message("cli.no_such_folder"), where=visible(str(arguments.dir)), hint=hint)
    access = Access(arguments.host, arguments.token or os.environ.get(TOKEN_VARIABLE) or None)
    privacy = MASKED if arguments.mask else OPEN
    with closing(Index(arguments.dir)) as index:
        with proportion(words_of(arguments.lang)("cli.progress_results")) as progress:
            index.refresh(progress)
        pages = report_pages(index.folder, privacy, documents_folder(arguments))
        viewer = Viewer(index, pages, arguments.lang, privacy, units=arguments.units)
        with suppress(KeyboardInterrupt):  # where the server itself cannot handle signals
            serve(viewer, access, arguments.port, partial(_print_address, index.folder))
    return 0


def port(text: str) -> int:
    """Return a port number; 0 selects a free port."""
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > LAST_PORT:
        raise refused("cli.must_be_between", low=0, high=LAST_PORT, text=repr(text[:20]))
    return int(text)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # too long, or not a valid path
        return False


def _print_address(folder: Path, address: str) -> None:
    notify(Message("cli.viewing", folder=visible(str(folder)), address=address))


COMMANDS: Final = {
    "view": Command(
        run_view,
        [
            argument("dir", nargs="?", type=Path, default=Path(), metavar="DIR", help="help.view_folder"),
            argument("--host", default="127.0.0.1", metavar="ADDRESS", help="help.host"),
            argument("--port", type=port, default=PORT, metavar="N", help="help.port"),
            argument("--token", metavar="TOKEN", help="help.view_token"),
            MASK,
            DOCUMENTS,
            UNITS,
            LANGUAGE,
        ],
    )
}
