"""Plots of fitted models: decision boundary, path of a parameter, calibration, vectors against loss.

They want matplotlib (``pip install matplotlib``), which is imported when a function is called. Each function draws on
``ax``, or on the axes of a new figure, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
import scipy.sparse
from sklearn.base import clone, is_outlier_detector
from sklearn.model_selection import cross_validate

from ._native import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["boundary", "calibration", "pareto", "path", "size"]


def boundary(estimator: Any, X: Any, y: Any = None, *, features: tuple[int, int] = (0, 1), resolution: int = 100,
             ax: Axes | None = None) -> Axes:
    """Draw the decisions of a classifier or novelty detector over two features.

    Parameters
    ----------
    estimator : classifier or novelty detector
        A fitted one, also a pipeline. Support vectors are circled if they are in the units of X.
    X : array-like or frame of shape (n_samples, n_features)
        Samples. They set the range of the axes, and their medians the value of every feature that is not drawn.
    y : array-like of shape (n_samples,), optional
        Classes, which colour the samples.
    features : tuple of two int, default=(0, 1)
        Columns of X for the horizontal and the vertical axis.
    resolution : int, default=100
        Points of the grid along each axis.
    ax : matplotlib axes, optional
        Where to draw; None is a new figure.

    Returns
    -------
    matplotlib axes
        With the regions of the classes, the line between two of them, and the samples.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm import SSVC, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot.boundary(SSVC("svc").fit(X, y), X, y, features=(2, 3))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('feature 2', 'feature 3')
    """
    across, up = features
    table = np.asarray(X, dtype=np.float64)
    axes = _axes(ax)
    ends = [_range(table[:, k], resolution) for k in (across, up)]
    u, v = np.meshgrid(*ends)
    grid = np.tile(np.median(table, axis=0), (u.size, 1))
    grid[:, across], grid[:, up] = u.ravel(), v.ravel()
    rows = _like(X, grid)
    classes: Any = np.array([-1, 1]) if is_outlier_detector(estimator) else estimator.classes_
    of = np.searchsorted(classes, estimator.predict(rows)).reshape(u.shape)
    levels = np.arange(len(classes) + 1) - 0.5
    colours = _colours(len(classes))
    axes.contourf(u, v, of, levels=levels, colors=colours, alpha=0.25)
    if len(classes) == 2 and hasattr(estimator, "decision_function"):
        f = estimator.decision_function(rows).reshape(u.shape)
        if f.min() < 0 < f.max():
            axes.contour(u, v, f, levels=[0.0], colors="black", linewidths=1)
    for k, label in enumerate([None] if y is None else classes):
        mine = np.ones(len(table), dtype=bool) if label is None else np.asarray(y) == label
        axes.scatter(table[mine, across], table[mine, up], s=12, color="black" if label is None else colours[k],
                     label="samples" if label is None else str(label))
    vectors = _vectors(estimator)
    if vectors is not None and vectors.shape[1] == table.shape[1]:
        axes.scatter(vectors[:, across], vectors[:, up], s=60, facecolors="none", edgecolors="black",
                     label="support vectors")
    names = getattr(X, "columns", [f"feature {k}" for k in range(table.shape[1])])
    axes.set(xlabel=str(names[across]), ylabel=str(names[up]))
    axes.legend()
    return axes


def path(estimator: Any, X: Any, y: Any, *, values: Iterable[Any], param: str = "C", cv: Any = 5, scoring: Any = None,
         n_jobs: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw how many vectors a model needs, and its loss on held-out samples, along the values of a parameter.

    Parameters
    ----------
    estimator : estimator or pipeline
        It is cloned for each value and fold.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes or targets.
    values : iterable of float
        Values of the parameter, in the order in which they are drawn; positive ones have a logarithmic axis.
    param : str, default="C"
        The parameter, by the name that ``set_params`` has for it, such as "gamma" or "ssvc__C" of a pipeline.
    cv : int or splitter, default=5
        Folds, as in :func:`sklearn.model_selection.cross_validate`.
    scoring : str or callable, optional
        What judges the held-out samples; None is the estimator's ``score``. The loss is 1 less the score: the error rate,
        or the unexplained part of the variance.
    n_jobs : int, optional
        Processes for the folds; None is 1.
    ax : matplotlib axes, optional
        Where to draw; None is a new figure.

    Returns
    -------
    matplotlib axes
        With the line of the number of vectors, the mean of the folds. The loss is on a second axes at the right, which is
        the last one of ``ax.figure.axes``.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm import SSVC, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot.path(SSVC(), X, y, values=[0.1, 1.0, 10.0], cv=2)
    >>> ax.lines[0].get_xdata().tolist(), ax.get_xscale()
    ([0.1, 1.0, 10.0], 'log')
    """
    axes = _axes(ax)
    values = list(values)
    sizes, losses = [], []
    for value in values:
        found = cross_validate(clone(estimator).set_params(**{param: value}), X, y, cv=cv, scoring=scoring, n_jobs=n_jobs,
                               return_estimator=True)
        sizes.append(float(np.mean([size(one) for one in found["estimator"]])))
        losses.append(1 - found["test_score"].mean())
    right = axes.twinx()
    axes.plot(values, sizes, "o-", color="C0", label="vectors")
    right.plot(values, losses, "s--", color="C1", label="loss")
    if min(values) > 0:
        axes.set_xscale("log")
    axes.set(xlabel=param, ylabel="support vectors")
    right.set_ylabel("loss on held-out samples")
    axes.legend(handles=[*axes.lines, *right.lines])
    return axes


