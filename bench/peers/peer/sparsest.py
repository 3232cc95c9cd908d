"""sparsest.py FILE C GAMMA K OBJECTIVE LIMIT CANDIDATES...: the best choice of at most K of the candidates (row numbers
from 0) of a LIBSVM file by HiGHS, one thread, as a mixed-integer linear program. ½ β² is the largest of its tangents.
|β| <= M z, with the M that follows from an objective that is reached: ½ β² cannot exceed it. The tangents are those of
½ β² (big-M) or of ½ β²/z (perspective). Prints JSON with seconds, objective, bound and status by form."""
import json
import sys
import time

import highspy
import numpy as np
from sklearn.datasets import load_svmlight_file

path, c, gamma, k, objective, limit = sys.argv[1], *map(float, sys.argv[2:7])
chosen = np.array([int(a) for a in sys.argv[7:]])
x, y = load_svmlight_file(path)
x, y = x.toarray(), np.where(y > 0, 1.0, -1.0)
a = y[:, None] * np.exp(-gamma * ((x[:, None, :] - x[None, chosen, :]) ** 2).sum(2))
n, m = a.shape
most = np.sqrt(2 * objective)
grid = np.concatenate([np.arange(0.25, 4, 0.25), np.geomspace(4, most, 8)]) if most > 4 else np.linspace(0.05, 1, 20) * most
tangents = np.concatenate([-grid, grid])


def solve(perspective):
    h = highspy.Highs()
    h.silent()
    h.setOptionValue("threads", 1)
    h.setOptionValue("time_limit", limit)
    h.setOptionValue("mip_rel_gap", 1e-6)
    inf = highspy.kHighsInf
    # β, t, z of each candidate; b; ξ of each sample
    cost = np.concatenate([np.zeros(m), np.ones(m), np.zeros(m + 1), np.full(n, c)])
    low = np.concatenate([np.full(m, -most), np.zeros(2 * m), [-inf], np.zeros(n)])
    up = np.concatenate([np.full(m, most), np.full(m, inf), np.ones(m), [inf], np.full(n, inf)])
    total = len(cost)
    h.addVars(total, low, up)
    for j in range(total):
        h.changeColCost(j, cost[j])
    for j in range(m):
        h.changeColIntegrality(2 * m + j, highspy.HighsVarType.kInteger)
    at = np.arange(m, dtype=np.int32)
    for i in range(n):
        h.addRow(1.0, inf, m + 2, np.concatenate([at, [3 * m, 3 * m + 1 + i]]).astype(np.int32),
                 np.concatenate([a[i], [y[i], 1.0]]))
    for j in range(m):
        for sign in (-1.0, 1.0):
            h.addRow(-inf, 0.0, 2, np.array([j, 2 * m + j], np.int32), np.array([sign, -most]))
        for s in tangents:
            if perspective:
                h.addRow(0.0, inf, 3, np.array([m + j, j, 2 * m + j], np.int32), np.array([1.0, -s, s * s / 2]))
            else:
                h.addRow(-s * s / 2, inf, 2, np.array([m + j, j], np.int32), np.array([1.0, -s]))
    h.addRow(-inf, k, m, (2 * m + at).astype(np.int32), np.ones(m))
    start = time.process_time()
    h.run()
    seconds = time.process_time() - start
    info = h.getInfo()
    return {"Seconds": seconds, "Objective": info.objective_function_value, "Bound": info.mip_dual_bound,
            "Nodes": int(info.mip_node_count), "Done": h.getModelStatus() == highspy.HighsModelStatus.kOptimal}


print(json.dumps({"bigM": solve(False), "perspective": solve(True)}))
