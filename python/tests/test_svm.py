"""sparsekm.svm beside sklearn.svm, as an installed package: python test_svm.py."""

from __future__ import annotations

import copy
import doctest
import os
import pickle
import tempfile
import unittest
import warnings
from typing import Any

import numpy as np
import scipy.sparse
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import sparsekm
from sparsekm import _base, _files, svm

WEIGHTS = "a weight is not a repetition for gamma='scale', nu and folds, as in scikit-learn's classes"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}
IGNORED = {"check_class_weight_classifiers": "NuSVC ignores class_weight, as scikit-learn's does"}

TIGHT: dict[str, Any] = {"tol": 1e-8}


def scaled(X: Any) -> Any:
    return StandardScaler().fit_transform(X)


class Same(unittest.TestCase):
    """Both packages solve the same problem; at a small tolerance the answers are the same."""

    def same(self, name: str, X: Any, y: Any = None, weight: Any = None, **parameters: Any) -> Any:
        ours, theirs = (getattr(package, name)(**TIGHT, **parameters).fit(X, y, weight) for package in (svm, sklearn.svm))
        self.assertIsNotNone(ours._estimator)
        a, b = ours.decision_function(X) if hasattr(ours, "decision_function") else ours.predict(X), None
        b = theirs.decision_function(X) if hasattr(theirs, "decision_function") else theirs.predict(X)
        size = np.abs(b).max()
        np.testing.assert_allclose(a, b, atol=2e-4 * size)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4 * size)
        self.assertEqual((ours.n_support_.shape, ours.shape_fit_), (theirs.n_support_.shape, theirs.shape_fit_))
        for attribute in ("support_", "dual_coef_", "intercept_", "n_support_"):
            self.assertEqual(getattr(ours, attribute).dtype, getattr(theirs, attribute).dtype, attribute)
        if weight is not None:  # scikit-learn counts only samples with a weight
            theirs.support_ = np.flatnonzero(weight)[theirs.support_]
            np.testing.assert_array_equal((X[theirs.support_] != theirs.support_vectors_).sum(), 0)
        wide = [np.zeros((e.dual_coef_.shape[0], X.shape[0])) for e in (ours, theirs)]
        for out, e in zip(wide, (ours, theirs)):
            out[:, e.support_] = e.dual_coef_.toarray() if scipy.sparse.issparse(e.dual_coef_) else e.dual_coef_
        np.testing.assert_allclose(wide[0], wide[1], atol=1e-3 * np.abs(wide[1]).max())
        return ours, theirs

    def test_classes(self) -> None:
        X, y = load_iris(return_X_y=True)
        X = scaled(X)
        X += np.random.default_rng(1).normal(0, 1e-3, X.shape)
        weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
        for kernel in ("linear", "rbf", "poly"):
            for k in (2, 3):
                rows = y < k
                for w in (None, weight[rows]):
                    self.same("SVC", X[rows], y[rows], w, kernel=kernel, C=0.5, coef0=1.0, class_weight={1: 2.0})
                    self.same("SVC", X[rows], y[rows], w, kernel=kernel, C=0.5, coef0=1.0, decision_function_shape="ovo")
        thin = scipy.sparse.random(150, 40, density=0.1, format="csr", random_state=1)
        self.same("SVC", thin, y, gamma=0.5)
        self.same("NuSVC", X, y, nu=0.3)
        ours, theirs = self.same("SVC", rbf_kernel(X), y, kernel="precomputed")
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        self.same("SVC", X, y, kernel=rbf_kernel)

    def test_values(self) -> None:
        X, y = load_diabetes(return_X_y=True)
        X, y = scaled(X)[:200], (y[:200] - y.mean()) / y.std()
        weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
        for w in (None, weight):
            self.same("SVR", X, y, w, C=0.7, epsilon=0.2)
            self.same("SVR", X, y, w, C=0.7, kernel="linear")
        self.same("NuSVR", X, y, nu=0.4, C=0.7)
        self.same("OneClassSVM", X, nu=0.3)
        self.same("OneClassSVM", scipy.sparse.random(150, 40, density=0.1, format="csr", random_state=1), nu=0.3)

    def test_repeated_samples(self) -> None:
        """Equal samples share the coefficient of their place within their bounds, and those of both classes too."""
        X, y = make_blobs(60, centers=3, cluster_std=3.0, random_state=1)
        X = np.vstack((X, X[:25], X[:25]))
        y = np.concatenate((y, (y[:25] + 1) % 3, y[:25]))
        weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
        ours = svm.SVC(C=2.0, **TIGHT).fit(X, y, weight)
        theirs = sklearn.svm.SVC(C=2.0, **TIGHT).fit(X, y, weight)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
        self.assertTrue((np.abs(ours.dual_coef_) <= 2.0 * weight[ours.support_] * (1 + 1e-12)).all())
        # The coefficients themselves give the decision values, and keep each pair's balance.
        again = copy.deepcopy(theirs)
        again.support_, again.support_vectors_, again._n_support = ours.support_, ours.support_vectors_, ours._n_support
        again._dual_coef_, again._intercept_ = ours._dual_coef_, ours._intercept_
        np.testing.assert_allclose(again.decision_function(X), ours.decision_function(X), atol=1e-9)
        pairs = [(i, j) for i in range(3) for j in range(i + 1, 3)]
        for i, j in pairs:
            of = y[ours.support_]
            self.assertAlmostEqual(ours.dual_coef_[j - 1, of == i].sum() + ours.dual_coef_[i, of == j].sum(), 0)
        once = svm.NuSVC(nu=0.6, **TIGHT).fit(X, y)
        self.assertIsNotNone(once._estimator)
        full = rbf_kernel(X, once.support_vectors_, gamma=once._gamma)
        for at, (i, j) in enumerate(pairs):
            of = y[once.support_]
            a = np.where(of == i, once.dual_coef_[j - 1], np.where(of == j, once.dual_coef_[i], 0))
            np.testing.assert_allclose(full @ a + once.intercept_[at], once._decision_function(X)[:, at], atol=1e-9)
        t = np.round(X[:, 0])
        ours, theirs = (p.SVR(C=2.0, **TIGHT).fit(np.round(X), t, weight) for p in (svm, sklearn.svm))
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
        self.assertTrue((np.abs(ours.dual_coef_) <= 2.0 * weight[ours.support_] * (1 + 1e-12)).all())

    def test_libsvm(self) -> None:
        """What the library does not solve is as theirs."""
        X, y = load_iris(return_X_y=True)
        for parameters, weight in (({"gamma": 0.0}, None), ({"kernel": "poly", "degree": 0}, None), ({}, y != 1)):
            ours, theirs = (p.SVC(**parameters).fit(X, y, weight) for p in (svm, sklearn.svm))
            np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
            np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
            with self.assertRaisesRegex(ValueError, "LIBSVM solved this"):
                ours.to_sparsekm()


