package greedy_test

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
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/status"
)

// The identity of forward.go against eq. (11)-(19) taken literally: the same
// samples as long as the runner-up is more than 1e-8 behind, and J within 1e-8.
func TestForwardIsLiteral(t *testing.T) {
	seeds := uint64(9)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		n, d := 30+int(seed)*2, 2+int(seed)%4
		p := clouds(seed, n, d)
		p.Kernel = gram.RBF([]float64{0.2, 0.5, 3}[seed%3])
		s, err := greedy.LDA{Eta: 1e-5}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		want := ref.LSSVMForward(kernelMatrix(p), p.Y, 1e-5, 1e-9, 0)
		sameSteps(t, fmt.Sprintf("seed %d", seed), s, want)
		if len(want) < 5 {
			t.Errorf("seed %d: only %d steps, too easy", seed, len(want))
		}
	}
}

// Every threshold is the paper's, taken literally: that of a singular Q_W, ε of (15) added to it, and η_C. The fit
// has no ε.
func TestThresholdsAreLiteral(t *testing.T) {
	differ := 0
	for seed := range uint64(2) {
		p := clouds(seed, 30, 2)
		p.Kernel = gram.RBF([]float64{0.2, 0.5}[seed%2])
		k := kernelMatrix(p)
		usual := ref.LSSVMForward(k, p.Y, 1e-6, 1e-9, 0)
		for _, set := range [][2]float64{{1e-3, 0}, {1e-6, 0}, {1e-13, 0}, {1e-9, 1e-6}, {1e-9, 1e-3}, {1e-3, 0.01}, {1e-9, 1e4}} {
			name := fmt.Sprintf("seed %d, %v", seed, set)
			want := ref.LSSVMForward(k, p.Y, 1e-6, set[0], set[1])
			for _, candidates := range []int{0, p.N} {
				r, err := greedy.LDA{Eta: 1e-6, C: 10, Singular: set[0], ScatterRidge: set[1], Candidates: candidates}.Select(background, p)
				if err != nil {
					t.Fatal(err)
				}
				sameSteps(t, name, r, want)
				e := r.Solve(len(r.Support), 10)
				v, b := ref.LSSVMPrimal(k, p.Y, ones(p.N), e.Support, 10)
				exact := learn.Expansion{Support: e.Support, Coef: v, Bias: b}
				allClose(t, name, decide(p, &e, p.X, p.N), decide(p, &exact, p.X, p.N), 1e-7)
			}
			r, err := greedy.LDA{Eta: 1e-6, C: 10, Singular: set[0], ScatterRidge: set[1]}.Train(background, p)
			if err != nil || r.Report.Status != status.Optimal {
				t.Fatal(name, r, err)
			}
			if !slices.EqualFunc(want, usual, func(a, b ref.LSSVMStep) bool { return a.Chosen == b.Chosen }) {
				differ++
			}
		}
	}
	if differ < 7 {
		t.Errorf("%d of 14 selections are not the usual ones: too easy", differ)
	}
}

func sameSteps(t *testing.T, name string, s *greedy.Selection, want []ref.LSSVMStep) {
	t.Helper()
	for k, w := range want {
		if k >= len(s.Support) {
			t.Fatalf("%s: %d samples, want %d", name, len(s.Support), len(want))
		}
		if !close(s.J[k], w.J, 1e-8) {
			t.Fatalf("%s step %d: J %v, want %v", name, k, s.J[k], w.J)
		}
		if s.Support[k] != w.Chosen {
			if !(w.J-w.RunnerUp <= 1e-8*w.J) {
				t.Fatalf("%s step %d: sample %d, want %d", name, k, s.Support[k], w.Chosen)
			}
			return // a tie: from here on the two are free to differ
		}
	}
	if len(s.Support) != len(want) {
		t.Fatalf("%s: %d samples, want %d", name, len(s.Support), len(want))
	}
}

