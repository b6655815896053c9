"""The measures of trec_eval: what they are called there and here, their order, and sets such as `official`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from steelyard.registry.metrics import Measure, Number

RECALL_LEVELS: Final = tuple(level / 10 for level in range(11))
FACTORS: Final = tuple(tenth / 10 for tenth in range(2, 22, 2))
_DEPTHS: Final = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LATEST: Final = 10


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """A measure of trec_eval, and the metric here; `cuts` are those that trec_eval takes if none is given.

    `since` is the version that introduced it, `sets` are the sets of measures that it belongs to beside `all_trec`.
    """

    name: str
    metric: str
    cuts: tuple[Number, ...] = ()
    sets: tuple[str, ...] = ()
    since: int = 9

    def names(self) -> list[str]:
        """The measure in our spelling, with each of its cuts."""
        return [f"{self.metric}@{cut}" for cut in self.cuts] if self.cuts else [self.metric]


# in the order in which trec_eval prints them
MEASURES: Final = (
    TrecMeasure("num_ret", "NumRet", sets=("official", "set")),
    TrecMeasure("num_rel", "NumRel", sets=("official", "set")),
    TrecMeasure("num_rel_ret", "NumRelRet", sets=("official", "set")),
    TrecMeasure("map", "AP", sets=("official",)),
    TrecMeasure("gm_map", "GMAP", sets=("official",)),
    TrecMeasure("Rprec", "Rprec", sets=("official",)),
    TrecMeasure("bpref", "bpref", sets=("official",)),
    TrecMeasure("recip_rank", "RR", sets=("official",)),
    TrecMeasure("iprec_at_recall", "IPrec", RECALL_LEVELS, sets=("official",)),
    TrecMeasure("P", "P", _DEPTHS, sets=("official",)),
    TrecMeasure("recall", "R", _DEPTHS),
    TrecMeasure("infAP", "infAP"),
    TrecMeasure("gm_bpref", "GMbpref"),
    TrecMeasure("Rprec_mult", "RprecMult", FACTORS),
    TrecMeasure("utility", "Utility", sets=("set",)),
    TrecMeasure("11pt_avg", "IAP"),
    TrecMeasure("binG", "binG"),
    TrecMeasure("G", "G"),
    TrecMeasure("ndcg", "nDCG"),
    TrecMeasure("ndcg_rel", "nDCGrel"),
    TrecMeasure("Rndcg", "Rndcg"),
    TrecMeasure("ndcg_cut", "nDCG", _DEPTHS),
    TrecMeasure("map_cut", "AP", _DEPTHS),
    TrecMeasure("relative_P", "RelP", _DEPTHS),
    TrecMeasure("success", "Success", (1, 5, 10)),
    TrecMeasure("set_P", "SetP", sets=("set",)),
    TrecMeasure("set_relative_P", "SetRelP", sets=("set",)),
    TrecMeasure("set_recall", "SetR", sets=("set",)),
    TrecMeasure("set_map", "SetAP", sets=("set",)),
    TrecMeasure("set_F", "SetF", sets=("set",)),
    TrecMeasure("num_nonrel_judged_ret", "NumNonrelRet"),
    TrecMeasure("rbp", "RBP", since=10),
    TrecMeasure("rbp_resid", "RBPresid", since=10),
    TrecMeasure("unj", "Unjudged", (5, 10, 20), since=10),
)
SETS: Final = ("official", "set", "all_trec")
_PLACE: Final = {(each.metric, bool(each.cuts)): place for place, each in enumerate(MEASURES)}


def expand_sets(names: Iterable[str], version: int = _LATEST) -> list[str]:
    """The names, with those of a set of trec_eval, as this version has it, in place of the name of the set."""
    return [each for name in names for each in (_members(name, version) if name in SETS else [name])]


def _members(name: str, version: int) -> list[str]:
    chosen = (each for each in MEASURES if each.since <= version and (name == "all_trec" or name in each.sets))
    return [member for each in chosen for member in each.names()]


def place_of(measure: Measure) -> tuple[int, Number] | None:
    """The place of a measure in the output of trec_eval, which does not have every measure."""
    cut = dict(measure.parameters).get(measure.metric.at)
    place = _PLACE.get((measure.name, cut is not None))
    has_others = len(measure.parameters) > (cut is not None)
    return None if place is None or has_others else (place, cut or 0)


def trec_name(measure: Measure) -> str:
    """What trec_eval calls a measure; our name if it does not have it."""
    place = place_of(measure)
    if place is None:
        return str(measure)
    cut = dict(measure.parameters).get(measure.metric.at)
    shown = "" if cut is None else f"_{cut:.2f}" if isinstance(cut, float) else f"_{cut}"
    return MEASURES[place[0]].name + shown
