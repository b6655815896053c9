"""Results as people and programs read them; every renderer returns text and prints nothing."""
