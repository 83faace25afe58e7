"""Weights and feature vectors: perceptron, MIRA, averaging; it knows no sentences."""
