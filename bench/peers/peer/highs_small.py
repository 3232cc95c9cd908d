"""highs_small.py FILE RIGHTS: the linear program of FILE (the format of writeRaw in lp.go) by HiGHS again and again,
each time from the last basis, with the upper bounds of its rows that RIGHTS lists, a program after the other.
Prints one line: name, status, sum of the objectives, processor seconds, iterations. The best of three runs counts."""
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


lp = read(sys.argv[1])
m = int(lp.num_row_)
rights = np.fromfile(sys.argv[2], np.float64).reshape(-1, m)
h = highspy.Highs()
for option, value in (("output_flag", False), ("solver", "simplex"), ("threads", 1)):
    h.setOptionValue(option, value)
h.passModel(lp)
h.run()
rows, lower = np.arange(m, dtype=np.int32), np.array(lp.row_lower_)
best, status = float("inf"), 0
for _ in range(3):
    total, iterations = 0.0, 0
    t = time.process_time()
    for right in rights:
        h.changeRowsBounds(m, rows, lower, right)
        h.run()
        total += h.getObjectiveValue()
    best = min(best, time.process_time() - t)
    status |= h.getModelStatus() != highspy.HighsModelStatus.kOptimal
for right in rights:
    h.changeRowsBounds(m, rows, lower, right)
    h.run()
    iterations += h.getInfo().simplex_iteration_count
print(f"highs {int(status)} {total:.15g} {best:.9f} {iterations}")
