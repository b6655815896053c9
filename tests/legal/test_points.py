"""Keyed points: what gives, denies or voids a point, and what a conclusion and the length do."""

import json
import re
from pathlib import Path

import commands
import pytest

from steelyard.documents.pages import Document, Page
from steelyard.errors import InputError
from steelyard.legal import judge, question_of
from steelyard.legal.benchmark.cail import case_files, key_points_of
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark, read_question_file
from steelyard.legal.points import judge_points
from steelyard.legal.question_types.points import KeyPointsQuestion, Point
from steelyard.text.normalisation import normalise

LABELLED = Path(__file__).parent / "points"
CONCLUSION = {
    "text": "不能适用认罪认罚",
    "points": 2,
    "aliases": ["不适用认罪认罚"],
    "forbidden": ["可以适用"],
    "conclusion": True,
}
SUM = {"text": "返还42000元", "points": 1, "aliases": [{"text": "退还部分款项", "points": 0.5}]}
ARTICLE = {"text": "民法典第577条", "points": 1}


def outcome(point, text, question=""):
    (verdict,) = judge_points(
        [Point.of(point if isinstance(point, dict) else {"text": point, "points": 1})], normalise(text), question
    )
    return verdict.outcome


# fmt: off
SAID = [
    # values by value, articles by number, words by stem
    (SUM, "应返还四万二千元。", "given"),
    (SUM, "应返还4.2万元。", "given"),
    (SUM, "应返还24000元。", "missed"),
    (ARTICLE, "依据《中华人民共和国民法典》第五百七十七条。", "given"),
    (ARTICLE, "依据《民法典》第577条第1款。", "given"),
    (ARTICLE, "依据《民法典》第578条。", "missed"),
    ("犯罪事实清楚，证据确实、充分", "本案犯罪事实清楚、证据确实充分。", "given"),
    ("没有约定管辖", "合同未约定管辖。", "given"),
    ("应当返还押金", "出租人应返还押金。", "given"),
    ("the lease was terminated on 1 May 2024", "The lease was terminated on May 1, 2024.", "given"),
    ("terminates the contract", "He terminated the contract.", "given"),
    ("30 days' notice", "It requires thirty days' notice.", "given"),
    ("tax", "He called a taxi.", "missed"),
    ("2000元", "应付42000元。", "missed"),
    # negation
    ("能适用", "不能适用。", "denied"),
    ("构成自首", "并不构成自首。", "denied"),
    ("构成自首", "没有证据证明其构成自首。", "denied"),
    ("孙某构成诈骗罪", "孙某不构成诈骗罪。", "denied"),
    ("构成自首", "不仅构成自首，还构成立功。", "given"),
    ("非口头同意", "应当书面同意，而非口头同意。", "given"),
    ("不能适用", "不能适用。", "given"),
    ("the buyer may terminate", "The buyer may not terminate.", "denied"),
    ("the right to terminate", "The buyer does not have the right to terminate.", "denied"),
    ("the seller paid", "Notice was not given and the seller paid.", "given"),
    # doubt, questions, rejection
    ("构成自首", "可能构成自首。", "doubted"),
    ("构成自首", "是否构成自首？", "missed"),
    ("构成自首", "关于是否构成自首，意见不一。", "missed"),
    ("关键证据", "对可能影响定罪量刑的关键证据单独质证。", "given"),
    ("自首", "自首的说法不能成立。", "doubted"),
    # words in between, and words apart
    ("承租人可以解除合同", "承租人可以依约解除该合同。", "loose"),
    ("承租人可以解除合同", "合同的解除由出租人和承租人商定，可以书面进行。", "scattered"),
    # forbidden forms: the longest counts
    ({"text": "能", "points": 1, "forbidden": ["不能"]}, "不能。", "forbidden"),
    ({"text": "不合法", "points": 1, "forbidden": ["合法"]}, "该行为不合法。", "given"),
    ({"text": "有效", "points": 1, "forbidden": ["无效"]}, "合同有效，但条款无效。", "contradicted"),
    # conclusions
    (CONCLUSION, "不能适用认罪认罚。", "given"),
    ({"text": "不构成自首", "points": 1, "conclusion": True}, "构成自首。", "denied"),
    (CONCLUSION, "可以适用。", "forbidden"),
    (CONCLUSION, "不适用认罪认罚，也可以适用。", "contradicted"),
    (CONCLUSION, "被告人主张不能适用认罪认罚。", "doubted"),
    (CONCLUSION, "不能适用认罪认罚或者从轻处罚。", "doubted"),
]
# fmt: on


@pytest.mark.parametrize(("point", "text", "expected"), SAID)
def test_what_an_answer_says_of_a_point(point, text, expected):
    assert outcome(point, text) == expected


