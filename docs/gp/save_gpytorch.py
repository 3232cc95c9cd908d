"""save_gp(model, likelihood, path): a GPyTorch model as an .npz file for sparsekm.

An ApproximateGP of a VariationalStrategy or an UnwhitenedVariationalStrategy, with a ConstantMean or ZeroMean, and an
RBFKernel, alone or in a ScaleKernel. Train and save it in torch.float64.
"""
import numpy as np
import torch
from gpytorch import kernels


def save_gp(model, likelihood, path):
    kernel, strategy = model.covar_module, model.variational_strategy
    base = kernel.base_kernel if isinstance(kernel, kernels.ScaleKernel) else kernel
    white = {"VariationalStrategy": True, "UnwhitenedVariationalStrategy": False}.get(type(strategy).__name__)
    mean = {"ConstantMean": lambda m: m.constant, "ZeroMean": lambda m: 0}.get(type(model.mean_module).__name__)
    if type(base) is not kernels.RBFKernel or white is None or mean is None:
        raise ValueError(f"found {model}, want an SVGP with ConstantMean and a ScaleKernel of RBFKernel")
    number = lambda v: np.asarray(torch.as_tensor(v).detach().cpu(), dtype=float)
    z, jitter = strategy.inducing_points.detach(), strategy.jitter_val
    with torch.no_grad():
        l = number(torch.linalg.cholesky(kernel(z).add_jitter(jitter).to_dense()))
        q = strategy._variational_distribution()
        root = number(torch.linalg.cholesky(q.covariance_matrix))
        constant, noise = number(mean(model.mean_module)), number(likelihood.noise)
    m = number(q.mean) if white else np.linalg.solve(l, number(q.mean) - constant)
    np.savez(path, kernel="rbf", lengthscales=number(base.lengthscale).ravel(), vectors=number(z), cholesky=l,
             variance=number(getattr(kernel, "outputscale", 1.0)), coefficients=np.linalg.solve(l.T, m),
             q_sqrt=np.tril(root if white else np.linalg.solve(l, root)), mean=constant,
             noise=noise + (jitter if white else 0))  # which GPyTorch adds to the variance
