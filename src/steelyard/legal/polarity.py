"""Yes, no or it depends: the polarity of the clause that answers.

A text is scanned once into clauses with their signs: negators, verdict words, conclusions, claims, conditions, hedges.
The clause that answers is a leading yes or no, else the one that concludes or repeats the predicate of the question.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from steelyard.legal.abstention import detect_abstention
from steelyard.legal.amounts import Judged
from steelyard.text.reading import final_part
from steelyard.text.scripts import HAN

Sense = Literal["yes", "no", "depends", "none"]

# words in which 不, 没, 非, 否, 无 negate nothing
_IDIOMS: Final = (
    "没错 没问题 不得不 不能不 不会不 不可不 不可否认 不仅 不但 不只 不光 不止 不料 不久 不断 不少 不同意见 不管 不论 "
    "无论 不得已 差不多 要不 不错 不妨 不愧 不免 未免 不禁 不由得 对不起 了不起 非常 除非 无非 莫非 是非 非得 否则 "
    "没有疑问 毫无疑问 毋庸置疑 无疑 不容置疑 不容否认 不在话下 无论如何 未来 未婚 未成年 未遂 不动产 毫无保留 "
    "毫不犹豫 "
    "无条件 非但 不假思索 不约而同 无一例外 不言而喻 无可否认 无可争辩 无不 无保留 不单 不惜 无意中 无故 没多久 不日 "
    "不时 不慎 不小心 无异议 没有异议 义不容辞 不加掩饰 不加隐瞒 不加辩解 毫无隐瞒 不讳 不当得利 无期 无偿 没收 没落 "
    "不幸 不满(?=\\d) 不可抗力 不可撤销 不良 不正当 不定期 不特定 不可分割 无限连带 无独立 无民事 无因 无主 非婚生 "
    "非经营性 非全日制 非机动 非货币 不同(?!意) 不等 不利 不低于 不少于 不超过 不晚于 不迟于 不高于 不足(?=\\d) 不影响 "
    "不妨碍 不受影响 不因 未到期 未经 无形 非法人 非典型 非诉 不溯及 不安抗辩 无过错 不作为 不由分说 毫无(?=疑|"
    "保) 无正当理由"
).replace(" ", "|")  # fmt: skip
# what a clause may carry; `c_` and `p_` are the two sides of a pair of opposites, `m_` are modal and verdict words
_ZH: Final = {
    "idiom": _IDIOMS,
    "stop": r"[。!?;！？；\n]",
    "comma": r"[,:，：]|、(?=[不没未无])",
    "contrast": r"而非|而不是",
    "turn": r"而是|(?<![不非])但是?(?!书|凡)|然而|不过(?![问高多分低期户了重轻])|可是(?!否)|却",
    "aside": r"因为|由于|鉴于|虽然?(?!说)|尽管|即使|即便|哪怕",
    "condition": r"如果|如(?=[双对您你他她被原当未不没])|若(?!干)|倘若|假如|假设|只要|除非|一旦|的话|(?:情况|情形|前提|"
    r"条件)下(?=[,，])|[时后](?=[,，])",
    "of": r"的(?=[,，])",
    "depends": r"视(?:具体|个案|不同|实际)?(?:案件|案情)?情况|视情|取决于|要看|需要?看|看(?:具体)?情况|"
    r"不一定|未必|不见得|"
    r"一概而论|分情况|因[^,。;]{1,6}而异|"
    r"部分(?=支持|成立|承认|认可|同意|构成|有效|属实|是|履行|正确|退|还|付|支付)|一部分|具体(?:情况|"
    r"问题)具体分析|[两几]种情况|不完全|不能完全|并非完全|不尽然|视乎|待定",
    "both": r"或者?(?=[不没未])|还是(?=[不没未])|与否|时而|一会儿|一时说|既[^,。;]{0,10}[又也]|说法不一|"
    r"前后矛盾|各执一词|莫衷一是",
    "hedge": r"可能[^。;]{0,14}也可能|也许|或许|好像|猜测?|估计|恐怕|说不准|不好说|不能?排除|不太?确定|记不[清得]",
    "lean": r"(?<![不尽])可能(?!性)|应该(?:就?是|为|有|在)|疑似|大概|似乎|吧(?=[。!,]|$)",
    "claim": r"诉称|辩称|声称|坚称|自称|(?<!的)主张(?!权利)|抗辩|(?:原告|被告|上诉人|申请人|对方|一方|公诉机关|辩护人|"
    r"双方|单位|公司|当事人|保险人)(?:人|方)?(?:则|都|均|曾|一直)?(?:称|认为|说)|有观点|有人(?:认为|说)",
    "court": r"(?:法院|法庭|本院|仲裁委|仲裁庭|一审|二审|终审|再审|最高法|判决书?|裁定书?)(?=[^。;]{0,40}(?:认定|认为|"
    r"判决|裁定|裁决|支持|驳回|判令|确认|查明|维持|撤销|采纳|采信))|经审理|判决如下|经查",
    "conclude": r"因此|所以|综上|(?<![事缘变无])故(?![意障事乡])|由此|可见|据此|总之|总的来说|因而|从而|结论|"
    r"最终|最后|后来|"
    r"终于|简言之|也就是说|换言之|这意味着",
    "rule": r"第[\d一二三四五六七八九十百千零〇]{1,8}条|规定|《[^《》]{0,24}(?:法|典|条例|规定|解释|办法|意见|细则)》|"
    r"法律上",
    "mostly": r"原则上|一般(?:来说|情况下|而言|来讲)?(?!纳税|保证|债权|经营|人)|通常(?:情况下|来说)?",
    "vacuous": r"如下|以下(?:几|方|是)|下列",
    "rhetoric": r"难道|岂|怎么(?:可能|会|能)|哪(?:能|会)",
    "r_valid": r"无效",
    "r_guilty": r"无罪",
    "c_valid": r"失效|作废|撤销",
    "p_valid": r"有效|生效|成立|效力",
    "c_legal": r"违法|非法|违规|违宪",
    "p_legal": r"合法|合规|正当",
    "c_support": r"驳回|败诉",
    "p_support": r"支持|胜诉|采纳|采信|准许|维持",
    "p_guilty": r"有罪|犯罪",
    "c_written": r"口头|口述",
    "p_written": r"书面",
    "c_paid": r"(?:尚欠|还欠|仍欠|拖欠|欠付)(?:[^,。;]{0,16}?未[还付结清])?",
    "p_paid": r"付清|还清|结清|清偿|还款|偿还",
    "c_true": r"虚假|伪造|捏造|虚构",
    "p_true": r"属实|真实",
    "c_agree": r"反对",
    "p_agree": r"同意|愿意|承认|认可|认罪",
    "c_free": r"被迫|胁迫|强迫|逼迫",
    "p_free": r"自愿|自主",
    "c_right": r"错误|有误|不当",
    "p_right": r"正确|恰当|适当|妥当",
    "c_late": r"按期|按时|准时|如期|及时",
    "p_late": r"逾期(?:[^,。;]{0,6}?未)?|超期|迟延|延迟|超过期限",
    "refuse": r"拒绝|拒不|矢口否认|否认|否决|难以|禁止|严禁|免除|免于|免责|豁免|缺乏|缺少|欠缺",
    "not": r"并非|并不是|不是|绝非|没有|从未|未曾|尚未|不曾|未能|不|没|未|无(?!锡|忌)|非(?!洲)|否",
    "m_may": r"可以|可(?=向|要求|主张|依|随|申请|单方|直接|解除|起诉)|能够?|(?<!所)有权|允许|(?<=不)得|"
    r"(?<=不)可|(?<=无)法|"
    r"(?<=不)准|(?<=无)权",
    "m_must": r"应当?(?!该是)|需要?|必须|须|(?<=[有无])义务|(?<=不)[必用]",
    "m_duty": r"承担|赔偿|义务",
    "c_up": r"减少|下降|降低|下跌|缩减|恶化",
    "p_up": r"增加|上升|提高|上涨|增长|改善",
    "c_alive": r"去世|死亡|身亡|已故|病故",
    "p_alive": r"活着|在世|健在|生存",
    "m_class": r"构成|属于|算|认定为|视为|存在|具有|具备",
}  # fmt: skip
_EN: Final = {
    "idiom": r"\b(?:no|without|beyond) (?:a |any )?(?:doubt|question)\b|\bnot (?:only|just)\b|\b(?:no|not) (?:later|"
    r"earlier|less|more|fewer) than\b|"
    r"\bno\. ?\d|\bwhether or not\b|\bno matter\b|\bwithout (?:prejudice|limitation|delay)\b",
    "contrast": r"\bwithout\b|\brather than\b|\binstead of\b|\bnor\b",
    "turn": r"\bbut\b|\bhowever\b|\binstead\b|(?<!not )yet\b(?! to)|\bnevertheless\b",
    "aside": r"\bbecause\b|\bsince\b|\b(?:even )?though\b|\balthough\b|\bwhile\b|\bwhereas\b|\bdespite\b|"
    r"\bgiven that\b|"
    r"\b(?:by|for|after|before|when|upon|until) (?=\w+ing\b)|\b(?:after|before|when|until)\b",
    "condition": r"\bif\b|\bunless\b|\bprovided that\b|\bin the event\b|\bas long as\b|\bexcept\b|\bonly (?:if|when)\b|"
    r"\bassuming\b",
    "of": r"(?!)",
    "depends": r"\b(?:it|that|this|answer) (?:\w+ )?depends\b|\bdepend(?:s|ing) on\b|\bnot necessarily\b|\bin part\b|"
    r"\bpartly\b|\bpartially\b|"
    r"\bto some extent\b|\byes and no\b|\bcase[- ]by[- ]case\b|\bvaries\b|\bnot (?:entirely|exactly|quite|fully|"
    r"always)\b|\bmay or may not\b",
    "both": r"\bor (?:\w+ ){0,2}not\b|\bsometimes\b|\bconflicting\b",
    "hedge": r"\bmaybe\b|\bperhaps\b|\bpossibly\b|\bi guess\b|\bnot (?:sure|certain)\b|\bunsure\b|\buncertain\b",
    "lean": r"\bprobably\b|\blikely\b|\bmight\b|\bmay (?:be|have)\b|\bi (?:think|believe)\b|\bappears?\b|\bseems?\b|"
    r"\bpresumably\b|\barguably\b",
    "lean_not": r"\bunlikely\b|\bimprobable\b",
    "claim": r"\b(?:claim(?:s|ed)|argue[sd]?|contend(?:s|ed)?|allege[sd]?|assert(?:s|ed)?|maintain(?:s|ed)|submitted|"
    r"testif(?:y|ies|ied)|insist(?:s|ed)?|according to the (?:plaintiff|defendant|claimant))\b",
    "court": r"\b(?:court|tribunal|judge|jury|arbitrator|panel|majority)\b(?=[^.;\n]{0,40}\b(?:held|found|finds|ruled|"
    r"concluded|determined|decided|holds|rejected|granted|denied|dismissed|affirmed|reversed)\b)|\b(?:held|"
    r"found) that\b",
    "conclude": r"\btherefore\b|\bthus\b|\bhence\b|\baccordingly\b|\bconsequently\b|\bin conclusion\b|\bin summary\b|"
    r"\boverall\b|\bultimately\b|\bin short\b|"
    r"\bconclusion\b|\bso\b(?=,| (?:the|he|she|it|they|this|yes|no|we|you)\b)|\bit follows\b|\bfinally\b|"
    r"\bthis means\b",
    "rule": r"\bunder (?=the |section |article |\w+ law|§)|\bsection \d|\barticle \d|\bclause \d",
    "mostly": r"\bgenerally\b|\bin principle\b|\busually\b|\btypically\b|\bas a (?:general )?rule\b|\bin general\b",
    "vacuous": r"\bhere (?:are|is)\b|\bfollowing\b|\bkey points\b",
    "rhetoric": r"\bhow could\b",
    "c_valid": r"\binvalid\w*|\bvoid(?:ed|able)?\b|\bunenforceable\b|\bnull\b|\bexpired\b|\bnonbinding\b|\brevoked\b|"
    r"\brescinded\b",
    "p_valid": r"\bvalid\w*|\benforceable\b|\bbinding\b|\bin (?:force|effect)\b|\beffective\b",
    "c_legal": r"\bunlawful\w*|\billegal\w*|\bunconstitutional\w*|\bimproper\w*|\bwrongful\w*",
    "p_legal": r"\blawful\w*|\blegal\w*|\bconstitutional\w*|\bproper\w*",
    "c_support": r"\bdismiss(?:ed|es|al|ing)?\b|\boverrul\w+|\brevers(?:ed|es|al)\b|\bvacated\b|\blost\b(?! the right)|"
    r"\bunsuccessful\w*|"
    r"\bstruck down\b",
    "p_support": r"\bgrant(?:ed|s|ing)?\b|\bupheld\b|\buphold\w*|\baffirm(?:ed|s|ing)?\b|\bsustain(?:ed|s)?\b|"
    r"\bsucceed\w*|"
    r"\bsuccessful\w*|\bprevail\w*|\bwon\b|\ballow(?:ed|s)?\b",
    "c_guilty": r"\bacquit\w*|\binnocent\b|\bexonerat\w+|\bcleared of\b",
    "p_guilty": r"\bguilty\b|\bconvict(?:ed|ion|s)?\b",
    "c_written": r"\boral(?:ly)?\b|\bverbal(?:ly)?\b|\bunwritten\b|\bspoken\b",
    "p_written": r"\bwritten\b|\bin writing\b",
    "c_paid": r"\bunpaid\b|\boutstanding\b|\bstill ow\w+|\bowes\b|\boverdue\b|\bdefault(?:ed)?\b",
    "p_paid": r"\b(?:re)?paid\b|\b(?:re)?pay(?:s|ing|ment)?\b|\bsettled\b",
    "c_true": r"\bfalse\b|\bforged\b|\bfabricated\b|\buntrue\b|\bfake\b|\bincorrect\b|\binaccurate\b",
    "p_true": r"\btrue\b|\bgenuine\b|\bauthentic\b|\bcorrect\b|\baccurate\b",
    "c_agree": r"\bobject(?:s|ed)\b|\bopposed?\b|\bdisagree[ds]?\b|\bdisput(?:ed|es|e)\b|\bwithheld\b",
    "p_agree": r"\bagree[ds]?\b|\bconsent(?:s|ed)?\b|\baccept(?:s|ed)?\b|\badmit\w*|\backnowledg\w*|"
    r"\bconced\w+|\bconfirm\w*",
    "c_enough": r"\binsufficient\w*|\binadequate\b|\bunreasonabl[ey]\b|\bunfair\b",
    "p_enough": r"\bsufficient\w*|\badequate\b|\breasonabl[ey]\b|\bfair\b",
    "refuse": r"\breject(?:ed|s|ion|ing)?\b|\byet to\b|\blost the right\b|\bexclud\w+|\bwaived?\b|"
    r"\bden(?:y|ies|ied|ying)\b|\brefus(?:e[sd]?|al|ing)\b|"
    r"\bdeclin(?:e[sd]?|ing)\b|\bfail(?:s|ed|ing|ure)?\b|\bneglect(?:s|ed)?\b|\bunable\b|"
    r"\black(?:s|ed|ing)?\b|\bprohibit\w*|\bforbid\w*|\bforbade\b|\bbarred\b|\bpreclud\w+|\bban(?:s|ned)\b|"
    r"\bexempt\w*|\babsence of\b|\bfree (?:of|from)\b|\bfar from\b",
    "c_sign": r"\bnegative\b|\bdeficit\b|\bunprofitable\b",
    "p_sign": r"\bpositive\b|\bsurplus\b|\bprofitable\b",
    "c_up": r"\bdecreas\w*|\bfell\b|\bfall(?:s|en|ing)?\b|\bdrop(?:s|ped|ping)?\b|\breduc\w+|"
    r"\bshr[aiu]nk\w*|\bworsen\w*|\bdeteriorat\w*|\blower(?:ed)?\b",
    "p_up": r"\bincreas\w*|\bgr[eo]w\w*|\bris(?:e|es|en|ing)\b|\brose\b|\bimprov\w*|\baccelerat\w*|"
    r"\bexpand\w*|\bhigher\b",
    "c_alive": r"\bdead\b|\bdied\b|\bdeceased\b",
    "p_alive": r"\balive\b|\bliving\b",
    "c_late": r"\bon time\b|\btimely\b|\bpunctual\w*",
    "p_late": r"\blate\b|\bdelayed\b|\boverdue\b",
    "not": r"\bnot\b|\bcannot\b|\bnever\b|\bno\b|\bnone\b|\bnobody\b|\bnothing\b|\bneither\b|\bhardly\b|\bbarely\b|"
    r"\bscarcely\b",
    "m_may": r"\bmay\b|\bcan\b|\bcould\b|\bable\b|\bpermit\w*|\bentitled\b|\bauthori[sz]ed?\b|\bfree to\b|\bright to\b",
    "m_must": r"\bmust\b|\bshall\b|\bshould\b|\brequire[sd]?\b|\bobligat\w+|\bha(?:s|ve) to\b|\bliable\b|\bliability\b|"
    r"\bneed(?:s|ed)?\b|\bresponsible\b",
    "m_class": r"\bconstitut\w+|\bamount(?:s|ed)? to\b|\bqualif\w+",
    "prefix": r"\b(?:non-?|un|in|im|ir|il|dis)(?=[a-z]{4})",
}  # fmt: skip


def _alternatives(groups: dict[str, str]) -> str:
    return "|".join(f"(?P<{name}>{words})" for name, words in groups.items())


def _at_word(words: str) -> str:
    """The words without the mark of a word's beginning, which stands once before all of them."""
    return re.sub(r"(^|\|)\\b", r"\1", words)


