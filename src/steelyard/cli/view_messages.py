"""Messages in Chinese, in the form of `messages`: those of `view`."""

VIEW: dict[str, str] = {
    "set STEELYARD_TOKEN to a long random text, or give --token; "
    "it is brought once as ?token=TOKEN, or as: Authorization: Bearer TOKEN": (
        "请把 STEELYARD_TOKEN 设为一段较长的随机文本，或使用 --token；"
        "首次打开时写作 ?token=TOKEN，或发送：Authorization: Bearer TOKEN"
    ),
    "cannot listen on {}, port {}: {}": "无法监听 {} 的端口 {}：{}",
    "another program may have it: --port 0 takes a free one": "可能已被其他程序占用：--port 0 自动选用空闲端口",
    "this is not a result as steelyard writes it: {}": "这不是 steelyard 写出的结果：{}",
    "name the folder in which results are kept": "请给出存放结果的文件夹",
}
VIEW_WORDS: dict[str, str] = {}
