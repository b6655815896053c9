"""Names of metrics in the spellings of all common tools: `ndcg_cut_10`, `ndcg@10`, `recip_rank`, `mrr` …"""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from steelyard.errors import ConfigError, SteelyardError, UnknownName, cut, nearest
from steelyard.i18n import Message
from steelyard.registry.judged import RENAMED, computed_elsewhere, other_meaning
from steelyard.registry.kinds import BUILT_IN, register_all
from steelyard.registry.metrics import REGISTRY, Kind, Measure, Metric, Number

CUTOFFS = (1, 5, 10, 20, 50, 100)
_BENCHMARK = "legal"  # the metric of every benchmark
SCORE = "score"  # what it is called wherever it is shown
AVERAGE = "avg_"
"""What UltraRAG puts before the name of a metric for its average."""
DEFAULT_RETRIEVAL = ("RR", "AP", "R", "nDCG", "P")

_DOORS = {"retrieval": "steelyard retrieval", "answers": "steelyard answers"}

# our name → spellings in other tools, folded (lower case, "_" for "-" and blanks)
_SPELLINGS_OF = {
    "P": "precision prec",
    "R": "recall",
    "AP": "map map_cut mean_average_precision average_precision",
    "RR": "mrr recip_rank reciprocal_rank mean_reciprocal_rank",
    "nDCG": "ndcg_cut",
    "Rprec": "r_precision r_prec",
    "Success": "hit hits hit_rate",
    "SetP": "set_p",
    "SetR": "set_recall set_r",
    "SetF": "set_f",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "Judged": "judged_cut",
    "nDCGexp": "ndcg_exp ndcg_burges",
    "nDCGrel": "ndcg_rel",
    "IPrec": "iprec_at_recall interpolated_precision",
    "IAP": "11pt_avg",
    "GMAP": "gm_map",
    "GMbpref": "gm_bpref",
    "RprecMult": "rprec_mult",
    "RelP": "relative_p",
    "SetRelP": "set_relative_p",
    "SetAP": "set_map",
    "NumNonrelRet": "num_nonrel_judged_ret",
    "RBPresid": "rbp_resid",
    "Unjudged": "unj",
    "Acc": "accuracy contains icontains includes string_present string_presence",
    "EM": "exact_match exact equals",
    "StringEM": "string_em str_em",
    "CoverEM": "cover_em",
    "F1": "token_f1",
    "ROUGE-1": "rouge1 rouge_n",
    "ROUGE-2": "rouge2",
    "ROUGE-L": "rougel rouge_score",
    "ROUGE-Lsum": "rougelsum rouge_lsum",
    "BLEU": "bleu_score",
    "chrF": "chrf_score",
    "CharF1": "char_f1",
    "Refusal": "refusal_rate is_refusal",
    "Ungrounded": "invented",
    "ValuesGrounded": "grounded",
    "Seconds": "latency",
    "Tokens": "total_tokens",
    "Cost": "total_cost",
    "ContextP": "id_based_context_precision idbasedcontextprecision",
    "ContextR": "id_based_context_recall idbasedcontextrecall",
}
SPELLINGS = {spelling: name for name, spellings in _SPELLINGS_OF.items() for spelling in spellings.split()}

_CUT_ALWAYS = ("ndcg_cut", "map_cut")  # without a number trec_eval has several cut-offs of these, never the whole list

_NAME = re.compile(
    r"""(?P<base>[A-Za-z][A-Za-z0-9]*(?:[_\- ][A-Za-z]+)*)
        (?:\((?P<inner>[^()]*)\))?
        (?:(?P<mark>[@._])(?P<cut>\d+(?:\.\d+)?|\.\d+|(?<=@)[-.\d]+))?""",
    re.VERBOSE,
)
_DCG = re.compile(r"""\bdcg\s*=\s*(?P<quote>['"]?)(?P<value>[a-z0-9-]*)(?P=quote)(?=\s*(?:,|$))""")
_DCG_VARIANTS = {"log2": "nDCG", "exp-log2": "nDCGexp"}


def parse_measure(text: str) -> Measure:
    """Return the measure that a name stands for; P and R without a cut-off are an error here."""
    found, parameters = _read(text)
    return Measure.of(found, parameters)


def find_metric(text: str) -> Metric:
    """Return the metric of a name, whatever its kind and parameters."""
    return _read(text)[0]


