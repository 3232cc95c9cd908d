"""Estimators that train."""

from __future__ import annotations

import functools
import numbers
from ctypes import byref
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from ._base import Machine, agreeing, checked, dense, distinct, kernel_options, names, numbered, run, weights
from ._categories import Categories, chosen
from ._model import Model, Parts
from ._native import Matrix, Samples, methods, samples
from ._progress import telling


@functools.cache
def with_own_kernels() -> frozenset[str]:
    """Return the methods that choose their kernel themselves."""
    return frozenset(m["name"] for m in methods() if m["own_kernel"])


class _Trained(Machine):
    """An estimator whose parameters are the options of a training."""

    method: str
    gamma: float | str
    scale: str | None
    columns: str | None
    coverage: float | None
    coverage_folds: int
    candidates: Any
    params: dict[str, Any] | None
    time_limit: float | None
    memory_limit: int | None

    @property
    def status_(self) -> str:
        """Why the training stopped.

        "optimal", "local optimum", "fixed point", "size reached", "gap open", "cancelled", or a limit.
        """
        return str(self.report_["status"])

    @property
    def n_iter_(self) -> int:
        """Outer iterations, the largest number of any submodel; at least 1."""
        return max([1] + [int(m["report"]["iterations"]) for m in self.report_["submodels"]])

    def _train(self, X: Any, weight: Matrix | None, more: dict[str, Any], targets: dict[str, Any], bare: bool = False) -> None:
        """Train; bare leaves the warning about a fit that ended early, and the attributes of dense samples, to the caller."""
        parameters = self._parameters()
        for name, attribute in (("c", "C"), ("epsilon", "epsilon"), ("nu", "nu")):
            if getattr(self, attribute, None) is not None:
                parameters[name] = getattr(self, attribute)
        categories = self._categories(X)
        offered = self._candidates(parameters)
        reading, self._reading = self._reading, None
        options = dict(method=self.method, params=parameters, scale=self._scaling(), table=reading and reading.number,
                       time_limit=self.time_limit, memory=self.memory_limit, threads=self._threads(), **self._coverage(),
                       **categories, **more)
        if self.method not in with_own_kernels():
            options |= kernel_options(self, lambda: self._gamma(X, weight))
        if self._precomputed():
            X = numbered(X, True)
        if self._coded is not None:
            X = self._coded.ones(dense(X))
        p = samples(X, weight=weight, candidates=offered, **targets)
        number, report = run("skm_train", byref(p), options=options, teller=self._teller, quiet=bare)
        if bare and isinstance(X, np.ndarray):
            self._model, self._report = Model(number), report
            return
        self._keep(number, report, X)
        if self._coded is not None:
            self._coded.learned(self._model)

    def _scaling(self) -> str:
        """Return how features are scaled: without a word, those of a table as the command does."""
        return ("auto" if self._columns == "auto" else "none") if self.scale is None else self.scale

    def _parameters(self) -> dict[str, Any]:
        """Return a copy of params."""
        if self.params is not None and not isinstance(self.params, dict):
            raise ValueError(f"params: found {self.params!r}, want a dict")
        if "C" in (self.params or {}):
            raise ValueError("params: found C, which is a parameter of the estimator")
        return dict(self.params or {})

    @property
    def categories_(self) -> dict[int, Matrix]:
        """Categories of each feature of categorical_features, ascending, by the feature's number."""
        if self._columns is not None:
            return {k: np.array(c["categories"]) for k, c in enumerate(self.columns_.values()) if "values" in c}
        return {} if self._coded is None else self._coded.levels

    @property
    def category_values_(self) -> dict[int, Matrix]:
        """Learned values of each such feature, by its number: a row for each category."""
        if self._columns is not None:
            return {k: np.reshape(c["values"], (-1, len(c["categories"]))).T
                    for k, c in enumerate(self.columns_.values()) if "values" in c}
        return {} if self._coded is None else self._coded.values

    def _categories(self, X: Any) -> dict[str, Any]:
        """Find the categories of the samples, and return the options by which their values are learned."""
        self._coded = None
        given, values = getattr(self, "categorical_features", None), getattr(self, "category_values", 1)
        if given is None:
            return {}
        if values not in (1, 2):
            raise ValueError(f"category_values: found {values!r}, want 1 or 2")
        if self._precomputed():
            raise ValueError("categorical_features: the features of a precomputed kernel are its values")
        features = chosen(given, self.n_features_in_, getattr(self, "feature_names_in_", None))
        if not features:
            return {}
        if self._columns is not None:  # the table has them
            return {"categories": "learned" if values == 1 else "learned-2"}
        self._coded = Categories(dense(X), features)
        return {"categories": "learned" if values == 1 else "learned-2", "columns": self._coded.columns(X.shape[1])}

    def _coverage(self) -> dict[str, Any]:
        """Return the options of prediction sets, none without coverage."""
        by_class = bool(getattr(self, "by_class", False))
        if self.coverage is None:
            if by_class or self.coverage_folds:
                raise ValueError("by_class and coverage_folds: only prediction sets have them; want a coverage too")
            return {}
        if not 0 < self.coverage < 1:
            raise ValueError(f"coverage: found {self.coverage!r}, want a share between 0 and 1")
        return {"coverage": self.coverage, "by_class": by_class, "coverage_folds": int(self.coverage_folds)}

    def _candidates(self, parameters: dict[str, Any]) -> Samples | None:
        """Return the candidates that are given; how many are to be chosen becomes a parameter."""
        given, y = self.candidates, getattr(self, "candidates_y", None)
        if given is None or isinstance(given, numbers.Integral):
            if y is not None:
                raise ValueError("candidates_y: want the samples that they are the classes of as candidates")
            if given is not None:
                parameters["candidates"] = int(given)
            return None
        X = check_array(given, dtype=np.float64, order="C", accept_sparse="csr", input_name="candidates")
        X = dense(X) if self._coded is None else self._coded.ones(dense(X))
        if y is None:
            return samples(X)
        y = column_or_1d(y)
        check_consistent_length(X, y)
        unknown = y[~np.isin(y, self.classes_)]
        if len(unknown):
            raise ValueError(f"candidates_y: found {unknown[0]!s}, want classes of the training samples")
        kept, of = np.unique(np.searchsorted(self.classes_, y), return_inverse=True)
        labels = names(self.classes_)
        return samples(X, y=np.ascontiguousarray(of, dtype=np.int64), labels=[labels[k] for k in kept])

    def _gamma(self, X: Any, weight: Matrix | None) -> Any:
        """With weights, "scale" is that of samples repeated so many times."""
        if self.gamma != "scale" or weight is None or self._coded is not None or self._scaling() != "none" or not weight.sum() > 0:
            return self.gamma
        if scipy.sparse.issparse(X):
            each, total = np.repeat(weight, np.diff(X.indptr)), weight.sum() * X.shape[1]
            mean = each @ X.data / total
            variance = (each @ (X.data - mean) ** 2 + (total - each.sum()) * mean**2) / total
        else:
            mean = np.average(X, axis=0, weights=weight).mean()
            variance = np.average((X - mean) ** 2, axis=0, weights=weight).mean()
        return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def _calibrated(self: SSVC) -> bool:
    return bool(self._model.info.probabilities) if hasattr(self, "_model") else bool(self.probability)


