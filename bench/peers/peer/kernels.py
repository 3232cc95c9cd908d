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
# sums and products, with their terms as package gram has them: gamma is 1 / (2 length²)
f = lambda kernel, length=1.0, **o: {"kernel": kernel, "gamma": 0.5 / length**2, **o}
ard = lambda kernel, **o: {"kernel": kernel, "gamma": 0.5, "weights": (1 / wide**2).tolist(), **o}
dot = lambda s0, degree: {"kernel": "poly", "gamma": 1.0, "coef0": s0**2, "degree": degree}
c, t = k.ConstantKernel, lambda scale, *factors: {"scale": scale, "factors": factors}
sums = []
for name, kernel, terms in [
    ("C*RBF + C*Matern32", c(2.0) * k.RBF(0.7) + c(0.3) * k.Matern(3.0, nu=1.5),
     [t(2.0, f("rbf", 0.7)), t(0.3, f("matern32", 3.0))]),
    ("C*RBF*Matern52", c(1.7) * k.RBF(wide) * k.Matern(2.0, nu=2.5), [t(1.7, ard("rbf"), f("matern52", 2.0))]),
    ("RationalQuadratic + DotProduct**2", k.RationalQuadratic(1.3, 0.8) + k.DotProduct(0.6) ** 2,
     [t(1.0, f("rational-quadratic", 1.3, alpha=0.8)), t(1.0, dot(0.6, 2))]),
    ("(RBF + C)*(Matern12 + DotProduct)", (k.RBF(wide) + c(0.5)) * (k.Matern(wide, nu=0.5) + k.DotProduct(1.1)),
     [t(1.0, ard("rbf"), ard("matern12")), t(1.0, ard("rbf"), dot(1.1, 1)), t(0.5, ard("matern12")), t(0.5, dot(1.1, 1))]),
    ("(C*RBF)**3 + White", (c(1.5) * k.RBF(2.0)) ** 3 + k.WhiteKernel(0.4), [t(1.5**3, *[f("rbf", 2.0)] * 3)]),
    ("DotProduct*DotProduct + C", k.DotProduct(0.0) * k.DotProduct(2.0) + c(4.0),
     [t(1.0, f("linear"), dot(2.0, 1)), t(4.0)]),
]:
    sums.append({"name": name, "terms": terms, "values": kernel(x, x).tolist()})
json.dump({"sklearn": sklearn.__version__, "x": x.tolist(), "cases": cases, "sums": sums}, sys.stdout, indent=None)
print()
