"""The retry rule of all clients: which failures may pass, how often a request is sent again, and after how long."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from random import Random
from typing import Final, TypeVar

from steelyard.errors import SystemFailure
from steelyard.i18n import Message

LONGEST_DELAY: Final = 30.0
"""Seconds beyond which the delay before another attempt does not grow."""

LONGEST_RETRY_AFTER: Final = 120.0
"""Seconds that a server may ask to wait; if it asks for more, the request is given up."""

_RETRYABLE: Final = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS))
_SECONDS: Final = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_MOST_DIGITS: Final = 20

Value = TypeVar("Value")


class RetryableFailure(SystemFailure):
    """A failure that may pass; `retry_after` is the number of seconds that the server asks to wait."""

    def __init__(self, message: Message | str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RetryRule:
    """Exponential backoff with full jitter.

    `retries` is the number of attempts after the first, `delay` the most seconds before the second attempt; this bound
    doubles with every attempt, up to `LONGEST_DELAY`. A Retry-After of the server replaces the delay.
    """

    retries: int
    delay: float = 0.5

    def wait(self, failure: RetryableFailure, attempt: int, random: Random) -> float | None:
        """Return the seconds to wait after attempt number `attempt` (from 1); None where the request is given up."""
        if attempt > self.retries or (failure.retry_after or 0) > LONGEST_RETRY_AFTER:
            return None
        if failure.retry_after is not None:
            return failure.retry_after
        return random.uniform(0, min(LONGEST_DELAY, self.delay * 2.0 ** (attempt - 1)))


ONCE: Final = RetryRule(0)


def call_with_retries(call: Callable[[], Value], rule: RetryRule) -> Value:
    """Return the result of a call, repeated while it fails in a way that may pass and the rule allows it."""
    random, attempt = Random(), 1
    while True:
        try:
            return call()
        except RetryableFailure as failure:
            seconds = rule.wait(failure, attempt, random)
            if seconds is None:
                raise
        time.sleep(seconds)
        attempt += 1


def is_retryable(status: int) -> bool:
    """Return whether the same request may succeed later: statuses 408, 409, 429 and all from 500 on."""
    return status in _RETRYABLE or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def retry_after_seconds(header: str | None) -> float | None:
    """Return the value of a Retry-After header (seconds or a date) in seconds from now; None if it has none."""
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text[:_MOST_DIGITS])
    try:
        moment = parsedate_to_datetime(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
