package sparsekm

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/numjson"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// reportJSON has the names of the command's reports.
type reportJSON struct {
	Method   string        `json:"method"`
	N        int           `json:"n"`
	D        int           `json:"d"`
	Task     learn.Task    `json:"task"`
	Target   *TargetScale  `json:"target,omitempty"`
	Classes  []string      `json:"classes"`
	Kernel   gram.Kernel   `json:"kernel"`
	Scheme   string        `json:"scheme"`
	Status   status.Status `json:"status"`
	SV       int           `json:"sv"`
	Constant bool          `json:"constant,omitempty"`
	Support  []int         `json:"support,omitzero"`
	Vectors  [][]float64   `json:"vectors,omitzero"`
	Machines []machineJSON `json:"machines"`
}

// machineJSON is one two-class training.
type machineJSON struct {
	Positive string       `json:"positive"` // empty for values
	Negative string       `json:"negative"` // empty for all other classes
	Kernel   *gram.Kernel `json:"kernel,omitempty"`
	Support  []int        `json:"support,omitzero"`
	Coef     []float64    `json:"coef"`
	Bias     float64      `json:"bias"`
	Report   learn.Report `json:"report"`
}

// MarshalJSON writes method, n, d, task, target (where it was scaled), classes, kernel, scheme, status, sv, constant
// (where true), support or vectors (one a row), and machines with positive, negative, kernel (where a machine has its
// own), support, coef, bias and [learn.Report] as report. A number that is not finite is null.
func (r Report) MarshalJSON() ([]byte, error) {
	j := reportJSON{Method: r.Method, N: r.N, D: r.D, Task: r.Task, Target: r.Target, Classes: r.Labels,
		Kernel: r.Kernel, Scheme: r.Scheme.String(), Status: r.Status, SV: r.NumVectors, Constant: r.Constant, Support: r.Support}
	for at := 0; at < len(r.Vectors); at += r.D {
		j.Vectors = append(j.Vectors, r.Vectors[at:at+r.D])
	}
	for _, t := range r.Submodels {
		m := machineJSON{Kernel: t.Submodel.Kernel, Support: t.Support, Coef: t.Coef, Bias: t.Bias,
			Report: t.Report}
		if !r.Task.Real() {
			m.Positive = r.Labels[t.Pos]
		}
		if t.Neg != learn.Rest {
			m.Negative = r.Labels[t.Neg]
		}
		j.Machines = append(j.Machines, m)
	}
	return numjson.Marshal(j)
}
