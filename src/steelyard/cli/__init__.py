"""The command line: `steelyard COMMAND`, also installed as `ultrarag`."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext

BUG = 4
INTERRUPTED = 130
SHOW = "UltraRAG has the command show; Steelyard does not provide it (steelyard view shows results in a browser)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; exit codes: 0 success, 1 gate not passed, 2 input error, 3 system failure, 4 bug."""
    from steelyard.cli.streams import LastingOutput

    with LastingOutput() as output:
        try:
            return output.exit_code(_run(argv))
        except SystemExit as end:  # --help, --version, or options that cannot be read
            raise SystemExit(output.exit_code(end.code if isinstance(end.code, int) else 0)) from None


def _run(argv: Sequence[str] | None) -> int:
    from steelyard.errors import SteelyardError
    from steelyard.signals import terminable

    arguments = _parsed(argv)
    try:
        with nullcontext() if getattr(arguments, "handles_signals", False) else terminable():
            code: int = arguments.run(arguments)
        return code
    except SteelyardError as error:
        _print_error(error.text(getattr(arguments, "lang", "en")))
        return error.exit_code
    except KeyboardInterrupt as stop:
        return getattr(stop, "exit_code", INTERRUPTED)
    except OSError as error:
        _print_error(f"{error.filename or 'output'}: {error.strerror or error}")
        return SteelyardError.exit_code
    except Exception:
        import traceback

        _print_error(traceback.format_exc().rstrip("\n"))
        return BUG


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, read within the limits that the environment sets."""
    from steelyard import limits
    from steelyard.cli.options import locale_language
    from steelyard.cli.parser import build_parser, overview
    from steelyard.errors import SteelyardError

    parser = build_parser()
    line = sys.argv[1:] if argv is None else list(argv)
    if not line:
        parser.exit(SteelyardError.exit_code, overview(parser, locale_language()))
    if line[:1] == ["show"]:
        parser.error(SHOW)
    try:
        limits.read_environment(os.environ)
    except SteelyardError as error:
        parser.error(str(error))
    return parser.parse_args(argv)


def _print_error(text: str) -> None:
    from steelyard.cli.output import notify

    notify(text)
