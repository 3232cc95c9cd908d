"""peers.py CASE ARGUMENTS: what bench/peers times of Python's packages, on one thread. Each case says what it takes, and
prints a line of JSON, or of numbers. Times are seconds of the processor, the least of the repetitions."""
import json
import os
import signal
import sys
import time

import numpy as np


def least(repetitions, work, warm=0, clock=time.process_time):
    """The least time of the work, and what it returned; the first runs warm up."""
    best, result = np.inf, None
    for run in range(int(repetitions) + warm):
        start = clock()
        result = work()
        if run >= warm:
            best = min(best, clock() - start)
    return best, result


def numbers(path):
    """A reader of the numbers of a binary file, by type and count."""
    file = open(path, "rb")
    return lambda kind, count: np.fromfile(file, kind, int(count))


def libsvm_file(path, dense=True):
    from sklearn.datasets import load_svmlight_file
    x, y = load_svmlight_file(path)
    return (np.ascontiguousarray(x.toarray()) if dense else x), y


def chol(product, *orders):
    """Orders of a product, and of factors and inverses: BLAS and LAPACK, once each."""
    from scipy.linalg import blas, lapack
    rng, seconds = np.random.default_rng(0), {}

    def timed(name, f, *args, **kwargs):
        seconds[name], result = least(1, lambda: f(*args, **kwargs))
        return result

    n = int(product)
    a, b, c = (np.asfortranarray(rng.random((n, n))) for _ in range(3))
    blas.dgemm(1.0, a[:500, :500], b[:500, :500])  # its buffers are there afterwards
    timed(f"product {n}", blas.dgemm, 1.0, a, b, beta=1.0, c=c, overwrite_c=1)
    for n in map(int, orders):
        a = rng.random((n, n))
        c = np.asfortranarray(a + a.T + 2 * n * np.eye(n))
        c, info = timed(f"factor {n}", lapack.dpotrf, c, lower=1, overwrite_a=1)
        assert info == 0
        c, info = timed(f"inverse {n}", lapack.dpotri, c, lower=1, overwrite_c=1)
        assert info == 0
        seconds[f"inverse {n}"] += seconds[f"factor {n}"]
    return seconds


def csv(path, repetitions):
    import pandas
    return {"read": least(repetitions, lambda: pandas.read_csv(path))[0]}


def direct(path, k, gamma, c, steps, repetitions):
    """Centres under the squared hinge by SciPy's L-BFGS; the file is CSV with the label, +1 or -1, first."""
    from scipy.optimize import minimize
    from sklearn.cluster import KMeans
    k, gamma, c = int(k), float(gamma), float(c)
    data = np.loadtxt(path, delimiter=",")
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
        return minimize(objective, t, (True,), "L-BFGS-B", True, options={"maxiter": int(steps), "maxcor": 20})

    best, found = least(repetitions, train)
    return {"seconds": best, "objective": found.fun, "evaluations": found.nfev}


def gram(n, repetitions, *dims):
    """Wall time of n×n RBF matrices: lines of features, type, scikit-learn's rbf_kernel, and the blocked form in place, in
    which one product of augmented factors a block of rows writes the exponents."""
    try:
        from sklearn.metrics.pairwise import rbf_kernel
    except ImportError:
        rbf_kernel = None

    def blocked(x, gamma, out, rows):
        square = gamma * (x * x).sum(axis=1, keepdims=True)
        one = np.ones_like(square)
        left = np.ascontiguousarray(np.hstack([2 * gamma * x, -square, -one]))
        right = np.ascontiguousarray(np.hstack([x, one, square]).T)
        for i in range(0, len(x), rows):
            block = out[i:i + rows]
            np.matmul(left[i:i + rows], right, out=block)
            np.exp(block, out=block)

    n, rng = int(n), np.random.default_rng(1)
    for d in map(int, dims):
        for dtype in (np.float64, np.float32):
            x, gamma, out = rng.standard_normal((n, d)).astype(dtype), dtype(0.5 / d), np.empty((n, n), dtype)
            wall = lambda work: least(repetitions, work, clock=time.perf_counter)[0]
            numpy = min(wall(lambda: blocked(x, gamma, out, rows)) for rows in (64, 256))
            print(d, np.dtype(dtype).name, wall(lambda: rbf_kernel(x, gamma=gamma)) if rbf_kernel else np.inf, numpy, flush=True)


