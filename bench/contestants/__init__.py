"""Each program that is timed, used in the plain way its users would: from two files to every value and mean."""

from typing import NamedTuple


class Outcome(NamedTuple):
    """Every value of every query, in whatever form the library gives them, and the means in the order of MEASURES."""

    per_query: object
    means: list[float]
