"""Rankings of chunks against required passages: known answers, a second implementation, formats, and the commands."""

import json
import random
import re
import unicodedata
from itertools import permutations

import numpy as np
import pytest
from commands import run

import steelyard
from steelyard.errors import ConfigError, InputError
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.benchmark.runner import BenchmarkRun
from steelyard.legal.evidence.retrieved import places_of
from steelyard.search.terms import Bm25, all_terms
from steelyard.systems.ask import AskSettings
from steelyard.systems.python import PythonSystem

LEFT_OUT = "questions left out: they have nothing to retrieve (gaps), or require no passage"
SUM = "他给了我42000元现金"
DATE = "时间是2019年3月4日"


def plain(text):
    """A text in one width, case and script; one name of the bundled benchmark is in traditional characters."""
    return unicodedata.normalize("NFKC", text).lower().replace("蘋", "苹")


def pattern(passage):
    """A passage as a regular expression over text: anything that is no letter or digit may stand between."""
    kept = [char for char in plain(passage) if char.isalnum()]
    edges = ("(?<![0-9])" if kept[0] in "0123456789" else "", "(?![0-9])" if kept[-1] in "0123456789" else "")
    return re.compile(edges[0] + r"[\W_]*".join(map(re.escape, kept)) + edges[1])


def recall(passages, chunks, k):
    """EvidenceRecall@k by regular expressions: of each chunk, and of every two joined with every possible overlap."""
    first = list(map(plain, chunks[:k]))
    texts = [*first]
    for one, other in permutations(first, 2):
        overlaps = [size for size in range(len(other)) if one.endswith(other[:size])]
        texts += [one + other[size:] for size in overlaps]
    return sum(any(pattern(each).search(text) for text in texts) for each in passages) / len(passages)


def cut(text, size, overlap=0):
    return [text[start : start + size] for start in range(0, len(text), size - overlap)]


def ranked(question, chunks, depth):
    """The first chunks by BM25, those without a term of the question last."""
    scores = Bm25([all_terms(chunk) for chunk in chunks]).scores(all_terms(question))
    return [chunks[at] for at in sorted(range(len(chunks)), key=lambda at: -scores.get(at, 0.0))[:depth]]


def bundled_run(size, overlap=0, depth=10):
    """The chunks of the document of each question of the bundled benchmark, of this size."""
    benchmark = load_benchmark(benchmark_folder())
    chunks = {name: cut(document.text, size, overlap) for name, document in benchmark.documents.items()}
    return {
        question.about.id: ranked(question.about.question, chunks[question.about.document], depth)
        for question in benchmark.questions
    }


@pytest.mark.slow
@pytest.mark.parametrize(("size", "overlap"), [(100, 0), (300, 0), (500, 0), (300, 60)])
def test_recall_of_the_bundled_benchmark_equals_a_second_implementation(size, overlap):
    run = bundled_run(size, overlap)
    table = steelyard.evaluate_retrieval(benchmark_folder(), run)
    passages = {question.about.id: question.passages for question in load_benchmark(benchmark_folder()).questions}
    for k in (1, 5, 10):
        expected = [recall(passages[question], run[question], k) for question in table.ids]
        assert table.column(f"EvidenceRecall@{k}").tolist() == pytest.approx(expected, abs=1e-12)
        assert table.column(f"EvidenceHit@{k}").tolist() == [float(share == 1) for share in expected]


def question(name, *passages, critical=(), **more):
    evidence = [{"page": 1, "must_include": each, "is_critical": each in critical} for each in passages]
    return {"id": name, "question": f"{name}？", "required_evidence": evidence, **more}


FACT = {"expected": {"amount_total": 42000}}
GAP = {"type": "conflict_gap", "should_abstain": True, "required_quote": "号码我忘记了"}


@pytest.fixture
def case(tmp_path):
    """A folder of invented questions, without their document: 2 facts, a set, a gap, and a control."""
    questions = [
        question("sum", SUM, **FACT),
        question("critical", SUM, DATE, critical=(DATE,), **FACT),
        question("set", SUM, DATE, type="evidence_set"),
        question("gap", **GAP),
        question("control", **{**GAP, "should_abstain": False}),
        question("open", **FACT),
    ]
    content = {"benchmark_type": "fact_exact", "document": "absent.md", "questions": questions}
    (tmp_path / "case" / "questions").mkdir(parents=True)
    (tmp_path / "case" / "questions" / "all.json").write_text(json.dumps(content), "utf-8")
    return tmp_path / "case"


