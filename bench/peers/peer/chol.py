# Processor seconds of BLAS's product and LAPACK's factor and inverse, once each: python3 chol.py ORDER-OF-PRODUCT ORDER...
import json
import sys
import time

import numpy as np
from scipy.linalg import blas, lapack

rng = np.random.default_rng(0)
seconds = {}


def timed(name, f, *args, **kwargs):
    start = time.process_time()
    result = f(*args, **kwargs)
    seconds[name] = time.process_time() - start
    return result


n = int(sys.argv[1])
a, b, c = (np.asfortranarray(rng.random((n, n))) for _ in range(3))
blas.dgemm(1.0, a[:500, :500], b[:500, :500])  # its buffers are there afterwards
timed(f"product {n}", blas.dgemm, 1.0, a, b, beta=1.0, c=c, overwrite_c=1)
for n in map(int, sys.argv[2:]):
    a = rng.random((n, n))
    c = np.asfortranarray(a + a.T + 2 * n * np.eye(n))
    c, info = timed(f"factor {n}", lapack.dpotrf, c, lower=1, overwrite_a=1)
    assert info == 0
    c, info = timed(f"inverse {n}", lapack.dpotri, c, lower=1, overwrite_c=1)
    assert info == 0
    seconds[f"inverse {n}"] += seconds[f"factor {n}"]
print(json.dumps(seconds))
