"""The common base of the estimators."""

from __future__ import annotations

import copy
import inspect
import json
import os
import re
import warnings
from typing import Any, Callable, Iterator

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    _check_sample_weight, _check_y, check_array, check_consistent_length, check_is_fitted, validate_data,
)

from . import _table
from ._categories import Categories, chosen
from ._exports import Exports
from ._model import Model
from ._native import Matrix, watched
from ._progress import Teller, is_bar
from ._report import Report

_BLOCK = 1 << 19  # numbers of a sparse matrix that are dense at a time
_THIN = 0.15  # share of non-zero numbers from which samples are dense, as for files


class Machine(Exports, BaseEstimator):  # type: ignore[misc]
    """An estimator with a model of the library."""

    _model: Model
    _report: bytes
    _coded: Categories | None = None  # features that are categories
    _columns: str | None = None  # how a frame was read: "numbers" if all was numbers, else "auto"
    _direct = False  # whether the columns are the features
    _notes: dict[str, Any] = {}  # what was found in its columns
    _reading: _table.Reading | None = None  # during a fit
    _teller = Teller(None, 0)  # fit has one of its own
    n_jobs: int | None
    progress: Any
    classes_: Any
    n_features_in_: int
    feature_names_in_: Any

    @property
    def report_(self) -> Report:
        """The report of the fit: status, objective, certificate, iterations, seconds. It shows itself in notebooks."""
        return Report(json.loads(self._report))

    @property
    def columns_(self) -> dict[str, dict[str, Any]]:
        """What each column of a table is, by its name, or its number if it has none.

        Of a column its role ("number", "yes-no", "category", "date", "label" or "unused"), and what belongs to it:
        categories, the form in which numbers or dates are written, what fills a missing cell, and why it is left out.
        """
        about = json.loads(self._model_of().to_bytes("json")).get("columns") or []
        why = {note["column"]: note["why"] for note in self._notes.get("left_out", [])}
        found = {}
        for k, column in enumerate(about):
            name = column.pop("name", "") or str(k)
            found[name] = column | ({"why": why[name]} if name in why else {})
        return found

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the model for other programs, complete or not at all. Classes are written as their texts.

        Parameters
        ----------
        path : str or path
            A file, whose folder exists.
        format : str, optional
            "skm", "json" or "libsvm"; None is "skm" for ``.skm``, "json" for ``.json``, else "libsvm".
        """
        check_is_fitted(self)
        ending = os.path.splitext(os.fspath(path))[1]
        self._model.save(path, format or {".json": "json", ".skm": "skm"}.get(ending, "libsvm"))

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model."""
        return hasattr(self, "_model")

    def __sklearn_clone__(self) -> Any:
        """Return an estimator of the same parameters; a progress bar is not copied, but shared."""
        if not is_bar(self.progress):
            return super().__sklearn_clone__()
        plain = copy.copy(self)  # which leaves a bar out, as a pickle does
        return plain.__sklearn_clone__().set_params(progress=self.progress)

    def __getstate__(self) -> Any:
        """Return what a pickle keeps: all but progress, which belongs to its process."""
        return dict(super().__getstate__(), progress=None, _reading=None, _sparsekm_version=_version())

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a pickle of any version: parameters that came later have their defaults."""
        state = dict(state)
        found = state.pop("_sparsekm_version", "0")
        if _numbers(found) > _numbers(_version()):
            warnings.warn(f"this {type(self).__name__} was pickled by sparsekm {found}, and this is sparsekm {_version()}: "
                          "install the later version, or load a file of save", UserWarning, stacklevel=2)
        for name, parameter in inspect.signature(type(self)).parameters.items():
            state.setdefault(name, parameter.default)
        super().__setstate__(state)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._figures()

    def _repr_mimebundle_(self, **how: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**how)
        if "text/html" in bundle:
            bundle["text/html"] += self._figures()
        return bundle

    def _figures(self) -> str:
        """Return the report for a notebook, if there is one."""
        report = self.report_ if hasattr(self, "_report") else Report()
        return report._repr_html_() if report else ""

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn's tools ask for."""
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
        """Return the number of threads for n_jobs, as in joblib: None is 1, -1 all processors, -2 all but one."""
        jobs: int | None = self.n_jobs
        if jobs is None:
            return 1
        if jobs == 0:
            raise ValueError("n_jobs == 0 has no meaning")
        return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)

    def _keep(self, number: int, report: bytes, X: Any = None) -> None:
        """Take over the result of a training."""
        self._take(Model(number), report, X)

    def _take(self, model: Model, report: bytes, X: Any = None) -> None:
        """Take over a model; support vectors that are rows of sparse samples are sparse."""
        self._model, self._report = model, report
        parts = self._model.parts()
        self.support_ = parts.rows[parts.rows >= 0]
        if self._precomputed():
            self.support_vectors_ = np.empty((0, 0))
        elif scipy.sparse.issparse(X) and len(self.support_) == len(parts.rows):
            self.support_vectors_ = X[self.support_]
        else:
            self.support_vectors_ = self._model.vectors()
        self.dual_coef_, self.intercept_ = parts.coef, parts.bias

    def _blocks(self, X: Any, sparse: bool) -> Iterator[Any]:
        """Check the features of new samples, and yield them as dense blocks of rows.

        It is the matrix itself if that is dense, or if it may stay sparse and has few non-zero numbers.
        """
        if self._columns is not None:
            X = self._columns_of(X)
            if isinstance(X, _table.Frame):
                yield from self._read(X)
                return
        else:
            X = _validated(self, X, reset=False)
        if not scipy.sparse.issparse(X):
            yield self._features(X)
            return
        if sparse and thin(X) and self._coded is None:
            yield in_order(X)
            return
        rows = max(1, _BLOCK // X.shape[1])
        for at in range(0, X.shape[0], rows):
            block = np.ascontiguousarray(X[at:at + rows].toarray())
            yield self._features(block)

    def _columns_of(self, X: Any) -> Any:
        """Return samples for a model of a table: as a table, or as the features that the model makes of it."""
        frame, strict = _table.frame_of(X), self._columns == "numbers"
        if frame is not None and strict:
            if frame.names != list(getattr(self, "feature_names_in_", ())):
                validate_data(self, X, skip_check_array=True, reset=False)
            if not frame.plain or any(frame.names) and frame.names != list(getattr(self, "feature_names_in_", frame.names)):
                return frame
            X = check_array(frame.matrix(), ensure_all_finite="allow-nan", input_name="X")
            if not np.isnan(X).any() and self._direct:
                return X
        if frame is not None:
            return frame
        if self._direct:
            return _validated(self, X, reset=False)
        if not hasattr(X, "dtype") and np.asarray(X).dtype.kind not in "fiub":
            X = np.asarray(X, dtype=object)  # else numbers become words
        X = check_array(X, dtype=None, accept_sparse="csr", ensure_all_finite=False, input_name="X")
        if X.dtype.kind in "fiub" and X.shape[1] == self._model.info.features:
            return check_array(X, dtype=np.float64, order="C", accept_sparse="csr", input_name="X")
        X = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        return _table.frame_of_array(X, getattr(self, "feature_names_in_", None))

    def _read(self, frame: _table.Frame) -> Iterator[Any]:
        """Yield blocks of the rows of a table as the model takes them."""
        rows = max(1, _BLOCK // max(1, self._model.info.features))
        for at in range(0, max(1, frame.n), rows):
            x, about = _table.read(self._model, frame, at, min(at + rows, frame.n))
            if getattr(self, "verbose", 0) and (about["unknown"] or about["filled"]):
                print(f"[sparsekm] {about['unknown']} cells of new words count as none; missing cells filled: "
                      f"{about['filled']}")
            yield x

    def _features(self, X: Matrix) -> Matrix:
        """Return a block of rows as the model takes them."""
        if self._coded is not None:
            return self._coded.decoded(X)
        return numbered(X, False) if self._precomputed() else X

    def _each(self, ask: Callable[[Any, int], Any], X: Any, sparse: bool = True) -> Any:
        """Evaluate new samples; with sparse support vectors they may stay sparse if the evaluation allows it."""
        sparse = sparse and bool(self._model.info.sparse)
        answers = [ask(block, self._threads()) for block in self._blocks(X, sparse)]
        return answers[0] if len(answers) == 1 else np.concatenate(answers)


def _version() -> str:
    from . import __version__

    return __version__


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers with which a version begins."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(n) for n in found[0].split(".")) if found else ()


def checked(estimator: Any, X: Any, *y: Any, **how: Any) -> Any:
    """Check training samples, and return them as a row-major matrix, without a copy if they are one of float64.

    They stay sparse if few numbers are not 0. A frame is read as the command reads a table, unless all is numbers.
    """
    estimator._columns, estimator._direct, estimator._notes, estimator._reading = None, False, {}, None
    frame = None if getattr(estimator, "kernel", None) == "precomputed" else _table.frame_of(X)
    if frame is not None:
        return _checked_frame(estimator, frame, X, *y, **how)
    found = _validated(estimator, X, *y, **how)
    X = found[0] if y else found
    if scipy.sparse.issparse(X):
        precomputed = getattr(estimator, "kernel", None) == "precomputed"
        X = in_order(X) if thin(X) and not precomputed else dense(X)
    return (X, found[1]) if y else X


def _checked_frame(estimator: Any, frame: _table.Frame, X: Any, *y: Any, y_numeric: bool = False, **how: Any) -> Any:
    """Check a frame as checked does, and read it."""
    validate_data(estimator, X, skip_check_array=True)
    if all(frame.names) and not hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = np.array(frame.names, dtype=object)
    titles = list(getattr(estimator, "feature_names_in_", [""] * len(frame.columns)))
    given = getattr(estimator, "categorical_features", None)
    how_read = getattr(estimator, "columns", None)
    if how_read not in (None, "auto", "numbers"):
        raise ValueError(f"columns: found {how_read!r}, want auto or numbers")
    options: dict[str, Any] = {"columns": how_read or ("numbers" if frame.plain else "auto")}
    targets: dict[str, Any] = {}
    columns = list(y)
    if y:
        columns = [_check_y(y[0], y_numeric=y_numeric, estimator=estimator)]
        check_consistent_length(X, columns[0])
        if is_regressor(estimator):
            columns = [np.ascontiguousarray(columns[0], dtype=np.float64)]
            targets["values"] = columns[0]
        elif columns[0].dtype.kind in "OUSbiu" or len(np.unique(columns[0])) < len(columns[0]):
            classes, of = np.unique(columns[0], return_inverse=True)
            targets.update(y=np.ascontiguousarray(of, dtype=np.int64), labels=names(classes))
        label = getattr(y[0], "name", None)
        if isinstance(label, str) and label.strip() and label.strip() not in titles:
            options["label"] = label.strip()
    if frame.plain and how_read != "auto":
        X = check_array(frame.matrix(), ensure_all_finite="allow-nan", input_name="X", estimator=estimator, **how)
        if given is not None and how_read is None and not np.isnan(X).any():
            return (X, columns[0]) if y else X
        options["drop"] = [titles[k] or str(k) for k in np.flatnonzero(np.isnan(X).all(axis=0))]
    fixed = {k for k, c in enumerate(frame.columns) if c.fixed}
    if given is not None:
        fixed.update(chosen(given, len(titles), titles))
    options["categorical"] = [titles[k] or str(k) for k in sorted(fixed)]
    estimator._reading = _table.Reading(_table.Frame(titles, frame.columns, frame.n), options, **targets)
    estimator._columns, estimator._notes = str(options["columns"]), estimator._reading.about.get("notes", {})
    estimator._direct = not fixed and not options.get("drop") and estimator._columns == "numbers" and (
        estimator._reading.about["features"] == len(titles))
    if estimator._columns == "auto":
        estimator._reading.tell(titles)
    return (estimator._reading.rows(), columns[0]) if y else estimator._reading.rows()


def _validated(estimator: Any, X: Any, *y: Any, **how: Any) -> Any:
    """Check samples as scikit-learn does."""
    return validate_data(estimator, X, *y, dtype=np.float64, order="C", accept_sparse="csr", **how)


def thin(X: Any) -> bool:
    """Whether a sparse matrix has so few non-zero numbers that it stays sparse."""
    return bool(X.nnz < _THIN * X.shape[0] * X.shape[1])


def dense(X: Any) -> Matrix:
    """Return a matrix with all its zeros, row-major."""
    rows: Matrix = np.ascontiguousarray(X.toarray()) if scipy.sparse.issparse(X) else X
    return rows


def in_order(X: Any) -> Any:
    """Return a CSR matrix with each row's features once, ascending, and without zeros: itself if it is canonical."""
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def weights(sample_weight: Any, X: Matrix) -> Matrix | None:
    """Check sample weights."""
    if sample_weight is None:
        return None
    return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))


