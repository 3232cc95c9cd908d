// Package kernellp solves the linear programs of sparse kernel machines. With
// a_i = y_i α_i for methods whose α carry no sign, they are all of the form
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
// edge is 1 for classes. Regression has every sample twice, the second time at the cost +Inf,
// with y = 1 and the edge t − ε of its target t, and with y = −1 and the edge −t − ε.
//
// # Row generation
//
// The dual in signed multipliers m_i = y_i μ_i has the kernel matrix itself as its matrix,
//
//	max  margin Σ edge_i y_i m_i − λ
//	s.t. −cost_i ≤ (Km)_i ≤ cost_i,   or, one-sided,  y_i (Km)_i ≤ cost_i + λ,
//	     −biasCost ≤ Σ m_i ≤ biasCost,   0 ≤ y_i m_i ≤ cap_i,
//
// (eq. (15) of Huang et al., (7) and (12) of Peleg & Meir). Few of its rows bind:
// as many as the model has support vectors. So the program starts with a few
// rows, and after every solve the rows that the solution violates most are added;
// the dual simplex method goes on from the last basis. Only the rows that were
// added are ever held, and the result is exact: no row is violated at the end.
//
// # Sifting
//
// From some thousand samples on, columns are generated as well: see sift.go. Programs with edges, ceilings or a sum
// have all of them.
//
// # Candidates
//
// With a [Candidates] matrix few samples may have coefficients. Rows are priced for these alone, so that only sums over
// margins pass over all samples: programs of a million of them are solved, exactly but for the coefficients left out.
// Where many coefficients are not 0 interior points come near to the optimum first: see siftinterior.go.
package kernellp
