package prepare

import (
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
)

// Methods that read kernel values alone take sparse samples as row numbers: the kernel looks the rows up
// ([gram.Kernel.On]). Everything else reads features, with every zero stored, if the budget has room.

// NeedsFeatures names what reads features, so that the zeros of sparse samples must be stored; "" if nothing does.
// A command asks before it reads a file, so that no sparse set is made dense twice.
func (s *Spec) NeedsFeatures() string {
	switch {
	case !s.Method.KernelOnly:
		return s.Method.Name + " reads features"
	case !s.Kernel.Sparse():
		return fmt.Sprintf("the %v kernel reads features that are 0", s.Kernel.Kind)
	case s.Scale != dataset.ScaleNone:
		return fmt.Sprintf("scaling %v moves features away from 0", s.Scale)
	case s.ReadsFeatures != "":
		return s.ReadsFeatures
	case s.Candidates != nil:
		return "candidates are read by features"
	case s.Validation != nil:
		return "validation data are read by features"
	}
	return ""
}

// numbered gives each sample of a sparse set one feature: the number of its row, or of the first row equal to it. It
// returns the rows too; nil, and the set as it is, for one that is dense.
func numbered(set *dataset.Set) (*dataset.Set, *csr.Matrix) {
	m, out := set.Sparse, *set
	if m == nil {
		return set, nil
	}
	out.Sparse, out.X, out.D = nil, make([]float64, m.N), 1
	for i, first := range m.First() {
		out.X[i] = float64(first)
	}
	return &out, m
}
