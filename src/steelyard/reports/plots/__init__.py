"""Charts of results, drawn with Vega-Lite."""
