package learn

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// TestReportJSON pins the names, which programs rely on.
func TestReportJSON(t *testing.T) {
	residual := 1e-12
	full := Report{Status: status.TimeLimit, Message: "m", Objective: 1.5, Duality: &Duality{1.25, 0.25, 1e-7, &Proved{0.5, 0}},
		Residual: &residual, Slope: &residual, Iterations: 3, InnerIterations: 4, KernelEvals: 5,
		Rounds:  []Round{{Objective: 1, Hinge: 2, Nonzeros: 3, KKT: 4, Gap: 5, InnerIterations: 6}},
		Seconds: Seconds{Gram: 0.5, Solve: 0.25}, Figures: struct {
			X float64 `json:"x"`
		}{7}}
	nan := math.NaN()
	for _, row := range []struct {
		r    Report
		want string
	}{
		{full, `{"status":"time limit","message":"m","objective":1.5,"dual_objective":1.25,"gap":0.25,"kkt":1e-7,` +
			`"proved":{"gap":0.5,"shift":0},"residual":1e-12,"probability_slope":1e-12,"iterations":3,"inner_iterations":4,"kernel_evals":5,"rounds":[{"objective":1,"hinge":2,` +
			`"nonzeros":3,"kkt":4,"gap":5,"inner_iterations":6}],"seconds":{"gram":0.5,"solve":0.25},"figures":{"x":7}}`},
		{Report{Status: status.Numerical, Objective: nan, Rounds: []Round{{Gap: math.Inf(1)}}, Figures: []float64{nan, 1}},
			`{"status":"numerical trouble","objective":null,"iterations":0,"inner_iterations":0,"kernel_evals":0,` +
				`"rounds":[{"objective":0,"hinge":0,"nonzeros":0,"kkt":0,"gap":null,"inner_iterations":0}],` +
				`"seconds":{"gram":0,"solve":0},"figures":[null,1]}`},
	} {
		for _, v := range []any{row.r, &row.r} {
			if got, err := json.Marshal(v); err != nil || string(got) != row.want {
				t.Errorf("%v\n%s, want\n%s", err, got, row.want)
			}
		}
	}
}
