package check

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all"
	"github.com/sparsekm/sparsekm/learn/bayes"
	_ "github.com/sparsekm/sparsekm/learn/density"
	_ "github.com/sparsekm/sparsekm/learn/greedy"
	_ "github.com/sparsekm/sparsekm/learn/lssvm"
	_ "github.com/sparsekm/sparsekm/learn/scsvc"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	_ "github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// problem is 24 samples of 2 features, the classes apart but for a few.
func problem() *learn.Problem {
	x, _ := testutil.SerialPoints(24)
	p := &learn.Problem{X: make([]float64, 48), N: 24, D: 2, Y: make([]float64, 24), Weight: make([]float64, 24),
		Kernel: gram.RBF(0.5), Resources: learn.Resources{Threads: 1}}
	for i := range p.N {
		p.Y[i], p.Weight[i] = float64(1-2*(i%2)), 0.5+float64(i%3)
		p.X[2*i], p.X[2*i+1] = x[25*i+1]+p.Y[i], x[25*i+2]
	}
	return p
}

func train(t *testing.T, name string, p *learn.Problem) (learn.Trainer, *learn.Result) {
	t.Helper()
	m, err := learn.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := m.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return tr, r
}

func scale(list []float64, by float64) {
	for i := range list {
		list[i] *= by
	}
}

// What a method returns has no doubts, and has some as soon as anything of it is changed.
func TestDoubts(t *testing.T) {
	p := problem()
	j := New(p)
	for _, m := range learn.Methods() {
		p, j := p, j
		if !m.Takes(learn.Classify) { // the labels are values to a regression
			q := *p
			if q.Task = m.TasksOf()[0]; q.Task.Blind() {
				q.Y = nil
			}
			p, j = &q, j.Of(q.Task, q.Y)
		}
		doubted(t, m.Name, p, j)
	}
}

// doubted trains, and changes what the training has returned.
func doubted(t *testing.T, name string, p *learn.Problem, j *Judge) {
	t.Helper()
	tr, r := train(t, name, p)
	v := j.Machine(tr, r)
	if bad := slices.Concat(v.Faults, v.Doubts(tr, &r.Report)); len(bad) > 0 || v.Blurred() {
		t.Errorf("%s: %v, blurred: %v", name, bad, v.Blurred())
	}
	if len(r.Coef) == 0 {
		t.Fatalf("%s: no vectors", name)
	}
	if definitions[name] == nil { // the report alone is known
		return
	}
	for what, spoil := range map[string]func(r *learn.Result){
		"a coefficient": func(r *learn.Result) { r.Coef[0] *= 1.01 },
		"all of them":   func(r *learn.Result) { scale(r.Coef, 0.99) },
		"the bias":      func(r *learn.Result) { r.Bias += 0.01 },
		"the objective": func(r *learn.Result) { r.Report.Objective *= 1.01 },
		"a vector": func(r *learn.Result) {
			if r.Coef = r.Coef[1:]; r.Vectors != nil {
				r.Vectors = r.Vectors[p.D:]
			} else {
				r.Support = r.Support[1:]
			}
		},
	} {
		other := *r
		other.Support, other.Coef = slices.Clone(r.Support), slices.Clone(r.Coef)
		spoil(&other)
		if v = j.Machine(tr, &other); len(v.Faults) == 0 && len(v.Doubts(tr, &other.Report)) == 0 {
			t.Errorf("%s: nobody doubts it with %s changed", name, what)
		}
	}
}