class DropIn(unittest.TestCase):
    def test_check_estimator(self) -> None:
        for estimator in (svm.SVC(), svm.SVC(probability=True), svm.NuSVC(), svm.NuSVC(probability=True), svm.SVR(),
                          svm.NuSVR(), svm.OneClassSVM(), svm.LinearSVC(), svm.LinearSVR()):
            expected = EXPECTED | (IGNORED if isinstance(estimator, svm.NuSVC) else {})
            with self.subTest(estimator), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None)
                self.assertEqual([r["check_name"] for r in results if r["status"] == "failed"], [])

    def test_probabilities(self) -> None:
        X, y = make_blobs(300, centers=5, cluster_std=4.0, random_state=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            for parameters in ({}, {"break_ties": True}):
                ours = svm.SVC(probability=True, **parameters).fit(X, y)
                p = ours.predict_proba(X)
                np.testing.assert_allclose(p.sum(axis=1), 1)
                np.testing.assert_array_equal(ours.classes_[p.argmax(axis=1)], ours.predict(X))
            two = svm.SVC(probability=True).fit(X[y < 2], y[y < 2])
            f = two.decision_function(X)
            a, b = two._probA[0], two._probB[0]
            want = 1 / (1 + np.exp(-a * f + b))  # LIBSVM's: of the first class, whose decision value is -f
            agree = (want > 0.5) == (two.predict(X) == 0)
            np.testing.assert_allclose(two.predict_proba(X)[agree, 0], want[agree], atol=1e-12)
            for few in (1, 2, 4):
                sizes = np.r_[np.flatnonzero(y == 0)[:few], np.flatnonzero(y == 1)[:10], np.flatnonzero(y == 2)[:few]]
                p = svm.SVC(probability=True).fit(X[sizes], y[sizes]).predict_proba(X)
                np.testing.assert_allclose(p.sum(axis=1), 1)

    def test_agreeing(self) -> None:
        p = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
        q = _base.agreeing(p.copy(), np.array([0, 0, 2]))
        np.testing.assert_array_equal(q.argmax(axis=1), [0, 0, 2])
        np.testing.assert_array_equal(q[0], p[0])
        np.testing.assert_allclose(q[1:], [[0.35, 0.35, 0.3], [0.45, 0.1, 0.45]])

    def test_copies_and_files(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        X = scaled(X)
        words = np.array(["no", "yes"])[y]
        with tempfile.TemporaryDirectory() as folder:
            for ours, target in ((svm.SVC(), words), (svm.SVC(), y), (svm.SVR(), y), (svm.OneClassSVM(), None)):
                ours.fit(X, target)
                full = ours.to_sparsekm()
                path = os.path.join(folder, "model.skm")
                sparsekm.save(ours, path)
                for other in (full, sparsekm.load(path), pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
                    np.testing.assert_array_equal(other.predict(X), ours.predict(X))
            full.save(path, "json")
            np.testing.assert_array_equal(sparsekm.load(path).decision_function(X), ours.decision_function(X))
            with self.assertRaises(ValueError):
                sparsekm.load(__file__)

    def test_patch(self) -> None:
        theirs = sklearn.svm.SVC
        sparsekm.patch_sklearn(["svc", "NuSVC"], verbose=False)
        self.assertIs(sklearn.svm.SVC, svm.SVC)
        self.assertFalse(issubclass(sklearn.svm.SVR, svm.SVR))
        sparsekm.unpatch_sklearn("NuSVC")
        self.assertIs(sklearn.svm.SVC, svm.SVC)
        sparsekm.unpatch_sklearn()
        self.assertIs(sklearn.svm.SVC, theirs)
        with self.assertRaisesRegex(ValueError, "found 'KMeans'"):
            sparsekm.patch_sklearn("KMeans")

    def test_examples(self) -> None:
        for module in (svm, _files):
            self.assertEqual(doctest.testmod(module).failed, 0)


if __name__ == "__main__":
    unittest.main()
