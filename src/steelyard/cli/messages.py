"""Messages of errors in Chinese. The key is the English message with {} where words of the case stand."""

import re
from functools import cache

from steelyard.cli.benchmark_messages import BENCHMARK, BENCHMARK_WORDS
from steelyard.cli.format_messages import FORMAT, FORMAT_WORDS
from steelyard.cli.gate_messages import GATE, GATE_WORDS
from steelyard.cli.generation_messages import GENERATION, GENERATION_WORDS
from steelyard.cli.limit_messages import LIMIT, LIMIT_WORDS
from steelyard.cli.pipeline_messages import PIPELINE, PIPELINE_WORDS
from steelyard.cli.report_messages import REPORT, REPORT_WORDS
from steelyard.cli.retriever_messages import RETRIEVER, RETRIEVER_WORDS
from steelyard.cli.review_messages import REVIEW, REVIEW_WORDS
from steelyard.cli.ultrarag_messages import ULTRARAG, ULTRARAG_WORDS
from steelyard.cli.view_messages import VIEW, VIEW_WORDS

_GENERAL = {
    "{} columns, 4 are needed": "有 {} 列，应为 4 列",
    "a qrels line is: query 0 document grade; judgments (QRELS) come before runs (RUN)": (
        "qrels 每行的格式：查询 0 文档 等级；标注（QRELS）在前，运行结果（RUN）在后"
    ),
    "a control character ({}) inside a line": "行内有控制字符（{}）",
    "no module is named": "没有给出模块名",
    "for example --metrics-from my_metrics": "例如 --metrics-from my_metrics",
    "the module {} cannot be imported: {}": "模块 {} 无法导入：{}",
    "{}: {} must be a whole number, not {}": "{}：{} 必须是整数，而不是 {}",
    "{}: {} must be finite, not {}": "{}：{} 必须是有限的数，而不是 {}",
    "the metric {} gave a value that is not a finite number": "指标 {} 给出的值不是有限的数",
    "grades this high are no scale for ERR": "这么高的等级不适合 ERR",
    "no document is judged for this query": "这个查询没有任何文档标注",
    "leave the query out": "请去掉这个查询",
    "the metric {} is not in the header": "表头中没有指标 {}",
    "the score of {} is not a number: {}": "{} 的得分不是数字：{}",
    "the score of {} must lie between {} and {}, not {}": "{} 的得分必须在 {} 和 {} 之间，而不是 {}",
    "the footer counts {} items, there are {}": "结尾行记有 {} 条，实有 {} 条",
    "lines of this file are lost": "文件丢了行",
    "this is no plain results file": "这不是未压缩的结果文件",
    "decompress it before resuming": "请先解压再继续",
    "judgments (QRELS) come before runs (RUN)": "标注（QRELS）在前，运行结果（RUN）在后",
    "a run line is: query Q0 document rank score tag; judgments (QRELS) come before runs (RUN)": (
        "run 每行的格式：查询 Q0 文档 名次 得分 运行名；标注（QRELS）在前，运行结果（RUN）在后"
    ),
    "the columns are separated by semicolons": "各列以分号分隔",
    "save it with commas": "请另存为逗号分隔",
    "this JSON is nested too deeply": "JSON 嵌套过深",
    "each line of a {} file is a JSON object": "{} 文件的每一行是一个 JSON 对象",
    "a text file is needed; UTF-16 is converted by: iconv -f UTF-16 -t UTF-8": (
        "需要文本文件；UTF-16 可这样转换：iconv -f UTF-16 -t UTF-8"
    ),
    "accepted names: {}; it is read as {} because of its name": "可接受的列名：{}；按文件名，它被当作 {} 读取",
    "the metric {} gave values of shape {} for {} queries": "指标 {} 给出的值形状为 {}，而查询有 {} 个",
    "no metric is named": "没有给出指标",
    "{}: {} is said twice": "{}：{} 给了两次",
    "a cut-off must be a whole number from 1 on, not {}": "截断位置必须是从 1 起的整数，而不是 {}",
    "SetF: beta must not be negative, it is {}": "SetF：beta 不能为负，现为 {}",
    "for example SetF(beta=0.5)": "例如 SetF(beta=0.5)",
    "ERR: max must be at most {}, not {}": "ERR：max 最大为 {}，而不是 {}",
    "for example ERR(max=4)": "例如 ERR(max=4)",
    "no metric of both is called {}": "双方都有的指标中没有名为 {} 的",
    "a module is looked for in this folder and on PYTHONPATH": "模块在当前文件夹和 PYTHONPATH 中查找",
    "this is a folder, a file is needed": "这是文件夹，需要文件",
    "this is one of the inputs; it would be overwritten": "这是输入文件之一，会被覆盖",
    "name another": "请换一个名字",
    "cannot be written: {}": "无法写入：{}",
    "standard input can be read only once": "标准输入只能读一次",
    "name files for the others": "其余请给出文件名",
    "install steelyard again": "请重新安装 steelyard",
    "no {} is called {}": "没有名为 {1} 的{0}",
    "no metric is called {}": "没有名为 {} 的指标",
    "no module is called {}": "没有名为 {} 的模块",
    "did you mean {}?": "是不是 {}？",
    "known: {}": "可用：{}",
    "{} needs the package {}": "{}需要安装 {}",
    'pip install "steelyard[{}]"': 'pip install "steelyard[{}]"',
    "several splits and none is called test": "有多个划分，但没有名为 test 的",
    "name one: {}": "请指定其中一个：{}",
    "no judgments in this folder": "这个文件夹里没有相关性标注",
    "a BEIR folder has qrels/test.tsv": "BEIR 文件夹中应有 qrels/test.tsv",
    "there are no judgments in it": "文件里没有相关性标注",
    "a qrels line is: query 0 document grade": "qrels 每行的格式：查询 0 文档 等级",
    "a run line is: query Q0 document rank score tag": "run 每行的格式：查询 Q0 文档 名次 得分 运行名",
    "keep one judgment per query and document": "每个查询对每篇文档只保留一条标注",
    "list each document once per query": "每个查询中每篇文档只列一次",
    "document {} is judged again for this query (first on line {})": "文档 {} 在该查询中被重复标注（首次在第 {} 行）",
    "document {} is judged again for this query (first at {})": "文档 {} 在该查询中被重复标注（首次在 {}）",
    "document {} appears again in its query (first on line {})": "文档 {} 在同一查询中重复出现（首次在第 {} 行）",
    "document {} appears again in its query (first at {})": "文档 {} 在同一查询中重复出现（首次在 {}）",
    "an array of objects is needed, this is a single value": "这里需要对象数组，而不是单个值",
    "an object with named fields is needed, not {}": "这里需要带字段名的对象，而不是 {}",
    "this is not JSON: {} (column {})": "不是合法的 JSON：{}（第 {} 列）",
    "the key {} appears twice in one object": "同一对象中键 {} 出现了两次",
    "{} is not a number that JSON knows": "{} 不是 JSON 认可的数字",
    "this is not CSV: {}": "不是合法的 CSV：{}",
    "two columns are called {}": "有两列都叫 {}",
    "this is not a parquet file: {}": "不是 parquet 文件：{}",
    "{} columns, the header has {}": "这一行有 {} 列，表头有 {} 列",
    "1 column, at least {} are needed": "只有 1 列，至少需要 {} 列",
    "{} columns, at least {} are needed": "只有 {} 列，至少需要 {} 列",
    "a carriage return inside a line; lines must end in LF or CRLF": "行内有回车符；换行必须是 LF 或 CRLF",
    "this is not UTF-8 text but UTF-16 or binary": "不是 UTF-8 文本，而是 UTF-16 或二进制",
    "this is not UTF-8 text: byte {}": "不是 UTF-8 文本：字节 {}",
    "convert it, for example: iconv -f GB18030 -t UTF-8": "请先转换编码，例如：iconv -f GB18030 -t UTF-8",
    "there are {} results in it: {}": "其中有 {} 个结果：{}",
    "one is needed here": "这里只需要一个",
    "there is no result in it": "其中没有结果",
    "a results file begins with a header line": "结果文件以表头行开始",
    "there is nothing to resume in it": "其中没有可以继续的内容",
    "this result is finished": "这个结果已经完成",
    "start a new file": "请另起一个文件",
    "this is not a results file: its first line is no header": "这不是结果文件：第一行不是表头行",
    "this line is neither header, item nor footer": "这一行既不是表头、条目，也不是结尾",
    "the item {} appears again (first on line {})": "条目 {} 重复出现（首次在第 {} 行）",
    "this file exists already": "文件已经存在",
    "go on with it by --resume, replace it by --overwrite, or name another": (
        "用 --resume 继续，用 --overwrite 替换，或换一个名字"
    ),
    "--overwrite replaces it; or name another": "用 --overwrite 替换，或换一个名字",
    "what was written before is kept; make room and go on with --resume": (
        "此前写下的都已保留；腾出空间后用 --resume 继续"
    ),
    "a run must be a file, this is a folder": "run 必须是文件，这是文件夹",
    "the columns differ in length: {}": "各列长度不同：{}",
    "a row must be (query, document, number), not {}": "每一行应为（查询，文档，数值），而不是 {}",
    "no such file": "没有这个文件",
    "there is no folder {}": "没有文件夹 {}",
    "cannot be read: {}": "无法读取：{}",
    "is the file whole?": "文件完整吗？",
    "{} id must be text or a whole number, not {}": "{} 的 id 必须是文本或整数，而不是 {}",
    "no column is called {} or {}; there are: {}": "没有名为 {} 或 {} 的列；现有：{}",
    "accepted names: {}": "可接受的列名：{}",
    "there are no rows in it": "其中没有数据行",
    "there is nothing in it": "其中什么也没有",
    "score is not a number: {}": "得分不是数字：{}",
    "grade is not a whole number: {}": "等级不是整数：{}",
    "the field {} is missing": "缺少字段 {}",
    "a mapping of documents is needed for each query": "每个查询下需要一个文档映射",
    "there are no lines in it": "文件里没有内容行",
    "no query of the run is judged in {}": "run 中没有任何查询在 {} 里有标注",
    "the judgments begin with query {}; are both files of one test collection?": (
        "标注的第一个查询是 {}；两个文件属于同一个测试集吗？"
    ),
    "missing must be zero or skip, not {}": "missing 必须是 zero 或 skip，而不是 {}",
    "trec_eval must be 9 or 10, not {}": "trec_eval 必须是 9 或 10，而不是 {}",
    "the relevance level must be a whole number from 1 on, not {}": "相关性等级必须是从 1 起的整数，而不是 {}",
    "the depth must be a whole number from 1 on, not {}": "深度必须是从 1 起的整数，而不是 {}",
    "for example nDCG@10": "例如 nDCG@10",
    "{}: {} is not of the form parameter=number": "{}：{} 应写成 参数=数字",
    "for example P(rel=2)@5": "例如 P(rel=2)@5",
    "{} needs {}": "{} 需要参数 {}",
    "for example {}@10": "例如 {}@10",
    "two metrics are called {}": "有两个指标都叫 {}",
    "give yours another name": "请给你的指标换个名字",
    "{} has no parameter {}": "{} 没有参数 {}",
    "{} knows: {}": "{} 的参数：{}",
    "{} takes no parameters": "{} 没有参数",
    "RBP: p must lie between 0 and 1, not {}": "RBP：p 必须在 0 和 1 之间，而不是 {}",
    "for example RBP(p=0.8)": "例如 RBP(p=0.8)",
    "ERR: a document has grade {}, above max={}": "ERR：有文档的等级为 {}，高于 max={}",
    "use ERR(max={})": "请用 ERR(max={})",
    "no report format has the extension {}": "没有扩展名为 {} 的报告格式",
    "make it first": "请先创建它",
    "no item is in both {} and {}": "{} 和 {} 没有共同的条目",
    "items are paired by their id": "条目按 id 配对",
    "{} and {} have no metric in common": "{} 和 {} 没有共同的指标",
    "{} has {}; {} has {}": "{} 有 {}；{} 有 {}",
    "{} is a {} result and {} a {} result; they do not compare": "{} 是 {} 结果，{} 是 {} 结果，无法比较",
    "resamples must be at least 1 and alpha must lie between 0 and 1": "resamples 至少为 1，alpha 必须在 0 和 1 之间",
    "language must be auto, not {}": "language 必须是 auto，而不是 {}",
    "the script of each text decides": "由每段文字的书写系统决定",
    "predictions are values, so references must be values too": "预测是值，参考答案也必须是值",
    "predictions are a file, so references must be one too": "预测是文件，参考答案也必须是文件",
    "{} is a metric of {}, not of {}": "{} 是 {} 的指标，不是 {} 的",
    "{} has it": "{} 有这个指标",
    "a prediction is text, references are text or a list of texts; --map FIELD=COLUMN names other columns": (
        "预测应为文本，参考答案应为文本或文本列表；可用 --map FIELD=COLUMN 指定其他列"
    ),
    "every row needs an id of its own; --map id=COLUMN names another column": (
        "每一行都要有自己的 id；可用 --map id=COLUMN 指定其他列"
    ),
    "{} predictions, {} references": "预测有 {} 条，参考答案有 {} 条",
    "{} ids, {} predictions": "id 有 {} 个，预测有 {} 条",
    "there is no id column, and {} has one": "没有 id 列，而 {} 有",
    "{} rows, and {} has {}": "有 {} 行，而 {} 有 {} 行",
    "without an id column the files are joined row by row and must be equally long": (
        "没有 id 列时按行对应，两个文件的行数必须相同"
    ),
    "no id of the predictions is in {}": "预测的 id 没有一个出现在 {} 中",
    "the references begin with id {}; are both files of one test set?": (
        "参考答案的第一个 id 是 {}；两个文件属于同一个测试集吗？"
    ),
    "no tag is called {}": "没有名为 {} 的标签",
    "the items of this result have no tags": "这个结果的条目没有标签",
    "no field is called {}": "没有名为 {} 的字段",
    "no column is called {}": "没有名为 {} 的列",
    "the column {} is given for both {} and {}": "列 {} 同时指定给了 {} 和 {}",
    "no column holds {}; there are: {}": "没有哪一列是 {}；现有：{}",
    "accepted names: {}; name another column with --map {}=COLUMN": (
        "可接受的列名：{}；其他列可用 --map {}=COLUMN 指定"
    ),
    "accepted names: {}; name another column with --map {}=COLUMN, or another file with --references FILE": (
        "可接受的列名：{}；其他列可用 --map {}=COLUMN 指定，其他文件可用 --references FILE 指定"
    ),
    "new columns begin here, and change which one is which": "从这里开始出现了新的列，使各列的含义发生变化",
    "give every row the same fields, or say which column is meant: --map FIELD=COLUMN": (
        "请让每一行的字段一致，或指明所用的列：--map FIELD=COLUMN"
    ),
    "BLEU knows the smoothing 4, not {}": "BLEU 只支持第 4 种平滑，不支持 {}",
    "BLEU alone is smoothed as in sacrebleu": "单写 BLEU 时采用 sacrebleu 的平滑方法",
    "the field {} is mapped to both {} and {}": "字段 {} 同时指定为 {} 和 {}",
    "one object per line is JSONL: name the file .jsonl": "每行一个对象是 JSONL：请把文件命名为 .jsonl",
    "an array is JSON: name the file .json": "数组是 JSON：请把文件命名为 .json",
    "{} and {} may both be {}": "{} 和 {} 都可能是 {}",
    "say which it is, for example: --map {}={}": "请指明是哪一列，例如：--map {}={}",
    "the id must be text or a whole number, not {}": "id 必须是文本或整数，而不是 {}",
    "the id {} appears again (first on line {})": "id {} 重复出现（首次在第 {} 行）",
    "the id {} appears again (first at {})": "id {} 重复出现（首次在 {}）",
    "the prediction must be text, not {}": "预测必须是文本，而不是 {}",
    "a reference must be text, not {}": "参考答案必须是文本，而不是 {}",
    "the references mix texts and lists of texts: {}": "参考答案中混有文本和文本列表：{}",
    "a group of references is empty: {}": "有一组参考答案是空的：{}",
    "a list in a cell must be a JSON array, not {}": "单元格中的列表必须是 JSON 数组，而不是 {}",
    "(the first {} problems; there may be more)": "（以上是前 {} 个问题，可能还有更多）",
    "hint: {}": "提示：{}",
}
CHINESE = {
    **_GENERAL,
    **BENCHMARK,
    **LIMIT,
    **FORMAT,
    **PIPELINE,
    **GENERATION,
    **RETRIEVER,
    **REPORT,
    **VIEW,
    **REVIEW,
    **GATE,
    **ULTRARAG,
}
_WORDS = {
    "metric": "指标",
    "test": "检验",
    "correction": "校正方法",
    "query": "查询",
    "document": "文档",
    "reading parquet files": "读取 parquet 文件",
    "BLEU and chrF": "BLEU 和 chrF",
    **BENCHMARK_WORDS,
    **PIPELINE_WORDS,
    **GENERATION_WORDS,
    **LIMIT_WORDS,
    **FORMAT_WORDS,
    **RETRIEVER_WORDS,
    **REPORT_WORDS,
    **VIEW_WORDS,
    **REVIEW_WORDS,
    **GATE_WORDS,
    **ULTRARAG_WORDS,
}


