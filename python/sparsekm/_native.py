"""The library in C (capi/sparsekm.h), loaded when it is first used."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import sys
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from ._errors import spoken

Matrix = NDArray[np.float64]


class Info(ctypes.Structure):
    """skm_info."""

    _fields_ = [("features", c_int64), ("classes", c_int64), ("submodels", c_int64), ("vectors", c_int64),
                ("task", c_int32), ("probabilities", c_int32), ("variances", c_int32), ("sparse", c_int32),
                ("sets", c_int32), ("plain", c_int64)]


class Samples(ctypes.Structure):
    """skm_samples."""

    _fields_ = [("x", c_void_p), ("n", c_int64), ("d", c_int64), ("y", c_void_p), ("labels", POINTER(c_char_p)),
                ("classes", c_int64), ("values", c_void_p), ("weight", c_void_p), ("start", c_void_p),
                ("index", c_void_p), ("candidates", c_void_p)]


class Column(ctypes.Structure):
    """skm_column."""

    _fields_ = [("name", c_char_p), ("kind", c_int32), ("numbers", c_void_p), ("text", c_void_p), ("start", c_void_p)]


Teacher = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_double), c_int64, POINTER(c_double))
Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_char_p)


class Watch(ctypes.Structure):
    """skm_watch."""

    _fields_ = [("stop", POINTER(c_int32)), ("progress", Progress), ("user", c_void_p), ("patience", c_int64),
                ("job", POINTER(c_uint64))]


# Of what returns a code, the arguments before the text of the error.
_SIGNATURES: dict[str, list[Any]] = {
    "skm_parse": [c_char_p, c_size_t, POINTER(c_uint64)],
    "skm_save": [c_uint64, c_char_p, c_char_p],
    "skm_bytes": [c_uint64, c_char_p, POINTER(c_void_p), POINTER(c_size_t)],
    "skm_describe": [c_uint64, POINTER(Info)],
    "skm_label": [c_uint64, c_int64, POINTER(c_void_p)],
    "skm_parts": [c_uint64] + [c_void_p] * 6,
    "skm_decide": [c_uint64, c_void_p, c_int64, c_void_p, c_int],
    "skm_predict": [c_uint64, c_void_p, c_int64, c_void_p, c_int],
    "skm_probabilities": [c_uint64, c_void_p, c_int64, c_void_p, c_int],
    "skm_decide_samples": [c_uint64, POINTER(Samples), c_void_p, c_void_p, c_void_p, c_int],
    "skm_variances": [c_uint64, c_void_p, c_int64, c_void_p, c_int],
    "skm_sigmoids": [c_uint64, c_void_p, c_void_p],
    "skm_sets": [c_uint64, POINTER(Samples), c_void_p, c_int],
    "skm_intervals": [c_uint64, POINTER(Samples), c_void_p, c_int],
    "skm_train": [POINTER(Samples), c_char_p, POINTER(Watch), POINTER(c_uint64), POINTER(c_void_p)],
    "skm_reduce": [c_uint64, POINTER(Samples), c_char_p, POINTER(Watch), POINTER(c_uint64), POINTER(c_void_p)],
    "skm_distill": [POINTER(Samples), c_void_p, c_int64, Teacher, c_void_p, c_char_p, POINTER(Watch), POINTER(c_uint64),
                    POINTER(c_void_p)],
    "skm_table": [c_void_p, c_int64, POINTER(Samples), c_char_p, POINTER(c_uint64), POINTER(c_void_p)],
    "skm_table_rows": [c_uint64, c_void_p],
    "skm_table_cells": [c_uint64, c_void_p, c_int64, POINTER(c_void_p)],
    "skm_read": [c_uint64, c_void_p, c_int64, c_int64, c_void_p, POINTER(c_void_p)],
    "skm_export": [c_uint64, c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t)],
    "skm_wait": [c_uint64, c_int64, POINTER(c_uint64), POINTER(c_void_p)],
    "skm_methods": [POINTER(c_void_p)],
}

_RUNNING = 6
_PATIENCE = 20  # milliseconds until a signal's handler runs

_ERRORS: dict[int, type[Exception]] = {1: ValueError, 2: ValueError, 3: MemoryError, 4: TimeoutError}

_lock = threading.Lock()
_loaded: ctypes.CDLL | None = None
_process = 0


def library() -> ctypes.CDLL:
    """Return the library; in a child of fork(), which lacks its threads, raise RuntimeError instead of hanging."""
    global _loaded, _process
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _process = os.getpid()
                _loaded = _open()
    if _process != os.getpid():
        raise RuntimeError(
            "sparsekm was used before this process was forked, and its threads are not in the child; start processes "
            "with multiprocessing's 'spawn' or 'forkserver', or with joblib, or use sparsekm in the children alone")
    return _loaded


def _open() -> ctypes.CDLL:
    names = {"darwin": "libsparsekm.dylib", "win32": "sparsekm.dll"}
    lib = ctypes.CDLL(os.path.join(os.path.dirname(__file__), names.get(sys.platform, "libsparsekm.so")))
    for name, arguments in _SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = c_int, arguments + [POINTER(c_void_p)]
    lib.skm_version.restype, lib.skm_version.argtypes = c_char_p, []
    lib.skm_free.restype, lib.skm_free.argtypes = None, [c_uint64]
    lib.skm_free_text.restype, lib.skm_free_text.argtypes = None, [c_void_p]
    return lib


def call(name: str, *arguments: Any) -> bool:
    """Call a function and raise its error; return whether it goes on after the call."""
    lib, error = library(), c_void_p()
    code = getattr(lib, name)(*arguments, byref(error))
    if code in (0, _RUNNING):
        return bool(code)
    raise _ERRORS.get(code, RuntimeError)(spoken(text(error).decode()))


def text(pointer: c_void_p, size: int = -1) -> bytes:
    """Copy a text, or so many bytes, of the library and free it."""
    try:
        return ctypes.string_at(pointer, size)
    finally:
        library().skm_free_text(pointer)


def samples(X: Any, *, y: Any = None, labels: list[bytes] | None = None, values: Any = None, weight: Any = None,
           candidates: Samples | None = None) -> Samples:
    """Return skm_samples with references to its arrays. A sparse matrix must be canonical and without zeros."""
    sparse = not isinstance(X, np.ndarray)
    x = np.ascontiguousarray(X.data) if sparse else X
    p = Samples(x=x.ctypes.data, n=X.shape[0], d=X.shape[1])
    p.kept = x, y, values, weight, candidates
    if sparse:
        start, index = X.indptr.astype(np.int64), np.ascontiguousarray(X.indices, dtype=np.int32)
        p.start, p.index, p.rows = start.ctypes.data, index.ctypes.data, (start, index)
    if labels is not None:
        p.y, p.classes, p.labels = y.ctypes.data, len(labels), (c_char_p * len(labels))(*labels)
    if values is not None:
        p.values = values.ctypes.data
    if weight is not None:
        p.weight = weight.ctypes.data
    if candidates is not None:
        p.candidates = ctypes.addressof(candidates)
    return p


def methods() -> list[dict[str, Any]]:
    """Return the training methods with their parameters.

    Returns
    -------
    list of dict
        Of each method its name, about, paper, tasks ("classify", "regress", "one-class", "density"), params and
        own_kernel; of each parameter its name, doc, default, range and words.

    Examples
    --------
    >>> import sparsekm
    >>> [m["name"] for m in sparsekm.methods() if "one-class" in m["tasks"]]
    ['one-class', 'sparse-one-class']
    """
    listed = c_void_p()
    call("skm_methods", byref(listed))
    found: list[dict[str, Any]] = json.loads(text(listed))
    return found


def watched(name: str, *before: Any, show: Callable[[float, str], bool] | None = None) -> tuple[int, bytes]:
    """Call skm_train or skm_reduce with the arguments before the watch; return the model's number and the report.

    show is called in this thread, with the share that is done (-1 if unknown) and a text. It raises nothing. True stops
    the library, which returns the model so far.

    In the main thread, which is where signals arrive, it looks for them again and again, so that Ctrl-C (and whatever a
    signal handler raises) stops the library and is raised.
    """
    stop, job, number, report = c_int32(0), c_uint64(), c_uint64(), c_void_p()
    watch = Watch(ctypes.pointer(stop), Progress())
    if show:
        _told(lambda: call(name, *before, byref(watch), byref(number), byref(report)), watch, number, show)
        return number.value, text(report)
    if threading.current_thread() is threading.main_thread():
        watch.patience, watch.job = _PATIENCE, ctypes.pointer(job)
    try:
        running = call(name, *before, byref(watch), byref(number), byref(report))
        while running:
            running = call("skm_wait", job, _PATIENCE, byref(number), byref(report))
    except BaseException:
        stop.value = 1
        _end(job, number, report)
        raise
    return number.value, text(report)


def _end(job: c_uint64, number: c_uint64, report: c_void_p) -> None:
    """Wait for a call that was stopped, whose results nobody wants."""
    lib, error = library(), c_void_p()
    code = _RUNNING if job.value else 0
    while code == _RUNNING:
        try:
            code = lib.skm_wait(job, _PATIENCE, byref(number), byref(report), byref(error))
        except BaseException:  # a further signal: the library still reads the caller's arrays
            continue
    lib.skm_free(number)
    for left in (report, error):
        lib.skm_free_text(left)


def _told(run: Callable[[], Any], watch: Watch, number: c_uint64, show: Callable[[float, str], bool]) -> None:
    """Run in the background, and answer its events here, while it waits for the answers; signals interrupt the wait."""
    events: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
    answers: queue.SimpleQueue[int] = queue.SimpleQueue()
    failed: list[BaseException] = []

    def tell(_: Any, done: float, message: bytes) -> int:
        if watch.stop[0]:  # nobody waits for events any more
            return 1
        events.put((done, message.decode()))
        return answers.get()

    def guarded() -> None:
        try:
            run()
        except BaseException as error:  # raised again below, in the thread that asked
            failed.append(error)
        finally:
            events.put(None)

    watch.progress = Progress(tell)
    library()
    threading.Thread(target=guarded, daemon=True).start()
    try:
        while (event := events.get()) is not None:
            answers.put(int(show(*event)))
    except BaseException:
        watch.stop[0] = 1
        answers.put(1)  # to the event that the signal interrupted, if one did
        while events.get() is not None:
            pass
        library().skm_free(number)
        raise
    if failed:
        raise failed[0]
