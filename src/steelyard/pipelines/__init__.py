"""Pipelines of MCP servers in the format of UltraRAG: bind, run, resume and serve."""
