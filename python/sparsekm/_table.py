"""Tables: frames of pandas, polars and Arrow become columns that the library reads as the command reads a file."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import json
import numbers
import os
import sys
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._native import Column, Matrix, call, samples, text

_NUMBERS, _TRUTH, _TIMES, _WORDS = range(4)  # SKM_NUMBERS, ...
_EPOCH = datetime.datetime(1970, 1, 1)
_NOTHING = ("NAType", "NaTType")  # of pandas
_REAL = (float, np.floating, decimal.Decimal)
_told: set[tuple[str, ...]] = set()  # columns of which was said what they are


class Cells(NamedTuple):
    """The cells of a column: a number each, or text, in bytes from start to the next start."""

    kind: int
    numbers: Matrix | None = None
    words: bytes = b""
    start: NDArray[np.int64] | None = None
    fixed: bool = False  # numbers that are categories


class Frame:
    """A table in memory."""

    def __init__(self, names: list[str], columns: list[Cells], n: int) -> None:
        self.names, self.columns, self.n = names, columns, n

    @property
    def plain(self) -> bool:
        """Whether there are numbers and nothing else."""
        return all(c.kind in (_NUMBERS, _TRUTH) and not c.fixed for c in self.columns)

    def matrix(self) -> Matrix:
        """Return numbers as a row-major matrix, NaN for missing ones."""
        rows = np.empty((self.n, len(self.columns)))
        for k, c in enumerate(self.columns):
            rows[:, k] = c.numbers
        return rows

    def part(self, first: int, last: int) -> Any:
        """Return an array of skm_column of some rows."""
        part: Any = (Column * len(self.columns))()
        part.kept = []  # what its pointers point to
        for name, c, to in zip(self.names, self.columns, part):
            to.name, to.kind = name.encode(errors="replace") or None, c.kind
            if c.start is None:
                own = np.ascontiguousarray(c.numbers[first:last] if c.numbers is not None else None)
                to.numbers = own.ctypes.data
            else:
                own = c.start[first:last + 1]
                to.text, to.start = ctypes.cast(ctypes.c_char_p(c.words), c_void_p), own.ctypes.data
            part.kept.append(own)
        return part


def frame_of(X: Any) -> Frame | None:
    """Return a frame of pandas, polars or Arrow, or of what becomes one, as a table; None for anything else."""
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns"):
        dtypes = list(X.dtypes)
        if any(hasattr(dtype, "fill_value") for dtype in dtypes):  # a sparse one
            return None
        return Frame([_name(c) for c in X.columns], [_pandas(X.iloc[:, k]) for k in range(len(dtypes))], len(X))
    if hasattr(X, "get_columns"):  # polars
        return Frame([_name(c) for c in X.columns], [_typed(s, str(s.dtype), s.to_list) for s in X.get_columns()], len(X))
    if hasattr(X, "column_names") and hasattr(X, "itercolumns"):  # Arrow
        return Frame([_name(c) for c in X.column_names], [_typed(s, str(s.type), s.to_pylist) for s in X.itercolumns()],
                     X.num_rows)
    return frame_of(X.to_pandas()) if hasattr(X, "__dataframe__") and hasattr(X, "to_pandas") else None


def frame_of_array(X: Any, names: Any) -> Frame:
    """Return the rows of a matrix, perhaps of words, as a table."""
    kind = {"f": _NUMBERS, "i": _NUMBERS, "u": _NUMBERS, "b": _TRUTH}.get(X.dtype.kind)
    columns = [_objects(X[:, k].tolist()) if kind is None else Cells(kind, np.asarray(X[:, k], np.float64))
               for k in range(X.shape[1])]
    return Frame([""] * len(columns) if names is None else list(names), columns, len(X))


def _name(name: Any) -> str:
    return name if isinstance(name, str) else ""


def _pandas(series: Any) -> Cells:
    dtype = series.dtype
    kind, fixed = getattr(dtype, "kind", "O"), False
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        fixed = getattr(dtype.categories.dtype, "kind", "O") in "iuf"
        kind = "O"
    if kind in "iufb":
        return Cells(_TRUTH if kind == "b" else _NUMBERS, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind == "M":
        if getattr(dtype, "tz", None) is not None:
            series = series.dt.tz_localize(None)  # what the clock on the wall showed
        values = series.to_numpy()
        if values.dtype.kind == "M":
            whole = values.astype("datetime64[s]")
            seconds = whole.astype(np.int64) + (values - whole) / np.timedelta64(1, "s")
            return Cells(_TIMES, np.where(np.isnat(values), np.nan, seconds))
    values = series.to_numpy(dtype=object).copy()
    values[series.isna().to_numpy(dtype=bool)] = None
    return _objects(values.tolist(), fixed)


def _typed(series: Any, dtype: str, objects: Any) -> Cells:
    """Return a column of polars or of Arrow by the name of its type."""
    if dtype.lower().rstrip("0123456789") in ("int", "uint", "float", "double", "halffloat"):
        values = series.to_numpy(zero_copy_only=False) if hasattr(series, "type") and not hasattr(series, "chunks") \
            else series.to_numpy()
        return Cells(_NUMBERS, np.asarray(values, np.float64))
    return _objects(objects(), dtype.startswith("dictionary"))


def _objects(values: list[Any], fixed: bool = False) -> Cells:
    """Return a column of any objects."""
    there = [v is not None and type(v).__name__ not in _NOTHING and not (isinstance(v, _REAL) and v != v) for v in values]
    kinds = {type(v) for v, is_there in zip(values, there) if is_there}

    def all_are(*types: Any) -> bool:
        return all(issubclass(kind, types) for kind in kinds)

    def each(number: Any) -> Matrix:
        return np.array([number(v) if is_there else np.nan for v, is_there in zip(values, there)], np.float64)

    if kinds and all_are(bool, np.bool_):
        return Cells(_TRUTH, each(float))
    if all_are(numbers.Real, decimal.Decimal):
        return Cells(_NUMBERS, each(float), fixed=fixed)
    if all_are(datetime.date):
        return Cells(_TIMES, each(_seconds))
    words = [word(v) if is_there else b"" for v, is_there in zip(values, there)]
    start = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(w) for w in words], out=start[1:])
    return Cells(_WORDS, None, b"".join(words), start)


def _seconds(when: Any) -> float:
    """Return the seconds since 1970 of a date, by what a clock on the wall showed."""
    if not isinstance(when, datetime.datetime):
        when = datetime.datetime(when.year, when.month, when.day)
    gone = when.replace(tzinfo=None) - _EPOCH
    return float(gone.days * 86400 + gone.seconds + gone.microseconds / 1e6)


def word(value: Any) -> bytes:
    """Return a value as the cell of a file."""
    if isinstance(value, str):
        return value.encode(errors="replace")
    if isinstance(value, bytes):
        return value
    if isinstance(value, (float, np.floating)) and value == np.floor(value) and abs(float(value)) < 1e15:
        return b"%d" % int(value)
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return _clock(np.timedelta64(value) / np.timedelta64(1, "s")).encode()
    if hasattr(value, "isoformat") and not isinstance(value, type):
        return str(value.isoformat()).replace("T", " ").encode()
    if isinstance(value, (list, tuple, dict, set, np.ndarray)):
        raise TypeError(f"argument must be a string, a number or a date in each cell of a table, not {type(value).__name__}")
    return str(value).encode(errors="replace")


def date(text: str) -> Any:
    """Return the date, perhaps with a time of day, that the library writes."""
    return datetime.datetime.strptime(text, "%Y-%m-%d" + (" %H:%M:%S" if ":" in text else ""))


def _clock(seconds: float) -> str:
    whole, fraction = divmod(round(abs(seconds) * 1e6), 1000000)
    text = f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" + (f".{fraction:06}" if fraction else "")
    return "-" + text if seconds < 0 else text


class Reading:
    """A table of training samples in the library, which frees it with this."""

    def __init__(self, frame: Frame, options: dict[str, Any], **targets: Any) -> None:
        self.number, self._process = 0, os.getpid()
        given, number, about = samples(np.empty((frame.n, 0)), **targets), c_uint64(), c_void_p()
        call("skm_table", frame.part(0, frame.n), len(frame.columns), byref(given), json.dumps(options).encode(),
             byref(number), byref(about))
        self.number, self.about = number.value, json.loads(text(about))

    # As of a model: the interpreter empties modules before it drops the last tables.
    def __del__(self, getpid: Callable[[], int] = os.getpid, native: Any = _native) -> None:
        """Free the table, in the process that has it."""
        if getattr(self, "number", 0) and self._process == getpid() and native._loaded is not None:
            native._loaded.skm_free(self.number)

    def rows(self) -> Matrix:
        """Return the samples."""
        x = np.empty((self.about["rows"], self.about["features"]))
        call("skm_table_rows", self.number, x.ctypes.data)
        return x

    def cells(self, x: Matrix) -> dict[int, list[str]]:
        """Return samples as the text of the cells of the columns that have features, by the column's number."""
        x, found = np.ascontiguousarray(x), c_void_p()
        call("skm_table_cells", self.number, x.ctypes.data, len(x), byref(found))
        return {column["column"]: column["cells"] for column in json.loads(text(found)) or []}

    def tell(self, names: list[str]) -> None:
        """Say once on stderr what was made of the columns, as the command does."""
        if tuple(names) not in _told:
            _told.add(tuple(names))
            for line in self.about.get("text", []):
                if line:
                    print("sparsekm:", line, file=sys.stderr)


def read(model: Any, frame: Frame, first: int, last: int) -> tuple[Matrix, dict[str, Any]]:
    """Return some rows of a table as a model takes them, and what was filled."""
    x, about = np.empty((last - first, model.info.features)), c_void_p()
    call("skm_read", model._number, frame.part(first, last), len(frame.columns), last - first, x.ctypes.data, byref(about))
    found: dict[str, Any] = json.loads(text(about))
    return x, found
