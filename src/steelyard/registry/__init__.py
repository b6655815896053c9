"""What evaluators register: metrics by name, and kinds of results."""
