"""save_gp(gp, path): a fitted GaussianProcessRegressor or -Classifier of scikit-learn as an .npz file for sparsekm.

The kernel is a constant times RBF, Matern or RationalQuadratic, plus WhiteKernel. A StandardScaler before it is the
argument scaler. Of a classifier of two classes the file has the latent function, whose sign is the class; of several
classes, save each of gp.base_estimator_.estimators_.
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
    gp = getattr(gp, "base_estimator_", gp)
    if hasattr(gp, "estimators_"):
        raise ValueError("found several classes: save each of gp.base_estimator_.estimators_")
    mean, s, coefficients, factor = (0, 1, gp.y_train_ - gp.pi_, gp.L_ / gp.W_sr_[:, None]) if hasattr(gp, "pi_") else (
        gp._y_train_mean, gp._y_train_std, gp.alpha_, gp.L_)  # of normalize_y, else 0 and 1
    noise = sum(v * k.noise_level for v, k in terms(gp.kernel_) if isinstance(k, kernels.WhiteKernel))
    rest = [(v, k) for v, k in terms(gp.kernel_) if not isinstance(k, kernels.WhiteKernel)]
    k = rest[0][1] if len(rest) == 1 else None
    name = {kernels.RBF: "rbf", kernels.RationalQuadratic: "rational-quadratic",
            kernels.Matern: {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}.get(getattr(k, "nu", 0))}.get(type(k))
    if name is None or np.ndim(coefficients) != 1:
        raise ValueError(f"found {gp.kernel_}, want one value by a constant times one kernel, plus WhiteKernel")
    variance, kernel = rest[0]
    more = {"alpha": kernel.alpha} if name == "rational-quadratic" else {}
    scaling = {} if scaler is None else {"center": scaler.mean_, "scale": scaler.scale_}
    np.savez(path, kernel=name, **more, lengthscales=kernel.length_scale, variance=variance * s**2, noise=noise * s**2,
             mean=mean, vectors=gp.X_train_, coefficients=coefficients / s, cholesky=factor * s, **scaling)
