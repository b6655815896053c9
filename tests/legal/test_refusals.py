"""Refusals by class: what decides is whether the asked item was supplied, not whether a word of refusal occurs."""

import json

import pytest

from steelyard.legal import detect_abstention

OWNER = "涉案车辆的登记车主是谁？"
SIGNER = "Who signed the second letter?"


def refuses(answer, question):
    return detect_abstention(answer, question=question).abstains


@pytest.mark.parametrize(
    "answer",
    [
        "根据已有信息，我暂时回答不了这个问题。",
        "很抱歉，我无法为您提供该车登记车主的姓名，建议您到车管所查询。",
        "作为AI语言模型，我没有权限查看车辆登记数据。",
        "这超出了我的知识范围。",
        "涉及个人隐私，恕不能提供。",
        "无可奉告。",
        "I'm not able to answer that based on the provided documents.",
        "This is not something I can help with.",
        "I must decline to answer that question.",
        "I'd need to see the registration to answer that.",
    ],
)
def test_the_speaker_refuses(answer):
    """Inability, lack of access and policy are refusals in any wording, with a referral or without."""
    assert refuses(answer, OWNER)
    assert refuses(answer, "")


@pytest.mark.parametrize(
    "answer",
    [
        "检索结果中没有与“车主”直接相关的段落。",
        "文档信息不足，因此我无法基于提供的文档回答该问题。",
        "材料里压根没提。",
        "文中没有。",
        "车主姓名一栏是空着的。",
        "扫描件字迹模糊，无法辨认。",
        "文档中仅记载了车牌号，车主姓名并没有出现。",
        "The provided context doesn't contain information about who signed it.",
        "There's nothing in the document about the signature.",
        "The file mentions a letter without naming the signatory.",
        "The name has been redacted.",
        '{"answer": null, "reason": "not found"}',
    ],
)
def test_the_source_does_not_give_it(answer):
    """Absence is a refusal: not written, not found, illegible, blank, null."""
    assert refuses(answer, OWNER)
    assert refuses(answer, SIGNER)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of Zorbania?", "There is no country called Zorbania."),
        ("What is the capital of Zorbania?", "Zorbania doesn't seem to be a recognized place."),
        ("“飞天猫”是哪位作者的作品？", "历史上并没有一部叫“飞天猫”的作品。"),
        ("2030年世界杯冠军是谁？", "2030年世界杯尚未举行，目前无法得知冠军是谁。"),
    ],
)
def test_no_such_thing_is_known(question, answer):
    """That the thing asked about is not known is a refusal."""
    assert refuses(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("合同是哪天签的？", "请问您说的是哪一份合同？"),
        ("我能起诉吗？", "作为律师，我需要了解更多的情况才能给出建议。请问对方是谁？是否签过合同？"),
        ("What does it cost?", "Could you please clarify which product you mean?"),
    ],
)
def test_asking_back_without_an_answer(question, answer):
    """Questions put back to the asker state nothing."""
    assert refuses(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("在历史上，武松打虎发生在哪一年？", "无法确定其发生的具体年份。然而，根据小说，故事发生在宋朝。"),
        ("On what exact day did they meet?", "The transcript doesn't give the day. However, it was in the spring."),
        ("周杰伦的下一首单曲叫什么？", "我不知道，但是你可以在他的官方网站上查看最新消息。"),
        ("What was the settlement amount?", "The parties settled in March 2019, but the amount was not disclosed."),
        ("货物的数量和单价分别是多少？请给出单价。", "数量是300吨，单价在合同和送货单中都没有写。"),
    ],
)
def test_a_coarser_or_another_fact_does_not_supply_it(question, answer):
    """Background, a referral, a coarser fact and the known part of the matter leave the refusal standing."""
    assert refuses(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("退款是哪一天？", "起诉书未载明，但判决书认定为2020年8月30日。"),
        (OWNER, "判决书没有直接写明，结合第5页行驶证可知，登记车主是赵六。"),
        ("谁是冠军？", "我不太确定，不过应该是中国队。"),
        ("Which horse won?", "I'm not completely sure, but I believe it was Red Rum."),
        ("Who is the mayor?", "I don't have real-time information. As of my last update, the mayor was Ann Lee."),
        ("恐龙为什么灭绝？", "科学界目前尚无定论，较为主流的观点是小行星撞击导致气候剧变。"),
    ],
)
def test_the_item_follows_the_refusal(question, answer):
    """After 但, an inference or a statement of one's knowledge the asked item counts."""
    assert not refuses(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (OWNER, "登记车主为赵六，购车时间材料未载明。"),
        ("一共收了多少钱？", "总额42000元；至于用途，材料未提及。"),
        (
            "Who can terminate the agreement?",
            "Either party can terminate. The agreement does not specify a fee for doing so.",
        ),
        ("How old is the universe?", "About 13.8 billion years, although the exact figure is not known."),
        ("Can I sue my landlord?", "Yes, you can sue your landlord. I can't give legal advice, so see an attorney."),
    ],
)
def test_only_a_side_detail_is_missing(question, answer):
    """A full answer with a note that something else is not there, or with a disclaimer, is an answer."""
    assert not refuses(answer, question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("检察院为什么不起诉？", "检察院认为现有证据不足，不符合起诉条件，故作出存疑不起诉决定。"),
        ("法院为什么驳回？", "原告未能提供充分证据证明借款事实，应承担举证不能的法律后果。"),
        ("合同对违约金是怎么约定的？", "合同对违约金约定不明，按实际损失计算。"),
        ("公告送达适用于什么情形？", "适用于受送达人下落不明，或者用其他方式无法送达的情形。"),
        ("对方不承认借款怎么办？", "收集证据后向法院起诉。如果证据不足，法院可能无法认定借款事实。"),
        ("鉴定结论是什么？", "鉴定结论为无法判断笔迹是否为同一人所写。"),
        ("他是否打了人？", "并无此事。"),
        ("Who was the assailant?", "An unknown man in a grey coat attacked him."),
        ("What did the accused do?", "He remained silent."),
        ("Why was the claim dismissed?", "It was dismissed for insufficient evidence of causation."),
        ("Can vaccines cause autism?", "No. There is no evidence that vaccines cause autism."),
    ],
)
def test_words_of_refusal_are_content(question, answer):
    """Grounds, findings, legal terms, conditions and denials are what was asked for."""
    assert not refuses(answer, question)


