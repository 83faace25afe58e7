"""
Treewright's native kernels. Not a public interface: use treewright.decode and its neighbours.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def eisner(arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], single_root: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]:
    """
    The best projective tree (Eisner 1996): heads and value; -inf when there is none.
    """
