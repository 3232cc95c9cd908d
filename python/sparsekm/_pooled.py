"""The last training over the support vectors of shards, for samples that do not fit on one host."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_void_p
from typing import Any, Callable

import numpy as np

from . import _native
from ._native import Matrix, samples

Sums = Callable[[Matrix, Matrix, Matrix], Matrix]


class Pool(ctypes.Structure):
    """skm_pool."""

    _fields_ = [("vectors", c_void_p), ("k", c_int64), ("d", c_int64), ("labels", POINTER(c_char_p)), ("classes", c_int64)]


Ask = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_double), c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_double))


def _library() -> ctypes.CDLL:
    lib = _native.library()
    lib.skm_pool_length.restype, lib.skm_pool_length.argtypes = c_int64, [c_int64, c_int64]
    lib.skm_pool_sums.restype = lib.skm_pool_train.restype = c_int
    arguments: list[Any] = [POINTER(Pool), c_char_p, POINTER(_native.Samples), c_void_p, c_void_p, c_void_p, POINTER(c_void_p)]
    lib.skm_pool_sums.argtypes = arguments
    lib.skm_pool_train.argtypes = [POINTER(Pool), c_char_p, Ask, c_void_p, c_void_p, POINTER(ctypes.c_uint64),
                                   POINTER(c_void_p), POINTER(c_void_p)]
    return lib


def _pool(vectors: Matrix, classes: int, labels: list[bytes] | None = None) -> Pool:
    p = Pool(vectors=vectors.ctypes.data, k=len(vectors), d=vectors.shape[1], classes=classes)
    if labels is not None:
        p.labels = (c_char_p * classes)(*labels)
    return p


def sums(kernel: dict[str, Any], classes: int, vectors: Matrix, coef: Matrix, bias: Matrix, X: Matrix, y: Any) -> Matrix:
    """Return the sums that the training needs of samples. y has classes from 0, or regression targets (classes 0)."""
    lib = _library()
    out = np.zeros(lib.skm_pool_length(len(vectors), classes))
    if len(X):
        given = samples(X, values=y) if classes == 0 else samples(X, y=y, labels=[b""] * classes)
        _native.call("skm_pool_sums", byref(_pool(vectors, classes)), json.dumps(kernel).encode(), byref(given),
                     coef.ctypes.data, bias.ctypes.data, out.ctypes.data)
    return out


def train(kernel: dict[str, Any], options: dict[str, Any], labels: list[bytes] | None, candidates: Matrix, ask: Sums,
          ) -> tuple[int, bytes]:
    """Train over candidates; ask(vectors, coef, bias) returns the sums over all samples. Return model and report."""
    lib = _library()
    classes = len(labels or [])
    outputs, d = (1 if classes <= 2 else classes), candidates.shape[1]
    failed: list[BaseException] = []

    def asked(_: Any, vectors: Any, k: int, coef: Any, bias: Any, out: Any) -> int:
        def copy(of: Any, *shape: int) -> Matrix:  # what C has is only there during the call
            return np.ctypeslib.as_array(of, shape).copy() if min(shape) else np.empty(shape)

        try:
            found = ask(copy(vectors, k, d), copy(coef, outputs, k), copy(bias, outputs))
            np.ctypeslib.as_array(out, (lib.skm_pool_length(k, classes),))[:] = found
        except BaseException as error:  # raised again below: it must not pass through C
            failed.append(error)
            return 1
        return 0

    number, report = ctypes.c_uint64(), c_void_p()
    given = {k: v for k, v in {**kernel, **options}.items() if v is not None}
    try:
        _native.call("skm_pool_train", byref(_pool(candidates, classes, labels)), json.dumps(given).encode(), Ask(asked), None,
                     None, byref(number), byref(report))
    except Exception:
        if failed:
            raise failed[0] from None
        raise
    return number.value, _native.text(report)
