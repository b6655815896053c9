"""Patterns around refusals: those that make refusing words content of the answer, and those that follow a refusal.

The patterns of refusals are in `chinese` and `english`. Every gap is bounded and ends with the clause, so that a search
is linear in the length of the text.
"""

import re
from typing import Final

from steelyard.legal.refusals.chinese import CONFLICT_ZH, CUES_ZH
from steelyard.legal.refusals.english import CONFLICT_EN, cues_en
from steelyard.text.scripts import has_han

NO_EVIDENCE: Final = re.compile(
    "no (?:\\w+ )?evidence|(?:没有|无)(?:任何|确凿|充分|直接|可靠|明确)?的?证据", re.IGNORECASE
)
CONFLICT: Final = re.compile(f"{CONFLICT_ZH}|{CONFLICT_EN}", re.IGNORECASE)
JSON_NULL: Final = re.compile(
    r"^\s*\{[^{}]{0,200}\"(?:answer|result|value|答案|结果|回答)\"\s*:\s*(null|\"\"|\[\])", re.IGNORECASE
)
NULL: Final = re.compile(
    r"(?:null|none|nil|nan|n/?a|nothing|unknown|no answer|not applicable|not available|unanswerable|no data|"
    r"no info|undefined|empty|无|没有|空|暂无|未知|不适用|无答案|未找到|无结果|无记录|不存在|无信息|没有答案|查无|"
    r"弃权|拒答|不知|缺失)"
    r"[ 。.!,()]*",
    re.IGNORECASE,
)
NONE: Final = re.compile(r"(?:没有|没|no)[ 。.!,()]*", re.IGNORECASE)
MEASURED: Final = re.compile(r"几[\u4e00-\u9fff]|多少[次人个份张页台辆天年月]|\bhow many (?:times|days|people|pages)\b")
THE_REST: Final = re.compile(
    r"其余|\b(?:the rest|anything else|(?:any )?(?:other|further|more) details?)\b", re.IGNORECASE
)
ZERO: Final = re.compile(r"(?:无|没有|none|nothing|nil)[ 。.!,()]*", re.IGNORECASE)


def has_cue(text: str) -> bool:
    """Whether a text has refusing words."""
    return (has_han(text) and CUES_ZH.search(text) is not None) or any(cues_en(text))


def without_cues(text: str) -> str:
    """The text without refusing words."""
    if has_han(text):
        text = CUES_ZH.sub(" ", text)
    for cue in cues_en(text):
        text = text[: cue.start()] + " " * len(cue[0]) + text[cue.end() :]
    return text


# ----- words that make a cue a content of the answer

