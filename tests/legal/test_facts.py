"""Facts: the asked role decides among several values; statutes by their numbers; doubt where nothing settles it."""

import pytest

from steelyard.legal import judge_fact

# question, field, expected, answer, whether it is right
ASKED_ROLE = [
    ("违约金比例是多少？", "text_answer", "0.05%", "违约金按日万分之五计算，上限为合同总价的5%。", True),
    ("逾期付款违约金的比例是多少？", "text_answer", "万分之五", "万分之五，上限5%", True),
    ("逾期付款违约金的比例是多少？", "text_answer", "万分之五", "每日万分之五，折合年化18.25%。", True),
    ("逾期付款违约金的比例是多少？", "text_answer", "万分之五", "每日万分之五，折合年化20%。", False),
    ("年利率是多少？", "text_answer", "12%", "月利率1%，折合年利率12%。", True),
    ("月利率是多少？", "text_answer", "1%", "月利率1%，即年利率12%。", True),
    ("月利率是多少？", "text_answer", "12%", "月利率1%，即年利率12%。", False),
    ("第三年的月租金是多少？", "amount_total", 6000, "第一年月租金5000元，第二年5500元，第三年6000元。", True),
    ("第三年的月租金是多少？", "amount_total", 5000, "第一年月租金5000元，第二年5500元，第三年6000元。", False),
    (
        "第二年的月租金是多少？",
        "amount_total",
        5500,
        "第一年月租金为5000元；第二年月租金为5500元；第三年月租金为6000元，因此三年合计198000元。",
        True,
    ),
    ("第三年的月租金是多少？", "amount_total", 6000, "第三年的月租金为6000元，全年72000元。", True),
    ("第三年的月租金是多少？", "amount_total", 6000, "6000元（前两年分别为5000元和5500元）。", True),
    ("月租金是多少？", "amount_total", 3000, "月租金3000元，因此一年租金36000元。", True),
    ("月租金是多少？", "amount_total", 36000, "月租金3000元，因此一年租金36000元。", False),
    ("每年的租金是多少？", "amount_total", 36000, "每月3000元，即每年36000元。", True),
    ("What is the annual rent?", "amount_total", 42000, "$3,500 per month, i.e. $42,000 per year.", True),
    (
        "What is the monthly rent?",
        "amount_total",
        3500,
        "The rent is $3,500 per month, which comes to $42,000 per year.",
        True,
    ),
    (
        "What is the monthly rent?",
        "amount_total",
        42000,
        "The rent is $3,500 per month, which comes to $42,000 per year.",
        False,
    ),
    ("押金是多少？", "amount_total", 10000, "押金10000元，月租金5000元，因此签约时应付15000元。", True),
    ("押金是多少？", "amount_total", 15000, "押金10000元，月租金5000元，因此签约时应付15000元。", False),
    ("欠款本金是多少？", "amount_total", 50000, "本金5万元，利息3000元，因此应付合计53000元。", True),
    ("利息是多少？", "amount_total", 3000, "本金5万元，利息3000元，后来一并归还53000元。", True),
    (
        "总共给了多少钱？",
        "amount_total",
        42000,
        "第一次给了30000元，第二次给了12000元，总共给了42000元，后来退了2000元。",
        True,
    ),
    ("霍听澜总共给了多少钱？", "amount_total", 42000, "霍听澜总共给了42000元，其中30000元是现金。", True),
    ("第二次给了多少钱？", "amount_total", 12000, "第一次给了30000元，第二次给了12000元，总共给了42000元。", True),
    ("第二期款是多少？", "amount_total", 80000, "第一期50000元，第2期80000元，第三期30000元，合计160000元。", True),
    ("违约金是多少？", "amount_total", 100000, "合同总价50万元，违约金为20%，因此应支付10万元。", True),
    ("律师费是多少？", "amount_total", 8000, "律师费8000元，诉讼费2300元，合计10300元。", True),
    (
        "2021年的营业额是多少？",
        "amount_total",
        1200000,
        "2020年营业额为100万元，2021年为120万元，2022年为130万元。",
        True,
    ),
    ("2021年的工资是多少？", "amount_total", 60000, "2020年工资为5万元，2021年工资为6万元，因此两年合计11万元。", True),
    ("合同约定的违约金比例是多少？", "text_answer", "20%", "合同约定违约金为总价的20%，法院酌减为10%。", True),
    ("首付比例是多少？", "text_answer", "30%", "首付30%，剩余70%以按揭贷款支付。", True),
    ("定金占合同总价的比例是多少？", "text_answer", "20%", "定金为合同总价的20%，逾期每日按0.1%支付违约金。", True),
    (
        "合同什么时候签订的？",
        "date",
        "2021-03-05",
        "合同于2021年3月5日签订，2021年4月1日生效，因此于2022年3月31日到期。",
        True,
    ),
    (
        "合同什么时候签订的？",
        "date",
        "2022-03-31",
        "合同于2021年3月5日签订，2021年4月1日生效，因此于2022年3月31日到期。",
        False,
    ),
    ("借款金额是多少？", "amount_total", 100000, "借款金额为10万元，月利率1.5%，因此每月利息1500元。", True),
    ("每月利息是多少？", "amount_total", 1500, "借款10万元，月利率1.5%，因此每月利息1500元，一年18000元。", True),
    ("房屋总价是多少？", "amount_total", 2000000, "房屋总价200万元，首付60万元，贷款140万元。", True),
    (
        "What was the deposit?",
        "amount_total",
        5000,
        "The deposit was $5,000 and the monthly rent $2,500, so $7,500 was due on signing.",
        True,
    ),
    ("What was the penalty rate?", "text_answer", "0.05%", "0.05% per day, capped at 5% of the contract price.", True),
    (
        "What was the rent in the third year?",
        "amount_total",
        6000,
        "The rent was $5,000 in the first year, $5,500 in the second year and $6,000 in the third year.",
        True,
    ),
    ("What was the rent in year 3?", "amount_total", 6000, "Year 1: $5,000; Year 2: $5,500; Year 3: $6,000.", True),
    (
        "被告应支付多少违约金？",
        "amount_total",
        30000,
        "原告主张违约金5万元，法院认为过高，因此判令被告支付3万元。",
        True,
    ),
    ("霍听澜收了多少装修款？", "amount_total", 42000, "霍听澜先收装修款30000元，后又收12000元，因此共42000元。", True),
    ("霍听澜收了多少装修款？", "amount_total", 30000, "霍听澜先收装修款30000元，后又收12000元，因此共42000元。", False),
    ("月工资是多少？", "amount_total", 8000, "月工资8000元，另有年终奖20000元。", True),
    ("还剩多少没还？", "amount_total", 20000, "借了5万元，还了3万元，还剩2万元没还，利息另算3000元。", True),
    ("违约金上限是多少？", "text_answer", "5%", "违约金每日万分之五，上限为5%。", True),
    ("一共退了多少钱？", "amount_total", 20000, "一共收了42000元，退了20000元，因此还欠22000元。", True),
    ("管理费每平方米多少钱？", "amount_total", 3.5, "每平方米3.5元，100平方米每月350元。", True),
    ("差额是多少？", "amount_total", -3000, "5000-8000=-3000元", True),
    ("总租金是多少？", "amount_total", 60000, "(3000+2000)×12=60000元", True),
    ("一共多少钱？", "amount_total", 40000, "30000+12000=42000元，42000-2000=40000元，所以是40000元。", True),
    ("现场有几具遗体？", "count", 3, "现场发现三具遗体。", True),
    ("一共有多少具遗骸？", "count", 108, "一百零八具。", True),
    ("甲写了几本书？", "count", 3, "甲写了三本书，其中《2012》最有名。", True),
]


