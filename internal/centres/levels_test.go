package centres

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// coded turns features 1 and 3 of clouds into levels; some samples are of no level.
func coded(p *Problem) *Problem {
	p.Levels = &Levels{Features: []int{1, 3}, Counts: []int{3, 5}, Penalty: 0.7}
	rng := rand.New(rand.NewPCG(9, 9))
	for range p.Levels.Size() {
		p.Levels.Start = append(p.Levels.Start, rng.NormFloat64())
	}
	for i := range p.N {
		p.X[i*p.D+1], p.X[i*p.D+3] = float64(rng.IntN(4)), float64(rng.IntN(6)+1)
	}
	return p
}

// TestLevelsGradient compares the gradient of all variables with differences, for every kind of widths and of units.
func TestLevelsGradient(t *testing.T) {
	for _, widths := range []Widths{Fixed, One, Each} {
		for _, outputs := range []int{1, 3} {
			for _, shape := range [][2]int{{3, 0}, {3, 2}, {0, 4}} {
				p := coded(clouds(300, 5, outputs, SquaredHinge, widths))
				if shape[1] > 0 {
					p.Kernel.Kind = gram.KindMatern52
				}
				p.Plane, p.Free = shape[1] > 0, true
				f, err := NewFitter(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				m := p.NewModel(make([]float64, shape[0]*p.D))
				m.S, m.Steps = shape[1], make([]float64, shape[1]*(p.D+1))
				m.Coef = make([]float64, outputs*m.Units())
				checkDifferences(t, newObjective(p, f.s, m))
			}
		}
	}
}

func checkDifferences(t *testing.T, o *objective) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, o.size())
	for i := range x {
		x[i] = rng.NormFloat64() / 2
	}
	g, other := make([]float64, len(x)), make([]float64, len(x))
	value, _ := o.eval(t.Context(), x, g)
	for i := range x {
		const h = 1e-6
		at := x[i]
		x[i] = at + h
		up, _ := o.eval(t.Context(), x, other)
		x[i] = at - h
		down, _ := o.eval(t.Context(), x, other)
		x[i] = at
		if want := (up - down) / (2 * h); !(math.Abs(g[i]-want) <= 1e-6*math.Max(math.Abs(value), math.Abs(want))) {
			t.Errorf("%v, %d outputs, %d vectors: derivative %d is %v, differences say %v", o.Widths, o.Outputs, o.k, i,
				g[i], want)
		}
	}
}

// TestLevelsAreFeatures: the objective is that of the problem whose samples have the values, but for the penalty, and
// so are the coefficients of the convex program.
func TestLevelsAreFeatures(t *testing.T) {
	p := coded(clouds(400, 5, 2, SquaredHinge, Each))
	f, err := NewFitter(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	m := p.NewModel(f.centres(t.Context(), 6, func(int) float64 { return 1 }, rand.New(rand.NewPCG(1, 2))))
	if _, err = Refit(t.Context(), p, m); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(m.Values)
	result := f.Fit(t.Context(), m, 40, 1e-9, nil)
	if slices.Equal(before, m.Values) {
		t.Fatal("no value moved")
	}
	certs, err := Refit(t.Context(), p, m)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	q := p.At(m)
	for o, c := range certs {
		if c.Gradient > 1e-6 || c.Objective-c.Dual > 1e-6*c.Objective {
			t.Errorf("output %d: violation %v, gap %v", o, c.Gradient, c.Objective-c.Dual)
		}
		testutil.NearAll(t, "decision values", m.Decisions(p, o), m.Decisions(q, o), 0)
		sum += c.Objective
	}
	if sum += f.Penalty(m); !(sum <= result.Objective*(1+1e-9)) {
		t.Errorf("objective %v after the convex program, %v before", sum, result.Objective)
	}
	for i := range p.N {
		for c, k := range p.Levels.Features {
			level, want := p.X[i*p.D+k], 0.0
			if level >= 1 && level <= float64(p.Levels.Counts[c]) {
				want = m.Values[3*c+int(level)-1]
			}
			if got := q.X[i*p.D+k]; got != want {
				t.Fatalf("sample %d has the value %v of level %v, want %v", i, got, level, want)
			}
		}
	}
}
