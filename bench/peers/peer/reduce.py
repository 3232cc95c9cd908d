# Algorithm 2 of Kobayashi and Otsu in NumPy: python3 reduce.py POINTS N D GAMMA LAMBDA STEPS REPS MODE
# POINTS has N*D doubles, then N coefficients. MODE is numpy (in-place
# rank-one downdates, 64 columns at a time), blas (the same by dsyr or dger) or
# lapack (potrf + potri + pstrf, then one solve).
import json
import sys
import time

import numpy as np
from scipy.linalg import blas, lapack

path, mode = sys.argv[1], sys.argv[8]
n, d, steps, reps = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[6]), int(sys.argv[7])
gamma, lam = float(sys.argv[4]), float(sys.argv[5])
raw = np.fromfile(path)
x, alpha = raw[: n * d].reshape(n, d), raw[n * d :]
sq = (x * x).sum(1)
k = np.exp(-gamma * np.maximum(0, sq[:, None] + sq[None, :] - 2 * x @ x.T))


def inverse():
    a = np.asfortranarray(k + lam * np.eye(n))
    c, info = lapack.dpotrf(a, lower=1, overwrite_a=1)
    assert info == 0
    h, info = lapack.dpotri(c, lower=1, overwrite_c=1)
    assert info == 0
    return h


def rank_one_dger(h, v, s):
    blas.dger(-s, v, v, a=h, overwrite_a=1)


def rank_one_syr(h, v, s):
    blas.dsyr(-s, v, lower=1, a=h, overwrite_a=1)


def rank_one_blocked(h, v, s):
    t = s * v
    for j in range(0, n, 64):
        h[:, j : j + 64] -= np.outer(v, t[j : j + 64])


def loop():
    h = inverse()
    low = np.tril_indices(n, -1)
    h.T[low] = h[low]
    best = None
    for update in (rank_one_blocked,) if mode == "numpy" else (rank_one_dger, rank_one_syr):
        trial = h.copy(order="F")
        v = np.ascontiguousarray(h[:, 0])
        start = time.perf_counter()
        for _ in range(5):
            update(trial, v, 1e-9)
        spent = time.perf_counter() - start
        if best is None or spent < best[0]:
            best = (spent, update)
    del trial
    update, triangular = best[1], best[1] is rank_one_syr
    start = time.perf_counter()
    h = inverse()
    if not triangular:
        h.T[low] = h[low]
    c, order = alpha.copy(), []
    alive = np.ones(n, bool)
    for _ in range(steps):
        diag = np.where(alive, np.diagonal(h), -np.inf)
        i = int(np.argmax(diag))
        v = np.concatenate((h[i, :i], h[i:, i])) if triangular else h[:, i].copy()
        v[~alive] = 0
        c -= (c[i] / diag[i]) * v
        update(h, v, 1 / diag[i])
        alive[i] = False
        order.append(i)
    return time.perf_counter() - start, order, c[alive]


def with_lapack():
    start = time.perf_counter()
    h = inverse()
    _, piv, _, _ = lapack.dpstrf(h, lower=1, overwrite_a=1)
    order = (piv[:steps] - 1).tolist()
    keep = np.ones(n, bool)
    keep[order] = False
    t = k @ alpha + lam * alpha
    a = np.asfortranarray(k[np.ix_(keep, keep)] + lam * np.eye(n - steps))
    l, info = lapack.dpotrf(a, lower=1, overwrite_a=1)
    assert info == 0
    c, info = lapack.dpotrs(l, t[keep], lower=1)
    assert info == 0
    return time.perf_counter() - start, order, c


run = with_lapack if mode == "lapack" else loop
best = min((run() for _ in range(reps)), key=lambda r: r[0])
print(json.dumps({"seconds": best[0], "order": best[1], "coef": best[2].tolist()}))
