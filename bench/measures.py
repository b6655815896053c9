"""The twenty measures that are timed, as each program spells them."""

from typing import Final, NamedTuple


class Measure(NamedTuple):
    """One measure in the four spellings."""

    steelyard: str
    pytrec_eval: str
    ir_measures: str
    ranx: str


CUTOFFS: Final = (1, 5, 10, 20, 50, 100)
MEASURES: Final = (
    Measure("RR", "recip_rank", "RR", "mrr"),
    Measure("AP", "map", "AP", "map"),
    *(Measure(f"R@{k}", f"recall_{k}", f"R@{k}", f"recall@{k}") for k in CUTOFFS),
    *(Measure(f"nDCG@{k}", f"ndcg_cut_{k}", f"nDCG@{k}", f"ndcg@{k}") for k in CUTOFFS),
    *(Measure(f"P@{k}", f"P_{k}", f"P@{k}", f"precision@{k}") for k in CUTOFFS),
)
