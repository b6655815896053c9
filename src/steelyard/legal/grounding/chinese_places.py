"""Places and organisations in Chinese text, found by their suffix."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from steelyard.legal.grounding.common_words import FREQUENT_WORDS

_HAN: Final = r"\u4e00-\u9fff"
_SUFFIX: Final = (
    "有限责任公司|股份有限公司|有限公司|分公司|子公司|公司|银行|支行|医院|卫生院|派出所|公安分局|公安局|检察院|"
    "人民法院|法院|"
    "律师事务所|会计师事务所|事务所|律所|大学|学院|中学|小学|幼儿园|酒店|宾馆|饭店|旅馆|茶馆|茶楼|酒楼|餐馆|餐厅|"
    "超市|商行|车行|"
    "服务部|经营部|门市部|工作室|工厂|集团|仲裁委员会|委员会|合作社|研究所|鉴定所|鉴定中心|中心|小区|大厦|广场|花园|"
    "公寓|看守所|监狱|"
    "交警大队|支队|大队|管理局|分局|诊所|药店|商场|网吧|会所|自治州|省|市(?!场|民|价|值|政|区|面|级|委)|县|镇|乡(?!镇)|"
    "区(?!域|别|分|间|块|长|政)|村(?!民|里|委|镇|庄)|街道(?!办)|(?:路|街|巷|大道|弄|胡同)\\d+号(?:\\d+室)?|"
    "路(?!上|边|口|费|面|过|人|线|程|途|由|径|段|局|灯|\\d)|大道(?!\\d|理)|巷(?!\\d|子|口)"
)
_STATUTE: Final = re.compile(
    "《[^《》\n]{2,60}?(?:法|条例|规定|解释|办法|宪章|安排|意见|通知|决定|规则|细则|法典|公约|批复|纪要)》?"
)
_END: Final = re.compile(_SUFFIX)
_STEM: Final = re.compile(f"[{_HAN}\\dA-Z]*$")
_BETWEEN: Final = re.compile(f"[{_HAN}\\d]*")
_LONGEST_STEM: Final = 16
_DISTRICT: Final = re.compile(f"[省市州县][{_HAN}]{{2,3}}$")
_PIECE_END: Final = re.compile(r"省|市|自治州|县|区|镇|乡|村|街道|路|街|巷|大道|\d+号")
# characters that do not belong to a name
_CUT: Final = frozenset(
    "的了在去到从向与和是于为由被把给及或该这那某本其系叫称说即将经让请至往住过对则故且但因若也均等以所可会能未不就都只再又还并而使"
    "按据凭找给跟同后时他她您我们者着么何谁哪些每另占用指当如既"
)
_CUT_WORDS: Final = FREQUENT_WORDS | frozenset(
    "存入 挪用 滥用 恢复 维持 督促 代替 促进 取消 评价 变卖 加盖 加入 触发 代签 占用 离开 适应 保留 移送 发回 浏览 "
    "通报 判令 分立 尽管 一旦 "
    "既然 私自 诉诸 援助 横穿 转入 汇入 打入 前往 赶到 送往 送到 位于 坐落 来到 抵达 住在 家住 现住 户籍 就读 任职 "
    "就职 供职 曾在 开户 "
    "系统 之前 以后 随后 其后 立即 马上 直接 间接 仍然 依然 已经 曾经 正在 即将 可以 需要 愿意 希望 拒绝 同意 允许 "
    "禁止 声称 表示 认为 "
    "原告 被告 证人 被害 嫌疑 代表 经理 员工 职工 股东 老板 律师 法官 民警 警察 双方 对方 单方 一方".split()
)
_PLACEHOLDER: Final = re.compile(
    f"^[甲乙丙丁戊己庚辛A-Z×X某]+(?:[省市县区国镇乡村]|[^{_HAN}]|$)|[甲乙丙丁戊己A-Z]{{1,2}}$"
)
# what an organisation does; part of a name, never the whole of it
_TRADES: Final = frozenset(
    "建筑 装饰 装修 贸易 科技 物流 机械 设备 地产 网络 信息 投资 保险 证券 贷款 农业 工商 建设 通信 电子 汽车 食品 "
    "服装 运输 商业 "
    "文化 传媒 教育 医疗 医药 化工 能源 环保 物业 置业 实业 商务 商贸 发展 咨询 管理 服务 技术 工程 金融 担保 租赁 "
    "旅游 餐饮 家居 "
    "家具 木业 钢铁 纺织 印刷 广告 劳务 人力 快递 电器 搬家 价格 评估 拍卖 典当 信托 小额 国际 中国 人民 城市 中级 "
    "高级 最高 基层 第一 "
    "第二 第三 第四 第五 中心 附属 儿童 妇幼 中医 师范 实验 职业 公安 交通 司法 鉴定 仲裁 劳动 人事 争议 消费 市场 "
    "监督 行政 邮政 "
    "储蓄 工业 农村 信用 交警 消防 税务 船运 航空 石油 电力 供电 自来 燃气 房产 开发 经济 合作".split()
)
_GENERIC: Final = frozenset(
    "当地 附近 一家 公安 有关 相关 所在 多家 两家 同一 各 全 外 上述 几 基层 上级 人民 城 农 邻 整个 下属 手机 网上 "
    "电话 道 铁 小 大 "
    "半 一 高速公 柏油 水泥 二审 一审 原审 再审 初审 终审 受理 管辖 执行 最高 高级 中级 上一级 上级 下级 级 县 市 区 "
    "省 地方 专门 海事 "
    "知识产权 互联网 国家 中国 我国 外国 本地 外地 异地 子 母 总 分 新 原 老 旧 母子 控股 全资 目标 上市 上 下 个人 "
    "独资 一人 有限 "
    "股份 集团 合资 外资 民营 国有 私营 三甲 公立 私立 定点 专业 正规 大型 小型 中小型 连锁 五星级 星级 高档 快捷 线 "
    "思 出 网 走 退 "
    "马 公 水 陆 带 赶 问 过 修 同 让 销 绕 铺 乘 门 超 城 都 直辖 地级 县级 省会 首都 全国 各级 各省 各市 各县 外省 "
    "本省 乡 村 镇 "
    "民族 行政 自然 新农 新型农 农 城中 购物 活动 服务 商业 研究 数据 培训 体育 文化 政务 调解 指导 培育 救助 客服 "
    "呼叫 仲裁 居民 村民 "
    "业主 管理 监督 专门 常务 教育 纪律检查 用人 用工 加盟 借款 贷款 快递 物流 装修 搬家 保险 证券 信托 担保 租赁 "
    "物业 房地产 开发 "
    "广告 科技 贸易 建筑 投资 劳务派遣 律师 会计 化 加工 修理 造纸 农业 建设 工商 商 开户 发卡 代理 汇款 "
    "收款 付款 邮政储蓄 政策性".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place or an organisation: its text and start, the parts of its address, and the length of its suffix."""

    text: str
    start: int
    pieces: tuple[str, ...]
    suffix: str


