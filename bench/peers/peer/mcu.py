"""Writes scikit-learn's SVC as C by m2cgen: mcu.py DATA GAMMA zscore|none OUT. Prints vectors and scores."""
import sys
import m2cgen
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.svm import SVC

data, gamma, scale, out = sys.argv[1:]
x, y = load_svmlight_file(data)
x = x.toarray()
if scale == "zscore":
    s = x.std(0)
    x = (x - x.mean(0)) / np.where(s == 0, 1, s)
svc = SVC(C=1, gamma=float(gamma)).fit(x, y)
open(out, "w").write(m2cgen.export_to_c(svc))
print(svc.n_support_.sum(), 1 if len(svc.classes_) == 2 else len(svc.classes_))
