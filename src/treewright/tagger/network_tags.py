"""The log-probabilities of tags that a network gives (treewright.network), as scores of the tags of a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNKNOWN_VALUE = -15.0  # log P of a value that the network does not have; not tuned


class NetworkTags:
    """Maps the values of columns, which a network scores one by one, to whole tags."""

    def __init__(self, tags: Sequence[tuple[str, ...]], columns: Sequence[str]) -> None:
        self._values = {name: [tag[place] for tag in tags] for place, name in enumerate(columns)}
        self._model: Any = None
        self._places: list[NDArray[np.int64]] = []

    def scores(self, reading: Any, weight: float) -> NDArray[np.float64]:
        """Return scores[word, tag]: the sum over columns of log P(value of the tag), times the weight."""
        if reading.model is not self._model:
            self._open(reading.model)
        unknown = np.full((len(reading.tags), 1), UNKNOWN_VALUE, dtype=np.float32)
        known = np.concatenate([reading.tags, unknown], axis=1)
        scores = np.zeros((len(known), len(next(iter(self._values.values()), []))))
        for places in self._places:
            scores += known[:, places]
        scores *= weight
        return scores

    def _open(self, model: Any) -> None:
        """Find the places of the values of tags among those of the network; the place after the last is unknown."""
        ranges = model.column_ranges()
        self._model, self._places = model, []
        for name, values in self._values.items():
            if name in ranges:
                place = {value: ranges[name][0] + number for number, value in enumerate(model.columns[name])}
                self._places.append(np.array([place.get(value, model.tags) for value in values]))
