"""Statistics of per-item scores: summaries, intervals, paired comparisons, power, and the release gate."""
