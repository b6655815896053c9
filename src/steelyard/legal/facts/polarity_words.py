"""Word patterns for the signs of clauses: negators, opposites, verdicts, claims, conditions, hedges."""

import re
from typing import Final

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
    "depends": r"视[^,。;]{1,24}而定|视(?:具体|个案|不同|实际)?(?:案件|案情)?情况|视情|取决于|要看|需要?看"
    "|看(?:具体)?情况|"
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


SCAN_ZH: Final = re.compile(_alternatives(_ZH))
SCAN_EN: Final = re.compile(
    r"(?P<stop>[!?;\n。]|\.(?=\s|"
    r"$)(?<!\b[a-z]\.)(?<!\b[mdjs][rst]\.)(?<!mrs\.)(?<!inc\.)(?<!ltd\.)(?<!corp\.)(?<!\bco\.)(?<!\bno\.))|"
    r"(?P<comma>,(?!\d)|:(?!\d)|\((?=\w)|\)| - |\band (?=(?:never|not|did|does|"
    r"ha[sd]|was|is|were|are|therefore)\b))|(?P<short>n't\b)|" + _alternatives(_EN)
)
