"""Spans as qrels: known answers, laws, a second implementation with sets of characters, and Chroma's figures."""

import json
import random

import pytest

import steelyard
from steelyard.cli import main
from steelyard.errors import InputError

NAMES = ("SpanR", "SpanP", "SpanIoU")
GOLD = [("q1", "a", 100, 200), ("q1", "a", 150, 250), ("q2", "b", 0, 50)]  # q1 wants 150 characters, q2 50
SMALL = [("q1", "a", 100, 150, 3), ("q1", "a", 300, 350, 2), ("q1", "a", 240, 280, 1), ("q2", "b", 40, 60, 1)]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, spans):
        keys = ("query", "doc", "start", "end", "score")
        lines = [json.dumps(dict(zip(keys, span, strict=False))) for span in spans]
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        return name

    return write


@pytest.fixture
def scores(write):
    def scores(gold, hits, *budgets, **keywords):
        names = [f"{name}(chars={chars})" if chars else name for chars in budgets or (None,) for name in NAMES]
        files = write("qrels.jsonl", gold), write("run.jsonl", hits)
        table = steelyard.evaluate_spans(*files, metrics=names, **keywords)
        return {query: [table.column(name)[place] for name in names] for place, query in enumerate(table.ids)}

    return scores


@pytest.mark.parametrize(
    ("chars", "q1", "q2"),
    [
        # all: 50 + 10 of 150 found, of 140 retrieved; in either 150 + 140 - 60
        (None, [60 / 150, 60 / 140, 60 / 230], [10 / 50, 10 / 20, 10 / 60]),
        (50, [50 / 150, 1, 50 / 150], [10 / 50, 10 / 20, 10 / 60]),
        (60, [50 / 150, 50 / 60, 50 / 160], [10 / 50, 10 / 20, 10 / 60]),
        (105, [55 / 150, 55 / 105, 55 / 200], [10 / 50, 10 / 20, 10 / 60]),  # 240 to 245 of the third chunk
        (5, [5 / 150, 1, 5 / 150], [5 / 50, 1, 5 / 50]),  # 40 to 45, the beginning of the chunk
    ],
)
def test_known_answers(scores, chars, q1, q2):
    found = scores(GOLD, SMALL, chars)
    assert (found["q1"], found["q2"]) == (pytest.approx(q1), pytest.approx(q2))


@pytest.mark.parametrize("chars", [None, 1_000])
def test_the_reference_spans_score_1_and_silence_0(scores, chars):
    assert scores(GOLD, GOLD, chars) == {"q1": [1, 1, 1], "q2": [1, 1, 1]}
    assert scores(GOLD, [("q1", "c", 0, 10)], chars) == {"q1": [0, 0, 0], "q2": [0, 0, 0]}
    silent = scores(GOLD, SMALL[:1], chars, missing="skip")
    assert silent["q2"] == pytest.approx([float("nan")] * 3, nan_ok=True)


def invented(choose, queries=3):
    """Gold and hits of invented documents; lengths are small, so that spans overlap and touch."""
    names = [f"q{number}" for number in range(queries)]

    def span(query):
        start = choose.randint(0, 40)
        return query, choose.choice("ab"), start, start + choose.randint(1, 12)

    gold = [span(query) for query in names for _ in range(choose.randint(1, 4))]
    return gold, [span(choose.choice(names)) for _ in range(choose.randint(3, 15))] + [span(names[0])]


def by_sets(gold, hits, query, chars=None):
    """Recall, precision and intersection over union, one character at a time."""
    wanted = {(doc, at) for name, doc, start, end in gold if name == query for at in range(start, end)}
    order = dict.fromkeys((doc, at) for name, doc, start, end in hits if name == query for at in range(start, end))
    found = set(list(order)[:chars])
    both, either = len(wanted & found), len(wanted | found)
    return [both / len(wanted), both / len(found) if found else 0, both / either]


