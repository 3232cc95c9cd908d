package lssvm_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	fast "github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/status"
)

func figures(r *learn.Result) fast.DualFigures { return r.Report.Figures.(fast.DualFigures) }

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// The solution of eq. (4), and the leave-one-out residuals of as many refits.
func TestDualAndLeaveOneOut(t *testing.T) {
	for seed := range uint64(6) {
		n := 25 + 4*int(seed)
		p := clouds(seed, n, 2)
		p.Weight = ones(n)
		for i := range p.Weight {
			p.Weight[i] += float64((uint64(i) * seed) % 3)
		}
		k := kernelMatrix(p)
		for _, gamma := range []float64{0.1, 10, 1000} {
			name := fmt.Sprintf("seed=%d gamma=%v", seed, gamma)
			r, err := fast.Dual{GammaReg: gamma}.Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			a, b := ref.LSSVMDual(k, p.Y, p.Weight, upTo(n), gamma)
			allClose(t, name+" coef", r.Coef, a, 1e-9)
			if !close(r.Bias, b, 1e-9) || !(r.Report.Duality.KKT <= 1e-9) || !(math.Abs(r.Report.Duality.Gap) <= 1e-9) {
				t.Errorf("%s: bias %v, want %v; KKT %v, gap %v", name, r.Bias, b, r.Report.Duality.KKT, r.Report.Duality.Gap)
			}
			testutil.AtMost(t, name+" residual", *r.Report.Residual, 1e-12)
			want := make([]float64, n)
			for i := range want {
				rest := append(upTo(i), upTo(n)[i+1:]...)
				a, b := ref.LSSVMDual(k, p.Y, p.Weight, rest, gamma)
				want[i] = p.Y[i] - b
				for s, j := range rest {
					want[i] -= a[s] * k[i][j]
				}
			}
			allClose(t, name+" leave-one-out", figures(r).LOOResiduals, want, 1e-9)
		}
	}
}

// The grid's figures are those of a training at each γ, and the best is taken.
func TestGrid(t *testing.T) {
	p := clouds(3, 70, 2)
	p.Weight = ones(p.N)
	p.Weight[5], p.Weight[6] = 3, 0
	gammas := []float64{0.01, 1, 100, 1e4}
	r, err := fast.Dual{Grid: gammas}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	smallest := math.Inf(1)
	for i, g := range figures(r).Grid {
		one, err := fast.Dual{GammaReg: gammas[i]}.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		var squared float64
		for s, v := range figures(one).LOOResiduals {
			squared += v * v * p.Weight[one.Support[s]] / float64(p.N+1)
		}
		if g.GammaReg != gammas[i] || !close(g.Error, figures(one).LOOError, 1e-12) || !close(g.Squared, squared, 1e-8) {
			t.Errorf("%+v, want error %v and squared residuals %v", g, figures(one).LOOError, squared)
		}
		smallest = math.Min(smallest, g.Error)
	}
	if !close(figures(r).LOOError, smallest, 1e-12) {
		t.Errorf("chose %v with error %v, the least is %v", figures(r).GammaReg, figures(r).LOOError, smallest)
	}
}

// Every model of the path is the one that a refit on its samples gives, the
// steps have the right sizes, and what goes is the tail of the spectrum.
func TestPruneIsRefitting(t *testing.T) {
	p := clouds(9, 120, 3)
	p.Weight = ones(p.N)
	p.Weight[3], p.Weight[4] = 0, 2.5
	k := kernelMatrix(p)
	for _, current := range []bool{false, true} {
		path, err := fast.Prune{GammaReg: 10, OfCurrent: current, MinSV: 10}.Models(background, p)
		if err != nil {
			t.Fatal(err)
		}
		for s, step := range path {
			e := step.Expansion
			a, b := ref.LSSVMDual(k, p.Y, p.Weight, e.Support, 10)
			allClose(t, fmt.Sprintf("step %d", s), append(e.Coef, e.Bias), append(a, b), 1e-9)
			for i := 1; i < len(e.Coef); i++ {
				if !(math.Abs(e.Coef[i]) <= math.Abs(e.Coef[i-1])) {
					t.Fatalf("step %d: the spectrum is not sorted at %d", s, i)
				}
			}
			if s == 0 {
				continue
			}
			before := path[s-1].Expansion.Support
			drop := 6
			if current {
				drop = int(math.Round(0.05 * float64(len(before))))
			}
			drop = min(drop, len(before)-10)
			if !sameSet(e.Support, before[:len(before)-drop]) {
				t.Fatalf("step %d: %d samples left of %d, not the top of the spectrum", s, len(e.Support), len(before))
			}
		}
		if last := path[len(path)-1]; last.Size != 10 {
			t.Errorf("the path ends at %d samples", last.Size)
		}
	}
}

func sameSet(a, b []int) bool {
	in := make(map[int]bool)
	for _, v := range a {
		in[v] = true
	}
	for _, v := range b {
		if !in[v] {
			return false
		}
	}
	return len(a) == len(b)
}

