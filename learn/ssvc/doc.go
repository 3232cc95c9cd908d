// Package ssvc trains sparse support vector machines for classification and regression, after K. Huang, D. Zheng, J.
// Sun, Y. Hotta, K. Fujimoto, S. Naoi: Sparse learning for support vector classification, Pattern Recognition Letters
// 31 (2010).
//
// The model is f(x) = Σ α_i k(x, x_i) + α_0. Its coefficients are not multipliers but free variables, under a penalty
// that favours few of them. The program
//
//	min ½ αᵀ diag(λ) α + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0      (9)
//
// is solved repeatedly with λ_i = 1/ᾱ_i², where ᾱ is the last solution. Each round lowers Σ log|α_i| + Σ C_i ξ_i.
// Coefficients that reduce the losses too little go to zero doubly exponentially. The bias α_0 is a coefficient like
// the others: it is penalised, and often pruned.
//
// For regression the losses are ε-insensitive, as section 3.5.2 suggests. A sample has a constraint for each side of
// the tube, y f(x_i) ≥ edge − ξ with y = ±1, and (9) has these constraints instead.
//
// These are the methods by quadratic programs. Package learn/ssvclp has those by linear programs.
package ssvc