@pytest.mark.parametrize(("question", "field", "expected", "answer", "is_right"), ASKED_ROLE)
def test_the_asked_role_decides_among_several_values(question, field, expected, answer, is_right):
    verdict = judge_fact({field: expected}, answer, question=question)
    assert verdict.correct is is_right, verdict.reason


ARTICLE = "《中华人民共和国民法典》第五百七十七条"
WHICH = "违约责任的法律依据是哪一条？"


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        (ARTICLE, "《民法典》第577条"),
        (ARTICLE, "民法典577条"),
        (ARTICLE, "Article 577 of the Civil Code"),
        (ARTICLE, "依据《民法典》第五百七十七条的规定，应承担违约责任。"),
        ("民法典577条", ARTICLE),
        ("Article 577 of the Civil Code", "《民法典》第577条"),
        ("第585条第2款", "《民法典》第五百八十五条第二款"),
        ("（2021）青01民终1234号", "案号为2021青01民终1234号。"),
        ("（2021）青01民终1234号", "〔2021〕青01民终字第01234号"),
    ],
)
def test_a_statute_or_case_is_compared_by_its_numbers(expected, answer):
    verdict = judge_fact({"text_answer": expected}, answer, question=WHICH)
    assert verdict.correct, verdict.reason


@pytest.mark.parametrize(
    ("expected", "answer", "uncertain"),
    [
        (ARTICLE, "《民法典》第578条", False),
        (ARTICLE, "《合同法》第577条", False),
        (ARTICLE, "不是《民法典》第577条，而是第585条。", False),
        (ARTICLE, "《民法典》第577条、第585条", True),
        ("第585条第2款", "《民法典》第585条", False),
        ("（2021）青01民终1234号", "（2021）青01民终1235号", False),
    ],
)
def test_another_article_is_wrong(expected, answer, uncertain):
    verdict = judge_fact({"text_answer": expected}, answer, question=WHICH)
    assert (verdict.correct, verdict.uncertain) == (False, uncertain), verdict.reason


