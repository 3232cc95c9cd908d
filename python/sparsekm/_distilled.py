"""Small models that follow others."""

from __future__ import annotations

import numbers
import os
import warnings
from ctypes import byref
from typing import Any, Callable

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC, SVR
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d, validate_data

from ._base import Machine, checked, dense, names, run
from ._native import Matrix, Teacher, samples
from ._progress import telling
from ._table import Reading, date, frame_of, word

_UNITS = 32  # vectors and steps without a budget


class _Table:
    """How samples become numbers, and in a fit numbers samples again."""

    words: dict[int, list[Any]] = {}  # of pickles before version 0.2

    def __init__(self, X: Any, reading: Reading | None = None) -> None:
        self.frame = X if hasattr(X, "iloc") else None
        self._reading = reading
        self._kept: dict[int, dict[str, Any]] = {}
        self.rows: Any = None  # those of the frame, as numbers

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle keeps: what numbers needs."""
        return {"words": self.words}

    def numbers(self, X: Any) -> Matrix:
        """Return samples as a row-major matrix of finite numbers."""
        if not self.words or not hasattr(X, "iloc"):
            return np.ascontiguousarray(dense(check_array(X, dtype=np.float64, accept_sparse="csr", order="C")))
        parts = []
        for k in range(X.shape[1]):
            column = X.iloc[:, k]
            words = self.words.get(k)
            if words is None:
                parts.append(check_array(column.to_numpy()[:, None], dtype=np.float64))
            elif len(words) < 2:
                parts.append(np.zeros((len(X), 1)))
            else:
                parts.append(np.column_stack([(column == w).fillna(False).to_numpy(dtype=np.float64) for w in words]))
        return np.ascontiguousarray(np.hstack(parts), dtype=np.float64)

    def samples(self, x: Matrix) -> Any:
        """Return rows of numbers as the teacher takes them."""
        if self.frame is None:
            return x
        if x is self.rows:
            return self.frame
        import pandas as pd

        cells = {} if self._reading is None else self._reading.cells(x)
        columns = {}
        for k, dtype in enumerate(self.frame.dtypes):
            own = self.frame.iloc[:, k]
            if self._reading is None:
                column = pd.Series(np.round(x[:, k]) if dtype.kind in "iub" else x[:, k])
            elif k not in cells:
                column = pd.Series([own.iloc[0]] * len(x))
            else:
                column = pd.Series(self._cells(k, own, cells[k]), dtype=None if getattr(dtype, "kind", "O") in "iufbM" else object)
            columns[k] = column.astype(dtype if not (column.isna().any() and getattr(dtype, "kind", "O") in "iub") else column.dtype)
        frame = pd.DataFrame(columns)
        frame.columns = self.frame.columns
        return frame

    def _cells(self, k: int, own: Any, cells: list[str]) -> list[Any]:
        """Return the values of a column that have such text: those of the samples where they have it."""
        kind = getattr(own.dtype, "kind", "O")
        if kind in "iuf":
            return [None if c == "" else round(float(c)) if kind != "f" else float(c) for c in cells]
        if kind == "M":
            return [None if c == "" else date(c) for c in cells]
        if k not in self._kept:
            self._kept[k] = {word(v).decode(errors="replace"): v for v in own.dropna().unique().tolist()}
        return [None if c == "" else self._kept[k].get(c, c) for c in cells]


class _Distilled(MetaEstimatorMixin, Machine):  # type: ignore[misc]
    """What classifier and regressor share."""

    _single = True

    def __init__(self, estimator: Any = None, *, max_sv: int | None = None, max_bytes: int | None = None,
                 max_ns: float | None = None, rounds: int = 4, label_weight: float | None = None,
                 time_limit: float | None = None, seed: int = 1, n_jobs: int | None = None, verbose: int = 0,
                 progress: Any = None) -> None:
        self.estimator = estimator
        self.max_sv = max_sv
        self.max_bytes = max_bytes
        self.max_ns = max_ns
        self.rounds = rounds
        self.label_weight = label_weight
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the model for other programs, complete or not at all.

        Parameters
        ----------
        path : str or path
            A file, whose folder exists.
        format : str, optional
            "skm" or "json"; None is "json" for ``.json``, else "skm".
        """
        super().save(path, format or ("json" if os.fspath(path).endswith(".json") else "skm"))

    def _given(self, X: Any, y: Any, default: Any) -> Any:
        """Train the teacher, unless it is frozen or a function."""
        given = default if self.estimator is None else self.estimator
        if callable(given) and not hasattr(given, "predict"):
            self.estimator_ = given
            return given
        self.estimator_ = clone(given)
        if isinstance(given, FrozenEstimator):
            return getattr(given, "estimator")
        return self.estimator_.fit(X, y)

    def _table_of(self, X: Any, y: Any) -> Matrix:
        """Check the features of training samples."""
        given = frame_of(X) if hasattr(X, "iloc") else None
        if given is not None and not (given.plain and np.isfinite(given.matrix()).all()):
            rows: Matrix = checked(self, X) if y is None else checked(self, X, y)[0]
            self._table, self._reading = _Table(X, self._reading), None
            self._table.rows = rows
            return rows
        self._columns, self._direct, self._notes = None, False, {}
        self._table = _Table(X)
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", ensure_min_samples=2)
        self._table.rows = matrix = np.ascontiguousarray(dense(X))
        return matrix

    def _distil(self, X: Matrix, tell: Callable[[Matrix], Matrix], kind: str, **truth: Any) -> None:
        """Train the student; tell says what the teacher says of rows, a column each."""
        failed: list[BaseException] = []
        values = np.ascontiguousarray(tell(X), dtype=np.float64)

        def ask(_: Any, x: Any, n: int, to: Any) -> int:
            try:
                rows = np.ctypeslib.as_array(x, shape=(n, X.shape[1])).copy()
                said = np.asarray(tell(rows), dtype=np.float64)
                if said.shape != (n, values.shape[1]):
                    raise ValueError(f"found numbers of the shape {said.shape}, want {(n, values.shape[1])}")
                np.ctypeslib.as_array(to, shape=said.shape)[:] = said
                return 0
            except BaseException as error:  # a warning tells it below
                failed.append(error)
                return 1

        if isinstance(self.rounds, numbers.Real) and self.rounds < 0:
            raise ValueError(f"rounds: found {self.rounds}, want none below 0")
        labels = truth.pop("labels_of_teacher", None)
        given = samples(X, **truth)
        reading = self._table._reading
        budget = (self.max_sv, self.max_bytes, self.max_ns)
        options = dict(kind=kind, labels=labels and [n.decode() for n in labels],
                       max_sv=_UNITS if budget == (None, None, None) else self.max_sv, max_bytes=self.max_bytes,
                       max_ns=self.max_ns, rounds=self.rounds, label_weight=self.label_weight, seed=self.seed,
                       table=reading and reading.number, time_limit=self.time_limit,
                       threads=self._threads())
        asked = Teacher(ask)
        self._keep(*run("skm_distill", byref(given), values.ctypes.data, values.shape[1], asked, None, options=options,
                        teller=self._teller))
        self._table = _Table(None)
        report = self.report_
        if failed:
            warnings.warn(f"the teacher failed when it was asked again, and the student is that of its answers before: "
                          f"{failed[0]!r}", ConvergenceWarning, stacklevel=3)
        elif report.get("failed"):
            warnings.warn(f"{report['failed']}: the student is that of the answers before", ConvergenceWarning, stacklevel=3)
        elif report.get("ended_by"):
            warnings.warn(f"the fit ended with: {report['ended_by']}", ConvergenceWarning, stacklevel=3)

    def _decisions(self, X: Any) -> Matrix:
        """Return decision values, one column a submodel."""
        model = self._model_of()
        if self._columns is not None:
            rows: Matrix = self._each(model.decide, X, sparse=False)
            return rows
        if hasattr(X, "iloc"):
            validate_data(self, X, skip_check_array=True, reset=False)
            x = self._table.numbers(X)
        else:
            x = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
            x = np.ascontiguousarray(dense(x))
        if model.info.plain != model.info.features:
            return model.plain(x, self._threads())
        return model.decide(x, self._threads())