def test_a_point_in_a_quotation_of_the_question_is_not_given():
    question = "承租人认为“合同已经解除”，是否正确？"
    assert outcome("合同已经解除", "对于“合同已经解除”，承租人的理解有误。", question) == "missed"
    assert outcome("合同已经解除", "合同已经解除。", question) == "given"
    assert outcome("合同已经解除", f"{question}这一点材料中有说明。", question) == "missed"


def key_question(**more):
    fields = {"id": "q", "type": "key_points", "question": "能否适用？为什么？", "points": [CONCLUSION, SUM, ARTICLE]}
    return question_of({**fields, **more})


def verdict_on(document, answer, **more):
    return judge(key_question(**more), {"answer": answer}, document)


@pytest.fixture
def document(write):
    from steelyard.documents.pages import read_document

    return read_document(write("d.md", "=== 第1页 ===\n问：怎么了？\n答：二人只承认抢劫，退了一部分钱。\n"))


RIGHT = "不能适用认罪认罚。应当返还42000元，依据民法典第577条。"


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        (RIGHT, 1.0),
        ("不能适用认罪认罚。", 0.5),
        ("不能适用认罪认罚，应退还部分款项。", 2.5 / 4),  # an alias can earn less
        ("可以适用认罪认罚。应当返还42000元，依据民法典第577条。", 0.0),  # a wrong conclusion voids the rest
        ("应当返还42000元，依据民法典第577条。", 0.5),  # a missing one does not, and is uncertain
        ("", 0.0),
        ("能否适用？为什么？", 0.0),
    ],
)
def test_the_score_is_the_share_of_the_points(document, answer, score):
    found = verdict_on(document, answer)
    assert found.score == pytest.approx(score)
    assert found.parts["conclusion_right"] == float(score > 0)
    assert bool(found.parts["uncertain"]) is answer.startswith("应当")


def test_a_letter_that_two_lower_case_characters_stand_for_moves_no_place(document):
    assert verdict_on(document, "İ。" + RIGHT).score == verdict_on(document, "I。" + RIGHT).score == 1.0


REFUSAL = "材料未载明，无法确定。"


@pytest.mark.parametrize(
    ("answer", "points", "score", "uncertain"),
    [
        (REFUSAL, [CONCLUSION, SUM], 0.0, False),
        (f"{REFUSAL}应当返还42000元。", [CONCLUSION, SUM], 0.0, True),  # it does not say what it concludes
        (f"{REFUSAL}应当返还42000元。", [SUM, ARTICLE], 0.5, False),  # without a conclusion half of the points answer
        ("应当返还42000元，也可能不是。", [SUM], 0.0, True),
    ],
)
def test_a_refusal_earns_nothing_unless_it_answers(document, answer, points, score, uncertain):
    found = verdict_on(document, answer, points=points)
    assert (found.score, found.uncertain) == (score, uncertain)


def test_an_answer_much_longer_than_the_reference_is_reduced(document):
    filler = "此外，需要结合案件的具体情况进行全面分析。" * 4
    plain, long = verdict_on(document, RIGHT + filler), verdict_on(document, RIGHT + filler, reference_answer=RIGHT)
    length, own = len("".join(filter(str.isalnum, RIGHT + filler))), len("".join(filter(str.isalnum, RIGHT)))
    assert plain.score == 1.0
    assert "length_factor" not in plain.parts
    assert long.score == long.parts["length_factor"] == pytest.approx(2 * own / length)
    wider = {"reference_answer": RIGHT, "scoring": {"length_factor": 10}}
    assert verdict_on(document, RIGHT + filler, **wider).score == 1.0


def test_full_points_may_be_fewer_than_all(document):
    assert verdict_on(document, "不能适用认罪认罚。返还42000元。", scoring={"full_points": 3}).score == 1.0


def test_the_reasons_name_each_point(document):
    reason = verdict_on(document, "不能适用认罪认罚。没有返还42000元。").reason
    assert "2 of 4 points; “不能适用认罪认罚”: given in “不能适用认罪认罚”" in reason
    assert "“返还42000元”: denied in “返还42000元”; “民法典第577条”: not given" in reason


# ----- cheats that know the key

BUNDLED = load_benchmark(benchmark_folder())
QUESTIONS = [question for question in BUNDLED.questions if isinstance(question, KeyPointsQuestion)]


def stop(question):
    return ". " if question.about.question.isascii() else "。"


def negated(question):
    denied = "It is not true that {}" if question.about.question.isascii() else "并非{}"
    return stop(question).join(denied.format(point.text) for point in question.points)


def beside_forbidden(question):
    words = [text for point in question.points for text in (point.text, *point.forbidden)]
    return stop(question).join(words)


