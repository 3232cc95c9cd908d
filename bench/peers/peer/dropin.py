"""sparsekm.svm beside sklearn.svm: labels, coefficients, objectives, time; python dropin.py [FOLDER OF SETS] [RUNS].

CPU time of fit and predict in one thread, the best of the runs. The differences are those of the labels of the test
samples (share), of a coefficient as a share of C (largest), and of the dual objective of the pairs (relative, summed).
"""

import pathlib
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import (load_breast_cancer, load_digits, load_svmlight_file, make_blobs, make_circles,
                              make_classification, make_hastie_10_2, make_moons)
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
import sklearn.svm

import sparsekm.svm

warnings.simplefilter("ignore")


def sets(folder):
    for name, C in (("banana.libsvm", 1), ("german.libsvm", 10), ("diabetis.libsvm", 10), ("ringnorm.libsvm.gz", 1),
                    ("thyroid.libsvm", 100)):
        X, y = load_svmlight_file(str(folder / name))
        yield name.split(".")[0], X.toarray(), y, C
    yield "breast cancer", *load_breast_cancer(return_X_y=True), 1
    yield "digits", *load_digits(return_X_y=True), 10
    yield "moons", *make_moons(4000, noise=0.25, random_state=1), 10
    yield "circles", *make_circles(3000, noise=0.15, factor=0.6, random_state=1), 1
    yield "hastie", *make_hastie_10_2(6000, random_state=1), 1
    yield "blobs, 8 classes", *make_blobs(4000, centers=8, n_features=5, cluster_std=4.0, random_state=1), 1
    yield "classification, 3 classes", *make_classification(5000, 30, n_informative=10, n_classes=3, flip_y=0.05, random_state=1), 1


def timed(f, runs):
    best, value = np.inf, None
    for _ in range(runs):
        start = time.process_time()
        value = f()
        best = min(best, time.process_time() - start)
    return best, value


def dense(svc, n):
    out = np.zeros((svc.dual_coef_.shape[0], n))
    out[:, svc.support_] = svc.dual_coef_
    return out


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/open")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("set\tn\tclasses\tvectors: sparsekm\tscikit-learn\tother labels %\tlargest difference / C\tseconds\tscikit-learn\tratio"
          "\tprobability: seconds\tscikit-learn\tratio\tlog loss\tscikit-learn")
    ratios, sure = [], []
    for name, X, y, C in sets(folder):
        X, T, y, t = train_test_split(X, y, test_size=0.3, random_state=1, stratify=y)
        scale = StandardScaler().fit(X)
        X, T = scale.transform(X), scale.transform(T)
        row = {}
        for package in (sparsekm.svm, sklearn.svm):
            seconds, svc = timed(lambda: package.SVC(C=C).fit(X, y), runs)
            more, labels = timed(lambda: svc.predict(T), runs)
            sure_seconds, p = timed(lambda: package.SVC(C=C, probability=True, random_state=1).fit(X, y), 1)
            even_more, p = timed(lambda: p.predict_proba(T), 1)
            row[package] = seconds + more, svc, labels, sure_seconds + even_more, log_loss(t, p)
        (a, ours, mine, pa, la), (b, theirs, other, pb, lb) = row[sparsekm.svm], row[sklearn.svm]
        away = np.abs(dense(ours, len(X)) - dense(theirs, len(X))).max() / C
        ratios.append(b / a), sure.append(pb / pa)
        print(f"{name}\t{len(X)}\t{len(ours.classes_)}\t{len(ours.support_)}\t{len(theirs.support_)}\t{100 * np.mean(mine != other):.3g}"
              f"\t{away:.2g}\t{a:.4f}\t{b:.4f}\t{b / a:.1f}\t{pa:.3f}\t{pb:.3f}\t{pb / pa:.1f}\t{la:.4f}\t{lb:.4f}", flush=True)
    print(f"geometric means: {np.exp(np.mean(np.log(ratios))):.2f} and {np.exp(np.mean(np.log(sure))):.2f}; "
          f"least {min(ratios):.2f} and {min(sure):.2f}")


if __name__ == "__main__":
    main()
