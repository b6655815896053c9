"""The words of reports in two languages; what is not translated stays English."""

from collections.abc import Callable
from typing import Literal

from steelyard.reports.gate_words import GATE
from steelyard.reports.report_words import REPORT
from steelyard.reports.review_words import REVIEW
from steelyard.reports.view_words import VIEW

Language = Literal["en", "zh"]
Words = Callable[[str], str]

_GENERAL = {
    "metric": "指标",
    "mean": "均值",
    "95 % interval": "95% 区间",
    "sum": "合计",
    "result": "结果",
    "difference": "差值",
    "p": "p",
    "p adjusted": "校正后 p",
    "detectable": "可检出的最小差值",
    "against": "对比",
    "items": "条目",
    "scored": "已计分",
    "unscored": "未计分",
    "errors": "出错",
    "counted": "计数",
    "signature": "签名",
    "profile": "方案",
    "exact": "精确",
    "resamples": "次重抽样",
    "correction": "多重比较校正",
    "settings differ": "两次的设置不同",
    "seed": "种子",
    "items scored in only one of the two, left out of the comparison": "只在一方计分、未参与比较的条目",
    "no sampled p can be significant after this correction: raise --resamples or name fewer metrics": (
        "按此校正，抽样得到的 p 不可能显著：请增大 --resamples 或少列指标"
    ),
    "significantly better": "显著更好",
    "significantly worse": "显著更差",
    "at": "显著性水平",
    "judged queries": "已标注查询",
    "judged queries missing from the run": "已标注但运行结果中没有的查询",
    "judged queries without a relevant document": "没有相关文档的已标注查询",
    "run queries not judged": "运行结果中未标注的查询",
    "run lines": "运行结果行数",
    "queries whose rank column disagrees with their scores": "名次列与得分次序不符的查询",
    "queries of which no judged document was retrieved": "没有检索到任何已标注文档的查询",
    "queries with tied scores": "有同分文档的查询",
    "comment lines in the judgments": "标注文件中的注释行",
    "comment lines in the run": "运行结果中的注释行",
    "lines without a run tag": "缺少运行名的行",
    "lines with more than six columns": "多于六列的行",
    "missing predictions": "缺少的预测",
    "rows without a reference": "没有参考答案的行",
    "predictions that are empty": "空的预测",
    "predictions that are numbers or booleans, read as text": "按文本读取的数字或布尔预测",
    "predictions without a reference row": "没有对应参考行的预测",
    "joined by row": "按行对应",
    "parts of the score": "得分构成",
    "type": "题型",
    "part": "分项",
    "questions about gaps": "冲突/缺口题",
    "answered": "作答",
    "abstained": "拒答",
    "rate of the wrong one": "错误一侧的比例",
    "answerable": "应当作答",
    "not answerable": "应当拒答",
    "hallucinating answers": "含编造内容的回答",
    "the worst questions": "得分最低的题目",
    "the system failed": "系统出错",
    "no answer": "没有回答",
    "recorded answers that no question asks for": "没有对应题目的录制回答",
    "mean by the weights of the questions": "按题目权重的均值",
    "uncertain {n} of {items} ({share})": "存疑 {n}/{items} 条（{share}）",
    "the mean would be between {low} and {high}": "存疑条目全部判错或全部判对时，均值为 {low} 至 {high}",
    "uncertain items": "存疑条目",
    "lowest mean": "最低均值",
    "highest mean": "最高均值",
    "items written before the run was cut off": "运行中断前写入的条目",
    "metrics whose mean in the footer is not the mean of the items": "结尾行均值与条目均值不符的指标",
    "items whose score is not what their parts come to": "得分与其各部分不符的条目",
    "charts show the first {n} of {of} metrics; the tables have all of them": (
        "图中只有 {of} 个指标中的前 {n} 个，表中有全部指标"
    ),
    "permutation": "置换检验",
    "t": "t 检验",
    "wilcoxon": "Wilcoxon 检验",
    "sign": "符号检验",
    "bootstrap": "自助法检验",
    "none": "无",
}
CHINESE = {**_GENERAL, **REPORT, **VIEW, **REVIEW, **GATE}


def words_of(language: Language) -> Words:
    """A function from English words to those of the language."""
    return (lambda text: CHINESE.get(text, text)) if language == "zh" else (lambda text: text)
