"""The command line: `steelyard COMMAND`, also installed as `ultrarag`."""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from steelyard import limits
from steelyard.cli.console import LOG, LastingOutput, begin_log, command_log
from steelyard.cli.parser import Settings, build_parser, language_of, named_command, speaking
from steelyard.errors import ConfigError, SteelyardError, os_reason
from steelyard.i18n import Language, Localized, Message
from steelyard.signals import terminable

BUG = 4
INTERRUPTED = 130
_IDLE_THREADS: Final = ("OPENBLAS_THREAD_TIMEOUT", "4")
"""The threads of numpy's linear algebra sleep at once; by default each uses a core for about 45 ms after its start."""
COLLECTED_AFTER: Final = 50_000
"""New objects before those in cycles are looked for (700 by default): results have many objects and no cycles."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; exit codes: 0 success, 1 gate not passed, 2 input error, 3 system failure, 4 bug."""
    os.environ.setdefault(*_IDLE_THREADS)
    gc.set_threshold(COLLECTED_AFTER)
    line = sys.argv[1:] if argv is None else list(argv)
    language = language_of(line)
    with LastingOutput(language) as output:
        try:
            return output.exit_code(_run(line, language))
        except SystemExit as end:  # --help, --version, or options that cannot be read
            raise SystemExit(output.exit_code(end.code if isinstance(end.code, int) else 0)) from None


def _run(line: Sequence[str], language: Language) -> int:
    """Run a command; its errors are printed and become exit codes."""
    with command_log(language):
        try:
            arguments, settings = _parsed(line, language)
            begin_log(arguments)
            if settings.path is not None:
                values = ", ".join(f"{name} = {value}" for name, value in settings.values.items())
                LOG.debug(Message("log.settings", path=settings.path, values=values))
            with nullcontext() if getattr(arguments, "handles_signals", False) else terminable():
                code: int = arguments.run(arguments)
            LOG.debug(Message("log.ended", code=code))
            return code
        except SteelyardError as error:
            LOG.error(error)
            return error.exit_code
        except KeyboardInterrupt as stop:
            return getattr(stop, "exit_code", INTERRUPTED)
        except (MemoryError, OSError) as error:
            LOG.error(_explained(error))
            return SteelyardError.exit_code
        except Exception:
            import traceback

            LOG.error(traceback.format_exc().rstrip("\n"))
            return BUG


def _explained(error: MemoryError | OSError) -> Localized:
    """Return what the system refused: memory, or a file."""
    if isinstance(error, MemoryError) or error.errno == errno.ENOMEM:
        error.with_traceback(None)  # frees what its frames hold
        return ConfigError(Message("cli.no_memory"), hint=Message("cli.no_memory_hint"))
    return Message("core.located", where=error.filename or Message("words.a_file"), message=os_reason(error))


def _parsed(line: Sequence[str], language: Language) -> tuple[argparse.Namespace, Settings]:
    """Read the arguments, within the limits that the environment sets, and the settings that they have from a file."""
    name = named_command(line)
    settings = Settings() if name is None else Settings.read(Path.cwd(), name)
    language = language_of(line, settings.values.get("lang"))
    with speaking(language):
        parser = build_parser(language, line)
        if name is not None:
            settings.put_into(parser, parser.commands.choices[name])
        if not line:
            parser.exit(SteelyardError.exit_code, parser.format_help())
        if line[:1] == ["show"]:
            parser.error(Message("cli.no_show").text(language))
        try:
            limits.read_environment(os.environ)
        except SteelyardError as error:
            parser.error(error.text(language))
        arguments = parser.parse_args(line)
        if name is not None:
            arguments.from_file = settings.applied(line, parser.commands.choices[name])
        return arguments, settings
