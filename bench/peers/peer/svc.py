"""Times scikit-learn's SVC, with argument "ex" that of scikit-learn-intelex, on dense data.

svc.py FILE C GAMMA EPS REPS [ex]
"""
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file

path, c, gamma, eps, reps = sys.argv[1], *map(float, sys.argv[2:6])
if sys.argv[6:] == ["ex"]:
    from daal4py import daalinit
    from sklearnex.svm import SVC
    daalinit(1)
else:
    from sklearn.svm import SVC
x, y = load_svmlight_file(path)
x = np.ascontiguousarray(x.toarray())
best = float("inf")
for rep in range(int(reps) + 1):  # the first is a warm-up
    start = time.perf_counter()
    m = SVC(C=c, gamma=gamma, tol=eps, cache_size=100).fit(x, y)
    if rep:
        best = min(best, time.perf_counter() - start)
sv, a = x[m.support_], m.dual_coef_[0]
k = np.exp(-gamma * np.maximum(0, (sv**2).sum(1)[:, None] + (sv**2).sum(1) - 2 * sv @ sv.T))
print("seconds", best)
print("objective", repr(float(abs(a).sum() - 0.5 * a @ k @ a)))
print("sv", len(a))
