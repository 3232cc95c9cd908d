package ssvc

import (
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
)

func init() {
	learn.Register(A{C: 1, Tolerance: 1e-6, MaxIter: 200, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-a", Refit: true, KernelOnly: true, Candidates: learn.AnySide,
		Paper: "Huang et al. (2010), Implementation A; with --norm eq. (21), with --c1 the remarks of section 3.3.2",
		About: "sparse support vector classifier by reweighted quadratic programs; usually the sparsest",
		Own: []learn.Param{
			{Name: "c1", Field: "TwoNorm", Range: learn.NonNegative,
				Doc: "Weight of the zero norm against the two-norm of the combined objective. Default: no two-norm."},
			{Name: "norm", Range: norms, Doc: "Penalise the p-norm of the coefficients, 0 < p < 2. Default: the zero norm."},
		},
	})
	learn.Register(RegressA{C: 1, Epsilon: 0.1, Tolerance: 1e-6, MaxIter: 200, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvr-a", Paper: "Huang et al. (2010), section 3.5.2: Implementation A with the ε-insensitive loss",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Candidates: learn.AnySide,
		About: "sparse support vector regression by reweighted quadratic programs",
	})
	learn.Register(Features{C: 1, Tolerance: 1e-6, MaxIter: 200}, learn.Method{
		Name: "ssvc-features", Paper: "Huang et al. (2010), section 3.5.2: Implementation A on the features",
		OwnKernel: true,
		About:     "linear model of few features by reweighted quadratic programs; the model asks for no others",
		Own: []learn.Param{merged.Squares, {Name: "ranked",
			Doc: "Rank the features in one round and let folds choose how many to keep; no reweighting."}},
	})
}
