package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// With the same total cost in both classes and a small C every coefficient is at its
// bound. The conditions then leave the bias an interval, and LIBSVM takes its middle.
func TestBiasWithoutFreeVectors(t *testing.T) {
	for seed := range uint64(20) {
		p := clouds(rand.New(rand.NewPCG(seed, 11)), 30, 2, gram.RBF(0.5))
		p.Weight = make([]float64, p.N)
		for i := range p.N {
			p.Y[i], p.Weight[i] = -1, 1
			if i%3 == 0 { // 10 samples of weight 2 against 20 of weight 1
				p.Y[i], p.Weight[i] = 1, 2
			}
		}
		for _, c := range []float64{0x1p-13, 0x1p-7} { // so that sums of bounds are exact
			r := mustTrain(t, Trainer{C: c, Tolerance: 1e-10}, p)
			smallest, largest := math.Inf(-1), math.Inf(1) // y f(x) <= 1 for every sample, which is at its bound
			q := reference(p, c)
			for i := range p.N {
				var f float64
				for s, j := range r.Support {
					f += r.Coef[s] * q.K[i][j]
				}
				if p.Y[i] > 0 {
					largest = min(largest, 1-f)
				} else {
					smallest = max(smallest, -1-f)
				}
			}
			if r.Report.Figures.(Figures).BoundedSV != len(copies(p).Present()) || math.Abs(smallest+largest) < 1e-3*c {
				t.Fatalf("seed %d: %v bounded vectors, bias in [%v, %v]: not the case to test", seed,
					r.Report.Figures.(Figures).BoundedSV, smallest, largest)
			}
			if !testutil.Within(r.Bias, (smallest+largest)/2, 1e-13) {
				t.Errorf("seed %d, C = %v: bias %v, want the middle of [%v, %v]", seed, c, r.Bias, smallest, largest)
			}
			if cert := check(p, c, r); !(cert.KKTBias <= 1e-13) {
				t.Errorf("seed %d, C = %v: violation %v with bias %v", seed, c, cert.KKTBias, r.Bias)
			}
		}
	}
}

// Here a bounded and an absent vector of one class enclose the bias, far from 0.
func TestBiasBetweenBoundedAndAbsent(t *testing.T) {
	// f(x) = w x on a line. The sample at −9 is right already, and the others are at their bounds:
	// −1 + w <= bias <= −1 + 9 w.
	p := &learn.Problem{N: 4, D: 1, X: []float64{1, 2, -1, -9}, Y: []float64{1, 1, -1, -1}, Kernel: gram.Linear()}
	p.Weight = []float64{1, 0.5, 1.5, 1}
	const c = 1.0 / 64 // the sum of the coefficients vanishes exactly
	r := mustTrain(t, Trainer{C: c, Tolerance: 1e-10}, p)
	if r.Report.Figures.(Figures).BoundedSV != len(r.Support) || len(r.Support) != 3 {
		t.Fatalf("coefficients %v of vectors %v: not the case to test", r.Coef, r.Support)
	}
	w := c * (1*1 + 0.5*2 + 1.5*1)
	if cert := check(p, c, r); !(cert.KKTBias <= 1e-13) || !testutil.Within(r.Bias, -1+5*w, 1e-13) {
		t.Errorf("violation %v with bias %v, want %v", cert.KKTBias, r.Bias, -1+5*w)
	}
}

// Kernel values are tried in single precision up to ‖a‖ = ½ · tolerance · 2²⁴, for kernels that
// are bounded by 1 alone, unless sixteen units a vector, or C if that is less, are beyond it.
func TestSinglePrecisionRule(t *testing.T) {
	const most = 1 << 13 // at the tolerance 2⁻¹⁰
	weighted := &learn.Problem{Kernel: gram.RBF(1), Weight: []float64{1, 0.5, 2, 1}}
	plain := &learn.Problem{Kernel: gram.RBF(1)}
	for _, c := range []struct {
		name   string
		c, tol float64
		n      int
		p      *learn.Problem
		want   float64
	}{
		{"large C", 1e6, 0x1p-10, 4, plain, most},
		{"at the bound", 8, 0x1p-10, 1 << 20, plain, most},
		{"above", 8.001, 0x1p-10, 1 << 20, plain, 0},
		{"at the bound of units", 1e6, 0x1p-10, 1 << 18, plain, most},
		{"above it", 1e6, 0x1p-10, 1<<18 + 1, plain, 0},
		{"weights at the bound", 4, 0x1p-10, 1 << 20, weighted, most},
		{"weights above", 4.001, 0x1p-10, 1 << 20, weighted, 0},
		{"small tolerance", 1e6, 0x1p-20, 4, plain, 0},
		{"not bounded by 1", 1, 0x1p-10, 4, &learn.Problem{Kernel: gram.Linear()}, 0},
	} {
		if got := (Trainer{C: c.c, Tolerance: c.tol}).program().single(c.p, c.n); got != c.want {
			t.Errorf("%s: single precision up to %v, want %v", c.name, got, c.want)
		}
	}
}

// Bounded support vectors are those at weight times C: all but one at the smallest C,
// none where the classes are far apart.
func TestBoundedVectors(t *testing.T) {
	p := clouds(rand.New(rand.NewPCG(13, 14)), 40, 2, gram.RBF(0.5))
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = float64(1 + i%4/2) // 1, 1, 2, 2: the same sum for both classes
	}
	merged := copies(p)
	all := len(merged.Present())
	if r := mustTrain(t, Trainer{C: 1e-4}, p); r.Report.Figures.(Figures).BoundedSV != all || len(r.Support) == 0 {
		t.Errorf("%v bounded, %d vectors, want %d bounded", r.Report.Figures.(Figures).BoundedSV, len(r.Support), all)
	}
	r := mustTrain(t, Trainer{C: 0.7, Tolerance: 1e-6}, p)
	want := 0
	_, coef := variables(p, 0.7, r)
	for i, a := range coef {
		if a != 0 && testutil.Within(math.Abs(a), 0.7*merged.Weight[i], 1e-12) {
			want++
		}
	}
	if r.Report.Figures.(Figures).BoundedSV != want || want < 5 || want > len(r.Support)-3 {
		t.Errorf("%v bounded, counted %d of %d", r.Report.Figures.(Figures).BoundedSV, want, len(r.Support))
	}
	for i := range p.N {
		p.X[i*p.D] += 100 * p.Y[i]
	}
	if r := mustTrain(t, Trainer{C: 100}, p); r.Report.Figures.(Figures).BoundedSV != 0 {
		t.Errorf("%v bounded vectors of classes that are far apart", r.Report.Figures.(Figures).BoundedSV)
	}
}
