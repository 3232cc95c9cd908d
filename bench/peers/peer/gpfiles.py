"""Writes Gaussian processes by the exporters of docs/gp, and what their packages predict.

    python gpfiles.py FOLDER DATA VECTORS SAMPLES

trains on the first SAMPLES rows of DATA (LIBSVM text, z-scored; its labels are the targets) with VECTORS inducing
points, and predicts the last 20. It takes whichever of scikit-learn, GPyTorch and GPflow is installed, and prints the
names of those it has not. Classifiers of scikit-learn, of these rows and of irises, are in classes.json.
"""
import importlib
import json
import os
import sys
import warnings

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "docs", "gp"))
warnings.filterwarnings("ignore")


def read(path):
    from_text = lambda cells: dict(c.split(":") for c in cells)
    lines = [line.split() for line in open(path)]
    d = max(int(k) for cells in lines for k in from_text(cells[1:]))
    x = np.array([[float(from_text(cells[1:]).get(str(k + 1), 0)) for k in range(d)] for cells in lines])
    y = np.array([float(cells[0]) for cells in lines])
    order = np.random.default_rng(1).permutation(len(x))
    return x[order], y[order]


def scaled(rows, x):
    deviation = x.std(0)
    return (rows - x.mean(0)) / np.where(deviation > 0, deviation, 1)


def scikit_learn(x, y, rows, m):
    from save_sklearn import save_gp
    from sklearn.gaussian_process import GaussianProcessRegressor as GPR
    from sklearn.gaussian_process import kernels as k
    from sklearn.preprocessing import StandardScaler

    ones, scaler = np.ones(x.shape[1]), StandardScaler().fit(x)
    z, q = scaler.transform(x), scaler.transform(rows)
    for name, kernel, options in [
        ("ard", k.ConstantKernel(0.5) * k.RBF(2 * ones) + k.WhiteKernel(0.3), {"normalize_y": True}),
        ("alpha", k.RBF(1.5), {"alpha": 0.1, "optimizer": None}),
        ("matern12", 2.0 * k.Matern(1.5, nu=0.5) + k.WhiteKernel(0.2), {}),
        ("matern32", k.Matern(ones, nu=1.5) + k.WhiteKernel(0.2), {"normalize_y": True}),
        ("matern52", k.Matern(1.5, nu=2.5) + k.WhiteKernel(0.2), {}),
        ("quadratic", 1.5 * k.RationalQuadratic(1.5, 0.8, alpha_bounds=(0.1, 10)) + k.WhiteKernel(0.2), {}),
        ("white", k.WhiteKernel(0.2) + 2.0 * k.RBF(1.0) * k.ConstantKernel(0.7), {}),
        ("sum", 0.5 * k.RBF(2 * ones) + 0.3 * k.Matern(3.0, nu=1.5) + k.WhiteKernel(0.2), {"normalize_y": True}),
        ("product", 1.5 * k.RBF(2 * ones) * k.Matern(4.0, nu=0.5) + k.WhiteKernel(0.2) * 2.0, {"optimizer": None}),
        ("dot", k.RationalQuadratic(1.3, 0.8) + k.DotProduct(0.6) ** 2 + k.WhiteKernel(0.2), {"optimizer": None}),
        ("powers", (0.7 * k.RBF(3.0) + 0.2) ** 2 * (k.DotProduct(1.0) + k.Matern(ones, nu=2.5)) + k.WhiteKernel(0.3), {}),
    ]:
        gp = GPR(kernel, **options).fit(z, y)
        mean, deviation = gp.predict(q, return_std=True)
        yield "sklearn-" + name, mean, deviation**2, lambda path: save_gp(gp, path, scaler)


