# /// script
# dependencies = ["cn2an==0.5.23", "jieba==0.42.1", "nltk==3.10.4", "rouge-chinese==1.0.3"]
# ///
"""The scripts of LawBench, which are not packaged: LAWBENCH is the folder of its repository (version e30981b)."""

import os
import sys
from typing import Any

from lines import answer


def term_log(given: Any) -> float:
    from evaluation_functions.ljp_imprison import compute_ljp_imprison

    return compute_ljp_imprison(_rows(given, f"刑期:{given['months']}个月"))["score"]


def charge_f1(given: Any) -> float:
    from evaluation_functions.ljp_accusation import compute_ljp_accusation

    return compute_ljp_accusation(_rows(given, f"罪名:{';'.join(given['charges'])}"))["score"]


def statute_f1(given: Any) -> float:
    from evaluation_functions.ljp_article import compute_ljp_article

    return compute_ljp_article(_rows(given, f"法条:刑法第{'、'.join(map(str, given['articles']))}条"))["score"]


def _rows(given: Any, reference: str) -> list[dict[str, str]]:
    return [{"origin_prompt": "", "prediction": given["answer"], "refr": reference}]


if __name__ == "__main__":
    if "LAWBENCH" not in os.environ:
        sys.exit("LAWBENCH is not set: the folder of a copy of open-compass/LawBench")
    sys.path.insert(0, os.path.abspath(os.path.join(os.environ["LAWBENCH"], "evaluation")))
    functions = {"charge_f1": charge_f1, "statute_f1": statute_f1, "term_log": term_log}
    answer("lawbench", functions, release="e30981b")
