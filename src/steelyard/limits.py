"""Limits on the sizes and numbers that come from outside, each with a name, a default and one message.

    limits.RESAMPLES.check(resamples, "n_resamples")          # raises when the number is too large
    if size > limits.REPLY_BYTES.value: ...                   # where the caller has to stop by itself

The entry points (cli, web, servers) call `read_environment` once: STEELYARD_<NAME>=NUMBER replaces a default.
Libraries read `.value` when they are called, never when they are imported, and never read the environment.
"""

from collections.abc import Mapping
from typing import Final

from steelyard.errors import ConfigError, SteelyardError
from steelyard.i18n import Message

PREFIX: Final = "STEELYARD_"
"""What the names of the environment variables begin with."""


class Limit:
    """The largest number that is accepted for one thing; `meaning` says of what, in which unit."""

    __slots__ = ("meaning", "name", "value")

    def __init__(self, name: str, value: float, meaning: str) -> None:
        self.name = name
        self.value = value
        self.meaning = meaning

    @property
    def variable(self) -> str:
        """The environment variable that replaces the value."""
        return PREFIX + self.name

    @property
    def hint(self) -> Message:
        """How to raise the limit."""
        return Message("core.raise_limit_set", variable=self.variable)

    def check(
        self,
        number: float,
        what: Message | str,
        *,
        error: type[SteelyardError] = ConfigError,
        where: str | None = None,
        parameter: str | None = None,
    ) -> None:
        """Raise `error` when a number is above the limit; `what` names the option, field or thing."""
        if number > self.value:
            raise self.exceeded(what, error=error, where=where, number=number, parameter=parameter)

    def exceeded(
        self,
        what: Message | str,
        *,
        error: type[SteelyardError] = ConfigError,
        where: str | None = None,
        number: float | None = None,
        parameter: str | None = None,
    ) -> SteelyardError:
        """Return the error that says which limit was exceeded, and how to raise it."""
        limit = shown(self.value)
        message = (
            Message("core.above_limit", what=what, limit=limit)
            if number is None
            else Message("core.above_limit_measured", what=what, limit=limit, number=shown(number))
        )
        return error(message, where=where, hint=self.hint, parameter=parameter)


LIMITS: Final[dict[str, Limit]] = {}
"""All limits by name."""


def _limit(name: str, value: float, meaning: str) -> Limit:
    LIMITS[name] = Limit(name, value, meaning)
    return LIMITS[name]


