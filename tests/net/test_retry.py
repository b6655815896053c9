"""The retry rule: exponential backoff with jitter, Retry-After, and when a request is given up."""

import time
from email.utils import formatdate
from random import Random
from typing import Any

import pytest

from steelyard.errors import SystemFailure
from steelyard.net.retry import (
    LONGEST_DELAY,
    LONGEST_RETRY_AFTER,
    RetryableFailure,
    RetryRule,
    call_with_retries,
    is_retryable,
    retry_after_seconds,
)


def failing(times, error):
    """A call that fails so often, and the list of its attempts."""
    attempts: list[Any] = []

    def call():
        attempts.append(len(attempts) + 1)
        if len(attempts) <= times:
            raise error
        return "fine"

    return call, attempts


def test_delays_double_up_to_a_bound():
    rule, failure = RetryRule(100, 0.5), RetryableFailure("no")

    def waits(attempt):
        return [rule.wait(failure, attempt, Random(seed)) for seed in range(300)]

    bounds = [max(waits(attempt)) for attempt in (1, 2, 3, 20)]
    assert bounds == pytest.approx([0.5, 1.0, 2.0, LONGEST_DELAY], rel=0.05)
    assert min(waits(3)) < 0.1  # full jitter


def test_the_server_may_ask_for_a_wait_but_not_for_a_long_one():
    rule = RetryRule(1)
    assert rule.wait(RetryableFailure("no", retry_after=7), 1, Random(0)) == 7
    assert rule.wait(RetryableFailure("no", retry_after=LONGEST_RETRY_AFTER + 1), 1, Random(0)) is None
    assert rule.wait(RetryableFailure("no", retry_after=0), 2, Random(0)) is None  # no attempt is left


def test_a_call_is_repeated_while_it_may_pass():
    call, attempts = failing(2, RetryableFailure("busy"))
    assert call_with_retries(call, RetryRule(2, 0)) == "fine"
    assert attempts == [1, 2, 3]


@pytest.mark.parametrize(("error", "expected"), [(RetryableFailure("busy"), [1, 2]), (SystemFailure("no"), [1])])
def test_a_call_that_fails_for_good(error, expected):
    call, attempts = failing(9, error)
    with pytest.raises(SystemFailure):
        call_with_retries(call, RetryRule(1, 0))
    assert attempts == expected


def test_statuses():
    statuses = (200, 302, 400, 401, 404, 408, 409, 429, 500, 503)
    assert [status for status in statuses if is_retryable(status)] == [408, 409, 429, 500, 503]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), (" 1.5 ", 1.5), ("9" * 40, 99999999999999999999.0), (None, None), ("soon", None), ("-1", None)],
)
def test_retry_after(header, seconds):
    assert retry_after_seconds(header) == seconds


def test_retry_after_as_a_date():
    seconds = retry_after_seconds(formatdate(time.time() + 60, usegmt=True))
    assert seconds is not None
    assert 50 < seconds <= 60
    assert retry_after_seconds(formatdate(time.time() - 60, usegmt=True)) == 0
