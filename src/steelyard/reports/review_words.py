"""Words of pages and reports in Chinese, in the form of `words`: those of `review`."""

REVIEW: dict[str, str] = {
    # the page
    "Review of verdicts": "判定复核",
    "private numbers and addresses are hidden": "证件号、电话、卡号和住址已遮盖",
    "reviewed": "已复核",
    "reviewer": "复核人",
    "save the review": "保存复核结果",
    "sampled verdicts": "抽取的判定",
    "only what is still open": "只看未复核的",
    "still open": "未复核",
    "agree": "同意",
    "disagree": "不同意",
    "unsure": "不确定",
    "keys": "快捷键",
    "remark": "备注",
    "judged as passed": "判为通过",
    "judged as not passed": "判为未通过",
    "all are reviewed: save the file, then run steelyard agreement": (
        "全部复核完毕：请保存文件，再运行 steelyard agreement"
    ),
    "what you enter stays in this browser until you save it as a file": "所填内容在保存为文件之前只留在这个浏览器里",
    # the findings
    "agreement": "一致率",
    "agreement, weighted": "一致率（加权）",
    "kappa of judge and person": "评判程序与人的 kappa",
    "kappa of both persons": "两位复核人的 kappa",
    "wrong verdicts, at most": "误判率上限",
    "95 %, one-sided": "95%，单侧",
    "all verdicts were reviewed: no chance is left": "全部判定均已复核，不含抽样误差",
    "sampled": "已抽取",
    "by": "分层",
    "verdict score": "判定得分",
    "they differ on": "意见不同的条目",
    "wrong": "误判",
    "disagreements": "不同意的判定",
    "the same": "相同",
    "nothing reviewed, and nothing known, of": "以下各层没有复核，无从得知",
    "if every unsure one were wrong, at most": "若不确定的全部为误判，上限为",
    "weighted: a verdict stands for the size of its stratum divided by how many of it were reviewed; "
    "interval and bound by Clopper and Pearson with the effective number of verdicts": (
        "加权：每条判定代表其所在层的总数除以该层已复核数；区间和上限用 Clopper–Pearson 法，按有效判定数计算"
    ),
}