def test_general_law_after_a_reservation_answers_an_open_question():
    exposition = "根据《民法典》的规定，出借人有权要求返还借款，协商不成的，可以向人民法院起诉，由借款人承担诉讼费用。"
    assert not refuses("我无法判断您的具体案情。但是，" + exposition * 4, "朋友借钱不还怎么办？")
    assert refuses("我无法判断您的具体案情，建议您咨询律师。", "朋友借钱不还怎么办？")


def test_an_announced_answer_decides():
    assert not refuses("材料没有直接写明。经推算，\n最终答案：赵六", OWNER)
    assert refuses("第一页提到一辆车，第二页提到车牌。\n最终答案：无法确定", OWNER)
    assert refuses("我不知道这个问题的答案是什么。", OWNER)


def test_both_ways_is_uncertain():
    """Where the speaker only describes itself and draws a consequence, rules cannot decide."""
    verdict = detect_abstention("作为语言模型，我没有情感，所以不会感到焦虑。", question="你在什么情况下会焦虑？")
    assert verdict.uncertain


@pytest.mark.parametrize("name", ["abstention", "llm_style", "en_legal"])
def test_real_outputs(legal_lines, name):
    """Outputs of real models: at least 97 % of the decided lines are right, at most 15 % are undecided."""
    path = legal_lines.parent / "real_outputs" / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip("the real outputs are not beside this checkout")
    lines = [line for line in map(json.loads, path.read_text("utf-8").splitlines()) if "abstains" in line]
    verdicts = [detect_abstention(line["answer"], question=line["question"]) for line in lines]
    decided = [(line, verdict) for line, verdict in zip(lines, verdicts, strict=True) if not verdict.uncertain]
    assert len(decided) >= 0.85 * len(lines) - 1
    assert sum(verdict.abstains == line["abstains"] for line, verdict in decided) >= 0.97 * len(decided)


@pytest.mark.parametrize(
    "answer",
    [
        "知识库中未找到您要的答案！",
        "Sorry! No relevant content was found in the knowledge base!",
        "The answer you are looking for is not found in the knowledge base!",
    ],
)
def test_fixed_refusals_of_ragflow(answer):
    assert refuses(answer, "押金是多少？")
    assert refuses(answer, "How much is the deposit?")