// A method without a definition is judged by its report, and one that only says that it is optimal is not believed.
func TestDoubtsOfReport(t *testing.T) {
	p := problem()
	tr, r := train(t, "lpsvc", p)
	own := definitions["lpsvc"]
	defer func() { definitions["lpsvc"] = own }()
	delete(definitions, "lpsvc")
	for _, c := range []struct {
		report learn.Report
		want   string
	}{
		{learn.Report{Objective: 1, Duality: &learn.Duality{Objective: 1}}, ""},
		{learn.Report{Objective: 1, Duality: &learn.Duality{Objective: 0.9}}, "distance of primal and dual 0.1"},
		{learn.Report{Objective: 1, Duality: &learn.Duality{Objective: 1, KKT: 0.1}}, "violation 0.1"},
		{learn.Report{Objective: 1, Residual: new(1e-9)}, ""},
		{learn.Report{Objective: 1, Residual: new(0.1)}, "residual 0.1"},
		{learn.Report{Objective: 1, Status: status.Optimal}, "internal/testing/check/check.go"},
	} {
		r.Report = c.report
		v := New(p).Machine(tr, r)
		bad := strings.Join(append(v.Faults, v.Doubts(tr, &r.Report)...), "; ")
		if (bad == "") != (c.want == "") || !strings.Contains(bad, c.want) {
			t.Errorf("%+v: %q, want %q", c.report, bad, c.want)
		}
	}
}

// Features that were chosen by their ranks are judged in units of standard deviations.
func TestDoubtsOfRanks(t *testing.T) {
	p := problem()
	j, tr := New(p), ssvc.Features{Ranked: true}
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if doubts := j.Machine(tr, r).Doubts(tr, &r.Report); len(doubts) > 0 {
		t.Errorf("doubts %q", doubts)
	}
	scale(r.Coef, 1.05)
	if doubts := j.Machine(tr, r).Doubts(tr, &r.Report); len(doubts) == 0 {
		t.Error("nobody doubts it with other coefficients")
	}
}

// Relevance vector machines for regression are judged as well, their noise too.
func TestDoubtsOfValues(t *testing.T) {
	p := problem()
	p.Task = learn.Regress
	for i := range p.N {
		p.Y[i] = 50 + 10*math.Sin(2*p.X[2*i]) + p.X[2*i+1]
	}
	j := New(p)
	for _, name := range []string{"rvm", "rvm-fast"} {
		doubted(t, name, p, j)
		tr, r := train(t, name, p)
		figures := r.Report.Figures.(bayes.Figures)
		figures.Noise *= 1.001
		r.Report.Figures = figures
		if doubts := j.Machine(tr, r).Doubts(tr, &r.Report); len(doubts) == 0 {
			t.Errorf("%s: nobody doubts its noise", name)
		}
	}
}

// What no model may have is found whatever its status.
func TestFaults(t *testing.T) {
	p := problem()
	p.Weight[5] = 0
	j := New(p)
	for _, c := range []struct {
		support []int
		coef    []float64
		bias    float64
		want    string
	}{
		{[]int{1, 2}, []float64{1}, 0, "2 vectors with 1 coefficients"},
		{[]int{24}, []float64{1}, 0, "vector 24 of 24 samples"},
		{[]int{-1}, []float64{1}, 0, "vector -1 of 24 samples"},
		{[]int{5}, []float64{1}, 0, "vector 5 has weight 0"},
		{[]int{3, 3}, []float64{1, 1}, 0, "vector 3 twice"},
		{[]int{3}, []float64{math.NaN()}, 0, "coefficient NaN"},
		{[]int{3}, []float64{1}, math.Inf(-1), "bias -Inf"},
		{[]int{3, 4}, []float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64, "decision +Inf at sample"},
	} {
		tr, r := train(t, "svc", p)
		r.Support, r.Coef, r.Bias = c.support, c.coef, c.bias
		if v := j.Machine(tr, r); !strings.Contains(strings.Join(v.Faults, "; "), c.want) {
			t.Errorf("%v %v %v: %v, want %q", c.support, c.coef, c.bias, v.Faults, c.want)
		}
	}
}

