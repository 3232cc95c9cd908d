"""Metrics of made-up predictions by scikit-learn, which package metrics compares with:

    python bench/peers/peer/metrics.py > metrics/testdata/sklearn.json
"""
import json
import sys

import numpy as np
import sklearn
from sklearn import metrics as m

rng = np.random.default_rng(1)


def case(k, n):
    want = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    p = np.round(rng.dirichlet(np.ones(k), size=n) + (np.arange(k) == want[:, None]) * 0.4, 1)  # with ties
    p = np.round(p / p.sum(1, keepdims=True), 6)
    p[:, 0] = 1 - p[:, 1:].sum(1)
    got = p.argmax(1)
    precision, recall, f1, _ = m.precision_recall_fscore_support(want, got)
    return {
        "want": want.tolist(), "got": got.tolist(), "probabilities": p.tolist(),
        "confusion": m.confusion_matrix(want, got).tolist(),
        "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(),
        "balanced_accuracy": m.balanced_accuracy_score(want, got),
        "auc": m.roc_auc_score(want, p[:, 1] if k == 2 else p, multi_class="ovr", average="macro"),
        "log_loss": m.log_loss(want, p),
    }


json.dump({"scikit-learn": sklearn.__version__, "cases": [case(2, 30), case(3, 40)]}, sys.stdout)
print()