// A selection at a small η holds those of every larger η as prefixes, and each
// prefix solves eq. (3), (4) for each C.
func TestSelectionServesTheGrid(t *testing.T) {
	p := clouds(3, 80, 3)
	k := kernelMatrix(p)
	all, err := greedy.LDA{Eta: 1e-6}.Select(background, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, eta := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6} {
		own, err := greedy.LDA{Eta: eta}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		n := all.Prefix(eta)
		if !reflect.DeepEqual(all.Support[:n], own.Support) {
			t.Fatalf("eta %v: prefix %v, own run %v", eta, all.Support[:n], own.Support)
		}
		for _, c := range []float64{0.1, 10, 1e4} {
			e := all.Solve(n, c)
			v, b := ref.LSSVMPrimal(k, p.Y, ones(p.N), e.Support, c)
			want := learn.Expansion{Support: e.Support, Coef: v, Bias: b}
			allClose(t, fmt.Sprintf("eta=%v c=%v decisions", eta, c), decide(p, &e, p.X, p.N), decide(p, &want, p.X, p.N), 1e-7)
			res, err := greedy.LDA{Eta: eta, C: c}.Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			if !close(res.Report.Objective, objective(p, &want, c), 1e-9) {
				t.Errorf("eta=%v c=%v: objective %v, want %v", eta, c, res.Report.Objective, objective(p, &want, c))
			}
		}
	}
}

// objective is eq. (1).
func objective(p *learn.Problem, e *learn.Expansion, c float64) (q float64) {
	for _, v := range e.Coef {
		q += v * v / 2
	}
	for i, f := range decide(p, e, p.X, p.N) {
		w := 1.0
		if p.Weight != nil {
			w = p.Weight[i]
		}
		q += c / 2 * w * (p.Y[i] - f) * (p.Y[i] - f)
	}
	return q
}

// The result is the same bit for bit for any number of workers, and when panels
// have to be computed again because the budget is too small to keep them.
func TestSelectionDoesNotDependOnResources(t *testing.T) {
	p := clouds(5, 500, 4)
	p.Threads = 1
	tr := greedy.LDA{Eta: 1e-5, C: 10}
	want, err := tr.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	// Room for the support vectors and for no panel; for some panels, of which the
	// support vectors take the last; for all panels in the beginning and not in the end.
	sv := len(want.Support) + 32
	vectors := int64(8 * sv * (p.N + sv))
	smallest := tr.EstimateMemory(p.N, p.D)
	for _, r := range []learn.Resources{
		{Threads: 3}, {Threads: 40},
		{Threads: 1, Memory: smallest + vectors}, {Threads: 2, Memory: smallest + vectors + 300<<10},
		{Threads: 50, Memory: smallest + vectors + 300<<10}, {Threads: 3, Memory: smallest + 1300<<10},
	} {
		q := *p
		q.Resources = r
		got, err := tr.Train(background, &q)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Expansion, want.Expansion) {
			t.Errorf("threads %d, memory %d: another expansion, %d support vectors (%s)",
				r.Threads, r.Memory, len(got.Support), got.Report.Message)
		}
		if r.Memory > 0 && got.Report.KernelEvals <= want.Report.KernelEvals {
			t.Errorf("memory %d: %d kernel evaluations, with all panels stored %d",
				r.Memory, got.Report.KernelEvals, want.Report.KernelEvals)
		}
	}
}

// Every SIMD level selects the same samples; J differs by rounding alone.
func TestSelectionAtEveryLevel(t *testing.T) {
	p := clouds(7, 300, 5)
	var first *greedy.Selection
	testutil.EachLevel(t, func(t *testing.T) {
		s, err := greedy.LDA{Eta: 1e-4}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
		}
		if !reflect.DeepEqual(s.Support, first.Support) {
			t.Errorf("%v, at the first level %v", s.Support, first.Support)
		}
		allClose(t, "J", s.J, first.J, 1e-10)
	})
}

