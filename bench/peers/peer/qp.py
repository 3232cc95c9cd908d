"""qp.py FILE REPETITIONS SOLVER: the quadratic programs of FILE (see qpRows in qp.go) by one solver, on one thread,
to 1e-8: cold, with a new solver for each vector of costs, and warm, by the solver's own update of the costs. Prints JSON
by start: processor seconds a program, the best of the repetitions, the objectives, and the largest violation."""
import json
import sys
import time

import numpy as np
import scipy.sparse as sp

eps = 1e-8
with open(sys.argv[1], "rb") as f:
    n, m, k = np.fromfile(f, np.int64, 3)
    q = np.fromfile(f, np.float64, n * n).reshape(n, n)
    a = np.fromfile(f, np.float64, m * n).reshape(m, n)
    up = np.fromfile(f, np.float64, m)
    costs = np.fromfile(f, np.float64, k * n).reshape(k, n)
lo, free = np.full(m, -np.inf), np.full(m, -1e30)
repetitions = int(sys.argv[2])
upper, sparse = sp.csc_matrix(np.triu(q)), sp.csc_matrix(a)


def quadprog_():
    import quadprog
    at, b = np.ascontiguousarray(-a.T), -up
    cold = lambda c: quadprog.solve_qp(q, -c, at, b)[0]
    inverse = np.linalg.inv(np.linalg.cholesky(q)).T.copy()
    return cold, lambda c: quadprog.solve_qp(inverse, -c, at, b, 0, True)[0]


def daqp_():
    import daqp
    from ctypes import c_int
    sense = np.zeros(m, dtype=np.int32)
    cold = lambda c: daqp.solve(q, c, a, up, free, sense)[0]
    if not hasattr(daqp, "Model"):
        return cold, None
    s = daqp.Model()
    s.setup(q, costs[0], a, up, free, sense)

    def warm(c):
        s.update(f=c)
        return s.solve()[0]
    return cold, warm


def osqp_():
    import osqp

    def new(c):
        s = osqp.OSQP()
        s.setup(upper, c, sparse, free, up, eps_abs=eps, eps_rel=eps, max_iter=200000, verbose=False)
        return s
    s = new(costs[0])

    def warm(c):
        s.update(q=c)
        return s.solve().x
    return lambda c: new(c).solve().x, warm


def piqp_():
    import piqp

    def new(c):
        s = piqp.DenseSolver()
        s.settings.eps_abs = s.settings.eps_rel = eps
        s.settings.verbose = False
        s.setup(q, c, None, None, a, lo, up)
        return s

    def cold(c):
        s = new(c)
        s.solve()
        return np.array(s.result.x)
    s = new(costs[0])

    def warm(c):
        s.update(c=c)
        s.solve()
        return np.array(s.result.x)
    return cold, warm


def proxqp_():
    from proxsuite import proxqp

    def new(c):
        s = proxqp.dense.QP(n, 0, m)
        s.settings.eps_abs, s.settings.eps_rel = eps, 0
        s.init(q, c, None, None, a, free, up)
        return s

    def cold(c):
        s = new(c)
        s.solve()
        return np.array(s.results.x)
    s = new(costs[0])
    s.solve()
    s.settings.initial_guess = proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT

    def warm(c):
        s.update(g=c)
        s.solve()
        return np.array(s.results.x)
    return cold, warm


def clarabel_():
    import clarabel
    o = clarabel.DefaultSettings()
    o.verbose, o.max_threads = False, 1
    o.tol_gap_abs = o.tol_gap_rel = o.tol_feas = eps
    cones = [clarabel.NonnegativeConeT(int(m))]
    return lambda c: np.array(clarabel.DefaultSolver(upper, c, sparse, up, cones, o).solve().x), None


def highs_():
    import highspy
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = m, n
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = costs[0], np.full(n, -np.inf), np.full(n, np.inf)
    lp.row_lower_, lp.row_upper_ = lo, up
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = sparse.indptr, sparse.indices, sparse.data
    lower = sp.csc_matrix(np.tril(q))
    h = highspy.HighsHessian()
    h.dim_, h.format_ = n, highspy.HessianFormat.kTriangular
    h.start_, h.index_, h.value_ = lower.indptr, lower.indices, lower.data

    def cold(c):
        s = highspy.Highs()
        s.silent()
        s.setOptionValue("threads", 1)
        lp.col_cost_ = c
        s.passModel(lp)
        s.passHessian(h)
        s.run()
        return np.array(s.getSolution().col_value)
    return cold, None


def seconds(solve):
    best = np.inf
    for _ in range(repetitions):
        t = time.process_time()
        x = [solve(c) for c in costs]
        best = min(best, (time.process_time() - t) / len(costs))
    return best, [float(v @ q @ v / 2 + c @ v) for v, c in zip(x, costs)], float(max((a @ v - up).max() for v in x))


solvers = {f.__name__[:-1]: f for f in (quadprog_, daqp_, piqp_, proxqp_, clarabel_, osqp_, highs_)}
cold, warm = solvers[sys.argv[3]]()
out = {"cold": seconds(cold)}
if warm:
    out["warm"] = seconds(warm)
print(json.dumps(out))
