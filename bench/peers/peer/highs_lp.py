"""highs_lp.py FILE [CHANGED]: the linear program of FILE (the format of writeRaw
in lp.go) by HiGHS's dual and primal simplex without presolve, on one thread, then once
more from each optimal basis under the costs and bounds of CHANGED.
Prints one line a solve: name, status, objective, seconds, iterations."""
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


lp = read(sys.argv[1])
for name, strategy in (("highs-dual", 1), ("highs-primal", 4)):
    h = highspy.Highs()
    for option, value in (("output_flag", False), ("presolve", "off"), ("solver", "simplex"), ("threads", 1), ("parallel", "off"), ("simplex_strategy", strategy)):
        h.setOptionValue(option, value)
    h.passModel(lp)
    run(h, name)
    if len(sys.argv) > 2:
        q = read(sys.argv[2])
        cols, rows = np.arange(q.num_col_, dtype=np.int32), np.arange(q.num_row_, dtype=np.int32)
        h.changeColsCost(len(cols), cols, np.array(q.col_cost_))
        h.changeColsBounds(len(cols), cols, np.array(q.col_lower_), np.array(q.col_upper_))
        h.changeRowsBounds(len(rows), rows, np.array(q.row_lower_), np.array(q.row_upper_))
        run(h, name + "-warm")
