"""Features that are categories, whose values a training learns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._model import Model
from ._native import Matrix


def chosen(features: Any, d: int, names: Any) -> list[int]:
    """Return the numbers of features that are named, numbered or marked in a mask."""
    found = np.asarray(features)
    if found.dtype == bool:
        if found.shape != (d,):
            raise ValueError(f"categorical_features: found a mask of shape {found.shape}, want {d} features")
        return [int(k) for k in np.flatnonzero(found)]
    if found.ndim != 1:
        raise ValueError("categorical_features: want a list of features")
    known = [] if names is None else list(names)
    numbers = []
    for k in found.tolist():
        if isinstance(k, str):
            if k not in known:
                raise ValueError(f"categorical_features: there is no feature {k!r}")
            k = known.index(k)
        if not isinstance(k, int) or not -d <= k < d:
            raise ValueError(f"categorical_features: found {k!r}, want names or numbers of {d} features")
        numbers.append(k % d)
    return sorted(set(numbers))


class Categories:
    """The categories of some features: the numbers that they have in the training samples."""

    def __init__(self, X: Matrix, features: list[int]) -> None:
        self.levels: dict[int, Matrix] = {k: np.unique(X[:, k]) for k in features}
        self.values: dict[int, Matrix] = {}  # after the training: a row of values for each category

    def columns(self, d: int) -> list[int]:
        """Return the option of skm_train: how many features of ones() each feature has."""
        return [len(self.levels.get(k, [0])) for k in range(d)]

    def ones(self, X: Matrix) -> Matrix:
        """Return samples with a feature of 0 and 1 for each category."""
        parts = [X[:, k, None] == self.levels[k] if k in self.levels else X[:, k, None] for k in range(X.shape[1])]
        return np.ascontiguousarray(np.hstack(parts), dtype=np.float64)

    def learned(self, model: Model) -> None:
        """Take the values from a trained model. A feature of one category has none, but is 1 for it."""
        columns = json.loads(model.to_bytes("json"))["columns"]
        for k, levels in self.levels.items():
            values = columns[k].get("values") or np.ones(len(levels))
            self.values[k] = np.asarray(values, dtype=np.float64).reshape(-1, len(levels)).T

    def decoded(self, X: Matrix) -> Matrix:
        """Return samples with the values of their categories; those of others are 0."""
        parts = [self._values(X[:, k], k) if k in self.levels else X[:, k, None] for k in range(X.shape[1])]
        return np.ascontiguousarray(np.hstack(parts))

    def _values(self, x: Matrix, k: int) -> Matrix:
        levels = self.levels[k]
        at: NDArray[np.int64] = np.minimum(np.searchsorted(levels, x), len(levels) - 1)
        return np.where((levels[at] == x)[:, None], self.values[k][at], 0.0)
