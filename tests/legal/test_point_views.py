"""Keyed points beside reported views, conditions, double negation and lists that are denied; labelled before the rules.

The cases and their people are invented. An outcome `open` stands for every one that is uncertain.
"""

import pytest

from steelyard.documents.pages import Document, Page
from steelyard.legal import judge, question_of
from steelyard.legal.points import judge_points
from steelyard.legal.question_types.points import Point
from steelyard.text.normalisation import normalise

HELPING = {
    "text": "构成帮助信息网络犯罪活动罪",
    "points": 2,
    "aliases": ["以帮助信息网络犯罪活动罪定罪"],
    "forbidden": ["构成诈骗罪"],
    "conclusion": True,
}
SURRENDER = {
    "text": "构成自首",
    "points": 2,
    "aliases": ["成立自首", "认定为自首"],
    "forbidden": ["不构成自首"],
    "conclusion": True,
}
REJECTION = {
    "text": "the rejection was effective",
    "points": 2,
    "aliases": ["the rejection is valid", "rejection was in time"],
    "forbidden": ["the rejection was ineffective"],
    "conclusion": True,
}
GUARANTEE = {"text": "担保合同无效", "points": 2, "forbidden": ["担保有效"], "conclusion": True}
LIABILITY = {"text": "liability is unlimited", "points": 2, "forbidden": ["liability is limited"], "conclusion": True}
NOTICE = {"text": "the notice was written", "points": 2, "forbidden": ["the notice was oral"], "conclusion": True}
LOSS = {"text": "deliberate deceit", "points": 1, "aliases": ["fraud"]}
PART = {"text": "年利率14.6%", "points": 1, "aliases": ["14.6%"]}

DOCUMENT = Document("a.md", (Page(1, "甲与乙订立合同（虚构）。", ()),), "")

# fmt: off
SAID = [
    # a negation after the point, or over a list of points
    ("damages", "Damages, replacement or price reduction are not available under the Agreement.", "denied"),
    ("replacement", "Damages, replacement or price reduction are not available under the Agreement.", "denied"),
    ("price reduction", "Damages, replacement or price reduction are not available under the Agreement.", "denied"),
    ("damages", "Damages and replacement were excluded.", "open"),  # of a carve-out it may be the point
    ("damages", "The Buyer may claim damages; replacement is excluded.", "given"),
    ("damages", "The Buyer may claim damages, and replacement is not available.", "given"),
    ("damages", "None of the following is available: replacement, price reduction, damages.", "denied"),
    ("replacement", "None of the following is available: replacement, price reduction, damages.", "denied"),
    ("replacement", "The following are available: replacement, price reduction, damages.", "given"),
    ("更换", "下列救济均不可用：更换、减价、赔偿损失。", "denied"),
    ("减价", "下列救济均可用：更换、减价、赔偿损失。", "given"),
    ("replacement", "Replacement is excluded; the Buyer may only ask for repair.", "open"),
    ("更换", "更换、减价均不可主张。", "denied"),
    ("更换", "可以主张更换，减价不可主张。", "given"),
    (HELPING, "逄川构成帮助信息网络犯罪活动罪的说法是错误的，他无罪。", "denied"),
    (HELPING, "说逄川构成帮助信息网络犯罪活动罪是不对的。", "denied"),
    (SURRENDER, "逄川成立自首这一点难以成立。", "denied"),
    (REJECTION, "It is not true that the rejection was effective.", "denied"),
    (REJECTION, "The view that the rejection was effective is wrong.", "denied"),
    ("微信聊天记录", "微信聊天记录因未公证而不予采纳。", "open"),
    ("微信聊天记录", "除了借条和转账凭证，微信聊天记录不能作为证据。", "denied"),
    ("转账凭证", "除了借条和转账凭证，微信聊天记录不能作为证据。", "given"),
    ("借条", "借条、转账凭证、微信记录都不能提交。", "denied"),
    ("微信记录", "借条、转账凭证、微信记录都不能提交。", "denied"),
    ("借条", "借条、转账凭证、微信记录都可以提交。", "given"),
    # a condition is no finding
    (SURRENDER, "如果逄川如实供述，则成立自首；但他是否如实供述尚不清楚。", "open"),
    (REJECTION, "If the goods were defective, the rejection was effective; but that is unclear.", "open"),
    ({**SURRENDER, "conclusion": False}, "如果逄川如实供述，则成立自首；但他是否如实供述尚不清楚。", "open"),
    # forms that a party claims, that are rejected, or that hang on an unmet condition
    (HELPING, "有观点认为逄川构成诈骗罪，因为他得了好处。但这一观点不能成立，"
              "综上，应当以帮助信息网络犯罪活动罪定罪处罚。", "given"),
    (SURRENDER, "有人认为逄川不构成自首，但这种看法不对，其主动投案，应当认定为自首。", "given"),
    (REJECTION, "The Seller contends that the rejection was ineffective, but it is wrong: "
                "the rejection is valid.", "given"),
    (REJECTION, "It would be wrong to say that the rejection was ineffective; the rejection was in time.", "given"),
    (REJECTION, "It would be wrong to say that the rejection was effective.", "denied"),
    (SURRENDER, "不能说逄川不构成自首：他主动投案，应当认定为自首。", "given"),
    (SURRENDER, "不能说逄川构成自首。", "denied"),
    (GUARANTEE, "麦青禾主张担保有效，该主张不成立，担保合同无效。", "given"),
    (GUARANTEE, "担保有效，麦青禾主张的理由成立。", "forbidden"),
    (LIABILITY, "The Seller says that liability is limited to the price. This is not correct. "
                "Liability is unlimited.", "given"),
    (LIABILITY, "Liability is limited to the price.", "forbidden"),
    (HELPING, "公诉机关在起诉书中认为逄川构成诈骗罪；法院没有采纳，逄川构成帮助信息网络犯罪活动罪。", "given"),
    (HELPING, "如果逄川与他人事前通谋，则构成诈骗罪；本案没有通谋，构成帮助信息网络犯罪活动罪。", "given"),
    (NOTICE, "If the notice was oral, it would be void. The notice was written.", "given"),
    (HELPING, "公诉机关指控正确，逄川构成诈骗罪。", "forbidden"),
    # a negator that governs the clause and not the ground
    (LOSS, "The cap does not help: clause 9.3 excludes it in cases of fraud, and Mr Sefton forged it.", "open"),
    (LOSS, "The cap does not cover fraud.", "open"),
    (LOSS, "There was no fraud.", "denied"),
    # bounds
    (PART, "只有14.6%以内的部分受保护。", "given"),
    (PART, "只有15%以内的部分受保护。", "missed"),
    # rights and findings are no doubt
    ("damages", "Damages may be claimed.", "given"),
    ("自首", "可以认定为自首。", "given"),
    ("damages", "Damages might be claimed.", "open"),
    ("自首", "好像是自首。", "open"),
    # variants of these, labelled after the first ones were met and before they were judged
    ("减价", "不能主张更换、减价或者赔偿损失。", "denied"),
    ("赔偿损失", "买方不能主张更换，可以请求赔偿损失。", "given"),
    ("利息", "利息不能得到支持。", "open"),
    ("利息", "不支持的项目包括：利息、违约金。", "denied"),
    ("利息", "利息、违约金等请求，法院都没有支持。", "open"),
    ("违约金", "应当支付违约金和逾期利息，不支持其他请求。", "given"),
    ("price reduction", "The Buyer cannot claim damages, replacement or price reduction.", "denied"),
    ("damages", "The seller did not reply; the buyer may claim damages or repair.", "given"),
    ("written notice", "Written notice, payment and proof are not required.", "denied"),
    ("damages", "Damages cannot be claimed.", "denied"),
    (SURRENDER, "逄川构成自首，这一说法是不对的。", "denied"),
    (SURRENDER, "被告人认为其不构成自首，理由不成立。其成立自首。", "given"),
    (REJECTION, "It would be a mistake to think that the rejection was ineffective; the rejection is valid.", "given"),
    (REJECTION, "Even if the goods were used, the rejection was effective.", "given"),
    ("超过5万元", "赔偿不超过5万元。", "open"),
    ("更换", "更换、减价均无需对方同意。", "given"),
    ("gross negligence", "Gross negligence was not proved.", "open"),
    (GUARANTEE, "担保合同无效的可能性很小。", "denied"),
    (REJECTION, "It is doubtful that the rejection was effective.", "open"),
    (REJECTION, "The court held that the rejection was ineffective.", "forbidden"),
]
# fmt: on