def of(table, metric):
    return dict(zip(table.ids, table.column(metric).tolist(), strict=True))


@pytest.mark.parametrize(
    ("chunks", "places"),
    [
        ([f"问。{SUM}。", SUM], [(1,)]),
        (["无关", f"（{SUM[:4]} {SUM[4:]}）"], [(2,)]),
        (["他给了我142000元现金", "他给了我420001元现金"], [()]),
        ([f"前{SUM[:6]}", f"{SUM[6:]}后"], [(1, 2)]),  # cut inside the number
        ([f"{SUM[6:]}后", "无关", f"前{SUM[:6]}"], [(1, 3)]),  # in the other order
        ([f"前{SUM[:8]}", f"{SUM[3:]}后"], [(1, 2)]),  # overlapping
        ([f"前{SUM[:6]}", f"{SUM[7:]}后"], [()]),
        ([SUM[:6], SUM, SUM[6:]], [(2,)]),  # the whole one is earlier
        ([SUM[:6], SUM[6:], SUM], [(1, 2)]),
        ([f"前{SUM[:4]}", "1" + SUM[4:]], [()]),
        ([], [()]),
    ],
)
def test_where_a_passage_is_found_first(chunks, places):
    assert places_of([SUM], chunks) == places


@pytest.mark.parametrize(
    ("chunks", "places"),
    [
        (["on 4 March he paid $1,250", "his wages"], (1,)),
        (["on 4 March he paid $1,", "250 in all"], (1, 2)),
        (["on 4 March he paid $1", ",250 in all"], (1, 2)),
        (["on 4 March he pa", "id $1,250, in all"], (1, 2)),
        (["on 4 March", "he paid $1,250.50"], ()),
    ],
)
def test_numbers_and_words_may_be_cut_at_the_end_of_a_chunk(chunks, places):
    assert places_of(["4 March he paid $1,250"], chunks) == [places]


def test_pieces_of_a_quotation_with_a_gap_may_stand_in_two_chunks():
    assert places_of(["给了我……现金"], ["他给了我", "四万", "都是现金。"]) == [(1, 3)]
    assert places_of(["给了我……现金"], ["都是现金。", "四万"]) == [()]


def test_what_is_required_and_what_is_left_out(case):
    run = {"sum": [DATE, SUM], "critical": [DATE], "set": [DATE, "x", "y", "z", "w", SUM], "control": ["号码 我忘记了"]}
    table = steelyard.evaluate_retrieval(case, {**run, "gap": [SUM], "other": [SUM]})
    assert table.kind == "retrieval"
    assert of(table, "EvidenceRecall@1") == {"sum": 0, "critical": 1, "set": 0.5, "control": 1}
    assert of(table, "EvidenceHit@5") == {"sum": 1, "critical": 1, "set": 0, "control": 1}
    assert of(table, "EvidenceRecall@10") == dict.fromkeys(table.ids, 1)
    assert of(table, "RR") == {"sum": 0.5, "critical": 1, "set": 1, "control": 1}
    ideal = 1 + 1 / np.log2(3)
    assert of(table, "nDCG@10")["set"] == pytest.approx((1 + 1 / np.log2(7)) / ideal)
    assert table.tags["type"] == ["fact_exact", "fact_exact", "evidence_set", "conflict_gap"]
    assert table.counts == {
        "counts.judged_queries": 4,
        "counts.questions_left_out": 2,
        "counts.queries_missing": 0,
        "counts.queries_unjudged": 1,
    }


def test_repeated_passages_gain_nothing_and_the_ideal_ranking_has_a_chunk_for_each_that_is_missing(case):
    gains = {
        (SUM + DATE,): 1,
        (SUM, DATE): 1,
        (SUM, SUM, DATE): (1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3)),
        (SUM,): 1 / (1 + 1 / np.log2(3)),
        ("x",): 0,
    }
    for chunks, gain in gains.items():
        table = steelyard.evaluate_retrieval(case, {"set": list(chunks)}, missing="skip")
        assert of(table, "nDCG@10")["set"] == pytest.approx(gain)


