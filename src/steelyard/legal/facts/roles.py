"""Roles of sums and days: collected, returned, still owed, interest; signed, effective, born."""

import re
from functools import lru_cache
from typing import Final

# the first pattern that matches at a position counts, so that 未退 is not 退 and 还欠 is not 还
_ROLES: Final[tuple[tuple[str, str], ...]] = (
    ("owed", 
        r"(?:未|没有|没|尚未|还没有?|仍未|还未)(?:能)?(?:全部)?(?:退|归还|返还|偿还|还给|还清|还(?!是)|付清|支付|"
        r"付)(?:还|款|给)?|"
             r"(?:还|仍|尚|应|需|须|待|要|再)(?:需|须|应|要|得)?(?:退还?|归还|返还|偿还)|欠|(?:还|尚|仍)(?:差|剩|余)|差(?!不)|剩余|剩下|余款|余额|尾款|"
             r"\b(?:owe[sd]?|owing|outstanding|unpaid|remain(?:s|ing|der)?|balance(?! sheet)|still due"
             r"|not (?:been )?(?:returned|"
             r"repaid|refunded))\b"),
    ("returned", r"退(?!休|伍|出|庭|役)(?:还|款|回|给)?|归还|返还|偿还|还(?:了|款|给|清)|"
                 r"\b(?:return(?:ed|s)?|refund(?:ed|s)?|repa(?:id|y|id|yment)|paid back|gave back|given back)\b"),
    ("interest", r"利息|\binterest\b"),
    ("principal", r"本金|\bprincipal\b"),
    ("deposit", r"押金|定金|订金|保证金|\b(?:deposit|earnest money)\b"),
    ("penalty", r"违约金|滞纳金|罚款|罚金|\b(?:penalty|fine|liquidated damages)\b"),
    ("wage", r"工资|工钱|薪|报酬|提成|奖金|\b(?:wages?|salary|bonus|commission)\b"),
    ("rent", r"租金|房租|\brent\b"),
    ("compensation", r"赔偿|赔了|补偿|\b(?:compensat\w+|damages)\b"),
    ("fee", r"手续费|服务费|中介费|好处费|介绍费|律师费|诉讼费|运费|\bfees?\b"),
    ("price", r"价款|总价|合同价|造价|房款|货款|\bprice\b"),
    ("loan", r"借(?:了|款|给|到|走)?|贷款|\b(?:loan|borrow(?:ed)?|len[td])\b"),
    ("signed", r"签(?:订|署|约|了|字|的|名)?|订立|\b(?:signed?|signing|executed)\b"),
    ("effective", r"生效|起效|\b(?:effective|t(?:ake|akes|ook) effect|came into (?:force|effect))\b"),
    ("born", r"出生|生于|生日|\bborn\b|\bbirth\b"),
    ("begun", r"开工|开始|动工|入职|起始|\b(?:began|begins?|start(?:ed|s)?|commenc\w+|hired|joined)\b"),
    ("ended", 
        r"完工|竣工|结束|离职|停工|到期|届满|终止|解除|\b(?:ended|(?<!the )ends?|finish\w+|complet\w+|terminat\w+"
        r"|expir\w+|"
        r"left|stopped)\b"),
    ("reported", r"报案|报警|立案|举报|\b(?:report(?:ed)?|filed)\b"),
    ("delivered", r"交货|交付|送达|发货|到货|\bdeliver\w*\b"),
    ("arrested", r"抓获|到案|拘留|逮捕|归案|\b(?:arrest\w*|detain\w*)\b"),
    ("registered", r"登记|注册|备案|\bregister\w*\b"),
    ("collected", 
        r"收(?!据|益|入|录|回|藏|购)(?:取|到|了|款|受)?|给(?:了|过|付)?|支付|付款?|交(?:了|给)|转(?:账|给|了)?|"
        r"汇(?:款|给)|打款|"
                  r"\b(?:receiv\w+|collect\w+|paid|pays?|payment|gave|gives?|transferred|took)\b"),
)  # fmt: skip
DATE_ROLES: Final = frozenset(
    ("signed", "effective", "born", "begun", "ended", "reported", "delivered", "arrested", "registered")
)
"""Roles that only days have."""
SUM_ROLES: Final = frozenset(("owed", "interest", "principal", "deposit", "penalty", "wage", "rent", "fee", "price"))
"""Roles that only sums have; all others may be said of both."""
_CHARACTERS: Final = "".join(sorted({char for _, words in _ROLES for char in words if char >= "\u4e00"}))
# a role begins with one of its characters, or with a letter
_PATTERN: Final = re.compile(
    rf"(?=[A-Za-z{_CHARACTERS}])(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _ROLES) + ")", re.IGNORECASE
)
_KIN: Final = (frozenset(("loan", "collected")), frozenset(("delivered", "collected")))  # who lends or hands over gives
_ENDS: Final = frozenset(("begun", "ended"))
"""Roles that anything can have: a beginning and an end."""
_GENERIC: Final = frozenset(("collected",))
_FIRST: Final = frozenset(("owed", "returned"))  # 还欠多少工资 asks what is owed


@lru_cache(maxsize=1 << 12)
def roles(text: str) -> list[tuple[str, int, int]]:
    """The roles that words of a text name, with their positions."""
    return [(str(match.lastgroup), match.start(), match.end()) for match in _PATTERN.finditer(text)]


def roles_for(kind: str) -> frozenset[str]:
    """The roles that a value of this kind cannot have."""
    return SUM_ROLES if kind == "date" else DATE_ROLES


@lru_cache(maxsize=1 << 10)
def asked_roles(question: str) -> frozenset[str]:
    """The roles that a question asks about: still owed and returned first, payment only if no other is named."""
    named_roles = roles(question)
    names = frozenset(name for name, _, _ in named_roles)
    return names & _FIRST or names - _GENERIC or names


def contradicts(asked: frozenset[str], stated: frozenset[str]) -> bool:
    """Whether the stated roles are different from the asked ones."""
    if not asked or not stated or (asked <= _ENDS and not stated & _ENDS):
        return False
    return not (asked & stated or any(asked & kin and stated & kin for kin in _KIN))
