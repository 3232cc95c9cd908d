"""The estimators, as an installed package: python -m unittest discover python/tests."""

from __future__ import annotations

import contextlib
import copy
import doctest
import io
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process.kernels import Matern, RationalQuadratic
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC, OneClassSVM
from sklearn.utils.estimator_checks import check_estimator

import sparsekm
from sparsekm import SSVC, SSVR, OneClass, ReducedSVC, _native, _reduced
from sparsekm._model import Model

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"


def ripley() -> Any:
    X, y = load_svmlight_file(str(TESTDATA / "ripley.train.libsvm"))
    return X.toarray(), y


class Coverage(unittest.TestCase):
    def test_sets(self) -> None:
        X, y = ripley()
        test, labels = load_svmlight_file(str(TESTDATA / "ripley.test.libsvm"))
        test = test.toarray()
        for options in ({}, {"by_class": True}, {"coverage_folds": 5}):
            model = SSVC("svc", coverage=0.9, **options).fit(X, y)
            sets = model.predict_set(test)
            self.assertEqual((sets.dtype, sets.shape), (np.dtype(bool), (1000, 2)))
            self.assertLess(abs(sets[np.arange(1000), np.searchsorted(model.classes_, labels)].mean() - 0.9), 0.08)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_set(test), sets)
        with self.assertRaisesRegex(ValueError, "coverage of 0.999 needs"):
            SSVC("svc", coverage=0.999).fit(X, y)
        with self.assertRaisesRegex(ValueError, "want a coverage too"):
            SSVC("svc", by_class=True).fit(X, y)
        with self.assertRaisesRegex(ValueError, "no prediction sets"):
            SSVC("svc").fit(X, y).predict_set(X)
        inside = OneClass("one-class", coverage=0.9).fit(X).predict_set(test)
        self.assertLess(abs(inside.mean() - 0.9), 0.08)

    def test_intervals(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.uniform(-3, 3, (800, 1))
        y = 40 + 10 * np.sin(2 * X[:, 0]) + rng.normal(0, 2, 800)
        for method in ("svr", "rvm"):
            model = SSVR(method, gamma=1.0, coverage=0.9, target_scale=True).fit(X[:300], y[:300])
            ends = model.predict_interval(X[300:])
            mean = model.predict(X[300:])
            np.testing.assert_allclose(ends.mean(axis=1), mean)
            self.assertLess(abs(np.mean((ends[:, 0] <= y[300:]) & (y[300:] <= ends[:, 1])) - 0.9), 0.08)


class Variances(unittest.TestCase):
    def test_return_std(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.uniform(-3, 3, (200, 1))
        y = 40 + 10 * np.sin(2 * X[:, 0]) + rng.normal(0, 2, 200)
        far = np.array([[0.0], [9.0]])
        for method in ("rvm", "rvm-fast"):
            model = SSVR(method, gamma=1.0).fit(X, y)
            mean, std = model.predict(X, return_std=True)
            np.testing.assert_array_equal(mean, model.predict(X))
            np.testing.assert_array_less(np.abs(std - 2), 0.6)
            self.assertLess(abs(np.mean(np.abs(y - mean) < std) - 0.68), 0.1)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X, return_std=True)[1], std)
            blocks = model.predict(scipy.sparse.csr_matrix(X), return_std=True)
            np.testing.assert_allclose(blocks[1], std, rtol=1e-12)
            for unit in (1e-3, 1e3):
                other = SSVR(method, gamma=1.0, target_scale=True).fit(X, unit * y).predict(far, return_std=True)[1]
                np.testing.assert_allclose(other / unit, SSVR(method, gamma=1.0, target_scale=True).fit(X, y).predict(
                    far, return_std=True)[1], rtol=1e-3)
        with self.assertRaisesRegex(ValueError, "no variances.*rvm-fast"):
            SSVR().fit(X, y).predict(X, return_std=True)

    def test_columns(self) -> None:
        """A model that looks at few columns is given all of them, as everywhere in scikit-learn."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 8))
        model = SSVC("ssvc-features").fit(X, X[:, 2] > 0)
        self.assertEqual(model.n_features_in_, 8)
        kept = [k for k in range(8)
                if (model.decision_function(np.where(np.arange(8) == k, 0, X)) != model.decision_function(X)).any()]
        self.assertLess(len(kept), 8)
        self.assertIn(2, kept)
        with self.assertRaisesRegex(ValueError, f"X has {len(kept)} features, but SSVC is expecting 8 features"):
            model.predict(X[:, kept])
        idle = np.where(np.isin(np.arange(8), kept), X, 0)
        np.testing.assert_array_equal(model.decision_function(idle), model.decision_function(X))


class Contract(unittest.TestCase):
    """scikit-learn's own checks, without a failure."""

    def test_check_estimator(self) -> None:
        for estimator in (SSVC(), SSVC("svc"), SSVC("ssvc-a"), SSVC("rvm"), SSVC(multiclass="ovo", scale="zscore", gamma=0.5),
                          SSVR(), SSVR("lssvm"), SSVR("lssvm-chol"), OneClass(), OneClass("one-class"), ReducedSVC(),
                          ReducedSVC(SSVC("svc"))):
            with self.subTest(estimator=estimator), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = check_estimator(estimator, on_fail=None)
                failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
                self.assertEqual(failed, [])
                self.assertGreater(sum(r["status"] == "passed" for r in results), 40)

    def test_every_method(self) -> None:
        X, y = load_iris(return_X_y=True)
        learnt = 0
        for method in sparsekm.methods():
            if "classify" in method["tasks"]:
                params = {"nu": 0.2} if method["name"] == "nu-svc" else None
                self.assertGreater(SSVC(method["name"], params=params).fit(X, y).score(X, y), 0.85, method["name"])
                learnt += 1
            if "regress" in method["tasks"]:
                model = SSVR(method["name"], C=100 if "c" in [p["name"] for p in method["params"]] else None)
                self.assertGreater(model.fit(X, 1.0 * y).score(X, 1.0 * y), 0.85, method["name"])
                learnt += 1
            if "one-class" in method["tasks"]:
                inside = OneClass(method["name"], nu=0.2).fit(X).predict(X) > 0
                self.assertAlmostEqual(inside.mean(), 0.8, delta=0.03)
                learnt += 1
        self.assertGreaterEqual(learnt, 27)


