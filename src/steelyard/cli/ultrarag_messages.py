"""Messages about what UltraRAG's pipelines use in Chinese, in the form of `messages`."""

ULTRARAG = {
    "UltraRAG has the tool {}; Steelyard does not offer it: {}": "UltraRAG 有工具 {}，Steelyard 未提供：{}",
    "UltraRAG has the server {}; Steelyard does not offer it: {}": "UltraRAG 有服务器 {}，Steelyard 未提供：{}",
    "run UltraRAG's own server by --servers project, in UltraRAG's checkout and with its packages in the environment": (
        "可用 --servers project 运行 UltraRAG 自己的服务器，须在 UltraRAG 的检出目录中，且环境中装有其依赖包"
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
