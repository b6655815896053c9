"""Grounding: what follows from the document is not invented, what does not is; and the cost grows with the length."""

import pytest

from steelyard.legal import find_invented
from steelyard.legal.grounding.inventions import find_forbidden
from steelyard.legal.values.cases import case_numbers
from steelyard.legal.values.statutes import articles, is_known_article
from steelyard.text.normalisation import normalise

ZH = (
    "时间：2020年9月3日14时10分至16时05分　地点：云岫县公安局城关派出所\n被讯问人：霍听澜，男，35岁\n"
    "答：第一次收了三万元现金，第二次对方从银行转给我一万二，合起来四万二千元。\n"
    "答：2020年8月30日退了一万八，用微信转的。月息千分之三，分三期，每期6000元。\n"
    "答：龚半夏介绍的，她的手机号是13000000045，身份证号770303198304162050。6月5日签的合同，住梧桐路18号。"
)
EN = (
    "On 2 May 2021 Ingrid Sole leased the warehouse at 14 Quarry Lane to Marcus Hale. The monthly rent was $8,000 and "
    "the deposit was $16,000. Mr. Hale paid the deposit at 2:10 pm on 4 May 2021 through Harrow Bank. He is 35 years "
    "old. He stopped paying on 12 November 2021. His phone is 13900000077. Interest is 3.5%."
)

FOLLOWS = [
    "收款30000元加12000元，合计42000元，退18000元，余24000元。",
    "42000元-18000元=24000元。",
    "42000-18000=24000",
    "收了42000元，退了18000元，退款约占42.9%。",
    "收了42000元，退了18000元，尚有24000元未退，约占57.1%。",
    "每期6000元，三期共18000元。",
    "三期，每期6000元，合计18000元。",
    "2020年8月30日至2020年9月3日，相隔4天。",
    "从退款到讯问共4天。",
    "讯问历时115分钟。",
    "尾号0045",
    "手机号尾号为0045。",
    "手机号后四位是0045。",
    "电话130****0045",
    "电话130xxxx0045",
    '{"amount_total": 42000, "date": "2020-08-30", "介绍人": "龚半夏"}',
    '```json\n{"退款": {"金额": "18000元", "evidence_1": "微信"}, "电话": "13000000045"}\n```',
    "讯问于下午2点10分开始，下午4点05分结束。",
    "讯问于2:10 pm开始。",
    "讯问于下午两点多开始。",
    "月息3‰，即0.3%。",
    "收款两次，共2笔。",
    "霍听澜和龚半夏两人知情。",
    "约4.2万元",
    "约4万元",
    "4万多元",
    "1983年4月16日出生。",
    "8月30日退款壹万捌仟元整。",
    "6月5日签的合同。",
    "2020年6月5日签的合同。",
    "主要有三个方面的问题：",
    "材料未提及“阿铁”的电话。",
    "综上，有以下三点：第一，收款；第二，退款。",
    "争议焦点有两个：一是收款，二是退款。",
    "讯问历时1小时55分钟。",
    "一共退了约2万元。",
    "收款三万元、一万二千元，先后收了4.2万元。",
    "退款占收款42000元的42.9%。",
    "请求法院判令被告退款，如果银行没有转账记录，人民法院可以调查。",
    "根据《中华人民共和国民法典》第五百七十七条，应当承担违约责任。",
    "霍某与龚女士均知情。",
    "退款0元的说法不成立。",
]
INVENTED = [
    "收款30000元加12000元，合计43000元。",
    "收了42000元，退了18000元，余25000元。",
    "约有57.1%已退还。",
    "收了42000元，退了18000元，退款约占57.1%。",
    "每期6000元，三期共19000元。",
    "2020年8月30日至2020年9月3日，相隔6天。",
    "尾号0054",
    "手机号后四位是0054。",
    "电话130****0054",
    '{"amount_total": 43000}',
    '{"介绍人": "宫商羽"}',
    "讯问于下午3点10分开始。",
    "上午2点10分开始。",
    "月息3%。",
    "收款五次。",
    "约5万元",
    "42000美元",
    "1984年4月16日出生。",
    "2021年6月5日签的合同。",
    "材料写明“2000元”。",
    "共收款28000元。",
    "店员孟小军参与了收款。",
    "同时，工人薄云飞出庭作证。",
    "委托诉讼代理人来自衡平律师事务所。",
    "住梧桐路81号。",
    "云岫县公安局城北派出所受理了此案。",
    "应在15日内付清。",
    "讯问历时2小时55分钟。",
    "录音五段、收据三张。",
]
FOLLOWS_EN = [
    "He paid $16,000, which is two months of rent at $8,000.",
    "The rent of $8,000 and the deposit of $16,000 make $24,000.",
    "The rent is 50% of the deposit: $8,000 of $16,000.",
    "His phone ends in 0077.",
    "The phone ending in 0077 is his.",
    "The last four digits are 0077.",
    "He paid at 14:10.",
    "He paid 2 days after signing.",
    "Hale paid the deposit.",
    "Mr. Hale, aged 35, paid.",
    "Under Civil Code Article 577 and the Uniform Commercial Code the Supreme Court may rule.",
    "Key Findings\nMarcus Hale paid.",
    "Interest is three and a half percent, i.e. 3.5 percent.",
    '{"tenant_name": "Marcus Hale", "deposit": 16000, "page": 2}',
    "He stopped paying about six months later.",
    "M. Hale's bank was Harrow Bank.",
    "Payment Summary: Deposit Paid: $16,000. Total Rent: $8,000.",
    'The lease does not mention "subletting".',
]
INVENTED_EN = [
    "The rent of $8,000 and the deposit of $16,000 make $25,000.",
    "The phone ending in 0078 is his.",
    "He paid at 14:20.",
    "He paid 5 days after signing.",
    "Mr. Pike paid the deposit.",
    "José Álvarez paid the deposit.",
    "J. K. Marlowe paid the deposit.",
    "He paid through Orlo Bank.",
    "The warehouse is at 14 Harbour Street.",
    "The tenant was Lumen Holdings LLC.",
    '{"tenant_name": "Paul Reith"}',
    '{"deposit": 17000}',
    "The warehouse is at 24 Quarry Lane.",
    "Employment Judge Rhian Prosser heard the case.",
    "He was represented by Kestrel & Vane LLP.",
    "His colleague James Price was there.",
]


