"""Legal answers to time: invented accounts in Chinese and English, with names, sums, dates, articles and quotations."""

import calendar
import random
from collections.abc import Callable
from typing import Final

_SURNAMES: Final = "王李张刘陈杨赵周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕"
_GIVEN: Final = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂英建国志远晓梅文博雨桐嘉怡"
_ROLES: Final = ("原告", "被告", "证人", "借款人", "担保人", "经办人", "出租人", "会计", "司机", "第三人")
_CHINESE: Final = (
    "{role}{name}称，{date}其与{other}签订合同，约定货款为{sum}，分{few}笔支付。",
    "根据材料，{name}于{date}通过银行转账向{other}支付{sum}，其余款项至今未付清。",
    "关于违约责任，合同第{article}条约定，逾期付款的一方应当按照每日万分之五支付违约金。",
    "{other}在笔录中承认收到{sum}，但否认该款项属于借款，认为是此前货款的一部分。",
    "对于交货的时间，双方的陈述并不一致：{name}说是{date}，而{other}说记不清楚了。",
    "法院认为，现有证据能够证明双方之间存在买卖关系，{role}{name}的主张应予支持。",
    "此外，租金自{date}起由每月{small}调整为每月{sum}，押金不变。",
    "按照约定，{percent}%的利息应当在每年年底之前结清，{name}没有按时履行。",
    "材料中提到，双方曾经在派出所的主持下进行过{few}次调解，但没有达成一致意见。",
    "需要说明的是，上述金额不包括运输费用和仓储费用，也不包括律师费。",
    "“我当时确实收了钱，但是没有写收条。”{other}在询问时这样回答。",
    "因此，可以确定的是，{role}{name}应当返还的款项共计{sum}，利息另行计算。",
    "事故发生后，{name}被送往市人民医院治疗，住院{few}天，支出医疗费{sum}。",
    "至于{other}是否知情，从目前的记录来看还不能得出明确的结论。",
    "房屋位于新华路{article}号，建筑面积{article}.5平方米，登记在{name}名下。",
    "公司的法定代表人{name}表示，会议于{date}下午{few}点召开，共有{few}人参加。",
    "以上内容仅根据现有材料整理，如有补充证据，结论可能发生变化。",
    "依照《中华人民共和国民法典》第五百{small_numeral}条的规定，当事人应当承担继续履行的责任。",
)
_FIRST: Final = ("John", "Mary", "Peter", "Susan", "David", "Helen", "Robert", "Alice", "Thomas", "Karen", "Brian")
_LAST: Final = ("Smith", "Carter", "Walsh", "Nolan", "Hughes", "Barrett", "O'Neill", "Fletcher", "Doyle", "Marsh")
_ENGLISH_ROLES: Final = ("plaintiff", "defendant", "witness", "landlord", "guarantor", "buyer", "seller")
_ENGLISH: Final = (
    "According to the {role}, {name}, the agreement was signed on {date} and the price was {sum}. ",
    "{other} admitted that he had received {sum} in cash, but denied that the money was a loan. ",
    "Under Section {article} of the contract, late payment bears interest at {percent}% a year. ",
    "The statements of the parties disagree about the day of delivery: {name} says that it was {date}. ",
    "Mr {surname} transferred {sum} to the account of {other} in {few} instalments. ",
    "The court found that the evidence was sufficient to prove a sale between the parties. ",
    "It should be noted that this amount does not include the cost of transport and storage. ",
    "“I took the money, but I never wrote a receipt,” {other} said when he was questioned. ",
    "The rent was raised from {small} to {sum} a month with effect from {date}. ",
    "After the accident the {role} spent {few} days at City Hospital and paid {sum} for treatment. ",
    "Whether {name} knew about the transfer cannot be established from the records at hand. ",
    "The {role} therefore has to return {sum} to {other}, with interest to be calculated separately. ",
    "The meeting on {date} was attended by {few} people and began at {few} pm. ",
    "The conclusion may change if further documents are submitted by either party. ",
)
_MONTHS: Final = tuple(calendar.month_name)[1:]


def chinese_statement(length: int, seed: int) -> str:
    """Return an account in Chinese of about this number of characters; another one for each seed."""
    return _joined(_CHINESE, _chinese_values, length, seed)


def english_statement(length: int, seed: int) -> str:
    """Return an account in English of about this number of characters; another one for each seed."""
    return _joined(_ENGLISH, _english_values, length, seed)


def _joined(
    sentences: tuple[str, ...], values: Callable[[random.Random], dict[str, str]], length: int, seed: int
) -> str:
    draw = random.Random(seed)
    text, left = "", [""]
    while len(text + left[-1]) <= length:
        text += left.pop()
        left = left or draw.sample(sentences, len(sentences))
        left[-1] = left[-1].format(**values(draw))
    return text


def _chinese_values(draw: random.Random) -> dict[str, str]:
    sums = (f"{draw.randint(1, 99)}万元", f"{draw.randint(1_000, 99_999)}元", f"人民币{draw.randint(1, 99)},500元")
    return _numbers(draw) | {
        "role": draw.choice(_ROLES),
        "name": _chinese_name(draw),
        "other": _chinese_name(draw),
        "date": f"{draw.randint(2010, 2024)}年{draw.randint(1, 12)}月{draw.randint(1, 28)}日",
        "sum": draw.choice(sums),
        "small": f"{draw.randint(5, 40) * 100}元",
        "small_numeral": draw.choice("六七八九") + "十" + draw.choice("一二三四五六七八"),
    }


def _chinese_name(draw: random.Random) -> str:
    return draw.choice(_SURNAMES) + "".join(draw.choices(_GIVEN, k=draw.randint(1, 2)))


def _english_values(draw: random.Random) -> dict[str, str]:
    surname = draw.choice(_LAST)
    return _numbers(draw) | {
        "role": draw.choice(_ENGLISH_ROLES),
        "name": f"{draw.choice(_FIRST)} {surname}",
        "surname": surname,
        "other": f"{draw.choice(_FIRST)} {draw.choice(_LAST)}",
        "date": f"{draw.randint(1, 28)} {draw.choice(_MONTHS)} {draw.randint(2010, 2024)}",
        "sum": draw.choice((f"${draw.randint(1, 99)},000", f"{draw.randint(1_000, 99_999):,} yuan")),
        "small": f"${draw.randint(5, 40) * 100:,}",
    }


def _numbers(draw: random.Random) -> dict[str, str]:
    numbers = {"few": draw.randint(2, 9), "article": draw.randint(2, 140), "percent": draw.randint(3, 24)}
    return {name: str(number) for name, number in numbers.items()}