def parse_measures(
    names: Any,
    cutoffs: Sequence[int] | None = None,
    *,
    default: Sequence[str] = DEFAULT_RETRIEVAL,
    kind: Kind = "retrieval",
    trec_eval: int = 9,
) -> list[Measure]:
    """Return measures for names (a list, or one text; each may hold several with commas), in order and each once.

    A name may be any object whose text is one, such as a measure of ir_measures, or a set of measures of trec_eval
    (`official`, `set`, `all_trec`), as this version of `trec_eval` has it.
    Cut-offs, where given, apply to every name that has none of its own and is not a whole metric (AP and RR are cut
    only where the name says so); P, R and their like always need some. Metrics of another kind are an error, except
    for metrics of rankings in an evaluation of answers, whose contexts are a ranking.
    """
    if names is not None:
        is_many = isinstance(names, Iterable) and not isinstance(names, str)
        names = split_names([str(name) for name in (names if is_many else [names])])
    if names is not None and not names:
        raise ConfigError(Message("metrics.no_metric_given"), hint=Message("metrics.ndcg_hint"))
    measures: dict[str, Measure] = {}
    for name in expand_sets(names or default, trec_eval):
        found = find_metric(name)
        if kind == "retrieval" and found.kind != kind:
            message = Message("metrics.metric_of_another_kind", measure=name, kind=found.kind, expected=kind)
            raise ConfigError(message, hint=Message("metrics.available_in", doors=_DOORS[found.kind]))
        for measure in _expand(name, cutoffs or (CUTOFFS if names is None else ())):
            measures[str(measure)] = measure
    return list(measures.values())


def other_meanings(names: Sequence[str] | None) -> list[Message]:
    """Return what names of other tools mean there, where they are computed otherwise here."""
    return [message for name in split_names(names or ()) if (message := other_meaning(name)) is not None]


