"""Sparse kernel machines: classifiers, regressors and novelty detectors with very few support vectors.

:class:`SSVC`, :class:`SSVR` and :class:`OneClass` train by any method of the library (:func:`methods`),
:class:`ReducedSVC` shrinks a fitted :class:`sklearn.svm.SVC`, and :func:`distill` any model; :mod:`sparsekm.svm` has
scikit-learn's own classes, and :mod:`sparsekm.plot` draws. They are scikit-learn estimators; the work is done by a
compiled library without the GIL.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ._distilled import DistilledClassifier, DistilledRegressor, distill
from ._estimators import SSVC, SSVR
from ._files import load, patch_sklearn, save, trusted_types, unpatch_sklearn
from ._native import methods
from ._outliers import OneClass
from ._reduced import ReducedSVC

__all__ = [
    "SSVC", "SSVR", "DistilledClassifier", "DistilledRegressor", "OneClass", "ReducedSVC", "distill", "load", "methods",
    "patch_sklearn", "save", "trusted_types", "unpatch_sklearn",
]

try:
    __version__ = version("sparsekm")
except PackageNotFoundError:  # a source tree that nobody has installed
    __version__ = "unknown"
