package sparsekm

import (
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/skm"
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
		Name:     "ssvc-b",
		About:    "sparse support vector classifier by reweighted linear programs",
		Paper:    "Huang et al. (2010), Implementation B, eq. (10), (14) and (15)",
		Uses:     []string{"c", "max_iter", "dump_lp"},
		Defaults: Params{C: 1, MaxIter: 50},
		build: func(p Params) learn.Trainer {
			return ssvc.Linear{C: p.C, MaxIter: p.MaxIter, Dump: p.Dump}
		},
	},
	{
		Name:     "ssvc-w",
		About:    "zero-norm classifier by a multiplicative update; gives the machines of ssvc-b",
		Paper:    "Weston et al. (2003); Huang et al. (2010), eq. (16) and section 3.5.1",
		Uses:     []string{"c", "max_iter", "dump_lp"},
		Defaults: Params{C: 1, MaxIter: 50},
		build: func(p Params) learn.Trainer {
			return ssvc.Linear{C: p.C, MaxIter: p.MaxIter, Weston: true, Dump: p.Dump}
		},
	},
	{
		Name:     "ssvc-b",
		About:    "sparse support vector classifier by reweighted linear programs",
		Paper:    "Huang et al. (2010), Implementation B, eq. (10), (14), (15)",
		Uses:     []string{"c", "max_iter", "dump_lp"},
		Defaults: Params{C: 1, MaxIter: 50},
		build:    func(p Params) learn.Trainer { return ssvc.Linear{C: p.C, MaxIter: p.MaxIter, Dump: p.Dump} },
	},
	{
		Name:     "ssvc-w",
		About:    "zero-norm machine by rescaled linear programs; the machines of ssvc-b in other units",
		Paper:    "Weston et al. (2003); Huang et al. (2010), eq. (16)",
		Uses:     []string{"c", "max_iter", "dump_lp"},
		Defaults: Params{C: 1, MaxIter: 50},
		build: func(p Params) learn.Trainer {
			return ssvc.Linear{C: p.C, Weston: true, MaxIter: p.MaxIter, Dump: p.Dump}
		},
	},
	{
		Name:     "skm",
		About:    "sparsity driven kernel machine: minimises a generalisation bound over coefficients and margin",
		Paper:    "Peleg & Meir (2009), eq. (3) and Table 1",
		Uses:     []string{"c", "margin", "sv_threshold", "dump_lp"},
		Defaults: Params{C: 1, Threshold: skm.DefaultThreshold},
		build: func(p Params) learn.Trainer {
			return skm.SKM{C: p.C, Delta: p.Margin, Threshold: p.Threshold, Dump: p.Dump}
		},
	},
	{
		Name:     "l1svm",
		About:    "l1-norm SVM: least sum of nonnegative coefficients, by a linear program",
		Paper:    "Peleg & Meir (2009), eq. (6)",
		Uses:     []string{"c", "sv_threshold", "dump_lp"},
		Defaults: Params{C: 1, Threshold: skm.DefaultThreshold},
		build: func(p Params) learn.Trainer {
			return skm.L1SVM{C: p.C, Threshold: p.Threshold, Dump: p.Dump}
		},
	},
	{
		Name:     "l0svm",
		About:    "l0-norm SVM: least sum of logarithms of the coefficients, by successive linear programs",
		Paper:    "Peleg & Meir (2009), eq. (10) and (11)",
		Uses:     []string{"c", "sv_threshold", "max_iter", "dump_lp"},
		Defaults: Params{C: 1, Threshold: skm.DefaultThreshold, MaxIter: 50},
		build: func(p Params) learn.Trainer {
			return skm.L0SVM{C: p.C, Threshold: p.Threshold, MaxIter: p.MaxIter, Dump: p.Dump}
		},
	},
	{
		Name:     "lpsvc",
		About:    "LP-SVC: least sum of absolute coefficients with a free bias, by a linear program",
		Paper:    "Kecman & Hadzic (2000)",
		Uses:     []string{"c", "sv_threshold", "dump_lp"},
		Defaults: Params{C: 1, Threshold: skm.DefaultThreshold},
		build: func(p Params) learn.Trainer {
			return skm.LPSVC{C: p.C, Threshold: p.Threshold, Dump: p.Dump}
		},
	},
	{
		Name:     "lssvm",
		About:    "least-squares SVM, every point a support vector; leave-one-out error for free",
		Paper:    "Suykens et al. (2000), eq. (4)",
		Uses:     []string{"gamma_reg", "gamma_grid"},
		Defaults: Params{GammaReg: 1},
		build:    func(p Params) learn.Trainer { return lssvm.Dual{Gamma: p.GammaReg, Grid: p.GammaGrid} },
	},
	{
		Name:     "lssvm-prune",
		About:    "sparse least-squares SVM: leaves out the points of least |α| until the accuracy degrades",
		Paper:    "Suykens et al. (2000), section 3",
		Uses:     []string{"gamma_reg", "prune_fraction", "of_current", "min_sv", "slack", "val"},
		Defaults: Params{GammaReg: 1, Fraction: 0.05, MinSV: 2},
		build: func(p Params) learn.Trainer {
			return lssvm.Prune{Gamma: p.GammaReg, Fraction: p.Fraction, OfCurrent: p.OfCurrent, MinSV: p.MinSV, Slack: p.Slack}
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
			return lssvm.LDA{C: p.C, Eta: p.Eta, MaxSV: p.MaxSV, Candidates: max(p.Candidates, 0), Seed: p.Seed}
		},
	},
	{
		Name:     "kmp",
		About:    "kernel matching pursuit with back-fitting",
		Paper:    "Vincent & Bengio (2002)",
		Uses:     []string{"eta", "max_sv", "candidates", "seed"},
		Defaults: Params{Eta: 1e-4},
		build: func(p Params) learn.Trainer {
			return lssvm.KMP{Eta: p.Eta, MaxSV: p.MaxSV, Candidates: max(p.Candidates, 0), Seed: p.Seed}
		},
	},
	{
		Name:     "sggp",
		About:    "sparse greedy Gaussian process on the labels",
		Paper:    "Smola & Bartlett (2001)",
		Uses:     []string{"noise", "eta", "max_sv", "candidates", "seed"},
		Defaults: Params{Noise: 0.1, Eta: 1e-4, Candidates: 59},
		build: func(p Params) learn.Trainer {
			return lssvm.SGGP{Noise: p.Noise, Eta: p.Eta, MaxSV: p.MaxSV, Candidates: p.Candidates, Seed: p.Seed}
		},
	},
	{
		Name:     "pfsals",
		About:    "fast sparse approximation of the least-squares SVM with the probabilistic speedup",
		Paper:    "Jiao, Bo & Wang (2007)",
		Uses:     []string{"c", "eta", "max_sv", "candidates", "seed"},
		Defaults: Params{C: 10, Eta: 1e-4, Candidates: 59},
		build: func(p Params) learn.Trainer {
			return lssvm.PFSALS{C: p.C, Eta: p.Eta, MaxSV: p.MaxSV, Candidates: p.Candidates, Seed: p.Seed}
		},
	},
}
