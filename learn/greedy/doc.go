// Package greedy trains least-squares models on support vectors that are chosen
// before the fit, one at a time.
//
//   - [LDA], [Cholesky], [Primal]: Abe (2008), the LS-SVM in the span of support vectors
//     chosen by linear discriminant analysis, or by incomplete Cholesky factorisation.
//   - [KMP], [SGGP], [PFSALS]: the forward selections that Abe compares with in his
//     Table 8, the engine of [LDA] with other criteria.
//
// # Choosing once, fitting often
//
// A selection does not depend on the margin parameter C, and the selection for
// one threshold η holds the selections for all larger ones as prefixes. So
// [LDA.Select] runs once for a whole grid over (η, C):
//
//	s, err := greedy.LDA{Eta: 1e-4}.Select(ctx, problem)
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
// Samples that are equal are candidates once, by their lowest row; all of them
// take part in the fit.
//
// # The certificate
//
// Report.Residual is the relative residual of the fit's normal equations at the
// coefficients returned, computed from the data after the training. Where it is no optimum's in
// sums of float64 (kernel columns that hardly vary, labels that cancel in them), the fit is refined, and
// the residual computed, in sums of doubled precision.
//
// # Memory
//
// Kernel values are kept while the budget has room and computed again where it has
// none. The vectors of the support vectors chosen so far, 8 n bytes each, take the
// room of kernel values when nothing else is left. When the budget has no room for
// more of them the selection ends, with a message. From 256 support vectors on, steps are taken
// in blocks where there is room for it, which changes last bits of the result and not the samples.
package greedy