def distinct(X: Any, y: Matrix, weight: Matrix | None) -> tuple[Any, Matrix | None]:
    """Return the rows of distinct samples with the summed weights of their repetitions.

    So weights and repetitions are the same problem to the bit. It is None for the rows, and the weights unchanged, if no
    sample repeats another or has a weight.
    """
    if scipy.sparse.issparse(X):
        key, axis = _texts(X, y + 0.0), None
        different = len(set(key))
    else:
        key, axis = np.column_stack((X, y)) + 0.0, 0  # -0 is 0
        different = len(np.unique(key @ np.sqrt(np.arange(2.0, key.shape[1] + 2))))
    if weight is None and different == len(key):
        return None, None
    _, rows, of = np.unique(key, axis=axis, return_index=True, return_inverse=True)
    total = np.bincount(of.ravel(), weight, len(rows)).astype(np.float64)
    return rows[total > 0], np.ascontiguousarray(total[total > 0])


def _texts(X: Any, y: Matrix) -> Any:
    """Return bytes for each row of a sparse matrix and its target, the same for equal ones."""
    index, texts = X.indices.astype(np.int64), np.empty(X.shape[0], object)
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:])):
        texts[i] = index[a:b].tobytes() + X.data[a:b].tobytes() + y[i].tobytes()
    return texts


