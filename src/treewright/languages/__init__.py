"""Models for other languages: a table of treebanks, their download, models that are installed, models as wheels."""