RESAMPLES: Final = _limit("RESAMPLES", 10_000_000, "resamples of one test or interval")
CONCURRENCY: Final = _limit("CONCURRENCY", 1024, "questions, calls or threads at a time")
PROCESSES: Final = _limit("PROCESSES", 256, "processes at a time")
RETRIES: Final = _limit("RETRIES", 100, "further attempts after one that failed")
TIMEOUT_SECONDS: Final = _limit("TIMEOUT_SECONDS", 86_400, "seconds that one attempt may be allowed to take")
INTERVAL_SECONDS: Final = _limit("INTERVAL_SECONDS", 3_600, "seconds between two attempts (1 / --rate)")
LEFT_BEHIND: Final = _limit("LEFT_BEHIND", 256, "attempts that took too long and still run")
REPLY_BYTES: Final = _limit("REPLY_BYTES", 4 << 20, "bytes of a reply, after decoding, and characters of an answer")
MODEL_REPLY_BYTES: Final = _limit(
    "MODEL_REPLY_BYTES", 100_000_000, "bytes of a reply of an embeddings endpoint, a reranker or a retriever, decoded"
)
NESTING: Final = _limit("NESTING", 50, "levels of objects and lists in a field of a reply")
JUDGING_SECONDS: Final = _limit("JUDGING_SECONDS", 30, "seconds that judging one answer may take")
PROMPT_CHARACTERS: Final = _limit("PROMPT_CHARACTERS", 10_000_000, "characters of a prompt that a template makes")
LOOP_TIMES: Final = _limit("LOOP_TIMES", 10_000, "rounds of a loop in a pipeline")
# files
LINE_BYTES: Final = _limit("LINE_BYTES", 64_000_000, "bytes of a line, or of a row of CSV")
QUERY_BYTES: Final = _limit("QUERY_BYTES", 128_000_000, "bytes of the run lines of one query")
RANKING_BYTES: Final = _limit(
    "RANKING_BYTES", 1_000_000_000, "bytes of judgments, of a run through a pipe, or of one query of an interleaved run"
)
RESULTS_BYTES: Final = _limit("RESULTS_BYTES", 1_000_000_000, "bytes of a results file, decompressed")
FILE_BYTES: Final = _limit("FILE_BYTES", 256_000_000, "bytes of a JSON or parquet file, decompressed")
DOCUMENT_BYTES: Final = _limit("DOCUMENT_BYTES", 64_000_000, "bytes of a document or a file of questions, decompressed")
DOCUMENT_SECONDS: Final = _limit("DOCUMENT_SECONDS", 60, "seconds that reading a PDF file may take")
PART_BYTES: Final = _limit("PART_BYTES", 64_000_000, "bytes of a part of a DOCX file, decompressed")
PACKAGE_PARTS: Final = _limit("PACKAGE_PARTS", 10_000, "parts of a DOCX file")
ARCHIVE_MEMBERS: Final = _limit("ARCHIVE_MEMBERS", 100_000, "members of an archive (.zip, .eval)")
ARCHIVE_BYTES: Final = _limit("ARCHIVE_BYTES", 8_000_000_000, "bytes of the members of an archive, decompressed")
LITERAL_CHARS: Final = _limit(
    "LITERAL_CHARS", 1_000_000, "characters of a list or object as Python writes it, in a cell of CSV"
)
ROWS: Final = _limit("ROWS", 10_000_000, "rows of a parquet file")
COLUMNS: Final = _limit("COLUMNS", 10_000, "columns, or different fields of all rows, of a file")
JSON_DEPTH: Final = _limit("JSON_DEPTH", 100, "levels of lists and objects in JSON")
YAML_BYTES: Final = _limit("YAML_BYTES", 2_000_000, "bytes of a YAML file, decompressed")
YAML_VALUES: Final = _limit("YAML_VALUES", 100_000, "values of a YAML file; an alias counts as all that it stands for")
METRICS: Final = _limit("METRICS", 1_000, "metrics of a results file")
SCORE: Final = _limit("SCORE", 1e100, "size of a score in a results file, or of a value that a metric gives")
# the viewer
VIEW_LINE_BYTES: Final = _limit(
    "VIEW_LINE_BYTES", 8_192, "bytes of the first line of a request to the viewer (else 414)"
)
VIEW_HEAD_BYTES: Final = _limit(
    "VIEW_HEAD_BYTES", 32_768, "bytes of a request to the viewer with its headers (else 431)"
)
VIEW_HEADERS: Final = _limit("VIEW_HEADERS", 100, "headers of a request to the viewer (else 431)")
VIEW_HEAD_SECONDS: Final = _limit(
    "VIEW_HEAD_SECONDS", 10, "seconds in which a request to the viewer must arrive (else 408)"
)
VIEW_SEND_SECONDS: Final = _limit("VIEW_SEND_SECONDS", 30, "seconds in which a client must take each 256 kB of a page")
VIEW_PAGE_SECONDS: Final = _limit(
    "VIEW_PAGE_SECONDS", 120, "seconds that a client waits for a page to be made (else 503)"
)
VIEW_CONNECTIONS: Final = _limit("VIEW_CONNECTIONS", 256, "clients of the viewer at a time (else 503)")
VIEW_WAITING: Final = _limit("VIEW_WAITING", 128, "pages of the viewer that are being made or wait for it (else 503)")
VIEW_HELD_BYTES: Final = _limit(
    "VIEW_HELD_BYTES", 256_000_000, "bytes of pages that the viewer holds at a time (else 503)"
)
VIEW_RESULT_BYTES: Final = _limit("VIEW_RESULT_BYTES", 256_000_000, "bytes of a file that the viewer reads")
# servers over HTTP
SERVE_UNUSED_SECONDS: Final = _limit(
    "SERVE_UNUSED_SECONDS",
    60,
    "seconds that `serve --http` keeps an idle session whose client had no answer to its last call (else 404)",
)


def shown(number: float) -> str:
    """Return a number as messages show it: digits with commas, or a power of ten where it has very many."""
    if isinstance(number, int) and abs(number) >= 10**15:
        return f"about 1e{int(number.bit_length() * 0.30103)}"  # without writing it out
    return f"{number:,}" if isinstance(number, int) or abs(number) < 1e15 else f"{number:g}"


def read_environment(environment: Mapping[str, str]) -> None:
    """Replace the limits that the environment names; a value that is no number above 0 is an error."""
    for limit in LIMITS.values():
        if text := environment.get(limit.variable):
            limit.value = _number(text, limit.variable)


def _number(text: str, variable: str) -> float:
    try:
        number = float(text) if len(text) <= 40 else 0.0
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ConfigError(Message("core.invalid_limit", text=text[:40]), where=variable)
    return int(number) if number.is_integer() else number
