"""The parts of judgments, and where they apply what. All cases are invented."""

import pytest

from steelyard.text.judgments import applied_part, parts_of

OPINION = "本院认为，其行为已构成盗窃罪。依照《中华人民共和国刑法》第二百六十四条之规定，判决如下："
RULING = "被告人邬远舟犯盗窃罪，判处有期徒刑六个月。"
EARLIER = "被告人邬远舟曾因犯诈骗罪被判处有期徒刑二年。现已审理终结。"


def judgment(opinion: str = OPINION, ruling: str = RULING) -> str:
    return f"{EARLIER}{opinion}{ruling}如不服本判决，可在十日内提出上诉。附：相关法律条文，第三百一十二条"


def test_parts():
    whole, reasoning, ruling = parts_of(judgment())
    assert (reasoning, ruling) == (OPINION, RULING)
    assert whole == judgment()


def test_markup_of_models_is_read_alike():
    assert parts_of(judgment().replace("：", ": ").replace("，", ", ")).ruling == RULING


def test_a_judgment_that_ends_early_has_no_ruling():
    assert parts_of(EARLIER + "本院认为，其行为")[1:] == ("本院认为，其行为", "")
    assert parts_of("") == ("", "", "")


def test_statutes_are_applied_in_the_reasoning_and_penalties_in_the_ruling():
    assert applied_part(judgment(), "statutes") == OPINION
    cited = "本院认为，依照《中华人民共和国刑事诉讼法》第二百零一条、《刑法》第十条，判决如下："
    assert applied_part(judgment(cited), "statutes") == "本院认为，依照《刑法》第十条，判决如下："
    assert applied_part(judgment(), "terms") == "判决如下：" + RULING


@pytest.mark.parametrize(
    ("opinion", "ruling", "applied"),
    [
        (OPINION, "一、撤销前罪的缓刑；二、判处拘役一个月。", "判决如下：一、；二、判处拘役一个月。"),
        (
            OPINION,
            "犯盗窃罪，与前罪诈骗罪的刑罚并罚，决定执行拘役一个月。",
            "判决如下：犯盗窃罪，，决定执行拘役一个月。",
        ),
        (
            EARLIER + "裁判结论",
            RULING,
            "判决如下：" + RULING + "如不服本判决，可在十日内提出上诉。附：相关法律条文，第三百一十二条",
        ),
        (EARLIER, "驳回。", "判决如下："),
    ],
)
def test_what_is_revoked_is_not_imposed_and_a_ruling_may_lack_its_formula(opinion, ruling, applied):
    assert applied_part(judgment(opinion, ruling), "terms") == applied
