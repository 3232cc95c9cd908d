package bayes

import "github.com/sparsekm/sparsekm/learn"

var noBias = learn.Param{Name: "no_bias", Doc: "Leave the bias out."}

func init() {
	learn.Register(RVM{MaxIter: 10000, Starts: 2}, learn.Method{
		Name: "rvm", Paper: "Tipping (2001)", Tasks: learn.Supervised, KernelOnly: true, Own: []learn.Param{noBias},
		About: "relevance vector machine: a prior precision for each coefficient, by marginal likelihood",
	})
	learn.Register(Fast{MaxIter: 10000, Starts: 2}, learn.Method{
		Name: "rvm-fast", Paper: "Tipping & Faul (2003)",
		Tasks: learn.Supervised, KernelOnly: true, Own: []learn.Param{noBias},
		About: "relevance vector machine that adds and drops one basis function at a time",
	})
	learn.Register(SPC{MaxIter: 10000}, learn.Method{
		Name: "spc", Paper: "Figueiredo (2003)", KernelOnly: true, Own: []learn.Param{noBias},
		About: "sparse probit classifier, by expectation maximisation under Jeffreys' prior",
	})
}
