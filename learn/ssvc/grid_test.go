package ssvc

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// gridProblems are small sets of which every training takes some milliseconds.
func gridProblems(t *testing.T) map[string]*learn.Problem {
	blobs := dataset.PelegMeir(60, 0.2, 3)
	y, err := blobs.Signs()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*learn.Problem{
		"ripley":   every(ref.Ripley(t), 4),
		"diabetis": every(ref.File(t, testutil.Testdata(t, "diabetis.libsvm"), gram.RBF(1), true), 11),
		"blobs":    {X: blobs.X, N: blobs.N, D: blobs.D, Y: y},
	}
}

// Whatever C and γ of a grid, a training ends: optimal, with a report that the plain
// formula confirms, or at the rounding limit, which is named and rare.
func TestGrid(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rough, total := 0, 0
		for name, p := range gridProblems(t) {
			for _, factor := range []float64{0.1, 1, 10} {
				p.Kernel = gram.RBF(factor / float64(p.D))
				for _, c := range []float64{0.01, 0.1, 1, 10, 100, 1000, 1e5} {
					r := ref.Train(t, A{C: c}, p)
					what := fmt.Sprintf("%s, γ × %v, C = %v", name, factor, c)
					total++
					if r.Report.Status != status.FixedPoint {
						rough++
					}
					checkTrained(t, what, p, c, r)
				}
			}
		}
		if rough > total/20 {
			t.Errorf("%d of %d trainings end at the rounding limit", rough, total)
		}
	})
}

// checkTrained recomputes what the report says of the model that was returned.
func checkTrained(t *testing.T, what string, p *learn.Problem, c float64, r *learn.Result) {
	t.Helper()
	rep := r.Report
	var hinge float64
	for i, f := range ref.Decisions(p, r) {
		hinge += max(0, 1-p.Y[i]*f)
	}
	if rep.Status != status.FixedPoint {
		if rep.Status != status.Numerical || !strings.HasPrefix(rep.Message, "rounding limit: gap ") {
			t.Errorf("%s: %v, %q", what, rep.Status, rep.Message)
		}
		testutil.AtMost(t, what+": objective above C Σξ", c*hinge, rep.Objective*(1+1e-3))
		return
	}
	nonzeros, size := float64(len(r.Support)), 0.0
	for _, a := range r.Coef {
		size += math.Abs(a)
	}
	if r.Bias != 0 {
		nonzeros++
	}
	// At a fixed point (9) is nnz/2 + C Σξ.
	want := nonzeros/2 + c*hinge
	// The plain formula's decision values differ by the rounding of kernel values.
	testutil.Near(t, what+": objective", rep.Objective, want, 3e-6*max(1, want)+c*float64(p.N)*1e-15*size)
	// Rounding errors of kernel values count C times in the objective that is summed again.
	testutil.AtMost(t, what+": gap", rep.Duality.Gap, max(1e-6, 1e-10*c))
	testutil.AtMost(t, what+": violation", rep.Duality.KKT, 1e-6)
	testutil.AtMost(t, what+": certificate", rep.Figures.(Figures).Certificate, 1e-6)
	testutil.AtMost(t, what+": dual objective", rep.Duality.Objective, rep.Objective+1e-9*math.Abs(rep.Objective))
}
