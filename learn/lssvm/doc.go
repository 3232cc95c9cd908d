// Package lssvm trains least-squares support vector machines, and makes them need
// few support vectors.
//
//   - [Dual]: the LS-SVM of Suykens et al. (2000), every point a support vector,
//     with leave-one-out figures and the choice of γ by them.
//   - [Prune]: the same, with the points of smallest |α| left out step by step.
//   - [LDA], [Cholesky], [Primal]: Abe (2008), the LS-SVM in the span of support vectors
//     chosen by linear discriminant analysis, or by incomplete Cholesky factorisation.
//   - [KMP], [SGGP], [PFSALS]: the forward selections that Abe compares with.
//
// # Choosing once, fitting often
//
// A selection does not depend on the margin parameter C, and the selection for
// one threshold η holds the selections for all larger ones as prefixes. So
// [LDA.Select] runs once for a whole grid over (η, C):
//
//	s, err := lssvm.LDA{Eta: 1e-4}.Select(ctx, problem)
//	for _, c := range []float64{1, 100, 1e4} {
//		e := s.Solve(s.Prefix(1e-3), c)
//		...
//	}
//
// # Weights
//
// A sample of weight w counts like w samples: its squared error is multiplied by
// w, and means, covariances and class sizes are weighted. A row of weight zero
// is the same as an absent row.
//
// Points that are equal are candidates once, by their lowest row; all of them
// take part in the fit.
package lssvm