def test_a_missing_question_scores_0_or_nothing(case):
    table = steelyard.evaluate_retrieval(case, {"sum": [SUM]})
    assert of(table, "EvidenceRecall@1") == {"sum": 1, "critical": 0, "set": 0, "control": 0}
    assert table.counts["counts.queries_missing"] == 3
    table = steelyard.evaluate_retrieval(case, {"sum": [SUM]}, missing="skip")
    assert table.mean("RR") == table.mean("EvidenceHit@1") == 1
    assert str(table.why("RR", 1).reason) == "the query is not in the run"


@pytest.mark.parametrize("seed", range(40))
def test_laws(case, seed):
    choose = random.Random(seed)
    pieces = [SUM, DATE, SUM[:5], SUM[5:], DATE[:3], DATE[3:], "号码我忘记了", "无关", "1"]
    run = {name: choose.choices(pieces, k=choose.randint(0, 8)) for name in ("sum", "critical", "set", "control")}
    names = ["EvidenceRecall@1", "EvidenceRecall@3", "EvidenceRecall", "EvidenceHit", "RR", "RR@3", "nDCG@3", "nDCG"]
    table = steelyard.evaluate_retrieval(case, run, names)
    values = np.array([table.column(name) for name in names])
    assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    assert (values[0] <= values[1]).all()
    assert (values[1] <= values[2]).all()  # a longer ranking never has less
    assert ((values[2] == 1) == (values[3] == 1)).all()
    expected = [recall(passages, run[name], 8) for name, passages in PASSAGES.items()]
    assert table.column("EvidenceRecall").tolist() == pytest.approx(expected)
    for name, chunks in run.items():  # one question alone scores as among the others
        alone = steelyard.evaluate_retrieval(case, {name: chunks}, names, missing="skip")
        assert [of(alone, each)[name] for each in names] == values[:, table.ids.index(name)].tolist()
    assert_same_as_rankings(run, table)
    deep = steelyard.evaluate_retrieval(case, {name: each[:2] for name, each in run.items()}, names)
    cut_off = steelyard.evaluate_retrieval(case, run, names, depth=2)
    assert [deep.mean(name) for name in names] == [cut_off.mean(name) for name in names]


def assert_same_as_rankings(run, table):
    """RR and nDCG are those of rankings of chunks: relevant is what has a passage first, or is not retrieved."""
    qrels, scores = {}, {}
    for name, passages in PASSAGES.items():
        places = places_of(passages, run[name])
        missing = {f"missing {at}": 1 for at, ranks in enumerate(places) if not ranks}
        qrels[name] = {str(rank): 1 for ranks in places for rank in ranks} | missing
        scores[name] = {str(rank): -float(rank) for rank in range(1, len(run[name]) + 1)} or {"none": 0.0}
    expected = steelyard.evaluate_retrieval(qrels, scores, ["RR", "RR@3", "nDCG@3", "nDCG"])
    for name in expected.metrics:
        assert of(table, name) == pytest.approx(of(expected, name), abs=1e-12)


PASSAGES = {"sum": [SUM], "critical": [DATE], "set": [SUM, DATE], "control": ["号码我忘记了"]}


def test_the_required_passages_score_1_and_nothing_0(case):
    perfect = steelyard.evaluate_retrieval(case, PASSAGES, cutoffs=[5])
    silent = steelyard.evaluate_retrieval(case, {name: [] for name in PASSAGES}, cutoffs=[5])
    assert [perfect.mean(name) for name in perfect.metrics] == [1] * 4
    assert [silent.mean(name) for name in silent.metrics] == [0] * 4