class Fits(unittest.TestCase):
    def test_ripley(self) -> None:
        X, y = ripley()
        model = SSVC("ssvc-a", C=1, gamma=1 / (2 * 0.5**2)).fit(X, y)
        self.assertEqual(model.support_.tolist(), [15, 37, 179, 217])
        self.assertEqual((model.status_, model.dual_coef_.shape, model.intercept_.shape), ("fixed point", (1, 4), (1,)))
        self.assertGreater(model.n_iter_, 1)
        self.assertEqual(model.report_["submodels"][0]["support"], [15, 37, 179, 217])
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        by_hand = rbf_kernel(X, model.support_vectors_, gamma=2) @ model.dual_coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(model.decision_function(X), by_hand, rtol=0, atol=1e-12)

    def test_sparse_is_dense(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        X = np.where(X > np.median(X, axis=0), X, 0)
        for estimator in (SSVC("svc", scale="zscore"), SSVR(), ReducedSVC(max_sv=5)):
            dense, other = clone(estimator).fit(X, y), clone(estimator).fit(scipy.sparse.csc_matrix(X), y)
            np.testing.assert_array_equal(dense.predict(X), other.predict(scipy.sparse.coo_matrix(X)))
            np.testing.assert_array_equal(dense.dual_coef_, other.dual_coef_)
        wide = scipy.sparse.random(2000, 600, 0.01, "csr", random_state=1)  # in three blocks
        model = SSVC("svc", kernel="linear").fit(wide[:50].toarray(), np.arange(50) % 2)
        np.testing.assert_array_equal(model.decision_function(wide), model.decision_function(wide.toarray()))

    def test_stays_sparse(self) -> None:
        """Matrices of few numbers are never dense: what comes of them is what comes of all the zeros, but for the order of
        sums, whatever order and repetitions their numbers have."""
        rng = np.random.default_rng(1)
        X = scipy.sparse.random(200, 300, 0.03, "csr", random_state=rng)
        X = scipy.sparse.vstack((X, X[:20]), "csr")
        w = rng.normal(size=300)
        y, weight = X @ w > 0, rng.integers(0, 3, 220).astype(float)
        shuffled = X.copy()  # the last number of each row first, each in two halves, and zeros that are listed
        shuffled.indices = np.concatenate([np.r_[i[::-1], i, 0] for i in np.split(X.indices, X.indptr[1:-1])])
        shuffled.data = np.concatenate([np.r_[v[::-1], v, 0] / 2 for v in np.split(X.data, X.indptr[1:-1])])
        shuffled.indptr = 2 * X.indptr + np.arange(221, dtype=X.indptr.dtype)
        shuffled = scipy.sparse.csr_matrix((shuffled.data, shuffled.indices, shuffled.indptr), X.shape)
        before = shuffled.data.copy()
        close = {"tolerance": 1e-9}
        sure = SSVC("svc", params=close, probability=True, kernel="linear")
        for estimator, of in ((SSVC("svc", params=close), y), (sure, y), (SSVC("ssvc-a"), y), (SSVR(params=close), X @ w), (OneClass("one-class", params=close), None),
                              (SSVC("svc", params=close), np.digitize(X @ w, (-1, 1)))):
            for how in ((), (weight,)):
                full = clone(estimator).fit(X.toarray(), of, *how)
                with unittest.mock.patch("scipy.sparse.csr_matrix.toarray", side_effect=AssertionError):
                    thin, other = clone(estimator).fit(X, of, *how), clone(estimator).fit(shuffled, of, *how)
                    decide = "predict" if isinstance(estimator, SSVR) else "decision_function"
                    f = getattr(thin, decide)(X)
                    np.testing.assert_array_equal(getattr(other, decide)(shuffled), f)
                    np.testing.assert_array_equal(thin.predict(X), other.predict(X))
                    p = thin.predict_proba(X) if hasattr(thin, "predict_proba") else None
                np.testing.assert_allclose(f, getattr(full, decide)(X.toarray()), atol=1e-5)
                np.testing.assert_allclose(f, getattr(thin, decide)(X.toarray()), atol=1e-9)
                if p is not None:
                    np.testing.assert_allclose(p, thin.predict_proba(X.toarray()), atol=1e-9)
                np.testing.assert_allclose(thin.report_["kernel"].get("gamma", 1), full.report_["kernel"].get("gamma", 1),
                                           rtol=1e-12)
                self.assertTrue(scipy.sparse.issparse(thin.support_vectors_))
                self.assertEqual(abs(thin.support_vectors_ - X[thin.support_]).max(), 0)
        np.testing.assert_array_equal(shuffled.data, before)
        ones = scipy.sparse.csr_matrix((np.ones_like(X.data), X.indices, X.indptr), X.shape)  # rows of the same numbers
        thin, full = (SSVR(params=close).fit(P, np.arange(220) % 2, weight) for P in (ones, ones.toarray()))
        np.testing.assert_allclose(thin.predict(ones), full.predict(ones), atol=1e-5)
        sure = SSVR("rvm-fast", gamma=0.5).fit(X, X @ w)
        np.testing.assert_allclose(sure.predict(X, return_std=True)[1], sure.predict(X.toarray(), return_std=True)[1])
        full = SSVC("svc").fit(X, y)  # whose sparse vectors move as dense ones do
        self.assertEqual(ReducedSVC(FrozenEstimator(full), max_sv=9).fit(X, y).report_["method"], "move")
        self.assertLess(SSVC("direct", params={"max_sv": 3}).fit(X, y).support_vectors_.shape[0], 4)  # which reads zeros
        far = scipy.sparse.csr_matrix((X.data, X.indices * 200_000, X.indptr), (220, 60_000_000))
        np.testing.assert_allclose(SSVC("svc", gamma=0.5).fit(far, y).decision_function(far),
                                   SSVC("svc", gamma=0.5).fit(X, y).decision_function(X), rtol=1e-9)

    def test_candidates(self) -> None:
        """The points that alone may be vectors, given or so many."""
        X, y = ripley()
        given, of = X[::5] + 0.01, y[::5]
        for estimator, where in ((SSVC("ssvc-b", gamma=2.0), {}), (SSVC("l1svm", gamma=2.0), {"candidates_y": of}),
                                 (SSVR("ssvr-b", gamma=2.0), {}), (OneClass(gamma=2.0, nu=0.2), {})):
            model = clone(estimator).set_params(candidates=given, **where).fit(X, y)
            self.assertEqual(len(model.support_), 0)
            self.assertGreater(len(model.support_vectors_), 0)
            self.assertTrue(all((given == v).all(axis=1).any() for v in model.support_vectors_))
            again = clone(model).fit(scipy.sparse.csr_matrix(X), y)
            np.testing.assert_array_equal(model.dual_coef_, again.dual_coef_)
            few = clone(estimator).set_params(candidates=40).fit(X, y)
            same = clone(estimator).set_params(params={"candidates": 40}).fit(X, y)
            self.assertEqual(few.support_.tolist(), same.support_.tolist())
            self.assertLessEqual(len(few.support_), 40)
            self.assertNotEqual(few.support_.tolist(), clone(estimator).fit(X, y).support_.tolist())
        words = np.where(y > 0, "yes", "no")
        some = SSVC("l1svm", gamma=2.0, candidates=given[of > 0], candidates_y=words[::5][of > 0]).fit(X, words)
        self.assertTrue((some.dual_coef_ > 0).all())
        for estimator, message in ((SSVC("svc", candidates=given), "svc does not take candidates"),
                                   (SSVC("svc", candidates=3), "no parameter candidates"),
                                   (SSVC(candidates=given[:, :1]), "1 features in the candidates, want 2"),
                                   (SSVC(candidates=given, params={"candidates": 3}), "3 candidates to be chosen"),
                                   (SSVC("l1svm", candidates=given), "the candidates have no labels"),
                                   (SSVC(candidates_y=of), "candidates_y: want the samples"),
                                   (SSVC(candidates=given, candidates_y=of[1:]), "inconsistent numbers of samples"),
                                   (SSVC(candidates=given, candidates_y=7 + of), "candidates_y: found [68]"),
                                   (SSVC(candidates=np.full((2, 2), np.nan)), "candidates contains NaN")):
            with self.subTest(estimator=estimator), self.assertRaisesRegex(ValueError, message):
                estimator.fit(X, y)

    @unittest.skipUnless(shutil.which("go"), "the command is built by Go")
    def test_candidates_of_command(self) -> None:
        """The same machines to the bit as those of the command's --candidates FILE."""
        X, y = ripley()
        given, of = X[::5] + 0.01, y[::5]
        with tempfile.TemporaryDirectory() as folder:
            names = "sparsekm", "points.csv", "candidates.csv", "model.skm"
            file = {name: os.path.join(folder, name) for name in names}
            subprocess.run(["go", "build", "-o", file["sparsekm"], "./cmd/sparsekm"], cwd=TESTDATA.parent, check=True)
            for name, points, labels in (("points.csv", X, y), ("candidates.csv", given, of)):
                np.savetxt(file[name], np.column_stack((points, labels)), "%.17g", ",")
            for estimator, task in ((SSVC("ssvc-b"), "classify"), (SSVC("l1svm", candidates_y=of), "classify"),
                                    (SSVC("l0svm", candidates_y=of), "classify"), (SSVR("ssvr-b"), "regress")):
                subprocess.run([file["sparsekm"], "train", "--quiet", "--force", "--task", task, "--method", estimator.method,
                                "--gamma", "2", "--scale", "none", "--candidates", file["candidates.csv"], "--out",
                                file["model.skm"], file["points.csv"]], check=True)
                model = Model.from_bytes(pathlib.Path(file["model.skm"]).read_bytes())
                ours = estimator.set_params(gamma=2.0, candidates=given).fit(X, y)
                np.testing.assert_array_equal(ours.support_vectors_, model.vectors())
                np.testing.assert_array_equal(ours._model.decide(X, 1), model.decide(X, 1))

    def test_no_copy(self) -> None:
        X, y = ripley()
        seen = []
        original = _native.watched

        def watched(*a: Any, **k: Any) -> Any:
            seen.append(a[1]._obj.x)
            return original(*a, **k)

        with unittest.mock.patch("sparsekm._base.watched", watched):
            SSVC().fit(X, y)
            SSVR().fit(X, y)
        self.assertEqual(seen, [X.ctypes.data] * 2)

    def test_weights(self) -> None:
        X, y = ripley()
        twice = SSVC("ssvc-a", gamma=2.0).fit(np.r_[X, X[:50]], np.r_[y, y[:50]])
        weight = np.r_[np.full(50, 2.0), np.ones(200)]
        np.testing.assert_allclose(SSVC("ssvc-a", gamma=2.0).fit(X, y, weight).decision_function(X),
                                   twice.decision_function(X), atol=1e-9)
        heavy = SSVC("svc", class_weight={-1: 5.0, 1: 1.0}).fit(X, y)
        same = SSVC("svc", gamma=heavy.report_["kernel"]["gamma"]).fit(X, y, np.where(y < 0, 5.0, 1.0))
        np.testing.assert_array_equal(heavy.decision_function(X), same.decision_function(X))
        self.assertGreater((heavy.predict(X) < 0).mean(), (SSVC("svc").fit(X, y).predict(X) < 0).mean())
        self.assertEqual(SSVC("svc", class_weight="balanced").fit(X, y).support_.tolist(),
                         SSVC("svc").fit(X, y).support_.tolist())  # half of the points each

    def test_values(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        model = SSVR("pfsals", gamma=10.0, C=10, target_scale=True, params={"max_sv": 12}).fit(X, y)
        self.assertEqual(len(model.support_), 12)
        self.assertGreater(model.score(X, y), 0.45)
        self.assertGreater(SSVR(C=100, epsilon=20).fit(X, y).score(X, y), 0.3)

    def test_one_class(self) -> None:
        X = np.random.default_rng(1).normal(size=(300, 2))
        close = OneClassSVM(nu=0.1, tol=1e-9).fit(X)
        same = OneClass("one-class", nu=0.1, params={"tolerance": 1e-9}).fit(X)
        np.testing.assert_allclose(same.decision_function(X), close.decision_function(X), atol=1e-6)
        np.testing.assert_allclose(same.score_samples(X), close.score_samples(X), atol=1e-6)
        self.assertAlmostEqual(same.offset_, close.offset_[0], delta=1e-6)
        self.assertEqual(same.support_.tolist(), close.support_.tolist())
        few = OneClass(nu=0.1).fit(X)
        self.assertLessEqual(len(few.support_), 12)
        self.assertEqual(few.fit_predict(np.r_[X, [[9.0, 9.0]]])[-1], -1)
        np.testing.assert_array_equal(few.support_vectors_, np.r_[X, [[9.0, 9.0]]][few.support_])
        weight = np.r_[np.full(50, 2.0), np.zeros(50), np.ones(200)]
        repeated = OneClass(nu=0.1, gamma=0.5).fit(np.r_[X[:50], X[:50], X[100:]])
        np.testing.assert_array_equal(OneClass(nu=0.1, gamma=0.5).fit(X, None, weight).decision_function(X),
                                      repeated.decision_function(X))

    def test_classes(self) -> None:
        X, y = load_iris(return_X_y=True)
        words = np.array(["setosa", "versicolor", "virginica"])[y]
        for multiclass in ("ovr", "ovo", "pairwise-fuzzy"):
            model = SSVC("svc", multiclass=multiclass, probability=True).fit(X, words)
            scores = model.decision_function(X)
            self.assertEqual(scores.shape, (150, 3))
            np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        self.assertEqual(model._model.labels, ["setosa", "versicolor", "virginica"])
        self.assertEqual(SSVC().fit(X, y == 1).predict(X).dtype, bool)
        self.assertFalse(hasattr(SSVC().fit(X, y), "predict_proba"))
        self.assertTrue(hasattr(SSVC("rvm").fit(X, y), "predict_proba"))

    def test_length_scales(self) -> None:
        X, y = ripley()
        for name, kernel in (("matern12", Matern(0.7, nu=0.5)), ("matern32", Matern(0.7, nu=1.5)),
                             ("matern52", Matern(0.7, nu=2.5)), ("rational-quadratic", RationalQuadratic(0.7, 0.8))):
            ours = SSVC("svc", C=1.0, kernel=name, gamma=1 / (2 * 0.7 ** 2), alpha=0.8,
                        params={"tolerance": 1e-9}).fit(X, y)
            theirs = SVC(C=1.0, kernel=kernel, tol=1e-9).fit(X, y)
            np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
        with self.assertRaisesRegex(ValueError, "alpha: found 0"):
            SSVC("svc", kernel="rational-quadratic", alpha=0.0).fit(X, y)

    def test_precomputed(self) -> None:
        X, y = ripley()
        close = {"tolerance": 1e-9}
        plain = SSVC("svc", gamma=2.0, params=close).fit(X, y)
        given = SSVC("svc", kernel="precomputed", params=close).fit(rbf_kernel(X, gamma=2.0), y)
        self.assertEqual(given.support_.tolist(), plain.support_.tolist())
        some = rbf_kernel(X[:7], X, gamma=2.0)
        np.testing.assert_allclose(given.decision_function(some), plain.decision_function(X[:7]), atol=1e-6)
        search = GridSearchCV(SSVC("svc", kernel="precomputed"), {"C": [0.1, 1]}, cv=3)
        self.assertGreater(search.fit(rbf_kernel(X, gamma=2.0), y).best_score_, 0.8)


class Ecosystem(unittest.TestCase):
    def test_pickle_and_clone(self) -> None:
        X, y = load_iris(return_X_y=True)
        for model in (SSVC("svc", scale="zscore").fit(X, y), SSVR().fit(X, y), OneClass().fit(X), ReducedSVC(max_sv=9).fit(X, y)):
            for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
                self.assertEqual(again.report_, model.report_)
            with self.assertRaises(NotFittedError):
                clone(model).predict(X)

    def test_search_in_parallel(self) -> None:
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), SSVC("svc", params={"tolerance": 1e-3}))
        grid = {"ssvc__C": np.array([0.1, 1.0]), "ssvc__gamma": [0.01, "scale"]}
        one = GridSearchCV(pipe, grid, cv=3, n_jobs=1).fit(X, y)
        all_ = GridSearchCV(pipe, grid, cv=3, n_jobs=-1).fit(X, y)
        self.assertGreater(all_.best_score_, 0.95)
        self.assertEqual(one.cv_results_["mean_test_score"].tolist(), all_.cv_results_["mean_test_score"].tolist())
        self.assertEqual(list(all_.best_estimator_[-1].feature_names_in_), list(X.columns))

    def test_files(self) -> None:
        X, y = ripley()
        model = SSVC("ssvc-a", gamma=2.0).fit(X, y.astype(int))
        with tempfile.TemporaryDirectory() as folder:
            for name, start in (("m.skm", b"sparsekm"), ("m.json", b"{"), ("m.model", b"svm_type c_svc")):
                path = pathlib.Path(folder, name)
                model.save(path)
                self.assertTrue(path.read_bytes().startswith(start))
            with self.assertRaisesRegex(ValueError, "no such|directory"):
                model.save(pathlib.Path(folder, "none", "m.skm"))

    def test_progress(self) -> None:
        X, y = ripley()
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            SSVC(verbose=1).fit(X, y)
        self.assertRegex(out.getvalue(), r"\[sparsekm\] .*round 1")


