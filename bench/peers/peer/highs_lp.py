"""Solves the linear program of FILE (the format of writeRaw in lp.go) by HiGHS's simplex on one thread.

highs_lp.py FILE [CHANGED]: dual and primal without presolve, then once more from each optimal basis under the costs and
bounds of CHANGED. Prints one line a solve: name, status, objective, processor seconds, iterations.

highs_lp.py FILE --rights RIGHTS: again and again, each time from the last basis, with the upper bounds of the rows that
RIGHTS lists, a program after the other. Prints one line: the sum of the objectives, the best time of three runs.
"""
import sys
import time

import numpy as np
import highspy


def read(path):
    with open(path, "rb") as f:
        m, n, nnz = np.fromfile(f, np.int64, 3)
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = m, n
        lp.col_cost_ = np.fromfile(f, np.float64, n)
        lp.col_lower_ = np.fromfile(f, np.float64, n)
        lp.col_upper_ = np.fromfile(f, np.float64, n)
        lp.row_lower_ = np.fromfile(f, np.float64, m)
        lp.row_upper_ = np.fromfile(f, np.float64, m)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.fromfile(f, np.int32, n + 1)
        lp.a_matrix_.index_ = np.fromfile(f, np.int32, nnz)
        lp.a_matrix_.value_ = np.fromfile(f, np.float64, nnz)
        return lp


def run(h, name):
    t = time.process_time()
    h.run()
    t = time.process_time() - t
    info = h.getInfo()
    status = 0 if h.getModelStatus() == highspy.HighsModelStatus.kOptimal else 1
    print(f"{name} {status} {info.objective_function_value:.15g} {t:.9f} {info.simplex_iteration_count}")


def solver(lp, **options):
    h = highspy.Highs()
    for option, value in dict(output_flag=False, solver="simplex", threads=1, **options).items():
        h.setOptionValue(option, value)
    h.passModel(lp)
    return h


def strategies(lp, changed):
    for name, strategy in (("highs-dual", 1), ("highs-primal", 4)):
        h = solver(lp, presolve="off", parallel="off", simplex_strategy=strategy)
        run(h, name)
        if changed:
            q = read(changed)
            cols, rows = np.arange(q.num_col_, dtype=np.int32), np.arange(q.num_row_, dtype=np.int32)
            h.changeColsCost(len(cols), cols, np.array(q.col_cost_))
            h.changeColsBounds(len(cols), cols, np.array(q.col_lower_), np.array(q.col_upper_))
            h.changeRowsBounds(len(rows), rows, np.array(q.row_lower_), np.array(q.row_upper_))
            run(h, name + "-warm")


def rights(lp, file):
    m = int(lp.num_row_)
    bounds = np.fromfile(file, np.float64).reshape(-1, m)
    h = solver(lp)
    h.run()
    rows, lower = np.arange(m, dtype=np.int32), np.array(lp.row_lower_)
    best, status = float("inf"), 0
    for _ in range(3):
        total = 0.0
        t = time.process_time()
        for right in bounds:
            h.changeRowsBounds(m, rows, lower, right)
            h.run()
            total += h.getObjectiveValue()
        best = min(best, time.process_time() - t)
        status |= h.getModelStatus() != highspy.HighsModelStatus.kOptimal
    iterations = 0
    for right in bounds:
        h.changeRowsBounds(m, rows, lower, right)
        h.run()
        iterations += h.getInfo().simplex_iteration_count
    print(f"highs {int(status)} {total:.15g} {best:.9f} {iterations}")


lp = read(sys.argv[1])
if sys.argv[2:3] == ["--rights"]:
    rights(lp, sys.argv[3])
else:
    strategies(lp, sys.argv[2] if len(sys.argv) > 2 else None)