FORMS = {
    "contexts": '{"id": "sum", "contexts": ["x", {"text": "%s", "page": 2, "document": "a.md", "score": 0.5}]}',
    "chunks of RAGFlow": '{"id": "sum", "code": 0, "data": {"chunks": [{"id": "c1", "content": "x", "similarity": 0.9},'
    ' {"id": "c2", "content": "%s", "document_name": "a.md", "positions": [[1, 2, 3, 4, 5]]}], "total": 2}}',
    "lines by rank": '{"query_id": "sum", "id": "c9", "text": "%s", "rank": 2}\n'
    '{"query_id": "sum", "id": "c1", "text": "x", "rank": 1}',
    "lines by score": '{"id": "sum", "text": "%s", "score": 0.25}\n{"id": "sum", "text": "x", "score": "0.5"}',
    "lines in order": '{"id": "sum", "content": "x"}\n{"id": "set", "content": "x"}\n{"id": "sum", "content": "%s"}',
    "outputs": '{"id": "sum", "answer": "42000", "contexts": ["x", "%s"]}\n{"id": "set", "answer": "x"}',
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_runs(case, tmp_path, form):
    path = tmp_path / "run.jsonl"
    path.write_text(FORMS[form] % SUM + "\n", "utf-8")
    table = steelyard.evaluate_retrieval(case, path, missing="skip")
    assert [of(table, name)["sum"] for name in ("EvidenceRecall@1", "EvidenceRecall@5", "RR")] == [0, 1, 0.5]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"id": "sum", "contexts": ["x"]}\n{"id": "set"}', "run.jsonl:2: a chunk has no text"),
        ('{"id": "sum", "contexts": [{"id": "c1"}]}', "run.jsonl:1: a chunk has no text"),
        (
            '{"id": "sum", "contexts": ["x"]}\n{"id": "sum", "contexts": []}',
            "run.jsonl:2: question 'sum' has a ranking",
        ),
        ('{"id": "sum", "text": "x", "score": "high"}', "run.jsonl:1: score is not a number"),
        ('{"id": "sum", "contexts": ["x"]}\n{"contexts": ["x"]}', "run.jsonl:2: "),
        ('{"id": "sum", "contexts": ["x"]}\n{"id": "set", "contexts": ["x"', "run.jsonl:2: "),
        ('{"id": "sum", "answer": "x"}', "run.jsonl: the field 'contexts' is missing"),
        ('{"id": "x", "contexts": ["x"]}', "run.jsonl: no query of the run is judged"),
        ('{"id": "sum", "code": 102, "message": "no dataset"}', "run.jsonl:1: a chunk has no text"),
    ],
)
def test_lines_that_cannot_be_read(case, tmp_path, lines, message):
    (tmp_path / "run.jsonl").write_text(lines + "\n", "utf-8")
    done = run("retrieval", case, "run.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert "\nhint: " in done.stderr


def test_what_does_not_go_with_questions(case, tmp_path):
    with pytest.raises(ConfigError, match="SpanR is not a metric of rankings of chunks"):
        steelyard.evaluate_retrieval(case, PASSAGES, ["SpanR"])
    assert "--docs cannot be used" in run("retrieval", case, "x.jsonl", "--docs", "d", cwd=tmp_path).stderr
    path = next((case / "questions").iterdir())
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | {"questions": [question("gap", **GAP)]}), "utf-8")
    with pytest.raises(InputError, match="no query of the run is judged"):
        steelyard.evaluate_retrieval(case, PASSAGES)


def test_commands_compare_gate_and_show_rankings_of_chunks(case, tmp_path):
    for name, chunks in {"small": [SUM[:5], "无关", DATE], "large": [SUM + DATE, "号码我忘记了"]}.items():
        rows = [json.dumps({"id": each, "contexts": chunks}) for each in PASSAGES]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    runs = ("small.jsonl", "large.jsonl")
    done = run("retrieval", case, *runs, "-k", "5", "--json", "-o", "both.html", cwd=tmp_path)
    found = json.loads(done.stdout)
    large = found["results"][1]
    assert (found["kind"], large["counts"][LEFT_OUT]) == ("retrieval", 2)
    assert list(large["metrics"]) == ["EvidenceRecall@5", "EvidenceHit@5", "RR", "nDCG@5"]
    assert large["by"]["type"]["evidence_set"]["metrics"]["EvidenceRecall@5"]["mean"] == 1
    assert [each["n"] for each in found["comparisons"]] == [4] * 4
    assert SUM in (tmp_path / "both.html").read_text("utf-8")
    for name in ("small", "large"):
        run("retrieval", case, f"{name}.jsonl", "--rankings", "-o", f"{name}.result.jsonl", cwd=tmp_path)
    rule = "EvidenceRecall@5 >= 0.9"
    assert [
        run("gate", f"{name}.result.jsonl", "--require", rule, cwd=tmp_path).returncode for name in ("small", "large")
    ] == [1, 0]
    done = run("compare", "small.result.jsonl", "large.result.jsonl", "--by", "type", cwd=tmp_path)
    assert done.stdout.startswith("small → large: EvidenceRecall@10 0.3750 → 1.0000")