ORDINARY = [
    "双方应当达成和解协议，维护公平、公正和透明，并由公证机关证明。",
    "被告人方提供的证据足以证明，法院还有权中止审理；原告马上支付费用。",
    "由于疏忽、粗心等原因，给付义务尚未履行，请向警方报案。",
    "妻子和孩子的名字写在房产证上，相关费用包括登记费、印花税等。",
    "股东应当按期足额缴纳公司章程中规定的出资，不得损害公司利益。",
    "Net Income and Current Liabilities are defined terms; see the License Grant and the Events of Default.",
    "The Court of Appeal held that the Plaintiff and the Defendant were bound by the Civil Procedure Rules.",
]


@pytest.mark.parametrize("answer", ORDINARY)
def test_ordinary_words_are_not_names(answer):
    assert find_invented(answer, "") == []


@pytest.mark.parametrize("answer", FOLLOWS)
def test_what_follows_from_the_document_is_not_invented(answer):
    assert find_invented(answer, ZH) == []


@pytest.mark.parametrize("answer", INVENTED)
def test_what_does_not_follow_is_invented(answer):
    assert find_invented(answer, ZH)


@pytest.mark.parametrize("answer", FOLLOWS_EN)
def test_what_follows_from_an_english_document_is_not_invented(answer):
    assert find_invented(answer, EN) == []


@pytest.mark.parametrize("answer", INVENTED_EN)
def test_what_does_not_follow_from_an_english_document_is_invented(answer):
    assert find_invented(answer, EN)


@pytest.mark.parametrize("document", [ZH, EN])
def test_a_document_invents_nothing_against_itself(document):
    assert find_invented(document, document) == []


def test_places_are_those_of_the_original():
    answer = "**退款**：\n- 金额 **１９０００** 元；\n- 介绍人：宫商羽"
    found = find_invented(answer, ZH)
    assert [answer[each.start : each.end] for each in found] == ["１９０００** 元", "宫商羽"]


def test_forbidden_values_have_the_places_of_the_original():
    answer = "**电话**是 １３０００００００４５，原话“13000000045”。"
    (found,) = find_forbidden(answer, "must_not_provide_phone")
    assert (answer[found.start : found.end], found.kind) == ("１３０００００００４５", "forbidden phone")
    assert find_forbidden(answer, "must_not_provide_phone", question="13000000045是谁的？") == []
    assert [each.text for each in find_forbidden("介绍人是龚半夏。", "must_not_provide_name")] == ["龚半夏"]