def highs_program(read, m, n, entries):
    import highspy
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = m, n
    for name, count in (("col_cost_", n), ("col_lower_", n), ("col_upper_", n), ("row_lower_", m), ("row_upper_", m)):
        setattr(lp, name, read(np.float64, count))
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = read(np.int32, n + 1), read(np.int32, entries)
    lp.a_matrix_.value_ = read(np.float64, entries)
    return lp


def highs_solver(lp, **options):
    import highspy
    h = highspy.Highs()
    for option, value in dict(output_flag=False, threads=1, **options).items():
        h.setOptionValue(option, value)
    h.passModel(lp)
    return h


def highs(path, *more):
    """The program of a file (see raw in lp.go) by HiGHS's simplex: dual and primal without presolve, then once more from each
    basis under the costs and bounds of a second file. After --rights comes a file of upper bounds of the rows, which are
    solved one after the other, each from the last basis. Lines have name, status, objective, seconds and iterations."""
    import highspy

    def program(path):
        read = numbers(path)
        return highs_program(read, *read(np.int64, 3))

    def line(h, name, seconds, objective=None, iterations=None):
        info = h.getInfo()
        bad = int(h.getModelStatus() != highspy.HighsModelStatus.kOptimal)
        print(f"{name} {bad} {info.objective_function_value if objective is None else objective:.15g} {seconds:.9f} "
              f"{info.simplex_iteration_count if iterations is None else iterations}")

    lp = program(path)
    m = int(lp.num_row_)
    if more[:1] == ("--rights",):
        h, lower = highs_solver(lp, solver="simplex"), np.array(lp.row_lower_)
        h.run()
        bounds, rows = np.fromfile(more[1], np.float64).reshape(-1, m), np.arange(m, dtype=np.int32)

        def all_rights():
            total, count = 0.0, 0
            for right in bounds:
                h.changeRowsBounds(m, rows, lower, right)
                h.run()
                assert h.getModelStatus() == highspy.HighsModelStatus.kOptimal
                total += h.getObjectiveValue()
                count += h.getInfo().simplex_iteration_count
            return total, count

        best, (total, pivots) = least(3, all_rights)
        return line(h, "highs", best, total, pivots)
    for name, strategy in (("highs-dual", 1), ("highs-primal", 4)):
        h = highs_solver(lp, solver="simplex", presolve="off", parallel="off", simplex_strategy=strategy)
        line(h, name, least(1, h.run)[0])
        if more:
            q = program(more[0])
            cols, rows = np.arange(q.num_col_, dtype=np.int32), np.arange(m, dtype=np.int32)
            h.changeColsCost(len(cols), cols, np.array(q.col_cost_))
            h.changeColsBounds(len(cols), cols, np.array(q.col_lower_), np.array(q.col_upper_))
            h.changeRowsBounds(m, rows, np.array(q.row_lower_), np.array(q.row_upper_))
            line(h, name + "-warm", least(1, h.run)[0])


def quadratic_highs(lp, q, **options):
    """HiGHS with the lower triangle of q."""
    import highspy
    import scipy.sparse as sp
    lower, h = sp.csc_matrix(sp.tril(q)), highspy.HighsHessian()
    h.dim_, h.format_ = q.shape[0], highspy.HessianFormat.kTriangular
    h.start_, h.index_, h.value_ = lower.indptr, lower.indices, lower.data
    s = highs_solver(lp, **options)
    s.passHessian(h)
    return s


