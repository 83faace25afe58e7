"""Sentences and treebanks: CoNLL-U and its relatives, Penn brackets; lossless and streaming."""
