"""Messages about limits, about runs that are stopped and answers that are not judged, in the form of `messages`."""

LIMIT = {
    "{} is above the limit of {}": "{}超过上限 {}",
    "{} is above the limit of {} ({})": "{}超过上限 {}（{}）",
    "to raise the limit, set {}": "要提高上限，请设置环境变量 {}",
    "a limit must be a number above 0, not {}": "上限必须是大于 0 的数，而不是 {}",
    "the reply holds a number of {} bits": "回复中有一个 {} 位（二进制）的数",
    "this is no name of a header: {}": "这不是标头的名称：{}",
    "a port lies between 1 and {}, not {}": "端口必须在 1 和 {} 之间，而不是 {}",
    "stopped; {} of {} questions are done and kept in {}": "已停止；{1} 题中的 {0} 题已完成，保存在 {2}",
    "stopped; nothing was asked yet": "已停止；尚未提问",
    "go on with: -o {} --resume": "继续运行：-o {} --resume",
    "asking failed: {}": "提问出错：{}",
    "judging failed: {}": "评判出错：{}",
    "judging took longer than {} s": "评判超过 {} 秒",
    "the answer cannot be written down: {}": "回答无法写入结果：{}",
}
LIMIT_WORDS = {
    "the number of resamples": "重抽样次数",
    "the number of retries": "重试次数",
    "the timeout in seconds": "超时秒数",
    "the time between two attempts in seconds": "两次提问的间隔秒数",
    "the nesting of the reply": "回复的嵌套层数",
    "concurrency": "并发数",
    "the number of attempts that never ended": "一直没有结束的提问数",
}
