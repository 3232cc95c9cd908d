// Package lssvm trains least-squares support vector machines by the linear system
// that their optimum solves.
//
//   - [Dual]: the LS-SVM of Suykens et al. (2000), every point a support vector,
//     with leave-one-out figures and the choice of γ by them.
//   - [Prune]: the same, with the points of smallest |α| left out step by step.
//
// Package greedy has the least-squares machines that choose their support vectors
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
// the coefficients returned and on the points that they belong to. It is computed
// from the data after the training, not from the matrix that was solved.
package lssvm
