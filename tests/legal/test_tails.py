"""No tail pays: a constant text added to every answer of a system raises its mean by at most a hundredth (rule A17).

A note lowers it by no more either: one about anything else, or about the limits of the material or the speaker.
"""

import json
from functools import cache, partial

import pytest
from legal.cheats import honest_line, nearest

from steelyard.io.outputs import record_of
from steelyard.legal import judge
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.systems import baseline

pytestmark = pytest.mark.slow

BUNDLED = load_benchmark(benchmark_folder())
MOST = 0.01
# fmt: off
TEXTS = (
    "其余情况材料未载明，无法确定。", "材料未载明，无法确定。", "以上内容仅供参考，材料未作更多说明。", "无法确定。",
    "除此之外，材料没有提及其他内容。", "最终答案：材料未载明。", "作为AI，我无法提供法律意见。", "具体情况不详。",
    "抱歉，我不知道。", "更多细节材料中没有记载。", "金额、日期、姓名均未载明。", "材料前后矛盾，无法确定。", "未知",
    "请问您指的是哪一方面？", "暂无相关信息。", "经核对，答案以材料为准。", "The document does not state the rest.",
    "The document does not state this.", "Anything else is not stated in the document.", "Final answer: not stated.",
    "As an AI, I cannot give legal advice.", "I don't know.", "N/A", "It is unclear.", "unknown",
    "I'm sorry, but I cannot determine this from the document.", "No further information is available.",
    "The amount, date and name are not specified.", "The statements are inconsistent, so it cannot be determined.",
    "Could you please clarify the question?", "Beyond this, the record is silent.", "Please verify the original.",
)
NOTES = (
    "其余情况材料未载明，无法确定。", "以上内容仅供参考，材料未作更多说明。", "除此之外，材料没有提及其他内容。",
    "作为AI，我无法提供法律意见。", "更多细节材料中没有记载。", "经核对，答案以材料为准。",
    "The document does not state the rest.", "Anything else is not stated in the document.",
    "As an AI, I cannot give legal advice.", "No further information is available.",
    "Beyond this, the record is silent.", "Please verify the original.",
    "如需法律意见，请咨询律师。", "本回答由AI生成，仅供参考，不构成法律意见。",
    "This is not legal advice; please consult a lawyer.", "I am sorry, as an AI I cannot give legal advice.",
)
# fmt: on
PLACES = {
    "after": lambda record, text: record | {"answer": f"{record['answer']} {text}"},
    "before": lambda record, text: record | {"answer": f"{text} {record['answer']}"},
    "as last line": lambda record, text: record | {"answer": f"{record['answer']}\n{text}"},
    "in brackets": lambda record, text: record | {"answer": f"{record['answer']}（{text}）"},
    "in a field": lambda record, text: record | {"text_answer": text},
    "before a fence": lambda record, text: record_of(f"{text}\n```json\n{json.dumps(record, ensure_ascii=False)}\n```"),
}


@cache
def index(name):
    return baseline.Index(list(baseline.passages_of(BUNDLED.documents[name])))


def glued(count):
    """The nearest passages, one under the other."""

    def answer(question, document):
        return honest_line(question, document) | {
            "answer": "\n".join(passage.text for passage in nearest(question, document, count))
        }

    return answer


SYSTEMS = {
    "baseline": lambda question, document: baseline.answer(question, index(document.name)),
    "nearest line": honest_line,
    "two passages": glued(2),
    "three passages": glued(3),
}


@cache
def records(system):
    documents = [BUNDLED.documents[question.about.document] for question in BUNDLED.questions]
    asked = [question.about.question for question in BUNDLED.questions]
    return [SYSTEMS[system](question, document) for question, document in zip(asked, documents, strict=True)]


def mean(system, change=lambda record: record):
    pairs = zip(BUNDLED.questions, records(system), strict=True)
    scores = [judge(each, change(record), BUNDLED.documents[each.about.document]).score for each, record in pairs]
    return sum(scores) / len(scores)


@cache
def plain_mean(system):
    return mean(system)


def check(system, texts_and_places):
    means = {key: mean(system, partial(PLACES[key[1]], text=key[0])) for key in texts_and_places}
    assert {key: score for key, score in means.items() if score > limit(system) + MOST} == {}


def limit(system):
    """What a system has without a tail; a pile that loses its last passage to one is what is left of it."""
    return max(plain_mean(system), 0.62 if "passages" in system else 0.0)


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_tail_pays(system):
    places = list(PLACES)
    check(system, [(text, places[number % len(places)]) for number, text in enumerate(TEXTS)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_tail_pays_anywhere(system, place):
    check(system, [(text, place) for text in TEXTS])


def check_costs_nothing(system, notes_and_places):
    changes = {key: mean(system, partial(PLACES[key[1]], text=key[0])) - plain_mean(system) for key in notes_and_places}
    assert {key: change for key, change in changes.items() if abs(change) > MOST} == {}


@pytest.mark.parametrize("system", ["baseline", "nearest line"])
def test_notes_cost_nothing(system):
    places = ("after", "as last line", "before", "in brackets")
    check_costs_nothing(system, [(note, places[number % len(places)]) for number, note in enumerate(NOTES)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["after", "as last line", "before", "in brackets"])
@pytest.mark.parametrize("system", ["baseline", "nearest line"])
def test_notes_cost_nothing_anywhere(system, place):
    check_costs_nothing(system, [(note, place) for note in NOTES])


def test_piles_of_passages_earn_less_than_the_line_that_answers():
    assert plain_mean("two passages") <= 0.62
    assert plain_mean("three passages") <= 0.62