def calibration(estimator: Any, X: Any, y: Any, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """Draw how often a classifier is right against how sure it is.

    Parameters
    ----------
    estimator : classifier
        A fitted one with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples that it was not trained on.
    y : array-like of shape (n_samples,)
        Their classes.
    bins : int, default=10
        Groups of equally many samples, ordered by their probability. Groups of equal probability are one.
    ax : matplotlib axes, optional
        Where to draw; None is a new figure.

    Returns
    -------
    matplotlib axes
        With a line through the groups: across, the mean probability of the last of two classes, or of the predicted one of
        more; up, the share of samples of that class, from 0 to 1. A perfect model is on the diagonal.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sparsekm import SSVC, plot
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sure = SSVC("svc", scale="zscore", probability=True).fit(X[:300], y[:300])
    >>> ax = plot.calibration(sure, X[300:], y[300:], bins=4)
    >>> len(ax.lines[1].get_xdata())
    4
    """
    axes = _axes(ax)
    p = estimator.predict_proba(X)
    of = np.searchsorted(estimator.classes_, y)
    if p.shape[1] == 2:
        sure, right = p[:, 1], of == 1
    else:
        sure, right = p.max(axis=1), of == p.argmax(axis=1)
    edges = np.unique(np.quantile(sure, np.linspace(0, 1, bins + 1)[1:-1]))
    group = np.searchsorted(edges, sure, side="left")
    means, shares = ([float(v[group == g].mean()) for g in np.unique(group)] for v in (sure, right))
    axes.plot([0, 1], [0, 1], ":", color="grey", label="perfect")
    axes.plot(means, shares, "o-", label=type(estimator).__name__)
    what = f"class {estimator.classes_[1]}" if p.shape[1] == 2 else "the predicted class"
    axes.set(xlabel=f"mean probability of {what}", ylabel=f"share of {what}")
    axes.legend()
    return axes


def pareto(estimators: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the loss of fitted models against their number of vectors, and a line through those that none excels.

    Parameters
    ----------
    estimators : mapping of str to estimator, or iterable of estimators
        Fitted models, pipelines or searches. The names of a mapping are written next to the points.
    X : array-like of shape (n_samples, n_features)
        Samples that they were not trained on.
    y : array-like of shape (n_samples,)
        Their classes or targets.
    ax : matplotlib axes, optional
        Where to draw; None is a new figure.

    Returns
    -------
    matplotlib axes
        With a point for each model, in their order: across, its support vectors; up, 1 less its score. The line is the
        Pareto front: whoever is on it has fewer vectors or a smaller loss than each of the others.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from sparsekm import SSVC, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {m: SSVC(m).fit(X[::2], y[::2]) for m in ("svc", "ssvc-b")}
    >>> ax = plot.pareto(models, X[1::2], y[1::2])
    >>> [text.get_text() for text in ax.texts]
    ['svc', 'ssvc-b']
    """
    axes = _axes(ax)
    named = estimators.items() if isinstance(estimators, Mapping) else (("", one) for one in estimators)
    points = [(name, size(one), 1 - float(one.score(X, y))) for name, one in named]
    axes.scatter([n for _, n, _ in points], [loss for *_, loss in points], label="models")
    for name, n, loss in points:
        if name:
            axes.annotate(str(name), (n, loss), xytext=(4, 4), textcoords="offset points")
    front: list[tuple[int, float]] = []
    for n, loss in sorted((n, loss) for _, n, loss in points):
        if not front or loss < front[-1][1]:
            front.append((n, loss))
    axes.plot([n for n, _ in front], [loss for _, loss in front], drawstyle="steps-post", color="C1", label="front")
    axes.set(xlabel="support vectors", ylabel="loss")
    axes.legend()
    return axes


def size(estimator: Any) -> int:
    """Return the number of support vectors of a fitted estimator, the last one of a pipeline or the best of a search.

    Parameters
    ----------
    estimator : estimator, pipeline or search
        A fitted one with ``support_vectors_``, or with ``support_`` for precomputed kernels.

    Returns
    -------
    int

    Examples
    --------
    >>> from sparsekm import SSVC, plot
    >>> plot.size(SSVC("svc", gamma=1.0).fit([[0.0], [1.0]], [3, 4]))
    2
    """
    last = _last(estimator)
    if not hasattr(last, "support_vectors_"):
        raise TypeError(f"found {type(last).__name__}, want a fitted estimator with support vectors")
    return int(last.support_vectors_.shape[0]) or len(last.support_)


def _last(estimator: Any) -> Any:
    """Return what decides: the last step of a pipeline, the best estimator of a search."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def _vectors(estimator: Any) -> Matrix | None:
    """Return the support vectors, if they are in the units of the samples."""
    found: Any = getattr(estimator, "support_vectors_", None)
    rows: Matrix | None = found.toarray() if scipy.sparse.issparse(found) else found
    return rows


def _axes(ax: Axes | None) -> Axes:
    """Return the axes, of a new figure if none are given."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("sparsekm.plot wants matplotlib: pip install matplotlib") from error
    return plt.subplots()[1]


def _range(x: Matrix, n: int) -> Matrix:
    margin = 0.05 * float(np.ptp(x)) or 1.0
    return np.linspace(x.min() - margin, x.max() + margin, n)


def _like(X: Any, rows: Matrix) -> Any:
    """Return rows as X has them: a frame if it is one."""
    return type(X)(rows, columns=X.columns) if hasattr(X, "iloc") else rows


def _colours(n: int) -> list[str]:
    return [f"C{k % 10}" for k in range(n)]
