# Trains free vectors under the squared hinge by NumPy and SciPy's L-BFGS: python3 direct.py POINTS K GAMMA C STEPS REPS.
# POINTS is CSV with the label, +1 or -1, first. Prints the least processor time of a training and the objective.
import json
import sys
import time

import numpy as np
from scipy.optimize import minimize
from sklearn.cluster import KMeans

name, k, gamma, c, steps, reps = sys.argv[1], *map(float, sys.argv[2:5]), *map(int, sys.argv[5:7])
k = int(k)
data = np.loadtxt(name, delimiter=",")
y, x = data[:, 0], data[:, 1:]
n, d = x.shape
square = (x**2).sum(1)


def exponent(z, zz, v):
    return np.exp(-gamma * np.maximum(0, zz[:, None] + (v**2).sum(1) - 2 * z @ v.T))


def objective(t, move):
    a, b, v = t[:k], t[k], t[k + 1 :].reshape(k, d)
    e, kvv = exponent(x, square, v), exponent(v, (v**2).sum(1), v)
    miss = np.maximum(0, 1 - y * (e @ a + b))
    r = -2 * c * y * miss
    ka = kvv @ a
    g = np.zeros_like(t)
    g[:k], g[k] = e.T @ r + ka, r.sum()
    if move:
        p, q = e * np.outer(r, a), kvv * np.outer(a, a)
        g[k + 1 :] = (2 * gamma * (p.T @ x - p.sum(0)[:, None] * v + q @ v - q.sum(1)[:, None] * v)).ravel()
    return a @ ka / 2 + c * miss @ miss, g


def train():
    up = min(k - 1, max(1, round(k * (y > 0).mean())))
    v = np.vstack([KMeans(m, n_init=1, max_iter=10, random_state=1).fit(x[y * s > 0]).cluster_centers_
                   for m, s in ((up, 1), (k - up, -1))])
    t = np.concatenate([np.zeros(k + 1), v.ravel()])
    t = minimize(objective, t, (False,), "L-BFGS-B", True, options={"maxiter": 100}).x
    return minimize(objective, t, (True,), "L-BFGS-B", True, options={"maxiter": steps, "maxcor": 20})


best = float("inf")
for _ in range(reps):
    start = time.process_time()
    found = train()
    best = min(best, time.process_time() - start)
print(json.dumps({"seconds": best, "objective": found.fun, "evaluations": found.nfev}))
