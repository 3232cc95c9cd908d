"""Compares Gaussian process classifiers of scikit-learn with the models that docs/gp/save_sklearn.py makes of them.

    python gpclasses.py COMMAND

prints a row a set for docs/guide/leave.md: labels that agree, the largest difference of a probability, and the time of
one row, ours as sparsekm info measures it.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits, load_svmlight_file, load_wine
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, DotProduct, Matern, RationalQuadratic, WhiteKernel
from sklearn.preprocessing import StandardScaler

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "docs", "gp"))
warnings.filterwarnings("ignore")


def file(name):
    x, y = load_svmlight_file(os.path.join(ROOT, "testdata", name))
    return x.toarray(), y.astype(int)


def compared(command, folder, kernel, n, data, options):
    from save_sklearn import save_gp

    order = np.random.default_rng(1).permutation(len(data[0]))
    x, y = data[0][order], data[1][order]
    scaler, model, rows = StandardScaler().fit(x[:n]), os.path.join(folder, "gp.npz"), os.path.join(folder, "rows.csv")
    gp = GaussianProcessClassifier(kernel, **options).fit(scaler.transform(x[:n]), y[:n])
    save_gp(gp, model, scaler)
    np.savetxt(rows, x[n:], "%.17g", ",")
    out = subprocess.run([command, "predict", "--unlabelled", "--probability", model, rows], capture_output=True, text=True,
                         check=True).stdout
    ours, z = np.array([line.split() for line in out.splitlines()], float), scaler.transform(x[n:])
    info = subprocess.run([command, "info", model], capture_output=True, text=True, check=True).stdout
    best = min(elapsed(lambda: gp.predict_proba(z[:1])) for _ in range(50))
    return [f"{n}, {len(z)}", str(gp.n_classes_), f"{(ours[:, 0] == gp.predict(z)).sum()}",
            f"{abs(ours[:, 1:] - gp.predict_proba(z)).max():.1e}",
            f"{re.search(r'speed +([^ ]+ .s)', info)[1]}, {best * 1e6:.0f} µs"]


def elapsed(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def main(command):
    fixed = {"optimizer": None}
    with tempfile.TemporaryDirectory() as folder:
        for name, text, *case in [
            ("Diabetis", "RBF (ℓ each) + Matérn 3/2 + noise",
             1.5 * RBF(np.ones(8)) + 0.5 * Matern(2.0, nu=1.5) + WhiteKernel(0.1), 300, file("diabetis.libsvm"), {}),
            ("iris", "RBF (ℓ each) × Matérn 3/2 + noise",
             1.5 * RBF(np.ones(4)) * Matern(3.0, nu=1.5) + WhiteKernel(0.1), 100, file("iris.libsvm"), {}),
            ("wine", "rational quadratic + linear", 2.0 * RationalQuadratic(3.0, 1.0) + DotProduct(1.0), 100,
             load_wine(return_X_y=True), {}),
            ("digits", "Matérn 5/2", 4.0 * Matern(6.0, nu=2.5), 300, load_digits(return_X_y=True), fixed),
        ]:
            print("|", " | ".join([name, text, *compared(command, folder, *case)]), "|", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