def _openings(patterns: Iterable[str], length: int) -> set[str]:
    """The characters with which an alternative of these patterns may begin, and some more."""
    plain = re.sub(r"\(\?<[=!][^()]*\)|\\b", "", "|".join(patterns))
    return set(re.findall(rf"(?:^|\||\(\?:|\)\?|\[)(?=([^\\(|)\[\]^$]{{{length}}}))", plain))


def _first_characters(patterns: Iterable[str]) -> str:
    """A class of first characters; a position with another one is skipped at once."""
    classes = "".join(re.findall(r"(?:^|\||\(\?:)\[([^\]^]*)\]", "|".join(patterns)))
    return "".join(
        sorted({char for char in _openings(patterns, 1) | set(classes) if not char.isascii() or char in ",:;!?"})
    )


def _first_letters(patterns: Iterable[str]) -> str:
    """Alternatives of first two letters, by the first; a word with others is skipped at once."""
    second: dict[str, set[str]] = {}
    for pair in _openings(patterns, 2):
        if pair[0].isalpha() and pair.isascii():
            second.setdefault(pair[0], set()).add(pair[1])
    return "|".join(f"{first}[{''.join(sorted(letters))}]" for first, letters in sorted(second.items()))


# frequent English words with which no sign begins
_FILLERS: Final = r"(?:the|an?|he|she|his|her|they|their|to|of|at|with|was|were|are|been?|did|does|had|we|our|its)\b"
_SCAN_ZH: Final = re.compile(f"(?=[\\n{_first_characters(_ZH.values())}])(?:{_alternatives(_ZH)})")
_WORDS_EN: Final = _alternatives({name: _at_word(words) for name, words in _EN.items()})
_SCAN_EN: Final = re.compile(
    r"(?P<stop>[!?;\n。]|\.(?=\s|"
    r"$)(?<!\b[a-z]\.)(?<!\b[mdjs][rst]\.)(?<!mrs\.)(?<!inc\.)(?<!ltd\.)(?<!corp\.)(?<!\bco\.)(?<!\bno\.))|"
    r"(?P<comma>,(?!\d)|:(?!\d)|\((?=\w)|\)| - |\band (?=(?:never|not|did|does|"
    r"ha[sd]|was|is|were|are|therefore)\b))|(?P<short>n't\b)|"
    rf"\b(?={_first_letters(_EN.values())})(?!{_FILLERS})(?:{_WORDS_EN})"
)
_WORK: Final = re.compile(r"《[^《》]*》")
_SENTENCE_END: Final = re.compile(r"[。!！;；\n:：](?=[^。!！;；\n:：]{4})|(?<=[a-z0-9]{2})\. (?=[A-Z])")
_SUBJECT: Final = re.compile(
    r"^\s*(?:the|an?|his|her|their|its|this|that|any|either|both) [a-z]+ (?=\w)", re.IGNORECASE
)
_HEAD_NOT: Final = re.compile(r"(?:已经?|会|是)?(?:不|没|未|无|并非)")
_FIRST_VERB: Final = re.compile(r"是|有(?!限)|会(?!计|议)|能(?!力)|可以|应[当该]?|需要?|要(?!求)|算|属于|构成")
_MARK_TOPICS: Final = {
    ("能", "可", "may", "can", "could"): "m_may",
    ("应", "要", "需", "该", "must", "should"): "m_must",
}
_QUOTED: Final = re.compile('“[^“”]*”|「[^「」]*」|『[^『』]*』|"[^"]*"')
_IS_HAN: Final = re.compile(f"[{HAN}]")

