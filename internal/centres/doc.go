// Package centres fits kernel expansions with trained centres, after Wu, Schölkopf and Bakır, "A direct method for
// building sparse kernel learning algorithms" (JMLR 7, 2006). With K vectors c_j and, if wanted, a width for each
// feature,
//
//	f_o(x) = Σ_j a_oj k(x, c_j) + b_o,   k(x, c) = exp(−Σ_k γ_k w_k² (x_k − c_k)²)
//
// where γ_k is the kernel's γ times its weight of the feature, it minimises
//
//	J(a, b, c, w) = ν/2 Σ_o a_oᵀ(K_cc + ρI)a_o + Σ_o Σ_i v_oi ℓ(y_oi, f_o(x_i)) + η/2 ‖log w‖²      (1)
//
// over all free variables. For fixed c and w it is convex in (a, b): [Refit] solves it and returns a certificate. In c
// and w it is not convex; [Fitter.Fit] goes from a start to a local optimum by L-BFGS, with the gradients (r_oi = v_oi
// ∂ℓ/∂f, P_ij = k(x_i, c_j) Σ_o r_oi a_oj)
//
//	∂J/∂c_j     = 2 γ w² ∘ Σ_i P_ij (x_i − c_j) + penalty                                          (2)
//	∂J/∂log w_k = −2 γ_k w_k² Σ_ij P_ij (x_ik − c_jk)² + penalty + η log w_k
//
// An evaluation passes once over blocks of samples that fit the first-level cache: products, exp, loss, and products
// again. No n×n or n×K matrix is stored. Sums over samples are made in parts whose number depends on n alone, so that
// results do not depend on the number of threads.
package centres