NEGATED: Final = re.compile(
    r"(?:并非|不是|并不是|绝非|不可能|并无|毫无|绝无|不存在|没有什么|没有任何|not that .{0,10}|by no means |"
    r"far from |no longer |hardly |\bnot )(?:完全|真的|说)?$",
    re.IGNORECASE,
)
IDIOM: Final = re.compile(
    r"毫无疑问|无疑|不得不|不可否认|无可厚非|不可避免|无所不|无微不至|不言而喻|众所周知|\bno doubt\b|\bnot only\b|"
    r"\bwithout doubt\b|\bnot to mention\b",
    re.IGNORECASE,
)
CONDITION: Final = re.compile(
    r"(?:^|,)\s*(?:如果|如(?!何|下|此|上|今|需)|若|倘若|假如|假设|要是|一旦|除非|即使|即便|无论|不论|不管|只要|"
    r"只有|当(?!前|地|事|时|年|日|天|场|庭|中)|对于?那些|凡|万一)"
    r"|^\s*(?:if|unless|even if|in case|whether|when|where|once|provided|should|until|till)\b",
    re.IGNORECASE,
)
# the condition is in a clause before; that the asker gives more is none
UNDER_CONDITION: Final = re.compile(
    r"(?:^|,)\s*(?:如果|若|倘若|假如|一旦|即使)(?![^,]{0,6}[您你](?:能|可以|提供))[^,。;]{2,30},|"
    r"^\s*if (?!you (?:can|could|provide))[^,.;]{2,40},",
    re.IGNORECASE,
)
NOMINAL: Final = re.compile(
    r"[^,。;!?\n]{0,40}?(?:的(?:话|情况下?|情形下?|人|一方|当事人|，)?(?=,)|时(?=,)|之前|以前|的原因|的理由)"
)
ATTRIBUTE: Final = re.compile(r"的(?=[\u4e00-\u9fff])(?!是|话)")
PARTY: Final = re.compile(
    r"原告|被告|当事人|法院|公安|检察|对方|证人|公司|债务人|债权人|[他她它]|双方|一方|单位|劳动者|行为人|受害人|"
    r"被害人|承租人|出租人|租客|房东|"
    r"[甲乙丙丁]|买受人|买方|卖方|借款人|担保人|保证人|警方|嫌疑人|被询问人|被讯问人|犯罪分子|消费者|商家|员工|"
    r"雇主|雇员|患者|医院|机构|个人|人们|"
    r"父母|子女|配偶|夫妻|丈夫|妻子|学生|老师|公民|企业|部门|法官|律师|鉴定|车主|司机|投保人|保险人|受益人|继承人|"
    r"申请人|被申请人|上诉人|监护人"
    r"|\b(?:plaintiff|defendant|court|witness|party|parties|he|she|they|claimant|appellant|respondent|police|company|"
    r"tenant|landlord|buyer|seller|jury|judge|government|people|employee|employer|debtor|creditor|prosecution)\b",
    re.IGNORECASE,
)
SOURCE: Final = re.compile(
    "材料|笔录|卷宗|文中|原文|文档|证据|记录(?!在)|问答|合同|资料|段落|上下文"
    "|\\b(?:record|transcript|document|file|context|passage|excerpt|article|provided|source)",
    re.IGNORECASE,
)
MATERIAL: Final = re.compile(
    "材料|笔录|卷宗|文中|原文|文档|记录(?!在)|问答|段落|上下文|资料|信息|题目|题干|题中|问题|文本|文章|文书|原告诉状|描述|内容|数据|知识库|数据库|文件|"
    "案卷|卷内|现有|目前|已知|提供的|上述|以上|所给|搜索|检索|网络|互联网|史书|历史|官方|判决书|裁定书|起诉书|起诉状|协议|条款|清单|报告|收据|发票|账本|表格|通知|登记|证书"
    "|\\b(?:record|transcript|document|file|context|passage|text|article|excerpt|paragraph|source|information|data|"
    "question|material|result|search|story|contract|agreement|lease|statement|evidence|exhibit|"
    "report|prompt|provided|given|it\\b|this\\b|there\\b)",
    re.IGNORECASE,
)
CONNECTIVE: Final = re.compile(
    r"^(?:所以|因此|故而?|但是?|不过|然而|而且?|也|均|都|并且?|目前|暂时?|现在|还|仍|尚|确实|实在|对此|这|是|因为|"
    r"由于|根据|从|关于|对于|至于|就|则|以|那么|其|具体|该|此|在|截至|由此|可能|恐怕|您好|你好|[\s:])+"
)
SAYS: Final = re.compile(
    r"(?:说|称|表示|回答|回应|答复|陈述|供述|辩称|认为|声称|自称|问|告诉)|\b(?:said|says|told|testif\w+|stated|"
    r"claim\w*|replied|held|argued|asserted)\b",
    re.IGNORECASE,
)
GROUND: Final = re.compile(
    r"^\s*(?:因(?!此|而)|由于|鉴于|基于|以[^,。;]{0,20}为由|for lack of|due to|owing to|given|because|since)",
    re.IGNORECASE,
)
BECAUSE: Final = re.compile(
    r"^\s*(?:是?因为|由于|因(?!此)|\b(?:because|since|as(?! of\b| an?\b| for\b| to\b| per\b))\b)", re.IGNORECASE
)
REASON_IS: Final = re.compile(r"(?:原因|理由)(?:是|在于|为)(?!不|未)|\bthe reason (?:is|was) (?!un|not)", re.IGNORECASE)
ALTHOUGH: Final = re.compile(r"(?:虽然?|尽管|\b(?:although|though|while|even though)\b)", re.IGNORECASE)
MAYBE_BECAUSE: Final = re.compile(
    r"\s*(?:这|也|或者|或)?(?:很)?(?:可能|也许|或许)(?:就?是)?(?:因为|由于)|\s*(?:it(?:'s|"
    r" is)? (?:also )?(?:possible|likely)|it (?:may|might|could)|this (?:may|might|could)) ",
    re.IGNORECASE,
)
CONSEQUENCE: Final = re.compile(
    r"(?:所以|因此|也|故|从而)[^,。;]{0,4}(?:不会|不需要|无需)|\bso i (?:don't|do not|can't|cannot|never)\b",
    re.IGNORECASE,
)
NOT_UNDERSTOOD: Final = re.compile(
    r"不(?:太|是很)?(?:清楚|明白|理解|知道|确定|懂)[您你]|没(?:有)?(?:太)?(?:明白|理解|懂)[您你]|\b(?:sure|"
    r"certain|clear|understand|know) (?:of )?(?:what|which|who) (?:exactly )?you(?:'re)?\b",
    re.IGNORECASE,
)
PROGRAM: Final = re.compile(
    r"(?:作为|我是|我只是)(?:一个|一名|一款|一位)?[^,。;]{0,10}(?:AI|人工智能|语言模型|大模型|助手|机器人|程序)|"
    r"\b(?:as|i'm|i am) an? (?:\w+ ){0,3}(?:ai|language model|assistant|chatbot)\b",
    re.IGNORECASE,
)
# the question itself is refused, in any clause
DIRECT: Final = re.compile(
    r"(?:回答|解答|答复)[^,。;]{0,14}(?:问题|提问|咨询)|(?:问题|提问)[^,。;]{0,16}(?:回答|作答|答案)|(?:给出|提供|"
    r"得出|找到|找不到)[^,。;]{0,12}(?:答案|回答|答复)|实时(?:数据|信息)"
    r"|\banswer\b.{0,20}\b(?:question|query)|\b(?:provide|give|offer) (?:an?|the|any|you) .{0,20}\banswer\b|"
    r"\baccess\b.{0,30}\b(?:data|information|documents?|reports?|internet|real-time)\b|\breal-time\b",
    re.IGNORECASE,
)
# legal terms of art; those of whereabouts and identity only where these are not asked for
TERM: Final = re.compile(
    r"(?:约定|权属|产权|来源|界限|归属|责任|性质|用途约定|期限约定)(?:的?)(?:不明|不清)|举证不能|(?:事实不清|"
    r"证据不足(?!以))[^。;]{0,24}(?:不起诉|无罪|驳回|撤销|发回|不予|不批准|退回)|(?:不予|驳回|不起诉|"
    r"撤销)[^,。;]{0,12}证据不足|"
    r"\b(?:burden|standard) of proof\b",
    re.IGNORECASE,
)
WHEREABOUTS: Final = re.compile(r"(?:下落|去向|行踪|身份)不明|\bwhereabouts\b.{0,20}\bunknown\b", re.IGNORECASE)
ADVICE: Final = re.compile(
    r"(?:法律|医疗|医学|投资|专业|用药|诊断|财务|个案)[^,。;]{0,4}(?:意见|建议)|不是(?:医生|律师|专业人士)|"
    r"代替[^,。;]{0,8}(?:医生|律师|咨询)"
    r"|\b(?:legal|medical|financial|tax|investment|professional|personali[sz]ed) advice\b|"
    r"\bnot an? (?:\w+ )?(?:doctor|lawyer|attorney|physician|professional|expert|advisor)\b",
    re.IGNORECASE,
)
FOUND: Final = re.compile(
    r"认为|主张|辩称|抗辩|(?:裁定|判决)(?!书)|(?:结论|意见|结果|决定)(?:书)?(?:为|是|:)|\b(?:argued|held|claimed|"
    r"contended|for|due to|because of|owing to|on grounds? of)(?: the)? ?$|(?:法院|判决书?|裁定书?|本院|裁决书?|"
    r"鉴定意见|认定书)[^,。;未没无不]{0,8}(?:认定|查明|认为|判决|裁定|写|载明)|\b(?:court|tribunal|judge|"
    r"jury) (?:found|held|ruled|concluded|stated)",
    re.IGNORECASE,
)
FINAL_LEAD: Final = re.compile(r"(?:答案|结论|回答|答复|金额|结果)?(?:是|为|如下)?[ \t:】\]]{0,4}$")
OTHERS_RESULT: Final = re.compile(
    r"(?:鉴定|调查|检验|审计|判决|法院|专家|尸检|检测|体检|评估|报告|仲裁|检察院)[^,。;]{0,8}$"
)
CONSEQUENT: Final = re.compile(r"\s*(?:则|故|应)?(?:视为|按|依照|适用|推定|应当|由)")
PRONOUN: Final = re.compile(r"\s*(?:其|他|她|它|该|it|he|she|they|this|that)(?:\b|(?=[\u4e00-\u9fff]))", re.IGNORECASE)
MODEST: Final = re.compile(
    r"预测|预知|个人(?:喜好|观点|意见|偏好)|不是(?:医生|律师)|\b(?:predict|preferences?|opinions?|"
    r"not an? (?:doctor|lawyer|expert)|sure|certain|experience)\b",
    re.IGNORECASE,
)
# ----- what follows a refusal

