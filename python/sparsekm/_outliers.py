"""The estimator for novelty detection."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from ._base import checked, distinct, weights
from ._estimators import _Trained
from ._native import Matrix
from ._progress import telling


class OneClass(OutlierMixin, _Trained):  # type: ignore[misc]
    """One-class kernel machine with few vectors, for novelty detection.

    Parameters
    ----------
    method : str, default="sparse-one-class"
        Any method that learns one class: "sparse-one-class" or "one-class", which is that of scikit-learn's OneClassSVM.
    nu : float, default=0.5
        Share of outliers among the training samples.
    kernel, gamma, degree, coef0, alpha, scale, columns : optional
        As those of :class:`SSVC`.
    coverage : float, optional
        0.9, say: find the least decision value that this share of new samples like those of the training exceeds, for
        predict_set.
    coverage_folds : int, default=0
        As that of :class:`SSVC`.
    candidates : optional
        As that of :class:`SSVC`.
    params, time_limit, memory_limit, n_jobs, verbose, progress : optional
        As those of :class:`SSVC`.

    Attributes
    ----------
    offset_ : float
        decision_function is score_samples less this.
    support_, support_vectors_, dual_coef_, intercept_, n_iter_, status_, report_, n_features_in_, feature_names_in_
        As those of :class:`SSVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsekm import OneClass
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> model = OneClass(nu=0.1).fit(X)
    >>> len(model.support_vectors_) <= 12, bool(0.87 < (model.predict(X) > 0).mean() < 0.93)
    (True, True)
    """

    def __init__(self, method: str = "sparse-one-class", *, nu: float = 0.5, kernel: str = "rbf",
                 gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0, alpha: float = 1.0,
                 scale: str | None = None, columns: str | None = None,
                 coverage: float | None = None, coverage_folds: int = 0, candidates: Any = None,
                 params: dict[str, Any] | None = None, time_limit: float | None = None,
                 memory_limit: int | None = None, n_jobs: int | None = None, verbose: int = 0,
                 progress: Any = None) -> None:
        self.method = method
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.scale = scale
        self.columns = columns
        self.coverage = coverage
        self.coverage_folds = coverage_folds
        self.candidates = candidates
        self.params = params
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    @telling
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClass:
        """Train on samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples; a frame may have missing values, words and dates. For "precomputed" the square matrix of their
            kernel values.
        y : object, optional
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; None is 1 for all. A sample of weight 0 is absent.

        Returns
        -------
        OneClass
            The estimator itself.
        """
        X = checked(self, X)
        weight, rows = weights(sample_weight, X), None
        if not self._precomputed() and self.coverage is None:  # prediction sets count every sample
            rows, weight = distinct(X, np.empty((X.shape[0], 0)), weight)
        self._train(X if rows is None else X[rows], weight, {}, {})
        if rows is not None:
            self.support_ = rows[self.support_]
        self.offset_ = -float(self.intercept_[0])
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Return decision values: >= 0 for inliers.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples,)
            The kernel expansion plus intercept_.
        """
        f: Matrix = self._each(self._model_of().decide, X)
        return f[:, 0]

    def score_samples(self, X: Any) -> Matrix:
        """Return decision_function plus offset_.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples,)
            The kernel expansion alone.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """Return 1 for inliers and -1 for outliers.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of int of shape (n_samples,)
            1 or -1.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def predict_set(self, X: Any) -> Any:
        """Return whether each sample is in the set that contains the share ``coverage`` of new samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Whether the sample is inside.

        Raises
        ------
        ValueError
            Without coverage.
        """
        return self._each(self._model_of().sets, X)[:, 1]