def chinese_places(text: str) -> Iterator[Place]:
    """Named places and organisations in a normalised text."""
    end = 0
    if "《" in text:
        text = _STATUTE.sub(lambda title: "《" + "\0" * (len(title[0]) - 1), text)
    for match in _END.finditer(text):
        if _goes_on(text, match.end()):
            continue
        place = _place(text, max(end, match.start() - _LONGEST_STEM), match)
        end = match.end()
        if place:
            yield place


def _goes_on(text: str, at: int) -> bool:
    """Whether the next suffix is so near that this one is part of a longer name."""
    following = _END.search(text, at, at + 14)
    if following is None:
        return False
    between = text[at : following.start()]
    return len(between) < 9 and _BETWEEN.fullmatch(between) is not None and not _cut_length(between)


def _place(text: str, lowest: int, match: re.Match[str]) -> Place | None:
    stem = _STEM.search(text, lowest, match.start())
    words = stem[0] if stem else ""
    cut = _cut_length(words)
    name = words[cut:]
    if not _is_name(name, match[0]) or (match[0] == "区" and not _DISTRICT.search(name)):
        return None
    start = match.start() - len(name)
    return Place(name + match[0], start, tuple(_pieces(name + match[0])), match[0])


def _cut_length(words: str) -> int:
    """The number of characters before a suffix that do not belong to the name."""
    for at in range(len(words), 0, -1):
        if words[at - 1] in _CUT:
            return at
        pair = words[at - 2 : at] if at > 1 else ""
        if pair in _CUT_WORDS and pair not in _TRADES and pair not in _GENERIC:
            return at
        if pair and pair[0].isdigit() and pair[1] in "年月日号时分元":
            return at
    return 0


def _is_name(name: str, suffix: str) -> bool:
    """Whether the rest contains anything that only names have."""
    rest = name
    while rest:
        known = next((rest[-size:] for size in (5, 4, 3, 2) if rest[-size:] in _TRADES or rest[-size:] in _GENERIC), "")
        if not known:
            break
        rest = rest[: -len(known)]
    if rest in _GENERIC or rest.isdigit() or not rest or _PLACEHOLDER.search(rest):
        return False
    return len(rest) > 1 or suffix[-1] == "号" or (len(name) > 2 and rest not in "甲乙丙丁戊己庚辛ABCDEFGHXYZM")


def _pieces(place: str) -> Iterator[str]:
    """The parts of an address or of a name that begins with a town."""
    at = 0
    for end in _PIECE_END.finditer(place):
        if end.end() - at > 2:
            yield place[at : end.end()]
            at = end.end()
    if at < len(place):
        yield place[at:]


def is_known_place(place: Place, key: str) -> bool:
    """Whether the key of a document has the place, or each of its parts; the last part may have leading words."""
    if place.text in key:
        return True
    *towns, last = place.pieces
    return all(town in key for town in towns) and _is_known_part(last, place.suffix, key)


def _is_known_part(part: str, suffix: str, key: str) -> bool:
    """Whether the key has the part, or its end with at least two characters of the name."""
    name = part.removesuffix(suffix)
    tails = (name[at:] for at in range(min(3, max(1, len(name) - 1))))
    return part in key or any(tail + suffix in key for tail in tails if _is_name(tail, suffix))
