"""Training and prediction with Dask, for samples that do not fit on one host.

Nothing here is imported by the rest of the package; Dask must be installed (``pip install "dask[array,distributed]"``).
Work is done by the scheduler that is active: a ``distributed.Client``'s processes, else threads of this one.
"""

from __future__ import annotations

import re
from typing import Any, Iterable

import numpy as np
from sklearn.base import clone, is_classifier

from . import _pooled
from ._base import kernel_options, names
from ._estimators import with_own_kernels
from ._native import Matrix

try:
    import dask.base
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError("sparsekm.dask wants Dask: pip install 'dask[array,distributed]'") from error

_compute: Any = dask.base.compute

__all__ = ["fit", "fit_shards", "predict"]


def fit(estimator: Any, X: Any, y: Any, **how: Any) -> Any:
    """Train on Dask arrays of features and targets: :func:`fit_shards` of their blocks of rows.

    Blocks are computed in each pass over the samples unless the arrays are persisted.

    Parameters
    ----------
    estimator : SSVC or SSVR
        What is trained, as for :func:`fit_shards`.
    X : dask.array of shape (n_samples, n_features)
        Samples.
    y : dask.array of shape (n_samples,)
        Their classes or targets, in the same blocks of rows.
    **how : object
        Other arguments of :func:`fit_shards`.

    Returns
    -------
    SSVC or SSVR
        A fitted estimator.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sparsekm import SSVC
    >>> from sparsekm.dask import fit
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> model = fit(SSVC(), da.from_array(X, chunks=(100, 2)), da.from_array(X[:, 0] > 0, chunks=100), max_sv=4)
    >>> len(model.support_vectors_) <= 4
    True
    """
    if X.ndim != 2 or y.ndim != 1 or X.chunks[0] != y.chunks[0]:
        raise ValueError("want X of two dimensions and y of one, with the same blocks of rows (rechunk)")
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel())
    return fit_shards(estimator, [delayed(tuple)(pair) for pair in pairs], **how)


def fit_shards(estimator: Any, shards: Iterable[Any], *, max_sv: int = 50, gain: float | None = None,
               passes: int | None = None, shard_rows: int = 5000, max_candidates: int = 500, random_state: int = 0) -> Any:
    """Train on shards, and return the estimator fitted; the given one does not change.

    The estimator trains a model on each shard; their support vectors are candidates. From these a last training selects
    those that matter, and fits their coefficients to the samples of all shards: classes with the squared hinge, values with
    the squared loss, and C of the estimator. Only vectors and sums travel.

    Parameters
    ----------
    estimator : SSVC or SSVR
        What shards are trained with, and what is returned. Without scaling, probabilities, coverage, weights of classes or a
        kernel that depends on the samples.
    shards : list
        Of pairs (X, y) as dask.delayed or futures.
    max_sv : int, default=50
        Most vectors.
    gain : float, optional
        Part of what is left that a further vector must take off; None is 1e-3.
    passes : int, optional
        Most passes of the last training over the samples; None is 30. It takes about 10; 2 give the least-squares fit.
    shard_rows : int, default=5000
        Rows of a shard that its model is trained on, drawn at random; the last training has all.
    max_candidates : int, default=500
        Most candidates, drawn at random where shards have found more: the first pass makes their square of sums.
    random_state : int, default=0
        Of what is drawn.

    Returns
    -------
    SSVC or SSVR
        A fitted estimator. ``report_["submodels"][0]["report"]["figures"]`` counts samples, passes and, of classes, the
        points of all shards that it has wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from dask import delayed
    >>> from sparsekm import SSVC
    >>> from sparsekm.dask import fit_shards
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> shards = [delayed((X[:100], X[:100, 0] > 0)), delayed((X[100:], X[100:, 0] > 0))]
    >>> len(fit_shards(SSVC(), shards, max_sv=4).support_vectors_) <= 4
    True
    """
    _check(estimator)
    shards = list(shards)
    looks = _compute(*[delayed(_look)(s, is_classifier(estimator)) for s in shards])
    looks = [look for look in looks if look["n"]]
    if not looks:
        raise ValueError("there are no samples")
    classes = np.unique(np.concatenate([look["classes"] for look in looks])) if is_classifier(estimator) else None
    if classes is not None and len(classes) < 2:
        raise ValueError("the samples of all shards are of one class; a classifier wants at least two")
    kernel = _kernel(estimator, looks)
    template = clone(estimator)
    if "gamma" in kernel:
        template.set_params(gamma=kernel["gamma"])
    found = _compute(*[delayed(_vectors)(s, template, shard_rows, random_state + i) for i, s in enumerate(shards)])
    candidates = np.vstack([v for v in found if v is not None] or [np.empty((0, looks[0]["d"]))])
    if len(candidates) > max_candidates:
        draw = np.random.default_rng(random_state)
        candidates = candidates[np.sort(draw.choice(len(candidates), max_candidates, replace=False))]
    candidates = np.ascontiguousarray(candidates)

    def ask(vectors: Matrix, coef: Matrix, bias: Matrix) -> Matrix:
        parts = [delayed(_sums)(s, kernel, classes, vectors, coef, bias) for s in shards]
        while len(parts) > 1:  # a few at a time, where they are
            parts = [delayed(sum)(parts[i:i + 8]) for i in range(0, len(parts), 8)]
        sums: Matrix = parts[0].compute()
        return sums

    options = {"c": estimator.C, "max_sv": max_sv, "gain": gain, "passes": passes}
    labels = names(classes) if classes is not None else None
    template._keep(*_pooled.train(kernel, options, labels, candidates, ask))
    template.n_features_in_ = looks[0]["d"]
    if classes is not None:
        template.classes_ = classes
    return template


