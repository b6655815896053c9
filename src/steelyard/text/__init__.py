"""Everything the product knows of language."""
