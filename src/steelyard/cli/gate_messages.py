"""Messages in Chinese, in the form of `messages`: those of `compare` and `gate`."""

GATE: dict[str, str] = {
    "measure both alike, or compare them all the same with --anyway": "请用相同的方式评测两者，或用 --anyway 强行比较",
    "{} and {} do not compare, their settings differ: {}": "{} 和 {} 无法比较，设置不同：{}",
    "two results are needed to compare": "比较需要两个结果",
    "name the older file first, then the newer": "先写旧文件，再写新文件",
    "this is no rule: {}": "这不是规则：{}",
    (
        "for example: legal[type=fact_exact] >= 0.95; nDCG@10 >= baseline - 0.01; F1 not-worse-by 0.02; "
        "no item of fact_exact may fall from 1"
    ): (
        "例如：legal[type=fact_exact] >= 0.95；nDCG@10 >= baseline - 0.01；F1 not-worse-by 0.02；"
        "no item of fact_exact may fall from 1"
    ),
    "tags are written [type=fact_exact,difficulty=hard]; a value with other signs stands in quotes": (
        "标签写作 [type=fact_exact,difficulty=hard]；含其他符号的值要加引号"
    ),
    "{}: the margin must be above 0, not {}": "{}：容许的差距必须大于 0，而不是 {}",
    "{}: {} is not of the form tag=value": "{}：{} 应写成 标签=值",
    "{}: the tag {} is named twice": "{}：标签 {} 写了两次",
    "{}: {} is not a number": "{}：{} 不是数字",
    "{}: {} is not a quoted text": "{}：{} 不是带引号的文本",
    "there is no rule to decide": "没有可判定的规则",
    "for example --require 'F1 >= 0.8'": "例如 --require 'F1 >= 0.8'",
    "this rule needs a baseline: {}": "这条规则需要基线：{}",
    "an earlier result is named by: steelyard gate RESULT --baseline OLD": (
        "以前的结果这样指定：steelyard gate RESULT --baseline OLD"
    ),
    "alpha must lie between 0 and 0.5, not {}": "alpha 必须在 0 和 0.5 之间，而不是 {}",
    "this result was written before there was {}": "这个结果写成时还没有 {}",
    "judge the answers again: steelyard bench --system replay:RESULT -o NEW.jsonl": (
        "请重新评判：steelyard bench --system replay:RESULT -o NEW.jsonl"
    ),
    "{} is a type of question, and there are several metrics: {}": "{} 是题型，而指标不止一个：{}",
    "write no item of METRIC[type={}] may fall from 1": "请写成 no item of METRIC[type={}] may fall from 1",
}
GATE_WORDS: dict[str, str] = {"metric or type of question": "指标或题型"}