def maros(path, solver):
    """The quadratic program of a file (see marosPeers in maros.go), sparse, to 1e-9: its objective and the time."""
    import scipy.sparse as sp
    read = numbers(path)
    m, n, entries, curves = read(np.int64, 4)
    offset, c, lo, up = read(np.float64, 1)[0], *(read(np.float64, n) for _ in range(3))
    row_lo, row_up = read(np.float64, m), read(np.float64, m)

    def matrix(rows, count):
        start, index = read(np.int32, n + 1), read(np.int32, count)
        return sp.csc_matrix((read(np.float64, count), index, start), shape=(rows, n))
    a, q = matrix(m, entries), matrix(n, curves)
    eps, equal = 1e-9, row_lo == row_up

    def piqp():
        import piqp
        s = piqp.SparseSolver()
        s.settings.eps_abs = s.settings.eps_rel = eps
        s.settings.max_iter = 1000
        s.setup(sp.triu(q, format="csc"), c, a[equal], row_lo[equal], a[~equal], row_lo[~equal], row_up[~equal], lo, up)
        s.solve()
        return s.result.x

    def clarabel():
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
        return clarabel.DefaultSolver(sp.triu(q, format="csc"), c, rows, right, cones, o).solve().x

    def highs():
        import highspy
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = m, n
        lp.col_cost_, lp.col_lower_, lp.col_upper_, lp.row_lower_, lp.row_upper_ = c, lo, up, row_lo, row_up
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = a.indptr, a.indices, a.data
        s = quadratic_highs(lp, q, time_limit=60.0)
        s.run()
        return s.getSolution().col_value

    best, x = least(1, {"piqp": piqp, "clarabel": clarabel, "highs": highs}[solver])
    x = np.array(x)
    print(repr(float(x @ (q @ x) / 2 + c @ x + offset)), best)


def mcu(path, gamma, scale, out):
    """Writes C of scikit-learn's SVC by m2cgen: support vectors and scores."""
    import m2cgen
    from sklearn.svm import SVC
    x, y = libsvm_file(path)
    if scale == "zscore":
        deviation = x.std(0)
        x = (x - x.mean(0)) / np.where(deviation == 0, 1, deviation)
    model = SVC(C=1, gamma=float(gamma)).fit(x, y)
    with open(out, "w") as f:
        f.write(m2cgen.export_to_c(model))
    print(model.n_support_.sum(), 1 if len(model.classes_) == 2 else len(model.classes_))


def nnls(path, repetitions):
    """The problems of a file (see runNNLS in nnls.go)."""
    from scipy.optimize import nnls
    read = numbers(path)
    m, n, k = read(np.int64, 3)
    a, b = read(np.float64, m * n).reshape(m, n), read(np.float64, k * m).reshape(k, m)
    best, r = least(repetitions, lambda: [nnls(a, v)[1] for v in b])
    return [best / k, [float(v * v / 2) for v in r], 0.0]