class DistilledClassifier(ClassifierMixin, _Distilled):  # type: ignore[misc]
    """A small classifier that follows another one: few vectors, steps and a plane.

    Parameters
    ----------
    estimator : estimator or function, optional
        The teacher. It is trained first; wrapped in :class:`sklearn.frozen.FrozenEstimator` it is taken as it was fitted.
        A function takes a matrix of samples.
    max_sv, max_bytes, max_ns : number, optional
        Budgets: vectors and steps together, bytes of tables in C of single precision, nanoseconds of a decision on this
        host. Without one 32 vectors and steps.
    rounds : int, default=4
        Rounds in which the teacher is asked about new samples at most. The first that folds do not gain by is the last.
    label_weight : float, optional
        Weight of y against the teacher, from 0 to 1. None lets folds choose.
    time_limit : float, optional
        Seconds, after which the student is the best so far.
    seed : int, default=1
        Of what is drawn at random, 0 or more.
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
    estimator_ : object
        The fitted teacher.
    classes_ : ndarray of shape (n_classes,)
        Those of the teacher.
    report_ : dict
        Size, settings, rounds, and agreement and losses on samples that a fold held out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sparsekm import DistilledClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> student = DistilledClassifier(RandomForestClassifier(random_state=0), max_sv=6, rounds=0).fit(X, y)
    >>> student.report_["units"] <= 6, student.score(X, y) > 0.9
    (True, True)
    """

    @telling
    def fit(self, X: Any, y: Any = None) -> DistilledClassifier:
        """Train the teacher, unless it is frozen or a function, and the student.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples. A frame is read as :class:`SSVC` reads one; the teacher gets frames.
        y : array-like of shape (n_samples,), optional
            True labels; optional for a teacher that is frozen or a function.

        Returns
        -------
        DistilledClassifier
            The estimator itself.
        """
        frozen = isinstance(self.estimator, FrozenEstimator) or callable(self.estimator)
        if y is None and not frozen:
            raise ValueError("requires y to be passed, but the target y is None: only a frozen teacher does without")
        x = self._table_of(X, y)
        if y is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length(x, y)
            check_classification_targets(y)
            if len(np.unique(y)) < 2:
                raise ValueError("y has one class, want two")
        given = self._given(X if hasattr(X, "iloc") else x, y, SVC(probability=False))
        tell, kind, classes = _tells_classes(given, self._table, x)
        self.classes_ = np.unique(y) if classes is None and y is not None else classes
        if self.classes_ is None:
            self.classes_ = np.arange(max(2, tell(x[:2]).shape[1]))
        self.classes_ = np.asarray(self.classes_)
        truth: dict[str, Any] = {"labels_of_teacher": names(self.classes_)}
        if y is not None:
            of = np.searchsorted(self.classes_, y)
            if (self.classes_[np.minimum(of, len(self.classes_) - 1)] != y).any():
                raise ValueError("y has classes that the teacher does not have")
            truth |= {"y": np.ascontiguousarray(of, dtype=np.int64), "labels": names(self.classes_)}
        self._distil(x, tell, kind, **truth)
        return self

    def decision_function(self, X: Any) -> Matrix:
        """Return log odds: of the second of two classes, or one column a class.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Natural logarithms.
        """
        f = self._decisions(X)
        return f[:, 0] if len(self.classes_) == 2 else f

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Numbers from 0 to 1 that sum to 1, in the order of classes_.
        """
        with np.errstate(over="ignore"):
            p: Matrix = 1 / (1 + np.exp(-self._decisions(X)))
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        p /= p.sum(axis=1, keepdims=True)
        return p

    def predict(self, X: Any) -> Any:
        """Return the classes of samples.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order.

        Returns
        -------
        ndarray of shape (n_samples,)
            Elements of classes_.
        """
        f = self._decisions(X)
        return self.classes_[(f[:, 0] > 0).astype(int) if f.shape[1] == 1 else f.argmax(axis=1)]


class DistilledRegressor(RegressorMixin, _Distilled):  # type: ignore[misc]
    """A small regressor that follows another one: few vectors, steps and a plane.

    Parameters
    ----------
    estimator : estimator or function, optional
        The teacher, as for :class:`DistilledClassifier`; None is ``SVR()``.
    max_sv, max_bytes, max_ns, rounds, label_weight, time_limit, seed, n_jobs, verbose, progress : optional
        As those of :class:`DistilledClassifier`.

    Attributes
    ----------
    estimator_, report_
        As those of :class:`DistilledClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sparsekm import DistilledRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> student = DistilledRegressor(RandomForestRegressor(20, random_state=0), max_sv=6, rounds=0).fit(X, y)
    >>> student.report_["units"] <= 6, student.score(X, y) > 0.3
    (True, True)
    """

    @telling
    def fit(self, X: Any, y: Any = None) -> DistilledRegressor:
        """Train the teacher, unless it is frozen or a function, and the student.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Training samples. A frame is read as :class:`SSVC` reads one; the teacher gets frames.
        y : array-like of shape (n_samples,), optional
            True targets; optional for a teacher that is frozen or a function.

        Returns
        -------
        DistilledRegressor
            The estimator itself.
        """
        frozen = isinstance(self.estimator, FrozenEstimator) or callable(self.estimator)
        if y is None and not frozen:
            raise ValueError("requires y to be passed, but the target y is None: only a frozen teacher does without")
        x = self._table_of(X, y)
        truth = {}
        if y is not None:
            y = check_array(column_or_1d(y, warn=True), dtype=np.float64, ensure_2d=False, input_name="y")
            check_consistent_length(x, y)
            truth["values"] = np.ascontiguousarray(y)
        given, table = self._given(X if hasattr(X, "iloc") else x, y, SVR()), self._table
        predict = given.predict if hasattr(given, "predict") else given
        self._distil(x, lambda rows: _column(predict(table.samples(rows))), "value", **truth)
        return self

    def predict(self, X: Any) -> Matrix:
        """Return predictions.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Samples, with the features of the training in their order.

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of the teacher's values.
        """
        values: Matrix = self._decisions(X)[:, 0]
        return values


def _column(values: Any) -> Matrix:
    rows: Matrix = np.asarray(values, dtype=np.float64)
    return rows[:, None] if rows.ndim == 1 else rows


def _tells_classes(given: Any, table: _Table, x: Matrix) -> tuple[Callable[[Matrix], Matrix], str, Any]:
    """Return what a classifier says of rows, of what kind it is, and the classes if it knows them."""
    classes = getattr(given, "classes_", None)
    if isinstance(classes, list):
        classes = np.asarray(classes)
    if hasattr(given, "predict_proba"):
        return lambda rows: _column(given.predict_proba(table.samples(rows))), "probability", classes
    if hasattr(given, "decision_function") and classes is not None:
        found = _column(given.decision_function(table.samples(x[:2])))
        if found.shape[1] in (1, len(classes)):
            return lambda rows: _column(given.decision_function(table.samples(rows))), "score", classes
    if classes is not None:
        return lambda rows: (np.asarray(given.predict(table.samples(rows))).reshape(-1, 1) == classes).astype(float), \
            "probability", classes
    say = given.predict if hasattr(given, "predict") else given
    return lambda rows: _column(say(table.samples(rows))), "probability", None


def distill(model: Any, X: Any, y: Any = None, **options: Any) -> DistilledClassifier | DistilledRegressor:
    """Train a small model that follows a fitted one, and asks it again about samples between those of X.

    Parameters
    ----------
    model : classifier, regressor or function
        Anything with ``predict_proba``, ``decision_function`` or ``predict``. A function takes samples as X has them, and
        returns a row of probabilities for each, or a value.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Samples, best some that the model was not trained on. A frame is read as :class:`SSVC` reads one.
    y : array-like of shape (n_samples,), optional
        True labels or targets.
    **options : object
        Of :class:`DistilledClassifier` and :class:`DistilledRegressor`: max_sv, max_bytes, max_ns, and more.

    Returns
    -------
    DistilledClassifier or DistilledRegressor
        A fitted scikit-learn estimator, with ``to_c()``, ``to_onnx()`` and ``save(path)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> import sparsekm
    >>> X, y = load_iris(return_X_y=True)
    >>> student = sparsekm.distill(SVC().fit(X, y), X, max_sv=6, rounds=0)
    >>> student.report_["units"] <= 6, "int model_predict(const float *x)" in student.to_c()
    (True, True)
    """
    known = hasattr(model, "predict")
    if known and (hasattr(model, "predict_proba") or hasattr(model, "classes_")):
        kind: Any = DistilledClassifier
    elif known:
        kind = DistilledRegressor
    else:
        said = np.shape(model(X.iloc[:2] if hasattr(X, "iloc") else X[:2]))
        kind = DistilledClassifier if len(said) == 2 and said[1] > 1 else DistilledRegressor
    student: DistilledClassifier | DistilledRegressor = kind(FrozenEstimator(model) if known else model, **options)
    return student.fit(X, y)