_ASKS: Final = re.compile(
    r"是否(?!定的)|能否|(?<!不)可否|会否|有否|应否|有无|有没有|是不是|(?P<v>[\u4e00-\u9fff])[不没](?P=v)以?|可不可以|"
    r"(?:^|,)\s*(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would|should|must|may)\b|\bwhether\b"
)
# a question that is repeated inside a statement: 关于是否承认借款
_ASKED_FORM: Final = re.compile(
    r"(?:是否(?!定的)|能否|(?<!不)可否|会否|有无|有没有|是不是|(?P<v>[\u4e00-\u9fff])[不没](?P=v)|"
    r"可不可以)(?:(?!取决于|要看|需看|应看|视情|看情况)[^,，。;；!?！？:：\n])*|\bwhether\b(?! or not\b)[^,.;!?\n]*"
)
_YES: Final = re.compile(
    r"(?:答案?|回答|结论)?(?:是的?|对的?|嗯|有的?|没错|不错|正确|属实|确实(?:如此|是|有)?|的确(?:如此|是)?|"
    r"当然(?:可以|能|是|会)?|可以的?|能的?|会的?|行的?|真的?|[是为]?肯定的?)|"
    r"yes|yeah|yep|correct|true|right|affirmative|indeed|certainly|absolutely|definitely|of course|"
    r"in the affirmative|yes indeed|"
    r"(?:that|this|it|the statement)(?:'s| is) (?:correct|right|true|so|the case)|(?:是|答案是)?(?:yes|true)"
)
_NO: Final = re.compile(
    r"(?:答案?|回答|结论)?(?:否|不|不是的?|不对|没有?[的过]?|未|无|不能的?|不可以的?|不行的?|不会的?|"
    r"当然不[是能行会]?|[是为]?否定的?|错误?|假的?|并非(?:如此)?|并不是|绝不|绝对不(?:是|行|可以)?|"
    r"还没有?|尚未|从未|并没有|并未|并无此事|无此事|没有这回事)[呢啊]?|"
    r"no|nope|negative|incorrect|false|wrong|not at all|(?:absolutely|certainly|definitely|of course) not|"
    r"in the negative|never|"
    r"(?:that|this|it|the statement)(?:'s| is) (?:not (?:correct|right|true|so|the case)|incorrect|false|wrong|untrue)"
)
_STATED: Final = re.compile(
    r"(?:the )?answer (?:to [\w ]{1,40} )?is (?:therefore |thus )?(?:(?P<yes>yes|affirmative)|no|negative)\b"
)
_BARE: Final = re.compile(
    r"(?P<no>不|无|没有?|不具|未)?(?:需要?|应当?|应该|必须|必|用|须|成立|构成|属于|存在|支持|有权|权|承担|得|可|"
    r"允许|具备|符合|同意|认可|有效|合法|违约|违法|担责|负责|赔偿)的?(?:责任|义务)?"
)
_MAY_ANNOUNCE: Final = re.compile(r"[答结金]|[Aa](?:nswer|NSWER)|onclusion|ONCLUSION|####|A[:：]")
_NEXT_QUESTION: Final = re.compile(r"\n(?:问题|问|question|q)\s?\d{0,2}[:：]", re.IGNORECASE)
_CLARIFIES: Final = re.compile(
    r"请问[您你](?:指|是指|说的|想|能否|可否|具体|所)|[您你]指的是|[您你]是指|请(?:您|"
    r"你)?(?:提供|补充|说明)更多|\bcould you (?:please )?(?:clarify|"
    r"specify|provide)|\bplease (?:clarify|specify|provide more)"
)
_OPENS_YES: Final = re.compile(r"是的|对的|没错|yes\b(?!\s*(?:/|or|and)?\s*no\b)")
_OPENS_NO: Final = re.compile(r"不是[他她它我你]们?$|no (?=(?:it|he|she|they|there|this|that|i|we|you)\b)|不是的")
_SHORT_FORM: Final = re.compile(
    r"(?:(?:he|she|they|it|that|this|i|we|there)|m[rs]s?\.? \w+)? ?(?:certainly |indeed )?"
    r"(?:did|does|do|was|were|is|are|has|have|had|will|would|can|could)(?P<no>n't| not)?"
    r"(?: (?:so|correct|right|true|the case|indeed))?"
)
_SAYS_SO: Final = re.compile(
    r"承认|否认|认可|同意|拒绝|属实|确有|确实|此事|这回事|默认|予以|\b(?:admit|den(?:y|ie)|agree|refus|confirm|"
    r"acknowledg)"
)
# words that every refusal has one of; the judge of refusals is asked only where one occurs
_REFUSAL_HINT: Final = re.compile(
    r"提[及到供]|记[载录不得]|载明|显示|说明|写明|体现|涉及|注明|确[定认]|判断|认定|回答|得知|核实|知[道晓情]|"
    r"清楚|不详|不明|未知|忘|想不|信息|资料|材料|证据|依据|暂无|矛盾|一致|"
    r"查不|找不|无从|无法|没有?数|印象|\b(?:stat|mention|specif|record|provid|disclos|indicat|identif|clear|"
    r"unclear|unknown|avail|address|discuss|f[io]u?nd|establish|document|answer|"
    r"determin|report|contain|show|sa[yi]|t[eo]ld?l?\b|kn[oe]w|info|eviden|detail|silent|conclu|verif|recall|"
    r"remember|forg|omit|inconsisten|contradict|conflict|confirm|sorry|idea)"
)
_LONGEST: Final = 24_000
"""Characters of an answer that are read; of a longer one, its beginning and its end."""
_COMMON: Final = frozenset(
    "the that this with from have been was were any and for his her not did does has had are its their there than "
    "under would will shall may can could should must party parties case court which who whom into upon such".split()
)
_FUNCTION: Final = frozenset(
    "的了在上下中是有没不未无过着地得和与向对把被给到从为以于个这那他她它其人会能可应要需，。,.?？ "
)
_REFUSING: Final = frozenset(
    "拒绝 拒不 矢口否认 否认 否决 难以 禁止 严禁 免除 免于 免责 豁免 缺乏 缺少 欠缺 "
    "deny denies denied denying refuse refuses refused refusal refusing decline declines declined declining fail fails "
    "failed failing failure reject rejects rejected rejecting neglect neglects neglected unable "
    "lack lacks lacked lacking".split()
)
_VERDICTS: Final = frozenset(("m_may", "m_must", "m_class", "valid", "legal", "guilty", "support", "true"))
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s|e)$")
_ASIDE: Final = frozenset(("condition", "aside"))
_MARKS: Final = " ()[]-*>“”\"'、—→✅❌✔✘√×~.·"
_CARRIED: Final = frozenset(("claim", "court", "conclude", "rule", "mostly"))
_OPENS_CLAUSE: Final = frozenset(("contrast", "turn", "aside"))
_DENIAL: Final = re.compile("否认|矢口否认|den(?:y|ie)")
_HEADING: Final = re.compile(
    r"(?:最终)?结论|总结|小结|答案|conclusion|final answer|holding|bottom line|short answer|summary"
)
_SUFFIX: Final = re.compile(r"的话|(?:情况|情形|前提|条件)下|[时后]$")
# a negator that governs what follows it at a distance: 没有证据证明其构成
_FINDS_NOT: Final = re.compile(
    r"(?:不|没有?|未|无|难以|并非)[^,。;]{0,4}(?:认定|认为|证明|证据|足以|足|意味|代表|说明|表明|等于|视为|依据|"
    r"理由|当然|必然|一律|直接)"
)
_ADVERBS: Final = re.compile(
    r"(?:并非|并不是|不是|绝非|没有|从未|未曾|尚未|不曾|未能|[不没未无非])(?:因此|因而|实际|完全|当然|必然|真正|"
    r"依法|能够?|应当?|得|会|再|予以?|被|可以?|足以|曾|经|有|法律|任何|属于|构成|存在|具有|"
    r"认定为|视为|是|就|所有人?|都|一定|直接|单独|另行|继续|"
    r"明确|认为|其|该|的){1,6}"
)
_FINDING: Final = re.compile(
    r"(?:不能|无法|难以|不足以|不应|不宜|不予|未|证据不足|没有[^,。;]{0,6}证据|"
    r"无[^,。;]{0,4}证据)[^,。;]{0,8}(?:认定|证明|证实|表明|支持|构成|成立)"
)
_OPENER: Final = re.compile(
    r"(?:[a-e]$|您好|你好|答|好的|根据|依据|按照|依照|从|关于|对于|就|在|针对|结论|答案|回答|综上|因此|所以|感谢|亲爱|"
    r"based on|according to|under|in this case|"
    r"answer|hello|hi|sure|in short|thus|therefore|so|as |in |with regard|regarding|with respect)"
)
_ABOUT_EXISTENCE: Final = re.compile(
    r"(?:是否|有没有|有无)(?:明确)?(?:约定|规定|包含|载明|写明|存在|列明|提到|提及|说明)|约定了?[^,。]{0,8}吗|"
    r"\b(?:is|are|was|were) there\b|\b(?:contain|include|provide|specify|mention|impose|require|address)\b"
)
_ABOUT_CLAIMS: Final = re.compile(
    r"承认|否认|主张|认罪|认可|辩称|声称|同意|\b(?:admit|den[yi]|claim|argu|conten|assert|agree|plea|alleg)"
)