class SSVC(ClassifierMixin, _Trained):  # type: ignore[misc]
    """Sparse support vector classifier.

    Parameters
    ----------
    method : str, default="ssvc-b"
        Any classification method, by its name in :func:`sparsekm.methods`: "ssvc-a", "ssvc-b", "direct", "svc",
        "lssvm-chol", "rvm", ...
    C : float, optional
        Cost of an error, for methods that have it; None is the method's own default, 1 for most.
    kernel : str, default="rbf"
        "rbf", "linear", "poly", "sigmoid", "laplacian", "matern12", "matern32", "matern52", "rational-quadratic",
        "spline", "mahalanobis" or "precomputed"; ignored by methods with a kernel of their own ("ssvc-features").
        Those of scikit-learn's Matern and RationalQuadratic have gamma = 1 / (2 * length_scale ** 2).
    gamma : float or str, default="scale"
        Width of the kernel: a number, "scale" (1 / (n_features * X.var())), "auto" (1 / n_features),
        "median" (1 / (2 * median distance squared)) or a number per feature, "10/d".
    degree : int, default=3
        Parameter of "poly".
    coef0 : float, default=0.0
        Parameter of "poly" and "sigmoid".
    alpha : float, default=1.0
        Parameter of "rational-quadratic".
    scale : str, optional
        "zscore", "minmax", "floored" or "auto" make scaling of the features part of the model. None is "auto" for a frame
        whose columns are read, else "none".
    columns : str, optional
        "auto" reads a frame as the command reads a file: words, dates, amounts and missing cells become features, ids and
        constants are left out. "numbers" takes all columns for numbers, and fills missing ones with medians. None is
        "numbers" for a frame of numbers alone, else "auto".
    multiclass : str, default="ovr"
        "ovr", "ovo" or "pairwise-fuzzy".
    class_weight : dict or "balanced", optional
        Factors of the sample weights, by class.
    probability : bool, default=False
        Fit probabilities by cross-validation of five folds.
    coverage : float, optional
        0.9, say: fit prediction sets that contain the class of this share of new samples, for predict_set. They are
        fitted to about a quarter of the samples, which the training does without.
    by_class : bool, default=False
        The sets contain this share of the samples of each class.
    coverage_folds : int, default=0
        With 2 or more, train on all samples and fit the sets by a cross-validation, whose coverage is not proven.
    refit : bool, default=False
        Fit the coefficients again if that is better (``--refit`` of the command).
    widths : str, optional
        "learned" gives each feature a weight in the kernel.
    categorical_features : array-like of int, bool or str, optional
        Features that are categories, by number, mask or name: each different number in them, such as an OrdinalEncoder
        gives, gets a learned value, which stands for it in support_vectors_. A new number has the value 0.
    category_values : int, default=1
        How many values each category gets, 1 or 2.
    candidates : int or array-like of shape (n_candidates, n_features), optional
        The only samples that may become support vectors, for methods with candidates ("ssvc-a", "ssvc-b", "l1svm", ...):
        a number of training samples, which the method chooses, or given samples, in the units of X.
    candidates_y : array-like of shape (n_candidates,), optional
        Their classes, for methods whose coefficients have the sign of the class ("l1svm", "l0svm", "skm").
    params : dict, optional
        Further parameters of the method, by name: ``{"max_sv": 10}``.
    time_limit : float, optional
        Seconds after which fit returns the best model so far, with a ConvergenceWarning.
    memory_limit : int, optional
        Memory budget of the training in bytes; None is 4 GiB. MemoryError if it is too small.
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
    classes_ : ndarray of shape (n_classes,)
        Ascending.
    support_ : ndarray of shape (n_vectors,)
        Rows of the training samples that are support vectors; empty for trained centres ("direct") and for given
        candidates.
    support_vectors_ : ndarray or sparse matrix of shape (n_vectors, n_features)
        In the units of X; sparse if the training samples stayed sparse.
    dual_coef_ : ndarray of shape (n_submodels, n_vectors)
        Coefficients of the vectors in each submodel.
    intercept_ : ndarray of shape (n_submodels,)
        Constant of each submodel.
    n_iter_ : int
        Outer iterations, the largest number of any submodel.
    status_ : str
        Why the training stopped: "optimal", "local optimum", "fixed point", "size reached", "gap open", "cancelled", or
        a limit.
    report_ : dict
        Report of the training: objective, certificate, rounds, seconds.
    categories_, category_values_ : dict
        Of each feature of categorical_features its categories and a row of values for each.
    columns_ : dict
        What each column of a frame is, by its name.
    n_features_in_ : int
        Features of the training, or columns of the frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if X was a frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm import SSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SSVC(C=10, scale="zscore").fit(X, y)
    >>> len(model.support_vectors_), round(model.score(X, y), 2)
    (14, 0.99)
    """

    def __init__(self, method: str = "ssvc-b", *, C: float | None = None, kernel: str = "rbf",
                 gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0, alpha: float = 1.0,
                 scale: str | None = None, columns: str | None = None,
                 multiclass: str = "ovr", class_weight: dict[Any, float] | str | None = None, probability: bool = False,
                 coverage: float | None = None, by_class: bool = False, coverage_folds: int = 0, refit: bool = False,
                 widths: str | None = None, categorical_features: Any = None, category_values: int = 1,
                 candidates: Any = None, candidates_y: Any = None, params: dict[str, Any] | None = None,
                 time_limit: float | None = None, memory_limit: int | None = None, n_jobs: int | None = None, verbose: int = 0, progress: Any = None) -> None:
        self.method = method
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.scale = scale
        self.columns = columns
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.probability = probability
        self.coverage = coverage
        self.by_class = by_class
        self.coverage_folds = coverage_folds
        self.refit = refit
        self.widths = widths
        self.categorical_features = categorical_features
        self.category_values = category_values
        self.candidates = candidates
        self.candidates_y = candidates_y
        self.params = params
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    @telling
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SSVC:
        """Train on samples with their classes.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples; a frame may have missing values, words and dates. For "precomputed" the square matrix of their
            kernel values.
        y : array-like of shape (n_samples,)
            Classes: numbers, texts or truth values.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0, factors of C; None is 1 for all. A sample of weight 0 is absent.

        Returns
        -------
        SSVC
            The estimator itself.
        """
        X, y = checked(self, X, y)
        check_classification_targets(y)
        weight = weights(sample_weight, X)
        self.classes_, of = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2 or weight is not None and len(np.unique(of[weight > 0])) < 2:
            raise ValueError("the samples are of one class; a classifier wants at least two")
        of = np.ascontiguousarray(of, dtype=np.int64)
        more: dict[str, Any] = {"multiclass": self.multiclass, "refit": bool(self.refit), "widths": self.widths}
        if self.probability:
            more["calibrate"] = 5
        self._train(X, self._class_weights(y, of, weight), more, {"y": of, "labels": names(self.classes_)})
        return self

    def _class_weights(self, y: Any, of: Any, weight: Matrix | None) -> Matrix | None:
        if self.class_weight is None:
            return weight
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        if not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(f"class_weight: found {self.class_weight!r}, want finite numbers >= 0")
        factors = factors[of]
        return np.ascontiguousarray(factors if weight is None else factors * weight, dtype=np.float64)

    def decision_function(self, X: Any) -> Matrix:
        """Return decision values: with two classes > 0 for the last one; with more the largest wins.

        With submodels for pairs, the value of a class is its votes plus a third of the sum of its decision values, mapped
        to (-1, 1), or, for "pairwise-fuzzy", the least of its decision values, at most 1.

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
        if len(self.classes_) > 2:
            return scores(self._model, self.multiclass, f)
        return f[:, 0]

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

    def predict_set(self, X: Any) -> Any:
        """Return prediction sets, which contain the class of the share ``coverage`` of new samples.

        A set without a class, or with all of them, is an answer too: the model does not know.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Whether each class of classes_ is in the set of each sample.

        Raises
        ------
        ValueError
            Without coverage.
        """
        return self._each(self._model_of().sets, X)

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probabilities of the classes, of which that of the predicted class is the largest.

        With probability=True, or for methods that have them: "rvm", "rvm-fast", "spc".

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Numbers from 0 to 1 that sum to 1, in the order of classes_.
        """
        probabilities: Matrix = self._each(self._model_of().probabilities, X)
        return agreeing(probabilities, self._each(self._model.predict, X))

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the natural logarithms of predict_proba.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Numbers up to 0; -inf for a probability of 0.
        """
        with np.errstate(divide="ignore"):
            logs: Matrix = np.log(self.predict_proba(X))
        return logs


def scores(model: Model, multiclass: str, f: Matrix) -> Matrix:
    """Return a score for each of more than two classes from the decision values of the submodels."""
    k = model.info.classes
    parts: Parts = model.parts()
    if (parts.negative < 0).all():
        return f[:, np.argsort(parts.positive)]
    pairs = list(zip(parts.positive, parts.negative))
    if multiclass == "pairwise-fuzzy":
        least = np.full((len(f), k), 1.0)
        for m, (p, n) in enumerate(pairs):
            least[:, p] = np.minimum(least[:, p], f[:, m])
            least[:, n] = np.minimum(least[:, n], -f[:, m])
        return least
    votes, sums = np.zeros((len(f), k)), np.zeros((len(f), k))
    for m, (p, n) in enumerate(pairs):
        votes[:, p] += f[:, m] > 0
        votes[:, n] += f[:, m] <= 0
        sums[:, p] += f[:, m]
        sums[:, n] -= f[:, m]
    total: Matrix = votes + sums / (3 * (np.abs(sums) + 1))
    return total


class SSVR(RegressorMixin, _Trained):  # type: ignore[misc]
    """Kernel machine for regression, with few vectors by the methods "pfsals", "lssvm-chol", "kmp" and "sggp".

    Parameters
    ----------
    method : str, default="svr"
        Any regression method: "svr", "nu-svr", "lssvm", "lssvm-chol", "pfsals", "kmp", "sggp", ...
    C : float, optional
        Cost of an error, for methods that have it; None is the method's own default, 1 for most.
    epsilon : float, optional
        Width of the tube of "svr", in units of y (of its standard deviation with target_scale).
    kernel, gamma, degree, coef0, alpha, scale, columns : optional
        As those of :class:`SSVC`.
    target_scale : bool, default=False
        Train on targets of mean 0 and standard deviation 1; predictions are in units of y.
    coverage : float, optional
        0.9, say: fit intervals that contain this share of new targets, for predict_interval; their width goes with the
        standard deviation of the methods that have one ("rvm", "rvm-fast").
    coverage_folds : int, default=0
        As that of :class:`SSVC`.
    categorical_features, category_values, candidates : optional
        As those of :class:`SSVC`.
    params, time_limit, memory_limit, n_jobs, verbose, progress : optional
        As those of :class:`SSVC`.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_, n_iter_, status_, report_, n_features_in_, feature_names_in_
        As those of :class:`SSVC`, with one submodel.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sparsekm import SSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SSVR("pfsals", target_scale=True, params={"max_sv": 10}).fit(X, y)
    >>> len(model.support_vectors_), round(model.score(X, y), 2)
    (10, 0.52)
    """

    def __init__(self, method: str = "svr", *, C: float | None = None, epsilon: float | None = None, kernel: str = "rbf",
                 gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0, alpha: float = 1.0,
                 scale: str | None = None, columns: str | None = None,
                 target_scale: bool = False, coverage: float | None = None, coverage_folds: int = 0,
                 categorical_features: Any = None, category_values: int = 1, candidates: Any = None,
                 params: dict[str, Any] | None = None, time_limit: float | None = None,
                 memory_limit: int | None = None, n_jobs: int | None = None, verbose: int = 0, progress: Any = None) -> None:
        self.method = method
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.scale = scale
        self.columns = columns
        self.target_scale = target_scale
        self.coverage = coverage
        self.coverage_folds = coverage_folds
        self.categorical_features = categorical_features
        self.category_values = category_values
        self.candidates = candidates
        self.params = params
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    @telling
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SSVR:
        """Train on samples with their targets.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples; a frame may have missing values, words and dates. For "precomputed" the square matrix of their
            kernel values.
        y : array-like of shape (n_samples,)
            Finite numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0, factors of C; None is 1 for all. A sample of weight 0 is absent.

        Returns
        -------
        SSVR
            The estimator itself.
        """
        X, y = checked(self, X, y, y_numeric=True)
        y = np.ascontiguousarray(y, dtype=np.float64)
        weight = weights(sample_weight, X)
        # Intervals count every sample, so equal ones stay apart.
        rows, merged = distinct(X, y, weight) if self.coverage is None else (None, weight)
        if rows is not None and not self._precomputed():
            X, y = X[rows], y[rows]
        else:
            rows = None
        self._train(X, merged, {"target_scale": bool(self.target_scale)}, {"values": y})
        if rows is not None:
            self.support_ = rows[self.support_]
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return predictions, and their standard deviations if asked.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".
        return_std : bool, default=False
            Return standard deviations too, by noise and coefficients.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
            Predictions in units of y, and with return_std standard deviations in units of y.

        Raises
        ------
        ValueError
            With return_std, for other methods than "rvm" and "rvm-fast".
        """
        model = self._model_of()
        mean = self._each(model.decide, X)[:, 0]
        return (mean, np.sqrt(self._each(model.variances, X, sparse=False))) if return_std else mean

    def predict_interval(self, X: Any) -> Matrix:
        """Return intervals, which contain the target of the share ``coverage`` of new samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order; kernel values for "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The lower and the upper end, in units of y.

        Raises
        ------
        ValueError
            Without coverage.
        """
        ends: Matrix = self._each(self._model_of().intervals, X)
        return ends
