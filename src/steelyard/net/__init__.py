"""HTTP clients: one request setup, one retry rule, one OpenAI-compatible client, and masked secrets."""