ADVERSATIVE: Final = re.compile(
    r"但是?|不过|然而|可是|只是|\b(?:but|however|nevertheless|nonetheless|although|though|yet|still|that said)\b",
    re.IGNORECASE,
)
_SHOULD: Final = "应该(?:在|有|就)"
_INFERENCE: Final = (
    r"其实|经查|可知|可见|可以看出|可得出|一般认为|普遍认为|通常认为|主流|被认为|有观点|一种(?:说法|解释|观点|"
    r"可能)|据说|相传|截至|截止到?|据我所知|根据我的(?:知识|了解)|可以?计算|可算出|估计|应该(?:是|为)",
    rf"^.{{0,6}}{_SHOULD}",
    r"应为|可以推断|可推断|推测(?!其?性)|实际上|事实上|据推算|很可能|大概率|想必|"
    r"可能[是为]|或许是|也许是|大概[是为]|我猜|我认为|我觉得|认定为"
    r"|\bprobably\b|\blikely\b|\bin fact\b|\bactually\b|\bpresumably\b|\bi (?:would )?(?:guess|think|believe|"
    r"estimate|assume)\b"
    r"|\b(?:is|are|was|were) (?:\w+ )?(?:thought|believed|considered|estimated|assumed) (?:to|by|that|as)\b|"
    r"\bit is (?:\w+ )?(?:thought|believed|estimated)\b|\bmy (?:best )?guess\b|\bcan be inferred\b|\bperhaps\b|"
    r"\bmight (?:be|have been)\b|\bmay (?:be|have been)\b|\bcould be\b"
    r"|\bas of (?:my|the|20\d\d|january|february|march|april|may|june|july|august|september|october|november|"
    r"december)\b|\bto (?:the best of )?my knowledge\b|\bi can (?:calculate|infer|estimate|deduce|derive)\b",
)
INFERENCE: Final = re.compile("|".join(_INFERENCE), re.IGNORECASE)
CONCLUSION: Final = re.compile(
    r"\s*(?:综上|因此|所以|总之|可见|由此|故|总的来说|总体|therefore|thus|hence|in conclusion|in summary|overall|"
    r"so$|consequently|accordingly)",
    re.IGNORECASE,
)
DENIAL: Final = re.compile(
    r"不是|并非|无法|不能|难以|未能|不足|没有|\b(?:not|cannot|no|unable|without)\b|n't\b", re.IGNORECASE
)
TOPIC: Final = re.compile(
    r"\s*(?:但是?|而|然而|不过|其中)?(?:关于|对于|至于|针对|就|as for|as to|regarding|concerning)|谁|哪|什么|多少|"
    r"是否|何|这一点|这个问题|方面$|\b(?:who|where|when|what|which|whether|how)\b",
    re.IGNORECASE,
)
YES_NO: Final = re.compile(r"\s*(?:是|否|不|对|有|没有|能|可以|会|属于|构成|应|无|yes\b|no\b)", re.IGNORECASE)
OFFER: Final = re.compile(
    r"(?:建议|步骤|方法|思路|指导|自行|自己|途径)|\b(?:steps|suggest\w*|tips|guide|guidance|yourself|resources)\b",
    re.IGNORECASE,
)
# what a model says of itself before it does what was asked
MODESTY: Final = re.compile(
    r"\bI (?:don't|do not|can't|cannot) (?:have|make|form|hold|express|possess|hold|share)(?: any| a| my| your)? "
    r"(?:personal|own|specific|real|physical|name|opinions?|preferences?|feelings|emotions|favou?rites?|assumptions|"
    r"knowledge about the specific)|没有(?:个人|自己的|主观|固定)|没有(?:情感|感情|喜好|偏好|名字)",
    re.IGNORECASE,
)
DELIVERS: Final = re.compile(
    r"[.,;。,;!\s]{0,4}(?:but|however|though|nevertheless|that said|但是?|不过|然而|我可以)[,\s]{0,3}"
    r"(?:(?:I|we) (?:can|could|would|will|may) (?:still )?(?:provide|suggest|offer|give|share|recommend|tell|say|help)|"
    r"here(?:'s| is| are)|in general|generally|some |many |one |"
    r"(?:我|这里|以下|下面|一般|通常)[^。\n]{0,24}?(?:可以|是|有|给|提供|推荐|建议)?)[^\n]{0,200}?(?:[:：]|\n|[.。])\s?\S",
    re.IGNORECASE,
)
UNLAWFUL: Final = re.compile(
    r"违法|非法|违反|犯罪|不道德|法律|侵犯|\b(?:illegal|unethical|unlawful|harmful|against the law|violat\w*)\b",
    re.IGNORECASE,
)
REQUEST: Final = re.compile(
    r"如何|怎么|怎样|哪里(?:可以|能)|(?:帮|给)我|教我|方法|请(?:写|给|提供|教|告诉)|我想|我要"
    r"|\bhow (?:to|can|do|could)\b|\b(?:write|give|explain|describe|help|tell|show|create)\b",
    re.IGNORECASE,
)
REPORTED_YES: Final = re.compile(
    r"(?:据|根据|有)[^,。]{0,12}(?:研究|调查|数据|统计|报道)[^。]{0,40}(?:确实|会|是|有|存在)|\b(?:studies|research"
    r"|data) (?:show|suggest|indicate)",
    re.IGNORECASE,
)
EXACT: Final = re.compile(r"确切|精确|准确|具体|\b(?:exact|precise|specific)\b", re.IGNORECASE)
YEARS: Final = re.compile(r"年|月|大概|大约|左右|\b(?:year|month|about|approximately|roughly)\b", re.IGNORECASE)
OTHERWISE: Final = re.compile(
    r"^\s*(?:其他(?!材料|证据|文件|笔录|证人|页)|其它|其余|另外|此外|至于|更多|其后|other|further|anything else"
    r"|beyond that|as for|as to)",
    re.IGNORECASE,
)
REFERS: Final = re.compile(
    r"(?:提到|提及|提过|称|说|表示|原话|写道|写有|记载|只|仅|供述|陈述|需要|建议|应当?核|可以?(?:参考|查|核)|"
    r"\bsaid\b|\bsays\b|\bonly\b|\bstate[sd]?\b|\btestif\w+)",
    re.IGNORECASE,
)
# clauses that supply nothing: apology, courtesy, referral, description of oneself, reason of the refusal
FILLER: Final = re.compile(
    r"\s*(?:(?:而且?|并且?|但是?|不过|然而|所以|因此|如果|或者|同时|另外|此外|也|:|,)+\s*)?(?:很|非常|十分|深感|真的|"
    r"实在)?(?:"
    r"抱歉|对不起|不好意思|遗憾|请|您好|你好|谢谢|感谢|希望|欢迎|建议|最好|以便|以获[取得]|以得到|如需|若需|如有|"
    r"若有|随时|"
    r"[您你](?:可以|能|可|需要|有|想|能够|也可|可能|的|还可|提供|提出|对|仍然?|还|觉得)|可以?(?:尝试|咨询|查阅|"
    r"查询|查看|参考|访问|联系|向|通过)|需要(?:[您你]|更多|提供|进一步|结合|查|了解)|"
    r"我(?:会|将|很乐意|可以|的|旨在|遵守|是|被|需要|们|只|仅|目前|很|能|非常|致力|应该|必须|建议|还|一直|尽)|"
    r"我?作为(?:一个|一名|一款|一位|人工|AI|语言|大|律师|智能|虚拟)|因为|由于|(?:根据|基于|从|按照|依据)(?:[您你]|"
    r"现有|提供|目前|所给|上述|以上|已知|我|给定|当前|题目|问题|文中|材料)|"
    r"这(?:可能|也许|或许|是因为|需要|取决|涉及|些信息)|可能(?:需要|是因为|是由于|您|你|存在)|或许[您你]|取决于|"
    r"因人而异|每个人|具体(?:情况|的|需要|取决)|例如|比如|包括|关于|对于|对此|至于|如[您你]"
    r"|(?:i'm |i am |we're |we are )?(?:\w+ )?(?:sorry|apologi[sz]e|apologies|unfortunately)|please|could you|"
    r"can you|would you|"
    r"if (?:you|there|this|it|that)|feel free|let me know|(?:i'm |i am |i'd be |i would be |i'll be )?(?:happy|"
    r"glad|here) to|"
    r"you (?:can|could|may|might|should|will|would|are)|i (?:recommend|suggest|would|encourage|hope|may|might|"
    r"could|can|am|strive|aim|was|apologi[sz]e|will|must|also|strongly|urge|need|only|just|understand|want)|"
    r"i'(?:d|m|ll|ve)|as an? |perhaps|it(?:'s| is)? (?:also )?(?:possible|likely|important|best|recommended|may|"
    r"might|could|seems|appears|would|always|essential)|"
    r"this (?:may|might|could|seems|appears|is because|information|question|would)|based on|"
    r"according to the (?:provided|given)|because|since|"
    r"my (?:knowledge|training|purpose|goal|data|apologies|programming|primary)|without|thank|to (?:determine|"
    r"answer|find|provide|get)|for (?:more|accurate|the most|further|example|instance)|instead|more (?:details|"
    r"context|information)|there (?:may|might|could)|hello|hi\b|however$)",
    re.IGNORECASE,
)
REFERRAL: Final = re.compile(
    r"(?:[您你]|请|建议|最好|可以?)[^,。;]{0,16}(?:咨询|查阅|查询|查看|查找|参考|访问|联系|关注|核实|搜索|提供|"
    r"沟通|尝试|阅读|了解|补充|浏览|翻阅|询问|请教|确认|求助|拨打|寻求)|"
    r"取决于|因人而异|我[^,。;]{0,10}(?:帮助|帮您|帮你|乐意|可以(?:为|帮|向|给|提供)|会尽|尽力|协助)|"
    r"\b(?:check|consult|visit|refer to|contact|look (?:up|for|it)|search|reach out|ask|see|try|find out|seek|"
    r"speak (?:to|with)|talk to|verify|research)\b.{0,60}"
    r"\b(?:website|web site|annual report|report for|official|source|expert|professional|online|lawyer|attorney|"
    r"doctor|page|clerk|site|engine|database|publication|directly|news|store|library|them|book|authorit\w+)\b|"
    r"\b(?:happy|glad|love|try|best|able) to (?:help|assist|provide|answer)|\bhelp you\b|\bassist you\b",
    re.IGNORECASE,
)
MORAL: Final = re.compile(
    r"违法|非法|犯罪|不道德|道德|遵守|法律法规|合法|伤害|尊重|安全|危害|危险|有害|敏感|价值观|隐私|歧视|和谐|文明|"
    r"责任|"
    r"\b(?:illegal|unethical|harm\w*|danger\w*|law|respect\w*|safe\w*|ethic\w*|inappropriate|offensive|privacy|"
    r"consent|against|wrong|consequences|violat\w*|guidelines|discriminat\w*|dignity|moral\w*)\b",
    re.IGNORECASE,
)
NORM: Final = re.compile(
    r"第[一二三四五六七八九十百千零〇\d]{1,8}条|规定|应当|有权|可以(?:要求|向|请求|主张|起诉|申请|通过|协商)|构成|"
    r"承担|处[^,。;]{0,6}(?:有期徒刑|罚款|拘留)|罚款|拘留|有期徒刑|拘役|罚金|依法|起诉|诉讼|仲裁|赔偿|责任|协商|"
    r"报警|法院|合同"
)
