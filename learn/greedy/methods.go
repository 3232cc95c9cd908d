package greedy

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(KMP{Eta: 1e-4, Seed: 1}, learn.Method{
		Name: "kmp", Paper: "Vincent & Bengio (2002)", Tasks: learn.Supervised, KernelOnly: true,
		About: "kernel matching pursuit with back-fitting",
	})
	learn.Register(SGGP{Noise: 0.1, Eta: 1e-4, Candidates: 59, Seed: 1}, learn.Method{
		Name: "sggp", Paper: "Smola & Bartlett (2001)", Tasks: learn.Supervised, KernelOnly: true,
		About: "sparse greedy Gaussian process on the labels",
		Own:   []learn.Param{{Name: "noise", Range: learn.Positive, Doc: "Variance of the noise on the labels."}},
	})
	learn.Register(PFSALS{C: 10, Eta: 1e-4, Candidates: 59, Seed: 1}, learn.Method{
		Name: "pfsals", Paper: "Jiao, Bo & Wang (2007)", Tasks: learn.Supervised, KernelOnly: true,
		About: "fast sparse approximation of the least-squares SVM with the probabilistic speedup",
	})
	learn.Register(LDA{C: 10, Eta: 1e-4, Seed: 1, Singular: singular}, learn.Method{
		Name: "lssvm-lda", Paper: "Abe (2008), section 3.4", KernelOnly: true,
		About: "sparse least-squares SVM (L): support vectors by forward selection with linear discriminant analysis",
		Own: []learn.Param{
			{Name: "singular", Range: learn.Positive, Doc: "Leave out what adds at most this pivot to Q_W, Abe's eq. (10)."},
			{Name: "scatter_ridge", Range: learn.NonNegative, Doc: "ε on the diagonal of Q_W, Abe's eq. (15)."},
		},
	})
	learn.Register(Cholesky{C: 10, Eta: 1e-4}, learn.Method{
		Name: "lssvm-chol", Paper: "Abe (2008), section 3.2", Tasks: learn.Supervised, KernelOnly: true,
		About: "sparse least-squares SVM (C): support vectors by incomplete Cholesky factorisation in data order",
	})
	learn.Register(Primal{C: 10, Eta: 1e-9}, learn.Method{
		Name: "lssvm-primal", Paper: "Abe (2008), section 4", Tasks: learn.Supervised, KernelOnly: true,
		About: "least-squares SVM in the whole empirical feature space",
	})
}
