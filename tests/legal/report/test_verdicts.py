"""Reasons of legal verdicts in the language of a report."""

import json
import re

import numpy as np
import pytest
from tables import table_of

from steelyard.i18n import LANGUAGES, Joined, Message, as_message, to_json
from steelyard.io.results import load
from steelyard.legal import judge_fact
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.legal.grounding import claims, inventions
from steelyard.legal.model import FIELD_LABELS, FIELDS, INVENTED, LOOSE, in_one_line, invented_kind
from steelyard.legal.question_types import part_labels
from steelyard.legal.report.verdicts import note_in, reasons_in, translated_remarks

PASSAGE = Message("legal.at_passage", page=1, words="一共收了42000元", reason=Message("legal.not_page", page=1))
WHY = {
    "exact_match": in_one_line(
        [("amount_total", Message("legal.is_not", text="24000元", expected="42000"))], FIELD_LABELS
    ),
    "citation_correctness": Joined("core.clauses", [PASSAGE, PASSAGE]),
}
ENGLISH = {
    "exact_match": "amount_total: 24000元 is not 42000",
    "citation_correctness": "; ".join(["page 1, '一共收了42000元': not page 1"] * 2),
}
SHOWN = {
    "exact_match": "amount: 24000元 is not 42,000",
    "citation_correctness": "; ".join(["page 1, '一共收了42000元': does not cite page 1"] * 2),
}
CHINESE = {
    "exact_match": "金额：回答称“24000元”，应为 42,000",
    "citation_correctness": "；".join(["第 1 页“一共收了42000元”：引用的不是第 1 页"] * 2),
}
NOTE = "; ".join(f"{part}: {why}" for part, why in ENGLISH.items())


def output(**messages):
    verdict = {"reasons": ENGLISH, "remarks": ["approx_added"], "messages": messages}
    return {"question": "?", "verdict": verdict}


def table(found, note=NOTE, metric="legal"):
    return table_of(
        ids=["a"],
        columns={metric: np.zeros(1)},
        kind="legal",
        notes={metric: {0: note}},
        outputs=[found] if found else (),
    )


def stored(why):
    return {part: to_json(each) for part, each in why.items()}


def remarks_in(language, found):
    return [texts[LANGUAGES.index(language)] for texts in translated_remarks(found)]


def test_stored_messages_are_told_in_the_language():
    found = output(reasons=stored(WHY), remarks=[to_json(Message("legal.approx_added"))])
    assert (reasons_in("en", found), reasons_in("zh", found)) == (SHOWN, CHINESE)
    assert (remarks_in("en", found), remarks_in("zh", found)) == (
        ["“about” is added; the document does not have it"],
        ["原文没有“约”，回答加上了"],
    )
    assert (
        note_in("en", table(found), 0)
        == f"exact match: {SHOWN['exact_match']}; citations correct: {SHOWN['citation_correctness']}"
    )
    assert (
        note_in("zh", table(found), 0)
        == f"精确匹配：{CHINESE['exact_match']}；引用正确：{CHINESE['citation_correctness']}"
    )


@pytest.mark.parametrize(
    "messages",
    [
        *({}, {"reasons": {}}, {"reasons": {"exact_match": ["gone.away", {}]}, "remarks": []}),
        *({"reasons": {"exact_match": ["legal.is_not", {"text": "a"}]}}, {"remarks": [["legal.is_not"]]}),
        *({"error": ["gone.away"]}, {"remarks": [[], []]}),
    ],
)
def test_what_is_not_known_stays_english(messages):
    found = output(**messages)
    assert reasons_in("zh", found) == ENGLISH
    assert remarks_in("zh", found) == ["approx_added"]
    for words in ENGLISH.values():
        assert words in note_in("zh", table(found), 0)


def test_a_file_without_messages_shows_its_notes():
    assert note_in("zh", table(None), 0) == NOTE
    assert note_in("zh", table({"question": "?"}), 0) == NOTE
    assert note_in("zh", table({"verdict": {"reasons": ENGLISH}}), 0) == NOTE
    assert note_in("zh", table(output(reasons=stored(WHY)), metric="F1"), 0, "F1") == NOTE
    assert note_in("zh", table(None), 0, "no such metric") == ""


def test_a_failure_is_told_in_the_language():
    message = Message("pipelines.judging_failed", error="ValueError: no")
    found = {"verdict": {"messages": {"error": to_json(message)}}}
    assert note_in("zh", table(found, str(message)), 0) == "评判出错：ValueError: no"


def test_every_reason_of_a_run_is_told_in_chinese(tmp_path):
    said = {"answer": "是，一共24000元，由王五收取。", "citations": [{"page": 1, "text": "没有的话"}] * 9}
    path = tmp_path / "r.jsonl"
    evaluate_legal(lambda question: said if len(question) % 2 else "", path=path)
    result = load(path)
    for row, found in enumerate(result.outputs):
        told = [*reasons_in("zh", found).values(), *remarks_in("zh", found), note_in("zh", result, row)]
        own = re.compile("“[^”]*”")
        assert all(re.search("[a-z]{3}", own.sub("", text)) is None for text in told), told
        assert re.search("[a-z]_[a-z]", note_in("en", result, row)) is None
    assert json.loads(path.read_text("utf-8").splitlines()[1])["output"]["verdict"]["messages"]["reasons"]


@pytest.mark.parametrize(
    ("message", "english", "chinese"),
    [
        (
            Message(
                "legal.invented",
                items=Joined(
                    "legal.items",
                    [
                        Message("legal.invented_item", text=text, kind=invented_kind(kind))
                        for text, kind in (("王五, 李四", "name"), ("555-0142", "forbidden phone"), ("x", "new kind"))
                    ],
                ),
            ),
            "王五, 李四 (name), 555-0142 (forbidden phone), x (new kind)",
            "查出“王五, 李四”（姓名）、“555-0142”（不应出现的电话）、“x”（new kind）",
        ),
        (in_one_line([("unheard_of", as_message("why"))], FIELD_LABELS), "unheard_of: why", "unheard_of：why"),
        (judge_fact({"count": 4}, {"count": True}).why, "count: the field is True", "数量：字段为“是”"),
        (judge_fact({}, "x").why, "the question expects nothing", "本题没有标准答案"),
        (
            judge_fact({"date": "2022-05-30"}, "2022年5月30日之前", question="哪天？").why,
            "date: 2022年5月30日 is not exact (bound)",
            "日期：“2022年5月30日”不确切（只是上限或下限）",
        ),
    ],
)
def test_whole_reasons(message, english, chinese):
    assert (str(message), message.text("zh")) == (english, chinese)


def test_every_part_field_and_kind_has_a_name():
    assert set(FIELDS) <= set(FIELD_LABELS)
    kinds = claims._CHECKED | {kind for kinds in inventions._FORBIDDEN_KINDS.values() for kind in kinds}
    assert kinds | {"quote", "name", "place", "article", "address"} == set(INVENTED)
    labels = {**part_labels(), **FIELD_LABELS}
    assert {name: name for name in labels} == {name: str(label) for name, label in labels.items()}
    assert INVENTED["money"].text("zh") == "金额"
    assert {name: name for name in LOOSE} == {name: str(message) for name, message in LOOSE.items()}
