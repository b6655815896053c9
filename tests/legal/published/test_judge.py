"""What the script of JuDGE reads in judgments; its own output for each case. All cases are invented."""

import pytest

from steelyard.legal.published.judge import published_reading

OPINION = "本院认为，其行为已构成盗窃罪。依照《中华人民共和国刑法》第二百六十四条之规定，判决如下："
RULING = "被告人邬远舟犯盗窃罪，判处有期徒刑六个月，并处罚金人民币三千元。"
EARLIER = "被告人邬远舟曾因犯诈骗罪被判处有期徒刑二年，并处罚金人民币五千元。现已审理终结。"


def judgment(opinion: str = OPINION, ruling: str = RULING) -> str:
    return f"{EARLIER}{opinion}{ruling}如不服本判决，可在十日内提出上诉。附：相关法律条文，第三百一十二条"


def test_reading():
    assert published_reading(judgment()) == ({"盗窃"}, {264}, 6, 3000)
    assert published_reading("") == (frozenset(), frozenset(), None, None)


@pytest.mark.parametrize(
    ("ruling", "months"),
    [
        ("判处有期徒刑一年六个月", 18),
        ("判处有期徒刑三年零二个月", 38),
        ("判处拘役二个月，缓刑四个月", 2),
        ("判处有期徒刑十年", 120),
        ("判处管制一年", 12),
        ("判处无期徒刑", 240),
        ("判处死刑，缓期二年执行", 10_001),
        ("免予刑事处罚", 0),
        # the faults
        ("判处有期徒刑二年零十一个月", 25),
        ("甲判处有期徒刑一年，乙判处有期徒刑一年", 12),
        ("甲判处有期徒刑一年，乙判处有期徒刑六个月，决定执行有期徒刑一年三个月", 33),
        ("罚金人民币一千元", 24),  # the earlier conviction
    ],
)
def test_months(ruling, months):
    assert published_reading(judgment(ruling=ruling)).months == months


@pytest.mark.parametrize(
    ("ruling", "yuan"),
    [
        ("罚金人民币1.5万元", 15_000),
        ("罚金人民币10,000元", 10_000),
        ("罚金人民币叁万元", 30_000),
        ("甲并处罚金二千元（已缴纳）；乙犯盗窃罪，判处拘役六个月，并处罚金三千元", 5_000),
        # the faults
        ("甲并处罚金二千元（已缴纳）；乙犯盗窃罪，判处拘役六个月，并处罚金二千元", 2_000),
        ("甲罚金二千元；乙罚金三千元", 2_000),
        ("罚金人民币1x万元", 1),
        ("罚金，限期缴纳五千元", 5_000),  # the earlier conviction
        ("有期徒刑一年", 5_000),
        ("罚金30，000元", 5_000),
    ],
)
def test_fines(ruling, yuan):
    assert published_reading(judgment(ruling=ruling)).fine == yuan


@pytest.mark.parametrize(
    ("cited", "articles"),
    [
        ("《中华人民共和国刑法》第二百六十四条、第六十七条第三款", {264, 67}),
        ("《中华人民共和国刑法》第二百六十四条，《刑法》第五十二条", {264, 52}),
        ("《中华人民共和国刑事诉讼法》第二百零一条，《刑法》第十条", {10}),
        # the faults
        ("《刑法》第二百六十四条，《刑法》第五十二条", {264}),
        ("《中华人民共和国刑法》第一百三十三条之一", {133}),
        ("《中华人民共和国刑法》第264条", set()),
        ("《中华人民共和国刑法》第二百三十六第一款", set()),
        ("刑法第二百六十四条", set()),
    ],
)
def test_articles(cited, articles):
    assert published_reading(judgment(f"本院认为，依照{cited}之规定，判决如下：")).articles == articles


@pytest.mark.parametrize(
    ("ruling", "charges"),
    [
        ("一、甲犯贩卖毒品罪，乙犯盗窃罪；二、撤销丙犯抢劫罪的判决", {"走私、贩卖、运输、制造毒品", "盗窃"}),
        ("甲犯强制猥亵儿童罪", {"猥亵儿童"}),
        ("甲犯著作权罪", {"侵犯著作权"}),
        ("甲犯应当判处有期徒刑以上刑罚之罪", {"诈骗"}),  # none in the ruling: the earlier conviction
    ],
)
def test_charges(ruling, charges):
    assert published_reading(judgment(ruling=ruling)).charges == charges