@dataclass(slots=True)
class _Clause:
    """A clause, where it stands, and its signs."""

    text: str
    sentence: int
    start: int = 0
    is_asked: bool = False
    signs: set[str] = field(default_factory=set)
    sides: list[tuple[int, str]] = field(default_factory=list)
    negators: list[tuple[int, str]] = field(default_factory=list)
    prefixed: list[str] = field(default_factory=list)
    idioms: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks: its predicate, as pairs of characters or stems; its topics; whether it is negative."""

    predicate: str
    pairs: frozenset[str]
    chars: frozenset[str]
    subject: frozenset[str]
    topics: frozenset[str]
    opposites: frozenset[str]
    is_negative: bool
    embedded: tuple[str, ...]
    own_prefixes: frozenset[str]
    words: frozenset[str]
    is_about_existence: bool
    is_about_claims: bool
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a text answers; `sure` is False where rules cannot decide."""

    sense: Sense
    sure: bool = True


_HEAD: Final = re.compile(r"(相同|一致|一样|变更|变化|不同|有效|成立|合法|违法|存在|发生|完成|知情)的?吗?[?？]?\s*$")
"""The word that a question asks about where the rest only says of what; a statement without it answers nothing."""
_ASKED_AGAIN: Final = re.compile(
    r"[^,。;\n!?]{0,80}(?:是否|能否|可否|有无|有没有|是不是|会不会|能不能)[^,。;\n!?]{0,80}"
)
_INVERTED: Final = re.compile(
    r"(?:did|does|do) [a-z]+ |(?:was|were|is|are|has|have|had|can|could|will|would|may|must|should) "
    r"(?:the|a|an|he|she|it|they|any|there|this|that) "
)


