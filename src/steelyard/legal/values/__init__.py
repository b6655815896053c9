"""Values of law in a text, one reader each: statutes, case numbers, charges, terms, fines, interest rates."""
