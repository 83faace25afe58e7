"""Where a network (treewright.network) scores the values of the tags of a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NetworkTags:
    """Maps the values of columns, which a network scores one by one, to whole tags."""

    def __init__(self, tags: Sequence[tuple[str, ...]], columns: Sequence[str]) -> None:
        self._values = {name: [tag[place] for tag in tags] for place, name in enumerate(columns)}
        self._tags = len(tags)
        self._model: Any = None
        self._places = self._find(None)

    def places(self, model: Any) -> NDArray[np.int32]:
        """[tag, column]: where the network `model` scores the value of the tag; -1 for values that it does not have.

        Columns that the network does not score are left out; all are without a network, None.
        """
        if model is not self._model:
            self._model, self._places = model, self._find(model)
        return self._places

    def _find(self, model: Any) -> NDArray[np.int32]:
        ranges = {} if model is None else model.column_ranges()
        columns = []
        for name, values in self._values.items():
            if name in ranges:
                number = {value: ranges[name][0] + place for place, value in enumerate(model.columns[name])}
                columns.append([number.get(value, -1) for value in values])
        return np.ascontiguousarray(np.array(columns, dtype=np.int32).reshape(len(columns), self._tags).T)
