import pytest

from steelyard.errors import ConfigError, UnknownName
from steelyard.registry import names
from steelyard.registry.names import (
    all_metrics,
    column_called,
    other_meanings,
    parse_measure,
    parse_measures,
    split_names,
)

SPELLINGS = {
    "nDCG@10": ["nDCG@10", "ndcg@10", "NDCG@10", "ndcg_cut_10", "ndcg_cut.10", "nDCG(k=10)", "nDCG(cutoff=10)"],
    "P@5": ["P@5", "p@5", "P_5", "P.5", "precision@5", "Prec@5"],
    "P(rel=2)@5": ["P(rel=2)@5", "precision(rel=2)@5", "P(rel=2, k=5)", "precision@5-l2"],
    "R@100": ["R@100", "recall@100", "recall_100", "Recall@100"],
    "AP": ["AP", "map", "MAP", "average_precision", "average precision"],
    "AP@20": ["AP@20", "map@20", "map_cut_20"],
    "RR": ["RR", "mrr", "MRR", "recip_rank", "reciprocal-rank"],
    "RR@10": ["RR@10", "mrr@10", "MRR@10"],
    "AP(rel=2)": ["AP(rel=2)", "map-l2"],
    "EM": ["EM", "exact_match", "equals", "exact"],
    "Acc": ["Acc", "contains", "icontains", "includes", "string_present"],
    "ROUGE-L": ["ROUGE-L", "rouge-l", "rouge_score"],
    "ContextP": ["ContextP", "id_based_context_precision", "IDBasedContextPrecision"],
    "Rprec": ["Rprec", "r-precision", "R-Prec", "rprec"],
    "bpref": ["bpref", "Bpref", "BPref"],
    "Success@5": ["Success@5", "success_5", "hit_rate@5", "hits@5", "hit@5"],
    "RBP": ["RBP", "rbp"],
    "RBP(p=0.9)": ["RBP(p=0.9)"],
    "P(rel=1)@5": ["P(rel=1)@5"],
    "RBP(p=0.95)": ["RBP(p=0.95)", "rbp.95"],
    "SetF": ["SetF", "set_F"],
    "SetR": ["SetR", "set_recall"],
    "NumRelRet": ["NumRelRet", "num_rel_ret"],
    "ERR@20": ["ERR@20", "err@20"],
    "Judged@10": ["Judged@10", "judged@10"],
    "nDCGexp@10": [
        "nDCGexp@10",
        "ndcg_exp_10",
        "ndcg_burges@10",
        "nDCG(dcg='exp-log2')@10",
        "nDCG(dcg=exp-log2, k=10)",
    ],
    "nDCG@5": ["nDCG(dcg='log2')@5"],
    "IPrec@0.1": ["IPrec@0.1", "iprec_at_recall_0.10", "IPrec(recall=0.1)", "iprec@.1"],
    "IPrec@0.0": ["IPrec@0", "iprec_at_recall_0.00", "IPrec@0.0"],
    "IPrec(rel=2)@0.5": ["IPrec(rel=2)@0.5", "IPrec(rel=2,recall=0.5)"],
    "IAP": ["IAP", "11pt_avg"],
    "infAP": ["infAP", "infap"],
    "GMAP": ["GMAP", "gm_map"],
    "GMbpref": ["GMbpref", "gm_bpref"],
    "RprecMult@0.2": ["RprecMult@0.2", "Rprec_mult_0.20"],
    "RelP@30": ["RelP@30", "relative_P_30"],
    "SetRelP": ["set_relative_P"],
    "SetAP": ["set_map"],
    "Rndcg": ["Rndcg"],
    "nDCGrel": ["ndcg_rel"],
    "Utility": ["utility"],
    "G": ["G"],
    "binG": ["binG"],
    "NumNonrelRet": ["num_nonrel_judged_ret"],
    "RBPresid": ["rbp_resid"],
    "Unjudged@5": ["unj_5"],
}


@pytest.mark.parametrize(
    ("ours", "spelling"), [(ours, other) for ours, others in SPELLINGS.items() for other in others]
)
def test_everybody_s_spelling(ours, spelling):
    assert str(parse_measure(spelling)) == ours


def test_the_default_set_is_that_of_the_seed():
    cuts = (1, 5, 10, 20, 50, 100)
    expected = ["RR", "AP", *(f"{name}@{k}" for name in ("R", "nDCG", "P") for k in cuts)]
    assert [str(measure) for measure in parse_measures(None)] == expected


