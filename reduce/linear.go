package reduce

import (
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/model"
)

// Weights returns a model with the linear kernel and one vector a submodel, the w of f(x) = ⟨w, x⟩ + b. Decision values
// and probabilities are the same up to rounding errors.
func Weights(c *model.Classifier) (*model.Classifier, error) {
	p := c.Parts()
	if err := sums(&p); err != nil {
		return nil, err
	}
	if p.Kernel.Kind != gram.KindLinear || p.Kernel.Weights != nil {
		return nil, fmt.Errorf("reduce: found the %v kernel, want linear: others have no vector of weights", p.Kernel.Kind)
	}
	if p.N <= len(p.Submodels) {
		return c, nil
	}
	var w []float64
	for k := range p.Submodels {
		m := &p.Submodels[k]
		w = append(w, p.Plane(m)...)
		m.Support, m.Coef = []int{k}, []float64{1}
	}
	if p.N, p.Rows = len(p.Submodels), nil; p.Sparse != nil {
		p.Sparse = csr.FromDense(w, p.N, p.D)
	} else {
		p.Vectors = w
	}
	return model.New(p)
}
