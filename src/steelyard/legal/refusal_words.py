"""Words by which answers refuse, and by which questions make such words an answer; patterns, not strings.

Every gap is bounded and ends with the clause, so that a search is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from steelyard.text.scripts import has_han

MOST_CUES: Final = 400
"""Words of refusal of one kind that are read in an answer."""


def _led(alternatives: str) -> str:
    """One of some alternatives, tried only where one of their first characters stands."""
    first = {each[1 : each.index("]")] if each[0] == "[" else each[0] for each in alternatives.split("|")}
    return f"(?=[{''.join(sorted(first))}])(?:{alternatives})"


# ----- parts of Chinese refusals

_GAP: Final = r"[^,。;!?\n]"
_NOT_ABLE: Final = (
    r"(?:无法|不能够?|不可以|难以|很难|无从|未能|没能够?|没有?办法|没法|不足以|不宜|不便|不方便|无力|没有能力|"
    r"没有资格|无权|暂不|不予(?!认定|支持|采信|受理|批准|准许|处罚|立案|起诉))"
)
_NOT_WILLING: Final = r"(?:不会|不得|不应该?|不可|不愿意?|不想|不适合|不支持|不被允许|拒绝|不允许)"
# between the negation and its verb: a few characters, or an adverbial that may be long
_ADVERBIAL: Final = (
    r"(?:[^,。;!?\n]{0,5}?|(?=从|对|就|根据|在|通过|向|为|给|帮|替|准确|直接|进一步|具体|完全|有效|与|和|关于|"
    r"以)[^,。;!?\n]{0,30}?)"
)
# what an answerer does with a question
_KNOW: Final = _led(
    r"确定|判断|判定|认定(?!为)|得知|核实|知晓|获知|知道|确认|查明|看出|推断|推定|推测|获悉|了解|辨别|辨认|得出|"
    r"断定|证实|推算|算出|知悉|"
    r"分辨|还原|查证|考证|说清|断言|预测|预知|定论|核对|考究|查考|估计|估算|评判|明确|确切|下结论|定夺|查实|甄别|"
    r"识别|辨识|精确统计|准确统计|确切统计|精确计算|准确计算|一一列举|逐一统计"
)
_ANSWER: Final = (
    r"(?:回答|解答|作答|答复|回复|应答|找到答案|给出(?:[^,。;!?\n]{0,16}?)(?:答案|回答|结论|答复|判断|解释|信息|"
    r"数字|数据|时间|建议))"
)
_SERVE: Final = _led(
    r"提供|给出|告诉|告知|说明|透露|公开|查询|查阅|查到|查找|查看|找到|检索|搜索|搜到|访问|浏览|打开|读取|获取|"
    r"获得|得到|理解|识别|解析|满足|帮助|帮[您你]|"
    r"协助|支持|处理|完成|执行|继续|参与|讨论|评论|评价|生成|创作|撰写|编写|写出?|翻译|推荐|发表|表达|提出|列出|"
    r"列举|描述|介绍|解释|分析|总结|"
    r"统计|计算|给予|体验|感受|感知|看到|听到|看见|预测|预知|保证|为[您你]|作出|做出|进行|提取|辨认|判断|谈论|"
    r"涉及|泄露|教[您你]|显示|模拟|扮演|鼓励|纵容|赞同|容忍|宣扬|传播|教唆|引导|倡导|认同"
)
_SELF_NAME: Final = (
    r"(?:(?<!自)我(?!国|方|院|市|县|省|局|司|所|校|党|军|区|厂|村|镇|部|行|处|庭|乡|州|社|队|店|馆)(?:们)?|本(?:模型|"
    r"助手|系统|机器人|AI|平台)|小助手|"
    r"(?:AI|人工智能|语言模型|大模型|智能助手|机器人)(?:助手|模型|系统)?)"
)
_REPORTED: Final = _led(
    r"显示|记载|载明|提及|提到|说明|写明|体现|涉及|包含|包括|交代|记录|注明|列明|指明|披露|反映|陈述|述及|明确|"
    r"给出|提供|谈及|言明|讲明|说清楚?|"
    r"写清楚?|说过|问及|交待|述明|言及|写到|讲到|谈到|说到|描述|指出|介绍|公布|公开|透露|标明|标注|附上?|论及|收录|"
    r"写(?!作|意)|提(?!出|交|供|起|前|高|示|取|成|货|款|升|醒|议|倡)|讲(?!究)"
)
_INFORMATION: Final = _led(
    r"信息|资料|内容|记录|记载|答案|结果|依据|数据|报道|文献|证据|线索|说明|描述|细节|材料|上下文|情境|背景|定论|"
    r"说法|条目|词条|解释|资讯|"
    r"消息|介绍|标准答案|共识|知识|来源|出处|史料|文档|选项|段落|片段|字样"
)
_NOT: Final = (
    r"(?:无法|不能|难以|不足以|并未|并没有|均未|均没有|都没有|都未|尚未|还未|还没有?|未曾|不曾|从未|没有|未能|未|"
    r"没|并无|无)"
)

# ----- Chinese cues by strength

SPEAKER_ZH: Final = (
    rf"{_SELF_NAME}{_GAP}{{0,16}}?(?:{_NOT_ABLE}|{_NOT_WILLING})"
    rf"|{_SELF_NAME}{_GAP}{{0,10}}?(?:并不|不太?|不是很|不大|并未|没有?|尚未|还未|还没有?|未)(?:能够?|曾)?(?:知道|"
    rf"清楚|了解|晓得|确定|熟悉|明白|理解|懂|掌握|具备|学会|学习|学过|"
    rf"接触|听说|听过|听懂|看懂|认识|擅长|找到|查到|搜到|检索|搜索|查询|收录|收集|存储|储存|获取|获得|收到|看到|"
    rf"发现|得到|访问|接受|储备|涉及){_GAP}{{0,60}}"
    rf"|{_SELF_NAME}{_GAP}{{0,12}}?(?:没有|缺乏|缺少|无){_GAP}{{0,36}}?(?:{_INFORMATION}|权限|办法|途径|能力|功能)"
    rf"|{_SELF_NAME}的?(?:知识|数据|训练|信息|认知|能力|数据库|资料){_GAP}{{0,16}}?(?:没有|不包含|不包括|不足|有限|"
    rf"截止|截至|局限|未|无|仅限|停留|不够)"
    rf"|超出了?{_SELF_NAME}{_GAP}{{0,12}}?(?:范围|能力|知识|权限)"
    rf"|(?:还没有?|尚未|没有|没)(?:学会|学习){_GAP}{{0,6}}?(?:如何|怎么|怎样)?(?:回答|解答)"
    rf"|(?:该|这个|这类|此类|这一|本|您的|你的){_GAP}{{0,4}}?(?:问题|话题|请求|内容|"
    rf"提问){_GAP}{{0,8}}?(?:{_NOT_ABLE}|{_NOT_WILLING}){_GAP}{{0,16}}?(?:{_ANSWER}|讨论|处理|提供|展示|显示)"
    rf"|(?:作为|我是){_GAP}{{0,20}},{_GAP}{{0,6}}?(?:{_NOT_ABLE}|{_NOT_WILLING})"
    rf"|(?:换个|换一个|换一?种){_GAP}{{0,4}}?(?:话题|问题|问法|方式){_GAP}{{0,8}}"
)
SPEAKER_VERB: Final = re.compile(rf"{_GAP}{{0,60}}?(?:{_ANSWER}|{_SERVE}|{_KNOW})")
"""What must follow 我无法 to make it a refusal: 我无法为您提供."""
REFUSES_TO: Final = re.compile(rf"(?:{_NOT_ABLE}|{_NOT_WILLING})$")
UNABLE_ZH: Final = (
    rf"{_NOT_ABLE}{_ADVERBIAL}(?:{_ANSWER}|{_KNOW}|计算|提供|给出|说明|获取|查询到?|找到|查到|检索到|透露|公开|"
    rf"告知|告诉|奉告|展示|泄露|披露)"
    r"|(?:回答|解答|提供|确定|判断|告诉|帮|查询|说|算|看|认|答)不(?:了|上来|出来|清)|无可奉告|我不会(?=[,。;!?]|$)"
)
SOURCE_ZH: Final = (
    rf"{_NOT}(?:明确|具体|详细|任何|直接|进一步|作出|做出|对此|对其|能|有|相关|予以?|加以|一处|一字|半句|地方|部分|"
    rf"再|专门|单独|另行|清楚地?|足够|太多|过多|明文|被|会|地){{0,4}}"
    rf"(?:在[^,。;!?\n]{{0,10}}?中?)?{_REPORTED}(?!清楚了)"
    rf"|(?:并不|不)(?:直接|明确|具体|专门)?(?:包含|包括|涉及|含有|含|显示|体现|载明|反映|提及|记载)"
    rf"|(?:协议|合同|条款|双方|当事人){_GAP}{{0,8}}?(?:没有|并未|未)(?:明确|另行|具体|作出)?约定(?!的)"
    rf"|(?:没有?|未)(?:看到|看见|见到)|(?:姓名|名字|信息|号码?|身份|日期|时间|地址|金额|内容|"
    rf"字样){_GAP}{{0,4}}?(?:没有|未|并未|并没有|从未)出现"
    rf"|(?:卷|文|材料|资料|笔录|书|合同|记录){_GAP}{{0,12}}?(?:没有|未|并未|从未)(?:曾)?出现"
    rf"|(?:没有|没|未能?|未曾)(?:能够?)?(?:查询|查阅|查找|查|找|检索|搜索|搜|发现|搜寻|收集|搜集|获取)(?:到|出|见|"
    rf"着)?{_GAP}{{0,60}}?(?:{_INFORMATION}|(?=[,。;!?\n]|$))"
    rf"|(?:没有|无(?!法|论|需|权|关|效|罪|疑|须|偿|故|辜)|缺乏|缺少|暂无(?!法)|尚无|并无|毫无|不存在|"
    rf"没){_GAP}{{0,30}}?{_INFORMATION}(?!费|款)"
    rf"|(?:查|找|看|检索|搜)不(?:到|出|见)|未见|查无|无此(?:信息|内容|项|记录|人|条)"
    rf"|(?:信息|证据|材料|资料|数据|上下文|条件|内容|线索)(?:并不|不够|不|过于|太)?(?:不足|不够|不充分|不完整|缺失|"
    rf"有限|充分|充足|完整|足够|太少)(?:以)?"
    rf"|证据不足以|未命中|没有命中|(?:没有?|未)(?:说|写|提|讲)(?=[,。;!?]|$)|(?:文中|材料中?|文档中?|资料中?|"
    rf"合同中?|记录中?|[里上内])(?:并|都|也)?没有(?=[,。;!?]|$)|暂无(?!法)|[只一]字未提|避而不谈|无据可查|无从查考|"
    rf"无从考证|(?:不在|超出了?){_GAP}{{0,8}}?(?:材料|资料|文档|知识|服务|能力|回答|专业|职责|提供|学习|业务|"
    rf"文本){_GAP}{{0,6}}?范围"
    rf"|(?:尚未|还未|还没有?|没有|并未|未)(?:正式|对外|官方)?(?:公布|公开|披露|揭晓|发布|宣布|确定(?!为)|定论|统一|"
    rf"查明|证实|得到证实|明确)"
)
NOTHING_ZH: Final = (
    rf"(?:没有|不存在|并无|查无)(?:一个|任何|所谓|这样|这么|这种|这个|这位|此|名为|名叫|叫做|叫作|叫|被称为|称为|"
    rf"一种|一部|一位){{1,3}}(?:的)?{_GAP}{{0,30}}"
    rf"|(?:并不|不|并没有|没有|未|似乎不|可能不)存在(?:于|的)?|(?:并不|不|并非)是?{_GAP}{{0,10}}?(?:真实存在|已知|"
    rf"公认|广为人知|常见|知名|标准|规范|有效|正式)的?{_GAP}{{0,10}}?(?:词|术语|名称|概念|名字|人物|地名|作品|事件|"
    rf"成语|产品|公司|机构|说法|单词|生物|动物|植物|问题)"
    rf"|(?:目前|迄今|至今|现在)?(?:没有|尚无|并无|无)(?:一个|任何)?(?:已知|公认|确切|明确|统一|固定|标准|官方|可靠|"
    rf"准确|具体|绝对|确凿|权威)(?:的|科学|、|和|与|或){{0,4}}{_GAP}{{0,16}}"
)
UNKNOWN_ZH: Final = (
    r"不详|不明(?!白|显|智|确|了|真相|身份|原因|物|飞|所以|觉|地)|未知(?!联系人|号码|来电|名|人员|数|领域|的)|"
    r"不得而知|存疑|待查|尚待查明|有待核实|有待查证|待确认|待定|待核实|未定|"
    r"(?:是|仍|尚|还)(?:个|一个|属)?(?:谜|未知数?|悬案|疑问)|众说纷纭|没有定论|尚无定论|莫衷一是|无可奉告|(?:为|"
    r"是|处|栏)空白?(?=[,。;]|$)|空着|空白(?=[,。;]|$)|被(?:遮盖|涂黑|隐去|打码|遮挡)|模糊不清|字迹不清|无法辨认|"
    r"难以辨认|看不清|听不清|打不开|"
    r"不(?:太)?确定(?=[,。;!?\n的]|$)|不好说|说不准|很难说|不适用|无答案|没有答案"
)
IGNORANT: Final = re.compile(
    r"不知道|不知情|不知(?=[,。;]|$)|不清楚|不太清楚|不了解|不晓得|不记得|记不(?:清|得|起|住|太清)|忘记|忘了|忘掉|"
    r"想不起|说不上|说不清|没(?:有)?印象|没(?:有)?数"
)
_CONFLICT_ZH: Final = (
    r"不一致|不一(?=[,。;]|$)|相?矛盾|说法不[同一]|(?:陈述|供述|说法|内容|记载|前后).{0,6}(?:冲突|不符|不同|"
    r"有出入|有差异|相左)|相互冲突|自相矛盾"
)
_CONFLICT_EN: Final = r"\b(?:inconsistent|contradict\w*|conflict(?:ing|s)?|discrepanc\w+|disagree)\b"
NO_EVIDENCE: Final = re.compile(
    "no (?:\\w+ )?evidence|(?:没有|无)(?:任何|确凿|充分|直接|可靠|明确)?的?证据", re.IGNORECASE
)
CONFLICT: Final = re.compile(f"{_CONFLICT_ZH}|{_CONFLICT_EN}", re.IGNORECASE)
VAGUE_ZH: Final = (
    rf"我们?{_GAP}{{0,4}}?需要{_GAP}{{0,30}}?才能?够?{_GAP}{{0,12}}?(?:{_ANSWER}|{_SERVE}|{_KNOW})|"
    rf"(?:问题|提问|描述|表述|题目|题干|请求|说法|句子|指令|语境|情况){_GAP}{{0,8}}?(?:过于|太过?|不够|不太|比较|"
    rf"有些|有点|不|存在|含义|似乎){{1,2}}(?:宽泛|模糊|笼统|具体|清晰|清楚|明确|完整|含糊|简单|抽象|简短|语病|错误|"
    rf"歧义|通顺|不完整|不清|不明确)"
    rf"|(?:请|麻烦|烦请|需要[您你]|能否|可否|能不能|[您你]可以|[您你]能){_GAP}{{0,8}}?(?:提供|补充|说明|给出|"
    rf"告诉我|告知|描述|明确|澄清|确认|详细|具体|重新|再){_GAP}{{0,16}}?(?:更多|更具体|更详细|更完整|具体|详细|"
    rf"完整|上下文|信息|背景|内容|细节|问题|情况|需求|一下|一遍|清楚)"
    rf"|请问[您你]?{_GAP}{{0,10}}?(?:想|要|需要|指|说|是指|希望){_GAP}{{0,20}}|有什么(?:可以|能){_GAP}{{0,6}}?帮|"
    rf"[您你]{_GAP}{{0,6}}?(?:想问|想知道|想咨询|想了解){_GAP}{{0,10}}?什么"
)
SELF_ZH: Final = (
    rf"{_SELF_NAME}{_GAP}{{0,10}}?(?:没有|不具备|不具有|不存在|不拥有|缺乏){_GAP}{{0,16}}?(?:情感|情绪|感情|感受|"
    rf"感觉|意识|意见|观点|看法|立场|经历|经验|体验|喜好|偏好|爱好|身体|实体|生命|眼睛|记忆|思想|主观|个人|生活|"
    rf"家庭|性别|年龄|名字|朋友|父母)"
)
SORRY_ZH: Final = (
    r"(?:抱歉|对不起|不好意思|很遗憾|非常遗憾|请原谅|请谅解|恕我|恕)(?!听|得知|看到|给|让|"
    r"对[您你])(?=[^。;!?\n]{0,50}?(?:[无没未难]|不(?!是)|超出|仅限|只能))"
)

# ----- English cues by strength

_EN: Final = r"[^.;!?\n]"
_CANNOT: Final = (
    r"(?:cannot|can't|can not|could not|couldn't|won't|will not|would not|wouldn't|shouldn't|should not|must not|"
    r"may not|"
    r"unable to|not able to|not allowed to|"
    r"not permitted to|not authori[sz]ed to|not comfortable(?: with)?|not in a position to|not going to|"
    r"not programmed to|not equipped to|not qualified to|not capable of|incapable of|not designed to|not trained to|"
    r"not willing to|not at liberty to|decline to|declin(?:e|ing)|refuse to|"
    r"(?:do not|don't|did not|didn't) (?:feel comfortable|have the (?:ability|capability|capacity|means|authority)|"
    r"have (?:a|any) (?:way|means)|want to|wish to|engage in|support|condone|provide|offer|endorse|promote|"
    r"participate|create|generate|encourage|discuss|answer|assist|help|comment|speculate|share))"
)
_EN_SERVE: Final = (
    r"(?:provid\w*|answer\w*|help\w*|assist\w*|fulfil\w*|giv\w+|offer\w*|comment\w*|discuss\w*|engag\w*|"
    r"generat\w*|creat\w*|writ\w+|produc\w*|shar\w+|say|tell\w*|determin\w*|confirm\w*|verif\w*|find\w*|locat\w*|"
    r"identif\w*|access\w*|brows\w*|predict\w*|speculat\w*|recommend\w*|advis\w*|support\w*|condon\w*|endors\w*|"
    r"promot\w*|participat\w*|complet\w*|compl(?:y|ying)|process\w*|continu\w*|see|perceiv\w*|count\w*|respond\w*|"
    r"address\w*|describ\w*|explain\w*|list|name|suggest\w*|disclos\w*|reveal\w*|judg\w*|assess\w*|evaluat\w*|"
    r"guess\w*|"
    r"ascertain\w*|know|be (?:certain|sure|of help|of assistance)|estimat\w*|infer\w*|conclud\w*|establish\w*|"
    r"view\w*|"
    r"open|read|search\w*|look|retriev\w*|draw|do (?:that|this|so)|express\w*|experienc\w*|feel|extract\w*|"
    r"summari[sz]e|translat\w*|interpret\w*|understand|recall|remember|recogni[sz]e|make|facilitat\w*|encourag\w*|"
    r"entertain|perform\w*|calculat\w*|comput\w*|pinpoint|specify|state|cite|quote|play|meet|certif\w*)"
)
_EN_INFORMATION: Final = (
    r"(?:information|evidence|mention|indication|details?|data|reference|answer|testimony|records?|statement|"
    r"documentation|context|knowledge|specifics|sources?|facts|basis|clue|memory|material|description|results?|"
    r"section|provision|clause|parts?|text|passage|explanation|reports?|proof|account|guidance)"
)
_EN_STATED: Final = (
    r"(?:stated?|mention(?:ed)?|specif(?:y|ied)|record(?:ed)?|given?|provide[d]?|disclose[d]?|indicate[d]?|"
    r"identif(?:y|ied)|known|clear|available|address(?:ed)?|discuss(?:ed)?|found|establish(?:ed)?|document(?:ed)?|"
    r"answer(?:ed)?|answerable|determine[d]?|determinable|report(?:ed)?|contain(?:ed)?|show[n]?|say|reveal(?:ed)?|"
    r"tell|include[d]?|explain(?:ed)?|set out|described?|name[d]?|detail(?:ed)?|supplied|supply|listed?|cover(?:ed)?|"
    r"confirm(?:ed)?|public(?:ly)?|announced|released|published|elaborate|offer|present(?:ed)?|certain|possible to|"
    r"readily available|refer(?:red)? to|allude to|comment on|touch on|outline[d]?|clarif(?:y|ied)|define[d]?|"
    r"enough|sufficient|suggest|reflect(?:ed)?|capture[d]?|quantif(?:y|ied)|itemi[sz]ed?|list)"
)
_EN_ADVERB: Final = (
    r"(?:(?:been|be|explicitly|specifically|directly|clearly|expressly|actually|seem to|appear to|currently|yet|"
    r"publicly|officially|definitively|reliably|otherwise|even|fully|precisely|exactly|being|further|anywhere|"
    r"widely|immediately|readily|generally|accurately|conclusively|really|ever|also|necessarily|quite|entirely|"
    r"made|at all|commonly|well|universally) ){0,3}"
)
SPEAKER_EN: Final = (
    rf"(?:i|we)(?:'m|'ve|'ll|'d|'re)?\b{_EN}{{0,30}}?\b{_CANNOT}\b{_EN}{{0,50}}?\b{_EN_SERVE}\b"
    rf"|(?:i|we)(?:'ve)? (?:\w+ ){{0,2}}?(?:do not|don't|did not|didn't|have not|haven't|have no|had no|see no|"
    rf"found no|find no|"
    rf"lack|am not|was not|are not|never|know of no)(?: \w+){{0,2}}? ?"
    rf"(?:have|know|understand|recogni[sz]e|recall|remember|find|found|see|possess|access|sure|certain|aware|"
    rf"familiar|able|been|information|knowledge|idea|record|data|way|details|context|evidence|specific|any|enough|"
    rf"sufficient|mention|reference|the|real|personal|heard|of|clear|privy|programmed|designed|trained|equipped)\b"
    rf"|i'm (?:\w+ )?(?:not|unable|unaware|unfamiliar|unsure|uncertain)(?: \w+){{0,2}}"
    rf"|(?:beyond|outside) (?:of )?(?:my|the) {_EN}{{0,20}}?(?:scope|knowledge|capabilit\w+|abilit\w+|expertise|"
    rf"training|context|reach|text|documents?|passage|materials?|sources?)\b"
    rf"|my (?:knowledge|training|data|information)\b{_EN}{{0,40}}?\b(?:does not|doesn't|not|cut-?off|limited|only|"
    rf"up to|until)\b"
    rf"|against (?:my|our) (?:\w+ )?(?:programming|guidelines|polic\w+|principles|values)\b"
    rf"|no (?:comment|answer|idea)\b|\b(?:not|n't) something (?:that )?(?:i|we) (?:can|am|could|would)\b"
    rf"|i(?:'d| would)? (?:prefer not|rather not|choose not|opt not|must refrain|have to pass|will have to pass|"
    rf"must pass)\b"
    rf"|(?:i|i'm|we)\b{_EN}{{0,50}}?\b(?:don't|do not|doesn't|does not) have (?:\w+ )?(?:access|information|"
    rf"knowledge|data|the ability|details)\b"
    rf"|i(?:'d| would)? need (?:{_EN}{{0,60}}?)(?:to|before i can) (?:\w+ )?(?:answer|help|assist|determine|"
    rf"provide|calculate|give|perform)\b"
)
UNABLE_EN: Final = (
    rf"(?:cannot|can't|can not|could not|couldn't|may not|not) be {_EN_ADVERB}"
    rf"(?:determined?|said|answered|told|confirmed|established|identified|"
    rf"ascertained|known|found|verified|inferred|provided|given|certain|sure|calculated|computed|deduced|derived|"
    rf"located|discerned|stated|concluded|specified|pinpointed|decided|resolved|estimated|predicted|gleaned)\b"
    rf"|(?:impossible|not possible|difficult|hard|tough|not feasible|no way|challenging|"
    rf"infeasible) (?:for \w+ )?to (?:\w+ ){{0,2}}?"
    rf"(?:say|know|tell|determine|answer|provide|give|identify|ascertain|establish|confirm|pinpoint|state|find|infer|"
    rf"verify|specify|predict|conclude|judge|pin|estimate|name|assess)\b"
    rf"|(?:(?<=^)|(?<=[.;,:!?\n])|(?<=[.;,:!?\n] )|(?<=\bbut )|(?<=\bso )|(?<=\bthus )|(?<=\band )|(?<=\bis )|"
    rf"(?<=\bwas )|(?<=\bare )|(?<=\bwere )|(?<=\btherefore ))(?:unable to|cannot|can't|could not|"
    rf"couldn't) (?:\w+ ){{0,2}}?"
    rf"(?:determine|say|answer|tell|confirm|establish|identify|ascertain|know|find|verify|infer|provide|locate|help|"
    rf"assist|give|comply|fulfil\w*|process|complete)\b"
    rf"|(?:you|one) (?:cannot|can't) (?:\w+ )?(?:tell|determine|know|infer|say)\b"
)
SOURCE_EN: Final = (
    rf"(?:do|does|did|has|have|was|were|is|are|be|been|being|had|would|will)(?:n't| not|n't been|"
    rf" never) {_EN_ADVERB}{_EN_STATED}\b"
    rf"|(?:not|never|nowhere) {_EN_ADVERB}{_EN_STATED}\b"
    rf"|never {_EN_ADVERB}(?:identifies|mentions|states|says|specifies|names|gives|records|explains|discloses|"
    rf"addresses|provides)\b"
    rf"|no (?:(?:\w|-)+,? (?:or |and )?){{0,4}}?{_EN_INFORMATION}\b"
    rf"|(?:insufficient|inadequate|lacking|limited|incomplete|missing|not enough|without (?:more|additional|"
    rf"further|sufficient|enough|any)|lacks?|lack of|absence of|too little|"
    rf"(?:do|does|did)(?:n't| not) (?:have|contain|hold|offer)) (?:\w+ ){{0,3}}?{_EN_INFORMATION}\b"
    rf"|without (?:giving|stating|specifying|mentioning|providing|disclosing|naming|saying|identifying|indicating)\b"
    rf"|nothing (?:\w+ ){{0,4}}?(?:about|on|regarding|concerning)\b"
    rf"|(?:neither|none|nothing|nobody|no one|nowhere)\b{_EN}{{0,60}}?\b"
    rf"(?:mentions?|mentioned|says?|said|states?|stated|records?|specif\w+|indicates?|shows?|identif\w+|explains?|"
    rf"addresses|gives?|refers?|knows?|known|suggests?|found)\b"
    rf"|makes? no (?:mention|reference)\b|fails? to (?:say|state|mention|specify|identify|indicate|provide|address)\b"
    rf"|leaves? (?:it |this |that )?open\b|omits?\b|\b(?:is|are|was|were) (?:absent|missing) from\b"
    rf"|silent (?:on|about|as to|regarding|concerning)\b|\b(?:is|are|remains?|was|were) (?:entirely |"
    rf"completely )?silent\b"
    rf"|not (?:in|within|part of|covered by|contained in) (?:the|this|any) (?:\w+ )?(?:text|passage|document|"
    rf"context|record|contract|materials?|information|article|file)\b"
)
NOTHING_EN: Final = (
    rf"(?:not|\w{{2,6}}n't|never)\b{_EN}{{0,40}}?\b(?:recogni[sz]ed|known|familiar|real|valid|standard|established|"
    rf"actual|legitimate|existing|common|well-known|widely|genuine|documented|official)\b"
    rf"(?: \w+){{0,3}}? ?(?:term|word|name|concept|creature|species|thing|place|person|entity|team|event|game|"
    rf"sport|location\w*|phrase|organism|animal|title|song|product|dish|character|company|book|show|language|city|"
    rf"country|technology|plant|drug|medication|food|being|organi[sz]ation|figure|individual|brand|one|to me)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:look|seem|appear|sound) (?:like|that|as)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:seem|appear) to (?:be (?:an?|any|the)|refer|exist|correspond|match|"
    rf"make sense|relate|belong)\b"
    rf"|(?:do|does|did)(?:n't| not) (?:appear (?:in|on|anywhere)|feature|refer to an?|correspond|ring a bell|"
    rf"make sense|have a (?:character|person|member|song|species|place)|include a (?:character|person|song))\b"
    rf"|no (?:(?:\w|-)+ )?(?:such|known|recogni[sz]ed|official|reliable|publicly available|verified|credible|"
    rf"single|exact|precise|definitive|definite|universally|widely|clear) \w+"
    rf"|no (?:\w+ ){{1,3}}?(?:called|named|known as|by (?:that|this) name|with (?:that|this) name)\b"
    rf"|(?:do|does)(?:n't| not) (?:actually |really |currently )?exist\b|non-?existent\b|\b(?:is|are|be|as|seems|"
    rf"appears) (?:\w+ )?(?:not associated with|unrelated to|not related to|not a (?:thing|real|term|word|name))\b"
    rf"|(?:seems?|appears?|may|might|could|possibly|likely|probably|sounds?)\b{_EN}{{0,16}}?\b(?:made[- ]up|"
    rf"fictional|fictitious|imaginary|nonsens\w+|hypothetical|gibberish|misspell\w*|typo)\b"
)
# as a predicate; before a noun it is content: an unknown man
_PREDICATE: Final = (
    r"(?= ?(?:$|[.,;:!?)\n])| (?:by|in|to|from|at|as|and|or|but|because|since|whether|who|what|when|where|which|"
    r"how|if|why|"
    r"for|due|about|until|with|based|on|exactly|at|so|given|despite|even|is|was)\b)"
)
UNKNOWN_EN: Final = (
    r"(?:unclear|unanswerable|unanswered|inconclusive|illegible|unreadable|indeterminate|unavailable|"
    r"(?:is|are|was|were|been|be) (?:redacted|withheld|blacked out|obscured)|"
    r"not applicable|n/a|to be (?:determined|announced|confirmed)|tbd|tba)\b"
    rf"|(?:unknown|undetermined|unspecified|unstated|undisclosed|uncertain|unconfirmed|unidentified|"
    rf"undecided)\b{_PREDICATE}"
    r"|remains? (?:a )?(?:mystery|unsolved|debated|disputed|open)\b|no consensus\b|up for debate\b|who knows\b|"
    r"silent\b"
)
IGNORANT_EN: Final = re.compile(
    r"\b(?:do|does|did)(?:n't| not) (?:know|recall|remember)\b|\b(?:can't|cannot|could not|couldn't) (?:recall|"
    r"remember)\b"
    r"|\bforg[eo]t(?:ten|s)?\b|\bno (?:recollection|memory)\b",
    re.IGNORECASE,
)
VAGUE_EN: Final = (
    rf"(?:could|can|would|will|might) you (?:please |kindly |possibly )?(?:provide|clarify|specify|give|elaborate|"
    rf"explain|tell|share|rephrase|confirm|check|be more|let me know|double)\b"
    rf"|please (?:\w+ )?(?:provide|clarify|specify|give|elaborate|rephrase|share|supply|tell|be more|check|"
    rf"let me know|double-check|confirm|include|ask)\b"
    rf"|(?:more|additional|further) (?:\w+ )?(?:context|information|details?|specifics|"
    rf"clarification)\b{_EN}{{0,30}}?\b(?:needed|required|necessary|helpful)\b"
    rf"|(?:question|query|request|prompt|statement|phrase|sentence|wording)\b{_EN}{{0,20}}?\b(?:too |somewhat |"
    rf"quite |rather |very |a bit |not )?(?:vague|unclear|ambiguous|broad|incomplete|general|confusing|not clear|"
    rf"makes no sense|subjective|make sense|specific enough|clear)\b"
    rf"|need (?:more|additional|further|some more) (?:\w+ )?(?:context|information|details?|specifics|"
    rf"clarification)\b"
    rf"|what (?:exactly )?do you mean\b|what (?:specifically |exactly )?(?:would you like|are you (?:looking|"
    rf"referring|asking))\b|which \w+ (?:are you|do you)\b|if you (?:can|could|would)? ?(?:please )?(?:provide|"
    rf"clarify|specify|give) (?:me )?(?:with )?(?:more|additional|further|some)\b"
)
SELF_EN: Final = (
    rf"(?:as an?|i'm an?|i am an?|i'm just an?|i am just an?) (?:\w+ ){{0,3}}?(?:ai|a\.i\.|artificial intelligence|"
    rf"language model|assistant|machine|chatbot|computer program|bot|llm)\b{_EN}{{0,60}}?\b"
    rf"(?:don't|do not|doesn't|does not|not|no|cannot|can't|lack|without) (?:\w+ ){{0,4}}?(?:opinions?|feelings?|"
    rf"emotions?|preferences?|experiences?|beliefs?|body|consciousness|senses|eyes|favou?rites?|memor\w+|family|"
    rf"life|physical|personal|thoughts|desires)\b"
)
SORRY_EN: Final = (
    rf"(?:sorry|apologi[sz]e|apologies|unfortunately|regret|i'm afraid|i am afraid|regrettably|"
    rf"sadly)\b(?! (?:to hear|for your|about your|that you|you're|you are))(?={_EN}{{0,80}}?(?:n't|\b(?:cannot|not|"
    rf"no|unable|outside|beyond|decline|without|lack|against|only))\b)"
)

POLICY_EN: Final = (
    r"it(?:'s| is) (?:\w+ ){0,2}?(?:not (?:\w+ )?(?:ethical|legal|appropriate|acceptable|okay|ok|right|moral)|"
    r"illegal|unethical|immoral|inappropriate|against the law|never (?:okay|ok|acceptable|appropriate)) "
    r"(?:or \w+ |and \w+ )?to\b"
)

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

CUES_ZH: Final = re.compile(
    f"(?P<speaker>{SPEAKER_ZH})|(?P<self>{SELF_ZH})|(?P<sorry>{SORRY_ZH})|(?P<vague>{VAGUE_ZH})|"
    f"(?P<source>{SOURCE_ZH})"
    f"|(?P<unable>{UNABLE_ZH})|(?P<nothing>{NOTHING_ZH})|(?P<unknown>{UNKNOWN_ZH})"
    f"|(?P<ignorant>{IGNORANT.pattern})|(?P<conflict>{_CONFLICT_ZH})"
)
# each with words of which one must stand in the text, in small letters
CUES_EN: Final = tuple(
    (re.compile(rf"\b(?=[a-z])(?P<{kind}>{pattern})", re.IGNORECASE), tuple(needed.split("|")))
    for kind, pattern, needed in (
        ("self", SELF_EN, "an ai|an a.i|artificial|language|assistant|machine|chatbot|computer|bot|llm"),
        ("speaker", SPEAKER_EN, "i |i'|we |we'|my |beyond|outside|against|no comment|no answer|no idea"),
        ("sorry", SORRY_EN, "sorry|apolog|unfortunately|regret|afraid|sadly"),
        (
            "vague",
            VAGUE_EN,
            "you|please|more|addition|further|question|query|request|prompt|statement|phrase|wording|sentence",
        ),
        (
            "nothing",
            NOTHING_EN,
            "n't|not |no |never|exist|seem|appear|may|might|could|possibly|likely|probably|sound|unrelated",
        ),
        ("policy", POLICY_EN, "it is |it's "),
        (
            "source",
            SOURCE_EN,
            "n't|not|no |never|neither|none|nobody|nowhere|silent|insuff|inadeq|lack|limited|incompl|"
            "missing|without|absen|fail|leave|omit|too l",
        ),
        ("unable", UNABLE_EN, "cannot|can't|not|impossib|difficult|hard|tough|no way|challeng|infeas|unable|couldn't"),
        (
            "unknown",
            UNKNOWN_EN,
            "un|redact|withheld|blacked|obscur|inconcl|illeg|indeter|n/a|to be|tb|remain|consensus|"
            "debate|who knows|silent|applic",
        ),
        ("ignorant", IGNORANT_EN.pattern, "know|recall|rememb|forg|memory|recollec"),
        ("conflict", _CONFLICT_EN, "inconsist|contradict|conflict|discrep|disagree"),
    )
)


def cues_en(text: str) -> Iterator[re.Match[str]]:
    """English words of refusal, those of each kind in order; at most `MOST_CUES` of a kind."""
    small = text.lower()
    for pattern, needed in CUES_EN:
        if any(word in small for word in needed):
            yield from islice(pattern.finditer(text), MOST_CUES)


def has_cue(text: str) -> bool:
    """Whether words of refusal stand in a text."""
    return (has_han(text) and CUES_ZH.search(text) is not None) or any(cues_en(text))


def without_cues(text: str) -> str:
    """The text without its words of refusal."""
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
# the question itself is refused, wherever that stands
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
INFERENCE: Final = re.compile(
    r"其实|经查|可知|可见|可以看出|可得出|一般认为|普遍认为|通常认为|主流|被认为|有观点|一种(?:说法|解释|观点|"
    r"可能)|据说|相传|截至|截止到?|据我所知|根据我的(?:知识|了解)|可以?计算|可算出|估计|应该(?:是|为)|"
    r"^.{0,6}应该(?:在|有|就)|应为|可以推断|可推断|推测(?!其?性)|实际上|事实上|据推算|很可能|大概率|想必|"
    r"可能[是为]|或许是|也许是|大概[是为]|我猜|我认为|我觉得|认定为"
    r"|\bprobably\b|\blikely\b|\bin fact\b|\bactually\b|\bpresumably\b|\bi (?:would )?(?:guess|think|believe|"
    r"estimate|assume)\b"
    r"|\b(?:is|are|was|were) (?:\w+ )?(?:thought|believed|considered|estimated|assumed) (?:to|by|that|as)\b|"
    r"\bit is (?:\w+ )?(?:thought|believed|estimated)\b|\bmy (?:best )?guess\b|\bcan be inferred\b|\bperhaps\b|"
    r"\bmight (?:be|have been)\b|\bmay (?:be|have been)\b|\bcould be\b"
    r"|\bas of (?:my|the|20\d\d|january|february|march|april|may|june|july|august|september|october|november|"
    r"december)\b|\bto (?:the best of )?my knowledge\b|\bi can (?:calculate|infer|estimate|deduce|derive)\b",
    re.IGNORECASE,
)
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
    r"^\s*(?:其他|其它|其余|另外|此外|至于|更多|其后|other|further|anything else|beyond that|as for|as to)",
    re.IGNORECASE,
)
REFERS: Final = re.compile(
    r"(?:提到|提及|提过|称|说|表示|原话|写道|写有|记载|只|仅|供述|陈述|需要|建议|应当?核|可以?(?:参考|查|核)|"
    r"\bsaid\b|\bsays\b|\bonly\b|\bstate[sd]?\b|\btestif\w+)",
    re.IGNORECASE,
)
# clauses that supply nothing: apology, courtesy, referral, description of oneself, reason of the refusal
FILLER: Final = re.compile(
    r"\s*(?:而且?|并且?|但是?|不过|然而|所以|因此|如果|或者|同时|另外|此外|也|:|,)*\s*(?:很|非常|十分|深感|真的|"
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

# ----- what a question asks for

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
SAID: Final = re.compile(
    r"怎么.{0,8}说|说了什么|(?:如何|怎么|怎样)(?:认定|判决|裁定|看待)|如何(?:陈述|供述|解释|回答|表述)|"
    r"怎么(?:回答|解释|答复|讲|回应|供述|陈述)|怎样说|原话|"
    r"\bwhat (?:did|does) .{0,40}\b(?:say|state|testify|claim|answer|hold|find|decide|rule|conclude|allege|argue|"
    r"contend|assert|report|explain)\b",
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