def test_the_title_of_a_statute_may_be_in_the_question():
    assert judge_fact({"text_answer": ARTICLE}, "第577条", question="依据民法典哪一条？").correct
    assert not judge_fact({"text_answer": ARTICLE}, "第577条", question=WHICH).correct


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("第九名", "第9名"),
        ("six days", "It took 6 days."),
        ("December 15, 2017", "It came out on 15 December 2017."),
        ("5", "five"),
        ("4次方", "与温度的四次方成正比。"),
        ("祝长风、苗青禾", "是苗青禾和祝长风两人。"),
        ("Ann Lee and Bea Moss", "Bea Moss and Ann Lee"),
        ("被告人祝长风", "是祝长风拿走的"),
        ("Judge Helen Ward", "It was Helen Ward."),
    ],
)
def test_another_form_of_a_text_is_right(expected, answer):
    verdict = judge_fact({"text_answer": expected}, answer, question="是哪一个？")
    assert verdict.correct or (expected == "4次方" and verdict.uncertain), verdict.reason


def test_a_list_with_another_name_is_wrong():
    assert not judge_fact({"entity": "祝长风、苗青禾"}, "祝长风、苗青禾、冉予墨", question="谁签了字？").correct


LONG = "双方在合同履行期间有过多次往来，具体情况都记在账上。" * 8


@pytest.mark.parametrize(
    ("field", "expected", "question", "answer"),
    [
        ("text_answer", "潜入地下冬眠", "它们采取了什么行动？", "它们钻入地下深处并休眠。"),
        ("text_answer", "instantaneous speed", "What does the device measure?", "the velocity at a moment"),
        ("entity", "Helen Ward", "Who wrote the report?", "Ward"),
        ("amount_total", 42000, "收了多少钱？", f"{LONG}收据写明了数目。"),
        ("amount_total", 42000, "收了多少钱？", f"{LONG}现金30000元，刷卡12000元，支票5000元。"),
        ("date", "2021-03-05", "哪一天付款？", f"{LONG}次日付款。"),
    ],
)
def test_a_denial_that_is_not_settled_is_uncertain(field, expected, question, answer):
    verdict = judge_fact({field: expected}, answer, question=question)
    assert (verdict.correct, verdict.uncertain) == (False, True), verdict.reason


@pytest.mark.parametrize(
    ("field", "expected", "question", "answer"),
    [
        ("entity", "祝长风", "谁签了字？", "苗青禾签了字。"),
        ("entity", "祝长风", "谁签了字？", "材料未载明签字人，无法确定。"),
        ("entity", "祝长风", "谁签了字？", ""),
        ("text_answer", "HT-2021-077", "合同编号是多少？", "HT-2021-078"),
        ("amount_total", 42000, "收了多少钱？", "收据编号为42000。"),
        ("amount_total", 42000, "收了多少钱？", "30000元、12000元"),
        ("count", 3, "去了几次？", "好几次"),
    ],
)
def test_a_rival_a_refusal_and_a_short_answer_settle_a_denial(field, expected, question, answer):
    verdict = judge_fact({field: expected}, answer, question=question)
    assert (verdict.correct, verdict.uncertain) == (False, False), verdict.reason


@pytest.mark.parametrize(
    ("expected", "answer", "correct"),
    [
        ("https://example.org/a", "网址是https://example.org/a。", True),
        ("https://example.org/a", "The address is https://example.org/ab.", False),
        ("ann@example.org", "Write to ann@example.org.", True),
        ("192.168.0.1", "地址是192.168.0.1。", True),
    ],
)
def test_an_address_is_compared_as_it_stands(expected, answer, correct):
    assert judge_fact({"text_answer": expected}, answer, question="是什么？").correct is correct


@pytest.mark.parametrize(
    ("expected", "question", "answer"),
    [
        ({"amount_total": 500}, "他退了多少钱？", "说他退了500元是不对的。"),
        ({"amount_total": 3000}, "他退了多少钱？", "退还3000元不是事实。"),
        ({"text_answer": "13900001111"}, "他的电话是多少？", "13900001111不是他的电话。"),
        ({"entity": "甲县乙镇丙路3号"}, "他是在哪里被抓获的？", "甲县乙镇丙路3号不是他被抓获的地方。"),
        ({"date": "1990-01-01"}, "他的出生日期是哪一天？", "1990年1月1日不是他的出生日期。"),
    ],
)
def test_a_value_that_is_denied_after_it_is_not_given(expected, question, answer):
    assert not judge_fact(expected, answer, question=question).correct


def test_parts_of_what_was_returned_are_no_rivals_of_the_total():
    question = "李某实际退还了多少钱给王某？"
    answer = "一共是21000元，其中9月4日现金退款18000元，12月20日微信退款3000元。"
    parts = [{"amount": 18000, "description": "现金"}, {"amount": 3000, "description": "微信"}]
    assert judge_fact({"amount_total": 21000, "amount_breakdown": parts}, answer, question=question).correct
    assert judge_fact({"amount_total": 21000, "amount_breakdown": parts}, "21000元。", question=question).correct
    asked = "李某分别退了多少钱？"
    assert not judge_fact({"amount_total": 21000, "amount_breakdown": parts}, "21000元。", question=asked).correct
