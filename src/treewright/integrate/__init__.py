"""Sentences as the tables of other libraries: Arrow, pandas and what reads them."""

from treewright.integrate.arrow import from_arrow, to_arrow
from treewright.integrate.frames import from_pandas, to_pandas

__all__ = ["from_arrow", "from_pandas", "to_arrow", "to_pandas"]
