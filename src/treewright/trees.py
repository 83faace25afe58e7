"""What a tree is: predicates and conversions over head vectors. Depends on nothing."""
