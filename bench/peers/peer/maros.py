"""maros.py FILE SOLVER: the quadratic program of FILE (see marosPeers in maros.go) by one solver on one thread, to 1e-9.
Prints its objective and processor seconds."""
import sys
import time

import numpy as np
import scipy.sparse as sp

with open(sys.argv[1], "rb") as f:
    m, n, entries, curves = np.fromfile(f, np.int64, 4)
    offset, c, lo, up = np.fromfile(f, np.float64, 1)[0], *(np.fromfile(f, np.float64, n) for _ in range(3))
    row_lo, row_up = np.fromfile(f, np.float64, m), np.fromfile(f, np.float64, m)

    def matrix(rows, count):
        start, index = np.fromfile(f, np.int32, n + 1), np.fromfile(f, np.int32, count)
        return sp.csc_matrix((np.fromfile(f, np.float64, count), index, start), shape=(rows, n))
    a, q = matrix(m, entries), matrix(n, curves)
eps, equal = 1e-9, row_lo == row_up


def piqp_():
    import piqp
    s = piqp.SparseSolver()
    s.settings.eps_abs = s.settings.eps_rel = eps
    s.settings.max_iter = 1000
    upper = sp.triu(q, format="csc")
    s.setup(upper, c, a[equal], row_lo[equal], a[~equal], row_lo[~equal], row_up[~equal], lo, up)
    s.solve()
    return np.array(s.result.x)


def clarabel_():
    import clarabel
    o = clarabel.DefaultSettings()
    o.verbose, o.max_threads, o.max_iter = False, 1, 1000
    o.tol_gap_abs = o.tol_gap_rel = o.tol_feas = eps
    unit = sp.identity(n, format="csc")
    parts = [(a[equal], row_up[equal])]
    for rows, v in ((a[~equal], row_up[~equal]), (-a[~equal], -row_lo[~equal]), (unit, up), (-unit, -lo)):
        parts.append((rows[np.isfinite(v)], v[np.isfinite(v)]))
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int(sum(len(v) for _, v in parts[1:])))]
    rows, right = sp.vstack([r for r, _ in parts], format="csc"), np.concatenate([v for _, v in parts])
    return np.array(clarabel.DefaultSolver(sp.triu(q, format="csc"), c, rows, right, cones, o).solve().x)


def highs_():
    import highspy
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = m, n
    lp.col_cost_, lp.col_lower_, lp.col_upper_, lp.row_lower_, lp.row_upper_ = c, lo, up, row_lo, row_up
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = a.indptr, a.indices, a.data
    lower = sp.tril(q, format="csc")
    h = highspy.HighsHessian()
    h.dim_, h.format_ = n, highspy.HessianFormat.kTriangular
    h.start_, h.index_, h.value_ = lower.indptr, lower.indices, lower.data
    s = highspy.Highs()
    s.silent()
    for option, value in (("threads", 1), ("time_limit", 60.0)):
        s.setOptionValue(option, value)
    s.passModel(lp)
    s.passHessian(h)
    s.run()
    return np.array(s.getSolution().col_value)


t = time.process_time()
x = {"piqp": piqp_, "clarabel": clarabel_, "highs": highs_}[sys.argv[2]]()
t = time.process_time() - t
print(repr(float(x @ (q @ x) / 2 + c @ x + offset)), t)