def column_called(name: str, columns: Collection[str]) -> str:
    """Return the column with this name in any known spelling; the name itself if there is none.

    Every column is shown by its average: `avg_f1`, as UltraRAG prints it, is `f1`. The score of a benchmark is
    `legal`, whatever it is about: `score.recall` is `legal.recall`.
    """
    if name in columns:
        return name
    if _BENCHMARK in columns and (score := re.fullmatch(rf"{SCORE}(\..+)?", name)):
        return _BENCHMARK + (score[1] or "")
    if name.startswith(AVERAGE) and (found := column_called(name.removeprefix(AVERAGE), columns)) in columns:
        return found
    base, dot, part = name.partition(".")
    if dot and RENAMED.get(base) in columns:
        return f"{RENAMED[base]}.{part}"
    with suppress(SteelyardError):  # no metric of ours; the result may still have such a column
        if (ours := str(parse_measure(name))) in columns:
            return ours
    alike = [column for column in columns if column.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else name


def callable_names(columns: Collection[str]) -> list[str]:
    """Return the names of columns, and `score` where it is one of them."""
    return [*([SCORE] if _BENCHMARK in columns else ()), *columns]


def columns_called(names: Sequence[str] | None, columns: Collection[str]) -> list[str] | None:
    """Return the columns for names, of which one argument may have several; None if no name is given."""
    if not names:
        return None
    wanted: list[str] = []
    for is_column, group in groupby(map(str.strip, names), key=lambda text: text in columns):
        texts = list(group)
        wanted += texts if is_column else split_names(texts)  # a name of another tool may have a comma
    return list(dict.fromkeys(column_called(name, columns) for name in wanted))


def split_names(texts: Sequence[str]) -> list[str]:
    """Return names from arguments that may hold several, separated by commas outside brackets.

    A bare number is one more cut-off of the name before it, as in trec_eval's `P.5,10`.
    """
    found: list[str] = []
    for name in (part.strip() for text in texts for part in re.split(r",(?![^()]*\))", text)):
        is_number = re.fullmatch(r"\d*\.?\d+", name)
        cut = re.fullmatch(r"(.*?[@._])(?:\d+(?:\.\d+)?|\.\d+)", found[-1]) if found and is_number else None
        found += [cut[1] + (f"0{name}" if name.startswith(".") else name) if cut else name] if name else []
    return found


def _expand(name: str, cutoffs: Sequence[int]) -> list[Measure]:
    found, parameters = _read(name)
    if found.at in parameters or found.at not in found.parameters:
        return [Measure.of(found, parameters)]
    if found.levels:
        return [Measure.of(found, {**parameters, found.at: level}) for level in found.levels]
    is_cut = name.strip().casefold() in _CUT_ALWAYS
    if is_cut or "k" in found.required:
        cutoffs = cutoffs or CUTOFFS
    if (found.whole and not is_cut) or not cutoffs:
        return [Measure.of(found, parameters)]
    return [Measure.of(found, {**parameters, "k": k}) for k in cutoffs]


def _read(text: str) -> tuple[Metric, dict[str, Number]]:
    # ROUGE-1 is a name, not ROUGE at 1; no name of ours has @, so other kinds need not be loaded for one that has it
    whole = _registered(_folded(text)) if "@" in text else _find(text)
    if whole is not None:
        return whole, {}
    base, level = _level(text)
    match = _NAME.fullmatch(base)
    if not match:
        raise computed_elsewhere(text) or UnknownName.of(Message("words.metric"), text, _known())
    inner = match["inner"] or ""
    dcg = _DCG.search(inner)
    found = _metric(match["base"] if dcg is None else _dcg_variant(match["base"], dcg["value"], text), text)
    parameters = _parameters(_DCG.sub("", inner), text)
    if match["cut"] and found.name == "RBP" and match["mark"] == "." and match["cut"].isdigit():
        parameters["p"] = float(f"0.{match['cut']}")  # ranx writes rbp.95
    elif match["cut"]:
        _say_once(found.at, parameters, text)
        parameters[found.at] = _cutoff(match["cut"]) if found.at == "k" else _decimal(match["cut"], text, text)
    for key in level:
        _say_once(key, parameters, text)
    return found, {**parameters, **level}


def _level(text: str) -> tuple[str, dict[str, Number]]:
    """Return a name without its relevance level, and that level: ranx writes precision@5-l2."""
    base, _, level = text.strip().rpartition("-l")
    return (base, {"rel": int(level)}) if base and level.isdecimal() else (text.strip(), {})


def _dcg_variant(base: str, dcg: str, text: str) -> str:
    """Return the name of nDCG with a gain as ir_measures names it: `nDCG(dcg='exp-log2')`."""
    found = _find(base)
    if found is None or found.name != "nDCG" or dcg not in _DCG_VARIANTS:
        known = ", ".join(f"nDCG(dcg='{each}')" for each in _DCG_VARIANTS)
        message = Message("metrics.invalid_gain", text=text, part=f"dcg={dcg}")
        raise ConfigError(message, hint=Message("core.known", names=known))
    return _DCG_VARIANTS[dcg]


def _metric(base: str, text: str) -> Metric:
    found = _find(base)
    if found is None and (elsewhere := computed_elsewhere(base)):
        raise elsewhere
    if found is None:
        raise UnknownName(Message("metrics.no_metric_called", text=cut(text)), hint=nearest(cut(base), _known()))
    return found


def _find(base: str) -> Metric | None:
    folded = _folded(base)
    for kind in BUILT_IN:  # rankings first: the metrics of answers import what they know of languages
        found = _registered(folded)
        if found is not None:
            return found
        kind.load_metrics()
    return _registered(folded)


def _folded(name: str) -> str:
    return re.sub(r"[\- ]", "_", name.strip().casefold()).removeprefix(AVERAGE)


def _registered(folded: str) -> Metric | None:
    ours = {name.casefold().replace("-", "_"): found for name, found in REGISTRY.items()}
    return ours.get(folded) or REGISTRY.get(SPELLINGS.get(folded, ""))


def all_metrics() -> list[Metric]:
    """Return every metric, those of rankings first, in the order of their modules, whichever was imported first."""
    register_all()
    places = {module: place for place, module in enumerate(module for kind in BUILT_IN for module in kind.metrics)}

    def place(found: Metric) -> tuple[bool, int]:
        return found.kind != "retrieval", places.get(found.compute.__module__, len(places))

    return sorted(REGISTRY.values(), key=place)


def _parameters(inner: str, text: str) -> dict[str, Number]:
    parameters: dict[str, Number] = {}
    for part in filter(None, (part.strip() for part in inner.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        key = "k" if key == "cutoff" else key
        _say_once(key, parameters, text)
        parameters[key] = int(value) if re.fullmatch(r"-?\d+", value) else _decimal(value, part, text)
    return parameters


def _decimal(value: str, part: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigError(
            Message("metrics.invalid_parameter", text=text, part=part), hint=Message("metrics.parameter_hint")
        ) from None


def _say_once(key: str, parameters: dict[str, Number], text: str) -> None:
    if key in parameters:
        raise ConfigError(Message("metrics.parameter_twice", text=text, key=key))


def _cutoff(text: str) -> int:
    if not text.isdigit():
        raise ConfigError(Message("metrics.invalid_cutoff", text=text), hint=Message("metrics.ndcg_hint"))
    return int(text)


def _known() -> list[str]:
    return [*(found.name for found in all_metrics()), *SPELLINGS, *SETS]


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
        """Return the measure in our spelling, with each of its cuts."""
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
    """Return the names, with those of a set of trec_eval, as this version has it, in place of the name of the set."""
    known = [measure for measure in MEASURES if measure.since <= version]
    members = {
        name: [member for measure in known if name in ("all_trec", *measure.sets) for member in measure.names()]
        for name in SETS
    }
    return [member for name in names for member in members.get(name, [name])]


def place_of(measure: Measure) -> tuple[int, Number] | None:
    """Return the place of a measure in the output of trec_eval, which does not have every measure."""
    cut = dict(measure.parameters).get(measure.metric.at)
    place = _PLACE.get((measure.name, cut is not None))
    has_others = len(measure.parameters) > (cut is not None)
    return None if place is None or has_others else (place, cut or 0)


def trec_name(measure: Measure) -> str:
    """Return what trec_eval calls a measure; our name if it does not have it."""
    place = place_of(measure)
    if place is None:
        return str(measure)
    cut = dict(measure.parameters).get(measure.metric.at)
    shown = "" if cut is None else f"_{cut:.2f}" if isinstance(cut, float) else f"_{cut}"
    return MEASURES[place[0]].name + shown
