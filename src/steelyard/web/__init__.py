"""The viewer: a folder of results as pages, with reviews, for this machine unless a token says otherwise."""
