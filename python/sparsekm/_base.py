"""What the estimators have in common."""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import warnings
from typing import Any, Callable, Iterator

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ._model import Model
from ._native import Matrix, Points, watched

_BLOCK = 1 << 19  # numbers of a sparse matrix that are dense at a time


class Machine(BaseEstimator):
    """Holds a model of the library's, and decides with it."""

    _model: Model
    _report: bytes

    @property
    def report_(self) -> dict[str, Any]:
        """What the library says of the fit: status, objective, certificate, iterations, seconds."""
        return json.loads(self._report)

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the model for other programs: "skm" (also for ``.skm``), "json" (``.json``) or "libsvm".

        Classes are written as their texts.
        """
        check_is_fitted(self)
        ending = os.path.splitext(os.fspath(path))[1]
        self._model.save(path, format or {".json": "json", ".skm": "skm"}.get(ending, "libsvm"))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _model_of(self) -> Model:
        check_is_fitted(self)
        return self._model

    def _precomputed(self) -> bool:
        return getattr(self, "kernel", None) == "precomputed"

    def _threads(self) -> int:
        """The workers that n_jobs asks for, as joblib has it: None is 1, -1 all processors, -2 all but one."""
        jobs = self.n_jobs  # type: ignore[attr-defined]
        if jobs is None:
            return 1
        if jobs == 0:
            raise ValueError("n_jobs == 0 has no meaning")
        return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)

    def _keep(self, number: int, report: bytes) -> None:
        """Take over what a call has made."""
        self._model, self._report = Model(number), report
        parts = self._model.parts()
        self.support_ = parts.rows[parts.rows >= 0]
        self.support_vectors_ = parts.vectors if not self._precomputed() else np.empty((0, 0))
        self.dual_coef_, self.intercept_ = parts.coef, parts.bias

    def _blocks(self, X: Any) -> Iterator[Matrix]:
        """Check the features of new points, and yield them as dense blocks of rows: the matrix itself if it is one."""
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
        if not scipy.sparse.issparse(X):
            yield numbered(X, False) if self._precomputed() else X
            return
        rows = max(1, _BLOCK // X.shape[1])
        for at in range(0, X.shape[0], rows):
            block = np.ascontiguousarray(X[at:at + rows].toarray())
            yield numbered(block, False) if self._precomputed() else block

    def _each(self, ask: Callable[[Matrix, int], Any], X: Any) -> Any:
        answers = [ask(block, self._threads()) for block in self._blocks(X)]
        return answers[0] if len(answers) == 1 else np.concatenate(answers)


def checked(estimator: Any, X: Any, y: Any, **how: Any) -> tuple[Matrix, Any]:
    """Check training points, and return them as a row-major matrix: without a copy if they are one of float64."""
    X, y = validate_data(estimator, X, y, dtype=np.float64, order="C", accept_sparse="csr", **how)
    return np.ascontiguousarray(X.toarray()) if scipy.sparse.issparse(X) else X, y


def weights(sample_weight: Any, X: Matrix) -> Matrix | None:
    """Check the weights of points."""
    if sample_weight is None:
        return None
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))


def distinct(X: Matrix, y: Matrix, weight: Matrix | None) -> tuple[Any, Matrix | None]:
    """Return rows of different points with the weights of all that equal them, so that weights and repetitions are the
    same problem to the bit; None for the rows, and the weights as they are, where no point repeats another or has a
    weight."""
    key = np.column_stack((X, y)) + 0.0  # -0 is 0
    if weight is None and len(np.unique(key @ np.sqrt(np.arange(2.0, key.shape[1] + 2)))) == len(key):
        return None, None
    _, rows, of = np.unique(key, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(of.ravel(), weight, len(rows)).astype(np.float64)
    return rows[total > 0], np.ascontiguousarray(total[total > 0])


def numbered(X: Matrix, training: bool) -> Matrix:
    """Put the serial numbers that points of a precomputed kernel have in front of their kernel values."""
    if training and X.shape[0] != X.shape[1]:
        raise ValueError(f"found a kernel matrix of shape {X.shape}, want a square one")
    out = np.zeros((X.shape[0], X.shape[1] + 1))
    out[:, 1:] = X
    if training:
        out[:, 0] = np.arange(1, len(X) + 1)
    return out


def kernel_options(estimator: Any, gamma: Callable[[], Any]) -> dict[str, Any]:
    """Return the kernel as options of the library's, with what gamma returns if the kernel has one."""
    kernel = estimator.kernel
    options = {"kernel": kernel}
    if kernel in ("rbf", "laplacian", "poly", "sigmoid"):
        options["gamma"] = gamma()
    if kernel in ("poly", "sigmoid"):
        options["coef0"] = estimator.coef0
    if kernel == "poly":
        options["degree"] = estimator.degree
    return options


def points(X: Matrix, *, y: Any = None, labels: list[bytes] | None = None, values: Any = None,
           weight: Any = None) -> Points:
    """Return skm_points, which keeps what it points at."""
    p = Points(x=X.ctypes.data, n=X.shape[0], d=X.shape[1])
    p.kept = X, y, values, weight
    if labels is not None:
        p.y, p.classes, p.labels = y.ctypes.data, len(labels), (ctypes.c_char_p * len(labels))(*labels)
    if values is not None:
        p.values = values.ctypes.data
    if weight is not None:
        p.weight = weight.ctypes.data
    return p


def names(classes: Any) -> list[bytes]:
    """Return texts for classes: whole numbers as such, so that LIBSVM's files can have them."""
    texts = [str(int(c)) if isinstance(c, (float, np.floating)) and c == int(c) else str(c) for c in classes]
    if len(set(texts)) < len(texts) or "" in texts:
        texts = [str(i) for i in range(len(classes))]
    return [t.encode() for t in texts]


def run(name: str, *before: Any, options: dict[str, Any], verbose: int) -> tuple[int, bytes]:
    """Call skm_train or skm_reduce. Options that are None are left to the library."""
    given = {k: v for k, v in options.items() if v is not None}
    try:
        spec = json.dumps(given, default=_plain)
    except TypeError as error:
        raise ValueError(f"parameters: {error}") from None
    number, report = watched(name, *before, spec.encode(), show=_show if verbose else None)
    status = re.search(rb'"status":"([^"]*)"', report)
    if status and status[1] not in (b"optimal", b"size reached"):
        warnings.warn(f"the fit ended with: {status[1].decode()}", ConvergenceWarning, stacklevel=3)
    return number, report


def _plain(value: Any) -> Any:
    """Numbers of NumPy, as parameter searches have them, are numbers."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"found {value!r}, want a number, a text or a list of numbers")


def _show(done: float, message: str) -> None:
    share = "" if done < 0 else f"{100 * done:3.0f} % "
    print(f"[sparsekm] {share}{message}", file=sys.stdout, flush=True)
