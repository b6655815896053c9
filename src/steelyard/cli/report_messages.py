"""Messages in Chinese, in the form of `messages`: those of `report`."""

REPORT: dict[str, str] = {
    "--benchmark names the folder of the questions": "--benchmark 应为题目所在的文件夹",
}
REPORT_WORDS: dict[str, str] = {}