def test_cut_offs_apply_to_names_without_one():
    names = ["ndcg", "map", "mrr", "P@3", "recall"]
    found = [str(measure) for measure in parse_measures(names, [5, 10])]
    assert found == ["nDCG@5", "nDCG@10", "AP", "RR", "P@3", "R@5", "R@10"]
    assert [str(m) for m in parse_measures(["nDCG", "P"])] == ["nDCG", *(f"P@{k}" for k in (1, 5, 10, 20, 50, 100))]


def test_each_measure_comes_once():
    assert [str(m) for m in parse_measures(["map", "AP", "P@5", "P_5"])] == ["AP", "P@5"]


def test_names_are_split_at_commas_outside_brackets():
    assert split_names(["nDCG@10, AP", "RBP(p=0.8,rel=1)"]) == ["nDCG@10", "AP", "RBP(p=0.8,rel=1)"]
    assert split_names(["P.5,10,ndcg_cut_5,20"]) == ["P.5", "P.10", "ndcg_cut_5", "ndcg_cut_20"]
    levels = ["iprec_at_recall.0", "iprec_at_recall.0.1", "iprec_at_recall.0.25"]
    assert split_names(["iprec_at_recall.0,.1,.25"]) == levels
    assert [str(parse_measure(level)) for level in levels] == ["IPrec@0.0", "IPrec@0.1", "IPrec@0.25"]


def test_levels_of_recall_are_no_cut_offs():
    names = [str(measure) for measure in parse_measures(["iprec_at_recall", "P"], [3])]
    assert names == [*(f"IPrec@{level / 10}" for level in range(11)), "P@3"]


def test_the_sets_of_trec_eval():
    official = [str(measure) for measure in parse_measures(["official"])]
    assert official[:9] == ["NumRet", "NumRel", "NumRelRet", "AP", "GMAP", "Rprec", "bpref", "RR", "IPrec@0.0"]
    assert official[-1] == "P@1000"
    every = [str(measure) for measure in parse_measures("all_trec")]
    assert {*official, *map(str, parse_measures("set")), "nDCG", "nDCG@5", "AP@1000", "infAP", "IAP"} <= set(every)
    assert set(map(str, parse_measures("all_trec", trec_eval=10))) - set(every) == {
        *("RBP", "RBPresid", "Unjudged@5", "Unjudged@10", "Unjudged@20")
    }


def test_no_name_at_all_is_an_error():
    with pytest.raises(ConfigError, match=r"^no metric is given"):
        parse_measures([])


@pytest.mark.parametrize("name", ["F1", "f1@5"])
def test_a_metric_of_answers_is_none_of_rankings(name):
    with pytest.raises(
        ConfigError, match=f"^{name} is a metric of answers, not of retrieval\nhint: .*steelyard answers"
    ):
        parse_measures([name])


