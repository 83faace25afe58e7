"""The systems of six papers: one module a paper, with its tables, learners and commands of `treewright reproduce`."""
