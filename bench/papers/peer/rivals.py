"""What people would take instead, for `go run ./bench/papers rivals`, which runs this with the Python of SPARSEKM_PEERS:

    pip install scikit-learn lightgbm interpret-core
    rivals.py < FOLDERS

Each line of standard input names a folder with job.json: regress, classes, levels (of a column of codes, 0 for one of
numbers), y (class indices, or values), train, test (rows), limits (bytes); and with cells, rows x columns float64, where a
missing number is NaN. A JSON object a line and model on standard output, then an empty line. The folder gets NAME.h, C for
each model, NAME.out with its outputs for the test rows, and the test rows as the C takes them, codes.rows and hot.rows.

Everybody gets missing numbers filled by medians of the training rows, and categories as features of 0 and 1, which LightGBM
gets as categories. Parameters of C are float. Whatever has a size is chosen by folds among the sizes within the limit.
"""
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

try:
    import lightgbm
except ImportError:
    lightgbm = None
try:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
except ImportError:
    ExplainableBoostingClassifier = None

warnings.filterwarnings("ignore")
FOLDS = 5
MOST_PRODUCTS = 1000  # features of a quadratic model


def numbers(kind, name, values):
    """A table of C."""
    if kind == "float":
        text = ["%.9gf" % v if "." in "%.9g" % v or "e" in "%.9g" % v else "%.9g.f" % v for v in np.float32(values)]
    else:
        text = ["%d" % v for v in values]
    lines = [", ".join(text[i:i + 10]) for i in range(0, len(text), 10)]
    return f"static const {kind} {name}[] = {{\n" + ",\n".join(lines or ["0"]) + "\n};\n"


def below(t):
    """The largest float that is at most t: a float is at most both of them or neither."""
    f = np.float32(t)
    return np.where(f > np.asarray(t, float), np.nextafter(f, np.float32(-np.inf)), f)


def small(most):
    return "signed char" if most < 128 else "short" if most < 32768 else "int"


class Trees:
    """Trees as tables: features, thresholds, children (~leaf below 0), values of leaves, and masks of categories."""
    code = 230

    def __init__(self, k, base, each=1):
        self.k, self.each = k, each  # each leaf has so many values; with one, trees take turns over the outputs
        self.base = np.broadcast_to(base, k)
        self.f, self.t, self.l, self.r, self.v, self.m, self.o = [], [], [], [], [], [], [0]

    def add(self, f, t, l, r, v):
        self.f += f
        self.t += t
        self.l += l
        self.r += r
        self.v += v
        self.o.append(len(self.f))

    def kinds(self):
        feature = "unsigned char" if max(self.f, default=0) < 128 and not self.m or max(self.f, default=0) < 256 else "short"
        return feature, small(max([abs(c) for c in self.l + self.r], default=0))

    def bytes(self):
        sizes = {"unsigned char": 1, "signed char": 1, "short": 2, "int": 4}
        f, c = self.kinds()
        return (self.code + len(self.f) * (sizes[f] + 4 + 2 * sizes[c]) + 4 * len(self.v) + 4 * len(self.m) +
                len(self.o) * (2 if self.o[-1] < 32768 else 4) + 4 * self.k)

    def write(self, name):
        f, c = self.kinds()
        code = "".join([numbers(f, name + "_f", self.f), numbers("float", name + "_t", below(self.t)),
                        numbers(c, name + "_l", self.l), numbers(c, name + "_r", self.r),
                        numbers("float", name + "_v", self.v),
                        numbers("short" if self.o[-1] < 32768 else "int", name + "_o", self.o),
                        numbers("float", name + "_b", self.base)])
        left = f"x[{name}_f[n]] <= {name}_t[n]"
        if self.m:
            code += numbers("unsigned", name + "_m", self.m)
            left = (f"({name}_f[n] < 128 ? {left} : {name}_m[(int){name}_t[n] + ((int)x[{name}_f[n] - 128] >> 5)] >> "
                    f"((int)x[{name}_f[n] - 128] & 31) & 1)")
        take = f"out[t % {self.k}] += {name}_v[{name}_o[t] + t + ~i];" if self.each == 1 else \
            f"for (n = 0; n < {self.k}; n++) out[n] += {name}_v[({name}_o[t] + t + ~i) * {self.k} + n];"
        return code + f"""static void {name}(const float *x, float *out)
{{
	int t, i, n;
	for (n = 0; n < {self.k}; n++)
		out[n] = {name}_b[n];
	for (t = 0; t < {len(self.o) - 1}; t++) {{
		i = {name}_o[t + 1] > {name}_o[t] ? 0 : ~0;
		while (i >= 0) {{
			n = {name}_o[t] + i;
			i = {left} ? {name}_l[n] : {name}_r[n];
		}}
		{take}
	}}
}}
"""


