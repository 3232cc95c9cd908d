"""Students of other models, as an installed package: python python/tests/test_distilled.py."""

from __future__ import annotations

import pickle
import tempfile
import unittest
import warnings
from typing import Any
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import sparsekm
from sparsekm import DistilledClassifier, DistilledRegressor


def rules(n: int, seed: int = 0) -> Any:
    r = np.random.default_rng(seed)
    X = r.random((n, 4))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)).astype(int)


class Distill(unittest.TestCase):
    def test_classifiers(self) -> None:
        X, y = load_iris(return_X_y=True)
        for teacher in (RandomForestClassifier(random_state=0), SVC(), LinearSVC(), RidgeClassifier(),
                        MLPClassifier(random_state=0, max_iter=50), LogisticRegression(max_iter=500)):
            with self.subTest(teacher=teacher), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                teacher.fit(X, np.array(["c", "a", "b"])[y])
                student = sparsekm.distill(teacher, X, max_sv=9, rounds=1)
                self.assertIsInstance(student, DistilledClassifier)
                np.testing.assert_array_equal(student.classes_, ["a", "b", "c"])
                self.assertGreater(student.score(X, teacher.predict(X)), 0.93)
                np.testing.assert_allclose(student.predict_proba(X).sum(axis=1), 1)
                np.testing.assert_array_equal(student.classes_[student.decision_function(X).argmax(axis=1)],
                                              student.predict(X))
                self.assertLessEqual(student.report_["units"], 9)

    def test_regressors(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        for teacher in (HistGradientBoostingRegressor(max_iter=20), GaussianProcessRegressor(alpha=1.0, normalize_y=True)):
            teacher.fit(X, y)
            student = sparsekm.distill(teacher, X, max_sv=12)
            self.assertIsInstance(student, DistilledRegressor)
            self.assertGreater(student.score(X, teacher.predict(X)), 0.8)

    def test_functions(self) -> None:
        X, _ = rules(200)
        asked = []

        def values(rows: Any) -> Any:
            asked.append(len(rows))
            return 3 * rows[:, 0] + rows[:, 1]

        student = sparsekm.distill(values, X, max_sv=4)
        self.assertGreater(student.score(X, values(X)), 0.999)
        self.assertGreaterEqual(sum(asked), 500)
        two = sparsekm.distill(lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]), X, max_sv=4)
        np.testing.assert_array_equal(two.classes_, [0, 1])
        self.assertLess(np.abs(two.predict_proba(X)[:, 1] - X[:, 0]).mean(), 0.05)

    def test_asks_between_the_samples(self) -> None:
        X, y = rules(300)
        X[:, 3] = np.round(3 * X[:, 3])
        seen = []

        class Teacher:
            classes_ = np.array([0, 1])

            def predict(self, rows: Any) -> Any:
                seen.append(rows)
                return ((rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.3)).astype(int)

        sparsekm.distill(Teacher(), X, y, max_sv=6)
        new = np.vstack(seen[1:])
        self.assertTrue((new >= X.min(axis=0)).all() and (new <= X.max(axis=0)).all())
        self.assertLessEqual(set(new[:, 3]), set(X[:, 3]))
        self.assertGreater(len(np.setdiff1d(new[:, 0], X[:, 0])), 100)

    def test_frames(self) -> None:
        r = np.random.default_rng(0)
        X = pd.DataFrame({"a": r.random(300), "c": r.choice(["x", "y", "z"], 300), "n": r.integers(0, 90, 300)})
        X["k"] = pd.Categorical(r.choice(["u", "v"], 300))
        y = np.where((X.a > 0.5) ^ (X.c == "x"), "yes", "no")
        words = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["c", "k"]), remainder="passthrough")
        teacher = make_pipeline(words, RandomForestClassifier(random_state=0)).fit(X, y)
        student = sparsekm.distill(teacher, X, y, max_sv=10)
        self.assertGreater(student.score(X, y), 0.97)
        np.testing.assert_array_equal(student.feature_names_in_, X.columns)
        strange = X[:3].assign(c="never")
        self.assertEqual(student.predict(strange).shape, (3,))

    def test_failing_teacher(self) -> None:
        X, _ = rules(200)
        for answer, words in ((lambda rows: rows[:5], "found numbers of the shape"), (lambda rows: 1 / 0, "division by zero"),
                              (lambda rows: np.full((len(rows), 2), np.nan), "found NaN of the teacher")):
            calls = []

            def teacher(rows: Any) -> Any:
                calls.append(len(rows))
                return answer(rows) if len(rows) not in (2, 200) else np.column_stack([1 - rows[:, 0], rows[:, 0]])

            with self.assertWarnsRegex(ConvergenceWarning, words):
                student = sparsekm.distill(teacher, X, max_sv=3)
            self.assertEqual(student.predict(X).shape, (200,))
            self.assertEqual(student.report_["asked"], 0)

    def test_writes(self) -> None:
        X, y = rules(200)
        student = sparsekm.distill(RandomForestClassifier(random_state=0).fit(X, y), X, max_bytes=600, rounds=0)
        self.assertLessEqual(student.report_["bytes"], 600)
        self.assertIn("static inline int small_predict(const float *x)", student.to_c("small"))
        self.assertIn("int32_t small_predict(const int16_t *features,", student.to_c("small", fixed=True))
        self.assertGreater(len(student.to_onnx()), 500)
        with tempfile.TemporaryDirectory() as folder:
            student.save(Path(folder, "student.skm"))
            self.assertEqual(Path(folder, "student.skm").read_bytes()[:8], b"sparsekm")
        again = pickle.loads(pickle.dumps(student))
        np.testing.assert_array_equal(again.predict_proba(X), student.predict_proba(X))
        with self.assertRaises(ValueError):
            student.to_c("no name")

    def test_estimators(self) -> None:
        X, y = rules(200)
        self.assertGreater(cross_val_score(DistilledClassifier(RandomForestClassifier(random_state=0), max_sv=8, rounds=1),
                                           X, y, cv=2).mean(), 0.8)
        with self.assertRaises(NotFittedError):
            DistilledClassifier().predict(X)
        self.assertEqual(clone(DistilledRegressor(max_ns=5)).max_ns, 5)
        for wrong, words in (({"max_sv": -1}, "max_sv"), ({"label_weight": 2.0}, "label_weight: found 2"),
                             ({"max_bytes": 5}, "more than the budget")):
            with self.assertRaisesRegex(ValueError, words):
                sparsekm.distill(FrozenEstimator(SVC().fit(X, y)).estimator, X, y, **wrong)
        with self.assertRaisesRegex(ValueError, "classes that the teacher does not have"):
            sparsekm.distill(SVC().fit(X, y), X, y + 7)

    def test_check_estimator(self) -> None:
        for estimator in (DistilledClassifier(max_sv=2, rounds=0, label_weight=0.5),
                          DistilledRegressor(max_sv=2, rounds=0, label_weight=0.5)):
            failed = [f"{r['check_name']}: {r['exception']!r}" for r in check_estimator(estimator, on_fail=None)
                      if r["status"] == "failed"]
            self.assertEqual(failed, [])


if __name__ == "__main__":
    unittest.main()
