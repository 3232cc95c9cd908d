"""Writes small models of LightGBM and XGBoost and what they predict: python treefiles.py FOLDER.

expected.json has rows (null for a missing feature), and for each model its scores and its predictions for them.
"""

import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import xgboost

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(7)
n = 400
X = rng.normal(size=(n, 4)).astype(np.float32).astype(float)
X[:, 2] = np.where(rng.random(n) < 0.4, 0, X[:, 2])
X[:, 3] = rng.integers(0, 40, n)
f = 2 * np.tanh(2 * X[:, 0]) + X[:, 1] * X[:, 2] + (X[:, 3] % 3 == 0)
holes = X.copy()
holes[rng.random(X.shape) < 0.1] = np.nan
two = (f > 0.5).astype(int)
three = np.digitize(f, [-0.5, 1])
positive = np.exp(f / 3)

# edges: ties of float32, zeros of LightGBM, categories that are none
rows = np.vstack([holes[:24], X[24:40], np.zeros((1, 4)), np.full((1, 4), np.nan)])
for v in (-1, -0.5, 39.9, 1e6, 3e9, 16777215, np.nan):
    rows = np.vstack([rows, [0.1, 0.2, 0.3, v]])
for v in (1e-36, -1e-36, -0.0, 2e-35, np.nan):
    rows = np.vstack([rows, [0.1, v, v, 3]])
near = np.repeat(X[40:52], 2, axis=0)
near[::2] *= 1 + 1e-9  # the same float32
rows = np.vstack([rows, near])

out = {"SOURCE": f"LightGBM {lightgbm.__version__}, XGBoost {xgboost.__version__}", "models": {}}


def record(name, scores, predictions):
    out["models"][name] = {"scores": np.asarray(scores, float).reshape(len(rows), -1).tolist(),
                           "predictions": np.asarray(predictions, float).reshape(len(rows), -1).tolist()}


def light(name, y, data=holes, categorical=(), names="auto", rounds=6, **params):
    params = dict(dict(num_leaves=7, min_data_in_leaf=5, min_data_per_group=5, cat_smooth=1, verbose=-1, seed=1,
                       num_threads=1), **params)
    train = lightgbm.Dataset(data, y, categorical_feature=list(categorical), feature_name=names)
    booster = lightgbm.train(params, train, rounds)
    lines = booster.model_to_string().split("\n\nparameters:")[0]
    (folder / f"{name}.txt").write_text(lines + "\n\npandas_categorical:null\n")
    booster = lightgbm.Booster(model_file=str(folder / f"{name}.txt"))
    record(f"{name}.txt", booster.predict(rows, raw_score=True), booster.predict(rows))


light("binary", two, categorical=[3], objective="binary")
light("binary-names", two, data=X, names=["a", "b", "c", "d"], objective="binary", sigmoid=0.7)
light("zero", two, objective="binary", zero_as_missing=True)
light("none", f, objective="regression", use_missing=False, categorical=[3])
light("multiclass", three, objective="multiclass", num_class=3)
light("ova", three, objective="multiclassova", num_class=3, categorical=[3])
light("sqrt", f, objective="regression", reg_sqrt=True)
light("l1", f, objective="regression_l1")
light("quantile", f, objective="quantile", alpha=0.3)
light("poisson", positive, objective="poisson")
light("gamma", positive, objective="gamma")
light("tweedie", positive, objective="tweedie")
light("xentropy", 1 / (1 + np.exp(-f)), objective="cross_entropy")
light("xentlambda", 1 / (1 + np.exp(-f)), objective="cross_entropy_lambda")
light("rf", two, objective="binary", boosting="rf", bagging_freq=1, bagging_fraction=0.6)
light("rf-multiclass", three, objective="multiclass", num_class=3, boosting="rf", bagging_freq=1, bagging_fraction=0.6)
light("dart", two, objective="binary", boosting="dart", drop_rate=0.5, rounds=8)
light("constant", np.ones(n), objective="regression", rounds=1)
light("linear", f, data=X, objective="regression", linear_tree=True)


