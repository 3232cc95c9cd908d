// Package bayes trains sparse kernel machines whose few vectors are chosen by a prior.
//
//   - [RVM], [Fast]: the relevance vector machine of Tipping (2001) by re-estimation of every
//     coefficient's precision, and of Tipping & Faul (2003) one coefficient at a time; of classes or real values.
//   - [SPC]: the sparse probit classifier of Figueiredo (2003), by expectation and maximisation.
//
// # What they share
//
// A model is f(x) = Σ_j w_j k(x, x_j) + b over the distinct samples; the bias, unless it is left
// out, is a coefficient with a prior like the others and may be pruned to 0 like them. Samples that are
// equal are one candidate, under their lowest index, with the sum of their weights in either class. A sample of
// weight w counts like w samples. Columns of kernel values are divided by their largest
// before anything is estimated: no model depends on the unit of the kernel.
//
// A model may be empty: no column then says more of the targets than it costs, and the message says so.
//
// # Probabilities
//
// The logistic of the decision is the probability at the most probable coefficients. Averaged over their posterior
// it is nearer to one half, σ(κ f) with κ = (1 + π s²/8)^(−1/2) for a decision of variance s². A model keeps one κ:
// the one whose probabilities are nearest, in cross entropy, to those of the training samples' own κ.
//
// # Real values
//
// [RVM] and [Fast] take real targets as well, with normal noise of unknown variance. The noise's precision β and all
// precisions α have a best common factor in closed form, at which the mode stays: every step ends with it, so that none
// lowers the evidence. Targets are worked on in units of their deviation.
//
// # Adding a likelihood
//
// The posterior of the coefficients, the evidence and both searches ask a likelihood for its value and its derivatives
// by f alone.
package bayes
