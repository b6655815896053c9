"""Messages about limits and about answers that could not be judged in Chinese, in the form of `messages`."""

LIMIT = {
    "{} is above the limit of {}": "{}超过上限 {}",
    "{} is above the limit of {} ({})": "{}超过上限 {}（{}）",
    "to raise the limit, set {}": "要提高上限，请设置环境变量 {}",
    "a limit must be a number above 0, not {}": "上限必须是大于 0 的数，而不是 {}",
    "the reply holds a number of {} bits": "回复中有一个 {} 位（二进制）的数",
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
}
