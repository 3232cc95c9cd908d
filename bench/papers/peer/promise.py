"""scikit-learn on the splits of `go run ./bench/papers promise`, which runs this with the Python of SPARSEKM_PEERS:

    promise.py META POINTS

META is a JSON object with n, d, y and splits (train, test: rows); POINTS are n x d float64. A JSON object a line and run
on standard output: setting, split, errors, sv (vectors that a prediction evaluates; 0 for trees), train, predict (seconds of
the last fit, and of a prediction of the whole test part).
"""
import json
import sys
import time
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
meta = json.load(open(sys.argv[1]))
d = meta["d"]
X = np.fromfile(sys.argv[2]).reshape(meta["n"], d)
y = np.array(meta["y"])
costs = [0.1, 1, 10, 100, 1000]
gammas = [g / d for g in (0.1, 0.3, 1, 3, 10)]


def tuned(pipeline, cost, gamma):
    return GridSearchCV(pipeline, {cost: costs, gamma: gammas}, cv=StratifiedKFold(5, shuffle=True, random_state=1))


def nystroem(m):
    return tuned(make_pipeline(StandardScaler(), Nystroem(n_components=m, random_state=1), LogisticRegression(max_iter=300)),
                 "logisticregression__C", "nystroem__gamma")


peers = {
    "scikit-learn SVC": lambda: tuned(make_pipeline(StandardScaler(), SVC()), "svc__C", "svc__gamma"),
    "scikit-learn Nystroem 16 + logistic": lambda: nystroem(16),
    "scikit-learn Nystroem 64 + logistic": lambda: nystroem(64),
    "scikit-learn forest": lambda: RandomForestClassifier(300, random_state=1),
    "scikit-learn boosting": lambda: HistGradientBoostingClassifier(random_state=1),
}
for split, s in enumerate(meta["splits"]):
    a, b = s["train"], s["test"]
    for name, make in peers.items():
        start = time.process_time()
        model = make().fit(X[a], y[a])
        train = getattr(model, "refit_time_", time.process_time() - start)
        start = time.process_time()
        wrong = int((model.predict(X[b]) != y[b]).sum())
        took = time.process_time() - start
        steps = getattr(getattr(model, "best_estimator_", None), "named_steps", {})
        sv = len(steps["svc"].support_) if "svc" in steps else \
            steps["nystroem"].components_.shape[0] if "nystroem" in steps else 0
        print(json.dumps({"setting": name, "split": split, "errors": wrong, "sv": sv, "train": train, "predict": took}),
              flush=True)
