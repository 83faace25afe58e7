"""The command line: one file a command, arguments on top, one call below."""

from treewright.cli.app import main

__all__ = ["main"]
