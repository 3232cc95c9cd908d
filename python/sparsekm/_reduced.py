"""The estimator that shrinks another one's model."""

from __future__ import annotations

import json
from ctypes import byref
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC, NuSVC
from sklearn.utils.multiclass import check_classification_targets

from ._base import Machine, checked, dense, names, run
from ._estimators import SSVC, scores
from ._model import Model
from ._native import Matrix, samples
from ._progress import telling


class ReducedSVC(ClassifierMixin, MetaEstimatorMixin, Machine):  # type: ignore[misc]
    """A classifier that reproduces another one with far fewer support vectors.

    For the "rbf" kernel it trains new centres on the decision values of the given classifier; for other kernels it
    removes vectors.

    Parameters
    ----------
    estimator : SVC, NuSVC or SSVC, optional
        Trained first; wrapped in :class:`sklearn.frozen.FrozenEstimator` it is taken as it was fitted. None is ``SVC()``.
    max_sv : int, optional
        At most so many vectors.
    max_loss : float, optional, default=0.5
        Percentage of the samples of fit that may change their class, which bounds the increase of the error on them.
        None without max_sv: the mean hinge loss may grow by 0.025 (Kobayashi and Otsu 2009), and vectors are removed.
    move : bool, optional
        False removes vectors; None trains new centres if the kernel allows it.
    time_limit : float, optional
        Seconds for the reduction.
    n_jobs : int, optional
        Threads; None is 1, -1 all processors. The result does not depend on it.
    verbose : int, default=0
        1 prints the progress.
    progress : function, class or object, optional
        Told of the progress. A function takes the share that is done, from 0 to 1 or None if unknown, and a text. If it
        returns True, the fit ends with the model so far, and so it does if it raises, which fit raises again. A class
        like ``tqdm.auto.tqdm`` makes a bar; a bar that exists is advanced to its total and not closed.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier that was shrunk.
    classes_ : ndarray of shape (n_classes,)
        Ascending.
    support_vectors_, dual_coef_, intercept_ : ndarray
        As in :class:`SSVC`.
    report_ : dict
        Support vectors before and after, and for every size the share of the samples whose class changes, as an error.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from sparsekm import ReducedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> small = ReducedSVC(SVC(), max_sv=9).fit(X, y)
    >>> small.report_["sv_before"], len(small.support_vectors_), round(small.score(X, y), 2)
    (60, 3, 0.97)
    """

    def __init__(self, estimator: Any = None, *, max_sv: int | None = None, max_loss: float | None = 0.5,
                 move: bool | None = None, time_limit: float | None = None, n_jobs: int | None = None,
                 verbose: int = 0, progress: Any = None) -> None:
        self.estimator = estimator
        self.max_sv = max_sv
        self.max_loss = max_loss
        self.move = move
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    @telling
    def fit(self, X: Any, y: Any) -> ReducedSVC:
        """Train the estimator, unless it is frozen, and shrink it on the same samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples; a frame may have missing values, words and dates.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        ReducedSVC
            The estimator itself.
        """
        given_X = X
        X, y = checked(self, X, y)
        X = dense(X)
        check_classification_targets(y)
        reading, self._reading = self._reading, None
        self.estimator_ = clone(SVC() if self.estimator is None else self.estimator)
        given = self.estimator_.estimator if isinstance(self.estimator_, FrozenEstimator) else self.estimator_
        own = isinstance(given, SSVC) and reading is not None  # which reads tables itself
        self.estimator_.fit(given_X if own else X, y)
        full = _model(given)
        if own and given._columns is not None:
            X = np.concatenate(list(given._blocks(given_X, False)))
            self._columns, self._direct, self._notes, reading = given._columns, given._direct, given._notes, None
        if full.info.features != X.shape[1]:
            raise ValueError(f"found {X.shape[1]} features, but the estimator has {full.info.features}")
        self.classes_ = given.classes_
        of = np.searchsorted(self.classes_, y)
        if (self.classes_[np.minimum(of, len(self.classes_) - 1)] != y).any():
            raise ValueError("y has classes that the estimator does not have")
        # The error on y says little where the given classifier is wrong: samples that change both ways cancel.
        of = np.searchsorted(self.classes_, given.predict(given_X if own else X))
        p = samples(X, y=np.ascontiguousarray(of, dtype=np.int64), labels=names(self.classes_))
        options = dict(table=reading and reading.number, max_sv=self.max_sv, max_loss=self.max_loss, move=self.move, time_limit=self.time_limit,
                       threads=self._threads())
        self._scheme = getattr(given, "multiclass", "ovo")
        self._keep(*run("skm_reduce", full._number, byref(p), options=options, teller=self._teller))
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Return decision values, as :meth:`SSVC.decision_function` does.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number a sample for two classes, else a column a class.
        """
        f: Matrix = self._each(self._model_of().decide, X)
        return f[:, 0] if len(self.classes_) == 2 else scores(self._model, self._scheme, f)

    def predict(self, X: Any) -> Any:
        """Return the classes of samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples,)
            Elements of classes_.
        """
        of = self._each(self._model_of().predict, X)
        return self.classes_[of]


def _model(estimator: Any) -> Model:
    """Return the model of a fitted classifier."""
    if isinstance(estimator, SSVC):
        return estimator._model_of()
    if not isinstance(estimator, (SVC, NuSVC)):
        raise TypeError(f"estimator: found {type(estimator).__name__}, want SVC, NuSVC or SSVC")
    return Model.from_bytes(json.dumps(_svc(estimator)).encode())


def _svc(svc: Any) -> dict[str, Any]:
    """Return a fitted SVC in the JSON form of a model (docs/model.schema.json).

    scikit-learn has the coefficients of LIBSVM: of vector s of class i those for the pairs with the other classes in
    their order. Two classes have the sign of the second one, more that of the first of each pair.
    """
    if svc.kernel not in ("rbf", "linear", "poly", "sigmoid"):
        raise ValueError(f"estimator: found the kernel {svc.kernel!r}, want rbf, linear, poly or sigmoid")
    vectors, coef = dense(svc.support_vectors_), dense(svc.dual_coef_)
    k, classes = len(svc.classes_), np.repeat(np.arange(len(svc.classes_)), svc.n_support_)
    if k == 2:
        submodels = [_submodel(1, 0, np.arange(len(vectors)), coef[0], svc.intercept_[0])]
    else:
        submodels = []
        for i in range(k):
            for j in range(i + 1, k):
                mine, theirs = np.flatnonzero(classes == i), np.flatnonzero(classes == j)
                submodels.append(_submodel(i, j, np.r_[mine, theirs], np.r_[coef[j - 1, mine], coef[i, theirs]],
                                         svc.intercept_[len(submodels)]))
    model = {
        "format": "sparsekm", "version": 13, "method": "svc", "params": None, "n_features_in": int(svc.n_features_in_),
        "n_features_known": True, "kernel": svc.kernel, "classes": [n.decode() for n in names(svc.classes_)],
        "decision_function_shape": "binary" if k == 2 else "ovo", "submodels": submodels,
        "support_vectors": vectors.tolist(), "support": svc.support_.tolist(),
    }
    if svc.kernel != "linear":
        model["gamma"] = float(svc._gamma)
    if svc.kernel in ("poly", "sigmoid"):
        model["coef0"] = float(svc.coef0)
    if svc.kernel == "poly":
        model["degree"] = int(svc.degree)
    return model


def _submodel(positive: int, negative: int, vectors: Any, coef: Any, intercept: float) -> dict[str, Any]:
    used = coef != 0
    return {"positive": positive, "negative": negative, "vectors": vectors[used].tolist(),
            "dual_coef": coef[used].tolist(), "intercept": float(intercept)}
