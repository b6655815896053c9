"""Corpus server: documents to rows of text, and rows to chunks that a retriever can index."""

from typing import Annotated, Any

from steelyard.i18n import Message
from steelyard.pipelines.server import Server, notify, progress
from steelyard.rag.corpus import OVERLAP, Built, build_corpus, chunk_corpus, chunk_settings, chunker
from steelyard.rag.settings import chunking_findings, refuse_unknown, section_of

app = Server("corpus", __file__)

CHUNKS = "output/corpus/chunks.jsonl"
SHOWN = 3  # of the problems


@app.tool("parse_file_path,text_corpus_save_path->None")
def build_text_corpus(
    parse_file_path: Annotated[str, "a document (.txt, .md, .pdf, .docx), or a folder of documents"],
    text_corpus_save_path: Annotated[str, "the JSONL file to write; what is there is replaced"],
) -> None:
    """Write the text of each document as a row with id, title (both the file's name) and contents."""
    _tell(
        build_corpus(parse_file_path, text_corpus_save_path, progress),
        "servers.documents_written",
        text_corpus_save_path,
    )


@app.tool(
    "raw_chunk_path,chunk_backend_configs,chunk_backend,tokenizer_or_token_counter,chunk_size,chunk_path,use_title->None"
)
def chunk_documents(  # noqa: PLR0917 - the arguments are those of UltraRAG
    raw_chunk_path: Annotated[str, "the file of documents: rows with id, title and contents"],
    chunk_backend_configs: Annotated[dict[str, Any] | None, "settings by backend: token, sentence, recursive"] = None,
    chunk_backend: Annotated[str, "token, sentence or recursive"] = "token",
    tokenizer_or_token_counter: Annotated[
        str, "what chunk_size counts: character, word, or an encoding of tiktoken such as gpt2"
    ] = "character",
    chunk_size: Annotated[int, "the most tokens of a chunk, from 1 on; a longer sentence stays whole"] = 256,
    chunk_path: Annotated[str | None, "the JSONL file to write; what is there is replaced"] = None,
    use_title: Annotated[bool, "put the title of the document before the text of each chunk"] = True,
) -> None:
    """Cut each document into chunks, and write each as a row with id, doc_id, title and contents."""
    chosen = {"chunk_backend": chunk_backend, "tokenizer_or_token_counter": tokenizer_or_token_counter}
    sizes = {"chunk_backend_configs": chunk_backend_configs, "chunk_size": chunk_size}
    refuse_unknown(chunking_findings({**chosen, **sizes}))
    config = section_of(chunk_backend_configs or {}, chunk_backend, parameter="chunk_backend_configs")
    settings = chunk_settings(chunk_backend, tokenizer_or_token_counter, chunk_size, config)
    asked = config.get("chunk_overlap", OVERLAP)
    if chunk_backend != "recursive" and settings.chunk_overlap != asked:
        notify(Message("servers.overlap_too_large", asked=asked, used=settings.chunk_overlap))
    target = CHUNKS if chunk_path is None else chunk_path
    built = chunk_corpus(raw_chunk_path, target, chunker(settings), use_title=use_title, progress=progress)
    _tell(built, "servers.chunks_written", target)


def _tell(built: Built, code: str, path: str) -> None:
    """Say what was written, and the first of what was left out or may be wrong; `code` names the kind of rows."""
    notify(Message(code, path=path, rows=built.rows))
    for problem in built.problems[:SHOWN]:
        notify(Message("servers.left_out", problem=problem))
    if len(built.problems) > SHOWN:
        notify(Message("servers.left_out_more", count=len(built.problems) - SHOWN))


if __name__ == "__main__":
    app.run()
