"""One row by a LightGBM model's compilers, and by its student: python onerow.py COMMAND

COMMAND is sparsekm. Teachers are tuned boosting (the search of distill.py) and 500 trees of 31 leaves, on three rules of
thresholds (8 features) and on ringnorm and Friedman 1 of 20 features. Rivals: C of treelite (tl2cgen, gcc -O3), lleaves
(LLVM, no cache blocks), both called from C and by their Python packages, and ONNX Runtime from Python. The student has
32 vectors or steps; its time is of the C of `convert --to c-float`, and of Go (the report). Every time is the least of
many bursts of calls for different rows, one thread, in nanoseconds. Needs lightgbm, tl2cgen, lleaves with llvmlite below
0.45, onnxmltools, onnxruntime and gcc.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import lightgbm
import lleaves
import numpy as np
import onnxruntime
import tl2cgen
import treelite
from onnxmltools import convert_lightgbm
from onnxmltools.convert.common.data_types import FloatTensorType
from sklearn.datasets import make_friedman1
from sklearn.model_selection import RandomizedSearchCV

warnings.simplefilter("ignore")
GRID = {"learning_rate": [0.03, 0.1, 0.2], "num_leaves": [4, 8, 16, 31], "n_estimators": [50, 100, 200],
        "min_child_samples": [5, 20], "reg_lambda": [0, 1]}


def steps(n, r):
    X = r.random((n, 8))
    s = np.sign(X[:, 0] - 0.5) + 2.0 * ((X[:, 1] > 0.3) & (X[:, 2] < 0.6)) - 1 + 0.8 * np.sign(X[:, 3] - 0.7)
    return X, np.where(s + 0.3 * r.normal(size=n) > 0, 1, -1)


def ringnorm(n, r):
    y = np.where(r.random(n) < 0.5, 1, -1)
    X = r.normal(size=(n, 20))
    return np.where(y[:, None] > 0, 2 * X, X + 2 / np.sqrt(20)), y


BURST = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
%s
int main(int argc, char **argv) {
  int n = atoi(argv[1]), d = %d;
  double *x = malloc(sizeof *x * n * d), best = 1e9, sum = 0;
  FILE *f = fopen(argv[2], "rb");
  if (fread(x, sizeof *x, (size_t)n * d, f) == 0) return 1;
%s
  for (int burst = 0; burst < 40000; burst++) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 20; i++) { int q = (burst * 20 + i) %% n; %s }
    clock_gettime(CLOCK_MONOTONIC, &b);
    double t = ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / 20;
    if (t < best) best = t;
  }
  printf("%%.1f\n", best);
  return sum == 0.123;
}
"""


def burst(folder, name, head, prepare, call, d, rows, objects=()):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w") as f:
        f.write(BURST % (head, d, prepare, call))
    subprocess.run(["gcc", "-O3", "-march=native", source, *objects, "-lm", "-o", program], check=True, cwd=folder)
    data = os.path.join(folder, "rows.bin")
    rows.astype(np.float64).tofile(data)
    return float(subprocess.run([program, str(len(rows)), data], check=True, stdout=subprocess.PIPE).stdout)


def calls(rows, f):
    best = np.inf
    for k in range(0, len(rows) - 10, 10):
        start = time.perf_counter()
        for x in rows[k:k + 10]:
            f(x)
        best = min(best, (time.perf_counter() - start) / 10)
    return 1e9 * best


def by_treelite(folder, file, d, rows):
    model = treelite.frontend.load_lightgbm_model(file)
    out = os.path.join(folder, "tl")
    params = {"parallel_comp": 8, "quantize": 1}
    tl2cgen.generate_c_code(model, out, params=params)
    sources = [os.path.join(out, s) for s in os.listdir(out) if s.endswith(".c")]
    objects = []
    for s in sources:
        subprocess.run(["gcc", "-O3", "-march=native", "-c", s, "-o", s[:-2] + ".o"], check=True, cwd=out)
        objects.append(s[:-2] + ".o")
    head = f'#include "{out}/header.h"\n'
    prepare = ("  union Entry *e = malloc(sizeof *e * n * d);\n"
               "  for (int i = 0; i < n * d; i++) { e[i].missing = -1; e[i].fvalue = x[i]; }\n"
               "  union Entry *row = malloc(sizeof *row * d); double result[1] = {0};\n")
    # quantized C overwrites the row, so it is copied first
    call = "memcpy(row, e + q * d, sizeof *row * d); predict(row, 0, result); sum += result[0];"
    library = os.path.join(folder, "tl.so")
    tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params=params)
    p = tl2cgen.Predictor(library, nthread=1)
    return (burst(folder, "treelite", "#include <string.h>\n" + head, prepare, call, d, rows, objects),
            calls([tl2cgen.DMatrix(r[None]) for r in rows], p.predict))


