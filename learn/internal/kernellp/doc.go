// Package kernellp solves the linear programs of sparse kernel machines. With a_i = y_i α_i for methods whose α have
// no sign, all of them have the form
//
//	min  Σ cost_i |a_i| + biasCost |b| + Σ cap_i ξ_i
//	s.t. y_i ((Ka)_i + b) ≥ margin edge_i − ξ_i,  ξ ≥ 0,
//
// optionally with y_i a_i ≥ 0, with Σ y_i a_i = 1, or with |a_i| ≤ ceiling:
//
//	SSVC-B, SSVC-W   cost = λ, biasCost = λ_0, a free      Huang et al. (2010), eq. (14)
//	LP-SVC           cost = 1, biasCost = 0, a free        Kecman & Hadzic (2000)
//	SKM              cost = C̃v, Σ y_i a_i = 1, y_i a_i ≥ 0   Peleg & Meir (2009), eq. (4)
//	l1-SVM           cost = 1, 0 ≤ y_i a_i ≤ C              eq. (6)
//	l0-SVM           cost = 1/(α*+δ), y_i a_i ≥ 0            eq. (11)
//
// The edge is 1 for classes. For regression each sample appears twice: with y = 1 and the edge t − ε of its target t,
// and with y = −1 and the edge −t − ε. The second copy has the cost +Inf.
//
// # Row generation
//
// The dual in signed multipliers m_i = y_i μ_i has the kernel matrix itself as its matrix,
//
//	max  margin Σ edge_i y_i m_i − λ
//	s.t. −cost_i ≤ (Km)_i ≤ cost_i,   or, one-sided,  y_i (Km)_i ≤ cost_i + λ,
//	     −biasCost ≤ Σ m_i ≤ biasCost,   0 ≤ y_i m_i ≤ cap_i,
//
// (eq. (15) of Huang et al., (7) and (12) of Peleg & Meir). Few of its rows bind: as many as the model has support
// vectors. So the program starts with a few rows. After every solve, the most violated rows are added, and the dual
// simplex method continues from the last basis. Only the added rows are stored. The result is exact, because no row
// is violated at the end.
//
// # Sifting
//
// From a few thousand samples on, columns are generated as well: see sift.go. Programs with edges, ceilings or a sum
// constraint always have all columns.
//
// # Candidates
//
// With a [Candidates] matrix, only some samples may have coefficients. Only their rows are priced, so only sums over
// the margins pass over all samples. This solves programs of a million samples, exactly except for the coefficients
// left out. If many coefficients are non-zero, an interior-point method first comes close to the optimum: see
// siftinterior.go.
package kernellp
