// Package lssvm trains least-squares support vector machines by the linear system
// that their optimum solves.
//
//   - [Dual]: the LS-SVM of Suykens et al. (2000), every sample a support vector,
//     with leave-one-out figures and the choice of γ by them.
//   - [Prune]: the same, with the samples of smallest |α| left out step by step.
//
// Package greedy has the least-squares models that choose their support vectors
// before they fit.
//
// # Weights
//
// A sample of weight w counts like w samples: its squared error is multiplied by
// w. A row of weight zero is the same as an absent row.
//
// # The certificate
//
// Report.Residual is the relative residual of the system, eq. (4) of the paper, at
// the coefficients returned and on the samples that they belong to. It is computed
// from the data after the training, not from the matrix that was solved; in doubled precision
// where sums of float64 show their rounding errors and not what is left.
//
// # Rounding
//
// Kernel values of 1e20 have rounding errors above any ridge, and their matrix may be indefinite by
// them. A little of its diagonal is then added to it, Report.Message says how much, and the residual what that costs.
// A kernel that is not positive definite by more is refused.
package lssvm
