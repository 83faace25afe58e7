"""Templates as data; sentence in, scored parts out."""