@pytest.mark.parametrize(("point", "text", "expected"), SAID)
def test_what_an_answer_says_of_a_point_among_views(point, text, expected):
    described = point if isinstance(point, dict) else {"text": point, "points": 1}
    (verdict,) = judge_points([Point.of(described)], normalise(text))
    assert ("open" if verdict.is_uncertain else verdict.outcome) == expected


VAGUE = "He walked to the market in the morning, bought some bread, met a friend, and came home late."


@pytest.mark.parametrize(
    ("answer", "uncertain"),
    [
        ("货物在交付之前已经损坏，由此产生的一切后果都应当由送货的那一方自行处理，与收货的一方没有任何关系。", True),
        ("货物已经损坏。", False),
        (VAGUE, True),
        ("He walked home.", False),
        ("可以主张更换，也可以主张减价，还可以要求对方把因为货物损坏而多付出去的那些钱全部补回来。", False),
        ("更换、减价均不可主张，因为货物在交付之后才损坏，损坏的原因完全在收货的一方，与送货的一方没有关系。", False),
    ],
)
def test_a_long_answer_of_which_no_point_is_found_is_uncertain(answer, uncertain):
    points = [{"text": "更换", "points": 1}, {"text": "减价", "points": 1}]
    question = question_of({"id": "q", "type": "key_points", "question": "有何救济？", "points": points})
    assert judge(question, {"answer": answer}, DOCUMENT).uncertain is uncertain


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("担保合同无效。", "the conclusion is not wrong"),
        ("担保是另一回事。", "no conclusion was found"),
        ("担保有效。", "担保有效"),
    ],
)
def test_the_reason_says_whether_a_conclusion_was_found(answer, words):
    question = question_of({"id": "q", "type": "key_points", "question": "担保如何？", "points": [GUARANTEE]})
    assert words in judge(question, {"answer": answer}, DOCUMENT).why["conclusion_right"].text()