@dataclass(slots=True)
class _Said:
    """What one clause says to the question: its polarity, how much of the predicate it repeats, and its signs."""

    positive: bool
    echo: int
    shares_topic: bool
    clause: _Clause

    @property
    def sense(self) -> Sense:
        return "yes" if self.positive else "no"

    def tells(self, asked: _Asked) -> bool:
        """Whether the clause states something of what is asked: one shared character affirms nothing.

        A clause in the order of a question ("did he sign") is the question once more.
        """
        if _INVERTED.match(self.clause.text):
            return False
        text = self.clause.text
        is_about = len(text) <= 4 or any(pair in text for pair in asked.subject)
        return self.echo >= 2 or (self.echo > 0 and (is_about or self.shares_topic or not self.positive))

    def is_strong(self, asked: _Asked) -> bool:
        """Whether the clause repeats enough of the predicate to speak of it."""
        full = 2 * len(asked.pairs) + len(asked.chars)
        return self.echo >= min(8, (full + 1) // 2) or (self.shares_topic and self.echo >= max(4, full // 3))

    def share(self, asked: _Asked) -> float:
        """The share of the predicate that the clause repeats."""
        return self.echo / max(2 * len(asked.pairs) + len(asked.chars), 1)

    def has(self, *signs: str) -> bool:
        return not self.clause.signs.isdisjoint(signs)


def judge_boolean(expected: bool, question: str, answer: str) -> Judged:
    """Whether the answer says so; hedged, two-sided and abstaining answers match neither."""
    reading = _read(question, answer)
    if reading.sense == "none":
        return Judged(False, "the answer says neither yes nor no", uncertain=not reading.sure)
    if reading.sense == "depends":
        return Judged(False, "the answer says that it depends", uncertain=not reading.sure)
    return Judged((reading.sense == "yes") is expected, f"the answer says {reading.sense}", uncertain=not reading.sure)


def polarity(question: str, answer: str) -> bool | None:
    """True, False, or None where the answer does not say, or says that it depends."""
    return {"yes": True, "no": False}.get(_read(question, answer).sense)


@lru_cache(maxsize=1 << 12)
def _read(question: str, answer: str) -> _Reading:
    """The announced final answer where there is one and it speaks; else the whole text."""
    asked = _asked(question)
    answer = _own_part(answer, question) if "\n" in answer else answer
    final = final_part(answer) if _MAY_ANNOUNCE.search(answer) else ""
    if final and len(final) < len(answer):
        reading = _reading_of(final, question, asked)
        if reading.sense != "none" or any("hedge" in clause.signs for clause in _scan(final.lower())):
            return reading
    return _reading_of(answer, question, asked)


def _own_part(answer: str, question: str) -> str:
    """The answer up to another question that the model asks itself and goes on to answer."""
    other = _NEXT_QUESTION.search(answer)
    if other is None:
        return answer
    asked = re.split("[?？\n]", answer[other.end() : other.end() + 200])[0].strip()
    return answer if asked in question else answer[: other.start()]


def _reading_of(answer: str, question: str, asked: _Asked) -> _Reading:
    """What a text says outside its quotations, or, where it says nothing there, inside them."""
    if len(answer) > _LONGEST:
        answer = f"{answer[: _LONGEST // 2]}\n{answer[-_LONGEST // 2 :]}"
    own = _ASKED_AGAIN.sub(lambda again: "" if again[0].strip() in question else again[0], _QUOTED.sub(" ", answer))
    reading = _decide(_clauses(own), answer, question, asked)
    if reading.sense != "none" or not _QUOTED.search(answer):
        return reading
    inside = _decide(_clauses(re.sub('[“”「」『』"]', "", answer)), answer, question, asked)
    return _Reading(inside.sense, sure=inside.sense == "none" and reading.sure)


@lru_cache(maxsize=1 << 10)
def _asked(question: str) -> _Asked:
    """What a question asks; its subject, proper names and titles of works are no part of the predicate."""
    plain = _WORK.sub("", question)
    plain = next((part for part in re.split("[?？]", plain) if part.strip()), plain).rstrip("吗呢么 \n。.")
    pieces = [piece.strip() for piece in _SENTENCE_END.split(plain) if piece.strip()]
    plain = next((piece for piece in reversed(pieces) if _ASKS.search(piece.lower())), pieces[-1] if pieces else plain)
    start, mark = _predicate_start(plain)
    predicate = plain[start:].lower()
    scanned, before = _scan(predicate), _scan(plain[: start - len(mark)].lower())
    verdicts = _scan(predicate[predicate.rfind("的") + 1 :]) or scanned
    kinds = [kind for clause in verdicts for _, kind in clause.sides]
    topics = [kind for clause in scanned for _, kind in clause.sides]
    topics += [topic for words, topic in _MARK_TOPICS.items() if mark.strip(" ,，").startswith(words)]
    negators = [negator for clause in scanned for _, negator in clause.negators]
    lexical = [negator for clause in verdicts for _, negator in clause.negators if negator in _REFUSING]
    heads = bool(negators and mark and _HEAD_NOT.match(predicate))
    flips = heads + len(lexical) + sum(kind[:2] in ("c_", "r_") for kind in kinds)
    subjects = [negator for clause in before for _, negator in clause.negators]
    embedded = tuple({*(each for each in negators[heads:] if each not in lexical), *subjects})
    pairs, chars = _words(plain[start:])
    return _Asked(
        predicate,
        pairs,
        chars,
        subject=_words(plain[: start - len(mark)])[0],
        topics=frozenset(map(_topic, topics)),
        opposites=frozenset(map(_topic, kinds)),
        is_negative=flips % 2 == 1,
        embedded=embedded,
        own_prefixes=frozenset(root for clause in scanned for root in clause.prefixed),
        words=frozenset(re.findall("[a-z]{3,}", plain.lower())),
        is_about_existence=_ABOUT_EXISTENCE.search(plain.lower()) is not None,
        is_about_claims=_ABOUT_CLAIMS.search(plain.lower()) is not None,
        head=head[1] if (head := _HEAD.search(question)) else "",
    )


def _predicate_start(question: str) -> tuple[int, str]:
    """Where the predicate begins, and the words that ask: after 是否 and its like, else after the first verb."""
    marks = list(_ASKS.finditer(question.lower()))
    if marks and marks[-1].end() < len(question):
        return marks[-1].end(), marks[-1][0]
    start = max(question.rfind(","), question.rfind("，")) + 1
    verb = _FIRST_VERB.search(question, start)
    if verb and len(question) - verb.end() >= 2:
        return verb.end() if verb[0] in "是有" else verb.start(), ""
    return start, ""


def _words(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a clause is compared with: stems of English words; pairs and single characters of Chinese."""
    if not _IS_HAN.search(predicate):
        return frozenset(_stems(_SUBJECT.sub("", predicate)) or _stems(predicate)), frozenset()
    lower = predicate.lower()
    return frozenset(lower[at : at + 2] for at in range(len(lower) - 1)), frozenset(lower) - _FUNCTION


def _stems(text: str) -> set[str]:
    """The stems of the content words of an English text; of a question, without proper names if others remain."""
    words = {word for word in re.findall("[A-Za-z]{3,}", text) if word.lower() not in _COMMON}
    plain = {word for word in words if word.islower()} or words
    return {_ENDING.sub("", word.lower())[:5] for word in plain}


def _topic(kind: str) -> str:
    return kind if kind.startswith("m_") else kind[2:]


def _topic_in(kind: str, topics: frozenset[str]) -> str:
    """The topic of a word if it is among these; a claim that is allowed is one that holds."""
    topic = _topic(kind)
    if topic == "support" and topic not in topics:
        topic = "valid"
    return topic if topic in topics else ""


def _clauses(text: str) -> list[_Clause]:
    """The clauses of a text without the questions that it repeats; a rhetorical question is a statement."""
    found = _scan(_ASKED_FORM.sub("", text.lower()))
    return [clause for clause in found if not clause.is_asked or "rhetoric" in clause.signs]


def _scan(text: str) -> list[_Clause]:
    """The clauses of a text in lower case, with their signs, in one pass."""
    scan = _Scan(text)
    pattern = _SCAN_ZH if _IS_HAN.search(text) else _SCAN_EN
    for token in pattern.finditer(text):
        scan.take(token.lastgroup or "", token)
    scan.close(len(text), len(text))
    return scan.found


class _Scan:
    """The state of a scan: the clause that is open, and the signs that hold until its sentence ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[_Clause] = []
        self.start = 0
        self.sentence = 0
        self.first_of_sentence = 0
        self.carried: set[str] = set()
        self.open = _Clause("", 0)

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Put one token where it belongs."""
        if kind in ("not", "short", "refuse", "lean_not"):
            end = token.end() + (2 if kind == "not" else 0)
            self.open.negators.append((token.start(), self.text[token.start() : end]))
            if kind in ("refuse", "lean_not"):
                self.open.signs.add("refuse" if kind == "refuse" else "lean")
            if _DENIAL.match(token[0]):
                self.open.signs.add("denial")
        elif kind == "comma":
            self.close(token.start(), token.end())
        elif kind == "stop":
            self.end_sentence(token)
        elif kind[1] == "_":
            self.open.sides.append((token.start(), kind))
        elif kind == "prefix":
            self.open.prefixed.append(self.text[token.end() : token.end() + 4])
        elif kind == "idiom":
            self.open.idioms.append(token[0])
        else:
            self.mark(kind, token)

    def mark(self, kind: str, token: re.Match[str]) -> None:
        """Put a sign on the clause; words such as 但 and because begin a new one."""
        if kind in _OPENS_CLAUSE or (kind == "condition" and not _SUFFIX.match(token[0])):
            self.close(token.start(), token.start())
        if kind == "contrast":
            self.open.negators.append((token.start(), token[0]))
        if kind in ("turn", "court"):
            self.carried.discard("claim")
            self.open.signs.discard("claim")
        if kind in _CARRIED:
            self.carried.add(kind)
        if kind == "of":
            kind = (
                "condition"
                if not re.search("[是属为很]", self.text[max(self.start, token.start() - 12) : token.start()])
                else "idiom"
            )
        self.open.signs.add(kind)

    def close(self, end: int, next_start: int) -> None:
        """End the open clause; a consequence carries the sign `given` of its condition."""
        text = self.text[self.start : end].strip(_MARKS)
        start = self.start
        self.start = next_start
        if not any(map(str.isalnum, text)):
            if self.open.signs:
                self.carried |= self.open.signs & _CARRIED
            self.open = _Clause("", self.sentence, signs=set(self.carried) | (self.open.signs & {"turn"}))
            return
        self.open.text = text
        self.open.start = self.text.index(text, start)
        self.found.append(self.open)
        if "condition" in self.open.signs:
            self.carried.add("given")
        self.open = _Clause("", self.sentence, signs=set(self.carried))

    def end_sentence(self, token: re.Match[str]) -> None:
        """End the sentence; one that ends in a question mark is asked, not said."""
        self.close(token.start(), token.end())
        if token[0] in "?？":
            for clause in self.found[self.first_of_sentence :]:
                clause.is_asked = True
        said = self.found[self.first_of_sentence :]
        is_heading = len(said) == 1 and _HEADING.fullmatch(said[0].text) is not None
        self.first_of_sentence = len(self.found)
        self.sentence += 1
        self.carried = {"conclude"} if is_heading else set()
        self.open = _Clause("", self.sentence, signs=set(self.carried))


def _say(clause: _Clause, asked: _Asked) -> _Said:
    """The polarity of a clause against that of the question, and how much of the predicate it repeats."""
    kinds = [kind for _, kind in clause.sides]
    shared = {topic for kind in kinds if (topic := _topic_in(kind, asked.topics))}
    if "refuse" in clause.signs and not asked.topics.isdisjoint(("agree",)):
        shared.add("refuse")
    opposed = any(_is_opposite(root, asked) for root in clause.prefixed)
    count = _negations(clause, asked) + ("rhetoric" in clause.signs) + opposed
    count += sum(_negates_asked(idiom, asked.predicate) for idiom in clause.idioms)
    count += sum(kind[:2] == "r_" or bool(kind[:2] == "c_" and _topic_in(kind, asked.opposites)) for kind in kinds)
    repeated = _echo(clause.text, asked)
    if repeated == 0 and len(clause.text) > 8:
        shared = {topic for topic in shared if not topic.startswith("m_")}  # a modal alone speaks of anything
    if _denies_asked(clause.text, asked):
        repeated += 8
    echo = repeated + 2 * len(shared) + 2 * opposed + ("contrast" in clause.signs)
    return _Said((count % 2 == 0) is not asked.is_negative, echo, bool(shared), clause)


def _denies_asked(text: str, asked: _Asked) -> bool:
    """Whether a clause only denies words of the question: by the CFO, not the CEO."""
    if not text.startswith("not "):
        return False
    words = set(re.findall("[a-z]{3,}", text[4:])) - _COMMON
    return bool(words) and words <= asked.words


def _is_opposite(root: str, asked: _Asked) -> bool:
    """Whether the rest of a word after un-, in-, non- is a word of the question: uncapped, where a cap is asked for."""
    if root in asked.own_prefixes:
        return False
    return any(stem.startswith(root) or (len(stem) == 3 and root.startswith(stem)) for stem in asked.pairs)


def _negates_asked(idiom: str, predicate: str) -> bool:
    """Whether an idiom negates what is asked after all: 无异议 where the question is about 异议."""
    return idiom[0] in "不没未无非" and idiom not in predicate and idiom.lstrip("不没未无非有") in predicate


def _negations(clause: _Clause, asked: _Asked) -> int:
    """The negators that count: not those that the question has too, nor those of what a verdict is said of.

    不支付工资属于违法: the verdict that the question asks for begins at 属于, and 不 does not reach it.
    """
    own = [(at, negator) for at, negator in clause.negators if not negator.startswith(asked.embedded)]
    topics = asked.topics & _VERDICTS
    cut = next((at for at, kind in clause.sides if _topic_in(kind, topics)), -1) if asked.chars and topics else -1
    if cut < 0:
        return len(own)
    return sum(at > cut or _reaches(clause.text, negator, at - clause.start, cut - clause.start) for at, negator in own)


def _reaches(text: str, negator: str, at: int, verdict: int) -> bool:
    """Whether a negator governs a verdict word that follows it."""
    if _FINDS_NOT.match(text, at):
        return True
    between = text[at:verdict]
    return len(between) <= 3 or _ADVERBS.fullmatch(between) is not None


def _echo(text: str, asked: _Asked) -> int:
    """How much of the predicate a clause repeats: pairs of characters, or stems of English words."""
    if not asked.chars:
        return 2 * len(asked.pairs & _stems(text)) if asked.pairs else 0
    return 2 * sum(pair in text for pair in asked.pairs) + len(asked.chars.intersection(text))


def _particle(text: str, asked: _Asked) -> Sense:
    """Yes or no, where a clause is nothing else; a bare modal answers a question that is not negative."""
    if _YES.fullmatch(text):
        return "yes"
    if _NO.fullmatch(text):
        return "no"
    if not asked.is_negative and (modal := _BARE.fullmatch(text)):
        return "no" if modal["no"] else "yes"
    short = _SHORT_FORM.fullmatch(text)
    if short:
        return "no" if short["no"] else "yes"
    return "none"


def _opening(text: str, asked: _Asked) -> Sense:
    """The yes or no that a clause is, or begins with."""
    if (sense := _particle(text, asked)) != "none":
        return sense
    if _OPENS_YES.match(text):
        return "yes"
    if _OPENS_NO.match(text):
        return "no"
    stated = _STATED.match(text)
    return "none" if stated is None else "yes" if stated["yes"] else "no"


def _lead(clauses: Sequence[_Clause], asked: _Asked) -> Sense:
    """The yes or no with which a text begins, after greetings and references."""
    for clause in clauses[:5]:
        if (sense := _opening(clause.text, asked)) != "none":
            return sense
        if not _OPENER.match(clause.text):
            return "none"
    return "none"


def _decide(clauses: list[_Clause], answer: str, question: str, asked: _Asked) -> _Reading:
    """What the clauses answer: the leading yes or no, else the conclusion and the first sentence that speaks of it."""
    if not clauses:
        return _Reading("none")
    if "depends" in clauses[0].signs and len(clauses[0].text) <= 24:
        return _Reading("depends")
    lead = _lead(clauses, asked)
    if lead != "none":
        return _led(lead, clauses, asked)
    said = [_say(clause, asked) for clause in clauses]
    if _abstains(said, answer, question, asked):
        return _Reading("none", sure=clauses[-1].sentence < 2)
    if ("?" in answer or "请" in answer or "lease" in answer) and _CLARIFIES.search(answer.lower()):
        return _Reading("none", sure=False)
    closing = [
        sense for clause in clauses if "conclude" in clause.signs and (sense := _opening(clause.text, asked)) != "none"
    ]
    if closing:
        return _Reading(closing[-1], sure=len(set(closing)) == 1)
    return _prose(said, asked)


def _abstains(said: Sequence[_Said], answer: str, question: str, asked: _Asked) -> bool:
    """Whether the answer refuses; what is left open after the first sentence has answered does not matter.

    That something cannot be held to be so is a finding: 不能认定其构成自首.
    """
    if not _REFUSAL_HINT.search(answer.lower()):
        return False
    opening = [each for each in said if each.clause.sentence == said[0].clause.sentence]
    if any(
        each.is_strong(asked) and not each.has(*_ASIDE, "hedge", "lean") and not _REFUSAL_HINT.search(each.clause.text)
        for each in opening
    ):
        return False
    if any(_FINDING.search(each.clause.text) and each.is_strong(asked) for each in said):
        return False
    if asked.is_about_existence and any(each.clause.negators and each.share(asked) >= 0.6 for each in opening):
        return False
    return detect_abstention(answer, question=question).abstains


def _led(lead: Sense, clauses: Sequence[_Clause], asked: _Asked) -> _Reading:
    """A leading yes or no, checked against what follows."""
    first = clauses[0].sentence
    if _takes_back(lead, clauses, asked):
        return _Reading("none", sure=len(clauses) < 6)
    same = [clause for clause in clauses if clause.sentence == first]
    if any("hedge" in clause.signs for clause in same):
        return _Reading("none", sure=False)
    if any(not clause.signs.isdisjoint(("depends", "both", "lean")) for clause in same):
        return _Reading(lead, sure=False)
    return _contradicted(lead, clauses, asked) or _Reading(lead)


def _takes_back(lead: Sense, clauses: Sequence[_Clause], asked: _Asked) -> bool:
    """Whether the opposite of a leading yes or no stands alone later: 是，也不是."""
    opposite = _NO if lead == "yes" else _YES
    if any(opposite.fullmatch(clause.text.lstrip("也又或")) for clause in clauses[1:]):
        return True
    whole = [clause for clause in clauses[1:4] if clause.sentence > clauses[0].sentence]
    return any(_particle(clause.text, asked) not in (lead, "none") for clause in whole)


def _contradicted(lead: Sense, clauses: Sequence[_Clause], asked: _Asked) -> _Reading | None:
    """A leading yes that the next clause takes back (是的，他没有签字), or that a conclusion opposes."""
    following = [_say(clause, asked) for clause in clauses[1:2] if clause.sentence == clauses[0].sentence]
    for said in following if asked.chars and lead == "yes" else ():
        if said.is_strong(asked) and said.sense == "no" and not said.has("turn", "condition", "aside"):
            return _Reading("no", sure=False)
    ends = [_say(clause, asked) for clause in clauses[-6:] if "conclude" in clause.signs]
    ends = [said for said in ends if said.is_strong(asked) and said.echo >= 4]
    return _Reading(lead, sure=False) if ends and ends[-1].sense != lead else None


def _prose(said: list[_Said], asked: _Asked) -> _Reading:
    """The reading of a text without a leading yes or no."""
    told = [each for each in said if each.tells(asked) and not each.has("condition", "aside", "vacuous")]
    own = [each for each in told if asked.is_about_claims or not each.has("claim", "denial")]
    if early := _two_sided(said, own):
        return early
    if not own:
        return _indirect(said, told, asked)
    plain = [each for each in own if not each.has("rule", "given")]
    strong = [each for each in plain if each.is_strong(asked)] or own
    if said[-1].clause.sentence <= 2 and _says_both(strong):
        return _Reading("none")
    first = _best([each for each in own if each.clause.sentence == strong[0].clause.sentence])
    ends = [each for each in own if each.has("conclude", "court") and not each.has("given")]
    final = _best([each for each in ends if each.clause.sentence == ends[-1].clause.sentence]) if ends else None
    if first and final and first.is_strong(asked) and not (final.is_strong(asked) or final.has("court")):
        final = None
    return _weighed(first, final, plain or own, said, asked)


def _says_both(strong: Sequence[_Said]) -> bool:
    """Whether two sentences say the opposite of each other and nothing decides: 他签字了。他没有签字."""
    if any(each.has("turn", "conclude", "court", "contrast", "rule", "mostly", "lean") for each in strong):
        return False
    first = strong[0]
    return any(each.sense != first.sense and abs(each.echo - first.echo) <= 1 and each.echo > 1 for each in strong[1:])


def _two_sided(said: Sequence[_Said], own: Sequence[_Said]) -> _Reading | None:
    """It depends, where that is said before anything else answers; both ways at once is no answer."""
    at = own[0].clause.sentence if own else 0
    opening = [each for each in said if each.clause.sentence <= at]
    if any(each.has("both") for each in opening):
        return None if any(each.has("court", "conclude") for each in own) else _Reading("none")
    place = next((place for place, each in enumerate(opening) if each.has("depends")), None)
    if place is None:
        return None
    before = [each for each in opening[:place] if each.echo and not each.has("condition", "aside", "mostly")]
    return _Reading(before[0].sense, sure=False) if before else _Reading("depends")


def _indirect(said: Sequence[_Said], told: Sequence[_Said], asked: _Asked) -> _Reading:
    """Where no clause repeats the predicate: a statement about its subject, a verdict verb, or what a party claims."""
    about = [
        each
        for each in said
        if len(asked.subject) > 1 and sum(pair in each.clause.text for pair in asked.subject) * 2 >= len(asked.subject)
    ]
    if about and len(said) <= 2 and not about[0].has("claim", "condition", "hedge", "lean"):
        return _Reading("none" if about[0].positive else about[0].sense, sure=not about[0].positive)
    verdicts = [
        each
        for each in said
        if _SAYS_SO.search(each.clause.text) and not each.has("claim", "condition", "hedge", "lean")
    ]
    if verdicts:
        return _Reading(verdicts[0].sense, sure=len(said) <= 3)
    return _Reading("none", sure=not told and said[-1].clause.sentence < 2)


def _best(group: Sequence[_Said]) -> _Said | None:
    """The clause of a sentence that repeats most; nothing where two say the opposite alike, without a turn."""
    best = max(
        group, key=lambda each: (each.has("court", "conclude"), each.shares_topic, each.echo - 3 * each.has("turn"))
    )
    opposed = [each for each in group if each.positive is not best.positive and not each.has("turn", "contrast")]
    near = [each for each in opposed if best.echo - each.echo <= 3 and 2 * each.echo >= best.echo]
    rivals = [each for each in near if each.shares_topic >= best.shares_topic]
    is_settled = best.has("turn", "court", "conclude", "contrast") and not best.has("lean")
    return None if rivals and not is_settled else best


def _weighed(
    first: _Said | None, final: _Said | None, plain: Sequence[_Said], said: Sequence[_Said], asked: _Asked
) -> _Reading:
    """The first answering sentence and the conclusion together; where they differ, the conclusion, as a guess."""
    is_short = said[-1].clause.sentence == 0
    chosen = final or first
    if chosen and chosen.positive and asked.head and not (chosen.shares_topic or asked.head in chosen.clause.text):
        return _Reading("none", sure=False)
    if chosen is None or chosen.has("hedge") or (chosen.has("lean") and is_short):
        return _Reading("none", sure=chosen is not None and is_short)
    if chosen.has("lean"):
        return _Reading(chosen.sense, sure=False)
    if chosen.has("mostly"):
        return _mostly(chosen, said)
    agree = first is None or first.sense == chosen.sense or not first.is_strong(asked) or first.has("rule", "given")
    is_found = chosen.has("court") and chosen.has("turn")
    sure = agree and (is_short or is_found or chosen.is_strong(asked)) and not chosen.has("given")
    opposed = [each for each in plain if each.sense != chosen.sense and each.is_strong(asked)]
    if final is not None:
        opposed = [each for each in opposed if each.clause.start > final.clause.start]
    if _is_thesis(chosen, said[0], asked):
        opposed = [each for each in opposed if each.has("conclude", "turn")]
    elif said[-1].clause.sentence > 1 and (first is None or final is None or first is final):
        sure = sure and chosen.share(asked) >= 0.7
    if any(not is_short or each.has("turn") for each in opposed):
        sure = False
    turned = [each for each in plain if each.clause.sentence == chosen.clause.sentence and each.has("turn")]
    return _Reading(chosen.sense, sure and (is_short or all(each.sense == chosen.sense for each in turned)))


def _is_thesis(chosen: _Said, first: _Said, asked: _Asked) -> bool:
    """Whether the answer begins with a sentence that repeats most of the predicate; reasons follow."""
    return chosen.clause.sentence == first.clause.sentence and chosen.share(asked) >= 0.7


def _mostly(chosen: _Said, said: Sequence[_Said]) -> _Reading:
    """A rule with exceptions: 原则上可以，除非; where the exception says the opposite, it depends."""
    rest = [
        each
        for each in said
        if each.clause.start > chosen.clause.start and each.clause.sentence <= chosen.clause.sentence + 1
    ]
    if any(each.shares_topic and each.sense != chosen.sense for each in rest):
        return _Reading("depends", sure=False)
    return _Reading(chosen.sense, sure=not any(each.has("turn", "condition", "given") for each in rest))