def qp(path, repetitions, solver):
    """The programs of a file (see qpRows in qp.go), to 1e-8: cold, with a new solver for each vector of costs, and warm, by
    the solver's own update. By start: seconds a program, the objectives, and the largest violation."""
    import scipy.sparse as sp
    eps, read = 1e-8, numbers(path)
    n, m, k = read(np.int64, 3)
    q, a = read(np.float64, n * n).reshape(n, n), read(np.float64, m * n).reshape(m, n)
    up, costs = read(np.float64, m), read(np.float64, k * n).reshape(k, n)
    lo, free = np.full(m, -np.inf), np.full(m, -1e30)
    upper, sparse = sp.csc_matrix(np.triu(q)), sp.csc_matrix(a)

    def quadprog():
        import quadprog
        at, b = np.ascontiguousarray(-a.T), -up
        inverse = np.linalg.inv(np.linalg.cholesky(q)).T.copy()
        return (lambda c: quadprog.solve_qp(q, -c, at, b)[0],
                lambda c: quadprog.solve_qp(inverse, -c, at, b, 0, True)[0])

    def daqp():
        import daqp
        sense = np.zeros(m, dtype=np.int32)
        cold = lambda c: daqp.solve(q, c, a, up, free, sense)[0]
        if not hasattr(daqp, "Model"):
            return cold, None
        s = daqp.Model()
        s.setup(q, costs[0], a, up, free, sense)
        return cold, lambda c: (s.update(f=c), s.solve()[0])[1]

    def osqp():
        import osqp

        def new(c):
            s = osqp.OSQP()
            s.setup(upper, c, sparse, free, up, eps_abs=eps, eps_rel=eps, max_iter=200000, verbose=False)
            return s
        s = new(costs[0])
        return lambda c: new(c).solve().x, lambda c: (s.update(q=c), s.solve().x)[1]

    def piqp():
        import piqp

        def new(c):
            s = piqp.DenseSolver()
            s.settings.eps_abs = s.settings.eps_rel = eps
            s.settings.verbose = False
            s.setup(q, c, None, None, a, lo, up)
            return s

        def solved(s):
            s.solve()
            return np.array(s.result.x)
        s = new(costs[0])
        return lambda c: solved(new(c)), lambda c: (s.update(c=c), solved(s))[1]

    def proxqp():
        from proxsuite import proxqp

        def new(c):
            s = proxqp.dense.QP(n, 0, m)
            s.settings.eps_abs, s.settings.eps_rel = eps, 0
            s.init(q, c, None, None, a, free, up)
            return s

        def solved(s):
            s.solve()
            return np.array(s.results.x)
        s = new(costs[0])
        s.solve()
        s.settings.initial_guess = proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT
        return lambda c: solved(new(c)), lambda c: (s.update(g=c), solved(s))[1]

    def clarabel():
        import clarabel
        o = clarabel.DefaultSettings()
        o.verbose, o.max_threads = False, 1
        o.tol_gap_abs = o.tol_gap_rel = o.tol_feas = eps
        cones = [clarabel.NonnegativeConeT(int(m))]
        return lambda c: np.array(clarabel.DefaultSolver(upper, c, sparse, up, cones, o).solve().x), None

    def highs():
        import highspy
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = m, n
        lp.col_lower_, lp.col_upper_, lp.row_lower_, lp.row_upper_ = np.full(n, -np.inf), np.full(n, np.inf), lo, up
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = sparse.indptr, sparse.indices, sparse.data

        def cold(c):
            lp.col_cost_ = c
            s = quadratic_highs(lp, q)
            s.run()
            return np.array(s.getSolution().col_value)
        return cold, None

    def timed(solve):
        best, x = least(repetitions, lambda: [solve(c) for c in costs])
        return best / len(costs), [float(v @ q @ v / 2 + c @ v) for v, c in zip(x, costs)], float(max((a @ v - up).max() for v in x))

    solvers = {f.__name__: f for f in (quadprog, daqp, piqp, proxqp, clarabel, osqp, highs)}
    return {start: timed(f) for start, f in zip(("cold", "warm"), solvers[solver]()) if f}