def numbered(X: Matrix, training: bool) -> Matrix:
    """Put serial numbers, as a precomputed kernel needs them, before the kernel values."""
    if training and X.shape[0] != X.shape[1]:
        raise ValueError(f"found a kernel matrix of shape {X.shape}, want a square one")
    out = np.zeros((X.shape[0], X.shape[1] + 1))
    out[:, 1:] = X
    if training:
        out[:, 0] = np.arange(1, len(X) + 1)
    return out


def agreeing(probabilities: Matrix, of: Any) -> Matrix:
    """Return probabilities of which that of the predicted class is the largest.

    Where it is not, it and the largest ones become their mean, which is the nearest such point.
    """
    for i in np.flatnonzero(probabilities.argmax(axis=1) != of):
        p, pool = probabilities[i], [of[i]]
        for j in np.argsort(-p):
            if p[j] <= p[pool].mean():
                break
            pool.append(j)
        p[pool] = p[pool].mean()
        p[of[i]] = np.nextafter(p[of[i]], 1)
    return probabilities


def kernel_options(estimator: Any, gamma: Callable[[], Any]) -> dict[str, Any]:
    """Return the kernel as options of the library; gamma returns its width if it has one."""
    kernel = estimator.kernel
    options = {"kernel": kernel}
    if kernel not in ("linear", "mahalanobis", "precomputed"):
        options["gamma"] = gamma()
    if kernel in ("poly", "sigmoid"):
        options["coef0"] = estimator.coef0
    if kernel == "poly":
        options["degree"] = estimator.degree
    if kernel == "rational-quadratic":
        options["alpha"] = estimator.alpha
    return options


