# /// script
# dependencies = ["steelyard"]
# ///
"""Steelyard itself."""

from lines import answer
from ours import answers, judges, law, rankings, statistics

FAMILIES = (rankings, answers, statistics, judges, law)

if __name__ == "__main__":
    answer("steelyard", {name: function for family in FAMILIES for name, function in family.FUNCTIONS.items()})
