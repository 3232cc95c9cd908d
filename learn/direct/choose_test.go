package direct

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// TestPick: fewer vectors are taken where the differences of the losses are no more than noise, not where they are
// small and of one sign; of as many vectors first those without widths, then the smallest γ, then the least loss.
func TestPick(t *testing.T) {
	smallest := make([]float64, 100)
	for i := range smallest {
		smallest[i] = 1 + 0.1*float64(i%7)
	}
	with := func(k int, s setting, add func(i int) float64) *trial {
		tr := &trial{k: k, setting: s, loss: slices.Clone(smallest), folds: []outcome{{weight: 100}}}
		for i := range tr.loss {
			tr.loss[i] += add(i)
		}
		tr.settle(2)
		return tr
	}
	noise := func(up float64) func(i int) float64 { // of standard error 0.05 in the mean
		return func(i int) float64 { return up + 0.5*float64(1-2*(i%2)) }
	}
	one := setting{C: 1, Gamma: 1}
	want := with(4, one, noise(0.048))
	tried := []*trial{
		with(16, one, func(int) float64 { return 0 }),
		with(8, one, noise(0.02)),
		with(4, setting{C: 1, Gamma: 0.5, Widths: centres.Each}, noise(0.01)),
		with(4, setting{C: 1, Gamma: 2}, noise(0.01)),
		with(4, setting{C: 2, Gamma: 1}, noise(0.049)),
		want,
		with(4, setting{C: 1, Gamma: 0.5}, noise(0.052)),
		with(2, one, func(int) float64 { return 0.01 }),
	}
	tried[6].errors = 0.01
	for range 2 {
		if p := pick(tried); p != want {
			t.Errorf("%d vectors, %+v, mean loss %v, want 4, %+v, %v", p.k, p.setting, p.mean, want.setting, want.mean)
		}
		slices.Reverse(tried)
	}
	// Up to two standard errors a smaller one is taken where it errs no more.
	for _, c := range []struct{ loss, errors float64 }{{0.09, 0}, {0.09, 0.01}, {0.11, 0}} {
		fewer := with(3, one, noise(c.loss))
		if fewer.errors = c.errors; (pick(append(tried, fewer)) == fewer) != (c.loss < 0.1 && c.errors == 0) {
			t.Errorf("%+v: chosen or not, want the other", c)
		}
	}
}

// TestFolds: each sample is held out once a deal, the classes in every fold as in the whole; enough samples need fewer
// folds, few samples with values are dealt anew.
func TestFolds(t *testing.T) {
	p := &learn.Problem{N: 203, D: 1, X: make([]float64, 203), Y: make([]float64, 203), Kernel: gram.RBF(1)}
	for i := range p.Y {
		p.Y[i] = float64(min(2, i%4))
	}
	for want, of := range map[int]struct{ copies, classes int }{
		5: {1, 3}, 3: {10, 3}, 1: {30, 3}, 20: {1, 1}, 10: {2, 1}, 2: {20, 1},
	} {
		q, copies := *p, of.copies
		q.N, q.X, q.Y = copies*p.N, slices.Repeat(p.X, copies), slices.Repeat(p.Y, copies)
		j := &job{Trainer: Trainer{C: 1}, problem: &q, classes: of.classes, outputs: of.classes, budget: q.Budget("direct", q.N, 1)}
		all, err := j.task()
		if err != nil {
			t.Fatal(err)
		}
		c := &choice{job: j, all: all}
		if possible, err := c.deal(rand.New(rand.NewPCG(1, 1))); !possible || err != nil || c.used != want {
			t.Fatalf("%d samples: possible %v (%v), %d folds, want %d", q.N, possible, err, c.used, want)
		}
		seen, total := make([]int, q.N), make([]int, 3)
		for _, class := range j.classesOf(all) {
			total[class]++
		}
		for f := range folds * len(c.deals) {
			p := c.split(f)
			in, held, out := p.in, p.out, p.rows
			for _, i := range out {
				seen[i]++
			}
			count := make([]int, 3)
			for _, class := range j.classesOf(held) {
				count[class]++
			}
			if in.N+held.N != q.N || count[0] < total[0]/folds || count[1] < total[1]/folds || count[2] < total[2]/folds {
				t.Errorf("fold %d of %d samples has %d, of the classes %v", f, q.N, held.N, count)
			}
		}
		if slices.Max(seen) != len(c.deals) || slices.Min(seen) != len(c.deals) {
			t.Errorf("samples are held out %d to %d times", slices.Min(seen), slices.Max(seen))
		}
	}
	small := &learn.Problem{N: 9, D: 1, X: make([]float64, 9), Y: []float64{1, 1, 1, 1, 1, -1, -1, -1, -1}, Kernel: gram.RBF(1)}
	j := &job{Trainer: Trainer{C: 1}, problem: small, classes: 2, outputs: 1, budget: small.Budget("direct", 9, 1)}
	all, err := j.task()
	if err != nil {
		t.Fatal(err)
	}
	if possible, _ := (&choice{job: j, all: all}).deal(rand.New(rand.NewPCG(1, 1))); possible {
		t.Error("a class of 4 samples in 5 folds")
	}
}

