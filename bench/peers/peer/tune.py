"""Times scikit-learn's GridSearchCV of SVC on given folds, processor time of one process.

tune.py FILE FOLDS REPS C,C,... GAMMA,GAMMA,...; FOLDS has the test rows of a fold a line.
"""
import json
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

path, folds, reps = sys.argv[1], sys.argv[2], int(sys.argv[3])
cs, gammas = ([float(v) for v in a.split(",")] for a in sys.argv[4:6])
x, y = load_svmlight_file(path)
x = np.ascontiguousarray(x.toarray())
tests = [np.array(line.split(), dtype=int) for line in open(folds)]
splits = [(np.setdiff1d(np.arange(len(y)), t), t) for t in tests]
best = float("inf")
for rep in range(reps + 1):  # the first warms up
    search = GridSearchCV(SVC(), {"C": cs, "gamma": gammas}, cv=splits, n_jobs=1, refit=False)
    start = time.process_time()
    search.fit(x, y)
    if rep:
        best = min(best, time.process_time() - start)
errors = {}
for i, p in enumerate(search.cv_results_["params"]):
    errors[f"{p['C']:g} {p['gamma']:g}"] = [
        round((1 - search.cv_results_[f"split{f}_test_score"][i]) * len(t)) for f, t in enumerate(tests)]
print(json.dumps({"seconds": best, "errors": errors}))