def by_lleaves(folder, file, d, rows):
    best = np.inf
    for model in ("small", "large"):
        m = lleaves.Model(model_file=file)
        cache = os.path.join(folder, f"lleaves.{model}.o")
        m.compile(cache=cache, fblocksize=m.num_trees() if hasattr(m, "num_trees") else 10**6, fcodemodel=model)
        head = "void forest_root(double *, double *, int, int);\n"
        call = "double r; forest_root(x + q * d, &r, 0, 1); sum += r;"
        best = min(best, burst(folder, "lleaves", head, "", call, d, rows, [cache, "-no-pie"]))
    return best, calls([r[None] for r in rows], lambda x: m.predict(x, n_jobs=1))


def by_onnx(booster, d, rows):
    onnx = convert_lightgbm(booster, initial_types=[("x", FloatTensorType([None, d]))], zipmap=False, target_opset=15)
    o = onnxruntime.SessionOptions()
    o.intra_op_num_threads = o.inter_op_num_threads = 1
    s = onnxruntime.InferenceSession(onnx.SerializeToString(), o)
    wanted = [s.get_outputs()[-1].name]
    return calls([{"x": r[None].astype(np.float32)} for r in rows], lambda x: s.run(wanted, x))


def by_student(command, folder, file, data, values, d, rows):
    student, header = os.path.join(folder, "student.skm"), os.path.join(folder, "student.h")
    args = [command, "distill", file, data, "--header", "no", "--columns", "strict", "--max-sv", "32", "--out", student,
            "--force", "--json", "--quiet", "--threads", "1", "--task", "regress" if values else "classify"]
    report = json.loads(subprocess.run(args, check=True, stdout=subprocess.PIPE).stdout)
    subprocess.run([command, "convert", "--to", "c-float", "--name", "student", "-o", header, "--force", student],
                   check=True, stdout=subprocess.DEVNULL)
    prepare = ("  float *y = malloc(sizeof *y * n * d);\n  for (int i = 0; i < n * d; i++) y[i] = x[i];\n")
    call = "float r[8]; student_decide(y + q * d, r); sum += r[0];"
    c = burst(folder, "student", "#include \"student.h\"\n", prepare, call, d, rows)
    return report, c


def loss(said, y, values):
    return float(np.sqrt(np.mean((said - y) ** 2)) / y.std()) if values else float(np.mean((said > 0) != (y > 0)))


def main(command):
    print("set\tteacher\tits loss\ttreelite: C\tPython\tlleaves: C\tPython\tONNX\tstudent: loss\tunits\tbytes\tC\tGo"
          "\tratio to C\tto Python")
    for name, draw in (("three rules", steps), ("ringnorm", ringnorm), ("Friedman 1", None)):
        values = draw is None
        r = np.random.default_rng(1)
        X, y = make_friedman1(7000, 20, noise=1, random_state=1) if values else draw(7000, r)
        X = np.float32(X).astype(np.float64)
        X, y, Xt, yt = X[:2000], y[:2000], X[2000:], y[2000:]
        kind = lightgbm.LGBMRegressor if values else lightgbm.LGBMClassifier
        search = RandomizedSearchCV(kind(verbose=-1, n_jobs=1), GRID, n_iter=8, cv=3, random_state=0)
        for teacher, m in (("tuned", search), ("500 × 31", kind(n_estimators=500, num_leaves=31, verbose=-1, n_jobs=1))):
            m.fit(X, y)
            m = getattr(m, "best_estimator_", m)
            folder = tempfile.mkdtemp()
            file, data = os.path.join(folder, "teacher.txt"), os.path.join(folder, "train.csv")
            m.booster_.save_model(file)
            np.savetxt(data, np.c_[X, y], delimiter=",", fmt="%.9g")
            rows, d = Xt[:1000], X.shape[1]
            (tl, tlp), (ll, llp) = by_treelite(folder, file, d, rows), by_lleaves(folder, file, d, rows)
            onnx = by_onnx(m.booster_, d, rows)
            report, c = by_student(command, folder, file, data, values, d, rows)
            held = os.path.join(folder, "test.csv")
            np.savetxt(held, np.c_[Xt, yt], delimiter=",", fmt="%.9g")
            told = subprocess.run([command, "predict", os.path.join(folder, "student.skm"), held], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
            own = loss(np.array(told, dtype=float), yt, values)
            theirs = loss(m.predict(Xt), yt, values)
            trees = m.booster_.num_trees()
            print(f"{name}\t{teacher}: {trees} trees\t{100 * theirs:.2f}\t{tl:.0f}\t{tlp:.0f}\t{ll:.0f}\t"
                  f"{llp:.0f}\t{onnx:.0f}\t{100 * own:.2f}\t"
                  f"{report['units']}\t{report['bytes']}\t{c:.0f}\t{report['ns']:.0f}\t"
                  f"{min(tl, ll) / min(c, report['ns']):.1f}\t{min(tlp, llp, onnx) / report['ns']:.0f}",
                  flush=True)


main(*sys.argv[1:])
