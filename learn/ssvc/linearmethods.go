package ssvc

import "github.com/sparsekm/sparsekm/learn"

// The methods that solve linear programs are registered by package linear, or when they are first used: a program with
// ssvc-a alone does not link them.

// Describe implements [learn.Described].
func (B) Describe() (learn.Trainer, learn.Method) {
	return B{C: 1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-b", Paper: "Huang et al. (2010), Implementation B, eq. (10), (14) and (15)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "sparse support vector classifier by reweighted linear programs",
	}
}

// Describe implements [learn.Described].
func (W) Describe() (learn.Trainer, learn.Method) {
	return W{C: 1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-w", Paper: "Weston et al. (2003); Huang et al. (2010), eq. (16) and section 3.5.1",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "zero-norm classifier by a multiplicative update; gives the models of ssvc-b",
	}
}

// Describe implements [learn.Described].
func (RegressB) Describe() (learn.Trainer, learn.Method) {
	return RegressB{C: 1, Epsilon: 0.1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvr-b", Paper: "Huang et al. (2010), section 3.5.2: Implementation B with the ε-insensitive loss",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "sparse support vector regression by reweighted linear programs",
	}
}

// Describe implements [learn.Described].
func (OneClass) Describe() (learn.Trainer, learn.Method) {
	return OneClass{C: 1, Nu: 0.5, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "sparse-one-class", Tasks: []learn.Task{learn.OneClass},
		KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		Paper: "Huang et al. (2010), Implementation B; Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001)",
		About: "one-class model of few vectors by reweighted linear programs",
	}
}

// Describe implements [learn.Described].
func (FeaturesB) Describe() (learn.Trainer, learn.Method) {
	return FeaturesB{C: 1, MaxIter: 50}, learn.Method{
		Name: "ssvc-features-b", Paper: "Huang et al. (2010), section 3.5.2: Implementation B on the features",
		OwnKernel: true, Programs: true, Own: []learn.Param{squares},
		About: "linear model of few features by reweighted linear programs; the model asks for no others",
	}
}
