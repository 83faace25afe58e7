"""Searches for the best structure: branch and bound, dual decomposition, hill climbing, integer programs."""
