"""The command line: `steelyard COMMAND`, also installed as `ultrarag`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

BUG = 4
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 fine, 1 the gate said no, 2 your input, 3 the system failed, 4 our bug."""
    from steelyard.errors import SteelyardError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ▲ shows ?
    arguments = _parsed(argv)
    try:
        code: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except SteelyardError as error:
        print(_message(error, arguments), file=sys.stderr)  # noqa: T201 - a door speaks
        return error.exit_code
    except KeyboardInterrupt as stop:
        return getattr(stop, "exit_code", INTERRUPTED)
    except BrokenPipeError:
        # whoever read our output has gone; do not complain again when Python flushes it
        sys.stdout = None
        return 0
    except OSError as error:
        print(f"{error.filename or 'output'}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return SteelyardError.exit_code
    except Exception:
        import traceback

        traceback.print_exc()
        return BUG


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, read within the limits that the environment sets."""
    from steelyard import limits
    from steelyard.cli.parser import build_parser
    from steelyard.errors import SteelyardError

    parser = build_parser()
    try:
        limits.read_environment(os.environ)
    except SteelyardError as error:
        parser.error(str(error))
    return parser.parse_args(argv)


def _message(error: Exception, arguments: object) -> str:
    from steelyard.cli.messages import translate

    return translate(str(error), getattr(arguments, "lang", "en"))
