"""Writes models of scikit-learn as files of skops, and what they decide: python skopsfiles.py DATA.libsvm FOLDER.

DATA has three classes, 0 to 2 or 1 to 3, such as iris; every sixth row is in decisions.json with what each model makes of it.
"""

import json
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import skops
import skops.io
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR

warnings.simplefilter("ignore")
data, folder = sys.argv[1], Path(sys.argv[2])
X, y = load_svmlight_file(data)
X, y = X.toarray(), y.astype(int)
two, words = y == y.min(), np.array(["setosa", "versicolor", "virginica"])[y - y.min()]
models = {
    "svc": SVC().fit(X, y),
    "svc-two": SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.5).fit(X, two),
    "svc-words": make_pipeline(StandardScaler(), SVC(C=10)).fit(X, words),
    "svc-objects": SVC(kernel="sigmoid", gamma=0.01).fit(X, words.astype(object)),
    "svc-probability": make_pipeline(None, SVC(probability=True, random_state=1)).fit(X, y == y.max()),
    "nu-svc": make_pipeline(MinMaxScaler(feature_range=(-1, 2)), NuSVC(nu=0.2)).fit(X, y.astype(float)),
    "linear-svc": make_pipeline(StandardScaler(with_mean=False), LinearSVC()).fit(X, y),
    "linear-svc-two": make_pipeline(StandardScaler(with_std=False), LinearSVC(fit_intercept=False)).fit(X, two),
    "svr": make_pipeline(MinMaxScaler(), SVR(C=10)).fit(X[:, :3], X[:, 3]),
    "nu-svr": NuSVR(kernel="linear").fit(X[:, :3], X[:, 3]),
}
rows = X[::6]
out = {"SOURCE": f"scikit-learn {sklearn.__version__}, skops {skops.__version__}", "rows": rows.tolist(), "models": {}}
for name, model in models.items():
    compressed = {} if name == "svc" else {"compression": zipfile.ZIP_DEFLATED, "compresslevel": 9}
    skops.io.dump(model, folder / f"{name}.skops", **compressed)
    x = rows[:, :3] if name.endswith("svr") else rows
    labels = [] if name.endswith("svr") else [str(int(c)) if isinstance(c, np.floating) else str(c) for c in model.predict(x)]
    last = model[-1] if hasattr(model, "steps") else model
    if hasattr(last, "decision_function_shape"):
        last.decision_function_shape = "ovo"
    f = (model.decision_function if labels else model.predict)(x)
    entry = {"decisions": f.reshape(len(x), -1).tolist(), "labels": labels}
    if name == "svc-probability":
        entry["probabilities"] = model.predict_proba(x).tolist()
    out["models"][name] = entry
(folder / "decisions.json").write_text(json.dumps(out))
