"""Messages in Chinese, in the form of `messages`: those of `review`."""

REVIEW: dict[str, str] = {
    "steelyard sample writes such files": "这种文件由 steelyard sample 生成",
    "agree must be true, false or null, not {}": "agree 必须是 true、false 或 null，而不是 {}",
    "verdict must be a number, not {}": "verdict 必须是数字，而不是 {}",
    "this is no sampling as steelyard sample writes it": "这不是 steelyard sample 写出的 sampling",
    "{} must be text, not {}": "{} 必须是文本，而不是 {}",
    "there is no verdict to review in it": "其中没有可以复核的判定",
    "{} items cannot hold one of each of {} kinds of {}": "{0} 条不够让 {2} 的 {1} 种取值各有一条",
    "ask for more: -n {}": "请多取一些：-n {}",
    "{} gives no verdicts: its scores do not lie between 0 and 1": "{} 不是判定：得分不在 0 和 1 之间",
    "name another with -m": "请用 -m 另选一个",
    "this is a review of another result: {}, not {}": "这是对另一个结果的复核：{}，而不是 {}",
    "name the results file that was sampled": "请给出抽样时所用的结果文件",
    "no item is called {}": "没有名为 {} 的条目",
    "nothing is reviewed in it": "其中还没有任何复核",
    "agree is true or false where it is": "复核过的条目，agree 应为 true 或 false",
    "the reviews are of several metrics: {}": "这些复核针对不同的指标：{}",
    "{} ids hold something private and are kept: steelyard agreement finds verdicts by them": (
        "有 {} 个编号含隐私信息，未遮盖：steelyard agreement 要凭编号找到判定"
    ),
    "this result does not say which verdicts are uncertain": "这个结果没有记录哪些判定存疑",
    "judge the answers again: steelyard bench --system replay:RESULT -o NEW.jsonl; or draw with --by doubtful": (
        "请重新评判：steelyard bench --system replay:RESULT -o NEW.jsonl；或改用 --by doubtful 抽样"
    ),
    "{} of them are uncertain, of {} in the result": "其中存疑的有 {} 条，该结果共有存疑 {} 条",
    "take one at a time": "请一次处理一个",
}
REVIEW_WORDS: dict[str, str] = {}
