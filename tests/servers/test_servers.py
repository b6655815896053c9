"""The servers that pipelines call: upstream's numbers where they are right, an error where upstream was silent."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from steelyard import ConfigError, InputError, UnknownName
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.server import callbacks

ROOT = Path(__file__).parents[2]
EIGHT = ("acc", "em", "stringem", "coverem", "f1", "rouge-1", "rouge-2", "rouge-l")

# gt, pred → the eight, as UltraRAG gives them (ULTRARAG.md 14)
VECTORS = [
    (["True"], "yes", (1, 1, 1, 1, 1, 1, 0, 1)),
    (["no"], "False", (1, 1, 1, 1, 1, 1, 0, 1)),
    (["3.14"], "3 14", (1, 1, 1, 1, 1, 1, 1, 1)),
    (["54 Mbit/s"], "54 Mbit s", (1, 1, 1, 1, 1, 1, 1, 1)),
    (["new york new york"], "new york", (0, 0, 0, 1, 2 / 3, 2 / 3, 0.5, 2 / 3)),
    (["a b c"], "c b a", (0, 0, 0, 1, 1, 1, 0, 0.5)),
    (["an apple"], "apple", (1, 1, 1, 1, 1, 1, 0, 1)),
    (["14 December 1972 UTC", "December 1972"], "December 14, 1973", (0, 0, 0, 0, 4 / 7, 4 / 7, 0, 0.4)),
    (["14 December 1972 UTC", "December 1972"], "December 1972", (1, 1, 0.5, 1, 1, 1, 1, 1)),
    (["Москва"], "Город Москва", (1, 0, 0, 1, 2 / 3, 0, 0, 0)),
]

# trec_eval's qrels.test and results.test: k → ndcg@k, P@k, recall@k, from UltraRAG with pytrec_eval (ULTRARAG.md 7.7)
FIGURES = {
    1: (0.3333333333333333, 0.3333333333333333, 0.004329004329004329),
    5: (0.27680663245439735, 0.26666666666666666, 0.017316017316017316),
    10: (0.30157719921022785, 0.3, 0.031709500063930446),
    20: (0.3525429958239022, 0.3666666666666667, 0.10611357699965296),
    50: (0.37990106585570044, 0.34, 0.32229163241821474),
    100: (0.3916203070644819, 0.24666666666666667, 0.49799258406853336),
}


def server(name):
    path = ROOT / "servers" / name / "src" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"server_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


evaluation, benchmark, custom, router, sayhello = map(
    server, ("evaluation", "benchmark", "custom", "router", "sayhello")
)


@pytest.fixture
def save_path(tmp_path):
    return str(tmp_path / "output" / "results.json")


def evaluate(predictions, references, save_path, metrics=None, profile="ultrarag"):
    found = evaluation.evaluate(predictions, references, metrics, save_path, profile)["eval_res"]
    return numbers(found)


def numbers(result):
    """A result without what belongs to it: intervals, counts, settings."""
    return {name: value for name, value in result.items() if name not in ("ci95", "counts", "profile", "signature")}


def parameters(name):
    return read_yaml(ROOT / "servers" / name / "parameter.yaml").plain()


@pytest.mark.parametrize(("references", "prediction", "expected"), VECTORS)
def test_answers_score_as_upstream_has_them(references, prediction, expected, save_path):
    result = evaluate([prediction], [references], save_path)
    assert [result[name][0] for name in EIGHT] == pytest.approx(expected, abs=1e-12)
    assert list(result) == [*EIGHT, *(f"avg_{name}" for name in EIGHT)]


def test_the_seed_example_and_a_chinese_row(save_path):
    predictions = [
        "December 14, 1973",
        "The documents do not provide information about the author of the lyrics to"
        " \"He Ain't Heavy, He's My Brother.\"",
        "中国的首都是北京。",
    ]
    references = [["14 December 1972 UTC", "December 1972"], ["Bobby Scott", "Bob Russell"], ["北京", "北京市"]]
    result = evaluate(predictions, references, save_path)
    assert result["acc"] == [0, 0, 1]
    assert result["f1"] == result["rouge-1"] == [0.5714285714285715, 0, 0]
    assert result["em"] == result["coverem"] == result["stringem"] == result["rouge-2"] == [0, 0, 0]
    assert result["rouge-l"] == pytest.approx([0.4, 0, 0], abs=1e-15)
    averages = [f"{result[f'avg_{name}']:.4f}" for name in ("acc", "f1", "rouge-1", "rouge-l")]
    assert averages == ["0.3333", "0.1905", "0.1905", "0.1333"]


def test_without_a_profile_the_numbers_are_upstreams_and_what_they_misjudge_is_said(save_path):
    assert parameters("evaluation")["profile"] == "ultrarag"
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        answers, golds = ["北京。", "Paris", "B", "?"], [["北京"], ["Paris"], ["A"], ["!"]]
        found = evaluation.evaluate(answers, golds, ["em"], save_path)["eval_res"]
        evaluation.evaluate(answers, golds, ["em"], None, "ultrarag-2026-09")
    assert (found["em"], found["profile"]) == ([0.0, 1.0, 0.0, 1.0], "ultrarag")
    said = [notice.partition(" questions have references that are not English, or ") for notice in notices]
    assert [(count, profile.partition(":")[0]) for count, _, profile in said if profile] == [
        ("3 of 4", "have no words for profile ultrarag"),
        ("2 of 4", "have no words for profile ultrarag-2026-09"),
    ]


def test_chinese_scores_in_the_profile_steelyard(save_path):
    result = evaluate(["北京。"], [["北京"]], save_path, parameters("evaluation")["metrics"], "steelyard")
    assert {name: result[f"avg_{name}"] for name in EIGHT} == dict.fromkeys(EIGHT, 1.0)


def test_an_item_without_a_reference_is_not_scored(save_path):
    result = evaluate(["Paris", "Rome"], [["Paris"], []], save_path, ["em"])
    assert result == {"em": [1.0, None], "avg_em": 1.0}


def test_e7_unequal_lengths_are_refused(save_path):
    with pytest.raises(InputError, match=r"^1 answer in pred_ls, 3 references in gt_ls$"):
        evaluate(["a"], [["a"], ["b"], ["c"]], save_path)
    assert not Path(save_path).parent.exists()


def test_texts_where_lists_belong_are_refused(save_path):
    with pytest.raises(InputError, match=r"^pred_ls and gt_ls must be lists, one entry per question$"):
        evaluate("answers.jsonl", [["a"]], save_path)


def test_e9_an_unknown_metric_is_refused(save_path):
    with pytest.raises(UnknownName, match=r"^no metric is called 'blue'"):
        evaluate(["a b"], [["a b"]], save_path, ["em", "blue"])


def test_e10_a_metric_in_two_cases_is_scored_once(save_path):
    assert evaluate(["x"], [["x"]], save_path, ["em", "EM"]) == {"em": [1.0], "avg_em": 1.0}


def test_e13_every_save_leaves_its_file(save_path, monkeypatch):
    class Clock(evaluation.datetime):  # type: ignore[name-defined]
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5)

    monkeypatch.setattr(evaluation, "datetime", Clock)
    for prediction in ("北京", "x", "y"):
        evaluate([prediction], [["北京"]], save_path, ["em"])
    names = ["results_20260102_030405.json", "results_20260102_030405-2.json", "results_20260102_030405-3.json"]
    assert {path.name for path in Path(save_path).parent.iterdir()} == {*names, *(f"{name}l" for name in names)}
    first = Path(save_path).with_name(names[0]).read_text(encoding="utf-8")
    assert first.startswith('{\n    "em": [\n        1.0\n    ],\n    "avg_em": 1.0,\n')


def test_a_place_that_cannot_be_written_is_named(write):
    blocked = str(write("file", "") / "results.json")
    with pytest.raises(ConfigError, match="cannot be written: "):
        evaluate(["x"], [["x"]], blocked)


def test_the_figures_of_trec_eval(real, save_path):
    suite = real / "trec_eval_suite"
    result = evaluation.evaluate_trec(
        str(suite / "results.test"), str(suite / "qrels.test"), None, list(FIGURES), save_path
    )["eval_res"]
    expected = {"map": 0.17854506039656948, "mrr": 0.4064327485380117}
    for k, figures in FIGURES.items():
        expected |= dict(zip((f"ndcg@{k}", f"P@{k}", f"recall@{k}"), figures, strict=True))
    counts = result["counts"]
    assert numbers(result) == pytest.approx(expected, abs=1e-9)
    assert list(numbers(result)) == list(expected)
    assert counts["judged queries"] == 3
    assert counts["judged queries missing from the run"] == 0


@pytest.mark.parametrize(
    ("grades", "ranking", "expected"),
    [
        ("1 A 1, 1 B 3, 1 C 2", "1 A 3, 1 B 2, 1 C 1", {"ndcg@3": 0.8174935137996165}),
        ("1 A 1, 1 B -2", "1 B 2, 1 A 1", {"ndcg@2": 0.6309297535714575, "map": 0.5}),
        ("1 B 1", "1 A 1, 1 B 1", {"mrr": 1.0}),
        ("1 A 1, 2 C 1, 2 D 1", "1 A 1, 2 D 2, 2 C 1", {"P@5": 0.3, "recall@1": 0.75}),
    ],
)
def test_rankings_score_as_upstream_has_them(grades, ranking, expected, write, save_path):
    judged = [line.split() for line in grades.split(", ")]
    ranked = [line.split() for line in ranking.split(", ")]
    qrels = write("qrels.txt", "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in judged))
    run = write("run.txt", "".join(f"{query} Q0 {document} 1 {score} x\n" for query, document, score in ranked))
    result = evaluation.evaluate_trec(str(run), str(qrels), None, [1, 2, 3, 5], save_path)["eval_res"]
    assert {key: result[key] for key in expected} == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def halves(write):
    """Judgments of two queries, and a run that answers only the first."""
    qrels = write("qrels.txt", "1 0 A 1\n2 0 B 1\n")
    return {"run_path": str(write("run.txt", "1 Q0 A 1 2.0 x\n")), "qrels_path": str(qrels)}


def test_i1_a_query_that_the_run_lacks_counts_zero_and_is_counted(halves, save_path):
    result = evaluation.evaluate_trec(**halves, metrics=["map"], ks=[1], save_path=save_path)["eval_res"]
    assert result["map"] == 0.5
    assert result["counts"]["judged queries missing from the run"] == 1
    (saved,) = Path(save_path).parent.glob("*.json")
    assert numbers(json.loads(saved.read_text(encoding="utf-8"))) == numbers(result)


def test_i5_only_what_was_asked_for(halves, save_path):
    result = evaluation.evaluate_trec(**halves, metrics=["NDCG"], ks=[1, 5], save_path=save_path)["eval_res"]
    assert list(numbers(result)) == ["ndcg@1", "ndcg@5"]
    everything = evaluation.evaluate_trec(**halves, metrics=[], ks=[1], save_path=save_path)["eval_res"]
    assert list(numbers(everything)) == ["map", "mrr", "ndcg@1", "P@1", "recall@1"]


@pytest.mark.parametrize(
    ("ks", "message"),
    [
        ([0], "a cutoff in ks must be an integer of at least 1, not 0"),
        ([5, -1], "a cutoff in ks must be an integer of at least 1, not -1"),
        ([True], "a cutoff in ks must be an integer of at least 1, not True"),
        ([], "ks must be a list of cutoffs, not []"),
    ],
)
def test_i8_bad_cutoffs_are_refused(halves, ks, message, save_path):
    with pytest.raises(ConfigError) as caught:
        evaluation.evaluate_trec(**halves, metrics=["map"], ks=ks, save_path=save_path)
    assert str(caught.value.message) == message


def test_i11_an_unknown_ranking_metric_is_refused(halves, save_path):
    with pytest.raises(UnknownName, match=r"^no metric is called 'hit'\nhint: known: map, mrr, ndcg"):
        evaluation.evaluate_trec(**halves, metrics=["hit"], ks=[1], save_path=save_path)


def pvalue(save_path, *, new="run_a.txt", old="run_b.txt", metrics=None, ks=None, n_resamples=1000):
    new_path, old_path, qrels = (str(ROOT / "data" / name) for name in (new, old, "qrels.txt"))
    found = evaluation.evaluate_trec_pvalue(new_path, old_path, qrels, metrics, ks, n_resamples, save_path)
    return found["eval_res"]


def test_p1_the_p_value_is_the_same_every_time_and_never_zero(save_path):
    first, second = (pvalue(save_path, metrics=["mrr", "recall"], ks=[5, 10]) for _ in range(2))
    assert first == second
    assert list(first) == ["mrr", "recall@5", "recall@10"]
    for verdict in first.values():
        assert list(verdict)[:5] == ["A_mean", "B_mean", "diff", "p_value", "significant"]
        assert verdict["p_adjusted"] >= verdict["p_value"]
        assert verdict["ci95"][0] <= verdict["diff"] <= verdict["ci95"][1]
        assert verdict["diff"] == pytest.approx(verdict["A_mean"] - verdict["B_mean"])
        assert 0 < verdict["p_value"] <= 1
        assert verdict["significant"] is (verdict["p_value"] < 0.05)


def test_p4_means_agree_with_evaluate_trec(save_path):
    run, qrels = (str(ROOT / "data" / name) for name in ("run_c.txt", "qrels.txt"))
    alone = evaluation.evaluate_trec(run, qrels, ["map"], None, save_path)["eval_res"]
    assert pvalue(save_path, new="run_c.txt", metrics=["map"])["map"]["A_mean"] == alone["map"]


def test_p5_no_metrics_are_all_and_their_case_does_not_matter(save_path):
    assert list(pvalue(save_path, ks=[10])) == ["map", "mrr", "ndcg@10", "P@10", "recall@10"]
    assert list(pvalue(save_path, metrics=["MAP"], n_resamples=None)) == ["map"]
    with pytest.raises(UnknownName, match="no metric is called 'mpa'"):
        pvalue(save_path, metrics=["mpa"])


@pytest.mark.parametrize("resamples", [0, -5, 2.5, True])
def test_p5_resamples_below_one_are_refused(resamples, save_path):
    with pytest.raises(ConfigError, match=rf"^n_resamples must be an integer of at least 1, not {resamples}$"):
        pvalue(save_path, n_resamples=resamples)


def test_p5_a_run_does_not_differ_from_itself(save_path):
    found = pvalue(save_path, old="run_a.txt", metrics=["map"])["map"]
    assert (found["diff"], found["p_value"], found["significant"]) == (0.0, 1.0, False)


def rows(write, *fields, name="rows.jsonl"):
    return str(write(name, "\n".join(json.dumps(each, ensure_ascii=False) for each in fields)))


def test_b1_a_missing_field_shifts_nothing(write, save_path):
    path = rows(
        write,
        {"q": "1", "gold": ["a"], "pred": "a"},
        {"q": "2", "gold": ["b"]},
        {"q": "3", "gold": ["c"], "pred": "c"},
        {"q": "4", "gold": ["d"], "pred": "d"},
    )
    key_map = {"q_ls": "q", "gt_ls": "gold", "pred_ls": "pred"}
    found = benchmark.get_data({"path": path, "key_map": key_map})
    assert found["pred_ls"] == ["a", None, "c", "d"]
    assert evaluate(found["pred_ls"], found["gt_ls"], save_path, ["em"], "steelyard")["em"] == [1, 0, 1, 1]
    shuffled = benchmark.get_data({"path": path, "key_map": key_map, "shuffle": True, "seed": 42})
    assert sorted(shuffled["q_ls"]) == ["1", "2", "3", "4"]
    assert [each and [each] for each in shuffled["pred_ls"]] == [g if g != ["b"] else None for g in shuffled["gt_ls"]]


def test_a_seed_gives_upstreams_rows(write):
    path = rows(write, *({"q": number} for number in range(4)))
    settings = {"path": path, "key_map": {"q_ls": "q"}, "shuffle": True, "seed": 42, "limit": 2}
    assert benchmark.get_data(settings) == {"q_ls": [2, 1]}
    assert benchmark.get_data({**settings, "shuffle": False}) == {"q_ls": [0, 1]}


@pytest.mark.parametrize("limit", [0, -2, 1.5, "3", True, None])
def test_a_bad_limit_is_refused(limit, write):
    path = rows(write, {"q": 1})
    with pytest.raises(InputError, match=r"limit must be an integer of at least 1, or -1 for all, not "):
        benchmark.get_data({"path": path, "key_map": {"q_ls": "q"}, "limit": limit})


@pytest.mark.parametrize("key_map", [None, {}, ["q"], {"q_ls": 1}])
def test_a_bad_key_map_is_refused(key_map, write):
    with pytest.raises(InputError, match="key_map must map names of lists to fields"):
        benchmark.get_data({"path": rows(write, {"q": 1}), "key_map": key_map})


def test_b2_a_field_that_no_row_has_and_an_object_for_an_array_are_refused(write):
    path = rows(write, {"question": 1})
    with pytest.raises(InputError) as caught:
        benchmark.get_data({"path": path, "key_map": {"q_ls": "qestion"}})
    assert str(caught.value) == f"{path}: no row has the field 'qestion' of q_ls\nhint: did you mean 'question'?"
    with pytest.raises(InputError, match="an array of objects is required"):
        benchmark.get_data({"path": rows(write, {"q": 1}, name="rows.json"), "key_map": {"q_ls": "q"}})
    with pytest.raises(InputError, match="it contains no rows"):
        benchmark.get_data({"path": str(write("none.jsonl", "")), "key_map": {"q_ls": "q"}})


def test_b3_blank_lines_a_mark_and_csv_are_read(write):
    marked = str(write("marked.jsonl", '\ufeff{"q": "x"}\n\n{"q": "y"}\n'))
    assert benchmark.get_data({"path": marked, "key_map": {"q_ls": "q"}}) == {"q_ls": ["x", "y"]}
    separated = str(write("rows.csv", "q,a\nx,1\n"))
    assert benchmark.get_data({"path": separated, "key_map": {"q_ls": "q"}}) == {"q_ls": ["x"]}


@pytest.mark.parametrize(("setting", "value"), [("path", None), ("shuffle", "false"), ("seed", "x")])
def test_other_bad_settings_are_refused(setting, value, write):
    settings = {"path": rows(write, {"q": 1}), "key_map": {"q_ls": "q"}, setting: value}
    with pytest.raises(InputError, match=f"benchmark: {setting} must "):
        benchmark.get_data(settings)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (r"It is \boxed{Paris}.", "Paris"),
        (r"\boxed{Rome}, no: \boxed{Paris}", "Paris"),
        (r"\boxed{Paris", r"\boxed{Paris"),
        (r"\boxed{Paris} and then \boxed{Ro", "Paris"),
        (r"\boxed{f(x)}", "f(x)"),
        (r"\boxed{(A) foo}", "(A) foo"),
        (r"\boxed{\text{A} and \text{B}}", r"\text{A} and \text{B}"),
        (r"\boxed{\text{New York}}", "New York"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1\}}", r"\{1\}"),
        (r"\boxed{a \{ b} c", r"a \{ b"),
        (r"\boxed{\boxed{A}}", "A"),
        (r"\boxed{}", ""),
        (" no box ", "no box"),
    ],
)
def test_s5_what_stands_in_the_box(answer, expected):
    assert custom.output_extract_from_boxed([answer]) == {"pred_ls": [expected]}


def test_passages_are_merged_and_nothing_given_is_changed():
    earlier, later = [["a"], []], [["b"], ["c"]]
    assert custom.merge_passages(later, earlier) == {"ret_psg": [["a", "b"], ["c"]]}
    assert (earlier, later) == ([["a"], []], [["b"], ["c"]])
    with pytest.raises(InputError, match=r"^temp_psg has passages of 1 question, ret_psg of 2$"):
        custom.merge_passages([["b"]], earlier)


def test_the_steps_of_ircot():
    answers = ["Pi is 3.14. Then more.", "先看合同。再看附件。", " no end ", ""]
    assert custom.ircot_get_first_sent(answers) == {"q_ls": ["Pi is 3.14.", "先看合同。", "no end", ""]}
    answers = ["Hence, So the answer is: Paris\nDone.", " unsure "]
    assert custom.ircot_extract_ans(answers) == {"pred_ls": ["Paris", "unsure"]}


def test_routers_say_the_state_of_each_answer():
    ends = router.ircot_check_end(["So the answer is 7.", "Next"])["ans_ls"]
    assert ends == [{"data": "So the answer is 7.", "state": "complete"}, {"data": "Next", "state": "incomplete"}]
    states = router.check_model_state(["<search> x", "done"])["ans_ls"]
    assert states == [{"data": "<search> x", "state": "continue"}, {"data": "done", "state": "stop"}]


def test_a_greeting():
    assert sayhello.greet(**parameters("sayhello")) == {"msg": "Hello, Steelyard!"}


def test_bindings_against_the_parameters():
    tools = evaluation.app.tools
    bound = {name: tool.binding.resolve(parameters("evaluation")) for name, tool in tools.items()}
    assert bound["evaluate"].inputs == {
        "pred_ls": "pred_ls",
        "gt_ls": "gt_ls",
        "metrics": "$metrics",
        "save_path": "$save_path",
        "profile": "$profile",
        "ids": "id_ls",
        "questions": "memory_q_ls",
        "contexts": "ret_psg",
    }
    assert bound["evaluate_trec"].inputs["metrics"] == bound["evaluate_trec_pvalue"].inputs["metrics"] == "$ir_metrics"
    assert {binding.outputs for binding in bound.values()} == {("eval_res",)}
    read = benchmark.app.tools["get_data"].binding.resolve(parameters("benchmark"))
    assert (read.inputs, read.outputs) == ({"benchmark": "$benchmark"}, ("q_ls", "gt_ls"))


def test_the_samples_are_read_as_the_parameters_say(tmp_path, monkeypatch, save_path):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    found = benchmark.get_data(parameters("benchmark")["benchmark"])
    assert len(found["q_ls"]) == len(found["gt_ls"]) == 10
    key_map = {"q_ls": "question", "gt_ls": "golden_answers", "pred_ls": "pred_answer"}
    rows = benchmark.get_data({"path": "data/test_evaluate.jsonl", "key_map": key_map})
    assert 0 < evaluate(rows["pred_ls"], rows["gt_ls"], save_path, ["acc"], "steelyard")["avg_acc"] < 1
    result = evaluation.evaluate_trec("data/results.test", "data/qrels.test", ["map"], None, save_path)["eval_res"]
    assert 0 < result["map"] < 1
    assert result["counts"]["judged queries"] == 3


def test_an_answer_that_failed_counts_nothing_and_is_counted(save_path):
    found = evaluation.evaluate(["Paris", None], [["Paris"], ["Rome"]], ["em"], save_path)["eval_res"]
    assert (found["em"], found["avg_em"]) == ([1.0, 0.0], 0.5)
    assert found["counts"]["missing predictions"] == 1


def test_a_question_that_is_answered_twice_is_refused(save_path):
    with pytest.raises(InputError, match=r"^the question 'contract_gap_002' is in id_ls twice$"):
        evaluation.evaluate_legal(["contract_gap_002", "contract_gap_002"], ["a", "b"], None, save_path)


def test_every_folder_of_servers_is_a_server():
    folders = [path for path in (ROOT / "servers").iterdir() if path.is_dir()]
    assert all((path / "src" / f"{path.name}.py").is_file() for path in folders)
