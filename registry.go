package sparsekm

import (
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

var methods = []Method{
	{
		Name:     "svc",
		About:    "support vector classifier (C-SVC), the machine that the others are measured against",
		Paper:    "Cortes & Vapnik (1995); Fan, Chen & Lin (2005)",
		Uses:     []string{"c", "tolerance", "max_iter"},
		Defaults: Params{C: 1, Tolerance: 1e-3},
		build: func(p Params) learn.Trainer {
			return svc.Trainer{C: p.C, Tolerance: p.Tolerance, MaxIter: p.MaxIter}
		},
	},
	{
		Name:     "ssvc-a",
		About:    "sparse support vector classifier by reweighted quadratic programs; usually the sparsest",
		Paper:    "Huang et al. (2010), Implementation A; with --norm eq. (21), with --c1 the remarks of section 3.3.2",
		Uses:     []string{"c", "c1", "norm", "tolerance", "max_iter"},
		Defaults: Params{C: 1, Tolerance: 1e-6, MaxIter: 200},
		build: func(p Params) learn.Trainer {
			return ssvc.Trainer{C: p.C, TwoNorm: p.C1, Norm: p.Norm, Tolerance: p.Tolerance, MaxIter: p.MaxIter}
		},
	},
	{
		Name:     "lssvm-primal",
		About:    "least-squares SVM in the whole empirical feature space",
		Paper:    "Abe (2008), section 4",
		Uses:     []string{"c"},
		Defaults: Params{C: 10},
		build:    func(p Params) learn.Trainer { return lssvm.Primal{C: p.C} },
	},
	{
		Name:     "lssvm-chol",
		About:    "sparse least-squares SVM (C): support vectors by incomplete Cholesky factorisation in data order",
		Paper:    "Abe (2008), section 3.2",
		Uses:     []string{"c", "eta", "max_sv"},
		Defaults: Params{C: 10, Eta: 1e-4},
		build:    func(p Params) learn.Trainer { return lssvm.Cholesky{C: p.C, Eta: p.Eta, MaxSV: p.MaxSV} },
	},
	{
		Name:     "lssvm-lda",
		About:    "sparse least-squares SVM (L): support vectors by forward selection with linear discriminant analysis",
		Paper:    "Abe (2008), section 3.4",
		Uses:     []string{"c", "eta", "max_sv", "candidates", "seed"},
		Defaults: Params{C: 10, Eta: 1e-4},
		build: func(p Params) learn.Trainer {
			return lssvm.LDA{C: p.C, Eta: p.Eta, MaxSV: p.MaxSV, Candidates: p.Candidates, Seed: p.Seed}
		},
	},
}
