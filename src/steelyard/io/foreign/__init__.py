"""Files of other tools: each format is a module of this package, and is found by its being here.

A module of a format has a `NAME` (as `--from` and `--to` give it), a `TITLE` (as people call it), `recognises`, which
says whether a file has its shape, and `read`, which gives records with the fields of module `rows`. A format that can
be written has `CARRIES`, the fields that it has a place for, and `write`.
"""
