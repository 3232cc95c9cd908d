"""Students of slow models beside small models of other kinds: python distill.py COMMAND TEACHERS CSV [flags]

COMMAND is sparsekm, TEACHERS a list of boosting, forest, gp, mlp. The CSV has a header and the column target; a flag
--task=regress says that it has values, others are left alone. 60 % of the rows train; the loss is the error, or the RMSE
over the standard deviation, of the others. `steps` in place of a file is three axis-aligned rules.

Every teacher is asked by a program on a pipe. The rivals (a tree, a small boosting, a small MLP) follow the same teacher
at the student's bytes: on its answers for the training rows, and for 4 times as many between them if that lowers their
loss on a fifth of the rows. Standard output has a JSON object a teacher.
"""
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (GradientBoostingRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              RandomForestClassifier, RandomForestRegressor)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, RBF, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RandomizedSearchCV, train_test_split
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

warnings.simplefilter("ignore")
UNITS, MOST_GP = 32, 600


def coded(X):
    """A transformer of tables: numbers scaled and filled, words one by one."""
    words = [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]
    numbers = [c for c in X if c not in words]
    return make_column_transformer((make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
                                   (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words))


def teachers(X, values):
    grid = {"learning_rate": [0.03, 0.1, 0.2], "max_leaf_nodes": [4, 8, 16, 31], "max_iter": [50, 100, 200],
            "min_samples_leaf": [5, 20], "l2_regularization": [0, 1]}
    boosting = HistGradientBoostingRegressor() if values else HistGradientBoostingClassifier()
    boosting = RandomizedSearchCV(boosting, grid, n_iter=8, cv=3, random_state=0)
    forest = (RandomForestRegressor if values else RandomForestClassifier)(n_estimators=300, random_state=0)
    if values:
        gp = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(), normalize_y=True)
        mlp = MLPRegressor(hidden_layer_sizes=(64, 64), early_stopping=True, max_iter=1000, random_state=0)
    else:
        gp = GaussianProcessClassifier(ConstantKernel() * RBF())
        mlp = MLPClassifier(hidden_layer_sizes=(64, 64), early_stopping=True, max_iter=500, random_state=0)
    return {name: make_pipeline(coded(X), model)
            for name, model in dict(boosting=boosting, forest=forest, gp=gp, mlp=mlp).items()}


def says(model, X, values):
    return np.reshape(model.predict(X), (-1, 1)) if values else model.predict_proba(X)


def between(X, n, rng):
    """New rows: numbers between those of two rows, words of either."""
    a, b, t = rng.integers(0, len(X), n), rng.integers(0, len(X), n), rng.random(n) / 2
    new = {}
    for c in X:
        p, q = X[c].to_numpy()[a], X[c].to_numpy()[b]
        mixed = pd.api.types.is_numeric_dtype(X[c]) and X[c].nunique() > 12
        v = p + t * (q - p) if mixed else np.where(rng.random(n) < t, q, p)
        new[c] = np.round(v) if mixed and (X[c].dropna() % 1 == 0).all() else v
    return pd.DataFrame(new)