class Refusals(unittest.TestCase):
    def test_parameters(self) -> None:
        X, y = ripley()
        for estimator, words in (
                (SSVC("magic"), "magic"), (SSVC(C=-1.0), "C is -1"), (SSVC("rvm", C=1.0), "no parameter C"), (SSVC(gamma="wide"), "wide"),
                (SSVC(params={"colour": 1}), "colour"), (SSVC("svr"), "svr"), (SSVC(n_jobs=0), "n_jobs"),
                (SSVC(kernel="tanh"), "tanh"), (SSVC(params={"max_iter": object()}), "object"),
                (ReducedSVC(max_loss=-1), "max_loss"), (ReducedSVC(max_sv=0), "max_sv")):
            with self.subTest(estimator=estimator), self.assertRaisesRegex((ValueError, TypeError), words):
                estimator.fit(X, y)
        with self.assertRaises(MemoryError):
            SSVC("lssvm", memory_limit=1000).fit(X, y)
        with self.assertRaisesRegex(TypeError, "StandardScaler"):
            ReducedSVC(FrozenEstimator(StandardScaler().fit(X))).fit(X, y)

    def test_limit(self) -> None:
        X, y = ripley()
        with self.assertWarnsRegex(ConvergenceWarning, "iteration limit"):
            SSVC("ssvc-b", params={"max_iter": 1}).fit(X, y)

    def test_interrupt(self) -> None:
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(6000, 20)), rng.integers(0, 2, 6000)  # minutes, if nobody stops it
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background ignores
        self.addCleanup(signal.signal, signal.SIGINT, before)
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            SSVC("l1svm", C=1e4).fit(X, y)
        self.assertGreater(SSVC().fit(*ripley()).score(*ripley()), 0.8)  # all is as it was

    def test_fork(self) -> None:
        X, y = ripley()
        model = SSVC().fit(X, y)
        for what in (lambda: model.predict(X), lambda: SSVC().fit(X, y), lambda: pickle.dumps(model)):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                try:
                    what()
                except RuntimeError as error:
                    os._exit(0 if "forked" in str(error) else 2)
                except BaseException:
                    os._exit(3)
                os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        code = ("import os, sparsekm\n"
                "if os.fork(): raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
                "assert sparsekm.SSVC('svc').fit([[0.0], [1.0]], [0, 1]).predict([[0.9]]) == [1]")
        subprocess.run([sys.executable, "-c", code], check=True, timeout=300)  # used in the child alone