def predict(estimator: Any, X: Any) -> Any:
    """Return what a fitted estimator predicts for a Dask array, as one.

    Parameters
    ----------
    estimator : estimator
        A fitted one.
    X : dask.array of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    dask.array of shape (n_samples,)
        Classes or values, computed when they are asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sparsekm import SSVC
    >>> from sparsekm.dask import predict
    >>> model = SSVC("svc", gamma=1.0).fit([[0.0], [1.0]], [3, 4])
    >>> predict(model, da.from_array(np.array([[0.1], [0.9]]), chunks=(1, 1))).compute()
    array([3, 4])
    """
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    kind = estimator.classes_.dtype if is_classifier(estimator) else np.float64
    return X.map_blocks(estimator.predict, drop_axis=1, dtype=kind, meta=np.empty(0, kind))


def _check(estimator: Any) -> None:
    if estimator.method in with_own_kernels():
        raise ValueError(f"method={estimator.method!r} has a kernel of its own, which the last training has not")
    for name, want in {"scale": "none", "probability": False, "class_weight": None, "multiclass": "ovr", "refit": False,
                       "widths": None, "target_scale": False, "coverage": None}.items():
        if getattr(estimator, name, want) not in (want, None):
            raise ValueError(f"{name}={getattr(estimator, name)!r}: shards would differ in it, or the last training has none;"
                             f" want {want!r}")
    if estimator.kernel in ("mahalanobis", "precomputed"):
        raise ValueError(f"kernel={estimator.kernel!r} is made of the samples of a shard")


def _look(shard: Any, classify: bool) -> dict[str, Any]:
    """Facts of a shard that the training needs of all shards first."""
    X, y = _pair(shard)
    return {"n": len(X), "d": X.shape[1], "classes": np.unique(y) if classify else None, "sum": X.sum(),
            "squares": np.square(X - X.mean()).sum() if len(X) else 0.0}


def _kernel(estimator: Any, looks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the common kernel of all shards, with gamma by its rule for all samples."""
    if len({look["d"] for look in looks}) > 1:
        raise ValueError("shards have different numbers of features")
    return kernel_options(estimator, lambda: _gamma(estimator.gamma, looks))


def _gamma(gamma: Any, looks: list[dict[str, Any]]) -> float:
    d: int = looks[0]["d"]
    per = re.fullmatch(r"([0-9.eE+-]+)/d", str(gamma))
    if gamma == "scale":
        n: int = sum(look["n"] for look in looks) * d
        mean = sum(look["sum"] for look in looks) / n
        own = float(sum(look["squares"] + look["n"] * d * (look["sum"] / (look["n"] * d) - mean) ** 2 for look in looks))
        return n / (d * own) if own > 0 else 1.0
    if gamma == "auto" or per:
        return (float(per[1]) if per else 1.0) / d
    if isinstance(gamma, str):
        raise ValueError(f"gamma={gamma!r} is a rule for the samples of a shard")
    return float(gamma)


def _pair(shard: Any) -> tuple[Matrix, Any]:
    X, y = shard
    return np.ascontiguousarray(X, dtype=np.float64), np.asarray(y)


def _vectors(shard: Any, estimator: Any, rows: int, seed: int) -> Matrix | None:
    """Return the support vectors of a shard's model; None for a shard of one class."""
    X, y = _pair(shard)
    if len(X) > rows:
        at = np.sort(np.random.default_rng(seed).choice(len(X), rows, replace=False))
        X, y = X[at], y[at]
    if len(X) == 0 or is_classifier(estimator) and len(np.unique(y)) < 2:
        return None
    vectors: Matrix = clone(estimator).set_params(progress=None).fit(X, y).support_vectors_
    return vectors


def _sums(shard: Any, kernel: dict[str, Any], classes: Any, vectors: Matrix, coef: Matrix, bias: Matrix) -> Matrix:
    X, y = _pair(shard)
    if classes is None:
        return _pooled.sums(kernel, 0, vectors, coef, bias, X, np.ascontiguousarray(y, dtype=np.float64))
    of = np.ascontiguousarray(np.searchsorted(classes, y), dtype=np.int64)
    return _pooled.sums(kernel, len(classes), vectors, coef, bias, X, of)