def reduce(path, n, d, gamma, penalty, steps, repetitions, mode):
    """Wall time of Algorithm 2 of Kobayashi and Otsu: numpy by rank-one downdates in place, 64 columns at a time, blas by
    dsyr or dger, lapack by potrf, potri and pstrf. The file has n*d doubles, then n coefficients."""
    from scipy.linalg import blas, lapack
    n, d, steps, penalty = int(n), int(d), int(steps), float(penalty)
    read = numbers(path)
    x, alpha = read(np.float64, n * d).reshape(n, d), read(np.float64, n)
    sq = (x * x).sum(1)
    k = np.exp(-float(gamma) * np.maximum(0, sq[:, None] + sq[None, :] - 2 * x @ x.T))

    def inverse():
        a = np.asfortranarray(k + penalty * np.eye(n))
        c, info = lapack.dpotrf(a, lower=1, overwrite_a=1)
        assert info == 0
        h, info = lapack.dpotri(c, lower=1, overwrite_c=1)
        assert info == 0
        return h

    def dger(h, v, s):
        blas.dger(-s, v, v, a=h, overwrite_a=1)

    def dsyr(h, v, s):
        blas.dsyr(-s, v, lower=1, a=h, overwrite_a=1)

    def blocked(h, v, s):
        t = s * v
        for j in range(0, n, 64):
            h[:, j : j + 64] -= np.outer(v, t[j : j + 64])

    low = np.tril_indices(n, -1)

    def fastest():
        h = inverse()
        h.T[low] = h[low]
        trial, v = h.copy(order="F"), np.ascontiguousarray(h[:, 0])
        return min((blocked,) if mode == "numpy" else (dger, dsyr), key=lambda update: least(
            1, lambda: [update(trial, v, 1e-9) for _ in range(5)], clock=time.perf_counter)[0])

    def loop(update):
        triangular, h = update is dsyr, inverse()
        if not triangular:
            h.T[low] = h[low]
        c, order, alive = alpha.copy(), [], np.ones(n, bool)
        for _ in range(steps):
            diag = np.where(alive, np.diagonal(h), -np.inf)
            i = int(np.argmax(diag))
            v = np.concatenate((h[i, :i], h[i:, i])) if triangular else h[:, i].copy()
            v[~alive] = 0
            c -= (c[i] / diag[i]) * v
            update(h, v, 1 / diag[i])
            alive[i] = False
            order.append(i)
        return order, c[alive]

    def factors():
        h = inverse()
        _, piv, _, _ = lapack.dpstrf(h, lower=1, overwrite_a=1)
        order, keep = (piv[:steps] - 1).tolist(), np.ones(n, bool)
        keep[order] = False
        t = k @ alpha + penalty * alpha
        a = np.asfortranarray(k[np.ix_(keep, keep)] + penalty * np.eye(n - steps))
        l, info = lapack.dpotrf(a, lower=1, overwrite_a=1)
        assert info == 0
        c, info = lapack.dpotrs(l, t[keep], lower=1)
        assert info == 0
        return order, c

    update = None if mode == "lapack" else fastest()
    best, (order, coef) = least(repetitions, (lambda: loop(update)) if update else factors, clock=time.perf_counter)
    return {"seconds": best, "order": order, "coef": coef.tolist()}


def sparsest(path, c, gamma, k, objective, limit, *candidates):
    """The best choice of at most k of the candidates (rows from 0) of a LIBSVM file by HiGHS, as a mixed-integer linear
    program. ½ β² is the largest of its tangents; |β| <= M z, with the M of an objective that is reached: ½ β² cannot exceed
    it. The tangents are those of ½ β² (big-M) or of ½ β²/z (perspective)."""
    import highspy
    c, gamma, chosen = float(c), float(gamma), np.array([int(a) for a in candidates])
    x, y = libsvm_file(path)
    y = np.where(y > 0, 1.0, -1.0)
    a = y[:, None] * np.exp(-gamma * ((x[:, None, :] - x[None, chosen, :]) ** 2).sum(2))
    n, m = a.shape
    largest = np.sqrt(2 * float(objective))
    grid = np.linspace(0.05, 1, 20) * largest
    if largest > 4:
        grid = np.concatenate([np.arange(0.25, 4, 0.25), np.geomspace(4, largest, 8)])
    inf, index = highspy.kHighsInf, np.arange(m, dtype=np.int32)

    def solve(perspective):
        h = highspy.Highs()
        h.silent()
        for option, value in (("threads", 1), ("time_limit", float(limit)), ("mip_rel_gap", 1e-6)):
            h.setOptionValue(option, value)
        # β, t, z of each candidate; b; ξ of each sample
        cost = np.concatenate([np.zeros(m), np.ones(m), np.zeros(m + 1), np.full(n, c)])
        low = np.concatenate([np.full(m, -largest), np.zeros(2 * m), [-inf], np.zeros(n)])
        up = np.concatenate([np.full(m, largest), np.full(m, inf), np.ones(m), [inf], np.full(n, inf)])
        h.addVars(len(cost), low, up)
        for j, v in enumerate(cost):
            h.changeColCost(j, v)
        for j in range(m):
            h.changeColIntegrality(2 * m + j, highspy.HighsVarType.kInteger)
        for i in range(n):
            h.addRow(1.0, inf, m + 2, np.concatenate([index, [3 * m, 3 * m + 1 + i]]).astype(np.int32),
                     np.concatenate([a[i], [y[i], 1.0]]))
        for j in range(m):
            for sign in (-1.0, 1.0):
                h.addRow(-inf, 0.0, 2, np.array([j, 2 * m + j], np.int32), np.array([sign, -largest]))
            for s in np.concatenate([-grid, grid]):
                if perspective:
                    h.addRow(0.0, inf, 3, np.array([m + j, j, 2 * m + j], np.int32), np.array([1.0, -s, s * s / 2]))
                else:
                    h.addRow(-s * s / 2, inf, 2, np.array([m + j, j], np.int32), np.array([1.0, -s]))
        h.addRow(-inf, float(k), m, (2 * m + index).astype(np.int32), np.ones(m))
        seconds, info = least(1, h.run)[0], h.getInfo()
        return {"Seconds": seconds, "Objective": info.objective_function_value, "Bound": info.mip_dual_bound,
                "Done": h.getModelStatus() == highspy.HighsModelStatus.kOptimal}
    return {"bigM": solve(False), "perspective": solve(True)}


