"""Times scikit-learn's SVC, with argument "ex" that of scikit-learn-intelex on dense data, with "csr" on sparse data.

svc.py FILE C GAMMA EPS REPS [ex|csr]
"""
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file

path, c, gamma, eps, reps = sys.argv[1], *map(float, sys.argv[2:6])
how = sys.argv[6:]
if how:
    from daal4py import daalinit
    from sklearnex.svm import SVC
    daalinit(1)
else:
    from sklearn.svm import SVC
x, y = load_svmlight_file(path)
if how != ["csr"]:
    x = np.ascontiguousarray(x.toarray())
best = float("inf")
for rep in range(int(reps) + (how != ["csr"])):  # the first is a warm-up
    start = time.process_time()
    m = SVC(C=c, gamma=gamma, tol=eps, cache_size=1000 if how == ["csr"] else 100).fit(x, y)
    if rep or how == ["csr"]:
        best = min(best, time.process_time() - start)
print("seconds", best)
print("sv", len(m.support_))