def names(classes: Any) -> list[bytes]:
    """Return labels for classes: whole numbers without a fraction, as LIBSVM files need them."""
    texts = [str(int(c)) if isinstance(c, (float, np.floating)) and c == int(c) else str(c) for c in classes]
    if len(set(texts)) < len(texts) or "" in texts:
        texts = [str(i) for i in range(len(classes))]
    return [t.encode() for t in texts]


def run(name: str, *before: Any, options: dict[str, Any], teller: Teller, quiet: bool = False) -> tuple[int, bytes]:
    """Call skm_train or skm_reduce, without the options that are None."""
    given = {k: v for k, v in options.items() if v is not None}
    try:
        spec = json.dumps(given, default=_plain, allow_nan=False)
    except TypeError as error:
        raise ValueError(f"parameters: {error}") from None
    except ValueError:
        raise ValueError(f"parameters: found a number that is infinite or not a number, want finite ones: {given}") from None
    number, report = watched(name, *before, spec.encode(), show=teller if teller.asked else None)
    status = re.search(rb'"status":"([^"]*)"', report)
    told = quiet or teller.stopped or teller.raised is not None  # who stopped the fit knows why it ended
    if not told and status and status[1] not in (
        b"optimal", b"size reached", b"gap open", b"local optimum", b"fixed point",
    ):
        warnings.warn(f"the fit ended with: {status[1].decode()}", ConvergenceWarning, stacklevel=5)
    return number, report


def _plain(value: Any) -> Any:
    """Make NumPy numbers, as in parameter searches, JSON numbers."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if callable(value):
        raise TypeError(f"found {value!r}, want the name of a kernel, or 'precomputed' with the values of a function")
    raise TypeError(f"found {value!r}, want a number, a text or a list of numbers")

