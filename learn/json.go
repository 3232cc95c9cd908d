package learn

import (
	"github.com/sparsekm/sparsekm/internal/numjson"
	"github.com/sparsekm/sparsekm/status"
)

// reportJSON has the names of the command's reports.
type reportJSON struct {
	Status          status.Status `json:"status"`
	Message         string        `json:"message,omitempty"`
	Objective       float64       `json:"objective"`
	DualObjective   *float64      `json:"dual_objective,omitempty"`
	Gap             *float64      `json:"gap,omitempty"`
	KKT             *float64      `json:"kkt,omitempty"`
	Residual        *float64      `json:"residual,omitempty"`
	Slope           *float64      `json:"probability_slope,omitempty"`
	Iterations      int           `json:"iterations"`
	InnerIterations int           `json:"inner_iterations"`
	KernelEvals     int64         `json:"kernel_evals"`
	Rounds          []Round       `json:"rounds,omitempty"`
	Seconds         Seconds       `json:"seconds"`
	Figures         any           `json:"figures,omitempty"`
}

// MarshalJSON writes status (a word), message, objective, dual_objective, gap, kkt, residual, probability_slope,
// iterations, inner_iterations, kernel_evals, rounds, seconds and figures. What nobody computed is absent, and a
// number that is not finite is null.
func (r Report) MarshalJSON() ([]byte, error) {
	j := reportJSON{Status: r.Status, Message: r.Message, Objective: r.Objective, Residual: r.Residual, Slope: r.Slope,
		Iterations: r.Iterations, InnerIterations: r.InnerIterations, KernelEvals: r.KernelEvals, Rounds: r.Rounds,
		Seconds: r.Seconds, Figures: r.Figures}
	if d := r.Duality; d != nil {
		j.DualObjective, j.Gap, j.KKT = &d.Objective, &d.Gap, &d.KKT
	}
	return numjson.Marshal(j)
}

// MarshalJSON writes the fields by their names; a number that is not finite is null.
func (r Round) MarshalJSON() ([]byte, error) {
	type plain Round
	return numjson.Marshal(plain(r))
}
