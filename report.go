package sparsekm

import (
	"context"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// Report describes a training and its model.
type Report struct {
	Method string               `json:"method"`
	N      int                  `json:"n"`                // samples of the set, absent ones included
	D      int                  `json:"d"`                // features of the set
	Task   learn.Task           `json:"task"`             // what was learnt
	Target *prepare.TargetScale `json:"target,omitempty"` // of Options.ScaleTarget, else nil
	Labels []string             `json:"classes"`          // of two, the last is the positive one. None for regression
	Kernel gram.Kernel          `json:"kernel"`           // with its γ; the first submodel's if each has its own
	Scheme model.Scheme         `json:"scheme"`
	// Status is Optimal when every submodel's is, else the first one that is not done, else that which proves the least.
	Status     status.Status `json:"status"`
	NumVectors int           `json:"sv"` // distinct vectors
	// Constant says that no submodel has a vector: the model has one answer for every sample.
	Constant bool `json:"constant,omitempty"`
	// Support are rows of the set that are support vectors: of one submodel in the method's order, else ascending.
	Support []int `json:"support,omitzero"`
	// Vectors has the support vectors, row-major in scaled units, if they are no rows of the set; Support is nil then.
	Vectors []float64 `json:"-"`
	// Held are rows of the set that prediction sets were fitted to instead of training; nil for none.
	Held  []int              `json:"-"`
	Bound *assure.ErrorBound `json:"error_bound,omitempty"` // nil if nobody asked
	// Decisions are those of the set's samples, of one submodel, where [learn.WithDecisions] asked for them and the method
	// has them; nil otherwise.
	Decisions *learn.Decisions `json:"-"`
	// Submodels has one training for each submodel. Their Support are rows of the set, or indices of Vectors.
	Submodels []learn.Trained `json:"-"`
}

// submodelJSON is the training of one submodel.
type submodelJSON struct {
	Positive string       `json:"positive"` // empty for regression
	Negative string       `json:"negative"` // empty for all other classes
	Kernel   *gram.Kernel `json:"kernel,omitempty"`
	Support  []int        `json:"support,omitzero"`
	Coef     []float64    `json:"coef"`
	Bias     float64      `json:"bias"`
	Report   learn.Report `json:"report"`
}

// MarshalJSON writes method, n, d, task, target (where it was scaled), classes, kernel, scheme, status, sv, constant
// (where true), support or vectors (one a row), error_bound (where asked for), and models with positive, negative,
// kernel (where a model has its own), support, coef, bias and [learn.Report] as report. A number that is not
// finite is null.
func (r Report) MarshalJSON() ([]byte, error) {
	type fields Report // without this method
	j := struct {
		fields
		Vectors   [][]float64    `json:"vectors,omitzero"`
		Submodels []submodelJSON `json:"submodels"`
	}{fields: fields(r)}
	for pos := 0; pos < len(r.Vectors); pos += r.D {
		j.Vectors = append(j.Vectors, r.Vectors[pos:pos+r.D])
	}
	for _, t := range r.Submodels {
		m := submodelJSON{Kernel: t.Submodel.Kernel, Support: t.Support, Coef: t.Coef, Bias: t.Bias,
			Report: t.Report}
		if !r.Task.Real() {
			m.Positive = r.Labels[t.Pos]
		}
		if t.Neg != learn.Rest {
			m.Negative = r.Labels[t.Neg]
		}
		j.Submodels = append(j.Submodels, m)
	}
	return fileformat.Marshal(j)
}

// Evaluate decides about samples with targets, raw like those of the training, and says how good the model is on them:
// see [predict.Set]. Threads 0 means GOMAXPROCS.
func Evaluate(ctx context.Context, clf *Classifier, set *dataset.Set, threads int) (*metrics.Report, error) {
	return predict.Judge(ctx, clf, set, threads)
}
