"""Words of pages and reports in Chinese, in the form of `words`: those of `view`."""

VIEW: dict[str, str] = {
    "all results": "全部结果",
    "history": "历次走势",
    "pages of the viewer": "查看器的页面",
    "search": "搜索",
    "kind": "类别",
    "all": "全部",
    "time": "时间",
    "runs": "次运行",
    "latest": "最近一次",
    "settings": "设置",
    "unfinished": "未完成",
    "every run": "每次运行",
    "show all": "全部显示",
    "select for comparison": "选中以供比较",
    "compare": "比较",
    "compare the two selected": "比较选中的两个",
    "results, newest first unless sorted": "结果，默认按时间由新到旧",
    "files that cannot be read": "无法读取的文件",
    "other .jsonl files in this folder, which hold no results:": "文件夹中不含结果的其他 .jsonl 文件：",
    "Runs of one kind over the same questions with the same settings stand in one row.": (
        "同一类别、同一题集、同样设置的各次运行合为一行。"
    ),
    "No set of questions was run more than once yet.": "还没有哪个题集运行过两次以上。",
    "There is no result in this folder yet.": "这个文件夹里还没有结果。",
    "to the list of results": "返回结果列表",
    "so many runs are drawn, the latest:": "图中只画最近的运行，次数：",
    "so many metrics are drawn, the first:": "图中只画前面的指标，个数：",
    "Not Found": "找不到",
    "Forbidden": "拒绝访问",
    "Unauthorized": "需要令牌",
    "Method Not Allowed": "不允许的方法",
    "Conflict": "无法显示",
    "Bad Request": "请求有误",
    "There is no such page, or no such result any more.": "没有这个页面，或者结果已不存在。",
    "This address was asked for under a name that is not this machine's, or by a page of another site.": (
        "请求所用的主机名不属于本机，或请求来自其他网站的页面。"
    ),
    "Request Timeout": "请求超时",
    "Request-URI Too Long": "地址过长",
    "URI Too Long": "地址过长",
    "Request Header Fields Too Large": "请求头过大",
    "Service Unavailable": "暂时无法提供",
    "Internal Server Error": "内部错误",
    "HTTP Version Not Supported": "不支持的 HTTP 版本",
    "The request did not arrive in time.": "请求未在规定时间内到达。",
    "The address is too long.": "地址过长。",
    "The headers of the request are too large: delete the cookies of this address.": (
        "请求头过大：请删除该地址的 Cookie。"
    ),
    "There are too many requests, or the page takes long to make: try again.": (
        "请求过多，或页面生成较慢：请稍后重试。"
    ),
    "Steelyard failed; the terminal in which it runs says why.": "Steelyard 出错，原因见运行它的终端。",
    "A token is needed: open the address with ?token=… behind it once.": (
        "需要令牌：请在地址后加上 ?token=… 打开一次。"
    ),
    "Results are only looked at here: GET and HEAD.": "这里只能查看结果：GET 和 HEAD。",
    "This request cannot be understood.": "无法理解这个请求。",
}