def test_bench_scores_the_contexts_of_replies(tmp_path):
    benchmark = load_benchmark(benchmark_folder())
    ids = {each.about.question: each.about.id for each in benchmark.questions}
    chunks = bundled_run(300, depth=5)

    def system(asked):
        contexts = [{"text": each, "page": 1} for each in chunks[ids[asked]]]
        return {"answer": "材料未显示。", **({} if ids[asked] == "contract_fact_001" else {"contexts": contexts})}

    table = steelyard.evaluate_legal(system, path=tmp_path / "r.jsonl")
    expected = steelyard.evaluate_retrieval(benchmark_folder(), {**chunks, "contract_fact_001": []})
    rows = [table.ids.index(name) for name in expected.ids]
    assert table.metrics == ["legal", *expected.metrics, "Seconds"]
    for name in expected.metrics:
        assert table.column(name)[rows].tolist() == expected.column(name).tolist()
        assert np.isnan(np.delete(table.column(name), rows)).all()
    gap = next(row for row, name in enumerate(table.ids) if name not in expected.ids)
    assert str(table.why("RR", gap).reason) == "the question has no passage to find"
    again = steelyard.evaluate_retrieval(benchmark_folder(), tmp_path / "r.jsonl")
    assert of(again, "EvidenceRecall@5") == of(expected, "EvidenceRecall@5")


def test_bench_has_no_scores_of_evidence_without_contexts(tmp_path):
    path = tmp_path / "r.jsonl"
    assert steelyard.evaluate_legal(lambda asked: "x", path=path, types="evidence_set").metrics == ["legal", "Seconds"]
    assert steelyard.load(path, strict=True).metrics == ["legal", "Seconds"]
    done = run("gate", path, "--require", "EvidenceRecall@5 >= 0.5")
    assert (done.returncode, "no metric is called 'EvidenceRecall@5'" in done.stderr) == (2, True)


def test_a_file_of_an_earlier_version_is_resumed(tmp_path):
    path = tmp_path / "r.jsonl"
    steelyard.evaluate_legal(lambda asked: "x", path=path, types="evidence_set")
    header, *items = map(json.loads, path.read_text("utf-8").splitlines()[:3])
    header["bounds"] = {"legal": [0, 1]}
    older = [header, *(item | {"scores": {"legal": item["scores"]["legal"]}} for item in items)]
    path.write_text("".join(json.dumps(line) + "\n" for line in older), "utf-8")

    def system(asked):
        return {"answer": "x", "contexts": ["x"]}

    benchmark = load_benchmark(benchmark_folder(), "evidence_set")
    named = PythonSystem(system)
    named.name = header["name"]
    resumed = BenchmarkRun(benchmark, named, AskSettings(), path, resume=True).table()
    assert len(resumed) == len(benchmark.questions)
    assert resumed["RR"].status.tolist().count(0) == len(benchmark.questions) - 2


def test_answers_have_the_metrics_too():
    rows = [{"id": "a", "prediction": "x", "contexts": [DATE, SUM], "reference_contexts": [SUM, DATE]}]
    table = steelyard.evaluate_answers(rows, None, ["EvidenceRecall@1", "EvidenceHit@1", "EvidenceHit"])
    assert [table.mean(name) for name in table.metrics] == [0.5, 0, 1]


def test_bench_says_that_a_system_only_retrieves(tmp_path):
    lines = [
        {"id": question.about.id, "contexts": ["别的话"]} for question in load_benchmark(benchmark_folder()).questions
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    done = run("bench", "--system", f"replay:{path}", "-o", tmp_path / "o.jsonl", "--type", "evidence_set")
    assert "no reply has an answer" in done.stderr
