"""Engines: tasks mapped over the parts of an input on several workers, with the results in the order of the parts."""
