// Package greedy trains least-squares models on support vectors that are selected one at a time before the fit.
//
//   - [LDA], [Cholesky], [Primal]: Abe (2008), the LS-SVM in the span of support vectors
//     chosen by linear discriminant analysis, or by incomplete Cholesky factorisation.
//   - [KMP], [SGGP], [PFSALS]: the forward selections that Abe compares with in his
//     Table 8, the engine of [LDA] with other criteria.
//
// # Choosing once, fitting often
//
// A selection does not depend on the margin parameter C, and the selection for one threshold η holds the selections for
// all larger ones as prefixes. So [LDA.Select] runs once for a whole grid over (η, C):
//
//	s, err := greedy.LDA{Eta: 1e-4}.Select(ctx, problem)
//	for _, c := range []float64{1, 100, 1e4} {
//		e := s.Solve(s.Prefix(1e-3), c)
//		...
//	}
//
// # Weights
//
// A sample of weight w counts like w samples: its squared error is multiplied by w, and means, covariances and class
// sizes are weighted. A row of weight zero is the same as an absent row.
//
// Samples that are equal are candidates once, by their lowest row; all of them take part in the fit.
//
// # The certificate
//
// Report.Residual is the relative residual of the fit's normal equations at the returned coefficients, computed from
// the data after the training. If it is too large in float64 (kernel columns that hardly vary, labels that cancel in
// them), the fit is refined, and the residual computed, with sums in doubled precision.
//
// # Memory
//
// Kernel values are stored as far as the budget allows, and computed again otherwise. The vectors of the support
// vectors, 8 n bytes each, replace stored kernel values when the budget is used up. When there is no memory for another
// vector, the selection ends with a message. From 256 support vectors on, steps are taken in blocks if memory allows,
// which changes the last bits of the result but not the selected samples.
package greedy
