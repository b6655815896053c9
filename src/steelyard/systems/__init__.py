"""Question → output: systems under test, live, recorded or built in, and how they are asked."""
