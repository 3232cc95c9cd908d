"""nnls.py FILE REPETITIONS: the non-negative least-squares problems of FILE (see runNNLS in nnls.go) by SciPy, on one
thread. Prints JSON: processor seconds a problem, the best of the repetitions, and half the squares of the residuals."""
import json
import sys
import time

import numpy as np
from scipy.optimize import nnls

with open(sys.argv[1], "rb") as f:
    m, n, k = np.fromfile(f, np.int64, 3)
    a = np.fromfile(f, np.float64, m * n).reshape(m, n)
    b = np.fromfile(f, np.float64, k * m).reshape(k, m)
best = np.inf
for _ in range(int(sys.argv[2])):
    t = time.process_time()
    r = [nnls(a, v)[1] for v in b]
    best = min(best, (time.process_time() - t) / k)
print(json.dumps([best, [float(v * v / 2) for v in r], 0.0]))
