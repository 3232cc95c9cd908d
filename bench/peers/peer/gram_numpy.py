"""Seconds for an n×n RBF Gram matrix: gram_numpy.py n reps d... prints, for each d
and type, "d type sklearn numpy". numpy is the blocked in-place form: one GEMM of
augmented factors a block of rows writes the exponents, then exp in place."""
import sys
import time

import numpy as np

try:
    from sklearn.metrics.pairwise import rbf_kernel
except ImportError:
    rbf_kernel = None


def best(reps, f):
    times = []
    for _ in range(reps):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def blocked(x, gamma, out, rows):
    square = gamma * (x * x).sum(axis=1, keepdims=True)
    one = np.ones_like(square)
    left = np.ascontiguousarray(np.hstack([2 * gamma * x, -square, -one]))
    right = np.ascontiguousarray(np.hstack([x, one, square]).T)
    for i in range(0, len(x), rows):
        block = out[i:i + rows]
        np.matmul(left[i:i + rows], right, out=block)
        np.exp(block, out=block)


def main():
    n, reps = int(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(1)
    for d in map(int, sys.argv[3:]):
        for dtype in (np.float64, np.float32):
            x = rng.standard_normal((n, d)).astype(dtype)
            gamma = dtype(0.5 / d)
            out = np.empty((n, n), dtype)
            numpy = min(best(reps, lambda: blocked(x, gamma, out, rows)) for rows in (64, 256))
            sk = best(reps, lambda: rbf_kernel(x, gamma=gamma)) if rbf_kernel else float("inf")
            print(d, np.dtype(dtype).name, sk, numpy, flush=True)


main()