// Pruning stops at the index, keeps the last model that was good enough, and the two ways to state the index agree.
func TestPruneStops(t *testing.T) {
	p := clouds(10, 200, 3)
	r, err := fast.Prune{GammaReg: 1, Slack: 0.01}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	path := r.Report.Figures.(fast.PruneFigures).Path
	last := path[len(path)-2]
	if len(r.Support) != last.Size || len(r.Support) == p.N || r.Report.Status != status.Optimal {
		t.Errorf("%d support vectors left, want %d", len(r.Support), last.Size)
	}
	if first := path[0].Index; !(last.Index >= first-0.01 && path[len(path)-1].Index < first-0.01) {
		t.Errorf("an index of %v, then %v, at first %v", last.Index, path[len(path)-1].Index, first)
	}
	k := kernelMatrix(p)
	a, b := ref.LSSVMDual(k, p.Y, ones(p.N), r.Support, 1)
	testutil.NearRel(t, "objective", r.Report.Objective, objective(k, p.Y, r.Support, a, b, 1), 1e-9)
	testutil.AtMost(t, "residual", *r.Report.Residual, 1e-12)
	if r.Report.Duality != nil {
		t.Error("a duality gap that was not computed")
	}
	own, err := fast.Prune{GammaReg: 1, MinSV: 20}.Models(background, p)
	if err != nil {
		t.Fatal(err)
	}
	p.Validation = &learn.Validation{X: p.X, Y: p.Y, N: p.N}
	held, err := fast.Prune{GammaReg: 1, MinSV: 20}.Models(background, p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range own {
		if !close(own[i].Index, held[i].Index, 1e-12) {
			t.Errorf("step %d: index %v on the training samples, %v on the same samples held out", i, own[i].Index,
				held[i].Index)
		}
	}
}

// objective is eq. (2) over the samples s: ½w'w + (γ/2) Σ e².
func objective(k [][]float64, y []float64, s []int, a []float64, b, gamma float64) (q float64) {
	for i, p := range s {
		f := 0.0
		for j, r := range s {
			f += a[j] * k[p][r]
		}
		q += a[i]*f/2 + gamma/2*(y[p]-f-b)*(y[p]-f-b)
	}
	return q
}

// A weight of zero is an absent row for the dual models too.
func TestDualWeightZero(t *testing.T) {
	p := clouds(12, 60, 3)
	p.Weight = ones(p.N)
	q := &learn.Problem{D: 3, Kernel: p.Kernel}
	var row []int
	for i := range p.N {
		if i%4 == 1 {
			p.Weight[i] = 0
			continue
		}
		q.X = append(q.X, p.X[3*i:3*i+3]...)
		q.Y = append(q.Y, p.Y[i])
		row = append(row, i)
	}
	q.N = len(row)
	for _, tr := range []learn.Trainer{fast.Dual{GammaReg: 5}, fast.Prune{GammaReg: 5, Slack: 0.02}} {
		a, err := tr.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tr.Train(background, q)
		if err != nil {
			t.Fatal(err)
		}
		for s, i := range b.Support {
			b.Support[s] = row[i]
		}
		if !reflect.DeepEqual(a.Support, b.Support) {
			t.Errorf("%s: support %v, want %v", tr.Name(), a.Support, b.Support)
		}
		allClose(t, tr.Name(), append(a.Coef, a.Bias), append(b.Coef, b.Bias), 1e-12)
	}
}

func TestDualBadInput(t *testing.T) {
	inf := math.Inf(1)
	for _, tr := range []learn.Trainer{
		fast.Dual{GammaReg: -1}, fast.Dual{GammaReg: inf}, fast.Dual{Grid: []float64{1, 0}},
		fast.Prune{GammaReg: math.NaN()},
		fast.Prune{Fraction: 1}, fast.Prune{Fraction: -0.1}, fast.Prune{MinSV: -1}, fast.Prune{Slack: -1},
	} {
		var bad *learn.ParamError
		if _, err := tr.Train(background, clouds(1, 20, 2)); !errors.As(err, &bad) || bad.Method != tr.Name() {
			t.Errorf("%+v: error %v, want a ParamError", tr, err)
		}
	}
	for _, tr := range []learn.Trainer{fast.Dual{}, fast.Dual{Grid: []float64{1, 2}}, fast.Prune{}} {
		p := clouds(1, 100, 2)
		p.Memory = tr.EstimateMemory(p.N, p.D)
		if _, err := tr.Train(background, p); err != nil {
			t.Errorf("%s: %v", tr.Name(), err)
		}
		p.Memory--
		var refused *learn.BudgetError
		_, err := tr.Train(background, p)
		if !errors.As(err, &refused) || refused.Method != tr.Name() || refused.Need != p.Memory+1 {
			t.Errorf("%s: error %v, want a BudgetError", tr.Name(), err)
		}
	}
	// Equal samples make the kernel matrix singular; the regularisation makes up for it.
	q := &learn.Problem{N: 4, D: 1, X: []float64{1, 1, 2, 2}, Y: []float64{1, 1, -1, -1}, Kernel: gram.RBF(1)}
	r, err := fast.Dual{GammaReg: 1e6}.Train(background, q)
	if err != nil || !(r.Report.Duality.KKT <= 1e-6) {
		t.Errorf("equal samples: KKT %v, %v", r.Report.Duality.KKT, err)
	}
}

// The live heap stays within the budget that the estimate asks for.
func TestBudgetIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("the collector runs all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	for _, tr := range []learn.Trainer{
		fast.Dual{}, fast.Dual{Grid: []float64{1, 2}}, fast.Prune{MinSV: 100}, fast.Prune{Fraction: 0.4},
	} {
		p := clouds(16, 700, 3)
		p.Memory = tr.EstimateMemory(p.N, p.D)
		peak := testutil.PeakHeapFrom(t, p.Memory/3, func() {
			if _, err := tr.Train(background, p); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%+v: peak %.1f MiB of %.1f", tr, float64(peak)/(1<<20), float64(p.Memory)/(1<<20))
		if peak > p.Memory || peak < p.Memory/3 {
			t.Errorf("%+v: peak of %d bytes, the budget is %d", tr, peak, p.Memory)
		}
	}
}

// TestCopies: samples that repeat others count as if each were a row of its own, in the decisions, in the objective
// and one by one in the leave-one-out residuals; there is one vector for all of them.
func TestCopies(t *testing.T) {
	const n = 24
	p := clouds(11, n, 2)
	p.Weight = ones(n)
	for i := range n / 2 { // copies of 0 to 7, of both labels, some of other weights, one absent
		copy(p.X[2*(i+n/2):2*(i+n/2)+2], p.X[2*(i%8):])
		p.Weight[i+n/2] = float64(i % 4)
	}
	k, present := kernelMatrix(p), p.Present()
	values := *p
	values.Task, values.Y = learn.Regress, make([]float64, n)
	for i := range values.Y { // of copies, some equal and some not
		values.Y[i] = math.Sin(float64(i % 8 * (1 + i%3/2)))
	}
	for _, gamma := range []float64{0.3, 30} {
		testCopies(t, p, k, present, gamma)
		testCopies(t, &values, k, present, gamma)
	}
}

func testCopies(t *testing.T, p *learn.Problem, k [][]float64, present []int, gamma float64) {
	t.Helper()
	n := p.N
	r, err := fast.Dual{GammaReg: gamma}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	a, b := ref.LSSVMDual(k, p.Y, p.Weight, present, gamma)
	if len(r.Support) != n/2 || r.Support[n/2-1] != n/2-1 {
		t.Errorf("vectors %v, want the first %d rows", r.Support, n/2)
	}
	for i := range n {
		got, want := r.Bias, b
		for s, j := range r.Support {
			got += r.Coef[s] * k[i][j]
		}
		for s, j := range present {
			want += a[s] * k[i][j]
		}
		testutil.NearRel(t, "decision", got, want, 1e-9)
	}
	var rest []float64
	for at, i := range present {
		others := slices.Delete(slices.Clone(present), at, at+1)
		coef, bias := ref.LSSVMDual(k, p.Y, p.Weight, others, gamma)
		out := p.Y[i] - bias
		for s, j := range others {
			out -= coef[s] * k[i][j]
		}
		rest = append(rest, out)
	}
	allClose(t, "leave-one-out", figures(r).LOOResiduals, rest, 1e-8)
	testutil.NearRel(t, "objective", r.Report.Objective, weighted(k, p, present, a, b, gamma), 1e-9)
}

// weighted is objective with weights.
func weighted(k [][]float64, p *learn.Problem, rows []int, a []float64, b, gamma float64) (q float64) {
	for s, i := range rows {
		f := 0.0
		for t, j := range rows {
			f += a[t] * k[i][j]
		}
		e := p.Y[i] - f - b
		q += a[s]*f/2 + gamma/2*p.Weight[i]*e*e
	}
	return q
}

// Targets that are all 0 have an exact model, whose residual is relative to nothing.
func TestAllTargetsZero(t *testing.T) {
	p := clouds(3, 20, 2)
	p.Task, p.Y = learn.Regress, make([]float64, p.N)
	for name, trainer := range map[string]learn.Trainer{
		"lssvm": fast.Dual{GammaReg: 10}, "lssvm-prune": fast.Prune{GammaReg: 10},
	} {
		r, err := trainer.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Optimal || *r.Report.Residual != 0 || r.Report.Objective != 0 || r.Bias != 0 {
			t.Errorf("%s: %v, residual %v, objective %v, bias %v", name, r.Report.Status, *r.Report.Residual,
				r.Report.Objective, r.Bias)
		}
	}
}
