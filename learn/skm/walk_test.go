package skm

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// TestSearch holds the search for δ against internal/testing/ref: f0 at the margin found is that of Table 1, and no
// more than a grid and golden section find.
func TestSearch(t *testing.T) {
	for _, f := range fixtures(t) {
		q, rows := f.literal()
		m := trainSKM(t, f.problem, f.c, 0, 0)
		e := q.F0(f.c, m.Delta, 3)
		testutil.NearRel(t, f.name+": f0", m.F0, e.F0, 1e-8)
		if e.Unique() {
			testutil.Near(t, f.name+": bias", m.Bias, e.Last().Bias, 1e-7)
			want := f.kept(rows, e.Last().Alpha, 1e-9)
			slices.Sort(want)
			if got := f.named(m.Support); !slices.Equal(got, want) {
				t.Errorf("%s: support vectors %v, want %v", f.name, got, want)
			}
		}
		all, smallest := q.Search(f.c)
		testutil.AtMost(t, f.name+": f0 above golden section", m.F0-all[smallest].F0, 1e-9)
	}
}

// TestMinimise holds the search where there is no path against the grid and golden section of internal/testing/ref.
func TestMinimise(t *testing.T) {
	for _, f := range fixtures(t) {
		q, _ := f.literal()
		shape := kernellp.Shape{OneSided: true, SumToOne: true}
		m, err := newTraining(f.problem, linear{Parameters: samples.Parameters{Method: "skm", C: 1}, shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		s := &search{Trainer: Trainer{C: f.c, Programs: 3}, m: m}
		at := minimise(func(delta float64) (float64, bool) { return s.evaluate(context.Background(), delta) }, width)
		all, smallest := q.Search(f.c)
		var deltas []float64
		for k, e := range all {
			if deltas = append(deltas, e.Delta); e.Unique() {
				testutil.NearRel(t, f.name+": f0", s.rounds[k].Objective, e.F0, 1e-8)
			}
		}
		testutil.NearAll(t, f.name+": margins", s.deltas, deltas, 1e-12)
		testutil.NearRel(t, f.name+": margin of the least", at, all[smallest].Delta, 1e-12)
	}
}

// TestSlope compares f0 along a stretch with the formulas of internal/testing/ref, and its derivative with
// differences.
func TestSlope(t *testing.T) {
	const n, c, delta, step = 50, 0.3, 0.11, 1e-6
	g := &kernellp.Stretch{From: 0.25, To: 0.2, Value: 7, Slope: 11,
		Coef: []float64{0.002, 0.398, 0.6}, Rates: []float64{0.04, -0.3, 0.26}}
	v := newMinima([]float64{c}, n)
	f, slope := v.at(g, delta).f0(c)
	alpha := make([]float64, n)
	for k, a := range g.Coef {
		alpha[k] = a + (2*delta-g.From)*g.Rates[k]
	}
	want := 7 + 11*(2*delta-g.From) + c*(math.Log(4/delta)+ref.SKMFactor(n, delta)*ref.SKMEffective(alpha, delta))
	testutil.NearRel(t, "f0", f, want, 1e-12)
	above, _ := v.at(g, delta+step).f0(c)
	below, _ := v.at(g, delta-step).f0(c)
	testutil.NearRel(t, "slope of f0", slope, (above-below)/(2*step), 1e-6)
}

// TestLeastOnGrid holds the search against the first programs' f0 on 1000 margins, whatever C.
func TestLeastOnGrid(t *testing.T) {
	for _, f := range fixtures(t) {
		shape := kernellp.Shape{OneSided: true, SumToOne: true}
		m, err := newTraining(f.problem, linear{Parameters: samples.Parameters{Method: "skm", C: 1}, shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		n := len(m.Y)
		for _, c := range []float64{0.01, 0.1, 1} {
			r, err := Trainer{C: c}.Train(context.Background(), f.problem)
			if err != nil {
				t.Fatal(err)
			}
			got, smallest := r.Report.Figures.(Figures), math.Inf(1)
			for k := range 1000 {
				delta := math.Pow(deltaMin, float64(k)/999)
				sol, err := m.LP.Solve(context.Background(), kernellp.Costs{Margin: 2 * delta, Coef: make([]float64, n)})
				if err != nil {
					t.Fatal(err)
				}
				alpha := make([]float64, n)
				for i, y := range m.Y {
					alpha[i] = math.Max(0, y*sol.A[i])
				}
				smallest = math.Min(smallest, sol.Loss+c*(math.Log(4/delta)+ref.SKMFactor(n, delta)*ref.SKMEffective(alpha, delta)))
			}
			if !(got.F0 <= smallest+1e-9) {
				t.Errorf("%s, C = %g: f0 %.12g at %g, on the grid %.12g", f.name, c, got.F0, got.Delta, smallest)
			}
		}
	}
}
