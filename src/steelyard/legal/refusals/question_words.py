"""Patterns for what a question asks for, and stop words."""

import re
from typing import Final

WHY: Final = re.compile(r"为什么|为何|什么原因|因何|何故|缘何|怎么会|为啥|\bwhy\b|\bhow come\b", re.IGNORECASE)
POLITE: Final = re.compile(
    r"(?:(?<=^)|(?<=[,。;?!\s您你请问们我]))(?:能否|能不能|可否|可不可以|可以|能|是否可以|是否能够?|"
    r"是否方便)(?:请|麻烦)?(?:[您你])?(?:帮|协助|告诉|告知|提供|给|为我|麻烦|说明|解释|介绍|查|列|详细|"
    r"具体)[^,。;?]{0,60}"
    r"|\b(?:can|could|would|will) you (?:please |kindly )?(?:tell|give|provide|explain|help|list|describe|show|"
    r"share|name|find|write)\b",
    re.IGNORECASE,
)
WHETHER: Final = re.compile(
    r"是否|有没有|有无|([\u4e00-\u9fff])不\1|能否|是不是|会不会|(?:了|过)没有?\s*[?？]?\s*$|吗\s*(?:[?？]|"
    r"。?\s*$)|^\s*(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)
SPEECH: Final = re.compile(
    r"怎么.{0,8}说|说了什么|(?:如何|怎么|怎样)(?:认定|判决|裁定|看待)|如何(?:陈述|供述|解释|回答|表述)|"
    r"怎么(?:回答|解释|答复|讲|回应|供述|陈述)|怎样说|原话|(?:什么|何种)(?:态度|反应|表示)|"
    r"\bwhat (?:did|does) .{0,40}\b(?:say|state|testify|claim|answer|hold|find|decide|rule|conclude|allege|argue|"
    r"contend|assert|report|explain)\b|\bhow did .{0,40}\b(?:respond|react|answer|reply|explain|plead)\b",
    re.IGNORECASE,
)
KNOWING: Final = re.compile(
    r"知道|知情|记得|清楚|了解|明知|认识|\bkn[oe]w|\bremember|\brecall|\baware\b", re.IGNORECASE
)
OPEN: Final = re.compile(
    r"怎么办|如何|怎样|怎么|哪些|办法|后果|影响|区别|含义|意思|解释|分析|介绍|谈谈|说说|列举|举例|写|建议|描述|"
    r"看法|责任|怎么看|什么样|流程|"
    r"\bhow (?:do|does|did|can|could|should|to|would|will|is|are|was|were)\b|\bwhat (?:are|is) (?:some|"
    r"the (?:difference|best way|meaning|steps))\b|"
    r"\bwhat (?:should|can|would|could|happens?|happened|if)\b|\b(?:explain|describe|list|give|write|tell me|"
    r"provide|discuss|compare|outline|highlight|suggest|create|generate)\b",
    re.IGNORECASE,
)
ASKED: Final = {
    "date": re.compile(
        r"哪一?天|何时|什么时候|哪一?年|哪一年|几几年|日期|几月|几号|几点|多久|什么时间|\bwhen\b|"
        r"\bwhat (?:\w+ )?(?:date|year|day|time)\b|\bhow long\b",
        re.IGNORECASE,
    ),
    "phone": re.compile(r"电话|手机号|号码|联系方式|\bphone\b", re.IGNORECASE),
    "money": re.compile(
        r"多少(?:钱|元|款)|金额|数额|价格|租金|\bhow much\b|\bamount\b|\bprice\b|\bcost\b", re.IGNORECASE
    ),
    "count": re.compile(
        r"几(?:次|人|个|份|辆|台|名|批|位|岁|种|条|家|部|届)|多少(?!钱|元|款)|多大|多高|多重|\bhow (?:many|old|"
        r"tall|far|big|heavy)\b",
        re.IGNORECASE,
    ),
    "person": re.compile(r"谁|哪位|姓名|名字|叫什么|何人|\bwho(?:m|se)?\b|\bname\b", re.IGNORECASE),
    "place": re.compile(
        r"哪里|哪儿|何处|地址|地点|哪个(?:城市|国家|省|地方|学校|大学)|什么地方|\bwhere\b|\baddress\b", re.IGNORECASE
    ),
    "thing": re.compile(r"什么|哪|\bwhat\b|\bwhich\b", re.IGNORECASE),
}
KIND_WORDS: Final = {
    "date": re.compile(
        "日期|时间|哪天|哪一天|几号|年份|哪年|哪一年|何时|时候|\\b(?:date|day|when|year|time|how long)\\b",
        re.IGNORECASE,
    ),
    "phone": re.compile("电话|号码|手机|联系方式|\\b(?:phone|number)\\b", re.IGNORECASE),
    "money": re.compile("数额|金额|多少|款|价|\\b(?:amount|sum|figure|how much|price|cost)\\b", re.IGNORECASE),
    "count": re.compile(
        "次数|人数|几|数量|多少|人口|比例|比率|利率|\\b(?:number|how many|population|figure|count|rate|ratio|age|"
        "height|distance|size)\\b",
        re.IGNORECASE,
    ),
    "person": re.compile(
        "谁|姓名|名字|真名|何人|身份|哪位|作者|人选|全名|\\b(?:who|name|identity|author|writer|creator|owner|person|"
        "inventor|singer|director)\\b",
        re.IGNORECASE,
    ),
    "place": re.compile(
        "哪里|哪儿|地点|地址|何处|地方|去向|下落|哪个|\\b(?:where|location|place|address)\\b", re.IGNORECASE
    ),
    "thing": re.compile("什么|哪|答案|\\b(?:what|which|answer)\\b", re.IGNORECASE),
}
# words of questions that say nothing of their topic; English ones by six letters
STOP_WORDS: Final = frozenset(
    (
        "什么 多少 是什 的是 哪里 specif docume contra this that what which with from have does were there about given"
        " provid text into been when where will would"
    ).split()
)
