"""Sparse kernel machines: classifiers, regressors and one-class machines with very few support vectors.

:class:`SSVC`, :class:`SSVR` and :class:`OneClass` train by any method of the library (:func:`methods`),
:class:`ReducedSVC` shrinks a fitted :class:`sklearn.svm.SVC`. They are scikit-learn estimators; the work is done by a compiled library without the GIL.
"""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any

from . import _native
from ._estimators import SSVC, SSVR
from ._outliers import OneClass
from ._reduced import ReducedSVC

__all__ = ["SSVC", "SSVR", "OneClass", "ReducedSVC", "methods"]


def methods() -> list[dict[str, Any]]:
    """Return the methods: name, about, paper, tasks and params (name, doc, default, range, words)."""
    text = c_void_p()
    _native.call("skm_methods", byref(text))
    return json.loads(_native.text(text))
