package direct_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// friedman is n samples of Friedman's first function, values of about unit variance.
func friedman(n int) *learn.Problem {
	set := dataset.Friedman(1, n, 1, 3)
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Task: learn.Regress, Kernel: gram.RBF(0.1),
		Resources: learn.Resources{Threads: 1}}
	for i, v := range set.Targets {
		p.Y = append(p.Y, (v-14)/5)
		p.Weight = append(p.Weight, float64(i%3))
	}
	return p
}

// TestValues: the coefficients are the best for the vectors, by plain loops, and the values are near.
func TestValues(t *testing.T) {
	p := friedman(150)
	for name, loss := range map[string]func(y, f float64) float64{"": ref.DirectSquared, "squared": ref.DirectSquared,
		"insensitive": ref.DirectInsensitive(0.1)} {
		tr := direct.Trainer{C: 20, Loss: name, MaxSV: 12, FeatureWidths: true, MaxIter: 60}
		r, err := tr.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		v := check.New(p).Machine(tr, r)
		if bad := append(v.Faults, v.Doubts(tr, &r.Report)...); len(bad) > 0 || !searched(r.Report.Status, *r) {
			t.Errorf("%q: %v, %s: %v", name, r.Report.Status, r.Report.Message, bad)
		}
		var squares, total, paid float64
		for i, f := range v.F {
			squares += p.Weight[i] * (p.Y[i] - f) * (p.Y[i] - f)
			total += p.Weight[i]
			paid += 20 * p.Weight[i] * loss(p.Y[i], f)
		}
		if rmse := math.Sqrt(squares / total); len(r.Coef) != 12 || !(rmse <= 0.4) || !(paid <= r.Report.Objective) {
			t.Errorf("%q: %d vectors, RMSE %.3f, loss %.3f of the objective %.3f", name, len(r.Coef), rmse, paid,
				r.Report.Objective)
		}
	}
}

// TestValuesChosen: numbers of vectors and settings are chosen by held-out values, the caller's or folds'.
func TestValuesChosen(t *testing.T) {
	p, held := friedman(200), friedman(80)
	p.Weight = nil
	p.Validation = &learn.Validation{X: held.X, Y: held.Y, N: held.N}
	tr := direct.Trainer{C: 20, Tune: true, MaxIter: 30}
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	figures := r.Report.Figures.(direct.Figures)
	for _, h := range figures.HeldOut { // the mean of squares is that of the errors
		testutil.NearRel(t, "held-out loss", h.Loss, h.Error*h.Error, 1e-9)
	}
	if len(figures.HeldOut) < 16 || len(r.Coef)+len(r.Steps) < 2 {
		t.Errorf("%d settings, %d vectors", len(figures.HeldOut), len(r.Coef))
	}
	p.Validation = nil
	if r, err = (direct.Trainer{C: 20, MaxIter: 30}).Train(t.Context(), p); err != nil || len(r.Coef) < 4 {
		t.Errorf("by folds: %v", err)
	}
}

// TestValuesEdges: a constant, two samples, and losses of another task.
func TestValuesEdges(t *testing.T) {
	flat := friedman(30)
	for i := range flat.Y {
		flat.Y[i] = 3
	}
	two := &learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Task: learn.Regress, Y: []float64{-1, 2}, Kernel: gram.RBF(1)}
	for _, loss := range []string{"squared", "insensitive"} {
		r, err := direct.Trainer{Loss: loss, MaxSV: 3}.Train(t.Context(), flat)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range check.New(flat).Machine(direct.Trainer{Loss: loss, MaxSV: 3}, r).F {
			testutil.Near(t, loss+" of a constant", f, 3, 0.11)
		}
		if _, err := (direct.Trainer{Loss: loss}).Train(t.Context(), two); err != nil {
			t.Error(err)
		}
	}
	classes := *two
	classes.Task, classes.Y = learn.Classify, []float64{-1, 1}
	_, err := direct.Trainer{Epsilon: 0.2}.Train(t.Context(), two)
	if err == nil || !strings.Contains(err.Error(), "epsilon") {
		t.Errorf("ε without a tube: %v", err)
	}
	for _, c := range []struct {
		loss, want string
		p          *learn.Problem
	}{{"hinge", "squared or insensitive", two}, {"insensitive", "squared-hinge, hinge or logistic", &classes}} {
		_, err = direct.Trainer{Loss: c.loss}.Train(t.Context(), c.p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.loss, err, c.want)
		}
	}
}
