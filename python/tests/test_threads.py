"""Threads that fit and predict at once, as an installed package: python test_threads.py.

Needs nothing but scikit-learn, so that it also runs in a Python without a global lock (3.13t, 3.14t).
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from sparsekm import SSVC, SSVR, DistilledClassifier, OneClass, ReducedSVC, svm

THREADS = 8
X = np.random.default_rng(1).normal(size=(90, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


def task(estimator: Any, target: Any = Y) -> Callable[[], Any]:
    """Return a function that fits a copy of an estimator, and copies of it by pickle, and says what they decide."""
    def run() -> Any:
        fitted = clone(estimator).fit(X, target)
        again = pickle.loads(pickle.dumps(fitted)) if getattr(fitted, "progress", None) is None else fitted
        return [call(X) for one in (fitted, again) for name in ("predict", "decision_function", "predict_proba")
                if (call := getattr(one, name, None))]
    return run


TASKS = [
    task(SSVC()),
    task(SSVC("svc", scale="zscore", probability=True)),
    task(SSVC("svc", progress=lambda done, text: False)),
    task(SSVC(), (X @ [1, 2, 3]).round() % 3),
    task(SSVR("svr"), X[:, 0]),
    task(OneClass(nu=0.2), None),
    task(svm.SVC()),
    task(ReducedSVC(svm.SVC(), max_loss=2)),
    task(DistilledClassifier(svm.SVC().fit(X, Y), max_sv=8)),
]

FIRST = """
import sys, threading
import numpy as np
import sparsekm
sys.setswitchinterval(1e-6)
start, found = threading.Barrier(16), []
def use():
    start.wait()
    found.append(len(sparsekm.methods()))
threads = [threading.Thread(target=use) for _ in range(16)]
for t in threads: t.start()
for t in threads: t.join()
assert len(found) == 16 and len(set(found)) == 1, found
"""


class Threads(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        warnings.simplefilter("ignore")

    def test_first_use(self) -> None:
        """The library is loaded once, by whichever thread comes first."""
        subprocess.run([sys.executable, "-W", "ignore", "-c", FIRST], check=True)

    def test_fit_and_predict(self) -> None:
        """Threads that train, tell, predict, copy and free at a time get what one gets."""
        y, t = Y, X[:, 0] + X[:, 1] ** 2
        shared = SSVC("svc").fit(X, y)

        def work(seed: int) -> Any:
            told: list[str] = []
            one = SSVC("ssvc-b", C=1 + seed % 4, progress=lambda done, message: told.append(message)).fit(X, y)
            two = SSVR("svr", C=1 + seed % 4).fit(X, t)
            few = ReducedSVC(FrozenEstimator(shared), max_sv=4, max_loss=None, move=False).fit(X, y)
            again = pickle.loads(pickle.dumps(one))
            same = svm.SVC(C=1 + seed % 4).fit(X, y)
            with self.assertRaisesRegex(ValueError, "C is -1"):
                SSVC(C=-1).fit(X, y)
            rounds = [text for text in told if text.startswith("round")]  # programs are told of 20 times a second at most
            return (again.decision_function(X), two.predict(X), few.decision_function(X), same.dual_coef_,
                    shared.decision_function(X), rounds)

        want = [work(seed) for seed in range(4)]
        with ThreadPoolExecutor(THREADS) as pool:
            for seed, got in enumerate(pool.map(work, range(24))):
                for a, b in zip(got, want[seed % 4]):
                    np.testing.assert_array_equal(a, b)

    def test_each_its_own(self) -> None:
        """Fits side by side give what they give alone."""
        alone = [run() for run in TASKS]
        start = threading.Barrier(THREADS)

        def all_of(shift: int) -> list[Any]:
            start.wait()
            order = [(shift + i) % len(TASKS) for i in range(len(TASKS))]
            found = {i: TASKS[i]() for i in order}
            return [found[i] for i in range(len(TASKS))]

        with ThreadPoolExecutor(THREADS) as pool:
            for found in pool.map(all_of, range(THREADS)):
                for wanted, got in zip(alone, found):
                    self.assertEqual(len(wanted), len(got))
                    for a, b in zip(wanted, got):
                        np.testing.assert_array_equal(a, b)

    def test_one_for_all(self) -> None:
        """Threads that share models decide as one does, while copies of the models come and go."""
        models = [SSVC("svc", probability=True).fit(X, Y), svm.SVC().fit(X, Y), SSVR("svr").fit(X, X[:, 0])]
        alone = [m.predict(X) for m in models]
        start = threading.Barrier(THREADS)

        def use(_: int) -> None:
            start.wait()
            for _ in range(20):
                for model, wanted in zip(models, alone):
                    np.testing.assert_array_equal(model.predict(X), wanted)
                    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), wanted)

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(use, range(THREADS)))

    def test_no_lock(self) -> None:
        """A Python that was built without the global lock stays without it."""
        enabled = getattr(sys, "_is_gil_enabled", None)
        if enabled is None or not hasattr(sys, "abiflags") or "t" not in sys.abiflags:
            self.skipTest("this Python has its lock")
        self.assertFalse(enabled())


if __name__ == "__main__":
    unittest.main()