// TestGroups: samples of one group are held out together, of a part of the samples too.
func TestGroups(t *testing.T) {
	p := &learn.Problem{N: 120, D: 1, X: make([]float64, 120), Y: make([]float64, 120), Kernel: gram.RBF(1),
		Group: make([]int, 120), Weight: slices.Repeat([]float64{1}, 120)}
	for i := range p.Y {
		p.Y[i], p.Group[i], p.X[i] = float64(1-2*(i%2)), i%12, float64(i%12)
	}
	p.Weight[5], p.Weight[50] = 0, 0
	j := &job{Trainer: Trainer{C: 1}, problem: p, classes: 2, outputs: 1, budget: p.Budget("direct", p.N, 1)}
	all, err := j.task()
	if err != nil {
		t.Fatal(err)
	}
	part, err := j.part(all, 60, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []*centres.Problem{all, part} {
		c := &choice{job: j, all: q}
		if possible, err := c.deal(rand.New(rand.NewPCG(1, 1))); !possible || err != nil {
			t.Fatal(possible, err)
		}
		of := make(map[float64]int)
		for i, f := range c.deals[0] {
			if at, ok := of[q.X[i]]; ok && at != f { // x is the group
				t.Fatalf("group %v is divided", q.X[i])
			}
			of[q.X[i]] = f
		}
		if len(c.deals[0]) != q.N || slices.Max(c.deals[0]) != folds-1 {
			t.Errorf("%d samples in %d folds", len(c.deals[0]), slices.Max(c.deals[0])+1)
		}
	}
}

// TestFewSamplesFineGammas: classification with few samples compares γ more finely, over the same range; regression
// does not.
func TestFewSamplesFineGammas(t *testing.T) {
	for _, c := range []struct{ classes, n, want int }{{2, 299, 7}, {3, 100, 7}, {2, 300, 4}, {1, 100, 4}} {
		j := &job{Trainer: Trainer{C: 1, Tune: true, Units: "auto"}, problem: &learn.Problem{Kernel: gram.RBF(2)}, classes: c.classes}
		seen := make(map[float64]bool)
		smallest, largest := math.Inf(1), 0.0
		for _, s := range j.settings(c.n) {
			seen[s.Gamma], smallest, largest = true, min(smallest, s.Gamma), max(largest, s.Gamma)
		}
		if len(seen) != c.want || smallest != 0.1 || largest != 5 {
			t.Errorf("%d samples of %d classes: %d γ from %g to %g, want %d from 0.1 to 5", c.n, c.classes, len(seen), smallest,
				largest, c.want)
		}
	}
}

// TestRace: a setting that is clearly behind on some folds is not tried on the others; one that is level with the best
// is. Without Tune nothing falls out.
func TestRace(t *testing.T) {
	p := bumps(400, 0.1)
	for _, tune := range []bool{true, false} {
		j := &job{Trainer: Trainer{C: 1, MaxIter: 50, Tolerance: 1e-5, Tune: tune, Units: "auto"}, problem: p, classes: 2,
			outputs: 1, budget: p.Budget("direct", p.N, 1), progress: func(func() learn.Event) {}}
		all, err := j.task()
		if err != nil {
			t.Fatal(err)
		}
		c := &choice{job: j, all: all}
		possible, err := c.deal(rand.New(rand.NewPCG(1, 1)))
		if !possible || err != nil {
			t.Fatal(possible, err)
		}
		branches := c.begun([]setting{{C: 1, Gamma: 6}, {C: 1, Gamma: 6.1}, {C: 1, Gamma: 1e-4}})
		trials, err := c.race(t.Context(), branches, 16)
		if err != nil {
			t.Fatal(err)
		}
		want := 3
		if tune {
			want = 2
		}
		if len(trials) != want || trials[0].branch != branches[0] || trials[0].count != p.N {
			t.Errorf("tune %v: %d settings on all folds, want %d", tune, len(trials), want)
		}
	}
}

// TestLevels are the numbers of vectors that are tried, by MaxSV, with and without Tune.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		maxSV, classes int
		tune           bool
		want           []int
	}{
		{0, 2, false, []int{2, 4, 8, 16, 32, 64}}, {0, 1, true, []int{2, 4, 8, 16, 32, 64}}, {0, 3, true, []int{3, 6, 12, 24, 48}},
		{0, 70, true, []int{70}}, {9, 2, false, []int{9}}, {9, 2, true, []int{2, 4, 8, 9}}, {16, 2, true, []int{2, 4, 8, 16}},
		{1, 2, true, []int{1}}, {2, 5, true, []int{2}}, {100, 2, true, []int{2, 4, 8, 16, 32, 64, 100}},
	} {
		j := &job{Trainer: Trainer{MaxSV: c.maxSV, Tune: c.tune}, classes: c.classes}
		if got := j.levels(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestCertify: coefficients that are proved to lie within 1e-6 of the optimum are a fixed point, and the message says
// what they lack. Planted certificates of a larger gap, or of none, are numerical trouble.
func TestCertify(t *testing.T) {
	p := bumps(60, 0.1)
	j := &job{Trainer: Trainer{C: 1}, problem: p, classes: 2, outputs: 1, budget: p.Budget("direct", p.N, 1)}
	q, err := j.task()
	if err != nil {
		t.Fatal(err)
	}
	f, err := j.begin(t.Context(), q, nil, 2, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		st             status.Status
		gap, violation float64
		want           status.Status
	}{
		{status.Optimal, 1e-10, 1e-8, status.FixedPoint},
		{status.Optimal, 5e-10, 1e-5, status.FixedPoint},
		{status.Numerical, 5e-7, 1, status.FixedPoint},
		{status.Optimal, 2e-6, 1e-8, status.Numerical},
		{status.Optimal, -2e-6, 1e-8, status.Numerical},
		{status.Optimal, math.NaN(), 1e-8, status.Numerical},
		{status.Numerical, 1e-3, 1e-8, status.Numerical},
	} {
		var r learn.Report
		f.certify(&r, &centres.Certificate{Status: c.st, Objective: 7, Dual: 7 * (1 - c.gap), Gradient: c.violation})
		lacks := strings.Contains(r.Message, "optimal means at most")
		if r.Status != c.want || lacks != (c.st == status.Optimal && !(c.gap == 1e-10)) {
			t.Errorf("%+v: %v, %q", c, r.Status, r.Message)
		}
	}
}
