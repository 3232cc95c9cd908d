// Package bayes trains sparse kernel machines whose support vectors are selected by a prior.
//
//   - [RVM], [Fast]: the relevance vector machine of Tipping (2001), which re-estimates the precision of every
//     coefficient, and of Tipping & Faul (2003), one coefficient at a time; for classification and regression.
//   - [SPC]: the sparse probit classifier of Figueiredo (2003), by expectation maximisation.
//
// # Model
//
// A model is f(x) = Σ_j w_j k(x, x_j) + b over the distinct samples. The bias, unless it is left out, is a coefficient
// with a prior like the others and may be pruned to 0. Equal samples are one candidate, under their lowest index, with
// the sum of their weights in either class. A sample of weight w counts as w samples. Columns of kernel values are
// divided by their largest value, so that no model depends on the unit of the kernel.
//
// A model may be empty if no column of the kernel explains the targets well enough; the message then says so.
//
// # Probabilities
//
// The logistic function of a decision value is the probability at the most probable coefficients. The average over
// their posterior is nearer to one half: σ(κ f) with κ = (1 + π s²/8)^(−1/2) for a decision value of variance s². A
// model keeps one κ, whose probabilities are nearest, in cross entropy, to those with the training samples' own κ.
//
// # Regression
//
// [RVM] and [Fast] also do regression, with normal noise of unknown variance. The noise precision β and the precisions
// α have an optimal common factor in closed form, which does not move the mode. Every step ends with it, so no step
// lowers the evidence. Targets are scaled to a standard deviation of 1.
//
// # Adding a likelihood
//
// Posterior, evidence and both searches use only the value of a likelihood and its derivatives with respect to f.
package bayes
