"""save_gp(model, path): a GPflow SVGP or SGPR as an .npz file for sparsekm.

The kernel is of sums and products of SquaredExponential, a Matérn, RationalQuadratic, Linear, Polynomial and Constant,
plus White; all but Linear and Polynomial may have active_dims. The mean is Constant or Zero, the likelihood Gaussian;
one value.
"""
import gpflow
import numpy as np
from scipy.linalg import solve_triangular

NAMES = {"SquaredExponential": "rbf", "Matern12": "matern12", "Matern32": "matern32", "Matern52": "matern52",
         "RationalQuadratic": "rational-quadratic", "Linear": "linear", "Polynomial": "poly", "Constant": "constant",
         "White": "white"}
number = lambda v: np.asarray(v.numpy() if hasattr(v, "numpy") else v, dtype=float)


def terms(k):
    """The kernel as a sum of products: (number, kernels) each. A polynomial's variance is within its power."""
    name = type(k).__name__
    if name == "Sum":
        return [t for of in k.kernels for t in terms(of)]
    if name == "Product":
        all = [(1.0, [])]
        for of in k.kernels:
            all = [(v * w, f + g) for v, f in all for w, g in terms(of)]
        return all
    if name not in NAMES:
        raise ValueError(f"found the kernel {name}, want sums and products of {', '.join(NAMES)}")
    return [(1.0 if name in ("Linear", "Polynomial") else float(number(k.variance)), [k])]


def lengthscales(k, d):
    """One for each feature, infinite for those that the kernel does not have."""
    if type(k).__name__ in ("Linear", "Polynomial"):
        if k.active_dims != slice(None):
            raise ValueError("found Linear or Polynomial with active_dims")
        return np.broadcast_to(number(k.variance) ** -0.5, d)
    all = np.full(d, np.inf)
    all[k.active_dims] = number(getattr(k, "lengthscales", 1.0))
    return all


def arrays(kernel, d):
    """The arrays of the kernel, and the variance of its White."""
    name_of, rest = lambda k: NAMES[type(k).__name__], terms(kernel)
    noise = sum(v for v, f in rest if [name_of(k) for k in f] == ["white"])
    rest = [(v, f) for v, f in rest if [name_of(k) for k in f] != ["white"]]
    if any(name_of(k) == "white" for _, f in rest for k in f):
        raise ValueError("found White in a product")
    if len(rest) == 1 and len(rest[0][1]) == 1 and hasattr(rest[0][1][0], "lengthscales"):
        k = rest[0][1][0]
        more = {"alpha": number(k.alpha)} if hasattr(k, "alpha") else {}
        scales = number(k.lengthscales) if k.active_dims == slice(None) else lengthscales(k, d)
        return dict(kernel=name_of(k), lengthscales=scales, variance=rest[0][0], **more), noise
    flat = [(t, k) for t, (_, f) in enumerate(rest) for k in f]
    each = lambda name, otherwise: [number(getattr(k, name, otherwise)) for _, k in flat]
    return dict(kernel=[name_of(k) for _, k in flat], term=[t for t, _ in flat], variance=[v for v, _ in rest],
                lengthscales=[lengthscales(k, d) for _, k in flat], alpha=each("alpha", 1.0), offset=each("offset", 0.0),
                degree=each("degree", 1)), noise


def save_gp(model, path):
    kernel, z = model.kernel, model.inducing_variable.Z.numpy()
    mean = {"Zero": lambda f: 0.0, "Constant": lambda f: f.c.numpy()}.get(type(model.mean_function).__name__)
    if mean is None:
        raise ValueError(f"found {model.mean_function}, want Constant or Zero")
    of_kernel, white = arrays(kernel, z.shape[1])
    noise, mean = float(model.likelihood.variance.numpy()), np.squeeze(mean(model.mean_function))
    k = kernel(z).numpy()
    l = np.linalg.cholesky(k + gpflow.default_jitter() * np.eye(len(z)))
    down = lambda a, b: solve_triangular(a, b, lower=True)
    if isinstance(model, gpflow.models.SVGP):
        m, s = model.q_mu.numpy()[:, 0], model.q_sqrt.numpy()
        s = np.diag(s[:, 0]) if s.ndim == 2 else s[0]
        if not model.whiten:
            m, s = down(l, m), down(l, s)
    else:  # SGPR: Titsias's optimal q, whose covariance is B^-1 = RᵀR for the factor B = LB LBᵀ and LB^-1 = QR
        x, y = (a.numpy() for a in model.data)
        a = down(l, kernel(z, x).numpy()) / noise**0.5
        lb = np.linalg.cholesky(a @ a.T + np.eye(len(z)))
        s = np.linalg.qr(down(lb, np.eye(len(z))), mode="r").T
        m = solve_triangular(lb.T, down(lb, a @ (y[:, 0] - mean) / noise**0.5))
    np.savez(path, **of_kernel, noise=noise + white, mean=mean, vectors=z, coefficients=solve_triangular(l.T, m), cholesky=l,
             q_sqrt=s)
