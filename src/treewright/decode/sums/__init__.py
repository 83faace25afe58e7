"""Sums over trees: marginals, samples, k best trees, minimum Bayes risk."""
