"""Names of persons, by surname and context, without word segmentation; English names by capitals."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from steelyard.legal.grounding.common_words import FREQUENT_WORDS, SURNAME_WORDS
from steelyard.legal.grounding.english_names import english_names, is_known_english_name

SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊"
    "秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪"
    "梅童凌毕单季裴霍涂成苗谷曲盛冉翁蓝骆路游靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟"
    "应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚"
    "花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辛羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈"
    "洪庾宓邴汲糜隗郗钭韶蓟鄂赖莘逄郦璩濮郏阎宦暨禄夔訾乜巢蒯竺桓常牧怀贡寿步弘广习鱼山秋双松"
    "湛宾戎勾茅利於呼居揭干但尉冶斯元束檀衣信展阴昝智幸奉植衡富尧闭由"
)  # fmt: skip
DOUBLE_SURNAMES: Final = (
    "欧阳", "太史", "端木", "上官", "司马", "东方", "独孤", "南宫", "夏侯", "诸葛", "尉迟", "皇甫", "澹台", "公孙",
    "慕容", "长孙", "宇文", "司徒",
    "轩辕", "令狐", "百里", "呼延", "南门", "贺兰", "赫连", "拓跋", "完颜",
)  # fmt: skip
# surnames that mostly begin ordinary words; they need more context than the others
_AMBIGUOUS: Final = frozenset(
    "方白江史毛万钱严武莫孔向汤温康施文牛安齐易左关兰焦甘包宁尚符成苗谷曲盛蓝路游管柴蒙华房解农时司古吉简车项连麦景党宫费冷席卫米全应苟边"
    "师和商沙荣明池查麻官封谈匡惠乐南班储原劳皮楼盘满闻位区海花权强帅豆盖练廉井祖漆丰支国平计索宣相初门云容敬来都普薄母修况那宿鲜印隆诺战危"
    "玉银公哈利居揭干但尉斯元束衣信展阴智幸奉植衡富由单金石夏段雷申任余付程高马何林叶于黄罗许曾田龙贺顾祝童季柏宗桂欧殷章仲虞迟郁冀阳尤卓"
    "常牧怀贡寿步弘广习鱼山秋双松边车宾闭况凌陆周"
)
# surnames that are mostly function words: only a role with 是 or a colon, or 叫, makes them names
_FUNCTION_LIKE: Final = frozenset("和向由来但那应都时况位公原相国全")
# ambiguous ones that are surnames more often than not where a role stands before them
_RATHER_SURNAMES: Final = frozenset("高马何林叶黄罗许曾田龙贺顾祝童季柏卓陆周夏雷余程江白付钱尤殷章")
# characters that never continue a surname into a name
_NEVER: Final = frozenset(
    "他她它我你您的了在是有和与及或不没未被把将给对于从到至向由以为其这那个们等都也还就已曾应当可能会要说称道者所"
    "之而且并但因此若如则即乃各每某两三四五六七八九十百千万元年月日时分号次笔份人"
)
_ROLES: Final = frozenset(
    "被告人 原告 被告 原告人 上诉人 申请人 第三人 嫌疑人 被害人 受害人 受害者 证人 介绍人 担保人 保证人 负责人 "
    "联系人 经办人 代理人 "
    "辩护人 代表人 法人代表 经营者 出借人 借款人 债务人 债权人 承租人 出租人 卖方 买方 委托人 受托人 报案人 报警人 "
    "举报人 驾驶人 收款人 "
    "付款人 见证人 合伙人 继承人 监护人 户主 业主 店主 店员 店长 老板 老板娘 员工 职工 工人 木工 工头 司机 会计 出纳 "
    "经理 主管 主任 "
    "科长 局长 院长 所长 队长 组长 村长 厂长 校长 行长 书记 董事长 股东 民警 警察 警官 交警 辅警 律师 法官 审判长 "
    "审判员 陪审员 书记员 "
    "检察官 检察员 公诉人 鉴定人 评估师 医生 护士 老师 教师 学生 同学 同事 朋友 战友 老乡 邻居 房东 租客 丈夫 妻子 "
    "儿子 女儿 父亲 母亲 "
    "哥哥 弟弟 姐姐 妹妹 表弟 表哥 堂弟 堂哥 表妹 表姐 侄子 外甥 女婿 儿媳 前妻 前夫 男友 女友 男子 女子 仓管员 "
    "业务员 销售员 快递员 保安 "
    "骑手 中介 客服 秘书 助理 专家 教授 记者 同伙 姓名 名叫 叫做 叫作 还有 另有 交给 转给 借给 付给 还给 退给 卖给 "
    "送给 告诉 找到 联系 "
    "债主 车主 货主 伤者 死者 患者 乘客 顾客 客户 技师 工程师 设计师 包工头 推销员 售货员 收银员 服务员 管理员 "
    "调解员 仲裁员 翻译 领导 "
    "伯父 叔叔 舅舅 姑姑 爷爷 奶奶 外公 外婆 岳父 岳母 公公 婆婆 嫂子 姐夫 妹夫 侄女 未婚妻 未婚夫 继父 继母 养父 "
    "养母 长子 次子 长女 次女 "
    "其妻 其夫 其父 其母 其子 其女 其弟 其兄 其姐 其妹 给了 委托 聘请".split()
)
_COPULAS: Final = frozenset("是为系叫:")
_BEFORE: Final = frozenset("、:,。;!?\n(“ |是叫为系由与跟向和给")
_EDGE_CHARACTERS: Final = frozenset("经据让请找被")
_EDGE_WORDS: Final = frozenset(
    "后来 当时 随后 此后 之后 其中 同时 另外 因此 所以 最终 最后 以及 包括 除了 通过 根据 按照 委托 联系 聘请 除开 "
    "连同 伙同 会同 陪同 "
    "协助 指使 雇佣 雇用 安排 要求 请求 起诉 控告 举报 称呼 认识 结识 听说 得知 证实 指认 辨认 追问 询问 "
    "讯问 代表 代替 帮助 欺骗 殴打".split()
)
_AFTER: Final = re.compile(
    r"[,。;!?、)\]”\s:(|]|$|也|均|都|一起|共同|一同|[两二三]人|律师|法官|知情|证实|退款|的(?!时候)|说|称|先生|女士|表示|承认|否认|在场|介绍|收取|收到|收了|给了|支付|"
    r"付款|转账|签|等|与|和|以|负责|担任|担保|保证|保管|主持|出面|转交|驾驶|陪同|报案|作证|证明|见证|垫付|归还|赔偿|"
    r"经手|操作|开车|送|所|代|提供|出借|向|现金|微信|于\d|\d|参与|参加|出庭|到庭|辩称|诉称|陈述|供述|供认|作为|同意|认为|主张|"
    r"要求|请求|委托|购买|借款|还款|退款|退还|收款|取款|交付|签订|订立|签字|受伤|死亡|驾车|殴打|盗窃|"
    r"因(?!为)|系(?!统)|已|曾|未|没有|将|被|把|从|通过|拒绝|实施|当庭|提出|在\d"
)
_SURE_AFTER: Final = re.compile(rf"(?![\d以等所代送向])(?:{_AFTER.pattern})")
_TITLE_AFTER: Final = re.compile("律师|先生|女士|法官|警官|医生")
_SPEAKS: Final = re.compile(
    "说|称|表示|承认|否认|在场|支付|转账|出庭|到庭|辩称|诉称|陈述|供述|作证|签字|签订|归还|退还|参与|介绍|驾驶|赔偿|"
    "购买|主张"
)
_DOUBTFUL: Final = frozenset(("东方", "百里", "公孙", "南门", "上官", "长孙"))
_WORDS: Final = FREQUENT_WORDS | SURNAME_WORDS
_JOINED: Final = _WORDS | frozenset("由于 对于 给付 共和 至于 关于 基于 鉴于 处于 属于 位于 用于 等于".split())
_DOUBLE: Final = frozenset(DOUBLE_SURNAMES)
_ANY_SURNAME: Final = SURNAMES | _DOUBLE
_HAN: Final = r"\u4e00-\u9fff"
_FIRST: Final = "".join(sorted(SURNAMES | {surname[0] for surname in DOUBLE_SURNAMES}))
_CLEAR: Final = "".join(sorted(SURNAMES - _AMBIGUOUS - _FUNCTION_LIKE))
_INTRODUCES: Final = _BEFORE | _EDGE_CHARACTERS | _COPULAS | {word[-1] for word in _EDGE_WORDS | _ROLES}
_GIVEN: Final = f"(?![{''.join(sorted(_NEVER))}])[{_HAN}]"
_GIVEN_NAMES: Final = {length: re.compile(_GIVEN * length) for length in (1, 2)}
# a surname and the beginning of a given name: after an edge or a role, or, if it is clear, before a verb of speech
_CANDIDATE: Final = re.compile(
    f"[{_FIRST}](?={_GIVEN})(?:(?<=\\A.)|(?<=[{re.escape(''.join(sorted(_INTRODUCES)))}].)"
    f"|(?<=[{_CLEAR}])(?={_GIVEN * 2}(?:{_SPEAKS.pattern})))",
    re.DOTALL,
)
_SOMEBODY: Final = re.compile(
    f"[{''.join(sorted(SURNAMES))}]某(?:[某甲乙丙丁]|(?![{_HAN}])|(?=[的与和说称在因将被以向未已])|(?=[{_HAN}]))"
)
_FAMILIAR: Final = re.compile(
    f"(?:(?<![{_HAN}])|(?<=[给找叫是跟与和])) ?([老阿小](?:[{''.join(sorted(SURNAMES))}]|[{_HAN}](?=[”,。;、]|$)))"
    r"(?=[,。;、”\s]|$|的|说)"
)
_NOT_FAMILIAR: Final = frozenset(
    "老师 老板 老人 老年 老家 老乡 老婆 老公 小时 小区 小孩 小组 小学 小型 小额 小计 小结 老旧 小于 小数 "
    "小车 小店".split()
)
_TITLES: Final = ("先生", "女士", "小姐", "太太", "律师", "警官", "老师", "医生", "经理", "老板", "师傅", "总")
_TITLED: Final = re.compile(f"([{''.join(sorted(SURNAMES - _AMBIGUOUS))}])({'|'.join(_TITLES[:4])})")
_CALLED: Final = re.compile(
    f"(?:名叫|叫做|叫作|叫|名为|姓名(?:是|为|:))([{_HAN}]{{2,4}}?)(?=[,。;!?、)”\\s]|$|的|是|说)"
)


@lru_cache(maxsize=1 << 5)
def names(text: str) -> tuple[tuple[str, int], ...]:
    """Names of persons in a normalised text, with their positions; cached, because several judges ask for them."""
    return (*(() if text.isascii() else _chinese_names(text)), *english_names(text))


def _chinese_names(text: str) -> Iterator[tuple[str, int]]:
    end = 0
    for match in _CANDIDATE.finditer(text):
        at = match.start()
        surname = text[at : at + 2] if text[at : at + 2] in _DOUBLE else match[0]
        if at >= end and surname in _ANY_SURNAME and (name := _name_at(text, at, surname)):
            end = at + len(name)
            yield name, at
    for match in _SOMEBODY.finditer(text):
        yield match[0], match.start()
    for match in _FAMILIAR.finditer(text):
        if match[1] not in _NOT_FAMILIAR:
            yield match[1], match.start(1)
    for match in _TITLED.finditer(text):
        yield match[0], match.start()
    for match in _CALLED.finditer(text):
        if match[1][0] in SURNAMES and match[1][-1] not in _NEVER and match[1][:2] not in SURNAME_WORDS:
            yield match[1], match.start(1)


def _name_at(text: str, at: int, surname: str) -> str:
    """The name that begins with the surname at this position; "" if the context does not support one."""
    given = at + len(surname)
    if text[given - 1 : given + 1] in SURNAME_WORDS:
        return ""
    role = _has_role_before(text, at)
    if not role and text[at - 1 : at + 1] in _JOINED:
        return ""
    is_mark = at == 0 or text[at - 1] in _BEFORE
    is_edge = is_mark or text[at - 1] in _EDGE_CHARACTERS or text[at - 2 : at] in _EDGE_WORDS
    if len(surname) == 2:
        is_sure = role or (is_edge and surname not in _DOUBTFUL)
        return _with_given(text, at, surname, (1, 2), _AFTER) if is_sure else ""
    if surname in _FUNCTION_LIKE and not (role and text[at - 1] in _COPULAS):
        return _with_given(text, at, surname, (1, 2), _TITLE_AFTER) if role else ""
    if surname in _AMBIGUOUS:
        if role:
            loose = _with_given(text, at, surname, (2,), None) if surname in _RATHER_SURNAMES else ""
            return _with_given(text, at, surname, (2, 1), _AFTER) or loose
        return _with_given(text, at, surname, (2,), _SURE_AFTER) if is_mark else ""
    if role:
        return _with_given(text, at, surname, (1, 2), _AFTER) or _with_given(text, at, surname, (2,), None)
    if is_edge:
        return _with_given(text, at, surname, (1, 2), _AFTER)
    return _with_given(text, at, surname, (2,), _SPEAKS)


def _has_role_before(text: str, at: int) -> bool:
    """Whether a word for a person in a role, or such a word with 是 or a colon, is before the position."""
    if at > 1 and text[at - 1] in _COPULAS:
        if text[at - 1] == "叫":
            return True
        at -= 1
    return (
        (at > 1 and text[at - 2 : at] in _ROLES)
        or (at > 2 and text[at - 3 : at] in _ROLES)
        or (at > 3 and text[at - 4 : at] in _ROLES)
    )


def _with_given(text: str, at: int, surname: str, lengths: tuple[int, ...], after: re.Pattern[str] | None) -> str:
    """The surname with a given name of one of these lengths that `after` may follow; "" if there is none."""
    for length in lengths:
        given = _GIVEN_NAMES[length].match(text, at + len(surname))
        if given and given[0] not in _WORDS and (after is None or after.match(text, given.end())):
            return surname + given[0]
    return ""


def is_known_name(name: str, text: str) -> bool:
    """Whether the text has the name; one with 某 or a title is known by its surname, English names in any case."""
    if not "\u4e00" <= name[0] <= "\u9fff":
        return is_known_english_name(name, text)
    if name[1:] in _TITLES or name[1:2] == "某":
        return name[0] in text
    return name in text