def boost(name, y, data=holes, categorical=False, names=None, rounds=5, **params):
    params = dict(dict(max_depth=3, seed=1, nthread=1), **params)
    types = ["q", "q", "q", "c"] if categorical else None
    kept = dict(feature_names=names, feature_types=types, enable_categorical=categorical)
    booster = xgboost.train(params, xgboost.DMatrix(data, y, **kept), rounds)
    booster.save_model(folder / f"{name}.json")
    asked = xgboost.DMatrix(rows, **kept)
    record(f"{name}.json", booster.predict(asked, output_margin=True), booster.predict(asked))


boost("x-binary", two, objective="binary:logistic", max_cat_to_onehot=1, categorical=True)
boost("x-onehot", two, objective="binary:logistic", max_cat_to_onehot=100, categorical=True)
boost("x-names", two, data=X, names=["a", "b", "c", "d"], objective="binary:logistic", base_score=0.3)
boost("x-raw", two, objective="binary:logitraw")
boost("x-hinge", two, objective="binary:hinge")
boost("x-multi", three, objective="multi:softprob", num_class=3)
boost("x-softmax", three, objective="multi:softmax", num_class=3, rounds=2)
boost("x-dart", two, objective="binary:logistic", booster="dart", rate_drop=0.5, rounds=8)
boost("x-squared", f, objective="reg:squarederror", gamma=1.0)
boost("x-absolute", f, objective="reg:absoluteerror")
boost("x-logistic", 1 / (1 + np.exp(-f)), objective="reg:logistic")
boost("x-poisson", positive, objective="count:poisson")
boost("x-gamma", positive, objective="reg:gamma")
boost("x-tweedie", positive, objective="reg:tweedie")
boost("x-forest", two, objective="binary:logistic", num_parallel_tree=4, subsample=0.6, rounds=2)
boost("x-linear", f, data=X, booster="gblinear", objective="reg:squarederror")
boost("x-rank", two, objective="rank:pairwise", rounds=1)

# a table whose columns are in another order than the trees' features, with words, a number for each row and empty cells
n = 700
a, b, c = rng.normal(size=(3, n)).round(3)
label = (a * a + b > 0.5).astype(int)
a[rng.random(n) < 0.02] = np.nan
words = rng.choice(["red", "green"], n)
lines = ["row,b,colour,first one,c,label"]
for i in range(n):
    lines.append(f"{i},{b[i]},{words[i]},{'' if np.isnan(a[i]) else a[i]},{c[i]},{'yes' if label[i] else 'no'}")
(folder / "table.csv").write_text("\n".join(lines[:401]) + "\n")
(folder / "held.csv").write_text("\n".join(lines[:1] + lines[401:]) + "\n")
columns, fit, held = np.column_stack([a, b, c]), slice(400), slice(400, n)
names = ["first_one", "b", "c"]
params = dict(objective="binary", num_leaves=8, learning_rate=0.2, verbose=-1, seed=1, num_threads=1)
model = lightgbm.train(params, lightgbm.Dataset(columns[fit], label[fit], feature_name=names), 30)
text = model.model_to_string().split("\n\nparameters:")[0]
(folder / "table.txt").write_text(text + "\n\npandas_categorical:null\n")
np.savetxt(folder / "held-light.txt", model.predict(columns[held]), fmt="%.17g")
kept = dict(feature_names=["first one", "b", "c"])
params = dict(objective="binary:logistic", max_depth=3, eta=0.3, seed=1, nthread=1)
model = xgboost.train(params, xgboost.DMatrix(columns[fit], label[fit], **kept), 30)
model.save_model(folder / "table.json")
np.savetxt(folder / "held-boost.txt", model.predict(xgboost.DMatrix(columns[held], **kept)), fmt="%.9g")

out["rows"] = [[None if np.isnan(v) else v for v in row] for row in rows]
(folder / "expected.json").write_text(json.dumps(out).replace("NaN", "null") + "\n")
