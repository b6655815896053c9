"""Words by which answers refuse, and by which questions make such words an answer; patterns, not strings."""

import re
from typing import Final

_REPORTED: Final = (
    "显示|记载|载明|提及|提到|说明|写明|体现|涉及|包含|包括|交代|记录|注明|列明|指明|披露|反映|陈述|述及|"
    "明确|给出|提供|谈及|言明|讲明|说清楚?|写清楚?|说过|问及|交待|述明|言及|写到|讲到|谈到|说到|写(?!作|意)|提(?!出|交|供|起|前|高|示|取|成|货|款)|讲"
)
# what is not there: the source does not report it, it cannot be found, it is too little
ABSENT: Final = re.compile(
    rf"(?:未|没有|没|并未|并没有|均未|均没有|都没有|尚未|未曾|不曾|无)(?:明确|具体|详细|任何|直接|进一步|作出|对此|能|有|相关|予以?|加以|一处|一字|半句|地方|部分|再|专门|单独|另行)*(?:{_REPORTED})(?!清楚了)|"
    r"(?:没有|无)(?:任何)?(?:关于|有关|涉及).{0,24}?(?:记载|信息|内容|说明|记录|资料|描述|证据)|"
    r"(?:材料|笔录|卷宗|文档|文中|合同|证据|记录)[^,。;]{0,8}不(?:包含|涉及|含有|载明|显示|体现|包括|含)|"
    r"(?:查|找|看|检索|搜)不(?:到|出|见)|(?:没有|没|未|未能)(?:查|找|检索|搜索?|发现)到?(?=.{0,8}(?:答案|信息|内容|记录|记载|依据|相关|$|[,。]))|未见|"
    r"(?:没有|无|缺乏|缺少)(?:任何|足够|充分|相关|直接|确切|有关)*(?:证据|信息|资料|材料|记载|依据|线索|说明|描述|内容)(?!费|款)|"
    r"(?:信息|证据|材料|资料)(?:不足|不够|不充分|缺失|有限)|证据不足以|资料缺失|暂无|[只一]字未提|避而不谈|无据可查|无从查考|查无"
)
UNABLE: Final = re.compile(
    r"(?:无法|不能|难以|无从|未能|没办法|没法|不足以|不宜)(?:据此|从.{0,8}?|由此|直接|准确|进一步|具体|明确|就此|给出|作出|予以)*"
    r"(?:确定|判断|认定|回答|得知|核实|知晓|获知|知道|确认|查明|看出|推断|推定|说明|提供|作答|获悉|了解|辨别|得出|答复|断定|证实|计算|推算|算出|知悉|获取|作答|分辨|还原)"
)
UNKNOWN: Final = re.compile(
    r"不详|不明(?!白|显|智)|未知(?!联系人|号码|来电|名|人员|数|领域)|不得而知|存疑|待查|尚待查明|有待核实"
)
IGNORANT: Final = re.compile(
    r"不知道|不知情|不知(?=[,。;]|$)|不清楚|不太清楚|不了解|不晓得|不记得|记不(?:清|得|起|住|太清)|忘记|忘了|忘掉|想不起|说不上|说不清|没(?:有)?印象|没(?:有)?数"
)
CONFLICT: Final = re.compile(
    r"不一致|不一(?=[,。;]|$)|相?矛盾|说法不[同一]|(?:陈述|供述|说法|内容|记载|前后).{0,6}(?:冲突|不符|不同|有出入|有差异|相左)|相互冲突|自相矛盾|"
    r"\b(?:inconsistent|contradict\w*|conflict(?:ing|s)?|discrepanc\w+|disagree)\b",
    re.IGNORECASE,
)
ENGLISH: Final = re.compile(
    r"\bnot (?:been )?(?:stated|mentioned|specified|recorded|given|provided|disclosed|indicated|identified|"
    r"known|clear|available|addressed|discussed|found|"
    r"established|documented|answered|determined|reported|contained|shown)\b|"
    r"\b(?:do|does|did|has|have|was|were|is|are)(?:n't| not) (?:\w+ )?(?:say|state[d]?|mention(?:ed)?|"
    r"specif(?:y|ied)|indicate[d]?|disclose[d]?|record(?:ed)?|provide[d]?|contain|"
    r"identif(?:y|ied)|give[n]?|reveal(?:ed)?|address(?:ed)?|show[n]?|tell|include[d]?|explain(?:ed)?|"
    r"answer(?:ed)?|establish(?:ed)?|set out|discuss(?:ed)?|stated?)\b|"
    r"\bno (?:information|evidence|mention|indication|details?|data|reference|answer|testimony|record (?:of|"
    r"that)|statement|documentation)\b|"
    r"\b(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|"
    r"not possible to) (?:be )?(?:determine[d]?|say|said|answer(?:ed)?|tell|told|confirm(?:ed)?|"
    r"establish(?:ed)?|"
    r"identif(?:y|ied)|ascertain(?:ed)?|know|known|find|found|verif(?:y|ied)|infer(?:red)?|provide[d]?)\b|"
    r"\b(?:unclear|unknown|undetermined|unspecified|unstated|undisclosed|insufficient (?:information|evidence|"
    r"detail))\b|\bsilent\b(?: (?:on|about|as to))?|\bno idea\b|"
    r"\b(?:neither|none|nothing|nobody|no one|nowhere)\b[^.;]{0,60}"
    r"\b(?:mentions?|mentioned|says?|said|states?|stated|records?|specif\w+|"
    r"indicates?|shows?|identif\w+|explains?|addresses|gives?|refers?)\b|\bmakes? no (?:mention|reference)\b|"
    r"\bfails? to (?:say|state|mention|"
    r"specify|identify|indicate)\b|\bleaves? (?:it |this |that )?open\b|\bomits?\b|\bis absent from\b",
    re.IGNORECASE,
)
ENGLISH_IGNORANT: Final = re.compile(
    r"\b(?:do|does|did)(?:n't| not) (?:know|recall|remember)\b|\b(?:can't|cannot|could not|"
    r"couldn't) (?:recall|remember)\b|\bforg[eo]t(?:ten|s)?\b|\bno (?:recollection|memory)\b",
    re.IGNORECASE,
)
NEGATED: Final = re.compile(
    r"(?:并非|不是|并不是|绝非|不可能|并无|毫无|绝无|不存在|没有什么|没有任何|not that .{0,10})(?:完全|真的|说)?$",
    re.IGNORECASE,
)
IDIOM: Final = re.compile(r"毫无疑问|无疑|不得不|不可否认|\bno doubt\b|\bnot only\b|\bwithout doubt\b", re.IGNORECASE)

