"""scikit-learn's support vector machines, trained by this library: the same classes by the same names.

``from sparsekm.svm import SVC`` in place of ``from sklearn.svm import SVC`` changes nothing but the time. The classes
are subclasses of scikit-learn's and have its parameters, checks, messages and fitted attributes. Only what solves and
what evaluates is replaced. :class:`LinearSVC` and :class:`LinearSVR` are solved by scikit-learn's LIBLINEAR.

>>> from sklearn.datasets import load_iris
>>> from sparsekm.svm import SVC
>>> X, y = load_iris(return_X_y=True)
>>> svc = SVC().fit(X, y)
>>> svc.n_support_.tolist(), svc.dual_coef_.shape, svc.score(X, y)
([7, 29, 24], (2, 60), 0.9733333333333334)
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable

import numpy as np
import scipy.sparse
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ._base import agreeing, dense, in_order, names, thin
from ._estimators import SSVC, SSVR, _Trained
from ._exports import Exports
from ._model import Model
from ._native import Matrix
from ._outliers import OneClass

__all__ = ["LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"]

_HARD = 1e10  # stands for C=inf
_DEPRECATED = inspect.signature(sklearn.svm.SVC).parameters["probability"].default == "deprecated"
_KERNELS = ("rbf", "linear", "poly", "sigmoid")


def _number(least: float, most: float, open: bool = False) -> Callable[[Any], bool]:
    """Return a test for plain numbers from least to most, or above least."""
    return lambda v: type(v) in (float, int, np.float64) and least <= v <= most and not (open and v == least)


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda v: type(v) is int and least <= v <= most


def _flag(v: Any) -> bool:
    return type(v) is bool


_BIG = np.finfo(float).max
# Values that scikit-learn accepts and that need nothing of its fit but what _fit_plain does, by parameter.
_USUAL: dict[str, Callable[[Any], bool]] = {
    "kernel": lambda v: type(v) is str and v in _KERNELS,
    "gamma": lambda v: v in ("scale", "auto") if type(v) is str else _number(0, _BIG)(v),
    "degree": _whole(0, 2**31 - 1), "coef0": _number(-_BIG, _BIG), "tol": _number(0, _BIG, True),
    "C": _number(0, np.inf, True),
    "nu": _number(0, 1, True), "epsilon": _number(0, _BIG), "cache_size": _number(0, _BIG, True),
    "shrinking": _flag, "break_ties": _flag, "probability": lambda v: type(v) is bool or v == "deprecated",
    "class_weight": lambda v: v is None, "verbose": lambda v: type(v) in (bool, int) and v == 0,
    "max_iter": _whole(-1, 2**31 - 1), "random_state": lambda v: v is None or _whole(0, 2**32 - 1)(v),
    "decision_function_shape": lambda v: type(v) is str and v in ("ovr", "ovo"),
}


class _Solved(Exports):
    """Replaces the calls of LIBSVM in scikit-learn's base class, which _dense_... and _sparse_... are.

    What the library does not solve goes to LIBSVM: kernels that are constant (gamma or degree 0), a nu that leaves
    no margin, and weights that leave a class of three or more empty.
    """

    # What scikit-learn's classes have.
    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    tol: float
    C: float
    max_iter: int
    class_weight: Any
    class_weight_: Any
    classes_: Any
    probability: Any
    break_ties: bool
    decision_function_shape: str
    n_iter_: Any
    random_state: Any
    _parameter_constraints: dict[str, Any]
    shape_fit_: tuple[int, int]
    dual_coef_: Any
    _gamma: float
    _compute_kernel: Any
    _warn_from_fit_status: Any
    _full: Any
    _targets: Any

    _estimator: Any = None  # the full estimator; None if LIBSVM solved it
    _given: Any = None  # its coefficients as fit left them: others are those of the user, for LIBSVM

    def _model_of(self) -> Model:
        model: Model = self.to_sparsekm()._model
        return model

    def to_sparsekm(self) -> Any:
        """Return the fitted model as an estimator of this library, which saves and reduces.

        Returns
        -------
        SSVC, SSVR or OneClass
            It has the same model, and a report of the training.

        Raises
        ------
        ValueError
            If LIBSVM solved what the library does not.
        """
        check_is_fitted(self)
        if self._estimator is None:
            raise ValueError("LIBSVM solved this: the kernel is constant, nu leaves no margin, or a class is empty")
        if not hasattr(self._estimator, "support_"):
            self._estimator._take(self._estimator._model, self._estimator._report)
        if isinstance(self, OneClassSVM):
            self._estimator.offset_ = -float(self.intercept_[0])
        return self._estimator

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Train on samples, as scikit-learn's fit does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples; for "precomputed" the square matrix of their kernel values.
        y : array-like of shape (n_samples,), optional
            Classes or targets. OneClassSVM ignores them.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C; a sample of weight 0 or less is absent.

        Returns
        -------
        object
            The estimator itself.
        """
        self._estimator = None
        if sample_weight is not None or not (_plain(X) and self._usual() and self._fit_plain(X, y)):
            super().fit(X, y, sample_weight)  # type: ignore[misc]
        self._given = _stored(self)
        return self

    def _usual(self) -> bool:
        """Whether all parameters are values that scikit-learn accepts, without the time that its own checks take."""
        names = self._parameter_constraints
        return all(name in _USUAL and _USUAL[name](getattr(self, name)) for name in names)

    def _plain_targets(self, y: Any, n: int) -> Any:
        """Return what scikit-learn makes of the targets, None if only its own checks can say."""
        return None

    def _fit_plain(self, X: Matrix, y: Any) -> bool:
        """Train as the inherited fit does, on samples and parameters that it would not change; say whether that was so.

        Its checks take longer than training on some hundred samples.
        """
        y = self._plain_targets(y, len(X))
        if y is None:
            return False
        self._sparse, self.n_features_in_ = False, X.shape[1]
        vars(self).pop("feature_names_in_", None)
        if self.gamma == "scale":
            spread = X.var()
            self._gamma = 1.0 / (X.shape[1] * spread) if spread != 0 else 1.0
        else:
            self._gamma = 1.0 / X.shape[1] if self.gamma == "auto" else self.gamma
        if not self._solve(X, y, None, self.kernel):
            return False
        if self.random_state is None:
            np.random.randint(np.iinfo("i").max)  # as the inherited fit does, with the generator of all
        self.shape_fit_ = X.shape
        self._effective_probability = self.probability if self.probability != "deprecated" else False
        self._intercept_, self._dual_coef_ = self.intercept_.copy(), self.dual_coef_
        self._signed()
        return True

    def _signed(self) -> None:
        """Set what the inherited fit makes of the solution."""
        self.n_iter_ = self._num_iter.item()

    def _dense_fit(self, X: Any, y: Any, sample_weight: Any, *how: Any, **seed: Any) -> None:
        K = X
        if callable(self.kernel):
            self._BaseLibSVM__Xfit = X  # where the inherited _compute_kernel finds it
            K = self._compute_kernel(X)
            if K.ndim != 2 or K.shape[0] != K.shape[1]:
                raise ValueError("X.shape[0] should be equal to X.shape[1]")
        if not self._solve(K, y, self._costs(y, sample_weight), how[1]):
            super()._dense_fit(X, y, sample_weight, *how, **seed)  # type: ignore[misc]

    def _sparse_fit(self, X: Any, y: Any, sample_weight: Any, *how: Any, **seed: Any) -> None:
        X.sort_indices()
        if not self._solve(X, y, self._costs(y, sample_weight), how[1]):
            super()._sparse_fit(X, y, sample_weight, *how, **seed)  # type: ignore[misc]
        else:
            self.dual_coef_ = type(X)(self.dual_coef_) if self.dual_coef_.size else type(X)([[]])

    def _known(self, kernel: str, y: Any, weight: Matrix | None) -> bool:
        """Whether the library solves the problem."""
        wide = kernel in ("rbf", "poly", "sigmoid")
        return not (wide and self._gamma == 0 or kernel == "poly" and self.degree == 0)

    def _costs(self, y: Any, weight: Any) -> Matrix | None:
        """Return the factors of C, 0 for samples that are absent: those of weight 0 and less."""
        if weight.size == 0:
            return None
        if weight.ndim != 1:
            raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
        if not (weight > 0).any():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        factors: Matrix = np.maximum(weight, 0.0)
        return factors

    def _solve(self, X: Any, y: Any, weight: Matrix | None, kernel: str) -> bool:
        """Train, if the library solves the problem."""
        if not self._known(kernel, y, weight):
            return False
        model = self._full(kernel)
        model.n_features_in_ = X.shape[1]
        rows = X if not scipy.sparse.issparse(X) else in_order(X) if thin(X) else dense(X)
        try:
            more, targets = self._targets(model, y)
            model._train(rows, weight, {**more, "brief": True}, targets, bare=True)
        except ValueError as error:
            if "no model has this nu" in str(error):
                return False
            raise
        self._estimator = model
        self._about = model.report_
        reports = [m["report"] for m in self._about["submodels"]]
        steps = [max(1, r.get("inner_iterations") or r["iterations"]) for r in reports]
        self._num_iter = np.array(steps, dtype=np.int32)
        self._probA = self._probB = np.empty(0)
        self.fit_status_ = int((self._num_iter >= self.max_iter).any() if self.max_iter > 0 else False)
        self._warn_from_fit_status()
        if not self.fit_status_ and self._about["status"] != "optimal":
            warnings.warn(f"the fit ended with: {self._about['status']}", ConvergenceWarning, stacklevel=4)
        self._unpack(X, y, weight, model._model.parts())
        del self._about
        return True

    def _unpack(self, X: Any, y: Any, weight: Matrix | None, parts: Any) -> None:
        """Set the attributes of regression and novelty detection; a sample that repeats another shares its coefficient."""
        order = np.argsort(parts.rows)
        rows, coef = parts.rows[order], parts.coef[:, order]
        twins = _twins(X, y) if self._merges else None
        if twins is not None:
            cost = np.ones(len(y)) if weight is None else weight
            each = np.bincount(twins, _spread(rows, coef[0], len(y)))[twins]
            each *= cost / np.bincount(twins, cost)[twins].clip(np.finfo(float).tiny)
            rows = np.flatnonzero(each)
            coef = each[None, rows]
        self._place(X, rows, coef, np.array([len(rows), 0], dtype=np.int32), parts.bias)

    _merges = True  # whether the solver merges equal samples

    def _place(self, X: Any, rows: Any, coef: Matrix, counts: Any, bias: Matrix) -> None:
        self.support_, self._n_support = rows.astype(np.int32), counts
        self.dual_coef_, self.intercept_ = np.ascontiguousarray(coef), bias.copy()
        none = np.empty((0, 0)) if self.kernel == "precomputed" or callable(self.kernel) else None
        self.support_vectors_ = X[rows] if none is None else none

    def _altered(self) -> bool:
        """Whether someone else set the coefficients."""
        return self._estimator is None or any(not np.array_equal(a, b) for a, b in zip(self._given, _stored(self)))

    def _values(self, X: Any) -> Matrix:
        """Return decision values with LIBSVM's signs, a column for each submodel."""
        f: Matrix = self._ask(self._estimator._model.decide, X)
        return f

    def _ask(self, what: Any, X: Any) -> Any:
        """Evaluate samples that are checked."""
        if scipy.sparse.issparse(X):
            return self._estimator._each(what, X)
        return what(self._estimator._features(X), self._estimator._threads())

    def _validate_for_predict(self, X: Any) -> Any:
        known = self._estimator is not None and not self._sparse and self.kernel in _KERNELS and _plain(X)
        if known and X.shape[1] == self.n_features_in_ and "feature_names_in_" not in vars(self):
            if len(self.support_vectors_) == self._n_support.sum():
                return X
        return super()._validate_for_predict(X)  # type: ignore[misc]

    def _dense_decision_function(self, X: Any) -> Matrix:
        if self._altered():
            return super()._dense_decision_function(X)  # type: ignore[misc,no-any-return]
        return self._values(X)

    def _sparse_decision_function(self, X: Any) -> Matrix:
        if self._altered():
            return super()._sparse_decision_function(X)  # type: ignore[misc,no-any-return]
        return self._values(X)

    def _dense_predict(self, X: Any) -> Any:
        if self._altered():
            return super()._dense_predict(X)  # type: ignore[misc]
        X = self._compute_kernel(X)
        if X.ndim == 1:
            X = check_array(X, order="C", accept_large_sparse=False)
        if callable(self.kernel) and X.shape[1] != self.shape_fit_[0]:
            raise ValueError(f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, "
                             "the number of samples at training time")
        return self._answers(X)

    def _sparse_predict(self, X: Any) -> Any:
        return super()._sparse_predict(X) if self._altered() else self._answers(X)  # type: ignore[misc]

    def _answers(self, X: Any) -> Any:
        return self._values(X)[:, 0]

    def _options(self, kernel: str) -> dict[str, Any]:
        """Return the parameters that all estimators have."""
        params = {"tolerance": self.tol}
        if self.max_iter > 0:
            params["max_iter"] = self.max_iter
        gamma = self._gamma if kernel != "precomputed" else "scale"
        return {"kernel": kernel, "gamma": gamma, "degree": self.degree, "coef0": self.coef0, "params": params}

    def _cost(self) -> float:
        return _HARD if self.C == np.inf else self.C


