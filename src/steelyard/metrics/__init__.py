"""What is measured: rankings and answers, by name."""
