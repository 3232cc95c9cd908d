// Package lssvm trains least-squares support vector machines that need few
// support vectors: the sparse LS-SVMs of Abe (2008), whose support vectors are
// chosen by linear discriminant analysis ([LDA]) or by incomplete Cholesky
// factorisation ([Cholesky], [Primal]).
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
