"""Facts in answers, judged by value: amounts, dates, counts, names, yes or no."""