CHEATS = {
    # every word is there, and no statement
    "all words of the document": (lambda question, document: " ".join(sorted(set(document.text))), 0.0),
    "the document": (lambda question, document: document.text, 0.0),
    "the question": (lambda question, document: question.about.question, 0.0),
    "the question five times": (lambda question, document: question.about.question * 5, 0.0),
    "negated points": (lambda question, document: negated(question), 0.0),
    # who gives each point and its opposite has said nothing: what has no forbidden form is left
    "forbidden beside right": (lambda question, document: beside_forbidden(question), 0.5),
    # who knows all forms knows the key, but a list of them is no statement, and longer than the reference
    "all aliases": (
        lambda question, document: stop(question).join(form.text for point in question.points for form in point.forms),
        0.25,
    ),
    "a point a hundred times": (lambda question, document: (question.points[0].text + stop(question)) * 100, 0.1),
    "very long": (lambda question, document: question.reference + " 综上所述，本案事实清楚。" * 500, 0.1),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheats_that_know_the_key_are_at_their_limits(name):
    answer, most = CHEATS[name]
    scores = []
    for question in QUESTIONS:
        document = BUNDLED.documents[question.about.document]
        scores.append(judge(question, {"answer": answer(question, document)}, document).score)
    assert sum(scores) / len(scores) <= most


def test_negated_points_beside_right_ones_earn_nothing():
    for question in QUESTIONS:
        document = BUNDLED.documents[question.about.document]
        both = f"{stop(question).join(point.text for point in question.points)}{stop(question)}{negated(question)}"
        assert judge(question, {"answer": both}, document).score <= 0.25, question.about.id


# ----- labelled answers, written with their labels before they were judged


@pytest.mark.parametrize(("name", "folder"), [("answers", LABELLED), ("answers.second", benchmark_folder())])
def test_answers_are_judged_as_they_were_labelled(name, folder):
    """A label has a digit for each point, 1 if it is given; or it is `wrong`: the conclusion is."""
    labelled = load_benchmark(folder)
    lines = [json.loads(line) for line in (LABELLED / f"{name}.jsonl").read_text("utf-8").splitlines()]
    decided = wrong = 0
    for line in lines:
        question = labelled.by_id[line["id"]]
        assert isinstance(question, KeyPointsQuestion)
        found = judge(question, {"answer": line["answer"]}, labelled.documents[question.about.document])
        given = zip(question.points, line["label"], strict=True) if line["label"] != "wrong" else ()
        expected = sum(point.points for point, digit in given if digit == "1") / question.full
        if not found.uncertain:
            decided += 1
            wrong += abs(found.parts["points_reached"] * found.parts.get("conclusion_right", 1.0) - expected) > 1e-9
    assert decided >= 0.75 * len(lines)
    assert wrong <= 0.05 * decided


# ----- question files


def problems(write, *points, **more):
    question = {"id": "q", "question": "能否适用？", "points": points, **more}
    content = {"benchmark_type": "key_points", "document": "d.md", "questions": [question]}
    path = write("q.json", json.dumps(content, ensure_ascii=False))
    try:
        read_question_file(path)
    except InputError as error:
        return [str(problem.message).removeprefix("/questions/0") for problem in error.problems]
    write("d.md", "=== 第1页 ===\n正文。\n")
    done = commands.run("validate", str(path), "--json", cwd=path.parent)
    return [each["message"].removeprefix("/questions/0") for each in json.loads(done.stdout)["problems"]]


def test_mistakes_in_points_are_named(write):
    assert problems(write, {"text": "甲", "points": 0}) == ["/points/0/points: must be a number above 0, not 0"]
    assert problems(write, {"points": 1}) == ["/points/0: the field 'text' is missing"]
    assert problems(write) == ["/points: must not be empty"]
    assert problems(write, CONCLUSION, {**SUM, "conclusion": True}) == [
        "/points/1/conclusion: only one point can be the conclusion"
    ]
    assert problems(write, SUM, scoring={"full_points": 2}) == [
        "/scoring/full_points: more than all points together (1)"
    ]
    assert problems(write, SUM, expected={"count": 1})[0] == (
        "/expected/count: no field is called 'count'; this type takes `points`, not fields of `expected`"
    )


def test_points_that_may_be_mistaken_are_warned_of(write):
    assert problems(write, CONCLUSION, SUM, ARTICLE, reference_answer=RIGHT) == []
    assert problems(write, {**SUM, "forbidden": ["返还四万二千元"]}) == [
        "/points/0: '返还42000元' is accepted and forbidden"
    ]
    assert problems(write, SUM, {"text": "返还4.2万元", "points": 1}) == [
        "/points/0: '返还42000元' is given twice: one statement earns both",
        "/points/1: '返还4.2万元' is given twice: one statement earns both",
    ]
    assert problems(write, SUM, question="甲返还42000元。为什么？") == ["/points/0: the question already contains it"]
    assert problems(write, CONCLUSION, SUM, reference_answer="不能适用认罪认罚。") == [
        "/points/1: the reference answer does not give this point in full: '返还42000元'"
    ]


# ----- CAIL


def test_the_strings_of_cail_are_read():
    first = "【关键词1:不能适用(1分) 白名单1:不适用(1分) 白名单2:不宜适用(0.5分) 黑名单1:可以适用 黑名单2:能适用】"
    second = "【关键词2:否认（致人死亡）的事实（1分）白名单：否认事实（1分）、不承认事实（0.5分）】"
    third = "【关键词3:可以（黑名单：否、不可以）（2分）】【关键词4:立功(1分】"
    assert key_points_of(first + second + third) == [
        {
            "text": "不能适用",
            "points": 1.0,
            "aliases": ["不适用", {"text": "不宜适用", "points": 0.5}],
            "forbidden": ["可以适用", "能适用"],
            "conclusion": True,
        },
        {
            "text": "否认（致人死亡）的事实",
            "points": 1.0,
            "aliases": ["否认事实", {"text": "不承认事实", "points": 0.5}],
        },
        {"text": "可以", "points": 2.0, "forbidden": ["否", "不可以"]},
        {"text": "立功", "points": 1.0},
    ]
    assert key_points_of("按步骤给分") == []


ROW = {
    "id": "0_1",
    "big_ques": "甲骗了乙一万元（虚构）。",
    "small_ques": "甲构成何罪？",
    "ground_answer": "甲构成诈骗罪。甲虚构事实。",
    "score": 2,
    "score_point": "【关键词1:构成诈骗罪(2分) 黑名单1:构成盗窃罪】【关键词2:虚构事实(1分)】",
}


def test_a_file_of_cail_becomes_a_benchmark(tmp_path):
    rows = [ROW, {**ROW, "id": "0_2", "small_ques": "为什么？"}, {**ROW, "id": "0_3", "big_ques": "另一案（虚构）。"}]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "rows.jsonl").write_text(lines + "\n", encoding="utf-8")
    done = commands.run("new", "case", "--from", "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 4)
    assert commands.run("validate", "case", "--strict", cwd=tmp_path).returncode == 0
    found = load_benchmark(tmp_path / "case")
    assert [question.about.id for question in found.questions] == ["0_1", "0_2", "0_3"]
    for question in found.questions:
        document = found.documents[question.about.document]
        verdict = judge(question, question.gold_record(document), document)
        assert (verdict.score, verdict.invented) == (1.0, ())


def test_what_the_key_says_beyond_the_document_is_no_invention():
    point = {"text": "依照民法典第577条", "points": 2, "aliases": ["罚款3000元"]}
    fields = {"id": "k", "type": "key_points", "question": "如何处理？", "points": [point]}
    answers = {"依照民法典第577条，罚款3000元。": 0, "依照民法典第577条，罚款4500元。": 1}
    document = Document("a.md", (Page(1, "甲与乙订立合同（虚构）。", ()),), "")
    for answer, number in answers.items():
        assert len(judge(question_of(fields), {"answer": answer}, document).invented) == number


BAD = [("score_point", "略", "no points"), ("big_ques", "", "big_ques")]


@pytest.mark.parametrize(("field", "value", "words"), BAD)
def test_a_row_without_points_is_refused_with_its_line(tmp_path, field, value, words):
    lines = [json.dumps(row, ensure_ascii=False) for row in (ROW, {**ROW, field: value})]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = commands.run("new", "case", "--from", "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "case").exists()) == (2, False)
    assert "rows.jsonl:2: " in done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"big_ques": ["案情"]}, "'big_ques' must be text, not a list"),
        ({"big_ques": ""}, "the field 'big_ques' is missing"),
        ({"score_point": ["【关键词1:不适用(1分)】"]}, "'score_point' must be text, not a list"),
        ({"score_point": f"【关键词1:不适用({'9' * 400}分)】"}, "describes no points"),
    ],
)
def test_a_row_of_cail_that_is_none_is_refused(changed, why, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**ROW, **changed}), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(why)):
        list(case_files(path))


def test_a_refusal_has_no_points_and_no_wrong_conclusion():
    fields = {"id": "k", "type": "key_points", "question": "能否适用认罪认罚？", "points": [CONCLUSION]}
    document = Document("a.md", (Page(1, "甲与乙订立合同（虚构）。", ()),), "")
    verdict = judge(question_of(fields), {"answer": "材料中没有说明，无法判断。"}, document)
    assert (verdict.score, verdict.parts["points_reached"], verdict.parts["conclusion_right"]) == (0, 0, 1)