// A weight of zero is an absent row, a weight of two the row twice.
func TestSelectionWeights(t *testing.T) {
	p := clouds(6, 90, 3)
	p.Weight = ones(p.N)
	var x, y []float64
	var row []int
	for i := range p.N {
		p.Weight[i] = float64(i % 3)
		for range i % 3 {
			x = append(x, p.X[i*p.D:(i+1)*p.D]...)
			y = append(y, p.Y[i])
			row = append(row, i)
		}
	}
	q := &learn.Problem{X: x, Y: y, N: len(y), D: p.D, Kernel: p.Kernel}
	for _, tr := range []learn.Trainer{greedy.LDA{Eta: 1e-4, C: 50}, greedy.Cholesky{Eta: 1e-3, C: 50},
		greedy.KMP{Eta: 1e-3}, greedy.SGGP{Eta: 1e-3, Candidates: -1}, greedy.PFSALS{C: 50, Eta: 1e-3, Candidates: -1}} {
		a, err := tr.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tr.Train(background, q)
		if err != nil {
			t.Fatal(err)
		}
		for s, j := range b.Support {
			b.Support[s] = row[j]
		}
		if !reflect.DeepEqual(a.Support, b.Support) {
			t.Errorf("%s: weighted %v, repeated %v", tr.Name(), a.Support, b.Support)
		}
		allClose(t, tr.Name()+" coef", a.Coef, b.Coef, 1e-6)
	}
}

// Of equal samples the first is chosen, and the others never.
func TestSelectionOfDuplicates(t *testing.T) {
	p := clouds(8, 60, 2)
	q := &learn.Problem{N: 120, D: 2, X: append(append([]float64(nil), p.X...), p.X...), Y: append(append([]float64(nil), p.Y...), p.Y...), Kernel: p.Kernel}
	a, err := greedy.LDA{Eta: 1e-6}.Select(background, p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := greedy.LDA{Eta: 1e-6}.Select(background, q)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Support, b.Support) {
		t.Errorf("doubling every sample changes the selection: %v, %v", a.Support, b.Support)
	}
}

func TestSelectionBadInput(t *testing.T) {
	p := clouds(1, 20, 2)
	for _, tr := range []greedy.LDA{{C: -1}, {C: math.Inf(1)}, {Eta: -1}, {Eta: math.NaN()}, {MaxSV: -1}, {Candidates: -2}} {
		var bad *learn.ParamError
		if _, err := tr.Train(background, p); !errors.As(err, &bad) || bad.Method != "lssvm-lda" {
			t.Errorf("%+v: error %v, want a ParamError", tr, err)
		}
		if _, err := tr.Select(background, p); !errors.As(err, &bad) {
			t.Errorf("%+v: Select's error %v, want a ParamError", tr, err)
		}
	}
}

// Classes of one sample, constant features, and samples that are all equal.
func TestSelectionDegenerate(t *testing.T) {
	for name, p := range map[string]*learn.Problem{
		"two samples":      {N: 2, D: 1, X: []float64{0, 1}, Y: []float64{1, -1}, Kernel: gram.RBF(1)},
		"one against many": {N: 5, D: 1, X: []float64{0, 1, 2, 3, 4}, Y: []float64{1, -1, -1, -1, -1}, Kernel: gram.RBF(1)},
		"constant feature": {N: 4, D: 2, X: []float64{0, 7, 1, 7, 2, 7, 3, 7}, Y: []float64{1, 1, -1, -1}, Kernel: gram.RBF(1)},
		"no features":      {N: 3, D: 0, X: nil, Y: []float64{1, 1, -1}, Kernel: gram.RBF(1)},
		"all equal":        {N: 4, D: 1, X: []float64{2, 2, 2, 2}, Y: []float64{1, 1, 1, -1}, Kernel: gram.RBF(1)},
	} {
		r, err := greedy.LDA{C: 1e6, Eta: 1e-4}.Train(background, p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Report.Status != status.Optimal {
			t.Errorf("%s: status %v", name, r.Report.Status)
		}
		if (len(r.Support) == 0) != (r.Report.Message != "") {
			t.Errorf("%s: %d support vectors, message %q", name, len(r.Support), r.Report.Message)
		}
		right := 0
		for i, f := range decide(p, &r.Expansion, p.X, p.N) {
			if f*p.Y[i] > 0 {
				right++
			}
		}
		separable := p.D > 0 && name != "all equal"
		if separable && right < p.N || right < (p.N+1)/2 {
			t.Errorf("%s: %d of %d right with %v", name, right, p.N, r.Expansion)
		}
	}
}
