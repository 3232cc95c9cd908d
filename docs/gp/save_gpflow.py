"""save_gp(model, path): a GPflow SVGP or SGPR as an .npz file for sparsekm.

The kernel is SquaredExponential, a Matérn or RationalQuadratic, the mean Constant or Zero, the likelihood Gaussian; one value.
"""
import gpflow
import numpy as np
from scipy.linalg import solve_triangular


def save_gp(model, path):
    kernel, z = model.kernel, model.inducing_variable.Z.numpy()
    mean = {"Zero": lambda f: 0.0, "Constant": lambda f: f.c.numpy()}.get(type(model.mean_function).__name__)
    name = {"SquaredExponential": "rbf", "Matern12": "matern12", "Matern32": "matern32", "Matern52": "matern52",
            "RationalQuadratic": "rational-quadratic"}.get(type(kernel).__name__)
    if name is None or mean is None or kernel.active_dims != slice(None):
        raise ValueError(f"found {kernel} and {model.mean_function}, want one kernel, and Constant or Zero")
    more = {"alpha": kernel.alpha.numpy()} if name == "rational-quadratic" else {}
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
    np.savez(path, kernel=name, **more, lengthscales=kernel.lengthscales.numpy(), variance=kernel.variance.numpy(), noise=noise,
             mean=mean, vectors=z, coefficients=solve_triangular(l.T, m), cholesky=l, q_sqrt=s)
