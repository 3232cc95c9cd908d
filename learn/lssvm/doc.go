// Package lssvm trains least-squares support vector machines by solving the linear system of their optimality
// conditions.
//
//   - [Dual]: the LS-SVM of Suykens et al. (2000), with every sample a support vector, leave-one-out figures, and a
//     choice of γ by them.
//   - [Prune]: the same, with the samples of smallest |α| removed step by step.
//
// Package greedy has the least-squares methods that select support vectors before the fit.
//
// # Weights
//
// A sample of weight w counts as w samples: its squared error is multiplied by w. A row of weight zero is the same as
// an absent row.
//
// # The certificate
//
// Report.Residual is the relative residual of the system, eq. (4) of the paper, at the returned coefficients, over the
// remaining samples. It is computed from the data after the training, not from the solved matrix, and in doubled
// precision if rounding dominates it in float64. If all targets are 0 it is the residual itself.
//
// # Rounding
//
// Kernel values of 1e20 have rounding errors larger than any ridge, which may make their matrix indefinite. A small
// multiple of its diagonal is then added. Report.Message says how much, and the residual shows the effect. A kernel
// that is indefinite by more than rounding is an error.
package lssvm
