"""Messages in Chinese, in the form of `messages`: those of `report`."""

REPORT: dict[str, str] = {
    "two different documents have this name; neither is shown": "有两份不同的文书同名，均未显示",
    "lies outside the folder whose results are shown": "不在所查看的文件夹之内",
    "this cannot be the name of a folder or file": "不能作为文件夹或文件的名称",
    "--benchmark names the folder of the questions": "--benchmark 应为题目所在的文件夹",
}
REPORT_WORDS: dict[str, str] = {}
