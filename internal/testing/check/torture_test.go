package check

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all"
	"github.com/sparsekm/sparsekm/status"
)

var (
	problems = flag.Uint64("problems", 500, "problems of all regimes together; 20000 is the long mode")
	first    = flag.Uint64("first", 0, "number of the first problem of each regime, to run the long mode in pieces")
	only     = flag.String("method", "", "the only method to run")
	// What takes longer than the limit is not optimal, and what does not even stop then has hung.
	limit = flag.Duration("limit", 6*time.Second, "what a training of at most 60 samples may take")
)

// Bars on the share of trainings that end optimal, among those that are not refused by name: what is
// reached, on the few problems of -short too. docs/performance/torture.md says what keeps the wild ones from more.
var bars = map[Regime]float64{Moderate: 0.999, Wild: 0.92}

// Every method trains on every problem, and nothing that it returns is other than it says:
//
//	go test ./internal/testing/check -v -problems 20000 -timeout 1h
func TestTorture(t *testing.T) {
	each := *problems / uint64(len(Regimes()))
	if testing.Short() {
		each = min(each, 25)
	}
	for _, regime := range Regimes() {
		t.Run(regime.String(), func(t *testing.T) {
			t.Parallel()
			tally := make(tally)
			for seed := *first; seed < *first+each; seed++ {
				c := &course{T: t, p: NewProblem(regime, seed), tally: tally, only: *only}
				c.run()
			}
			t.Logf("%d problems\n%s", each, tally)
			if trained, optimal := tally.share(); !(optimal >= bars[regime]*trained) {
				t.Errorf("%v of %v trainings are optimal, %.2f %%; want %.2f %%", optimal, trained,
					100*optimal/trained, 100*bars[regime])
			}
		})
	}
}

// TestContradictions repeats samples under both labels at a C that no sum of float64 holds: no method may
// give a figure that its model does not have.
func TestContradictions(t *testing.T) {
	p := &Problem{Name: "contradictions", N: 8, D: 2, Kernel: gram.RBF(1), C: 5e11, Epsilon: 0.1, Nu: 0.5}
	for i := range p.N {
		p.X = append(p.X, float64(i/2), float64(i/4))
		p.Class = append(p.Class, i%2)
		p.Value = append(p.Value, float64(i%2))
	}
	c := &course{T: t, p: p, tally: make(tally), only: *only}
	c.run()
	if trained, _ := c.tally.share(); trained == 0 {
		t.Error("nothing was trained")
	}
}

// TestFound trains where a fault was found once.
func TestFound(t *testing.T) {
	for _, found := range []struct {
		regime Regime
		seed   uint64
		method string
		want   string
	}{
		// The margin is a breakpoint of the path: the loss is 0 there, and a dual value of −1e-12 proves nothing.
		{Wild, 3886, "skm", "fixed point"},
		// Multipliers of 1e9 cancel at places with both labels, and leave their roundings in Σ a; with weights of 1e11, what
		// takes them away changes the objective.
		{Wild, 761, "svc", "optimal"},
		{Nasty, 5515, "svc", "numerical trouble"},
		// One sample at a place has a spread of one rounding, and the kernel's squares overflow.
		{Nasty, 643, "rvm", "fixed point"},
		{Nasty, 643, "rvm-fast", "local optimum"},
		{Nasty, 512, "rvm", "local optimum"},
		// The direction of a relaxation's step overflows.
		{Nasty, 46, "sparsest", "numerical trouble"},
	} {
		c := &course{T: t, p: NewProblem(found.regime, found.seed), tally: make(tally), only: found.method}
		c.run()
		if c.tally[found.method][found.want] == 0 {
			t.Errorf("%s on %s: want %s:\n%v", found.method, c.p.Name, found.want, c.tally)
		}
	}
}

// course is one problem and what the methods made of it.
type course struct {
	*testing.T
	p     *Problem
	tally tally
	only  string // the only method to run; "" runs all
	judge *Judge
}

