"""Estimators in files, and in the place of scikit-learn's."""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any

import numpy as np
import sklearn.svm

from . import svm
from ._categories import Categories
from ._distilled import DistilledClassifier, DistilledRegressor, _Table
from ._estimators import SSVC, SSVR
from ._model import Model
from ._outliers import OneClass
from ._reduced import ReducedSVC

#: Types that ``skops.io.load(path, trusted=sparsekm.trusted_types)`` needs for any estimator of this package.
trusted_types = [f"{kind.__module__}.{kind.__qualname__}" for kind in (
    Categories, DistilledClassifier, DistilledRegressor, Model, OneClass, ReducedSVC, SSVC, SSVR, _Table,
    *(getattr(svm, name) for name in svm.__all__))]


def save(estimator: Any, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a fitted estimator's model, complete or not at all.

    Parameters
    ----------
    estimator : estimator
        A fitted one of this package; those of :mod:`sparsekm.svm` too.
    path : str or path
        A file, whose folder exists.
    format : str, optional
        "skm", "json" or "libsvm"; None is "skm" for ``.skm``, "json" for ``.json``, else "libsvm".

    Examples
    --------
    >>> import os, tempfile, sparsekm
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> sparsekm.save(sparsekm.svm.SVC(gamma=1.0).fit([[0.0], [1.0]], [3, 4]), path)
    >>> open(path).read(1)
    '{'
    """
    (estimator.to_sparsekm() if hasattr(estimator, "to_sparsekm") else estimator).save(path, format)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file of any format as an estimator that predicts.

    Classes that are all whole numbers become them, others stay texts. The report of the training is not in the file.

    Parameters
    ----------
    path : str or path
        A file of :func:`save`, of the command, or of LIBSVM, LIBLINEAR or skops, or a Gaussian process (.npz).

    Returns
    -------
    SSVC, SSVR or OneClass
        A fitted estimator.

    Raises
    ------
    ValueError
        If it is no model, of a later format, or one that no estimator has.

    Examples
    --------
    >>> import os, tempfile, sparsekm
    >>> path = os.path.join(tempfile.mkdtemp(), "model.skm")
    >>> sparsekm.save(sparsekm.SSVC("svc", gamma=1.0).fit([[0.0], [1.0]], [3, 4]), path)
    >>> sparsekm.load(path).predict([[0.9]])
    array([4])
    """
    model = Model.from_bytes(pathlib.Path(path).read_bytes())
    about = json.loads(model.to_bytes("json"))
    columns = [c for c in about.get("columns") or [] if c["role"] != "label"]
    if model.info.task > 2 or model.info.plain != model.info.features and not columns:
        raise ValueError(f"{os.fspath(path)}: a density, or a model with values for categories, is no estimator")
    kind: type[SSVC] | type[SSVR] | type[OneClass] = [SSVC, SSVR, OneClass][model.info.task]
    estimator = kind(about.get("method") or "svc")
    for name in ("kernel", "gamma", "degree", "coef0", "alpha"):
        if name in about and name in estimator.get_params():
            setattr(estimator, name, about[name])
    if kind is SSVC:
        estimator.multiclass = about.get("decision_function_shape", "ovr")
        labels = np.array(model.labels)
        try:
            labels = labels.astype(np.int64)
        except ValueError:
            pass
        estimator.classes_ = labels
    estimator.n_features_in_ = len(columns) or model.info.features
    if columns:
        plain = all(set(c) <= {"name", "role", "fill"} and c["role"] == "number" for c in columns)
        estimator._columns, estimator._direct = "numbers" if plain else "auto", plain
        if "name" in columns[0]:
            estimator.feature_names_in_ = np.array([c["name"] for c in columns], dtype=object)
    estimator._take(model, b"{}")
    if kind is OneClass:
        estimator.offset_ = -float(estimator.intercept_[0])
    return estimator


_theirs: dict[str, Any] = {}


def patch_sklearn(name: str | list[str] | None = None, verbose: bool = True) -> None:
    """Put the classes of sparsekm.svm in the place of those of sklearn.svm: all, or those of the names.

    As with scikit-learn-intelex, it comes before ``from sklearn.svm import SVC``: names that were imported before stay.

    Parameters
    ----------
    name : str or list of str, optional
        Names of classes; None is all.
    verbose : bool, default=True
        Say so on stderr.

    Examples
    --------
    >>> import sparsekm
    >>> sparsekm.patch_sklearn("SVC", verbose=False)
    >>> from sklearn.svm import SVC
    >>> SVC.__module__
    'sparsekm.svm'
    >>> sparsekm.unpatch_sklearn()
    """
    asked = svm.__all__ if name is None else [name] if isinstance(name, str) else name
    known = {one.lower(): one for one in svm.__all__}
    unknown = [one for one in asked if one.lower() not in known]
    if unknown:
        raise ValueError(f"patch_sklearn: found {unknown[0]!r}, want names of {svm.__all__}")
    for one in (known[each.lower()] for each in asked):
        _theirs.setdefault(one, getattr(sklearn.svm, one))
        setattr(sklearn.svm, one, getattr(svm, one))
    if verbose:
        print(f"sparsekm in the place of sklearn.svm: {', '.join(sorted(_theirs))}", file=sys.stderr)


def unpatch_sklearn(name: str | list[str] | None = None) -> None:
    """Put scikit-learn's classes back: all, or those of the names.

    Parameters
    ----------
    name : str or list of str, optional
        Names of classes; None is all.

    Examples
    --------
    >>> import sklearn.svm, sparsekm
    >>> sparsekm.patch_sklearn(verbose=False)
    >>> sparsekm.unpatch_sklearn()
    >>> sklearn.svm.SVC.__module__
    'sklearn.svm._classes'
    """
    asked = list(_theirs) if name is None else [name] if isinstance(name, str) else name
    for one in [each for each in _theirs if each.lower() in {a.lower() for a in asked}]:
        setattr(sklearn.svm, one, _theirs.pop(one))
