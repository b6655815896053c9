"""The conformance suite: vectors with known answers, programs that compute them, and what came out."""
