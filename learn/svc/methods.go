package svc

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(Trainer{C: 1, Tolerance: 1e-3}, learn.Method{
		Name: "svc", Paper: "Cortes & Vapnik (1995); Fan, Chen & Lin (2005)", KernelOnly: true, Proves: true,
		About: "support vector classifier (C-SVC), the model that the others are measured against",
	})
	learn.Register(SVR{C: 1, Epsilon: 0.1, Tolerance: 1e-3}, learn.Method{
		Name: "svr", Paper: "Vapnik (1995); Smola & Schölkopf (2004)",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Proves: true,
		About: "support vector regression (ε-SVR): errors within a tube cost nothing",
	})
	learn.Register(NuSVC{Nu: 0.5, Tolerance: 1e-3}, learn.Method{
		Name: "nu-svc", Paper: "Schölkopf, Smola, Williamson & Bartlett (2000); Chang & Lin (2001)", KernelOnly: true,
		Proves: true,
		About:  "support vector classifier by a share of errors instead of C (ν-SVC)",
	})
	learn.Register(NuSVR{C: 1, Nu: 0.5, Tolerance: 1e-3}, learn.Method{
		Name: "nu-svr", Paper: "Schölkopf, Smola, Williamson & Bartlett (2000)",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Proves: true,
		About: "support vector regression by a share of samples outside the tube instead of ε (ν-SVR)",
	})
	learn.Register(OneClass{Nu: 0.5, Tolerance: 1e-3}, learn.Method{
		Name: "one-class", Paper: "Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001)",
		Tasks: []learn.Task{learn.OneClass}, KernelOnly: true, Proves: true,
		About: "one-class SVM: where samples like those of the training are, without labels",
	})
}