class Messages(unittest.TestCase):
    def test_parameters_that_are_no_numbers(self) -> None:
        X, y = ripley()
        with self.assertRaisesRegex(ValueError, "infinite or not a number"):
            SSVC("svc", C=float("inf")).fit(X, y)
        with self.assertRaisesRegex(ValueError, "name of a kernel, or 'precomputed'"):
            SSVC("svc").set_params(kernel=np.dot).fit(X, y)

    def test_version(self) -> None:
        self.assertIsInstance(sparsekm.__version__, str)


class Coded(unittest.TestCase):
    """Features that are categories."""

    def samples(self, n: int = 400, seed: int = 1) -> Any:
        rng = np.random.default_rng(seed)
        code = rng.integers(0, 6, n)
        X = np.column_stack((rng.normal(size=n), 10 * code, rng.integers(0, 2, n)))
        y = np.where(np.isin(code, (1, 4)) ^ (X[:, 0] > 1), "a", "b")
        return X, y

    def test_classes(self) -> None:
        X, y = self.samples()
        Z, z = self.samples(seed=2)
        kind = SSVC("direct", params={"max_sv": 6}, categorical_features=[1, 2]).fit(X, y)
        self.assertGreater(kind.score(Z, z), 0.95)
        self.assertEqual(kind.support_vectors_.shape[1], 3)
        np.testing.assert_array_equal(kind.categories_[1], 10.0 * np.arange(6))
        self.assertEqual(kind.category_values_[1].shape, (6, 1))
        # The decision function is that of the values that stand for the categories.
        V = Z.copy()
        for k, values in kind.category_values_.items():
            V[:, k] = values[np.searchsorted(kind.categories_[k], Z[:, k]), 0]
        np.testing.assert_array_equal(kind.decision_function(Z), kind._model.decide(np.ascontiguousarray(V), 1)[:, 0])
        new = Z[:5].copy()
        new[:, 1] = 7
        V[:5, 1] = 0
        np.testing.assert_array_equal(kind.decision_function(new), kind._model.decide(np.ascontiguousarray(V[:5]), 1)[:, 0])
        again = pickle.loads(pickle.dumps(kind))
        np.testing.assert_array_equal(again.decision_function(Z), kind.decision_function(Z))
        np.testing.assert_array_equal(kind.predict(scipy.sparse.csr_matrix(Z)), kind.predict(Z))
        self.assertGreater(kind.score(Z, z), clone(kind).set_params(categorical_features=None).fit(X, y).score(Z, z))

    def test_named_masked_and_two_values(self) -> None:
        X, y = self.samples()
        one = SSVC("svc", categorical_features=[1, -1]).fit(X, y)
        mask = SSVC("svc", categorical_features=[False, True, True]).fit(X, y)
        np.testing.assert_array_equal(one.decision_function(X), mask.decision_function(X))
        import pandas

        frame = pandas.DataFrame(X, columns=["u", "v", "w"])
        named = SSVC("svc", categorical_features=["v", "w"]).fit(frame, y)
        np.testing.assert_array_equal(one.decision_function(X), named.decision_function(frame))
        two = SSVC("direct", params={"max_sv": 6}, categorical_features=[1, 2], category_values=2).fit(X, y)
        self.assertEqual((two.category_values_[1].shape, two.category_values_[2].shape), ((6, 2), (2, 1)))
        self.assertGreater(two.score(X, y), 0.95)
        X[:, 2] = 5  # one category
        self.assertGreater(SSVC("direct", categorical_features=[1, 2]).fit(X, y).score(X, y), 0.95)

    def test_values_and_candidates(self) -> None:
        X, y = self.samples()
        t = np.isin(X[:, 1], (10, 40)) + 0.1 * X[:, 0]
        model = SSVR("rvm", scale="zscore", categorical_features=[1, 2]).fit(X, t)
        mean, std = model.predict(X, return_std=True)
        self.assertGreater(model.score(X, t), 0.9)
        self.assertTrue((std > 0).all() and len(std) == len(X))
        over = SSVC("l1svm", categorical_features=[1], candidates=X[:30], candidates_y=y[:30]).fit(X, y)
        self.assertLessEqual(len(over.support_vectors_), 30)
        self.assertGreater(over.score(X, y), 0.8)
        weighted = SSVC("svc", categorical_features=[1]).fit(X, y, np.full(len(y), 2.0))
        self.assertGreater(weighted.score(X, y), 0.8)

    def test_refused(self) -> None:
        X, y = self.samples(60)
        for features, values, kernel, word in (([3], 1, "rbf", "found 3"), (["v"], 1, "rbf", "no feature 'v'"),
                                               ([True, False], 1, "rbf", "mask"), ([1], 3, "rbf", "1 or 2"),
                                               ([[1]], 1, "rbf", "a list"), ([0.5], 1, "rbf", "found 0.5"),
                                               ([1], 1, "precomputed", "its values")):
            with self.assertRaisesRegex(ValueError, word):
                SSVC("svc", kernel=kernel, categorical_features=features, category_values=values).fit(X, y)