func (c *course) run() {
	classes := &dataset.Set{X: c.p.X, N: c.p.N, D: c.p.D, Y: c.p.Class, Labels: []string{"0", "1"}}
	values := &dataset.Set{X: c.p.X, N: c.p.N, D: c.p.D, Targets: c.p.Value}
	judge := New(&learn.Problem{X: c.p.X, N: c.p.N, D: c.p.D, Y: classes.RestSigns(1), Weight: c.p.Weight,
		Kernel: c.p.Kernel})
	for _, m := range sparsekm.Methods() {
		if c.only != "" && m.Name != c.only {
			continue
		}
		t, err := m.New(parameters(m, c.p))
		if err != nil {
			c.Fatal(err)
		}
		for _, task := range m.TasksOf() {
			set := classes
			if c.judge = judge; task != learn.Classify {
				set, c.judge = values, judge.Of(task, c.p.Value)
			}
			how, why := c.train(t, set)
			if m.Name != "sparsest" || c.only != "" { // its proofs have no bar: they lose digits in large kernels
				c.tally.add(m.Name, how)
			}
			if how == "PANIC" || how == "BAD" {
				c.Errorf("%s of %v: %s: %s: %s", m.Name, task, c.p.Name, how, why)
			} else if !slices.Contains(optima, how) && testing.Verbose() {
				c.Logf("%s of %v: %s: %s: %s", m.Name, task, c.p.Name, how, why)
			}
		}
	}
}

// parameters gives a method its C under the name that it has for it, and what else is drawn.
func parameters(m sparsekm.Method, p *Problem) learn.Values {
	v := make(learn.Values)
	for _, q := range m.Params() {
		switch q.Name {
		case "c", "gamma_reg":
			v[q.Name] = p.C
		case "noise":
			v[q.Name] = 1 / p.C
		case "epsilon":
			if !m.Takes(learn.Classify) { // else it is of a loss that classes have not
				v[q.Name] = p.Epsilon
			}
		case "nu":
			v[q.Name] = p.Nu
		case "max_sv":
			if m.Name == "sparsest" { // whose proof takes the longer, the more choices there are
				v[q.Name] = 2
			}
		case "squares", "ranked":
			v[q.Name] = p.N%(len(q.Name)-4) == 0 // of every third number of samples, of every second
		}
	}
	return v
}

// train trains, checks and says how it went: a status, "refused" or what may not be.
func (c *course) train(t learn.Trainer, set *dataset.Set) (how, why string) {
	defer func() {
		if p := recover(); p != nil {
			how, why = "PANIC", fmt.Sprint(p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	hang := time.AfterFunc(30**limit, func() { panic(fmt.Sprintf("%s: %s: no end", t.Name(), c.p.Name)) })
	defer hang.Stop()
	clf, report, err := sparsekm.Train(ctx, set, sparsekm.Options{Trainer: t, Kernel: c.p.Kernel,
		SampleWeight: c.p.Weight, Threads: 1})
	if err != nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
		return status.TimeLimit.String(), err.Error()
	}
	if err != nil {
		return c.p.Failed(err)
	}
	m := &report.Submodels[0]
	r := &learn.Result{Expansion: m.Expansion, Kernel: &report.Kernel, Report: m.Report}
	v := c.judge.Machine(t, r)
	bad := v.Faults
	if claims(r.Report.Status) {
		if bad = append(bad, v.Doubts(t, &r.Report)...); !slices.Contains(Ends(t), r.Report.Status) {
			bad = append(bad, "a status that the method does not prove")
		}
	}
	if len(bad) == 0 {
		bad = c.p.Classifier(clf, set, v)
	}
	switch st := r.Report.Status; {
	case len(bad) > 0:
		return "BAD", fmt.Sprintf("%v: %s", st, strings.Join(bad, "; "))
	case st == status.Numerical && !c.p.Definite() && strings.Contains(r.Report.Message, "kernel is indefinite"):
		return "refused", r.Report.Message // there is no optimum
	case st == status.Numerical && v.Blurred():
		return "rounding limit", r.Report.Message
	default:
		return st.String(), r.Report.Message
	}
}

// tally counts how trainings went, by method.
type tally map[string]map[string]int

func (t tally) add(method, how string) {
	if t[method] == nil {
		t[method] = make(map[string]int)
	}
	t[method][how]++
}

// share counts the trainings that were not refused, and those that ended at an optimum or a fixed point.
func (t tally) share() (trained, optimal float64) {
	for _, table := range t {
		for how, n := range table {
			if how != "refused" {
				trained += float64(n)
			}
		}
		for _, how := range optima {
			optimal += float64(table[how])
		}
	}
	return trained, optimal
}

// optima are the words for a training that ended by the conditions of an optimum.
var optima = []string{"optimal", "local optimum", "fixed point"}

// String is a table.
func (t tally) String() string {
	columns := append(slices.Clone(optima), "refused")
	for _, table := range t {
		for how := range table {
			if !slices.Contains(columns, how) {
				columns = append(columns, how)
			}
		}
	}
	slices.Sort(columns[len(optima)+1:])
	var b strings.Builder
	fmt.Fprintf(&b, "| method | %s |\n| --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, m := range sparsekm.Methods() {
		if t[m.Name] == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s |", m.Name)
		for _, how := range columns {
			fmt.Fprintf(&b, " %d |", t[m.Name][how])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
