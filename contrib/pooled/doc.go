// Package pooled trains a model over samples that are too many for one host. First every shard of the samples is
// trained on its own; the few support vectors of these models are the candidates z_1 ... z_m. [Train] selects K of them
// and minimises for every output o
//
//	J_o(a, b) = ½ aᵀ(K_zz + ρI)a + C Σ_i v_i ℓ(y_oi, f_o(x_i)),   f_o(x) = Σ_j a_oj k(x, z_j) + b_o      (1)
//
// ℓ is the squared hinge for classification (y = ±1, one output per class, or one for two classes) and the squared loss
// for regression. The samples enter only by sums over them at a model, [Model.Sums], which add up over shards,
// processes or batches, in any order. The number of sums depends on vectors and outputs alone.
//
// The first sums are at f = 0, where every sample is within the margin. The Newton step from there is the least-squares
// fit of the targets. Vectors are selected on these sums, without the samples, by their decrease of the quadratic model
// of (1) given the vectors before (orthogonal least squares: Chen, Cowan & Grant, IEEE Trans. Neural Networks 2, 1991).
// In regression the coefficients are then optimal. In classification each further pass over the samples is a Newton
// step on (1), and few are needed (Keerthi, Chapelle & DeCoste, JMLR 7, 2006, section 3).
//
// The last sums are at the returned model. They give its certificate and the number of misclassified samples.
package pooled
