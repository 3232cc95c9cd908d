"""Optima of the papers' first programs on the sets of testdata/, by SciPy's HiGHS,
scikit-learn's LIBLINEAR and NumPy, each stated here from the paper. The tests of
learn/ssvc, learn/skm and learn/lssvm compare with them:

    python bench/peers/peer/recorded.py > testdata/recorded.json
"""

import json
import sys

import numpy as np
import scipy
import sklearn
from scipy.optimize import linprog
from sklearn.svm import LinearSVC, LinearSVR


def read(name):
    rows = [line.split() for line in open("testdata/" + name)]
    d = max(int(w.split(":")[0]) for r in rows for w in r[1:])
    x = np.zeros((len(rows), d))
    for i, r in enumerate(rows):
        for w in r[1:]:
            j, v = w.split(":")
            x[i, int(j) - 1] = float(v)
    return x, np.array([float(r[0]) for r in rows])


def standardise(x):
    return (x - x.mean(0)) / x.std(0)


def rbf(x, gamma):
    s = (x * x).sum(1)
    k = np.exp(-gamma * np.maximum(0, s[:, None] + s[None, :] - 2 * x @ x.T))
    np.fill_diagonal(k, 1)
    return k


def program(y, columns, price, bound, c, free):
    """min price'z + c sum xi, y * (columns z + b) >= 1 - xi, 0 <= z <= bound, xi >= 0; b is
    an extra variable of either sign and no price if free."""
    n = len(y)
    a = [y[:, None] * columns, np.eye(n)]
    costs, bounds = [price, np.full(n, c)], [(0, bound)] * columns.shape[1] + [(0, None)] * n
    if free:
        a.append(y[:, None])
        costs.append([0.0])
        bounds.append((None, None))
    r = linprog(np.concatenate(costs), A_ub=-np.hstack(a), b_ub=-np.ones(n), bounds=bounds, method="highs",
                options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert r.status == 0, r.message
    return r.fun


def tube(t, columns, price, c, epsilon, free):
    """min price'z + c sum (xi + xi*), -epsilon - xi* <= t - columns z - b <= epsilon + xi, z >= 0."""
    n = len(t)
    a = [np.vstack([columns, -columns]), np.eye(2 * n)]
    costs, bounds = [price, np.full(2 * n, c)], [(0, None)] * (columns.shape[1] + 2 * n)
    if free:
        a.append(np.vstack([np.ones((n, 1)), -np.ones((n, 1))]))
        costs.append([0.0])
        bounds.append((None, None))
    r = linprog(np.concatenate(costs), A_ub=-np.hstack(a), b_ub=-np.concatenate([t - epsilon, -t - epsilon]),
                bounds=bounds, method="highs",
                options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert r.status == 0, r.message
    return r.fun


def values(name, x, k, t, c, epsilon):
    """The first programs of regression: of t by the kernel k of the points x."""
    n = len(t)
    one = np.hstack([np.ones((n, 1)), k])
    distinct = np.sort(np.unique(x, axis=0, return_index=True)[1])
    z = np.hstack([one[:, :1], k[:, distinct]])
    m = LinearSVR(loss="epsilon_insensitive", epsilon=epsilon, C=c, fit_intercept=False, tol=1e-10, max_iter=10**8,
                  random_state=0).fit(z, t)
    w = m.coef_
    return {
        "set": name, "c": c, "epsilon": epsilon,
        # Eq. (9) and (14) with lambda = 1 and the epsilon-insensitive loss, section 3.5.2.
        "ssvr_a": 0.5 * w @ w + c * np.maximum(0, np.abs(t - z @ w) - epsilon).sum(),
        "ssvr_b": tube(t, np.hstack([one, -one]), np.ones(2 * n + 2), c, epsilon, False),
        # Smola, Schoelkopf & Raetsch (1999): a free bias.
        "l1svr": tube(t, np.hstack([k, -k]), np.ones(2 * n), c, epsilon, True),
    }


def figures(name, x, y, k, c, gamma):
    n = len(y)
    one = np.hstack([np.ones((n, 1)), k])  # the bias is the coefficient 0 of Huang et al. (2010)
    out = {"set": name, "c": c}
    # Huang et al. (2010), eq. (14) with lambda = 1: alpha of either sign.
    out["ssvc_b"] = program(y, np.hstack([one, -one]), np.ones(2 * n + 2), None, c, False)
    # Eq. (9) with lambda = 1 is a linear machine without bias on the rows of (1, K). Points of
    # the same features share one coefficient.
    distinct = np.sort(np.unique(x, axis=0, return_index=True)[1])
    z = np.hstack([one[:, :1], k[:, distinct]])
    m = LinearSVC(loss="hinge", C=c, fit_intercept=False, tol=1e-9, max_iter=10**8, random_state=0).fit(z, y)
    w = m.coef_[0]
    out["ssvc_a"] = 0.5 * w @ w + c * np.maximum(0, 1 - y * (z @ w)).sum()
    # Kecman & Hadzic (2000): a free bias.
    out["lpsvc"] = program(y, np.hstack([k, -k]), np.ones(2 * n), None, c, True)
    # Peleg & Meir (2009), eq. (6).
    out["l1svm"] = program(y, k * y[None, :], np.ones(n), c, c, True)
    # Suykens et al. (2000), eq. (4): [0 y'; y Omega + I/gamma] (b, alpha) = (0, 1).
    omega = y[:, None] * k * y[None, :] + np.eye(n) / gamma
    s = np.linalg.solve(np.block([[np.zeros((1, 1)), y[None, :]], [y[:, None], omega]]), np.append(0, np.ones(n)))
    out["lssvm"] = {"gamma": gamma, "bias": s[0], "sum": np.abs(s[1:]).sum(), "least": np.abs(s[1:]).min()}
    return out


def main():
    ripley, yr = read("ripley.train.libsvm")
    pima, yp = read("diabetis.libsvm")
    ion, yi = read("ionosphere.libsvm")
    iris, _ = read("iris.libsvm")
    scaled = standardise(pima)
    json.dump({
        "versions": {"scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__},
        "command": "python bench/peers/peer/recorded.py",
        "sets": [
            figures("ripley.train.libsvm", ripley, yr, rbf(ripley, 2), 1, 1),
            figures("diabetis.libsvm", pima, yp, rbf(standardise(pima), 1 / 18), 0.5, 2),
            figures("ionosphere.libsvm", ion, yi, rbf(ion, 0.05), 3, 0.5),
        ],
        # The last feature by the others.
        "values": [
            values("iris.libsvm", iris[:, :3], rbf(iris[:, :3], 0.5), iris[:, 3], 2, 0.1),
            values("diabetis.libsvm", scaled[:, :7], rbf(scaled[:, :7], 1 / 18), scaled[:, 7], 0.5, 0.25),
        ],
    }, sys.stdout, indent="\t")
    print()


main()