def svc(path, how, tolerance, repetitions, limit, *cells):
    """The times of scikit-learn's SVC at pairs "C γ", 0 where it takes more than the limit's seconds; "ex" for
    scikit-learn-intelex on dense data, "csr" for it on sparse data."""
    if how:
        from daal4py import daalinit
        from sklearnex.svm import SVC
        daalinit(1)
    else:
        from sklearn.svm import SVC
    x, y = libsvm_file(path, dense=how != "csr")

    def fit(cell):
        c, gamma = map(float, cell.split())
        model = SVC(C=c, gamma=gamma, tol=float(tolerance), cache_size=1000 if how == "csr" else 100)
        once, _ = least(1, lambda: model.fit(x, y))
        if once > 1 or how == "csr":
            return once
        return least(min(50, max(int(repetitions), 0.3 / once)) if int(repetitions) > 1 else 1, lambda: model.fit(x, y))[0]

    return {"seconds": [within(float(limit), lambda: fit(cell)) for cell in cells]}


def within(seconds, work):
    """The number that work returns in a process of its own, 0 where that takes too long. A timer of processor time would
    make that clock count in ticks of 4 ms."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            os.write(into, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(into)
    with open(out) as f:
        answer = f.read()
    os.waitpid(child, 0)
    return float(answer or 0)


def tune(path, folds, repetitions, cs, gammas):
    """GridSearchCV of SVC on given folds: a file has the test rows of a fold a line."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC
    x, y = libsvm_file(path)
    tests = [np.array(line.split(), dtype=int) for line in open(folds)]
    splits = [(np.setdiff1d(np.arange(len(y)), t), t) for t in tests]
    grid = {"C": [float(v) for v in cs.split(",")], "gamma": [float(v) for v in gammas.split(",")]}
    search = GridSearchCV(SVC(), grid, cv=splits, n_jobs=1, refit=False)
    best, _ = least(repetitions, lambda: search.fit(x, y), warm=1)
    errors = [[round((1 - search.cv_results_[f"split{f}_test_score"][i]) * len(t)) for f, t in enumerate(tests)]
              for i in range(len(search.cv_results_["params"]))]
    return {"seconds": best, "errors": errors}


cases = {f.__name__: f for f in (chol, csv, direct, gram, highs, maros, mcu, nnls, qp, reduce, sparsest, svc, tune)}
answer = cases[sys.argv[1]](*sys.argv[2:])
if answer is not None:
    print(json.dumps(answer))
