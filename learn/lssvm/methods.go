package lssvm

import "github.com/sparsekm/sparsekm/learn"

var gammaReg = learn.Param{Name: "gamma_reg", Range: learn.Positive,
	Doc: "Weight of the squared errors of the dual LS-SVM."}

func init() {
	learn.Register(Dual{GammaReg: 1, Solver: byInverse, MaxIter: 10000}, learn.Method{
		Name: "lssvm", Paper: "Suykens et al. (2000), eq. (4)", Tasks: learn.Supervised, KernelOnly: true,
		About: "least-squares SVM, every sample a support vector; leave-one-out error for free",
		Own: []learn.Param{gammaReg, {Name: "gamma_grid", Field: "Grid", Range: learn.Positive,
			Doc: "Values that gamma_reg is chosen from by the leave-one-out error."},
			{Name: "solver", Words: []string{byInverse, byConjugate},
				Doc: "How the system is solved: by an inverse, or by conjugate gradients in little memory, without leave-one-out."}},
	})
	learn.Register(Prune{GammaReg: 1, Fraction: 0.05, MinSV: 2}, learn.Method{
		Name: "lssvm-prune", Paper: "Suykens et al. (2000), section 3",
		Tasks: learn.Supervised, Validation: true, KernelOnly: true,
		About: "sparse least-squares SVM: removes the samples of least |α| until the accuracy degrades",
		Own: []learn.Param{
			gammaReg,
			{Name: "prune_fraction", Field: "Fraction", Range: learn.Fraction,
				Doc: "Share of the set that a pruning step removes."},
			{Name: "of_current", Doc: "Take the fraction of the remaining samples, not of the first set."},
			{Name: "min_sv", Range: learn.Count, Doc: "Least number of support vectors."},
			{Name: "slack", Range: learn.NonNegative, Doc: "Loss of accuracy that pruning may cause."},
		},
	})
}