@pytest.mark.parametrize("seed", range(60))
def test_a_plain_implementation_agrees(scores, seed):
    choose = random.Random(seed)
    gold, hits = invented(choose)
    chars = choose.randint(1, 60)
    for query, found in scores(gold, hits, None, chars).items():
        assert found == pytest.approx(by_sets(gold, hits, query) + by_sets(gold, hits, query, chars), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_laws(scores, seed):
    choose = random.Random(seed)
    gold, hits = invented(choose)
    before = scores(gold, hits, None, 7, 20)
    halves = [
        part
        for query, doc, start, end in hits
        for middle in [choose.randint(start, end)]
        for part in ((query, doc, start, middle), (query, doc, middle, end))
        if part[2] < part[3]
    ]
    repeated = [hit for place, hit in enumerate(hits) for hit in (hit, *choose.sample(hits[: place + 1], 1))]
    assert scores(gold, halves, None, 7, 20) == before  # a chunk cut into two adjacent ones
    assert scores(gold, repeated, None, 7, 20) == before  # hits again
    assert scores(gold[::-1] + gold, hits, None, 7, 20) == before
    recalls = scores(gold, hits, *range(1, 80))
    for values in recalls.values():
        assert values[::3] == sorted(values[::3])  # a larger budget never lowers recall


def test_hits_are_ordered_by_score_then_document_then_start(scores):
    gold = [("q", "a", 0, 10)]
    ranked = [("q", "a", 0, 10, 1), ("q", "b", 20, 30, 2), ("q", "b", 0, 10, 2), ("q", "c", 0, 10, 0.5)]
    for hits in (ranked, ranked[::-1]):  # b 0–10, b 20–30, a, c
        assert [scores(gold, hits, chars)["q"][0] for chars in (20, 25)] == [0, 0.5]
    bare = [hit[:4] for hit in ranked]
    assert scores(gold, bare, 10)["q"][0] == 1  # without scores the order of the file


def test_chunks_of_other_sizes_are_compared_by_characters(write, capsys):
    large = [("q1", "a", 0, 400), ("q2", "b", 0, 400), ("q7", "b", 0, 9)]
    files = write("q.jsonl", GOLD), write("small.jsonl", SMALL), write("large.jsonl", large)
    assert main(["retrieval", *files, "-m", "SpanR@1,SpanR(chars=100)", "-q", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    found = {each["name"]: {name: metric["mean"] for name, metric in each["metrics"].items()} for each in results}
    assert found["large"] == {"SpanR@1": 1, "SpanR(chars=100)": pytest.approx((0 + 1) / 2)}
    assert found["small"]["SpanR(chars=100)"] == pytest.approx((50 / 150 + 10 / 50) / 2)
    assert [each["counts"]["run queries not judged"] for each in results] == [0, 1]


def test_depth_and_grades(write):
    files = write("q.jsonl", GOLD), write("run.jsonl", SMALL)
    assert steelyard.evaluate_spans(*files, depth=1).column("SpanR")[0] == pytest.approx(50 / 150)
    lines = ['{"query": "q1", "doc": "a", "start": 100, "end": 200, "grade": 2}']
    lines += ['{"query": "q1", "doc": "a", "start": 200, "end": 300, "grade": 1}']
    lines += ['{"query": "q1", "doc": "a", "start": 300, "end": 400, "grade": 0}']
    with open("graded.jsonl", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    for level, recall in ((1, 90 / 200), (2, 50 / 100)):
        table = steelyard.evaluate_spans("graded.jsonl", files[1], "SpanR", relevance_level=level)
        assert table.mean("SpanR") == pytest.approx(recall)


BAD = [
    ('{"query": "q1", "doc": "a", "start": 9, "end": 9}', "run.jsonl:2: a span must have whole numbers"),
    ('{"query": "q1", "doc": "a", "start": -1, "end": 9}', "run.jsonl:2: a span must have whole numbers"),
    ('{"query": "q1", "doc": "a", "start": 1.5, "end": 9}', "run.jsonl:2: a span must have whole numbers"),
    ('{"query": "q1", "doc": "a", "start": true, "end": 9}', "run.jsonl:2: a span must have whole numbers"),
    ('{"query": "q1", "doc": "a", "start": 1}', "run.jsonl:2: the field 'end' is missing"),
    ('{"query": "q1", "doc": null, "start": 1, "end": 2}', "run.jsonl:2: document id must be text or an integer"),
    ("[1]", "run.jsonl:2: "),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_errors_have_file_and_line(write, line, message):
    files = write("q.jsonl", GOLD), write("run.jsonl", [SMALL[0][:4]])
    with open(files[1], "a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InputError) as caught:
        steelyard.evaluate_spans(*files)
    assert str(caught.value).startswith(message)


def test_other_errors(write, capsys):
    files = write("q.jsonl", GOLD), write("run.jsonl", [("other", "a", 1, 2)])
    assert main(["retrieval", *files]) == 2
    assert "no query" in capsys.readouterr().err
    assert main(["retrieval", *files, "--rankings"]) == 2
    assert "--rankings cannot be used with spans" in capsys.readouterr().err
    assert main(["retrieval", *files, "-m", "SpanR(chars=0)"]) == 2
    assert "at least 1, not 0" in capsys.readouterr().err


# recall, precision and IoU by chunking_evaluation d451fc4, whose `_scores_from_dataset_and_retrievals` was run on these
# invented spans: gold spans of document d; retrieved chunks
CHROMA = [
    ([(110, 143), (208, 374)], "e0-27 d160-225", 0.08542713567839195, 0.18478260869565216, 0.06204379562043796),
    ([(100, 152), (196, 353)], "d115-245 d280-365 d0-45", 0.7607655502392344, 0.6115384615384616, 0.5129032258064516),
    ([(90, 241), (246, 360)], "d210-230 d105-165 d40-90", 0.3018867924528302, 0.6153846153846154, 0.25396825396825395),
    (
        [(176, 181), (262, 268)],
        "d225-230 d160-225 d265-350",
        0.7272727272727273,
        0.05161290322580645,
        0.05063291139240506,
    ),
    (
        [(40, 76), (90, 320)],
        "d160-185 d185-235 d275-295 d20-55",
        0.41353383458646614,
        0.8461538461538461,
        0.38461538461538464,
    ),
    ([(66, 106), (171, 374)], "d305-340 d50-100 d20-30", 0.2839506172839506, 0.7263157894736842, 0.25650557620817843),
]


@pytest.mark.parametrize("case", CHROMA)
def test_values_of_chroma(scores, case):
    gold, chunks, *expected = case
    hits = [("q", chunk[0], *map(int, chunk[1:].split("-"))) for chunk in chunks.split()]
    found = scores([("q", "d", *span) for span in gold], hits)["q"]
    assert found == pytest.approx(expected, abs=1e-12)


def test_overlaps_count_once_here_and_twice_in_chroma(scores):
    assert scores([("q", "d", 0, 100)], [("q", "d", 0, 60), ("q", "d", 40, 100)])["q"] == [1, 1, 1]  # 1, 0.83, 0.83
    assert scores([("q", "d", 0, 60), ("q", "d", 40, 100)], [("q", "d", 0, 50)])["q"] == [0.5, 1, 0.5]  # 0.42, 1, 0.45
