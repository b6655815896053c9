"""Laws that every metric of the registry obeys, of rankings and of answers; a new metric is held to them at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from reference import ranking

import steelyard
from steelyard.answers.metrics import DEFAULT_ANSWERS
from steelyard.registry.kinds import COSTS, register_all
from steelyard.registry.metrics import REGISTRY, USUAL_NEEDS, Measure, Metric
from steelyard.registry.names import parse_measure
from steelyard.table import Table

RULINGS = ("steelyard.contexts.judge", "steelyard.contexts.cail2025")


def measures_of(kind: str) -> list[str]:
    """Every metric of a kind, with a cut-off of 5 where it needs one; again with 3 where it may have one.

    Those of subtopics are left out: they need other judgments. Metrics of answers that need more than references are a
    kind of their own here, contexts, and so are those about law, of tasks, and of JuDGE and CAIL.
    """
    usual = frozenset(USUAL_NEEDS)
    kinds: dict[str, str] = {name: metric.kind for name, metric in REGISTRY.items()}
    kinds |= {name: "contexts" for name, kind in kinds.items() if kind == "answers" and REGISTRY[name].needs != usual}
    kinds |= {name: "tasks" for name in kinds if "task" in REGISTRY[name].needs}
    kinds |= dict.fromkeys(COSTS, "costs")
    kinds |= dict.fromkeys((name for name in REGISTRY if is_about_law(REGISTRY[name])), "law")
    kinds |= {name: "rulings" for name in kinds if REGISTRY[name].compute.__module__ in RULINGS}
    names = [name for name in REGISTRY if kinds[name] == kind and not REGISTRY[name].subtopics]
    plain = [str(Measure.of(REGISTRY[name], _required(REGISTRY[name]))) for name in names]
    return list(dict.fromkeys(plain + [f"{n}@3" for n in names if "k" in REGISTRY[n].parameters]))


def is_about_law(metric: Metric) -> bool:
    """Whether a metric reads values of law, without which a reference or an answer is unscored."""
    return metric.compute.__module__ == "steelyard.contexts.law_metrics"


def _required(metric: Metric) -> dict[str, float]:
    return {metric.at: metric.levels[-1] if metric.levels else 5} if metric.at in metric.required else {}


register_all()
MEASURES = {
    kind: measures_of(kind) for kind in ("retrieval", "answers", "contexts", "law", "tasks", "rulings", "costs")
}
RANKING = MEASURES["retrieval"]
assert set(DEFAULT_ANSWERS) < set(MEASURES["answers"])

# a perfect ranking, of the relevant documents alone and best first, scores 1 in all but these: P@5 and Judged@k count
# places, RBP, ERR and infAP stay below 1 by their definition, Num… and Utility are counts, RprecMult is at 2R here
NOT_ONE_WHEN_PERFECT = {
    *("P", "RBP", "ERR", "SDCG", "INST", "infAP", "NumRet", "NumRel", "NumRelRet", "Utility", "RprecMult"),
}
LESS_IS_BETTER = {"RBPresid", "Unjudged", "NumNonrelRet"}
NOT_ZERO_WHEN_SILENT = {"NumRel", "Ungrounded", "GMAP", "GMbpref", *COSTS}

documents = st.sampled_from([f"d{n}" for n in range(12)] + ["文书", "Ω", "d"])
judgments = st.dictionaries(documents, st.integers(-1, 4), min_size=1)
ranked = st.dictionaries(documents, st.one_of(st.integers(0, 3), st.floats(-5, 5)).map(float), min_size=1)
phrases = st.sampled_from(
    [
        "北京市朝阳区人民法院",
        "四万二千元",
        "こんにちは世界",
        "서울특별시",
        "القاهرة",
        "Москва река",
        "the quick fox",
        "12.5%",
        "B",
    ]
)
texts = st.lists(phrases, min_size=1, max_size=4).map(" ".join)
spent = st.floats(0, 1e6)
anything = st.one_of(texts, st.text(max_size=20))
groups = st.lists(st.lists(anything, min_size=1, max_size=3), min_size=1, max_size=2)
FACTS = [
    "2020年6月5日邬远舟支付现金30000元。",
    "8月1日又从银行转账12000元。",
    "On 4 March 2019 Acme paid $1,250 to Mary Stone.",
    "The contract is kept in the office.",
    "合同约定利率为12.5%。",
    "他说“门当时是开着的”。",
]
statements = st.lists(
    st.sampled_from([*FACTS, "It is 99,999 yuan.", "材料没有记载。", "见[1]。", "[2,3]", "【9】", "“", "\n", "2021年"]),
    max_size=5,
)
# of the tasks of LawBench those in which every metric of tasks has a number
tasks = st.sampled_from([{"task": "2-3", "references": "准予离婚、法定离婚"}, {"task": "2-2", "references": "违约"}])
passages = st.lists(
    st.builds(
        lambda text, start, named: {"text": text, "document": "d", "span": [start, start + len(text)]} | named,
        st.sampled_from(FACTS),
        st.integers(0, 40),
        st.sampled_from([{}, {"id": "x"}, {"id": "2"}]),
    ),
    max_size=4,
)


CORPUS = Path(__file__).with_name("statutes.jsonl")
JUDGED = [
    "被告人犯盗窃罪，依照刑法第二百六十四条，判处有期徒刑三年，并处罚金五千元。",
    "犯诈骗罪、抢劫罪，依照《刑法》第266条、第263条，决定执行有期徒刑十二年六个月，并处罚金人民币2万元。",
    "Convicted of theft under Article 264 of the Criminal Law, sentenced to 8 months in prison, fined RMB 3,000.",
    "帮信罪，刑法第287条之二第一款，拘役五个月，罚金4000元。",
]
judged = st.sampled_from(JUDGED)
said = st.one_of(
    judged,
    anything,
    st.sampled_from(["不构成盗窃罪。", "刑法第999条", "无期徒刑", "判处死刑", "罚金100万美元", "三年以下有期徒刑"]),
)


def evaluate_rankings(items: Mapping[str, Any], names: list[str] = RANKING, **keywords: Any) -> Table:
    qrels = {query: grades for query, (grades, _) in items.items()}
    run = {query: scores for query, (_, scores) in items.items() if scores is not None}
    return steelyard.evaluate_retrieval(qrels, run, names, **keywords)


def evaluate_texts(items: Mapping[str, Any], names: list[str] = MEASURES["answers"], **keywords: Any) -> Table:
    predictions = [prediction for _, prediction in items.values()]
    references = [references for references, _ in items.values()]
    return steelyard.evaluate_answers(predictions, references, names, ids=list(items), **keywords)


def evaluate_rows(items: Mapping[str, Any], names: list[str] = MEASURES["contexts"], **keywords: Any) -> Table:
    rows = [
        {"id": name, **wanted, **({"prediction": None, "contexts": []} if output is None else output)}
        for name, (wanted, output) in items.items()
    ]
    return steelyard.evaluate_answers(rows, None, names, **keywords)


def evaluate_tasks(items: Mapping[str, Any], names: list[str] = MEASURES["tasks"], **keywords: Any) -> Table:
    rows = [{"id": name, **wanted, "prediction": output} for name, (wanted, output) in items.items()]
    return steelyard.evaluate_answers(rows, None, names, profile="lawbench", **keywords)


def reordered_evidence(item: Any, shuffle: Callable[[list[Any]], None]) -> Any:
    """The same row with its reference contexts in another order."""
    contexts = list(item[0]["reference_contexts"])
    shuffle(contexts)
    return {**item[0], "reference_contexts": contexts}, item[1]


def reordered_ranking(item: Any, shuffle: Callable[[list[Any]], None]) -> Any:
    """The same judgments and scores, read in another order."""
    sides = [list(side.items()) for side in item]
    for side in sides:
        shuffle(side)
    return tuple(dict(side) for side in sides)


def reordered_references(item: Any, shuffle: Callable[[list[Any]], None]) -> Any:
    """The same answer with its groups of references, and the aliases in each, in another order."""
    references = [list(group) for group in item[0]]
    shuffle(references)
    for group in references:
        shuffle(group)
    return references, item[1]


@dataclass(frozen=True)
class Subject:
    """One kind of metric under one setting: what it evaluates, and how. An item is what is wanted, and an output."""

    kind: str
    wanted: st.SearchStrategy[Any]
    output: st.SearchStrategy[Any]
    reordered: Callable[..., Any]
    evaluate: Callable[..., Table]
    keywords: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return MEASURES[self.kind]

    def items(self) -> st.SearchStrategy[dict[str, Any]]:
        return st.dictionaries(
            st.sampled_from(["q1", "q2", "q10", "问"]), st.tuples(self.wanted, self.output), min_size=1
        )

    def table(self, items: Mapping[str, Any], **keywords: Any) -> Table:
        return self.evaluate(items, **self.keywords, **keywords)


def answering(**keywords: str) -> Subject:
    return Subject("answers", groups, anything, reordered_references, evaluate_texts, keywords)


SUBJECTS = {
    "rankings": Subject("retrieval", judgments, ranked, reordered_ranking, evaluate_rankings),
    "answers": answering(),
    "answers by characters": answering(tokens="chars"),
    "answers as ultrarag": answering(profile="ultrarag"),
    "answers as ultrarag since 2026-09": answering(profile="ultrarag-2026-09"),
    "answers as rouge_chinese": answering(profile="rouge-chinese"),
    "contexts": Subject(
        "contexts",
        st.fixed_dictionaries(
            {
                "question": st.sampled_from(["", "邬远舟支付了多少?", "What did Acme pay?"]),
                "references": st.lists(st.sampled_from(FACTS), min_size=1, max_size=2),
                "reference_contexts": passages.filter(len),
                "answerable": st.sampled_from([True, False, "unknown"]),
            }
        ),
        st.fixed_dictionaries({"prediction": statements.map(" ".join), "contexts": passages}),
        reordered_evidence,
        evaluate_rows,
    ),
    "costs": Subject(
        "costs",
        st.just({"question": "What did Acme pay?"}),
        st.fixed_dictionaries({"prediction": anything, "seconds": spent, "tokens": st.integers(0), "cost": spent}),
        lambda item, _: item,
        evaluate_rows,
        {"names": MEASURES["costs"]},
    ),
    "tasks as lawbench": Subject("tasks", tasks, statements.map(" ".join), lambda item, _: item, evaluate_tasks),
}
RULED = [
    *(f"本院认为，依照《刑法》第{n}条，判决如下：被告人犯{charge}罪，判处{term}。" for n, charge, term in (
        ("十", "盗窃", "有期徒刑一年，并处罚金三千元"), ("二十", "诈骗", "罚金二万元"), ("三十", "贪污", "死刑"),
    )),
    *(f'{{"numerical_answer": [{n}], "article_answer": ["民法典第{n}条"]}}' for n in (1, 2)),
]  # fmt: skip
SUBJECTS["rulings"] = Subject(
    "rulings",
    st.lists(st.lists(st.sampled_from(RULED), min_size=1, max_size=3), min_size=1, max_size=2),
    st.one_of(st.sampled_from(RULED), anything),
    reordered_references,
    evaluate_texts,
    {"names": MEASURES["rulings"]},
)
SUBJECTS["law"] = Subject(
    "law",
    st.lists(st.lists(judged, min_size=1, max_size=2), min_size=1, max_size=2),
    said,
    reordered_references,
    evaluate_texts,
    {"names": MEASURES["law"], "statutes": CORPUS},
)
every_subject = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)


def assert_equal_rows(first: Table, second: Table, *, rounding: float = 0.0) -> None:
    """Rows of the second are those of the first, by id."""
    places = [first.ids.index(name) for name in second.ids]
    for name in first.metrics:
        np.testing.assert_allclose(first.column(name)[places], second.column(name), 0, rounding, err_msg=name)


@pytest.mark.parametrize("name", [name for names in MEASURES.values() for name in names])
def test_a_name_reads_back_and_says_what_it_is(name):
    assert str(parse_measure(name)) == name
    text = parse_measure(name).metric.explanation
    assert text.splitlines()[0].endswith(".")
    assert "\nFormula: " in text
    assert "\nSource: " in text


@pytest.mark.slow
@every_subject
@given(data=st.data())
@examples(30)
def test_one_item_scores_in_its_range_alone_among_others_and_in_any_order(subject, data):
    items = data.draw(subject.items())
    together = subject.table(items)
    for name in subject.names:
        low, high = parse_measure(name).metric.bounds
        assert ((together.scored(name) >= low) & (together.scored(name) <= high + 1e-12)).all(), name
        assert all(together.why(name, row) for row in np.flatnonzero(np.isnan(together.column(name)))), name
    for number, item in items.items():
        assert_equal_rows(together, subject.table({number: item}), rounding=1e-12)
    source = data.draw(st.randoms(use_true_random=False))
    order = list(items)
    source.shuffle(order)
    # among the scores and the references there are equal ones: a tie is decided by what it is, not where it stands
    assert_equal_rows(together, subject.table({n: subject.reordered(items[n], source.shuffle) for n in order}))


@given(judgments.filter(lambda grades: max(grades.values()) > 0))
@examples(60)
def test_a_perfect_ranking_scores_one(grades):
    perfect = {document: float(grade) for document, grade in grades.items() if grade > 0}
    measures = [m for m in map(parse_measure, RANKING) if m.name not in NOT_ONE_WHEN_PERFECT | LESS_IS_BETTER]
    # recall is below 1 where there are fewer places than relevant documents
    names = [str(m) for m in measures if m.name not in ("R", "AP") or (m.settings()["k"] or 99) >= len(perfect)]
    table = evaluate_rankings({"q": (grades, perfect)}, names)
    assert {name: table.mean(name) for name in names} == {name: pytest.approx(1.0) for name in names}


@pytest.mark.parametrize("unit", ["words", "chars"])
@given(text=texts)
@examples(60)
def test_a_perfect_answer_scores_one_in_any_script_and_another_nought(unit, text):
    items = {"text": ([[text]], text), "option": ([["B"]], "B"), "other": ([["北京大学"]], "沪")}
    table = evaluate_texts(items, tokens=unit)
    for name in table.metrics:
        wanted = [1.0, 1.0, 0.0] if name != "Choice" or "B" in text else [0.0, 1.0, 0.0]
        assert table.column(name).tolist() == pytest.approx(wanted), name


@given(judged, st.sampled_from(["", "我不知道。", "盗窃他人财物是违法的。"]))
@examples(20)
def test_a_perfect_judgment_scores_one_and_one_without_values_nought(text, other):
    items = {"right": ([[text]], text), "wrong": ([[text]], other)}
    table = evaluate_texts(items, MEASURES["law"], statutes=CORPUS)
    for name in table.metrics:
        values = table.column(name).tolist()
        assert values[0] == pytest.approx(1.0), name
        assert values[1] == 0 or name == "StatuteKnown", name


@every_subject
@given(data=st.data())
@examples(20)
def test_silence_scores_nought(subject, data):
    other = data.draw(st.tuples(subject.wanted, subject.output))
    table = subject.table({"silent": (data.draw(subject.wanted), None), "other": other})
    for name in subject.names:
        if parse_measure(name).name not in NOT_ZERO_WHEN_SILENT:
            assert table.column(name)[table.ids.index("silent")] == 0, name


@given(st.lists(st.sampled_from(FACTS), min_size=1, max_size=3, unique=True))
@examples(30)
def test_an_answer_of_cited_contexts_that_are_wanted_scores_one(facts):
    contexts = [{"text": fact, "document": str(n), "span": [0, len(fact)]} for n, fact in enumerate(facts)]
    answer = " ".join(f"{fact}[{n}]" for n, fact in enumerate(facts, 1))
    wanted = {"references": [" ".join(facts)], "reference_contexts": contexts}
    table = evaluate_rows({"q": (wanted, {"prediction": answer, "contexts": contexts})})
    for name in table.metrics:
        if table.why(name, 0) is None:
            assert table.mean(name) == pytest.approx(0.0 if name in ("Ungrounded", "Refusal") else 1.0), name
    # a sentence without values needs no citation
    without = [name for name in table.metrics if table.why(name, 0)]
    assert set(without) <= ({"GroundedValues", "CitationP", "CitationR"} if facts == [FACTS[3]] else set())


@pytest.mark.slow
@given(judgments, ranked)
@examples(60)
def test_no_ranking_beats_the_ideal_one(grades, scores):
    ideal = {document: float(grade) for document, grade in grades.items() if grade > 0}
    if ideal:
        # SetP and its like reward leaving out, so all rankings here have the same documents
        rest = {document: -1.0 for document in scores if document not in ideal}
        best = evaluate_rankings({"q": (grades, {**ideal, **rest})})
        other = evaluate_rankings({"q": (grades, {**dict.fromkeys({**ideal, **rest}, 0.0), **scores})})
        for name in RANKING:
            if parse_measure(name).name not in LESS_IS_BETTER | {"Judged"}:
                assert other.mean(name) <= best.mean(name) + 1e-12, name


@pytest.mark.slow
@given(SUBJECTS["rankings"].items())
@examples(60)
def test_metrics_without_a_peer_here_equal_their_plain_definition(items):
    names = ["RBP", "RBP(p=0.5)", "RBP(p=0.8,rel=2)", "ERR@3", "Judged@2", "RR@2", "nDCG@3", "nDCGexp@3"]
    table = evaluate_rankings(items, names, trec_eval=10)
    for row, query in enumerate(table.ids):
        grades, scores = items[query]
        expected = [
            ranking.rbp(grades, scores, p=0.9),
            ranking.rbp(grades, scores, p=0.5),
            ranking.rbp(grades, scores, p=0.8, rel=2),
            ranking.err(grades, scores, k=3),
            ranking.judged(grades, scores, k=2),
            ranking.reciprocal_rank(grades, scores, k=2),
            ranking.ndcg(grades, scores, k=3),
            ranking.ndcg({document: 2 ** max(grade, 0) - 1 for document, grade in grades.items()}, scores, k=3),
        ]
        assert [table.column(name)[row] for name in names] == pytest.approx(expected, abs=1e-12)
