"""Reasons of legal verdicts in Chinese. The key is the English reason with {} where words of the case stand."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from steelyard.reports.words import Language

REASONS: Final = {
    # whether the answer refuses
    "nothing is said": "没有作答",
    "nothing in the answer declares the item absent or unknown": "回答没有表明所问事项未载明或不知道",
    "after {} the answer goes on: {}": "说了“{}”之后又作答：“{}”",
    "{} is said of something else": "“{}”说的是别的事项",
    "the answer says {}": "回答称“{}”",
    # values
    "the answer gives no such value": "回答没有给出所问的值",
    "the answer disclaims itself ({})": "回答自己存疑（“{}”）",
    "the answer offers alternatives": "回答给出了多个选项",
    "the answer only lists values": "回答只是罗列数值",
    "the answer denies the value": "回答否认了该值",
    "the answer gives several values: {}": "回答给出了多个值：“{}”",
    "{} is said of something else than what was asked": "“{}”说的不是所问的事项",
    "{} is not {}": "回答称“{}”，应为 {}",
    "{} is not exact ({})": "“{}”不确切（{}）",
    "{} is only approximate": "“{}”只是约数",
    "{} is not the result of the equation before it": "“{}”不是前面算式的得数",
    "{} is restated as {}": "“{}”又写作“{}”，两者不符",
    # amounts and counts
    "the answer says about {}": "回答称大约“{}”",
    "the answer says that there was nothing": "回答称数额为零",
    "the answer says that there was none": "回答称数量为零",
    "{} is another currency": "“{}”的币种不符",
    "the answer lists {}": "回答列出的是“{}”",
    "the answer lists nothing": "回答没有列出任何一项",
    "the answer lists every item": "回答列出了全部各项",
    "{} is put down to another item": "“{}”记到了别的项目名下",
    # days
    "{} is a range": "“{}”是一段期间",
    "{} is not a day of the calendar": "“{}”不是公历日期",
    "the answer gives no range": "回答没有给出起止日期",
    "the answer gives several ranges": "回答给出了多段起止日期",
    "{} is not {} to {}": "回答称“{}”，应为 {} 至 {}",
    # names, yes and no
    "in the asked role the answer names {}": "就所问的身份，回答指的是“{}”",
    "in the asked role the answer names another, and {} after that one": "就所问的身份，回答指的是他人，“{}”在其后",
    "in the asked role the answer names another: it denies {}": "就所问的身份，回答否认“{}”",
    "in the asked role the answer names several: it offers alternatives": "就所问的身份，回答给出了多个选项",
    "the answer is {}": "回答即“{}”",
    "the answer names {}": "回答给出了“{}”",
    "the answer names {} in another role": "回答给出了“{}”，但不是以所问的身份",
    "the answer names {}, and {} beside the question's words": "回答给出了“{}”，而所问事项旁边是“{}”",
    "the answer names somebody or something of {}": "回答指的是“{}”的关系人或所有物",
    "the answer disclaims {}": "回答对“{}”不确定",
    "{} does not stand in the answer": "回答中没有“{}”",
    "another name than {}": "回答中的名称不是“{}”",
    "the answer denies {}": "回答否认“{}”",
    "the answer lists several names beside {}": "回答在“{}”之外还列出了其他名称",
    "the answer says no such number": "回答中没有这样的号码",
    "the answer says neither yes nor no": "回答没有说是或否",
    "the answer says that it depends": "回答称视情况而定",
    # fields of a record
    "nothing is expected": "本题没有设定答案",
    "the field is {}": "字段为“{}”",
    "the field is {} to {}": "字段为“{} 至 {}”",
    "the field lists {}": "字段列出的是“{}”",
    "the text disclaims itself ({})": "文本自己存疑（“{}”）",
    "the record is in {}": "记录的币种为 {}",
    "the expected amount {} is no number": "本题设定的金额“{}”不是数字",
    "the expected date {} is none": "本题设定的日期“{}”不是日期",
    "the expected range {} is none": "本题设定的起止日期“{}”不是起止日期",
    # citations
    "the question names no evidence": "本题没有设定证据",
    "every required passage is cited": "应引的段落均已引用",
    "nothing is cited": "没有引用",
    "not page {}": "引用的不是第 {} 页",
    "names another document, {}": "引用的是另一份文档“{}”",
    "names no page, the passage is on page {}": "引用没有标明页码，该段在第 {} 页",
    "cites page {}, the passage is on page {}": "引用标为第 {} 页，该段在第 {} 页",
    "does not include {}": "引文不含“{}”",
    "the words are not on that page": "引文不见于该页",
    "the words are not on that page but on page {}": "引文不见于该页，而在第 {} 页",
    "longer than {} characters": "超过 {} 字",
    "more than {} figures": "数字超过 {} 个",
    "said to be the {}": "引用时标为{}",
    "said to be in {}": "引用时标为{}",
    "not said in the {}": "不是{}中的内容",
    "not in the {}": "不在{}中",
    "{} of {} snippets are relevant": "{1} 个片段中有 {0} 个相关",
    "{} of {} snippets": "应有 {1} 个，只有 {0} 个",
    "a snippet stands on its page": "有片段见于所标的页",
    "no snippet stands on the page it names": "没有片段见于所标的页",
    # gaps
    "the field is too long": "该字段过长",
    "the answer is a copy of the document": "回答只是照抄文档",
    "the answer says nothing that the document has": "回答没有说出任何见于文档的内容",
    "the words of refusal are copied from the document": "表示不知道的话是从文档照抄的",
    "nothing is invented": "未发现编造",
    "quotes {}": "引用了“{}”",
    "does not quote {}": "没有引用“{}”",
    "does not say that statements disagree": "没有指出说法不一",
    "does not give {} on page {}": "没有给出第 {1} 页的“{0}”",
    "says that the statements disagree, and gives them": "指出了说法不一，并给出了各方说法",
    # remarks beside a verdict
    "approx_added": "原文没有“约”，回答加上了",
    "approx_dropped": "原文有“约”，回答略去了",
    "answer_too_long: more than {} characters": "回答超过 {} 字，没有评判",
    "answer_too_long: more than {} figures": "回答中的数字超过 {} 个，没有评判",
    "copies_document: the answer is a copy of the document": "照抄文档：回答只是照抄文档",
    "citations_over_budget: {} are given, {} are read": "引用过多：共 {} 条，只看前 {} 条",
    "wrong_document: {}": "引用了另一份文档：“{}”",
    "invented_citation: {}": "编造的引用：“{}”",
    "parts_do_not_add_up: {} is not {}": "各项之和 {} 与所称合计“{}”不符",
    # answers that could not be judged
    "judging failed: {}": "评判出错：{}",
    "judging took longer than {} s": "评判超过 {} 秒",
    "the answer cannot be written down: {}": "回答无法写入结果：{}",
}
NAMES: Final = {
    "exact_match": "精确匹配",
    "citation_correctness": "引用正确",
    "recall": "证据召回",
    "precision": "证据精确",
    "citation_provided": "有引用",
    "correct_abstention": "拒答正确",
    "no_hallucination": "没有编造",
    "quote_included": "引用原话",
    "conflict_surfaced": "指出矛盾",
    "value_cited": "数值见于引用",
    "penalised_score": "扣罚后得分",
    "passed": "通过",
    "uncertain": "存疑",
    "amount_total": "金额",
    "amount_breakdown": "金额明细",
    "date": "日期",
    "date_range": "起止日期",
    "count": "数量",
    "boolean_answer": "是非",
    "entity": "姓名或名称",
    "text_answer": "文字答案",
    "count_ok": "片段数",
}
"""Parts of a score, fields of an answer, and a remark that has a reason of its own."""
LEADS: Final = {"the text says that it is unknown": "文本却称不知道", "not_judged": "没有评判"}
"""Reasons after which another reason follows."""
WORDS: Final = {
    "yes": "是",
    "no": "否",
    "True": "是",
    "False": "否",
    "no number": "没有数值",
    "approximate": "约数",
    "impossible": "没有这一天",
    "range": "范围",
    "inexact": "概数",
    "bound": "只是上限或下限",
    "rate": "是单价或每期的数额",
    "lunar": "农历",
    "vague": "只是大概时间",
    "coarse": "未精确到日",
    "question": "问话",
    "answer": "答话",
    "header": "首部",
    "qa_pair": "问答部分",
}
KINDS: Final = {
    "quote": "引语",
    "name": "姓名",
    "place": "地名或机构名",
    "money": "金额",
    "date": "日期",
    "time": "时间",
    "count": "数量",
    "number": "数字",
    "percent": "百分比",
    "age": "年龄",
    "phone": "电话",
    "id": "证件号",
    "card": "卡号",
    "serial": "编号",
}
"""What may be invented."""

_QUOTED: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_OPEN: Final = r"""'(?:[^'\\]|\\.)*\Z|"(?:[^"\\]|\\.)*\Z"""
_CAREFUL: Final = rf"({_QUOTED}|(?!{_OPEN}).*?)"
_LENIENT: Final = "(.*?)"
_HEADS: Final = NAMES | LEADS
_HEAD: Final = re.compile(rf"({'|'.join(_HEADS)}): |page (\d+), ({_QUOTED}): ")
_CUT: Final = re.compile(rf"; (?=(?:{'|'.join(NAMES)}): |page \d+, ['\"])")
_INVENTED: Final = re.compile(rf"(.+?) \((forbidden )?({'|'.join(KINDS)})\)(?:, |$)", re.DOTALL)


def reason_in(language: Language, text: str) -> str:
    """The reason in the language, piece by piece; a piece that is not known stays English.

    >>> reason_in("zh", "exact_match: date: 2022年5月30日 is not exact (bound)")
    '精确匹配：日期：“2022年5月30日”不确切（只是上限或下限）'
    """
    return text if language == "en" else "；".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """The pieces in Chinese; those around a cut that lies inside quoted words are taken together."""
    rest = _CUT.split(text)
    while rest:
        joined = ("; ".join(rest[:count]) for count in range(1, len(rest) + 1))
        fitting = ((count, chinese) for count, piece in enumerate(joined, 1) if (chinese := _piece(piece, _CAREFUL)))
        taken, chinese = next(fitting, (1, _piece(rest[0], _LENIENT) or _untranslated(rest[0])))
        yield chinese
        rest = rest[taken:]


def _piece(text: str, slot: str) -> str | None:
    head, body = _headed(text)
    is_list = text.startswith("no_hallucination: ")
    found = _invented(body) or REASONS.get(body) if is_list else _whole(body, slot)
    return None if found is None else head + found


def _untranslated(text: str) -> str:
    return "".join(_headed(text))


def _headed(text: str) -> tuple[str, str]:
    """The names and the place at the head, in Chinese, and what follows them."""
    found = _HEAD.match(text)
    if found is None:
        return "", text
    head = _HEADS[found[1]] if found[1] else f"第 {found[2]} 页“{_bare(found[3])}”"
    more, body = _headed(text[found.end() :])
    return f"{head}：{more}", body


def _whole(text: str, slot: str) -> str | None:
    for pattern, chinese in _patterns(slot):
        match = pattern.fullmatch(text)
        if match and (slot == _LENIENT or not any(_is_cut(group) for group in match.groups())):
            return chinese.format(*(WORDS.get(group, _bare(group)) for group in match.groups()))
    return None


def _is_cut(words: str) -> bool:
    return _bare(words) == words and _CUT.search(words) is not None


def _bare(words: str) -> str:
    """Words without the quotation marks and escapes of `repr`, where they have them."""
    return re.sub(r"\\(['\"\\])", r"\1", words[1:-1]) if re.fullmatch(_QUOTED, words, re.DOTALL) else words


def _invented(text: str) -> str | None:
    """A list of what was invented, such as: 王五 (name), 13800000000 (forbidden phone)."""
    found = list(_INVENTED.finditer(text))
    if not found or found[-1].end() != len(text):
        return None
    items = (f"“{each[1]}”（{'禁止提供的' if each[2] else ''}{KINDS[each[3]]}）" for each in found)
    return f"查出{'、'.join(items)}"


@cache
def _patterns(slot: str) -> list[tuple[re.Pattern[str], str]]:
    """Templates as patterns: first those that begin with words of their own, of these the longest."""
    ordered = sorted(REASONS.items(), key=lambda pair: (pair[0].startswith("{}"), -len(pair[0].replace("{}", ""))))
    return [(_pattern(english, slot), chinese) for english, chinese in ordered]


def _pattern(english: str, slot: str) -> re.Pattern[str]:
    return re.compile(re.escape(english).replace(r"\{\}", slot), re.DOTALL)
