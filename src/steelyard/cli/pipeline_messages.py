"""Messages about pipelines and their servers in Chinese, in the form of `messages`."""

_KEY_MAP = {
    "name it in key_map of {}, at {} ({}: FIELD)": "请在 {} 的 key_map 中写明它，位于 {}（{}: 字段名）",
    "name it in key_map of {} ({}: FIELD), in the parameter file that steelyard build writes": (
        "请在 {} 的 key_map 中写明它（{}: 字段名），该参数文件由 steelyard build 写出"
    ),
}
PIPELINE = {
    "a server file is a mapping": "服务器文件应为映射",
    "a server is a folder, an address (http://…), or a mapping with path and headers": (
        "服务器写作文件夹、地址（http://…），或带 path 和 headers 的映射"
    ),
    "a server is named by a folder or an address, not {}": "服务器应写作文件夹或地址，而不是 {}",
    "an address is HOST:PORT, not {}": "地址应写作 HOST:PORT，而不是 {}",
    "for example --http 127.0.0.1:8080; port 0 takes a free one": "例如 --http 127.0.0.1:8080；端口 0 任选一个空闲的",
    "another run is writing this journal": "另一次运行正在写这份日志",
    "wait until it ends, or start a run of its own, without --resume": "请等它结束，或不带 --resume 另起一次运行",
    "build the pipeline anew: steelyard build": "请重新构建流水线：steelyard build",
    "delete it to use the defaults of the servers, or write it anew: steelyard build": (
        "删除它即使用各服务器的默认值，或用 steelyard build 重写"
    ),
    "give it more time with --timeout": "可用 --timeout 给它更多时间",
    "headers are a mapping of names to texts": "headers 应为名称到文本的映射",
    "input maps arguments to names, output lists names": "input 是参数到变量名的映射，output 是变量名的列表",
    "it answered with text that is not JSON: {}": "它的回答不是 JSON：{}",
    "no run of {} has been left unfinished": "{} 没有未完成的运行",
    "only messages of MCP belong there: let the server print to standard error": (
        "那里只能有 MCP 消息：请让服务器打印到标准错误"
    ),
    "parameter_file must name a file, not {}": "parameter_file 应为文件名，而不是 {}",
    "parameters are a mapping from servers to mappings": "参数应为从服务器到映射的映射",
    "run its program by hand to see why": "请手动运行其程序查看原因",
    "set STEELYARD_TOKEN to a long random text, or give --token; clients send it as: Authorization: Bearer TOKEN": (
        "请把 STEELYARD_TOKEN 设为一段长的随机文本，或给出 --token；客户端这样发送：Authorization: Bearer TOKEN"
    ),
    "{} can be reached from elsewhere: a token is needed": "从别处可以访问 {}：需要令牌",
    "the environment variable {} is not set": "没有设置环境变量 {}",
    "cannot listen on {}:{}: {}": "无法监听 {}:{}：{}",
    "there is no program {}": "没有程序 {}",
    "{}: {} must be {}, not {}": "{}：{} 必须是 {}，而不是 {}",
    "the last step of a router must be a tool that gives something": "router 的最后一步必须是有输出的工具",
    "{} gave no list of objects with data and state": "{} 没有给出由 data 和 state 组成的对象列表",
    "{} gave no list of texts": "{} 没有给出文本列表",
    "a line is NAME=value, not {}": "每行应为 NAME=value，而不是 {}",
    "there are no answers": "没有任何答案",
    "there are no parameters in it": "其中没有参数",
    "there are too many runs of this second": "这一秒内的运行过多",
    "{} cannot be imported: {}: {}": "无法导入 {}：{}：{}",
    "{} gave something that is not JSON: {}": "{} 给出的不是 JSON：{}",
    "{}.{} must be {}, not {}": "{}.{} 必须是 {}，而不是 {}",
    "the server {} ended before it answered ({}): {}": "服务器 {} 未回答就结束了（{}）：{}",
    "the server {} did not answer in time ({})": "服务器 {} 没有及时回答（{}）",
    "the server {} cannot be reached at {}: {}": "无法连接服务器 {}，地址 {}：{}",
    "is it running, and is the address right? one of ours is started by: steelyard serve NAME --http HOST:PORT": (
        "它在运行吗？地址对吗？自带的服务器这样启动：steelyard serve NAME --http HOST:PORT"
    ),
    "name its token in the pipeline, under headers beside path: Authorization: Bearer TOKEN": (
        "请在流水线中 path 旁的 headers 下写明它的令牌：Authorization: Bearer TOKEN"
    ),
    "the server {} failed ({}): {}": "服务器 {} 出错（{}）：{}",
    "the server {} printed to its standard output: {}": "服务器 {} 往标准输出打印了：{}",
    "the server {} printed to its standard output: {}, and did not answer in time ({})": (
        "服务器 {} 往标准输出打印了：{}，并且没有及时回答（{}）"
    ),
    "the server is busy: {} calls at work, {} waiting": "服务器繁忙：{} 个调用正在进行，{} 个在等待",
    "ask again later; the server's owner can raise it: steelyard serve … --max-calls N": (
        "请稍后再试；服务器的主人可以提高上限：steelyard serve … --max-calls N"
    ),
    "{} was stopped after {} seconds": "{} 运行 {} 秒后被终止",
    "the server's owner can raise it: steelyard serve … --call-timeout SECONDS": (
        "服务器的主人可以提高上限：steelyard serve … --call-timeout SECONDS"
    ),
    "the call was stopped": "调用已被终止",
    "the package mcp cannot be imported: {}": "无法导入软件包 mcp：{}",
    "{} needs {}, and mcp {} is installed": "{} 需要 {}，而安装的是 mcp {}",
    'pip install "steelyard[mcp]"; both majors of mcp will do, so UltraRAG may keep the one that it needs': (
        'pip install "steelyard[mcp]"；mcp 的两个主版本都可以，UltraRAG 可以保留它需要的那个'
    ),
    "the server says that it failed": "服务器说它失败了",
    **_KEY_MAP,
    **{
        f"add a step that gives it ({{}}), or {key}": f"请加上给出它的步骤（{{}}）；或者，{zh}"
        for key, zh in _KEY_MAP.items()
    },
    "{} has no argument {}": "{} 没有参数 {}",
    "no server is called {}": "没有名为 {} 的服务器",
    "add a step that gives it: {}": "请加上给出它的步骤：{}",
    "{} is to be filled in: the server at {} needs it": "须填写 {}：{} 处的服务器需要它",
    "steelyard build writes a parameter file, in which {} can be filled in": (
        "steelyard build 会写出参数文件，可在其中填写 {}"
    ),
    "another program may have it; port 0 takes a free one": "可能被其他程序占用；端口 0 任选一个空闲的",
    "{} is a template of steelyard: the project has none of this name": (
        "{} 是 Steelyard 自带的模板：项目中没有同名的模板"
    ),
    "--is_demo has no effect: steelyard has no demo mode": "--is_demo 不起作用：Steelyard 没有演示模式",
    "servers of steelyard instead of the project's: {}; not installed: {}": (
        "以 Steelyard 自带的服务器代替项目中的：{}；未安装：{}"
    ),
    "servers of steelyard instead of the project's, as the server file says: {}": (
        "按服务器文件，以 Steelyard 自带的服务器代替项目中的：{}"
    ),
    "the program of {} is {}, not {}": "{} 的程序是 {}，而不是 {}",
    "{} is left out: the parameters are those of {}": "未采用 {}：参数取自 {}",
    "{} is left out: a parameter of UltraRAG that has no use here": "未采用 {}：它是 UltraRAG 的参数，在此无用",
    "{} is left out: a parameter of the server of steelyard": "未采用 {}：它是 Steelyard 自带服务器的参数",
    "{} is now called {}": "{} 现在写作 {}",
    "the program of {} was {}; it is {} now": "{} 的程序原为 {}，现为 {}",
    "saved: {}": "已保存：{}",
    "snapshot: {}": "快照：{}",
    "go on with: {}": "继续运行：{}",
    "run anew from {} on: it or its parameters have changed": "从 {} 起重新运行：它或它的参数有变化",
    "{} of {} answers failed or were cut: {}": "{} / {} 个回答失败或被截断：{}",
    "written: {}": "已写入：{}",
    "kept as it was: {}": "原文件保留为：{}",
    "new: {}; kept as they were: {}": "新增：{}；保留原值：{} 项",
    "no step uses: {}": "没有步骤用到：{}",
    "no server of this pipeline: {} (parameters left out)": "不是此流水线的服务器：{}（其参数未采用）",
    "to be filled in before the run:": "运行前还须填写：",
    "{} of {} questions have references that are not English, or articles alone ('A'): profile ultrarag "
    "misjudges them, profile steelyard does not": (
        "{} / {} 道题的参考答案不是英文，或只是冠词（“A”）：方案 ultrarag 会误判它们，方案 steelyard 不会"
    ),
    "run its program by hand to see why, or take the server of steelyard: --servers ours": (
        "请手动运行其程序查看原因，或用 Steelyard 自带的服务器：--servers ours"
    ),
    "activate UltraRAG's environment (its python first on the path): not every tool here is one of steelyard": (
        "请激活 UltraRAG 的环境（使其 python 在 PATH 中居首）：这里的工具 Steelyard 并非都有"
    ),
    "to be corrected, or run refuses to start:": "须先更正，否则 run 拒绝启动：",
    "paths are taken from the current folder: run in {}, where {} is": (
        "路径相对于当前目录：请在 {} 中运行，{} 在那里"
    ),
    "{} gives it, at {}: a step can only use what stands above it": "{} 在 {} 处才给出它：一个步骤只能用到上面的内容",
}
PIPELINE_WORDS = {
    "speaking MCP": "使用 MCP",
    "none": "无",
    "a list of texts": "文本列表",
    "a list of whole numbers": "整数列表",
    "a list of whole numbers or null": "整数列表或 null",
    "a list of texts or text or null": "文本列表、文本或 null",
    "servers in processes of their own": "独立进程中的服务器",
    "question": "题目",
    "server": "服务器",
    "tool": "工具",
    "prompt": "提示词",
    "branch": "分支",
}