_PLACE = re.compile(r"(?:\S+:\d+|\S+#/\S*|<stdin>|\S+\.\w{2,7}): (?:/\S+: )?")  # file:line, file#pointer, file


def translate(message: str, language: str) -> str:
    """The message in the language of the user, line by line; a place at the head of a line stays as it is."""
    return message if language == "en" else "\n".join(_line(line) for line in message.split("\n"))


def _line(line: str) -> str:
    hint = line.removeprefix("hint: ")
    if hint != line:
        return CHINESE["hint: {}"].format(_whole(hint) or hint)
    leading = _PLACE.match(line)
    cuts = (*((leading.end(),) if leading else ()), 0, *(place.end() for place in re.finditer(": ", line)))
    for cut in cuts:
        found = _whole(line[cut:])
        if found:
            return line[:cut] + found
    return line


def _whole(text: str) -> str | None:
    for pattern, chinese in _patterns():
        match = pattern.fullmatch(text)
        if match:
            return chinese.format(*(_WORDS.get(group, group) for group in match.groups()))
    return None


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Templates as patterns, the most specific first."""
    ordered = sorted(CHINESE.items(), key=lambda pair: -len(pair[0].replace("{}", "")))
    return [(re.compile(re.escape(english).replace(r"\{\}", "(.*?)")), chinese) for english, chinese in ordered]
