"""Messages of prompts and generation in Chinese, by the English message with {} where words of the case stand."""

REASONS = {
    "no answer within {} s": "{} 秒内没有回答",
    "the model cannot be reached: {}": "无法连接模型：{}",
    "the model cannot be reached: it redirects to {}, which is not followed: name that address, if you trust it": (
        "无法连接模型：它重定向到 {}，不予跟随：如信任该地址，请直接填写它"
    ),
    "the size of the reply is above the limit of {}; to raise the limit, set {}": (
        "回复的大小超过上限 {}；要提高上限，请设置环境变量 {}"
    ),
    "the reply cannot be decoded: {}": "回复无法解码：{}",
    "the model answered with status {}: {}": "模型返回状态码 {}：{}",
    "the reply of the model is not JSON": "模型的回复不是 JSON",
    "the reply of the model has no choices/0/message/content": "模型的回复中没有 choices/0/message/content",
    "the answer was cut off (finish_reason length)": "回答被截断（finish_reason length）",
}
GENERATION = {
    # templates
    "a template is named by its path, not {}": "模板要用路径指明，而不是 {}",
    "the path of a template must not go up with ..": "模板路径不能用 .. 返回上级",
    "there is no such template": "没有这个模板",
    "the template cannot be read: {}": "模板无法解析：{}",
    "the template cannot be filled: {}": "模板无法填充：{}",
    "the template uses {}, which {} does not give": "模板用到 {}，而 {} 不提供它",
    "{} gives {}; a template for it is {}": "{} 提供 {}；可用的模板是 {}",
    "the template does not use {}, so what {} gives would never reach the model": (
        "模板没有用到 {}，{} 给出的内容就到不了模型"
    ),
    "a template for {} is {}": "{} 可用的模板是 {}",
    # lists
    "{} must be a list with an entry for every question, not {}": "{} 必须是列表，每个问题一项，而不是 {}",
    "{} must be a list with an entry for every round: does a step before this give {}?": (
        "{} 必须是列表，每轮一项：前面的步骤给出 {} 了吗？"
    ),
    "{} has {} entries, {} has {}": "{} 有 {} 项，{} 有 {} 项",
    "an entry must be text, not {}": "每一项必须是文本，而不是 {}",
    "passages must be a list of texts, not {}": "段落必须是文本列表，而不是 {}",
    "options must be a list of texts, not {}": "选项必须是文本列表，而不是 {}",
    "{} options; from 1 to {} can be lettered": "有 {} 个选项；可编字母的是 1 到 {} 个",
    "a prompt must be text or a message, not {}": "提示词必须是文本或消息，而不是 {}",
    "a message has a role, and text or an object with text as its content": (
        "消息有 role，其 content 是文本或带 text 的对象"
    ),
    "prompt_ls must be a list of prompts": "prompt_ls 必须是提示词列表",
    "messages must be a list of messages, or of conversations": "messages 必须是消息列表或对话列表",
    "the role of a message must be system, user or assistant, not {}": (
        "消息的 role 必须是 system、user 或 assistant，而不是 {}"
    ),
    # backends
    "{} must be a mapping, not {}": "{} 必须是映射，而不是 {}",
    "model_name must say which model is asked": "model_name 必须指明要问哪个模型",
    "model_name_or_path must say which model is loaded": "model_name_or_path 必须指明要加载哪个模型",
    "{} must be {} from {} on, not {}": "{0} 必须是从 {2} 起的{1}，而不是 {3}",
    "for example http://localhost:8000/v1": "例如 http://localhost:8000/v1",
    "the key holds characters that HTTP does not allow": "密钥含有 HTTP 不允许的字符",
    "{} is no sampling parameter": "{} 不是采样参数",
    "what the server knows beyond OpenAI's parameters belongs into extra_params": (
        "OpenAI 参数之外、服务器认识的参数请写进 extra_params"
    ),
    "vllm needs the base_url of a running server": "vllm 需要一个正在运行的服务器的 base_url",
    "base_url is {}: does a server listen there?": "base_url 是 {}：那里有服务器在监听吗？",
    "the key is api_key in backend_configs or, where that is empty, the environment variable {}": (
        "密钥取 backend_configs 中的 api_key，为空时取环境变量 {}"
    ),
    "for the engine of vLLM, and left out: {}": "属于 vLLM 引擎的设置，未采用：{}",
    "{} is a placeholder ({}): {} is used instead": "{} 只是占位符（{}）：改用 {}",
    "start one with: vllm serve MODEL; then set backend: openai, and base_url: http://localhost:8000/v1 and "
    "model_name: MODEL in backend_configs.openai": (
        "先启动：vllm serve MODEL；再设 backend: openai，并在 backend_configs.openai 中设 "
        "base_url: http://localhost:8000/v1 和 model_name: MODEL"
    ),
    # outcomes
    "every generation failed: {}": "所有生成都失败了：{}",
    "the prompt is empty": "提示词是空的",
    **REASONS,
    **{f"every generation failed: {english}": f"所有生成都失败了：{chinese}" for english, chinese in REASONS.items()},
}
GENERATION_WORDS = {
    "backend": "后端",
    "setting": "设置",
    "nothing": "空值",
    "a whole number": "整数",
    "asking a model": "调用模型",
    "a model on this machine": "使用本机模型",
    "filling prompt templates": "填充提示词模板",
}
