"""Work on several threads: results in order, progress in the calling thread, the first error at once."""

import subprocess
import sys
import threading

import pytest

from steelyard.threads import map_in_threads


def test_results_are_in_order_and_progress_is_reported_here():
    late, heard = threading.Event(), []

    def work(item):
        if item == 0:
            late.wait(10)
        if item == 3:
            late.set()
        return item * 2

    def progress(done, total):
        heard.append((done, total, threading.current_thread()))

    assert map_in_threads(work, range(6), threads=2, progress=progress) == [0, 2, 4, 6, 8, 10]
    assert heard == [(done, 6, threading.current_thread()) for done in range(1, 7)]
    assert map_in_threads(work, [], threads=4) == []


def test_an_error_is_raised_and_nothing_more_is_begun():
    begun, held = [], threading.Event()

    def work(item):
        begun.append(item)
        if item == 0:
            raise KeyError(item)
        held.wait(10)

    with pytest.raises(KeyError):
        map_in_threads(work, range(50), threads=2)
    held.set()
    assert len(begun) <= 3


@pytest.mark.slow
def test_a_thread_that_waits_does_not_keep_the_process():
    program = (
        "import time\n"
        "from steelyard.threads import map_in_threads\n"
        "def work(item):\n    time.sleep(100 * item)\n    raise KeyError(item)\n"
        "try:\n    map_in_threads(work, [0, 1], threads=2)\n"
        "except KeyError:\n    print('raised')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "raised\n"
