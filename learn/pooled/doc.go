// Package pooled is the last training over samples that no model holds. Shards of the samples have had trainings of
// their own; their few support vectors are the candidates z_1 ... z_m. From these [Train] selects K and minimises, an
// output o at a time,
//
//	J_o(a, b) = ½ aᵀ(K_zz + ρI)a + C Σ_i v_i ℓ(y_oi, f_o(x_i)),   f_o(x) = Σ_j a_oj k(x, z_j) + b_o      (1)
//
// where ℓ is the squared hinge for classes (y = ±1, an output a class; one for two classes) and the squared loss for
// real values. All that it asks of the samples are sums over them at a model, [Model.Sums], which are numbers that
// add up: of shards, of processes, of batches, in any order. Their count depends on vectors and outputs alone.
//
// The first sums are those at f = 0, where every sample is within the margin: the Newton step from there is the
// least-squares fit of the targets, whatever vectors it has. Vectors are selected on these sums, without the samples,
// by what each takes off the quadratic model of (1), given those before (orthogonal least squares: Chen, Cowan &
// Grant, IEEE Trans. Neural Networks 2, 1991). The vectors then stay. Of real values the coefficients are optimal
// already; of classes each further pass over the samples is a step of Newton's method on (1), which ends after a few:
// Keerthi, Chapelle & DeCoste (JMLR 7, 2006), section 3.
//
// The last sums are those of the model returned, and give its certificate, and the samples that it has wrong.
package pooled
