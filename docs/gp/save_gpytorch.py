"""save_gp(model, likelihood, path): a GPyTorch model as an .npz file for sparsekm.

An ApproximateGP of a VariationalStrategy or an UnwhitenedVariationalStrategy, or an ExactGP with an InducingPointKernel
(SGPR); with a ConstantMean or ZeroMean, and an RBFKernel,
MaternKernel or RQKernel, alone or in a ScaleKernel. Train and save in torch.float64.
"""
import numpy as np
import torch
from gpytorch import kernels
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch.linalg import solve_triangular as solve


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
    base = kernel.base_kernel if isinstance(kernel, kernels.ScaleKernel) else kernel
    mean = {"ConstantMean": lambda m: m.constant, "ZeroMean": lambda m: 0.0}.get(type(model.mean_module).__name__)
    name = {kernels.RBFKernel: "rbf", kernels.RQKernel: "rational-quadratic",
            kernels.MaternKernel: {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}.get(getattr(base, "nu", 0))}
    if type(base) not in name or mean is None:
        raise ValueError(f"found {model}, want ConstantMean or ZeroMean, and one kernel, alone or in a ScaleKernel")
    number = lambda v: torch.as_tensor(v, dtype=torch.float64).detach().cpu().numpy()
    with torch.no_grad():
        constant = mean(model.mean_module)
        z, l, m, root, noise = (sgpr if inducing else svgp)(model, kernel, constant, likelihood.noise)
        more = {"alpha": number(base.alpha)} if type(base) is kernels.RQKernel else {}
        np.savez(path, kernel=name[type(base)], **more, lengthscales=number(base.lengthscale).ravel(), vectors=number(z), mean=number(constant),
                 variance=number(getattr(kernel, "outputscale", 1.0)), noise=number(noise), cholesky=number(l),
                 coefficients=number(solve(l.T, m, upper=True)[:, 0]), q_sqrt=np.tril(number(root)))
