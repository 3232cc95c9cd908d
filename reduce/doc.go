// Package reduce shrinks trained models: fewer support vectors, with decision values as near as possible to the given
// ones.
//
// [Prune] is the method of Kobayashi and Otsu (2009): it removes the vectors that the others replace best, until a
// [Rule] stops it. [Simplify] is the method of Downs, Gates and Masters (2001): it removes vectors that are linear
// combinations of others. [Move] trains new centres that reproduce the given decision values; it needs far fewer
// vectors for the same error. All work on the distinct vectors that the submodels share, so that a prediction for
// several classes needs fewer kernel values too.
//
// # The method
//
// With K the kernel matrix of the vectors, H = (K+λI)⁻¹ and α a submodel's coefficients, Algorithm 2 of the paper
// removes the vector i of largest h_ii and sets α ← α_(i) − α_i·h_(i)/h_ii, H ← H_(i) − h_(i)·h_(i)ᵀ/h_ii (eq. (7)
// and (8); the printed box has h_ii once too often). Three facts turn its cubic loop into a few matrix products:
//
//   - The loop is a Cholesky factorisation of H with diagonal pivoting, which
//     package cholupdate blocks. It depends neither on coefficients nor on data.
//   - After any removals, α_S = (K_SS+λI)⁻¹·t_S with the fixed t = (K+λI)·α: so all
//     submodels keep their best coefficients, and errors do not add up.
//   - With the vectors in reverse order of removal, L·Lᵀ = K+λI, u = L⁻¹t and
//     V = K_NS·L⁻ᵀ for N samples, the decisions with the m last survivors are
//     b + Σ_{j≤m} V_j·u_j: one triangular solve gives the decisions, hence the mean
//     hinge loss (eq. (9)), the errors and the agreement after every removal.
//
// # Readings of the paper
//
// Algorithms 1 and 2 choose by different criteria (ε, and ε + λ‖β‖²); Algorithm 2 is the method, [Options] have the
// other. Ties go to the lowest index. The criterion is the absolute increase of the mean hinge loss; it may fall again
// later, so removal stops at the first crossing, and the set before it is kept. It does not see the size of
// coefficients: removing one of two equal vectors would cost up to λ|α_i|, so equal vectors are merged first.
package reduce
