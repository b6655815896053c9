"""Messages about files in Chinese, in the form of `messages`: limits, special files, results files, documents."""

FORMAT: dict[str, str] = {
    "this is a device, a socket or a named pipe; a file is needed": "这是设备、套接字或命名管道，需要文件",
    "standard input is named by -": "标准输入写作 -",
    "this cannot be the name of a file": "这不能作为文件名",
    "write out what the aliases (*name) stand for; to raise the limit, set STEELYARD_YAML_VALUES": (
        "请把别名（*name）所代表的内容直接写出；要提高上限，请设置环境变量 STEELYARD_YAML_VALUES"
    ),
    "a key must be text, not a list or a mapping": "键必须是文本，不能是列表或映射",
    "this number has more than {} digits": "这个数超过 {} 位",
    "the field {} must be {}, not {}": "字段 {} 必须是{}，而不是 {}",
    "a metric is named twice in the header": "表头中有一个指标出现了两次",
    "the bounds of {} must be the lowest and the highest value": "{} 的界限必须是最低值和最高值",
    "{} is not a number: {}": "{}不是数字：{}",
    "{} is half of a character": "{} 是半个字符",
    "the mean of {} in the footer is not the mean of the items": "结尾行中 {} 的均值与各条目的均值不符",
    "the score of {} is not what its parts come to": "{} 的得分与其各部分不符",
    "the part {} of {} must lie between 0 and 1, not {}": "{1} 的部分 {0} 必须在 0 和 1 之间，而不是 {2}",
    "results that are written item by item need an ordinary file": "逐条写入的结果需要普通文件",
    "nobody reads this pipe": "没有程序读取这个管道",
    "start what reads it first": "请先启动读取它的程序",
    "the item {} is none of the questions": "条目 {} 不是任何一道题",
    "this number is too large": "这个数太大",
    "somebody changed this file; run it again, or judge its answers again": (
        "这个文件被改动过；请重新运行，或重新评判其中的回答"
    ),
    "a result of kind 'legal' must have the metric 'legal'": "kind 为 legal 的结果必须有指标 legal",
    "this is not the results file of an unfinished run": "这不是未完成的运行的结果文件",
    "a run with --overwrite is written there until it is finished; remove it, or name another results file": (
        "带 --overwrite 的运行在完成前写在这里；请删除它，或换一个结果文件"
    ),
    "this value cannot be read: it holds the character NUL": "无法读取这个值：含有 NUL 字符",
    "a result must have a metric": "结果必须有指标",
    "this link leads out of the folder of the benchmark": "这个链接指向评测集的文件夹之外",
    "put the file itself there": "请把文件本身放在那里",
    "this document lies outside the folder of the benchmark: {}": "这份文档在评测集的文件夹之外：{}",
    "put it into the folder of the benchmark, or allow another folder by --documents DIR": (
        "请把它放进评测集的文件夹，或用 --documents DIR 允许另一个文件夹"
    ),
    "a process that weighs answers was killed, and killed again when its part was done a second time": (
        "计算得分的进程被终止，重做其部分时又被终止"
    ),
    "is there enough memory? fewer processes need less: -j 1": "内存够吗？进程越少所需内存越少：-j 1",
    "the metric {} gave something that is no number": "指标 {} 给出的不是数字",
    "the metric {} gave values of shape {} for {} answers": "指标 {} 给出的值形状为 {}，而回答有 {} 个",
}
FORMAT_WORDS: dict[str, str] = {
    "this line": "这一行",
    "this row": "这一数据行",
    "the content of this file": "文件内容",
    "the number of metrics": "指标数",
    "the content of some rows": "若干行的内容",
    "the text of one query": "一个查询的内容",
    "a run that comes through a pipe": "经管道读入的 run ",
    "a run whose queries are interleaved": "查询交错排列的 run ",
    "the number of columns": "列数",
    "the number of rows": "行数",
    "the number of parts": "部件数",
    "the number of values": "值的个数",
    "text": "文本",
    "a number": "数",
    "a whole number": "整数",
    "a whole number from 0 on": "从 0 起的整数",
    "a number from 0 to 1e15": "0 到 1e15 之间的数",
    "a number above 0": "大于 0 的数",
    "a number or null": "数或 null",
    "a number or text": "数或文本",
    "text or an object": "文本或对象",
    "text, a number, true or false": "文本、数、true 或 false",
    "true or false": " true 或 false",
    "a list": "列表",
    "an object": "对象",
    "a number of many digits": "一个位数很多的数",
}
