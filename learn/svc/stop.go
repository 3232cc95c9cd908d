package svc

import "github.com/sparsekm/sparsekm/learn"

// stop is embedded in the trainers: when they end.
type stop struct{ libsvm bool }

// ByLIBSVM returns a trainer of this package that stops by LIBSVM's rule alone: when no pair of variables violates the
// optimality conditions by more than the tolerance, whatever the duality gap. Its models equal LIBSVM's also where C
// is so large that the gap is.
func ByLIBSVM(t learn.Trainer) learn.Trainer {
	switch t := t.(type) {
	case Trainer:
		t.libsvm = true
		return t
	case NuSVC:
		t.libsvm = true
		return t
	case SVR:
		t.libsvm = true
		return t
	case NuSVR:
		t.libsvm = true
		return t
	case OneClass:
		t.libsvm = true
		return t
	}
	return t
}
