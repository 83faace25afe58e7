"""The supervised parser: prune, score, decode, label; train, save, load."""
