"""The Python estimators beside scikit-learn's SVC, in CPU seconds of one thread: python estimators.py BANANA.libsvm.

Wants the package of the folder python installed. Fits are the least of 15 (SVC 5) of all points; reductions are of ten
draws of 1000 points, the rest are tested.
"""

import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

from sparsekm import SSVC, ReducedSVC

X, y = load_svmlight_file(sys.argv[1])
X = np.ascontiguousarray(X.toarray())


def least(work, times):
    best = np.inf
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def line(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |")


line("task", "sparsekm", "SVC", "ratio")
line("---", "---", "---", "---")
ours, theirs = (least(lambda: e.fit(X, y), n) for e, n in ((SSVC("svc", C=1, gamma=1.0), 15), (SVC(C=1, gamma=1.0), 5)))
line(f"fit, {len(X)} points, C = 1, gamma = 1", f"{1e3 * ours:.1f} ms", f"{1e3 * theirs:.1f} ms", f"{theirs / ours:.1f}")
few, svc = SSVC("ssvc-a", C=1, gamma=1.0).fit(X[:400], y[:400]), SVC(C=1, gamma=1.0).fit(X[:400], y[:400])
for rows, times in ((1, 200), (len(X), 20)):
    ours, theirs = (least(lambda: e.decision_function(X[:rows]), times) for e in (few, svc))
    line(f"decision_function, {rows} rows, {len(few.support_)} vectors and {len(svc.support_)}", f"{1e6 * ours:.0f} µs",
         f"{1e6 * theirs:.0f} µs", f"{theirs / ours:.1f}")
print()
line("draw", "vectors of SVC()", "of ReducedSVC(SVC())", "share", "test error of SVC", "difference, points", "seconds")
line(*["---"] * 7)
for seed in range(10):
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = order[:1000], order[1000:]
    svc = SVC().fit(X[train], y[train])
    start = time.process_time()
    small = ReducedSVC(SVC()).fit(X[train], y[train])
    seconds = time.process_time() - start
    a, b = 100 * (1 - svc.score(X[test], y[test])), 100 * (1 - small.score(X[test], y[test]))
    n, k = len(svc.support_), len(small.support_vectors_)
    line(seed, n, k, f"{100 * k / n:.1f} %", f"{a:.2f} %", f"{b - a:+.2f}", f"{seconds:.2f}")