def of_sklearn(trees, tree, values):
    """Adds a tree of scikit-learn; values are those of its nodes."""
    leaf, number = tree.children_left < 0, np.zeros(tree.node_count, int)
    number[leaf], number[~leaf] = ~np.arange(leaf.sum()), np.arange((~leaf).sum())
    trees.add(list(tree.feature[~leaf]), list(tree.threshold[~leaf]), list(number[tree.children_left[~leaf]]),
              list(number[tree.children_right[~leaf]]), list(np.ravel(values[leaf])))


def of_histogram(trees, nodes):
    leaf, number = nodes["is_leaf"].astype(bool), np.zeros(len(nodes), int)
    number[leaf], number[~leaf] = ~np.arange(leaf.sum()), np.arange((~leaf).sum())
    trees.add(list(nodes["feature_idx"][~leaf]), list(nodes["num_threshold"][~leaf]),
              list(number[nodes["left"][~leaf]]), list(number[nodes["right"][~leaf]]), list(nodes["value"][leaf]))


def of_lightgbm(trees, node, levels):
    f, t, l, r, v = [], [], [], [], []

    def walk(node):
        if "split_feature" not in node:
            v.append(node["leaf_value"])
            return ~(len(v) - 1)
        i, j = len(f), node["split_feature"]
        f.append(j)
        l.append(0)
        r.append(0)
        if node["decision_type"] == "==":
            f[i] = j + 128
            t.append(len(trees.m))
            words = [0] * (-(-levels[j] // 32))
            for c in map(int, node["threshold"].split("||")):
                if c < levels[j]:
                    words[c >> 5] |= 1 << (c & 31)
            trees.m.extend(words)
        else:
            t.append(node["threshold"])
        l[i], r[i] = walk(node["left_child"]), walk(node["right_child"])
        return i

    walk(node)
    trees.add(f, t, l, r, v)


class Sums:
    """A linear model: bias + weights."""
    code = 110

    def __init__(self, weights, bias):
        self.w, self.b = np.atleast_2d(weights), np.ravel(bias)

    def bytes(self):
        return self.code + 4 * (self.w.size + self.b.size)

    def write(self, name):
        k, d = self.w.shape
        return numbers("float", name + "_w", self.w.ravel()) + numbers("float", name + "_b", self.b) + \
            f"""static void {name}(const float *x, float *out)
{{
	int c, j;
	for (c = 0; c < {k}; c++) {{
		float s = {name}_b[c];
		for (j = 0; j < {d}; j++)
			s += {name}_w[c * {d} + j] * x[j];
		out[c] = s;
	}}
}}
"""


class Quadratic:
    """A quadratic model of x - mean."""
    code = 240

    def __init__(self, mean, weights, bias):
        self.m, self.w, self.b = mean, np.atleast_2d(weights), np.ravel(bias)

    def bytes(self):
        return self.code + 4 * (self.m.size + self.w.size + self.b.size)

    def write(self, name):
        d, (k, p) = len(self.m), self.w.shape
        return numbers("float", name + "_m", self.m) + numbers("float", name + "_w", self.w.ravel()) + \
            numbers("float", name + "_b", self.b) + f"""static void {name}(const float *x, float *out)
{{
	int c, i, j;
	float u[{d}];
	for (i = 0; i < {d}; i++)
		u[i] = x[i] - {name}_m[i];
	for (c = 0; c < {k}; c++) {{
		const float *w = {name}_w + {p} * c, *q = w + {d};
		float s = {name}_b[c];
		for (i = 0; i < {d}; i++) {{
			float t = w[i];
			for (j = i; j < {d}; j++)
				t += *q++ * u[j];
			s += t * u[i];
		}}
		out[c] = s;
	}}
}}
"""


class Layers:
    """A network with one hidden layer of rectified units."""
    code = 280

    def __init__(self, w, b, v, a):
        self.w, self.b, self.v, self.a = w.T, b, v.T, a

    def bytes(self):
        return self.code + 4 * (self.w.size + self.b.size + self.v.size + self.a.size)

    def write(self, name):
        (h, d), k = self.w.shape, len(self.a)
        return "".join(numbers("float", name + s, np.ravel(t)) for s, t in
                       (("_w", self.w), ("_b", self.b), ("_v", self.v), ("_a", self.a))) + \
            f"""static void {name}(const float *x, float *out)
{{
	int i, j;
	for (j = 0; j < {k}; j++)
		out[j] = {name}_a[j];
	for (i = 0; i < {h}; i++) {{
		float s = {name}_b[i];
		for (j = 0; j < {d}; j++)
			s += {name}_w[i * {d} + j] * x[j];
		if (s > 0)
			for (j = 0; j < {k}; j++)
				out[j] += {name}_v[j * {h} + i] * s;
	}}
}}
"""


class Scores:
    """A sum of step functions of one feature each: cuts and scores."""
    code = 220

    def __init__(self, cuts, scores, bias):
        self.cuts, self.s, self.b = cuts, [np.reshape(s, (len(s), -1)) for s in scores], np.ravel(bias)

    def bytes(self):
        return self.code + sum(4 * len(c) + 2 for c in self.cuts) + 2 + 4 * sum(s.size for s in self.s) + 4 * len(self.b)

    def write(self, name):
        k = len(self.b)
        return numbers("float", name + "_c", np.concatenate(self.cuts)) + \
            numbers("float", name + "_s", np.concatenate(self.s).ravel()) + numbers("float", name + "_b", self.b) + \
            numbers("short", name + "_o", np.cumsum([0] + [len(c) for c in self.cuts])) + \
            f"""static void {name}(const float *x, float *out)
{{
	int c, i, j;
	for (c = 0; c < {k}; c++)
		out[c] = {name}_b[c];
	for (i = 0; i < {len(self.cuts)}; i++) {{
		for (j = {name}_o[i]; j < {name}_o[i + 1] && x[i] >= {name}_c[j]; j++)
			;
		for (c = 0; c < {k}; c++)
			out[c] += {name}_s[(j + i) * {k} + c];
	}}
}}
"""


class Kernel:
    """An RBF expansion in z-scores; of several classes, votes of pairs."""
    code = 400

    def __init__(self, scaler, model):
        self.m, self.r = scaler.mean_, 1 / scaler.scale_
        self.sv, self.g, self.coef = model.support_vectors_, model._gamma, model.dual_coef_
        self.b = np.ravel(model.intercept_)
        self.counts = getattr(model, "n_support_", [len(self.sv)])

    def bytes(self):
        return self.code + 4 * (2 * len(self.m) + self.sv.size + self.coef.size + len(self.b)) + 2 * len(self.counts)

    def write(self, name):
        n, d = self.sv.shape
        code = "".join(numbers("float", name + s, np.ravel(t)) for s, t in
                       (("_m", self.m), ("_r", self.r), ("_z", self.sv), ("_c", self.coef), ("_b", self.b)))
        sums = f"""	out[0] = {name}_b[0];
	for (i = 0; i < {n}; i++)
		out[0] += {name}_c[i] * k[i];"""
        if len(self.coef) > 1:
            c = len(self.counts)
            code += numbers("short", name + "_o", np.cumsum([0] + list(self.counts)))
            sums = f"""	for (i = 0; i < {c}; i++)
		out[i] = 0;
	for (i = 0, p = 0; i < {c}; i++)
		for (j = i + 1; j < {c}; j++, p++) {{
			float s = {name}_b[p];
			for (t = {name}_o[i]; t < {name}_o[i + 1]; t++)
				s += {name}_c[(j - 1) * {n} + t] * k[t];
			for (t = {name}_o[j]; t < {name}_o[j + 1]; t++)
				s += {name}_c[i * {n} + t] * k[t];
			out[s > 0 ? i : j] += 1;
		}}"""
        return code + f"""static void {name}(const float *x, float *out)
{{
	int i, j, t, p;
	float q[{d}], k[{n}];
	(void)t, (void)p;
	for (j = 0; j < {d}; j++)
		q[j] = (x[j] - {name}_m[j]) * {name}_r[j];
	for (i = 0; i < {n}; i++) {{
		float s = 0;
		for (j = 0; j < {d}; j++)
			s += (q[j] - {name}_z[i * {d} + j]) * (q[j] - {name}_z[i * {d} + j]);
		k[i] = expf({-self.g:.9e}f * s);
	}}
{sums}
}}
"""


class Job:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.__dict__.update(json.loads((self.folder / "job.json").read_text()))
        cells = np.fromfile(self.folder / "cells").reshape(len(self.y), len(self.levels))
        cells = cells.astype(np.float32).astype(float)
        y = np.array(self.y, float if self.regress else int)
        train, test = np.array(self.train), np.array(self.test)
        fill = np.nan_to_num(np.nanmedian(cells[train], axis=0))
        cells = np.where(np.isnan(cells), fill, cells).astype(np.float32).astype(float)
        columns = []
        for j, n in enumerate(self.levels):
            columns.append(cells[:, j:j + 1] if n == 0 else np.eye(n)[cells[:, j].astype(int)])
        hot = np.concatenate(columns, axis=1)
        self.cells, self.hot, self.ty = (cells[train], cells[test]), (hot[train], hot[test]), y[test]
        self.categories = [j for j, n in enumerate(self.levels) if n > 0]
        self.y, self.offset = y[train], 0.0
        self.scale = float(np.std(self.ty)) if self.regress else 1.0
        if self.regress:  # train on values of mean 0 and standard deviation 1
            self.offset, self.unit = float(self.y.mean()), float(self.y.std())
            self.y = (self.y - self.offset) / self.unit
        self.outputs = 1 if self.regress or self.classes == 2 else self.classes
        for name, x in (("codes", self.cells[1]), ("hot", self.hot[1])):
            x.astype(np.float32).tofile(self.folder / (name + ".rows"))
        deal = KFold if self.regress else StratifiedKFold
        least = np.bincount(self.y).min() if not self.regress else FOLDS
        self.folds = list(deal(max(2, min(FOLDS, least)), shuffle=True, random_state=1).split(hot[train], self.y))

    def loss(self, y, predicted):
        return float(np.mean((y - predicted) ** 2 if self.regress else y != predicted))

    def choose(self, candidates, x, fit, predict=None):
        """The mean loss of each candidate over the folds; fit(candidate, x, y) gives models."""
        losses = np.zeros(len(candidates))
        for a, b in self.folds:
            for i, c in enumerate(candidates):
                model = fit(c, x[a], self.y[a])
                losses[i] += self.loss(self.y[b], model.predict(x[b]) if predict is None else predict(model, c, x[b]))
        return losses / len(self.folds)

    def note(self, rival, limit, start, predicted, out, c, codes=False, chances=None):
        """Writes down a model: its loss on the test rows, its C, its outputs."""
        line = {"rival": rival, "limit": limit, "train": time.process_time() - start, "outputs": 0, "codes": codes}
        if self.regress:
            line["loss"] = float(np.sqrt(np.mean((self.ty - self.offset - self.unit * predicted) ** 2)) / self.scale)
        else:
            line["loss"] = self.loss(self.ty, predicted)
            if chances is not None:
                line["log_loss"] = float(-np.log(np.clip(chances[np.arange(len(self.ty)), self.ty], 1e-6, 1)).mean())
        if c is not None:
            line["name"] = "".join(w for w in rival.title() if w.isalnum()) + (str(limit) if limit else "")
            out = np.reshape(out, (len(self.ty), -1)).astype(np.float32)
            line["outputs"], line["estimate"] = out.shape[1], c.bytes()
            line["sum"] = float(np.abs(c.coef).sum()) if isinstance(c, Kernel) else 0.0
            (self.folder / (line["name"] + ".h")).write_text(c.write(line["name"]))
            out.tofile(self.folder / (line["name"] + ".out"))
        print(json.dumps(line), flush=True)


def chances(job, model, x):
    return None if job.regress else model.predict_proba(x)


def sized(job, rival, start, candidates, losses, estimate, final, limits):
    """For each limit the best candidate within it, the smallest of equals; final(candidate, limit) trains and writes it."""
    for limit in limits:
        within = [i for i in range(len(candidates)) if not limit or estimate(candidates[i]) <= limit]
        within.sort(key=lambda i: (losses[i], estimate(candidates[i])))
        if within:
            final(candidates[within[0]], limit)


def boosted(job, leaves, rate, trees, x, y, **more):
    make = lightgbm.LGBMRegressor if job.regress else lightgbm.LGBMClassifier
    # Duplicates of categories' levels in few rows are the library's own matter.
    return make(n_estimators=trees, num_leaves=leaves, learning_rate=rate, n_jobs=1, verbose=-1, random_state=1,
                **more).fit(x, y, categorical_feature=job.categories or "auto")


def of_booster(job, model, most=None):
    dump = model.booster_.dump_model(num_iteration=most or -1)
    trees = Trees(job.outputs, 0.0)
    for t in dump["tree_info"]:
        of_lightgbm(trees, t["tree_structure"], job.levels)
    return trees


def small_lightgbm(job):
    x, tx = job.cells
    start = time.process_time()
    candidates = [(n, leaves, rate) for n in (1, 2, 4, 8, 16, 32, 64) for leaves in (4, 8) for rate in (0.1, 0.3)]
    losses = dict.fromkeys(candidates, 0.0)
    for a, b in job.folds:
        for leaves in (4, 8):
            for rate in (0.1, 0.3):
                model = boosted(job, leaves, rate, 64, x[a], job.y[a], min_child_samples=10)
                for n in (1, 2, 4, 8, 16, 32, 64):
                    losses[n, leaves, rate] += job.loss(job.y[b], model.predict(x[b], num_iteration=n))

    def estimate(c):
        per = (c[1] - 1) * 7 + c[1] * 4 + 2
        return Trees.code + 10 + c[0] * per * job.outputs + (8 * c[0] * job.outputs if job.categories else 0)

    def final(c, limit):
        model = boosted(job, c[1], c[2], c[0], x, job.y, min_child_samples=10)
        n = c[0]
        while n > 1 and limit and of_booster(job, model, n).bytes() > limit:
            n -= 1
        kept = of_booster(job, model, n)
        if limit and kept.bytes() > limit:
            return
        job.note("LightGBM small", limit, start, model.predict(tx, num_iteration=n),
                 model.predict(tx, num_iteration=n, raw_score=True), kept, True,
                 None if job.regress else model.predict_proba(tx, num_iteration=n))
    sized(job, "LightGBM small", start, candidates, [losses[c] for c in candidates], estimate, final, job.limits)


def default_lightgbm(job):
    start = time.process_time()
    x, tx = job.cells
    model = boosted(job, 31, 0.1, 100, x, job.y)
    job.note("LightGBM default", 0, start, model.predict(tx), model.predict(tx, raw_score=True), of_booster(job, model), True,
             chances(job, model, tx))


def tree(job):
    x, tx = job.hot
    start = time.process_time()
    candidates = [(n, least) for n in (2, 4, 8, 16, 32, 64, 128, 256) for least in (1, 5)]

    def fit(c, x, y):
        return (DecisionTreeRegressor if job.regress else DecisionTreeClassifier)(
            max_leaf_nodes=c[0], min_samples_leaf=c[1], random_state=1).fit(x, y)

    def table(model):
        trees = Trees(1, 0.0)
        values = model.tree_.value[:, 0, :]
        if not job.regress:
            values = values.argmax(axis=1) if job.outputs > 1 else values[:, 1]
        of_sklearn(trees, model.tree_, values)
        return trees

    def final(c, limit):
        model = fit(c, x, job.y)
        predicted = model.predict(tx)
        out = predicted if job.regress or job.outputs > 1 else model.predict_proba(tx)[:, 1]
        job.note("tree", limit, start, predicted, out, table(model), False, chances(job, model, tx))
    sized(job, "tree", start, candidates, job.choose(candidates, x, fit),
          lambda c: Trees.code + 12 + c[0] * (4 + (7 if c[0] <= 128 else 9)), final, job.limits)


def scaled(job):
    scaler = StandardScaler().fit(job.hot[0])
    return scaler, scaler.transform(job.hot[0]), scaler.transform(job.hot[1])


def linear_fit(job):
    def fit(c, x, y):
        if job.regress:
            return Ridge(alpha=1 / c).fit(x, y)
        return LogisticRegression(C=c, max_iter=100).fit(x, y)
    return fit


def raw(job, model, x):
    return model.predict(x) if job.regress else model.decision_function(x)


def linear(job):
    start = time.process_time()
    scaler, x, tx = scaled(job)
    candidates, fit = [0.01, 0.1, 1, 10], linear_fit(job)
    best = candidates[int(np.argmin(job.choose(candidates, x, fit)))]
    model = fit(best, x, job.y)
    w = np.atleast_2d(model.coef_) / scaler.scale_
    job.note("linear", 0, start, model.predict(tx), raw(job, model, tx),
             Sums(w, np.ravel(model.intercept_) - w @ scaler.mean_), False, chances(job, model, tx))


def quadratic(job):
    start = time.process_time()
    scaler, x, tx = scaled(job)
    d = x.shape[1]
    if d + d * (d + 1) // 2 > MOST_PRODUCTS:
        return
    products = PolynomialFeatures(2, include_bias=False).fit(x)
    x, tx = products.transform(x), products.transform(tx)
    candidates, fit = [1e-3, 1e-2, 1e-1, 1], linear_fit(job)
    best = candidates[int(np.argmin(job.choose(candidates, x, fit)))]
    model = fit(best, x, job.y)
    w = np.atleast_2d(model.coef_) / np.prod(scaler.scale_[None, :] ** products.powers_, axis=1)
    job.note("quadratic", 0, start, model.predict(tx), raw(job, model, tx),
             Quadratic(scaler.mean_, w, model.intercept_), False, chances(job, model, tx))


def network(job):
    start = time.process_time()
    scaler, x, tx = scaled(job)
    d, most = x.shape[1], max(job.limits)

    def estimate(c):
        return Layers.code + 4 * (c[0] * (d + 1 + job.outputs) + job.outputs)
    candidates = [(h, a) for h in (2, 4, 8, 16, 32) for a in (0.1, 3.0) if estimate((h, a)) <= most]

    def fit(c, x, y):
        return (MLPRegressor if job.regress else MLPClassifier)(
            hidden_layer_sizes=(c[0],), alpha=c[1], solver="lbfgs", max_iter=120, random_state=1).fit(x, y)

    def final(c, limit):
        model = fit(c, x, job.y)
        w = model.coefs_[0] / scaler.scale_[:, None]
        b = model.intercepts_[0] - scaler.mean_ @ w
        out = np.maximum(tx @ model.coefs_[0] + model.intercepts_[0], 0) @ model.coefs_[1] + model.intercepts_[1]
        job.note("network", limit, start, model.predict(tx), out,
                 Layers(w, b, model.coefs_[1], model.intercepts_[1]), False, chances(job, model, tx))
    if candidates:
        sized(job, "network", start, candidates, job.choose(candidates, x, fit), estimate, final, job.limits)


def additive(job):
    if ExplainableBoostingClassifier is None:
        return
    x, tx = job.hot
    most = max(job.limits)
    for bins, limit in ((1024, 0), (32, most), (8, most)):
        start = time.process_time()
        model = (ExplainableBoostingRegressor if job.regress else ExplainableBoostingClassifier)(
            interactions=0, n_jobs=1, random_state=1, outer_bags=4, max_bins=bins).fit(x, job.y)
        cuts, scores = [[] for _ in range(x.shape[1])], [np.zeros((1, job.outputs)) for _ in range(x.shape[1])]
        for (j,), s in zip(model.term_features_, model.term_scores_):
            cuts[j], scores[j] = model.bins_[j][0], s[1:-1]
        c = Scores(cuts, scores, model.intercept_)
        if not limit or c.bytes() <= limit:
            job.note("EBM", limit, start, model.predict(tx), raw(job, model, tx), c, False, chances(job, model, tx))
        if c.bytes() <= most:
            return


def forest(job):
    start = time.process_time()
    x, tx = job.hot
    model = (RandomForestRegressor if job.regress else RandomForestClassifier)(300, random_state=1).fit(x, job.y)
    c = Trees(job.outputs, 0.0, job.outputs)
    for t in model.estimators_:
        values = t.tree_.value[:, 0, :]
        of_sklearn(c, t.tree_, (values if job.outputs > 1 or job.regress else values[:, 1:]) / len(model.estimators_))
    p = chances(job, model, tx)
    out = model.predict(tx) if job.regress else p[:, 1] if job.outputs == 1 else p
    job.note("forest", 0, start, model.predict(tx), out, c, False, p)


def boosting(job):
    start = time.process_time()
    x, tx = job.hot
    model = (HistGradientBoostingRegressor if job.regress else HistGradientBoostingClassifier)(random_state=1).fit(x, job.y)
    c = Trees(job.outputs, np.ravel(model._baseline_prediction))
    for turn in model._predictors:
        for t in turn:
            of_histogram(c, t.nodes)
    job.note("boosting", 0, start, model.predict(tx), raw(job, model, tx), c, False, chances(job, model, tx))


def machine(job):
    start = time.process_time()
    scaler, x, tx = scaled(job)
    candidates = [(c, g / x.shape[1]) for c in (0.1, 1, 10, 100, 1000) for g in (0.1, 0.3, 1, 3, 10)]

    def fit(c, x, y):
        return SVR(C=c[0], gamma=c[1]).fit(x, y) if job.regress else SVC(C=c[0], gamma=c[1]).fit(x, y)
    model = fit(candidates[int(np.argmin(job.choose(candidates, x, fit)))], x, job.y)
    predicted = model.predict(tx)
    if job.outputs > 1:
        pairs = SVC.decision_function(model.set_params(decision_function_shape="ovo"), tx)
        out, p = np.zeros((len(tx), job.classes)), 0
        for i in range(job.classes):
            for j in range(i + 1, job.classes):
                out[np.arange(len(tx)), np.where(pairs[:, p] > 0, i, j)] += 1
                p += 1
    else:
        out = raw(job, model, tx)
    job.note("SVM", 0, start, predicted, out, Kernel(scaler, model))


for line in sys.stdin:
    np.random.seed(1)
    job = Job(line.strip())
    for rival in (default_lightgbm, small_lightgbm) if lightgbm is not None else ():
        rival(job)
    for rival in (tree, linear, quadratic, network, additive, forest, boosting, machine):
        rival(job)
    print(flush=True)