WHY: Final = re.compile(r"为什么|为何|什么原因|因何|何故|缘何|怎么会|\bwhy\b", re.IGNORECASE)
WHETHER: Final = re.compile(
    r"是否|有没有|有无|([\u4e00-\u9fff])不\1|能否|是不是|会不会|(?:了|过)没有?\s*[?？]?\s*$|吗\s*[?？]?\s*$|^\s*(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would)\b",
    re.IGNORECASE,
)
SAID: Final = re.compile(
    r"怎么.{0,8}说|说了什么|(?:如何|怎么|怎样)(?:认定|判决|裁定|看待)|如何(?:陈述|供述|解释|回答|表述)|怎么(?:回答|解释|答复|讲|回应|供述|陈述)|怎样说|原话|"
    r"\bwhat (?:did|"
    r"does) .{0,40}\b(?:say|state|testify|claim|answer|hold|find|decide|rule|conclude)\b",
    re.IGNORECASE,
)
KNOWING: Final = re.compile(
    r"知道|知情|记得|清楚|了解|明知|认识|\bkn[oe]w|\bremember|\brecall|\baware\b", re.IGNORECASE
)

THEN: Final = re.compile(
    r"但是?(?!未|没|无|不)|不过|然而|其实|经查|估计|应该(?:是|为|在|有)|可以推断|可推断|推测|实际上|事实上|据推算|很可能|大概率|想必|"
    r"\bbut\b|\bhowever\b|\bprobably\b|\blikely\b|\bin fact\b|\bactually\b|\bpresumably\b|"
    r"\bi (?:would )?(?:guess|think|believe|estimate)\b|\balthough\b|\bthough\b|\byet\b",
    re.IGNORECASE,
)
OTHERWISE: Final = re.compile(
    r"^\s*(?:其他|其它|其余|另外|此外|至于其|更多|其后|other|further|anything else|beyond that)", re.IGNORECASE
)
REFERS: Final = re.compile(
    r"(?:提到|提及|提过|称|说|表示|原话|写道|写有|记载|只|仅|供述|陈述|需要|建议|应当?核|可以?(?:参考|查|核)|\bsaid\b|\bsays\b|\bonly\b|\bstate[sd]?\b|\btestif\w+)",
    re.IGNORECASE,
)

SOURCE: Final = re.compile(
    "材料|笔录|卷宗|文中|原文|文档|证据|记录(?!在)|问答|合同|\\b(?:record|transcript|document|file)", re.IGNORECASE
)
STRONG: Final = (ABSENT, UNABLE, UNKNOWN, CONFLICT, ENGLISH)


BECAUSE: Final = re.compile(r"^\s*(?:是?因为|由于|因(?!此)|\b(?:because|since|as)\b)", re.IGNORECASE)
ALTHOUGH: Final = re.compile(r"(?:虽然?|尽管|\b(?:although|though|while|even though)\b)", re.IGNORECASE)