// The constraints of a method's variables are looked at.
func TestOutside(t *testing.T) {
	p := problem()
	j := New(p)
	for _, c := range []struct {
		method string
		spoil  func(r *learn.Result)
		want   string
	}{
		{"svc", func(r *learn.Result) { r.Coef[0] = -r.Coef[0] }, "outside [-0, "},
		{"svc", func(r *learn.Result) { r.Coef[0] *= 0.5 }, "Σ a ="},
		{"l1svm", func(r *learn.Result) { r.Coef[0] *= 100 }, "outside [0, 1]"},
		{"l0svm", func(r *learn.Result) { r.Coef[0] = -r.Coef[0] }, "outside [0, +Inf]"},
		{"skm", func(r *learn.Result) { r.Coef[0] *= 0.5 }, "Σ α ="},
	} {
		tr, r := train(t, c.method, p)
		c.spoil(r)
		if v := j.Machine(tr, r); !strings.Contains(strings.Join(v.Outside, "; "), c.want) {
			t.Errorf("%s: %v, want %q", c.method, v.Outside, c.want)
		}
	}
}

// A dual bound that is too high is found out by another model.
func TestAttack(t *testing.T) {
	p := problem()
	j := New(p)
	for _, name := range []string{"ssvc-a", "ssvc-b", "l1svm", "l0svm", "lpsvc", "ssvc-features",
		"ssvc-features-b"} {
		tr, r := train(t, name, p)
		v := j.Machine(tr, r)
		testutil.Near(t, name+": what the attack reaches", v.Better, v.Objective, 1e-6*v.Objective)
		scale(r.Coef, 1.05)
		r.Report.Objective = j.Machine(tr, r).Objective
		r.Report.Duality.Objective = r.Report.Objective
		doubts := strings.Join(j.Machine(tr, r).Doubts(tr, &r.Report), "; ")
		if !strings.Contains(doubts, "another model is below the dual bound") {
			t.Errorf("%s: a false optimum at %v: doubts %q", name, r.Report.Objective, doubts)
		}
	}
}

// TestSquares judges models of features with their squares, and ranked ones: as they report themselves, false where
// a coefficient is another, and no model where a vector has two features.
func TestSquares(t *testing.T) {
	p := problem()
	for i := range p.N { // a circle in the first feature
		p.X[2*i] = float64(i%12) / 3
		p.Y[i] = 1
		if p.X[2*i] > 1 && p.X[2*i] < 3 {
			p.Y[i] = -1
		}
	}
	p.Y[0] = -1
	j := New(p)
	for _, name := range []string{"ssvc-features", "ssvc-features-b"} {
		for _, ranked := range []bool{false, true} {
			values := learn.Values{"squares": true}
			if ranked && name == "ssvc-features-b" {
				continue // which ranks nothing
			} else if ranked {
				values["ranked"] = true
			}
			m, err := learn.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := m.New(values)
			if err != nil {
				t.Fatal(err)
			}
			r, err := tr.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			v := j.Machine(tr, r)
			if doubts := v.Doubts(tr, &r.Report); len(doubts) > 0 || len(r.Coef) == 0 {
				t.Errorf("%s, ranked %v: %v, %d coefficients", name, ranked, doubts, len(r.Coef))
			}
			testutil.NearRel(t, name+": objective", v.Objective, r.Report.Objective, 1e-9)
			if !ranked {
				testutil.Near(t, name+": what the attack reaches", v.Better, v.Objective, 1e-6*v.Objective)
			}
			scale(r.Coef, 1.05)
			if doubts := j.Machine(tr, r).Doubts(tr, &r.Report); len(doubts) == 0 {
				t.Errorf("%s, ranked %v: other coefficients pass", name, ranked)
			}
			if r.Vectors[1] = 1; r.Vectors[0] == 0 {
				r.Vectors[0] = 1
			}
			if faults := strings.Join(j.Machine(tr, r).Faults, "; "); !strings.Contains(faults, "has 2 features") {
				t.Errorf("%s: %q", name, faults)
			}
		}
	}
}
