"""Banks of questions as people keep them, in Markdown, Excel, CSV or JSONL, and benchmarks made of them."""
