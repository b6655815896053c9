"""Sections of a report, each a module that is found by its being here.

A section has an `ORDER`, its place among the others, and `blocks(report, words)`, which gives its blocks. Of a section
that an HTML page does not draw in its own way (`ON_PAGE` is not False) the page shows the tables.
"""
