"""save_gp(gp, path): a fitted GaussianProcessRegressor of scikit-learn as an .npz file for sparsekm.

The kernel is a constant times RBF, Matern or RationalQuadratic, plus WhiteKernel. A StandardScaler before it is the argument scaler.
"""
import numpy as np
from sklearn.gaussian_process import kernels


def terms(k):
    """The kernel as a sum: (factor, kernel) each, None for a constant."""
    if isinstance(k, kernels.Sum):
        return terms(k.k1) + terms(k.k2)
    if isinstance(k, kernels.Product):
        a, b = sorted([terms(k.k1), terms(k.k2)], key=lambda t: len(t) > 1 or t[0][1] is not None)
        if len(a) == 1 and a[0][1] is None:
            return [(a[0][0] * v, kernel) for v, kernel in b]
    return [(k.constant_value, None)] if isinstance(k, kernels.ConstantKernel) else [(1.0, k)]


def save_gp(gp, path, scaler=None):
    noise = sum(v * k.noise_level for v, k in terms(gp.kernel_) if isinstance(k, kernels.WhiteKernel))
    rest = [(v, k) for v, k in terms(gp.kernel_) if not isinstance(k, kernels.WhiteKernel)]
    k = rest[0][1] if len(rest) == 1 else None
    name = {kernels.RBF: "rbf", kernels.RationalQuadratic: "rational-quadratic",
            kernels.Matern: {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}.get(getattr(k, "nu", 0))}.get(type(k))
    if name is None or np.ndim(gp.alpha_) != 1:
        raise ValueError(f"found {gp.kernel_}, want one value by a constant times one kernel, plus WhiteKernel")
    (variance, kernel), s = rest[0], gp._y_train_std  # of normalize_y, else 1
    more = {"alpha": kernel.alpha} if name == "rational-quadratic" else {}
    scaling = {} if scaler is None else {"center": scaler.mean_, "scale": scaler.scale_}
    np.savez(path, kernel=name, **more, lengthscales=kernel.length_scale, variance=variance * s**2, noise=noise * s**2,
             mean=gp._y_train_mean, vectors=gp.X_train_, coefficients=gp.alpha_ / s, cholesky=gp.L_ * s, **scaling)
