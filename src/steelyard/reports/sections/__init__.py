"""Sections of a report, each a module that is found by its being here.

A section has an `ORDER`, its place among the others, and `blocks(report, words)`, which gives its blocks. Every format
shows them, an HTML page included.
"""
