"""save_gp(gp, path): a fitted GaussianProcessRegressor or -Classifier of scikit-learn as an .npz file for sparsekm.

The kernel is of sums, products and whole powers of ConstantKernel, RBF, Matern, RationalQuadratic and DotProduct, plus
WhiteKernel. A StandardScaler before it is the argument scaler. A classifier has scikit-learn's probabilities, but with
multi_class="one_vs_one", where neither has any and the first class of equal votes wins.
"""
import numpy as np
from sklearn.gaussian_process import kernels

NAMES = {kernels.RBF: "rbf", kernels.RationalQuadratic: "rational-quadratic", kernels.DotProduct: "poly",
         (kernels.Matern, 0.5): "matern12", (kernels.Matern, 1.5): "matern32", (kernels.Matern, 2.5): "matern52",
         (kernels.Matern, np.inf): "rbf", kernels.WhiteKernel: "white"}
name_of = lambda k: NAMES.get((type(k), k.nu) if hasattr(k, "nu") else type(k))


def terms(k):
    """The kernel as a sum of products: (number, kernels) each."""
    if isinstance(k, kernels.Sum):
        return terms(k.k1) + terms(k.k2)
    if isinstance(k, kernels.Product):
        return [(v * w, f + g) for v, f in terms(k.k1) for w, g in terms(k.k2)]
    if isinstance(k, kernels.Exponentiation) and k.exponent in range(1, 17):
        return terms(k.kernel if k.exponent == 1 else k.kernel ** (k.exponent - 1) * k.kernel)
    if not isinstance(k, kernels.ConstantKernel) and name_of(k) is None:
        raise ValueError(f"found the kernel {k}, want sums and products of others")
    return [(k.constant_value, [])] if isinstance(k, kernels.ConstantKernel) else [(1.0, [k])]


def arrays(kernel, s, d):
    """The arrays of the kernel for targets s times as large, and the noise of its WhiteKernels."""
    noise, rest = 0.0, []
    for v, factors in terms(kernel):
        white = [k for k in factors if name_of(k) == "white"]
        if white and any(name_of(k) == "poly" for k in factors):
            raise ValueError(f"found noise that depends on the sample in {kernel}")
        if white:  # the others are 1 for a sample with itself
            noise += v * np.prod([k.noise_level for k in white])
        else:
            rest.append((v, factors))
    if len(rest) == 1 and len(rest[0][1]) == 1 and name_of(rest[0][1][0]) != "poly":
        k = rest[0][1][0]
        more = {"alpha": k.alpha} if hasattr(k, "alpha") else {}
        return dict(kernel=name_of(k), lengthscales=k.length_scale, variance=rest[0][0] * s**2, noise=noise * s**2, **more)
    flat = [(t, k) for t, (_, factors) in enumerate(rest) for k in factors or [None]]
    return dict(kernel=[name_of(k) or "constant" for _, k in flat], term=[t for t, _ in flat], noise=noise * s**2,
                lengthscales=[np.broadcast_to(getattr(k, "length_scale", 1.0), d) for _, k in flat],
                alpha=[getattr(k, "alpha", 1.0) for _, k in flat], offset=[getattr(k, "sigma_0", 0.0) ** 2 for _, k in flat],
                variance=[v * s**2 for v, _ in rest])


def latent(gp):
    """The arrays of a Laplace approximation between two classes."""
    return dict(arrays(gp.kernel_, 1, gp.X_train_.shape[1]), coefficients=gp.y_train_ - gp.pi_, cholesky=gp.L_,
                weights=gp.W_sr_)


def classifier(gp):
    """The arrays of a classifier."""
    all = {"classes": [f"{c:.17g}" if isinstance(c, float) else str(c) for c in gp.classes_]}
    if gp.n_classes_ == 2:
        return dict(all, vectors=gp.base_estimator_.X_train_, **latent(gp.base_estimator_))
    each = gp.base_estimator_.estimators_
    processes, all["vectors"] = [latent(e) for e in each], each[0].X_train_
    if gp.multi_class == "one_vs_one":  # each process has the samples of two classes
        all["scheme"] = "ovo"
        all["vectors"], of = np.unique(np.vstack([e.X_train_ for e in each]), axis=0, return_inverse=True)
        of = np.split(of.ravel(), np.cumsum([len(e.X_train_) for e in each])[:-1])
        for p, at in zip(processes, of):
            del p["cholesky"], p["weights"]
            p["coefficients"] = np.bincount(at, p["coefficients"], len(all["vectors"]))
    return dict(all, **{f"{name}.{i}": v for i, p in enumerate(processes) for name, v in p.items()})


def save_gp(gp, path, scaler=None):
    scaling = {} if scaler is None else {"center": scaler.mean_, "scale": scaler.scale_}
    if hasattr(gp, "classes_"):
        return np.savez(path, **classifier(gp), **scaling)
    mean, s = np.squeeze(gp._y_train_mean), np.squeeze(gp._y_train_std)  # of normalize_y, else 0 and 1
    if np.ndim(gp.alpha_) != 1:
        raise ValueError("found several targets, want one")
    np.savez(path, **arrays(gp.kernel_, s, gp.X_train_.shape[1]), mean=mean, vectors=gp.X_train_,
             coefficients=gp.alpha_ / s, cholesky=gp.L_ * s, **scaling)
