"""Models: handles of the library with the calls that take them."""

from __future__ import annotations

import json
import os
from ctypes import byref, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._native import Info, Matrix, call, samples, text


_Out = TypeVar("_Out", bound=NDArray[Any])


class Parts(NamedTuple):
    """The contents of a model."""

    positive: NDArray[np.int64]  #: class of a positive decision value of the submodel
    negative: NDArray[np.int64]  #: else; -1 for all others
    rows: NDArray[np.int64]  #: rows of the training samples, -1 for other vectors
    coef: Matrix  #: submodels x vectors
    bias: Matrix  #: one a submodel


class Model:
    """An immutable model in the library. Its state, for pickle and skops, is the bytes of its .skm file."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._process = os.getpid()
        self.info = Info()
        call("skm_describe", number, byref(self.info))

    def __getstate__(self) -> dict[str, bytes]:
        """Return the bytes of the model's file."""
        return {"skm": self.to_bytes()}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        """Take over the bytes of a file, of this version's format or an earlier one."""
        number = c_uint64()
        call("skm_parse", state["skm"], len(state["skm"]), byref(number))
        Model.__init__(self, number.value)

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Make a model of the bytes of a model file of any format."""
        number = c_uint64()
        call("skm_parse", data, len(data), byref(number))
        return cls(number.value)

    def to_bytes(self, format: str = "skm") -> bytes:
        """Return the bytes of a model file: "skm", "json" or "libsvm"."""
        data, size = c_void_p(), c_size_t()
        call("skm_bytes", self._number, format.encode(), byref(data), byref(size))
        return text(data, size.value)

    def export(self, target: str, **options: Any) -> bytes:
        """Return a program with the model: "c", "go" or "onnx"."""
        data, size = c_void_p(), c_size_t()
        call("skm_export", self._number, target.encode(), json.dumps(options).encode(), byref(data), byref(size))
        return text(data, size.value)

    def save(self, path: str | os.PathLike[str], format: str) -> None:
        """Write a model file, complete or not at all."""
        call("skm_save", self._number, os.fsencode(path), format.encode())

    def __copy__(self) -> Model:
        """Return the model itself, which never changes."""
        return self

    def __deepcopy__(self, _: Any) -> Model:
        """Return the model itself, which never changes."""
        return self

    # The interpreter empties the modules before it drops the last models: what this needs, it has of itself.
    def __del__(self, getpid: Callable[[], int] = os.getpid, native: Any = _native) -> None:
        """Free the model in the library, in the process that has it."""
        if getattr(self, "_process", None) == getpid() and native._loaded is not None:
            native._loaded.skm_free(self._number)

    @property
    def labels(self) -> list[str]:
        """The names of the classes."""
        names = []
        for i in range(self.info.classes):
            name = c_void_p()
            call("skm_label", self._number, i, byref(name))
            names.append(text(name).decode())
        return names

    def parts(self) -> Parts:
        """Return the contents of the model."""
        m, n = self.info.submodels, self.info.vectors
        p = Parts(np.empty(m, np.int64), np.empty(m, np.int64), np.empty(n, np.int64), np.empty((m, n)), np.empty(m))
        positive, negative, *others = (a.ctypes.data for a in p)
        call("skm_parts", self._number, positive, negative, None, *others)
        return p

    def vectors(self) -> Matrix:
        """Return the vectors, in the units of the features."""
        x = np.empty((self.info.vectors, self.info.features))
        call("skm_parts", self._number, None, None, x.ctypes.data, None, None, None)
        return x

    def decide(self, x: Any, threads: int) -> Matrix:
        """Return the decision values for the rows of a matrix, one column a submodel."""
        return self._rows("skm_decide", x, np.empty((x.shape[0], self.info.submodels)), threads)

    def predict(self, x: Any, threads: int) -> NDArray[np.int64]:
        """Return the classes of the rows of a matrix, from 0."""
        return self._rows("skm_predict", x, np.empty(x.shape[0], np.int64), threads)

    def probabilities(self, x: Any, threads: int) -> Matrix:
        """Return the probabilities of the classes, one column each."""
        return self._rows("skm_probabilities", x, np.empty((x.shape[0], self.info.classes)), threads)

    def both(self, x: Matrix, threads: int) -> tuple[Matrix, Matrix]:
        """Return decision values and probabilities of the rows of a matrix, at the cost of one."""
        f, p = np.empty((len(x), self.info.submodels)), np.empty((len(x), self.info.classes))
        call("skm_decide_samples", self._number, byref(samples(x)), f.ctypes.data, None, p.ctypes.data, threads)
        return f, p

    def sigmoids(self) -> tuple[Matrix, Matrix]:
        """Return Platt's parameters a and b of each submodel."""
        a, b = np.empty(self.info.submodels), np.empty(self.info.submodels)
        call("skm_sigmoids", self._number, a.ctypes.data, b.ctypes.data)
        return a, b

    def variances(self, x: Matrix, threads: int) -> Matrix:
        """Return the variances of the predictions for the rows of a matrix."""
        return self._rows("skm_variances", x, np.empty(len(x)), threads)

    def sets(self, x: Any, threads: int) -> NDArray[np.bool_]:
        """Return whether each class is in the prediction set of each row, one column a class."""
        out = np.empty((x.shape[0], self.info.classes), np.uint8)
        call("skm_sets", self._number, byref(samples(x)), out.ctypes.data, threads)
        return out.astype(bool)

    def intervals(self, x: Any, threads: int) -> Matrix:
        """Return the ends of the intervals of the rows of a matrix, two columns."""
        out = np.empty((x.shape[0], 2))
        call("skm_intervals", self._number, byref(samples(x)), out.ctypes.data, threads)
        return out

    def plain(self, x: Matrix, threads: int) -> Matrix:
        """Return the decision values of samples with a feature of 0 and 1 for each category."""
        out = np.empty((len(x), self.info.submodels))
        call("skm_decide_samples", self._number, byref(samples(x)), out.ctypes.data, None, None, threads)
        return out

    def _rows(self, name: str, x: Any, out: _Out, threads: int) -> _Out:
        if not isinstance(x, np.ndarray):  # sparse
            places = (out.ctypes.data if name == part else None for part in ("skm_decide", "skm_predict", "skm_probabilities"))
            call("skm_decide_samples", self._number, byref(samples(x)), *places, threads)
            return out
        if x.dtype != np.float64 or not x.flags.c_contiguous or x.ndim != 2 or x.shape[1] != self.info.features:
            raise ValueError(f"found {x.dtype} {x.shape}, want a row-major float64 matrix of {self.info.features} columns")
        call(name, self._number, x.ctypes.data, len(x), out.ctypes.data, threads)
        return out