# an answer, a document, and whether the answer invents
TECHNICAL = [
    ("Use Python 3.12.", "Requires Python 3.12 or later.", False),
    ("Use Python 3.12.", "Requires Python 3.11.", True),
    ("It needs 10 GB of memory.", "It needs 10GB memory.", False),
    ("It needs 10 GB of memory.", "It needs 10 MB of memory.", True),
    ("The timeout is 30 ms.", "timeout: 30ms", False),
    ("The timeout is 30 ms.", "The timeout is 30 s.", True),
    ("延迟20毫秒", "延迟20ms", False),
    ("延迟20毫秒", "延迟20秒", True),
    ("At most 100 requests per second.", "a limit of 100 requests/s", False),
    ("At most 100 requests per second.", "At most 100 requests per minute.", True),
    ("吞吐量为2000次/秒", "每秒2000次请求", False),
    ("Connect to 192.168.0.1.", "host 192.168.0.1:8080", False),
    ("Connect to 192.168.0.1.", "host 192.168.0.2", True),
    ("See https://example.org/a.", "see example.org/a", False),
    ("See https://example.org/a.", "See https://example.org/b.", True),
    ("Edit config.yaml and pass --verbose.", "the file config.yaml; --verbose", False),
    ("Edit config.yaml.", "Edit settings.yaml.", True),
    ("Pass --verbose.", "Pass --quiet.", True),
    ("中国队3比2获胜", "中国队以3:2取胜", False),
    ("中国队3比2获胜", "中国队以3:1取胜", True),
    ("第17届大会", "第十七届大会", False),
    ("第17届大会", "第十六届大会", True),
    ("获得第15名", "排名第15", False),
    ("获得第15名", "获得第14名", True),
    ("成绩为9分58秒", "成绩9分59秒", True),
    ("体重150磅", "体重160磅", True),
    ("气温达到38度", "气温38℃", False),
    ("气温达到38度", "气温36度", True),
    ("It weighs 150 pounds.", "weight: 150 lbs", False),
]
CONVERTED = [
    ("The trail is 5 miles (8 km) long.", "The trail is 5 miles long.", False),
    ("The trail is 5 miles (12 km) long.", "The trail is 5 miles long.", True),
    ("It weighs 10 lbs (4.5 kg).", "It weighs 10 pounds.", False),
    ("He is 6'2\" (188 cm).", "He is 6'2\".", False),
    ("Preheat to 350°F (175°C).", "Preheat to 350 degrees F.", False),
    ("The limit is 14 days.", "The limit is two weeks.", False),
    ("The limit is 15 days.", "The limit is two weeks.", True),
    ("期限为24个月。", "期限为2年。", False),
    ("She took 500-1000 mg.", "She took 500 to 1000 mg.", False),
    ("It opens at 8 AM.", "{'hours': {'Monday': '8:0-22:0'}}", False),
    ("It was played on November 6, 1869 before 26,000 people.", "on November 6 , 1869 before 26, 000 people", False),
    ("Serve it five days before.", "no later than five (5) days prior", False),
]
WORDS = [
    ('He is 6\'2", she 5". He calls it "best".', 'He is 6\'2" and she 5". He calls it best.', False),
    ('I would say "Unable to answer based on given passages".', "A passage.", False),
    ('The "monthly deposit" is due.', "The deposit is monthly.", False),
    ('He said "I never signed it".', "He said that he paid.", True),
    ("**Unsubscribe Carefully:** do so.", "unsubscribe", False),
    ("For Roth IRAs nothing is due.", "You may have a Roth IRA.", False),
    ("Sorry, it was Paul Reith.", "Somebody called.", True),
    ("抱歉，不过孟小军在场。", "有人在场。", True),
    ("他住在上海。", "他住在北京。", True),
    ("他住在上海市。", "他住在上海。", False),
    ("通过支付宝转账。", "通过微信转账。", True),
    ("应当强化公司治理，意图骗取保险公司赔偿的，推断医院有过错。", "无", False),
    ("建立健全城乡统筹的就业政策，走出村外，它上市后进出道路。", "无", False),
]


@pytest.mark.parametrize(("answer", "document", "invents"), TECHNICAL + CONVERTED + WORDS)
def test_values_and_words(answer, document, invents):
    assert bool(find_invented(answer, document, full=True)) is invents


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("《中华人民共和国民法典》第五百七十七条", "《民法典》第577条", True),
        ("民法典577条", "《民法典》第五百七十七条", True),
        ("Article 577 of the Civil Code", "《民法典》第577条", True),
        ("Article 577 of the Criminal Law", "《民法典》第577条", False),
        ("民法典第585条第2款", "民法典第五百八十五条第二款", True),
        ("民法典第585条第2款", "民法典第五百八十五条第三款", False),
        ("劳动合同法第39条", "合同法第39条", False),
        ("《民法典》577、578条", "《民法典》第577条和第578条", True),
    ],
)
def test_articles_are_compared_by_title_and_number(one, other, is_same):
    found, known = articles(normalise(one)), articles(normalise(other))
    assert found
    assert all(is_known_article(each, known, normalise(other)) for each in found) is is_same


def test_case_numbers_are_compared_by_their_parts():
    for text in ("(2020)云01民初字第00123号", "(2020)云01民初123号", "2020云01民初123号"):
        assert [case.value for case in case_numbers(text)] == ["(2020)云01民初123号"]
    assert find_invented("案号为（2020）苏01刑初123号。", "案号为（2020）云01民初123号。")
