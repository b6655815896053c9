import threading

import pytest

from steelyard.threads import ordered_thread_map


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_pieces(threads):
    barrier = threading.Event()

    def slow_at_first(number):
        if number == 0 and threads > 1:
            barrier.wait(5)
        if number == 3:
            barrier.set()
        return number * number

    assert list(ordered_thread_map(iter(range(50)), slow_at_first, threads=threads)) == [n * n for n in range(50)]


def test_an_error_ends_the_work_and_is_raised_here():
    done, before = [], threading.active_count()

    def work(number):
        if number == 5:
            raise ValueError("five")
        done.append(number)

    with pytest.raises(ValueError, match=r"^five$"):
        list(ordered_thread_map(iter(range(100_000)), work, threads=2))
    assert len(done) < 100_000
    assert threading.active_count() == before


def test_an_error_in_the_source_is_raised_here():
    def source():
        yield 1
        raise OSError("gone")

    with pytest.raises(OSError, match=r"^gone$"):
        list(ordered_thread_map(source(), str, threads=2))


def test_whoever_stops_early_leaves_no_thread_behind():
    before = threading.active_count()
    results = ordered_thread_map(iter(range(1000)), str, threads=2)
    assert next(results) == "0"
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
