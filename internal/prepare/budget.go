package prepare

import (
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// budget is what the samples and their copies leave: the present ones, scaled, with their numbers, targets and weights,
// and validation samples. External candidates are counted when they are copied. It refuses a training whose samples
// alone exceed it, before any of them is copied.
func (r *selection) budget(s *Spec) (*learn.Budget, error) {
	r.n, r.width = r.set.N, r.set.D
	if r.rows != nil {
		r.n = len(r.rows)
	}
	n, scaled := int64(r.n), s.Scale != dataset.ScaleNone
	bytes := 8 * n
	switch {
	case r.rows != nil:
		bytes = 32 * n // targets, numbers, weights
	case len(s.ClassWeight) > 0:
		bytes += 8 * n
	}
	if m := r.set.Sparse; m != nil {
		r.width = 2 + 3*len(m.Value)/(2*max(1, m.N))
		if bytes += 24 * n; r.rows != nil {
			bytes += m.Bytes()
		}
	} else if scaled || r.rows != nil {
		bytes += 8 * n * int64(r.set.D)
	}
	if v := s.Validation; v != nil {
		bytes += 16 * int64(v.N)
		if scaled {
			bytes += 8 * int64(len(v.X))
		}
	}
	r.copied = bytes
	have := s.Resources
	have.InUse = r.inUse + r.copied
	b := have.Budget(s.Trainer.Name(), r.n, r.width)
	if b.Left() >= 0 {
		return b, nil
	}
	need := int64(0) // submodels share what is left, and may have fewer samples each
	if s.Submodels <= 1 {
		need = s.Trainer.EstimateMemory(r.n, r.width)
	}
	return nil, b.Take(need)
}
