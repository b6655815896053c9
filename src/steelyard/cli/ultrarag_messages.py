"""Messages about what UltraRAG's pipelines use in Chinese, in the form of `messages`."""

ULTRARAG = {
    "UltraRAG has the tool {}; Steelyard does not offer it: {}": "UltraRAG 有工具 {}，Steelyard 未提供：{}",
    "UltraRAG has the server {}; Steelyard does not offer it: {}": "UltraRAG 有服务器 {}，Steelyard 未提供：{}",
    "activate UltraRAG's environment (its python first on the path) and use --servers project in its checkout": (
        "请激活 UltraRAG 的环境（使其 python 在 PATH 中居首），并在其仓库中用 --servers project 运行"
    ),
    "citations are numbered from 1: no step before this one has begun to number them in this run": (
        "引用从 1 开始编号：本次运行中，此步之前没有步骤开始编号"
    ),
    "a survey must be a JSON object": "综述必须是 JSON 对象",
    "{} lists and {} new entries": "有 {} 个列表，却有 {} 个新条目",
    "{} rows are routed, {} has {} entries": "路由 {} 行，而 {} 有 {} 个条目",
}
ULTRARAG_WORDS = {
    "it searches the web": "它要搜索网页",
    "it works on images": "它处理图像",
    "it keeps memories of users": "它保存用户的记忆",
    "it runs MinerU": "它运行 MinerU",
}