class Reduced(unittest.TestCase):
    def test_models_of_scikit_learn(self) -> None:
        X, y = load_iris(return_X_y=True)
        for svc in (SVC(), SVC(kernel="linear"), SVC(kernel="poly", coef0=1.0, degree=2), SVC(kernel="sigmoid", gamma=0.01),
                    NuSVC(nu=0.2), SVC(decision_function_shape="ovo")):
            for points in (X, scipy.sparse.csr_matrix(X)):
                svc.set_params(decision_function_shape="ovo").fit(points, y)
                f = _reduced._model(svc).decide(X, 1)
                np.testing.assert_allclose(f, svc.decision_function(points), rtol=1e-10, atol=1e-10)
                two = clone(svc).fit(points[y < 2], y[y < 2])
                f = _reduced._model(two).decide(X, 1)
                np.testing.assert_allclose(f[:, 0], two.decision_function(points), rtol=1e-10, atol=1e-10)

    def test_smaller(self) -> None:
        X, y = ripley()
        svc = SVC(gamma=2.0).fit(X, y)
        small = ReducedSVC(FrozenEstimator(svc)).fit(X, y)
        self.assertLessEqual(len(small.support_vectors_), 0.15 * len(svc.support_))
        self.assertGreaterEqual(small.score(X, y), svc.score(X, y) - 0.005)
        self.assertGreaterEqual((small.predict(X) == svc.predict(X)).mean(), 0.995)
        self.assertEqual(small.report_["sv_before"], len(svc.support_))
        kept = ReducedSVC(SVC(gamma=2.0), max_sv=20, max_loss=None, move=False).fit(X, y)
        self.assertTrue(set(kept.support_) <= set(svc.support_))
        self.assertEqual(len(kept.support_), 20)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    """Add the examples of pages, in whose blocks an empty line ends what is printed."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for page in ("python/README.md", "docs/tutorials/svc.md"):
        text = re.sub(r"(?m)^```.*$", "", (root / page).read_text())
        examples = doctest.DocTestParser().get_doctest(text, {}, page, str(root / page), 0)
        tests.addTest(doctest.DocTestCase(examples, optionflags=doctest.ELLIPSIS))
    return tests


if __name__ == "__main__":
    unittest.main()
