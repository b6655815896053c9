# /// script
# dependencies = ["krippendorff==0.9.0"]
# ///
"""krippendorff: Krippendorff's alpha."""

import math
from typing import Any

import krippendorff
from lines import answer


def alpha(given: Any) -> Any:
    is_text = any(isinstance(each, str) for row in given["ratings"] for each in row)
    missing = "nan" if is_text else math.nan  # its example: np.nan in an array of texts
    rows = [[missing if each is None else each for each in row] for row in given["ratings"]]
    return float(krippendorff.alpha(reliability_data=rows, level_of_measurement=given["level"]))


if __name__ == "__main__":
    answer("krippendorff", {"alpha": alpha})
