"""python -m treewright"""

from treewright.cli import main

main()