def rivals(d, outputs, size):
    """Regressors of the teacher's numbers, of about so many bytes: 7 a split, 4 a number of a leaf or a weight."""
    leaves = max(2, (size + 7) // (7 + 4 * outputs))
    trees = max(1, size // ((7 * 3 + 4 * 4) * outputs))
    hidden = max(1, (size // 4 - outputs) // (d + 1 + outputs))
    boosting = GradientBoostingRegressor(n_estimators=trees, max_leaf_nodes=4, max_depth=None, learning_rate=0.3,
                                         random_state=0)
    return {"tree": DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0),
            "boosting": MultiOutputRegressor(boosting),
            "mlp": MLPRegressor(hidden_layer_sizes=(hidden,), max_iter=2000, random_state=0, alpha=1e-4)}


def loss(said, y, classes, sd):
    if classes is None:
        return float(np.sqrt(np.mean((said[:, 0] - y) ** 2)) / sd)
    return float(np.mean(classes[said.argmax(axis=1)] != y))


def rival_losses(table, X, y, said, asked, Xt, yt, classes, sd, size):
    code = coded(X).fit(X)
    x, xt = code.transform(X), code.transform(Xt)
    center, unit = said.mean(axis=0), said.std(axis=0) + 1e-12
    own, held = train_test_split(np.arange(len(x)), test_size=0.2, random_state=0)
    more, more_said = code.transform(asked[0]), asked[1]
    out = {}
    for name in rivals(x.shape[1], said.shape[1], size):
        best = (np.inf, None)
        for again in (False, True):
            def fit(rows):
                m = rivals(x.shape[1], said.shape[1], size)[name]
                a = np.vstack([x[rows], more]) if again else x[rows]
                b = np.vstack([said[rows], more_said]) if again else said[rows]
                return m.fit(a, (b - center) / unit)
            def tell(m, rows):
                return np.reshape(m.predict(rows), (len(rows), -1)) * unit + center
            judged = loss(tell(fit(own), x[held]), y[held], classes, sd)
            if judged < best[0]:
                best = (judged, loss(tell(fit(np.arange(len(x))), xt), yt, classes, sd))
        out[name] = best[1]
    return out


def steps(n, r):
    X = r.random((n, 8))
    s = np.sign(X[:, 0] - 0.5) + 2.0 * ((X[:, 1] > 0.3) & (X[:, 2] < 0.6)) - 1 + 0.8 * np.sign(X[:, 3] - 0.7)
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(8)])
    table["target"] = np.where(s + 0.3 * r.normal(size=n) > 0, 1, -1)
    return table


def main(command, names, file, *flags):
    values = "--task=regress" in flags
    table = steps(5000, np.random.default_rng(1)) if file == "steps" else pd.read_csv(file, keep_default_na=True)
    table = table[table.target.notna()]
    for c in table:
        if c != "target" and not pd.api.types.is_numeric_dtype(table[c]):
            table[c] = table[c].fillna("none").astype(str)
        elif table[c].isna().any():
            table[c] = table[c].fillna(table[c].median())
    train, test = train_test_split(table, train_size=0.4 if file == "steps" else 0.6, random_state=1,
                                   stratify=None if values else table.target)
    X, y, Xt, yt = train.drop(columns="target"), train.target.to_numpy(), test.drop(columns="target"), test.target.to_numpy()
    classes, sd = (None, yt.std()) if values else (np.unique(y), 1)
    folder = tempfile.mkdtemp()
    data, held = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
    train.to_csv(data, index=False)
    test.to_csv(held, index=False)
    for name, teacher in teachers(X, values).items():
        if name not in names.split(","):
            continue
        rows = slice(0, MOST_GP if name == "gp" else None)
        teacher.fit(X[rows], y[rows])
        said = says(teacher, X, values)
        out = {"table": os.path.basename(file).removesuffix(".csv"), "teacher": name, "values": values,
               "teacher_loss": loss(says(teacher, Xt, values), yt, classes, sd)}
        start = time.perf_counter()
        for i in range(20):
            says(teacher, Xt[i:i + 1], values)
        out["teacher_us"] = 1e6 * (time.perf_counter() - start) / 20
        with open(os.path.join(folder, "teacher.pkl"), "wb") as f:
            pickle.dump((teacher, values, X.dtypes.to_dict()), f)
        program = os.path.join(folder, "teacher.py")
        with open(program, "w") as f:
            f.write("import sys, pickle, numpy as np, pandas as pd\n"
                    f"m, values, types = pickle.load(open({os.path.join(folder, 'teacher.pkl')!r}, 'rb'))\n"
                    "X = pd.read_csv(sys.stdin, keep_default_na=False)\n"
                    "for c, t in types.items():\n"
                    "    X[c] = X[c].astype(t) if c in X else 0\n"
                    "X = X[list(types)]\n"
                    "np.savetxt(sys.stdout, m.predict(X) if values else m.predict_proba(X))\n")
        student = os.path.join(folder, "student.skm")
        args = [command, "distill", data, "--label-column", "target", "--ask", f"{sys.executable} {program}", "--max-sv",
                str(UNITS), "--out", student, "--force", "--json", "--quiet", "--threads", "1", "--patience", "10m"]
        args += ["--task", "regress"] if values else ["--task", "classify", "--kind", "probability"]
        start = time.perf_counter()
        report = json.loads(subprocess.run(args, check=True, stdout=subprocess.PIPE).stdout)
        out |= {"seconds": time.perf_counter() - start, "bytes": report["bytes"], "ns": report["ns"], "asked": report["asked"],
                "units": report["units"], "weight": report["label_weight"]}
        predicted = subprocess.run([command, "predict", student, held], check=True, stdout=subprocess.PIPE, text=True)
        told = predicted.stdout.split("\n")[:len(yt)]
        if values:
            out["student"] = loss(np.array(told, dtype=float)[:, None], yt, None, sd)
        else:
            kind = yt.dtype if yt.dtype.kind in "iuf" else str  # 1.0 is the label 1 here
            out["student"] = float(np.mean(np.array(told).astype(kind) != yt.astype(kind)))
        new = between(X, 4 * len(X), np.random.default_rng(0)).astype(X.dtypes.to_dict())
        out |= rival_losses(table, X, y, said, (new, says(teacher, new, values)), Xt, yt, classes, sd, report["bytes"])
        print(json.dumps(out), flush=True)


main(*sys.argv[1:])
