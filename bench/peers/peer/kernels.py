"""Values of Gaussian processes' kernels by scikit-learn, which package gram compares with:

    python bench/peers/peer/kernels.py > gram/testdata/sklearn.json
"""
import json
import sys

import numpy as np
import sklearn
from sklearn.gaussian_process import kernels as k

rng = np.random.default_rng(1)
x = np.round(rng.normal(size=(8, 5)), 3)
x[1] = x[0] + 1e-6
cases = []
for length in (0.3, 1.0, 7.0):
    for nu, name in ((0.5, "matern12"), (1.5, "matern32"), (2.5, "matern52")):
        cases.append({"kernel": name, "length_scale": length, "values": k.Matern(length, nu=nu)(x).tolist()})
    for alpha in (0.5, 1.0, 3.7):
        values = k.RationalQuadratic(length, alpha)(x).tolist()
        cases.append({"kernel": "rational-quadratic", "length_scale": length, "alpha": alpha, "values": values})
wide = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
for nu, name in ((0.5, "matern12"), (1.5, "matern32"), (2.5, "matern52")):
    cases.append({"kernel": name, "length_scales": wide.tolist(), "values": k.Matern(wide, nu=nu)(x).tolist()})
json.dump({"sklearn": sklearn.__version__, "x": x.tolist(), "cases": cases}, sys.stdout, indent=None)
print()