DCG = "hint: known: nDCG(dcg='log2'), nDCG(dcg='exp-log2')"
MISTAKES = {
    "ndgc@10": (UnknownName, "no metric is called 'ndgc@10'\nhint: did you mean 'nDCG'?"),
    "P": (ConfigError, "P needs k\nhint: for example P@10"),
    "P@0": (ConfigError, "a cutoff must be an integer of at least 1, not 0\nhint: for example nDCG@10"),
    "P@-1": (ConfigError, "a cutoff must be an integer of at least 1, not -1\nhint: for example nDCG@10"),
    "P@5.5": (ConfigError, "a cutoff must be an integer of at least 1, not 5.5\nhint: for example nDCG@10"),
    "P(k=5)@10": (ConfigError, "P(k=5)@10: k is given twice"),
    "P(rel=2,rel=3)@5": (ConfigError, "P(rel=2,rel=3)@5: rel is given twice"),
    "P(rel=2)@5-l3": (ConfigError, "P(rel=2)@5-l3: rel is given twice"),
    "dcg_burges@10": (
        UnknownName,
        "dcg_burges is not computed here\nhint: nearest: nDCG (the gain is the grade itself, as in trec_eval), ERR",
    ),
    "relstring": (UnknownName, "relstring is not computed here\nhint: nearest: AP, bpref, Rprec"),
    "IPrec": (ConfigError, "IPrec needs recall\nhint: for example IPrec@0.1"),
    "IPrec@-.": (ConfigError, "IPrec@-.: 'IPrec@-.' is not of the form parameter=number\nhint: for example P(rel=2)@5"),
    "nDCG(dcg='x')@5": (ConfigError, f"nDCG(dcg='x')@5: 'dcg=x' is no gain\n{DCG}"),
    "P(dcg='log2')@5": (ConfigError, f"P(dcg='log2')@5: 'dcg=log2' is no gain\n{DCG}"),
    "P(k=0)": (ConfigError, "a cutoff must be an integer of at least 1, not 0\nhint: for example nDCG@10"),
    "P(k=2.5)": (ConfigError, "P: k must be an integer, not 2.5"),
    "SetF(beta=1e400)": (ConfigError, "SetF: beta must be finite, not inf"),
    "SetF(beta=-1)": (ConfigError, "SetF: beta must not be negative, it is -1"),
    "P(rel=nan)@5": (ConfigError, "P: rel must be an integer, not nan"),
    "AP(p=2)": (ConfigError, "AP has no parameter 'p'\nhint: parameters of AP: k, rel"),
    "NumRet@5": (ConfigError, "NumRet has no parameter 'k'\nhint: NumRet takes no parameters"),
    "P(rel=x)@5": (
        ConfigError,
        "P(rel=x)@5: 'rel=x' is not of the form parameter=number\nhint: for example P(rel=2)@5",
    ),
    "P(2)@5": (ConfigError, "P(2)@5: '2' is not of the form parameter=number\nhint: for example P(rel=2)@5"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    kind, message = MISTAKES[name]
    with pytest.raises(kind) as caught:
        parse_measure(name)
    assert str(caught.value) == message


def test_a_name_like_nothing_lists_what_there_is():
    with pytest.raises(UnknownName) as caught:
        parse_measure("zzz!!")
    assert str(caught.value).startswith("no metric is called 'zzz!!'\nhint: known: P, R, AP, RR, nDCG, ")
    assert len(str(caught.value)) < 120
    assert str(caught.value).endswith(" in all)")


def test_a_name_in_a_list_may_have_several_cut_offs():
    assert [str(each) for each in parse_measures(["ndcg_cut.5,10", "map"])] == ["nDCG@5", "nDCG@10", "AP"]
    assert [str(each) for each in parse_measures({"P.5,10"})] == ["P@5", "P@10"]


@pytest.mark.parametrize(("name", "first"), [("ndcg_cut", "nDCG@1"), ("map_cut", "AP@1")])
def test_a_cut_measure_without_a_number_is_cut(name, first):
    assert str(parse_measures([name])[0]) == first
    assert len(parse_measures(name, [5, 10])) == 2


def test_an_average_is_the_metric_itself():
    assert str(parse_measure("avg_f1")) == "F1"
    assert column_called("avg_f1", ["EM", "F1"]) == "F1"
    assert column_called("avg_rouge-l", ["rouge-l"]) == "rouge-l"
    assert column_called("avg_f1", ["avg_f1", "f1"]) == "avg_f1"
    assert column_called("avg_time", ["EM"]) == "avg_time"


def test_names_that_mean_something_else_in_another_tool_are_told():
    told = other_meanings(["hits@10,hit_rate@10", "RBP(p=0.8)", "rbp.80", "Hits"])
    assert [(message.code, message.args["name"]) for message in told] == [
        ("metrics.hits_of_ranx", "hits@10"),
        ("metrics.rbp_of_ranx", "rbp.80"),
        ("metrics.hits_of_ranx", "Hits"),
    ]
    assert other_meanings(None) == []


def test_no_name_of_ours_has_the_mark_of_a_cutoff():
    registered = [metric.name for metric in all_metrics()]
    assert not [name for name in (*registered, *names.SPELLINGS) if "@" in name]


@pytest.mark.parametrize(
    ("name", "columns", "found"),
    [
        ("score", ["legal"], "legal"),
        ("score.recall", ["legal"], "legal.recall"),
        ("score", ["legal", "score"], "score"),
        ("score", ["F1"], "score"),
        ("scores", ["legal"], "scores"),
        ("legal", ["legal"], "legal"),
    ],
)
def test_the_score_of_a_benchmark_is_called_score_too(name, columns, found):
    assert column_called(name, columns) == found
