"""Charges, terms, statutes, case numbers and rates are compared as values by facts and grounding; invented cases."""

import pytest

from steelyard.legal import find_invented, judge_fact


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        ("贩卖毒品罪", "被告人构成走私、贩卖、运输、制造毒品罪。", "被告人构成非法持有毒品罪。"),
        ("帮信罪", "构成帮助信息网络犯罪活动罪。", "不构成帮助信息网络犯罪活动罪，构成诈骗罪。"),
        ("有期徒刑三年六个月", "判处42个月有期徒刑。", "判处有期徒刑三年。"),
        ("拘役五个月", "He received five months of criminal detention.", "判处有期徒刑五个月。"),
        ("拘役一个半月", "判处一个月十五日拘役。", "判处拘役二个月。"),
        ("拘役五个月", "判处五个月拘役。", "判处五个月有期徒刑。"),
        ("月利率2%", "约定年利率24%。", "约定年利率2%。"),
        ("一年期LPR", "按一年期贷款市场报价利率计息。", "按五年期以上LPR计息。"),
        ("4倍LPR", "按LPR的四倍计息。", "按LPR加400个基点计息。"),
        ("《民法典》第五百七十七条至第五百七十九条", "民法典第577条、第578条、第579条。", "民法典第577条、第579条。"),
        ("刑法第一百三十三条之一", "《中华人民共和国刑法》第133条之一", "《中华人民共和国刑法》第133条"),
        ("（2009）浦民一（民）初字第7711号", "案号(2009)浦民一(民)初7711号", "案号(2009)浦民一(民)初7712号"),
    ],
)
def test_an_expected_value_of_law_is_right_in_any_spelling(expected, right, wrong):
    assert judge_fact({"text_answer": expected}, right, question="是什么？").correct
    assert not judge_fact({"text_answer": expected}, wrong, question="是什么？").correct


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        *(("帮信罪", f"{doubt}帮信罪") for doubt in ("可能是", "可能构成", "好像是", "不太确定,是")),
        ("帮信罪", "可能构成帮助信息网络犯罪活动罪"),
        ("帮信罪", "不构成帮信罪"),
        ("帮信罪", "构成诈骗罪"),
        ("帮信罪", "一审认定帮信罪,二审认定诈骗罪"),
        ("有期徒刑三年六个月", "判处有期徒刑三年。"),
    ],
)
def test_a_doubted_or_another_charge_or_term_is_decided_wrong(expected, answer):
    verdict = judge_fact({"text_answer": expected}, answer, question="是什么？")
    assert (verdict.correct, verdict.uncertain) == (False, False)
    beside = judge_fact({"text_answer": "帮信罪"}, "构成帮信罪,可能判处有期徒刑三年", question="是什么罪？")
    assert beside.correct
    both = "一审认定帮信罪,二审认定诈骗罪"
    assert judge_fact({"text_answer": "帮信罪"}, both, question="一审认定什么罪名？").correct


@pytest.mark.parametrize("answer", ["十四个月", "一年零两个月", "主刑是14个月。", "14 months"])
def test_a_duration_is_the_main_penalty_where_it_is_asked_for(answer):
    expected = {"text_answer": "有期徒刑一年两个月"}
    assert judge_fact(expected, answer, question="判处的主刑是什么？").correct
    assert not judge_fact(expected, answer, question="合同的期限是什么？").correct
    assert not judge_fact(expected, "十五个月", question="判处的主刑是什么？").correct


@pytest.mark.parametrize(
    ("context", "grounded", "invented"),
    [
        ("判处有期徒刑三年六个月。", "判处42个月有期徒刑。", "判处43个月有期徒刑。"),
        ("双方约定月息2分。", "双方约定年利率24%。", "双方约定年利率36%。"),
        ("适用《民法典》第577条至第580条。", "适用《民法典》第578条。", "适用《民法典》第581条。"),
        ("依据法释〔2020〕17号。", "依据法释[2020]17号。", "依据法释〔2020〕25号。"),
    ],
)
def test_a_value_of_law_is_grounded_in_any_spelling(context, grounded, invented):
    assert not find_invented(grounded, context, full=True)
    assert find_invented(invented, context, full=True)
