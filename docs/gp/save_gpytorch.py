"""save_gp(model, likelihood, path): a GPyTorch model as an .npz file for sparsekm.

An ApproximateGP of a VariationalStrategy or an UnwhitenedVariationalStrategy, or an ExactGP with an InducingPointKernel
(SGPR); with a ConstantMean or ZeroMean, and a kernel of sums and products of RBFKernel, MaternKernel, RQKernel, LinearKernel,
PolynomialKernel and ConstantKernel, in ScaleKernels or not; the first three may have active_dims. Train and save in
torch.float64.
"""
import numpy as np
import torch
from gpytorch import kernels
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch.linalg import solve_triangular as solve

NAMES = {"RBFKernel": "rbf", "RQKernel": "rational-quadratic", "LinearKernel": "linear", "PolynomialKernel": "poly",
         "MaternKernel": {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}}
number = lambda v: torch.as_tensor(v, dtype=torch.float64).detach().cpu().numpy()


def name_of(k):
    name = NAMES.get(type(k).__name__)
    return name[k.nu] if isinstance(name, dict) else name


def terms(k):
    """The kernel as a sum of products: (number, kernels) each."""
    kind, inner = type(k).__name__, getattr(k, "kernels", [])
    all = [(1.0, [])]
    if kind == "AdditiveKernel":
        all = [t for of in inner for t in terms(of)]
    elif kind == "ProductKernel":
        for of in inner:
            all = [(v * w, f + g) for v, f in all for w, g in terms(of)]
    elif kind == "ScaleKernel":  # its active_dims are those of the kernel in it
        return [(float(number(k.outputscale)) * v, f) for v, f in terms(k.base_kernel)]
    elif kind == "ConstantKernel":
        return [(float(number(k.constant)), [])]
    elif name_of(k) is not None:
        return [(1.0, [k])]
    else:
        raise ValueError(f"found {k}, want sums and products of other kernels")
    if k.active_dims is not None:
        raise ValueError(f"found active_dims of {kind}, want those of the kernels in it")
    return all


def lengthscales(k, d):
    """One for each feature, infinite for those that the kernel does not have."""
    if k is None or name_of(k) in ("linear", "poly"):
        if getattr(k, "active_dims", None) is not None:
            raise ValueError("found a linear or polynomial kernel with active_dims")
        return np.broadcast_to(number(getattr(k, "variance", 1.0)).ravel() ** -0.5, d)
    all = np.full(d, np.inf)
    all[slice(None) if k.active_dims is None else number(k.active_dims).astype(int)] = number(k.lengthscale).ravel()
    return all


def arrays(kernel, d):
    """The arrays of the kernel."""
    rest = terms(kernel)
    if len(rest) == 1 and len(rest[0][1]) == 1 and name_of(rest[0][1][0]) not in ("linear", "poly"):
        k = rest[0][1][0]
        more = {"alpha": number(k.alpha)} if hasattr(k, "alpha") else {}
        scales = number(k.lengthscale).ravel() if k.active_dims is None else lengthscales(k, d)
        return dict(kernel=name_of(k), lengthscales=scales, variance=rest[0][0], **more)
    flat = [(t, k) for t, (_, f) in enumerate(rest) for k in f or [None]]
    each = lambda name, otherwise: [number(getattr(k, name, otherwise)).item() for _, k in flat]
    return dict(kernel=[name_of(k) or "constant" for _, k in flat], term=[t for t, _ in flat],
                variance=[v for v, _ in rest], lengthscales=[lengthscales(k, d) for _, k in flat],
                alpha=each("alpha", 1.0), offset=each("offset", 0.0), degree=each("power", 1))


def svgp(model, kernel, mean, noise):
    """The parameters of a variational strategy; of the whitened one GPyTorch adds the jitter to the variance."""
    s = model.variational_strategy
    white = {"VariationalStrategy": True, "UnwhitenedVariationalStrategy": False}[type(s).__name__]
    z, q = s.inducing_points, s._variational_distribution()
    l = psd_safe_cholesky(kernel(z).add_jitter(s.jitter_val).to_dense())
    m, root = q.mean[:, None], torch.linalg.cholesky(q.covariance_matrix)
    if not white:
        m, root = solve(l, m - mean, upper=False), solve(l, root, upper=False)
    return z, l, m, root, noise + (s.jitter_val if white else 0)


def sgpr(model, kernel, mean, noise):
    """Titsias's optimal q, whose covariance is B^-1, with GPyTorch's correction of the training samples' variances."""
    z, x, y = model.covar_module.inducing_points, model.train_inputs[0], model.train_targets
    l = psd_safe_cholesky(kernel(z).to_dense())
    a = solve(l, kernel(z, x).to_dense(), upper=False)
    d = (noise + (kernel(x, diag=True) - a.square().sum(0)).clamp(0)).sqrt()
    a, eye = a / d, torch.eye(len(z), dtype=z.dtype)
    lb = torch.linalg.cholesky(a @ a.T + eye)
    m = torch.cholesky_solve((a @ ((y - mean) / d))[:, None], lb)
    return z, l, m, torch.linalg.qr(solve(lb, eye, upper=False), mode="r").R.T, noise


def save_gp(model, likelihood, path):
    inducing = isinstance(model.covar_module, kernels.InducingPointKernel)
    kernel = model.covar_module.base_kernel if inducing else model.covar_module
    mean = {"ConstantMean": lambda m: m.constant, "ZeroMean": lambda m: 0.0}.get(type(model.mean_module).__name__)
    if mean is None:
        raise ValueError(f"found {model.mean_module}, want ConstantMean or ZeroMean")
    with torch.no_grad():
        constant = mean(model.mean_module)
        z, l, m, root, noise = (sgpr if inducing else svgp)(model, kernel, constant, likelihood.noise)
        np.savez(path, **arrays(kernel, z.shape[1]), vectors=number(z), mean=number(constant), noise=number(noise),
                 cholesky=number(l), coefficients=number(solve(l.T, m, upper=True)[:, 0]), q_sqrt=np.tril(number(root)))
