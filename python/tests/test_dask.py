"""Training and deciding with Dask; skipped where it is not installed: python tests/test_dask.py."""

from __future__ import annotations

import doctest
import importlib
import sys
import unittest
import unittest.mock
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_iris

from sparsekm import SSVC, SSVR, _pooled

try:
    import dask
    import dask.array as da
    from dask.delayed import delayed

    import sparsekm.dask
except ImportError as error:
    if __name__ != "__main__":
        raise unittest.SkipTest(str(error))
    print(f"skipped: {error}")
    sys.exit()

array: Any = da.from_array
dask.config.set(scheduler="threads", num_workers=2)


def ringnorm(n: int, seed: int) -> Any:
    """A wide normal distribution around a narrow one, in 20 dimensions: the least error is 1.24 %."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    X = draw.standard_normal((n, 20))
    X[y == 1] *= 2
    X[y == 0] += 2 / np.sqrt(20)
    return X, y


def blocks(X: Any, y: Any, rows: int) -> Any:
    return array(X, chunks=(rows, X.shape[1])), array(y, chunks=rows)


class Pooled(unittest.TestCase):
    def test_classes(self) -> None:
        X, y = ringnorm(12000, 1)
        given = SSVC("direct", params={"max_sv": 6})
        model = sparsekm.dask.fit(given, *blocks(X, y, 2000), shard_rows=1000)
        figures = model.report_["submodels"][0]["report"]["figures"]
        self.assertEqual((model.status_, figures["samples"]), ("optimal", 12000))
        self.assertEqual(figures["wrong"], np.sum(model.predict(X) != y))
        self.assertLessEqual(len(model.support_vectors_), 20)
        X_test, y_test = ringnorm(20000, 2)
        self.assertGreater(model.score(X_test, y_test), 0.98)
        found = sparsekm.dask.predict(model, array(X_test, chunks=(3000, 7)))
        np.testing.assert_array_equal(found.compute(), model.predict(X_test))
        self.assertFalse(hasattr(given, "classes_"))
        self.assertAlmostEqual(model.report_["kernel"]["gamma"], 1 / (20 * X.var()), places=10)

    def test_sums_add_up(self) -> None:
        X, y = ringnorm(700, 3)
        y = y.astype(np.int64)
        kernel, vectors = {"kernel": "rbf", "gamma": 0.02}, X[:5].copy()
        machine = vectors, np.array([[1.0, -2, 3, -4, 5]]), np.array([0.1])
        whole = _pooled.sums(kernel, 2, *machine, X, y)
        parts = sum(_pooled.sums(kernel, 2, *machine, X[lo:hi], y[lo:hi]) for lo, hi in ((0, 300), (300, 300), (300, 700)))
        np.testing.assert_allclose(parts, whole, rtol=1e-12)
        f = np.exp(-0.02 * ((X[:, None] - vectors) ** 2).sum(2)) @ machine[1][0] + 0.1
        self.assertEqual(list(whole[:2]), [700, np.sum((f > 0) != (y == 1))])
        self.assertAlmostEqual(whole[2] + whole[10], np.sum(np.maximum(0, 1 - (2 * y - 1) * f) ** 2), places=8)

    def test_two_passes_are_usable(self) -> None:
        X, y = ringnorm(4000, 4)
        model = sparsekm.dask.fit_shards(SSVC("direct", C=1, gamma=0.02, params={"max_sv": 6}),
                                         [(X[:2000], y[:2000]), (X[2000:], y[2000:]), (X[:0], y[:0])], passes=2)
        self.assertEqual(model.status_, "iteration limit")
        self.assertGreater(model.score(X, y), 0.97)

    def test_candidates_are_drawn(self) -> None:
        X, y = ringnorm(2000, 5)
        shards = [(X[:1000], y[:1000]), (X[1000:], y[1000:])]
        model = sparsekm.dask.fit_shards(SSVC("svc", gamma=0.02), shards, max_candidates=4, gain=1e-9)
        self.assertEqual(len(model.support_vectors_), 4)

    def test_several_classes_of_other_names(self) -> None:
        X, y = load_iris(return_X_y=True)
        y = np.array(["setosa", "versicolor", "virginica"])[y]
        order = np.argsort(y)  # no shard has all classes, and the first has one
        X, y = X[order], y[order]
        model = sparsekm.dask.fit_shards(SSVC("svc", C=10), [(X[i:i + 40], y[i:i + 40]) for i in range(0, 150, 40)])
        self.assertEqual(list(model.classes_), ["setosa", "versicolor", "virginica"])
        self.assertGreater(model.score(X, y), 0.95)
        self.assertEqual(model.decision_function(X).shape, (150, 3))

    def test_values(self) -> None:
        draw = np.random.default_rng(0)
        X = draw.uniform(-3, 3, (4000, 1))
        y = np.sinc(X[:, 0]) + 0.1 * draw.standard_normal(4000)
        model = sparsekm.dask.fit(SSVR("svr", gamma=1.0, epsilon=0.2), *blocks(X, y, 500))
        self.assertLess(np.sqrt(np.mean((model.predict(X) - np.sinc(X[:, 0])) ** 2)), 0.03)
        self.assertEqual(model.status_, "optimal")
        self.assertLessEqual(len(model.support_vectors_), 20)

    def test_refused(self) -> None:
        X, y = ringnorm(200, 1)
        for estimator in (SSVC(scale="zscore"), SSVC(kernel="precomputed"), SSVC(gamma="median"), SSVC(class_weight="balanced"),
                          SSVC(probability=True)):
            with self.subTest(estimator=estimator), self.assertRaises(ValueError):
                sparsekm.dask.fit_shards(clone(estimator), [(X, y)])
        with self.assertRaisesRegex(ValueError, "ssvc-features.* kernel of its own"):
            sparsekm.dask.fit_shards(SSVC("ssvc-features"), [(X, y)])
        with self.assertRaisesRegex(ValueError, "same blocks"):
            sparsekm.dask.fit(SSVC(), blocks(X, y, 50)[0], blocks(X, y, 60)[1])
        with self.assertRaisesRegex(ValueError, "one class"):
            sparsekm.dask.fit_shards(SSVC(), [(X, np.zeros(200))])
        with self.assertRaisesRegex(ZeroDivisionError, "lost"):
            sparsekm.dask.fit_shards(SSVC("svc"), [delayed(failing)()])

    def test_examples(self) -> None:
        result = doctest.testmod(sparsekm.dask)
        self.assertEqual((result.failed, result.attempted > 15), (0, True))

    def test_lazily_with_a_clear_message(self) -> None:
        with unittest.mock.patch.dict(sys.modules, {"dask": None}), self.assertRaisesRegex(ImportError, "pip install"):
            importlib.reload(sparsekm.dask)
        importlib.reload(sparsekm.dask)


def failing() -> None:
    raise ZeroDivisionError("the shard is lost")


if __name__ == "__main__":
    unittest.main()
