// Package centres fits kernel expansions with trained centres, after Wu, Schölkopf and Bakır, "A direct method for
// building sparse kernel learning algorithms" (JMLR 7, 2006). With K vectors c_j and, if wanted, a width for each
// feature, S steps of directions u_j and offsets t_j, and planes p_o,
//
//	f_o(x) = Σ_j a_oj k(x, c_j) + Σ_j s_oj σ(u_jᵀx + t_j) + p_oᵀx + b_o
//	k(x, c) = κ(−Σ_k γ_k w_k² (x_k − c_k)²),   σ(s) = 1/(1 + e⁻ˢ)
//
// where γ_k is the kernel's γ times its weight of the feature and κ is exp or another function with slopes
// ([gram.Kernel.Slopes]), it minimises
//
//	J = ν/2 Σ_o (a_oᵀ(K_cc + ρI)a_o + ‖s_o‖² + ‖p_o‖²) + Σ_o Σ_i v_oi ℓ(y_oi, f_o(x_i))
//	    + η/2 ‖log w‖² + ζ/2 ‖u‖² + κ Σ_k (√(‖z_k‖² + ε²) − ε + ½ Σ_l τ/(1 + n_l) z_kl²)            (1)
//
// over all free variables. A feature may be the number of a level; its x_k is then a free value of that level, in the
// last sum z_kl = √γ_k x_k, and n_l is the number of the level's samples. (The first part of the sum is a group lasso
// with a rounded corner, Yuan and Lin, JRSS B 68, 2006; the second draws the values of rare levels toward 0.)
//
// For fixed c, w, u, t and x it is convex in (a, s, p, b): [Refit] solves it and returns a certificate. In the others
// it is not convex; [Fitter.Fit] goes from a start to a local optimum by L-BFGS, with the gradients (r_oi =
// v_oi ∂ℓ/∂f, P_ij = κ'_ij Σ_o r_oi a_oj, and κ' = κ for exp)
//
//	∂J/∂c_j     = 2 γ w² ∘ Σ_i P_ij (x_i − c_j) + penalty                                          (2)
//	∂J/∂log w_k = −2 γ_k w_k² Σ_ij P_ij (x_ik − c_jk)² + penalty + η log w_k
//
// and, with σ_ij = σ(u_jᵀx_i + t_j) and P_ij = σ_ij (1 − σ_ij) Σ_o r_oi s_oj,
//
//	∂J/∂u_j = Σ_i P_ij x_i + ζ u_j,   ∂J/∂t_j = Σ_i P_ij                                           (3)
//
// The derivative by the value of a level sums, over its samples, those by the feature x_ik:
//
//	∂J/∂x_ik = −2 γ_k w_k² Σ_j P_ij (x_ik − c_jk) + Σ_j P_ij u_jk + Σ_o r_oi p_ok                   (4)
//
// with P of (2) in the first sum and of (3) in the second.
//
// A new step begins as the threshold of one feature that separates the slopes r best ([Fitter.Begin]), as a tree
// grows by gradient boosting (Friedman, "Greedy function approximation", Annals of Statistics 29, 2001). Unless steps
// may turn, it keeps that feature.
//
// An evaluation passes once over blocks of samples that fit the first-level cache: products, exp, loss, and products
// again. No n×n or n×K matrix is stored. Sums over samples are made in parts whose number depends on n alone, so that
// results do not depend on the number of threads.
package centres
