"""Files and values: streams of bytes, records, JSON and YAML with the line of every value, results files."""