def classifiers(x, y, rows, folder):
    from save_sklearn import save_gp
    from sklearn.datasets import load_iris
    from sklearn.gaussian_process import GaussianProcessClassifier as GPC
    from sklearn.gaussian_process import kernels as k
    from sklearn.preprocessing import StandardScaler

    iris = load_iris()
    each = max(2, 200 // len(x))  # one of so many irises is a training sample
    flowers, kinds = iris.data[::each], iris.target_names[iris.target][::each]
    others, ones, known = iris.data[1::7], np.ones(x.shape[1]), {}
    for name, kernel, options, data in [
        ("rbf", 2.0 * k.RBF(ones), {}, (x, y, rows)),
        ("sum", 1.5 * k.Matern(1.5, nu=2.5) + 0.5 * k.DotProduct(1.0) + k.WhiteKernel(0.1), {}, (x, y > 0, rows)),
        ("three", 1.5 * k.RBF(1.0), {}, (flowers, kinds, others)),
        ("fixed", 4.0 * k.RBF(1.5) * k.RationalQuadratic(2.0), {"optimizer": None}, (flowers, kinds, others)),
        ("product", 1.5 * k.RBF(np.ones(4)) * k.Matern(3.0, nu=1.5) + 0.3, {}, (flowers, kinds, others)),
        ("dot", k.RBF(1.0) + 20.0 * k.DotProduct(0.5) ** 2, {"optimizer": None}, (flowers, kinds, others)),
        ("pairs", 1.5 * k.RBF(1.0), {"multi_class": "one_vs_one"}, (flowers, kinds, others)),
    ]:
        scaler = StandardScaler().fit(data[0])
        gp = GPC(kernel, **options).fit(scaler.transform(data[0]), data[1])
        save_gp(gp, os.path.join(folder, f"classes-{name}.npz"), scaler)
        q = scaler.transform(data[2])
        known[name] = {"rows": data[2].tolist(), "classes": [str(c) for c in gp.predict(q)],
                       "probabilities": [] if options.get("multi_class") else gp.predict_proba(q).tolist()}
    with open(os.path.join(folder, "classes.json"), "w") as f:
        json.dump(known, f)


def gpytorch(x, y, rows, m):
    import gpytorch as g
    import torch
    from save_gpytorch import save_gp

    torch.manual_seed(1)
    tensor = lambda a: torch.tensor(a, dtype=torch.float64)
    torch.set_default_dtype(torch.float64)
    z, q, t = tensor(scaled(x, x)), tensor(scaled(rows, x)), tensor(y)

    class SVGP(g.models.ApproximateGP):
        def __init__(self, strategy, distribution, mean, kernel):
            v = g.variational
            super().__init__(getattr(v, strategy)(self, z[:m].clone(), getattr(v, distribution)(m)))
            self.mean_module, self.covar_module = mean, kernel

        def forward(self, x):
            return g.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    class SGPR(g.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(z, t, likelihood)
            base = g.kernels.ScaleKernel(g.kernels.RBFKernel(ard_num_dims=x.shape[1]))
            self.mean_module = g.means.ConstantMean()
            self.covar_module = g.kernels.InducingPointKernel(base, z[:m].clone(), likelihood)

        forward = SVGP.forward

    k, d = g.kernels, x.shape[1]
    for name, parts in {
        "svgp": ("VariationalStrategy", "CholeskyVariationalDistribution", g.means.ConstantMean(),
                 k.ScaleKernel(k.RBFKernel(ard_num_dims=d))),
        "unwhitened": ("UnwhitenedVariationalStrategy", "CholeskyVariationalDistribution", g.means.ConstantMean(),
                       k.ScaleKernel(k.RBFKernel(ard_num_dims=d))),
        "diagonal": ("VariationalStrategy", "MeanFieldVariationalDistribution", g.means.ZeroMean(), k.RBFKernel()),
        "matern": ("VariationalStrategy", "CholeskyVariationalDistribution", g.means.ConstantMean(),
                   k.ScaleKernel(k.MaternKernel(nu=2.5, ard_num_dims=d))),
        "sum": ("VariationalStrategy", "CholeskyVariationalDistribution", g.means.ConstantMean(),
                k.ScaleKernel(k.RBFKernel(ard_num_dims=3, active_dims=(0, 2, 3))) + k.ScaleKernel(k.MaternKernel(nu=0.5))),
        "product": ("UnwhitenedVariationalStrategy", "CholeskyVariationalDistribution", g.means.ZeroMean(),
                    k.ScaleKernel(k.RQKernel() * k.LinearKernel()) + k.PolynomialKernel(2) + k.ConstantKernel()),
        "sgpr": None,
    }.items():
        likelihood = g.likelihoods.GaussianLikelihood()
        model = SVGP(*parts) if parts else SGPR(likelihood)
        elbo = g.mlls.VariationalELBO(likelihood, model, len(y)) if parts else (
            g.mlls.ExactMarginalLogLikelihood(likelihood, model))
        optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
        for _ in range(60):
            optimizer.zero_grad()
            (-elbo(model(z), t)).backward()
            optimizer.step()
        model.eval(), likelihood.eval()
        with torch.no_grad():
            p = likelihood(model(q))
        yield "gpytorch-" + name, p.mean.numpy(), p.variance.numpy(), lambda path: save_gp(model, likelihood, path)


def gpflow(x, y, rows, m):
    import gpflow as g
    from save_gpflow import save_gp

    z, q = scaled(x, x), scaled(rows, x)
    ard = lambda: g.kernels.SquaredExponential(0.8, 1.5 * np.ones(x.shape[1]))
    svgp = lambda kernel=None, **o: g.models.SVGP(kernel or ard(), g.likelihoods.Gaussian(0.3), z[:m].copy(), num_data=len(y), **o)
    data = (z, y[:, None])
    for name, model in {
        "svgp": svgp(mean_function=g.functions.Constant(0.1)),
        "unwhitened": svgp(whiten=False),
        "diagonal": svgp(q_diag=True),
        "matern32": svgp(g.kernels.Matern32(0.8, 1.5 * np.ones(x.shape[1]))),
        "quadratic": svgp(g.kernels.RationalQuadratic(0.8, 1.5, 1.2)),
        "sum": svgp(g.kernels.SquaredExponential(active_dims=[0, 2, 3], lengthscales=[1.0, 1.5, 2.0])
                    + g.kernels.Matern52(0.8, 2.0) + g.kernels.White(0.1)),
        "product": svgp(g.kernels.Matern12(0.8, 2.0) * g.kernels.Linear(0.5) + g.kernels.Polynomial(2) + g.kernels.Constant(0.3)),
        "sgpr": g.models.SGPR(data, ard(), z[:m].copy(), mean_function=g.functions.Constant(0.1), noise_variance=0.3),
    }.items():
        loss = model.training_loss if name == "sgpr" else model.training_loss_closure(data)
        g.optimizers.Scipy().minimize(loss, model.trainable_variables, options={"maxiter": 30})
        mean, variance = (a.numpy()[:, 0] for a in model.predict_y(q))
        yield "gpflow-" + name, mean, variance, lambda path: save_gp(model, path)


def main(folder, data, vectors, samples):
    x, y = read(data)
    rows, n = x[-20:], min(int(samples), len(x) - 20)
    known, absent = {}, []
    for source in (scikit_learn, gpytorch, gpflow):
        try:
            importlib.import_module({"scikit_learn": "sklearn"}.get(source.__name__, source.__name__))
        except ImportError:
            absent.append(source.__name__)
            continue
        for name, mean, variance, save in source(x[:n], y[:n], rows, int(vectors)):
            save(os.path.join(folder, name + ".npz"))
            taken = rows if name.startswith("sklearn") else scaled(rows, x[:n])
            known[name] = {"rows": taken.tolist(), "mean": mean.tolist(), "variance": variance.tolist()}
    with open(os.path.join(folder, "predictions.json"), "w") as f:
        json.dump(known, f)
    if "scikit_learn" not in absent:
        classifiers(x[:n], y[:n].astype(int), rows, folder)
    print(*absent)


main(*sys.argv[1:])
