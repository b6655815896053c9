"""Names of persons, places and organisations in an answer, by surname, context and suffix; no segmentation."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊"
    "秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪"
    "梅童凌毕单季裴霍涂成苗谷曲盛冉翁蓝骆路游靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟"
    "应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚"
    "花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辛羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈"
    "湛宾戎勾茅利於呼居揭干但尉冶斯元束檀衣信展阴昝智幸奉植衡富尧闭由"
)  # fmt: skip
DOUBLE_SURNAMES: Final = (
    "欧阳", "太史", "端木", "上官", "司马", "东方", "独孤", "南宫", "夏侯", "诸葛", "尉迟", "皇甫", "澹台", "公孙",
    "慕容", "长孙", "宇文", "司徒",
    "轩辕", "令狐", "百里", "呼延", "南门", "贺兰", "赫连", "拓跋", "完颜",
)  # fmt: skip
# second characters that never continue a surname into a name
_NEVER: Final = (
    "他她它我你您的了在是有和与及或不没未被把将给对于从到至向由以为其这那个们等都也还就已曾应当可能会要说称道者所"
    "之而且并但因此若如则即乃各每某两三四五六七八九十百千万元年月日时分号次笔份人"
)
_COMMON: Final = frozenset(
    "尚差 尚有 尚需 尚余 金额 时间 方式 方法 方面 关系 关于 高度 成立 成功 安排 安全 明确 明白 明显 平时 "
    "平台 平均 常常 全部 "
    "全额 全家 相关 相应 相互 计算 支付 支持 支出 利息 利用 利益 任何 任务 "
    "余额 余款 余下 程序 程度 单据 单位 单独 连续 连同 利率 文件 文书 文字 包括 包含 包工 包工头 管理 管辖 "
    "居住 公司 公安 公开 公证 公款 国家 国际 海关 强制 强调 权利 原告 原因 原件 原话 "
    "来自 来往 来源 信息 信用 信任 展示 修改 位于 位置 官方 元整 元旦 商量 商业 商店 商品 应当 应该 应为 "
    "何时 何人 何处 何种 向其 解释 解决 解除 车辆 车牌 房屋 房租 房款 房东 田地 "
    "石材 白天 白色 黄金 黄色 江边 温度 康复 牛奶 安装 易于 左右 左边 柳树 宁可 尚未 尚欠 符合 童年 单子 "
    "季度 曲折 游客 路上 路费 华人 项目 连夜 麦子 景区 党员 费用 冷静 席位 卫生 米饭 "
    "全程 时候 师傅 和解 和平 商定 沙发 荣誉 明天 明年 查明 查看 查询 查证 官员 封面 谈话 谈判 乐意 南方 "
    "南边 班级 储存 原来 楚楚 劳动 劳务 皮肤 楼上 满意 闻讯 海边 花费 花掉 花光 花在 强行 "
    "盖章 练习 井水 祖父 祖母 丰富 国内 平安 索要 索赔 宣布 相信 相识 初步 初次 门口 门卫 云南 容易 敬请 "
    "都是 都有 普通 母亲 印章 印刷 战友 玉米 银行 公布 利润 居民 但是 元月 信件 智能 幸好 富裕 由于 "
    "马上 高兴 高于 高中 何况 林地 宋体 许多 许可 冯某 曾经 曾于 田间 董事 于是 余钱 程某 任职 任意 石头 "
    "范围 金钱 付款 付清 付给 付了 方便 白条 江河 段落 雷雨 史料 顾客 毛病 万元 万余 钱款 "
    "钱财 严重 武器 温泉 施工 文化 安置 齐全 易懂 关键 关机 焦急 包车 宁愿 成为 成员 成年 成绩 谷物 盛行 "
    "蓝色 路边 管道 房产 屈服 解答 时常 农民 农历 农村 司法 司机 古代 简单 车主 项下 连带 "
    "全体 全款 应收 应付 应退 边上 师生 和好 明细 池塘 查封 查收 封存 匡正 乐观 南侧 原定 原价 原始 劳累 "
    "皮包 满足 区域 区分 区别 海外 花园 权属 强迫 盖了 国有 平方米 计划 计入 索取 相当 相差 初期 "
    "门面 容量 来电 来到 来说 都在 公里 利害 居然 干活 干部 干净 斯文 元件 束手 信贷 信函 展期 幸亏 衡量 "
    "由其 由此 曾在 曾任 时任 方可 方才 于此 向他 向我 向你 和他 和我 任由 任凭 ".split()
)  # fmt: skip

_BEFORE: Final = (
    r"(?:(?<=是)|(?<=叫)|(?<=为)|(?<=还有)|(?<=另有)|(?<=系)|(?<=给了)|(?<=交给)|(?<=转给)|(?<=借给)|(?<=付给)|(?<=还给)|(?<=退给)|(?<=卖给)|(?<=送给)|(?<=告诉)|(?<=找到)|(?<=联系)|"
    r"(?<=介绍人)|(?<=证人)|(?<=民警)|(?<=律师)|(?<=被告人)|(?<=嫌疑人)|(?<=被害人)|(?<=负责人)|(?<=联系人)|(?<=经理)|(?<=会计)|(?<=姓名)|(?<=司机)|(?<=朋友)|(?<=同事)|"
    r"(?<=丈夫)|(?<=妻子)|(?<=由)|(?<=与)|(?<=跟)|(?<=向)|(?<=、)|(?<=:)|(?<=和)|(?<=给)|(?<=[,。;])|(?<=^))"
)
_AFTER: Final = (
    r"(?=[,。;!?、)\]”\s:]|$|的(?!时候)|说|称|先生|女士|表示|承认|否认|在场|介绍|收取|收到|收了|给了|支付|"
    r"付款|转账|签|等人|等|与|和|以|负责|担任|担保|保证|保管|主持|出面|转交|签署|驾驶|陪同|报案|作证|证明|见证|垫付|归还|赔偿|经手|操作|开车|送|所|代|提供|出借|向|现金|微信|于\d|\d)"
)


@cache
def _pattern() -> re.Pattern[str]:
    single = "".join(sorted(SURNAMES))
    given = f"[\\u4e00-\\u9fff](?<![{_NEVER}])"
    double = "|".join(DOUBLE_SURNAMES)
    return re.compile(
        f"{_BEFORE}((?:{double}){given}(?:{given})?|[{single}]{given}(?:{given})??|[{single}]某[某甲乙丙丁]?){_AFTER}"
        f"|((?:(?<![\\u4e00-\\u9fff])|(?<=[给找叫是跟与和])) ?[老阿小](?:[{single}]|[\\u4e00-\\u9fff](?=[”,。;、]|"
        f"$)))(?=[,。;、”\\s]|$|的|说)"
    )


_HONORIFICS: Final = frozenset(("先生", "女士", "小姐", "老师", "律师", "警官", "经理", "总", "老板", "师傅", "医生"))
_CALLED: Final = re.compile(
    f"(?:名叫|叫做|叫作|叫|名为|姓名(?:是|为|:))([\\u4e00-\\u9fff]{{2,4}}?)(?<![{_NEVER}])(?=[,。;!?、)”\\s]|$|的|是|说)"
)
_TITLE_CASE: Final = re.compile(r"\b([A-Z][a-z]+(?: [A-Z]\.)?(?: [A-Z][a-z'’-]+)+)\b")
_NOT_NAMES: Final = frozenset(
    "The This That These Those There Then When Where What Which Who Why How He She It They We You I In On At "
    "By For From To And But Or If As Of No Not Yes His Her "
    "Their Our January February March April May June July August September October November December Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday Page "
    "Exhibit Article Section Clause According Neither Both Also However Therefore Answer Question Mr Ms Mrs "
    "Dr Officer Detective".split()
)

_SUFFIX: Final = (
    "有限责任公司|股份有限公司|有限公司|分公司|公司|银行|医院|派出所|公安局|检察院|人民法院|法院|事务所|大学|中学|小学|"
    "酒店|宾馆|饭店|茶馆|餐馆|超市|工厂|集团|委员会|合作社|省|县|镇|乡|村(?!民|里|委)|街道(?!办)|路\\d+号|路(?!上|边|口|费|面|过|人|线|程|途|\\d)|街\\d+号|巷\\d+号|大道\\d+号"
)
_PIECE: Final = re.compile(f"[\\u4e00-\\u9fff\\d]{{1,12}}?(?:{_SUFFIX})")
_PLACE: Final = re.compile(f"(?:[\\u4e00-\\u9fff\\d]{{1,12}}?(?:{_SUFFIX}))+")
_CUT: Final = re.compile("[的了在去到从向与和是于为由被把给及或该这那某本其系叫称说即将经让请至往住过]")
_GENERIC: Final = re.compile(
    "^(?:当地|附近|一家|公安|有关|相关|所在|多家|两家|这家|那家|同一|各|全|外|本|上述|某|几|基层|上级|人民|城|乡|农|同|邻|整个|下属|手机|网上|电话|商业|公|马|道|铁|小|大|半|一|高速公|柏油|水泥|装修|建筑|保险|贸易|科技|物业)*"
    f"(?:{_SUFFIX})$"
)


def names(text: str) -> Iterator[tuple[str, int]]:
    """Persons' names in a normal text, with their places."""
    for found in _pattern().finditer(text):
        name = (found[1] or found[2]).strip()
        if name not in _COMMON and name[:2] not in _COMMON:
            yield name, text.index(name, found.start())
    for found in _CALLED.finditer(text):
        yield found[1], found.start(1)
    for found in _TITLE_CASE.finditer(text):
        words = [word for word in found[1].split(" ") if word.rstrip(".") not in _NOT_NAMES]
        if len(words) > 1:
            name = " ".join(words)
            yield name, text.index(words[0], found.start())


def is_known_name(name: str, text: str) -> bool:
    """Whether the text has the name; a surname with 某 is known by its surname, English names in any case."""
    if name.isascii():
        return name.lower() in text.lower() or set(name.split()) <= _latin_words(text)
    if name[1:] in _HONORIFICS:
        return name[0] in text
    return name in text or (name[1:2] == "某" and f"{name[0]}某" in text)


@lru_cache(maxsize=64)
def _latin_words(text: str) -> frozenset[str]:
    return frozenset(re.findall("[A-Za-z][A-Za-z'’-]*", text))


def places(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """Places and organisations by their suffix, without the words that lead up to them; and the pieces of a chain."""
    for found in _PLACE.finditer(text):
        cut = max((mark.end() for mark in _CUT.finditer(found[0][:-2])), default=0)
        place = found[0][cut:]
        if len(place) > 2 and not _GENERIC.match(place) and not place[0].isdigit():
            yield place, found.start() + cut, [piece[0] for piece in _PIECE.finditer(place)]
