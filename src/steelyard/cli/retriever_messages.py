"""What the user may read of retrieval, in Chinese: the message in English, then in Chinese, places as `{}`."""

from steelyard.cli.generation_messages import REASONS

_ADOPT = "if UltraRAG made it from this corpus by this model, run with --adopt; "
_ADOPT_ZH = "若它是 UltraRAG 用这份语料和这个模型生成的，请加 --adopt 运行；"
_VECTORS_ANEW = (
    "to make it anew, run a pipeline with retriever_embed and retriever_index (such as corpus_index.yaml) "
    "and overwrite: true"
)
_VECTORS_ANEW_ZH = (
    "要重新生成，请设 overwrite: true 并运行含 retriever_embed 和 retriever_index 的流水线（如 corpus_index.yaml）"
)
_TERMS_ANEW = "to make it anew, run a pipeline with bm25_index (such as bm25_index.yaml) and overwrite: true"
_TERMS_ANEW_ZH = "要重新生成，请设 overwrite: true 并运行含 bm25_index 的流水线（如 bm25_index.yaml）"

RETRIEVER = {
    # the corpus
    "there are no passages in it": "其中没有段落",
    "this passage has no id": "这个段落没有 id",
    "this passage has no text": "这个段落没有文本",
    "a passage is an object with id and contents, or with _id, title and text": (
        "段落是带 id 和 contents 的对象，或带 _id、title 和 text 的对象"
    ),
    # files that were made earlier
    _VECTORS_ANEW: _VECTORS_ANEW_ZH,
    _TERMS_ANEW: _TERMS_ANEW_ZH,
    _ADOPT + _VECTORS_ANEW: _ADOPT_ZH + _VECTORS_ANEW_ZH,
    _ADOPT + _TERMS_ANEW: _ADOPT_ZH + _TERMS_ANEW_ZH,
    "made by {} at {}; it is asked at {} now": "由 {1} 处的 {0} 生成；现在向 {2} 查询",
    "nothing says what this was made from": "没有记录说明它由什么生成",
    "this was made from something else: {}": "它是由别的内容生成的：{}",
    "this is no index, and is not replaced by one": "这不是索引，不会被索引替换",
    "there is no index": "没有索引",
    "there are no embeddings": "没有向量文件",
    "this index cannot be read: {}": "无法读取这个索引：{}",
    "this index is not the one that its stamp describes": "这个索引与其记录不符",
    "these embeddings cannot be read: {}": "无法读取这些向量：{}",
    "these embeddings are not those that their stamp describes": "这些向量与其记录不符",
    "this model cannot be read: {}": "无法读取这个模型：{}",
    "run bm25_index first": "请先运行 bm25_index",
    "run bm25_index instead": "请改用 bm25_index",
    "run retriever_embed first": "请先运行 retriever_embed",
    "run retriever_embed and retriever_index first": "请先运行 retriever_embed 和 retriever_index",
    "this has {} passages, the corpus has {}: it was made from something else": (
        "它有 {} 个段落，语料有 {} 个：它是由别的内容生成的"
    ),
    "the backend latent cannot search by vectors of another model": "后端 latent 不能用其他模型的向量检索",
    "set backend and model_name_or_path to what UltraRAG used": (
        "请把 backend 和 model_name_or_path 设为 UltraRAG 所用的"
    ),
    "adopted: {} ({} passages, {}); whether it was made from this corpus and by this model cannot be checked": (
        "已采用：{}（{} 个段落，{}）；无法核对它是否由这份语料和这个模型生成"
    ),
    "{} of {} passages have the id of an earlier one": "{1} 个段落中有 {0} 个的 id 与前面的重复",
    # corpora made from documents
    "no such file or folder": "没有这个文件或文件夹",
    "name a document, or a folder of documents, in parse_file_path": (
        "请在 parse_file_path 中填写文档或文档所在的文件夹"
    ),
    "run build_text_corpus first, or name the file of documents in raw_chunk_path": (
        "请先运行 build_text_corpus，或在 raw_chunk_path 中填写文档的文件"
    ),
    "documents of this kind are not read": "不读取这种文档",
    "documents are .txt, .md, .pdf or .docx": "文档为 .txt、.md、.pdf 或 .docx",
    "there is no document with text in it": "其中没有带文本的文档",
    "this document has no contents": "这个文档没有 contents",
    "a document is an object with id, title and contents; build_text_corpus makes such a file": (
        "文档是带 id、title 和 contents 的对象；build_text_corpus 生成这样的文件"
    ),
    "{} must name a file, not {}": "{} 必须是文件名，而不是 {}",
    "written: {} ({} documents)": "已写入：{}（{} 个文档）",
    "written: {} ({} chunks)": "已写入：{}（{} 个文本块）",
    "left out or doubtful: {}": "略去或存疑：{}",
    "chunk_overlap: {} is no smaller than chunk_size; {} is used": "chunk_overlap: {} 不小于 chunk_size，改用 {}",
    "chunk_overlap must be a whole number from 0 on, not {}": "chunk_overlap 必须是从 0 起的整数，而不是 {}",
    "delim must be a list of texts, not {}": "delim 必须是文本列表，而不是 {}",
    "for example ['.', '!', '?', '。', '！', '？', '\\n']": "例如 ['.', '!', '?', '。', '！', '？', '\\n']（列表）",
    "the tokenizer {} needs tiktoken": "分词器 {} 需要 tiktoken",
    "the tokenizer {} cannot be loaded: {}": "无法载入分词器 {}：{}",
    "use character or word, or: pip install tiktoken": "请用 character 或 word，或安装：pip install tiktoken",
    "use character or word, which need no download": "请用 character 或 word，它们无需下载",
    "tokenizer_or_token_counter must be text, not {}": "tokenizer_or_token_counter 必须是文本，而不是 {}",
    # reranking
    "for example openbmb/MiniCPM-Reranker-Light; or set backend: lexical, which needs no model": (
        "例如 openbmb/MiniCPM-Reranker-Light；或设 backend: lexical，它不需要模型"
    ),
    "no corpus is open": "还没有打开语料",
    "run retriever_init first": "请先运行 retriever_init",
    "no reranker is open": "还没有打开重排器",
    "run reranker_init first": "请先运行 reranker_init",
    "passages must be a list with a list of texts for each query, not {}": (
        "段落必须是列表，每个查询一个文本列表，而不是 {}"
    ),
    "the passages of query {} must be a list of texts": "第 {} 个查询的段落必须是文本列表",
    "{} queries, {} lists of passages": "{} 个查询，{} 个段落列表",
    "the model failed: {}": "模型出错：{}",
    "the reranker at {} failed: {}": "{} 处的重排服务失败：{}",
    # settings
    "{} is not offered as {}": "{} 不能用作{}",
    "{} is not offered": "{} 未提供",
    "set {}: false": "请设 {}: false",
    "use sentence_transformers, or an endpoint of it by the backend openai": (
        "请用 sentence_transformers，或用后端 openai 连接它的接口"
    ),
    "use faiss": "请用 faiss",
    "the settings of {} are a mapping, not {}": "{} 的设置应为映射，而不是 {}",
    "the backend bm25 has no embeddings": "后端 bm25 没有向量",
    "embedding_path must end in .npy, not {}": "embedding_path 必须以 .npy 结尾，而不是 {}",
    "run_path must name a file, not {}": "run_path 必须是文件名，而不是 {}",
    "model_name_or_path is missing": "缺少 model_name_or_path",
    "for example openbmb/MiniCPM-Embedding-Light": "例如 openbmb/MiniCPM-Embedding-Light",
    "for example http://127.0.0.1:64501": "例如 http://127.0.0.1:64501",
    "{} must be a whole number from 1 on, not {}": "{} 必须是从 1 起的整数，而不是 {}",
    # models and endpoints
    "nothing has been embedded yet": "还没有生成向量",
    "the model {} cannot be loaded: {}": "模型 {} 无法载入：{}",
    "the model gave vectors with numbers that are not finite": "模型给出的向量中有非有限的数",
    "the model gave vectors without dimensions": "模型给出的向量没有维度",
    "the embeddings endpoint failed: {}": "向量接口失败：{}",
    **{
        f"the embeddings endpoint failed: {english}": f"向量接口失败：{chinese}" for english, chinese in REASONS.items()
    },
    "the reply has no embedding with its index for each text": "回复中没有每个文本的向量及其 index",
    "the embeddings are not numbers": "向量中有不是数字的内容",
    "the embeddings are of different lengths": "各向量的长度不同",
    "{} embeddings came back for {} texts": "返回 {} 个向量，应为 {} 个文本",
    "the retriever at {} failed: {}": "{} 处的检索服务失败：{}",
    # searching
    "queries must be a list of texts, not {}": "查询必须是文本列表，而不是 {}",
    "query {} must be text, not {}": "第 {} 个查询必须是文本，而不是 {}",
    "queries have {} dimensions, the index has {}": "查询有 {} 维，索引有 {} 维",
    "{} queries, {} lists of ids, {} lists of scores": "{} 个查询，{} 个 id 列表，{} 个得分列表",
    "the query {} has {} ids and {} scores": "查询 {} 有 {} 个 id、{} 个得分",
    "an id with blanks cannot stand in a run: {}": "带空白的 id 不能写入运行结果：{}",
}
RETRIEVER_WORDS = {
    "backend": "后端",
    "index_backend": "索引后端",
    "tokenizer": "分词器",
    "chunk_backend": "分块方式",
    "reranking by a local model": "用本地模型重排",
    "language": "语言",
    "searching by BM25": "BM25 检索",
    "searching by vectors": "向量检索",
    "embedding by a local model": "用本地模型生成向量",
    "embedding by an endpoint": "用接口生成向量",
}