class _Classifier(_Solved):
    """Pairs of classes, in LIBSVM's layout.

    Row j - 1 of the coefficients of class i is for the pair i, j, and row i of those of class j.
    """

    def _costs(self, y: Any, weight: Any) -> Matrix | None:
        cost = super()._costs(y, weight)
        if cost is not None and len(np.unique(y[cost > 0])) < 2:
            raise ValueError(self._one_class)
        if self._weighs and self.class_weight is not None:
            factors = np.maximum(self.class_weight_, 0.0)[y.astype(np.intp)]
            cost = factors if cost is None else factors * cost
        return cost

    _weighs = True  # whether classes have weights
    _one_class = "Invalid input - all samples with positive weights belong to the same class."

    def _known(self, kernel: str, y: Any, weight: Matrix | None) -> bool:
        every = weight is None or len(np.unique(y[weight > 0])) == len(self.classes_)
        return every and super()._known(kernel, y, weight)

    def _plain_targets(self, y: Any, n: int) -> Any:
        if type(y) is not np.ndarray or y.shape != (n,) or y.dtype.kind not in "biuf":
            return None
        classes, numbers = np.unique(y, return_inverse=True)
        whole = y.dtype.kind != "f" or _sums(classes) and not (classes % 1).any()
        if not whole or not 2 <= len(classes) <= 2 + n // 3:
            return None
        if self.probability != "deprecated" and _DEPRECATED:
            name = type(self).__name__
            warnings.warn(
                "The `probability` parameter was deprecated in 1.9 and will be removed in version 1.11. Use "
                f"`CalibratedClassifierCV({name}(), ensemble=False)` instead of `{name}(probability=True)`",
                FutureWarning, stacklevel=4)
        self.classes_, self.class_weight_ = classes, np.ones(len(classes))
        return numbers.astype(np.float64)

    def _signed(self) -> None:
        if len(self.classes_) == 2:
            self.intercept_, self.dual_coef_ = -self.intercept_, -self.dual_coef_
        self.n_iter_ = self._num_iter

    def _probable(self) -> bool:
        return self.probability is not False and self.probability != "deprecated"

    def _targets(self, model: Any, y: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        model.classes_ = self.classes_
        more = {"multiclass": "ovo", "calibrate": 5 if self._probable() else None}
        return more, {"y": np.ascontiguousarray(y, dtype=np.int64), "labels": names(self.classes_)}

    def _unpack(self, X: Any, y: Any, weight: Matrix | None, parts: Any) -> None:
        y, k = y.astype(np.intp), len(self.classes_)
        pairs = list(zip(*(side.tolist() for side in np.triu_indices(k, 1))))
        signs = np.where(parts.positive < parts.negative, 1.0, -1.0)
        assert [tuple(sorted(p)) for p in zip(parts.positive.tolist(), parts.negative.tolist())] == pairs
        rows, coef = parts.rows, parts.coef * signs[:, None]
        twins = _twins(X)
        if twins is not None:
            w = np.ones(len(y)) if weight is None else weight
            coef = np.array([_apart(twins, _spread(rows, a, len(y)), (y == i) * w * c, (y == j) * w * c)
                             for a, (i, j), c in zip(coef, pairs, self._pair_costs())])
            rows = np.flatnonzero(coef.any(axis=0))
            coef = coef[:, rows]
        order = np.lexsort((rows, y[rows]))
        rows, coef = rows[order], coef[:, order]
        counts = np.bincount(y[rows], minlength=k)
        end = counts.cumsum().tolist()
        mine = [slice(a, b) for a, b in zip([0] + end, end)]  # vectors of each class
        out = np.zeros((k - 1, len(rows)))
        for a, (i, j) in zip(coef, pairs):
            out[j - 1, mine[i]], out[i, mine[j]] = a[mine[i]], a[mine[j]]
        self._place(X, rows, out, counts.astype(np.int32), signs * parts.bias)
        self._signs = signs
        if self._probable():
            a, b = self._estimator._model.sigmoids()
            self._probA, self._probB = a, signs * b

    def _pair_costs(self) -> list[float]:
        """Return C of each pair; that of NuSVC is found by the solver."""
        figures = [m["report"]["figures"] for m in self._about["submodels"]]
        return [f.get("cost") or self._cost() for f in figures]

    def _values(self, X: Any) -> Matrix:
        return super()._values(X) * self._signs

    def _answers(self, X: Any) -> Any:
        """Return the classes with most votes, of equal ones the first."""
        return self._elected(self._values(X))

    def _elected(self, f: Matrix) -> Any:
        k = len(self.classes_)
        if k == 2:
            return (f[:, 0] <= 0).astype(np.intp)
        first, second = np.triu_indices(k, 1)
        change = np.zeros((len(first), k))
        change[np.arange(len(first)), first], change[np.arange(len(first)), second] = 1, -1
        # Votes without those that a class has where it wins as the second of a pair: whole numbers, so exact.
        votes = (f > 0).astype(np.float64) @ change + np.arange(k)
        return votes.argmax(axis=1)

    def _dense_predict_proba(self, X: Any) -> Matrix:
        return super()._dense_predict_proba(X) if self._altered() else self._chances(self._compute_kernel(X))  # type: ignore[misc]

    def _sparse_predict_proba(self, X: Any) -> Matrix:
        return super()._sparse_predict_proba(X) if self._altered() else self._chances(X)  # type: ignore[misc]

    def _chances(self, X: Any) -> Matrix:
        model = self._estimator._model
        if scipy.sparse.issparse(X):
            f, p = self._ask(model.decide, X), self._ask(model.probabilities, X)
        else:
            f, p = self._ask(model.both, X)
        f = f * self._signs
        if self.break_ties and self.decision_function_shape == "ovr" and len(self.classes_) > 2:
            of = sklearn.svm._base._ovr_decision_function(f < 0, -f, len(self.classes_)).argmax(axis=1)
        else:
            of = self._elected(f)
        return agreeing(p, of)


class _Regressor(_Solved):
    def _plain_targets(self, y: Any, n: int) -> Any:
        return y if type(y) is np.ndarray and y.dtype == np.float64 and y.shape == (n,) and _sums(y) else None

    def _targets(self, model: Any, y: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {"values": np.ascontiguousarray(y)}


class SVC(_Classifier, sklearn.svm.SVC):  # type: ignore[misc]
    """Classifier with scikit-learn's parameters and attributes, solved by this library.

    Parameters
    ----------
    C, kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose : optional
        As those of :class:`sklearn.svm.SVC`.
    max_iter, decision_function_shape, break_ties, random_state : optional
        As those of :class:`sklearn.svm.SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC().fit(X, y).n_support_.tolist()
    [7, 29, 24]
    """

    def _full(self, kernel: str) -> _Trained:
        return SSVC("svc", C=self._cost(), multiclass="ovo", probability=self._probable(), **self._options(kernel))


class NuSVC(_Classifier, sklearn.svm.NuSVC):  # type: ignore[misc]
    """Classifier with nu in place of C. It has class_weight and, as in scikit-learn, ignores it.

    Parameters
    ----------
    nu, kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, class_weight, verbose : optional
        As those of :class:`sklearn.svm.NuSVC`.
    max_iter, decision_function_shape, break_ties, random_state : optional
        As those of :class:`sklearn.svm.NuSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSVC(nu=0.3).fit(X, y).dual_coef_.shape[0]
    2
    """

    _weighs = False
    _one_class = "specified nu is infeasible: all samples with positive weights belong to the same class"

    def _full(self, kernel: str) -> _Trained:
        options = self._options(kernel)
        options["params"]["nu"] = self.nu
        return SSVC("nu-svc", multiclass="ovo", probability=self._probable(), **options)


class SVR(_Regressor, sklearn.svm.SVR):  # type: ignore[misc]
    """Regressor with scikit-learn's parameters and attributes, solved by this library.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, C, epsilon, shrinking, cache_size, verbose, max_iter : optional
        As those of :class:`sklearn.svm.SVR`.

    Examples
    --------
    >>> from sparsekm.svm import SVR
    >>> SVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[1.0]]).round(3)
    array([1.])
    """

    def _full(self, kernel: str) -> _Trained:
        return SSVR("svr", C=self._cost(), epsilon=self.epsilon, **self._options(kernel))


class NuSVR(_Regressor, sklearn.svm.NuSVR):  # type: ignore[misc]
    """Regressor with nu in place of epsilon, solved by this library.

    Parameters
    ----------
    nu, C, kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter : optional
        As those of :class:`sklearn.svm.NuSVR`.

    Examples
    --------
    >>> from sparsekm.svm import NuSVR
    >>> NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[1.0]]).round(1)
    array([1.])
    """

    def _full(self, kernel: str) -> _Trained:
        options = self._options(kernel)
        options["params"]["nu"] = self.nu
        return SSVR("nu-svr", C=self._cost(), **options)


class OneClassSVM(_Solved, sklearn.svm.OneClassSVM):  # type: ignore[misc]
    """Novelty detector with scikit-learn's parameters and attributes, solved by this library.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, nu, shrinking, cache_size, verbose, max_iter : optional
        As those of :class:`sklearn.svm.OneClassSVM`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsekm.svm import OneClassSVM
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> OneClassSVM(nu=0.1).fit(X).predict([[0.0, 0.0], [9.0, 9.0]]).tolist()
    [1, -1]
    """

    _merges = False

    def _full(self, kernel: str) -> _Trained:
        return OneClass("one-class", nu=self.nu, **self._options(kernel))

    def _targets(self, model: Any, y: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, {}

    def _answers(self, X: Any) -> Any:
        return np.where(self._values(X)[:, 0] > 0, 1, -1)


class LinearSVC(sklearn.svm.LinearSVC):  # type: ignore[misc]
    """LinearSVC of scikit-learn, solved by its LIBLINEAR.

    Parameters
    ----------
    penalty, loss, dual, tol, C, multi_class, fit_intercept, intercept_scaling, class_weight, verbose : optional
        As those of :class:`sklearn.svm.LinearSVC`.
    random_state, max_iter : optional
        As those of :class:`sklearn.svm.LinearSVC`.

    Examples
    --------
    >>> from sparsekm.svm import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0]], [3, 4]).predict([[0.9]]).tolist()
    [4]
    """


class LinearSVR(sklearn.svm.LinearSVR):  # type: ignore[misc]
    """LinearSVR of scikit-learn, solved by its LIBLINEAR.

    Parameters
    ----------
    epsilon, tol, C, loss, fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter : optional
        As those of :class:`sklearn.svm.LinearSVR`.

    Examples
    --------
    >>> from sparsekm.svm import LinearSVR
    >>> LinearSVR(C=100.0, random_state=1).fit([[0.0], [1.0]], [0.0, 1.0]).coef_.shape
    (1,)
    """


def _plain(X: Any) -> bool:
    """Whether samples pass scikit-learn's checks as they are: a row-major matrix of finite doubles."""
    plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size > 0
    return plain and X.flags.c_contiguous and _sums(X)


def _sums(x: Any) -> bool:
    """Whether numbers have a finite sum, as only finite ones can."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(x.sum()))


def _stored(svm: Any) -> list[Matrix]:
    """Return copies of the numbers that LIBSVM would evaluate."""
    coef = svm._dual_coef_
    return [np.array(coef.data if scipy.sparse.issparse(coef) else coef), svm._intercept_.copy()]


def _spread(rows: Any, coef: Matrix, n: int) -> Matrix:
    """Return the coefficients of all n samples."""
    out = np.zeros(n)
    out[rows] = coef
    return out


def _twins(X: Any, y: Any = None) -> Any:
    """Return numbers of samples, the same for equal ones (and targets, where they count); None if all differ."""
    if scipy.sparse.issparse(X):
        X = in_order(X)
    factors = np.sqrt(np.arange(2.0, X.shape[1] + 2))
    # Equal rows have equal sums to the bit, which a product of BLAS does not promise.
    mark = X @ factors if scipy.sparse.issparse(X) else (X * factors).sum(axis=1)
    if y is not None:
        mark = mark + np.sqrt(1.5) * y
    order = np.sort(mark)
    if (order[1:] != order[:-1]).all():
        return None
    of = np.unique(mark, return_inverse=True)[1]
    again = np.flatnonzero(np.bincount(of)[of] > 1)
    some = X[again].toarray() if scipy.sparse.issparse(X) else X[again]
    keys = some if y is None else np.column_stack((some, y[again]))
    _, same = np.unique(keys + 0.0, axis=0, return_inverse=True)  # -0 is 0
    of[again] = len(mark) + same.ravel()
    return np.unique(of, return_inverse=True)[1]


def _apart(twins: Any, coef: Matrix, up: Matrix, down: Matrix) -> Matrix:
    """Return the coefficients of the samples of one pair of classes from those of merged ones.

    up and down are the bounds of the two classes, 0 for other samples. The samples of a place, whose
    coefficient may be at any of them, share it by their bounds. Where samples of both classes meet, all of one of the
    classes are at their bound: of the class on the wrong side of the decision there, or of both if the place is within
    the margin.
    """
    net, most, least = (np.bincount(twins, a) for a in (coef, up, down))
    plus = np.where(net <= most - least, net + least, most)
    alone = np.bincount(twins) < 2
    scale = [np.divide(a, b, out=np.zeros_like(a), where=b > 0) for a, b in ((plus, most), (plus - net, least))]
    shared = up * scale[0][twins] - down * scale[1][twins]
    return np.where(alone[twins], coef, shared)
