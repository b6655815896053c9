"""The viewer: a folder of results as pages, read-only, for this machine unless a token says otherwise."""
