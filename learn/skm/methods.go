package skm

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(L0SVM{C: 1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "l0svm", Paper: "Peleg & Meir (2009), eq. (10) and (11)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "l0-norm SVM: least sum of logarithms of the coefficients, by successive linear programs",
	})
	learn.Register(L1SVM{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "l1svm", Paper: "Peleg & Meir (2009), eq. (6)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "l1-norm SVM: least sum of nonnegative coefficients, by a linear program",
	})
	learn.Register(L1SVR{C: 1, Epsilon: 0.1, Subset: learn.AllSamples}, learn.Method{
		Name: "l1svr", Paper: "Smola, Schölkopf & Rätsch (1999)",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "regression with the least sum of absolute coefficients, by a linear program",
	})
	learn.Register(LPSVC{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "lpsvc", Paper: "Kecman & Hadzic (2000)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "LP-SVC: least sum of absolute coefficients with a free bias, by a linear program",
	})
	learn.Register(Trainer{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "skm", Paper: "Peleg & Meir (2009), eq. (3) and Table 1",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "sparsity driven kernel machine: minimises a generalisation bound over coefficients and margin",
		Own: []learn.Param{{Name: "margin", Field: "Delta", Range: learn.UpToOne,
			Doc: "Margin δ of skm in (0, 1]. Default: search for the best."}},
	})
}
