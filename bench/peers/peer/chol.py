# Times LAPACK's Cholesky factorisation and inverse: python3 chol.py ORDER REPS
import json
import sys
import time

import numpy as np
from scipy.linalg import lapack

n, reps = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
a = rng.random((n, n))
a = np.asfortranarray(a + a.T + 2 * n * np.eye(n))
potrf = potri = float("inf")
for _ in range(reps):
    c = a.copy(order="F")
    start = time.perf_counter()
    c, info = lapack.dpotrf(c, lower=1, overwrite_a=1)
    potrf = min(potrf, time.perf_counter() - start)
    assert info == 0
    start = time.perf_counter()
    c, info = lapack.dpotri(c, lower=1, overwrite_c=1)
    potri = min(potri, time.perf_counter() - start)
    assert info == 0
print(json.dumps({"factor": potrf, "inverse": potrf + potri}))
