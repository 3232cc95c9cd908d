package centres

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// clouds is a problem of n samples with targets ±1, or others for other losses, over some outputs.
func clouds(n, d, outputs int, loss Loss, widths Widths) *Problem {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	p := &Problem{N: n, D: d, Outputs: outputs, Loss: loss, Norm: 0.7, Penalty: 0.3, Widths: widths, Threads: 1}
	w := make([]float64, d)
	for k := range w {
		w[k] = 0.5 + rng.Float64()
	}
	p.Kernel = gram.WeightedRBF(0.8/float64(d), w)
	p.X = make([]float64, n*d)
	for i := range p.X {
		p.X[i] = 3 + rng.NormFloat64()
	}
	for o := range outputs {
		for i := range n {
			x := p.X[i*d : (i+1)*d]
			y := math.Copysign(1, x[0]-3+math.Pow(x[d-1]-3, 2)-0.8+0.3*rng.NormFloat64()-float64(o)/2)
			if loss.dual == nil || ofValues(loss) {
				y = 1.5 * rng.NormFloat64()
			}
			if ofProbabilities(loss) {
				y = rng.Float64()
			}
			p.Target = append(p.Target, y)
			p.Weight = append(p.Weight, float64(i%4))
		}
	}
	return p
}

// ofValues tells the losses that ask for no more than the target.
func ofValues(l Loss) bool { return l.value != nil && l.value(3, 3) == 0 && l.value(3, 5) > 0 }

// ofProbabilities tells the loss whose targets are some.
func ofProbabilities(l Loss) bool { return l.value != nil && !ofValues(l) && l.value(0, 5) > 5 }

// literal is the value of (1) by plain loops.
func literal(p *Problem, m *Model, loss func(y, f float64) float64) (value float64) {
	x := make([][]float64, p.N)
	for i := range x {
		x[i] = p.X[i*p.D : (i+1)*p.D]
	}
	for o := range p.Outputs {
		e := twin(p, m, o)
		value += e.Penalty(p.Norm, Ridge) + e.Loss(x, p.Target[o*p.N:(o+1)*p.N], p.Weight[o*p.N:(o+1)*p.N], loss)
		if o == 0 && p.Widths != Fixed {
			if p.Widths == One {
				e.Log = e.Log[:1]
			}
			value += e.WidthPenalty(p.Penalty)
		}
	}
	return value
}

func twin(p *Problem, m *Model, o int) *ref.DirectExpansion {
	e := &ref.DirectExpansion{Gamma: make([]float64, p.D), Log: make([]float64, p.D), Coef: m.Coef[o*m.K : (o+1)*m.K], Bias: m.Bias[o]}
	switch p.Kernel.Kind {
	case gram.KindMatern32:
		e.Curve = ref.DirectMatern32
	case gram.KindMatern52:
		e.Curve = ref.DirectMatern52
	case gram.KindRationalQuadratic:
		e.Curve = ref.DirectRationalQuadratic(p.Kernel.Alpha)
	}
	for k := range p.D {
		e.Gamma[k] = gammaOf(p.Kernel, k)
		e.Log[k] = math.Log(gammaOf(m.Kernel, k)/e.Gamma[k]) / 2
	}
	for j := range m.K {
		e.Vectors = append(e.Vectors, m.Vectors[j*p.D:(j+1)*p.D])
	}
	return e
}

var losses = []struct {
	name    string
	loss    Loss
	literal func(y, f float64) float64
	rounded func(y, f float64) float64 // what the search has in its place
}{
	{"squared hinge", SquaredHinge, ref.DirectSquaredHinge, ref.DirectSquaredHinge}, {"follow", Follow, ref.DirectFollow, ref.DirectFollow},
	{"hinge", Hinge, ref.DirectHinge, ref.DirectRoundedHinge(searchWidth)}, {"logistic", Logistic, ref.DirectLogistic, ref.DirectLogistic},
	{"cross-entropy", CrossEntropy, ref.DirectCrossEntropy, ref.DirectCrossEntropy},
	{"squared", Squared, ref.DirectSquared, ref.DirectSquared},
	{"insensitive", Insensitive(0.2), ref.DirectInsensitive(0.2), ref.DirectRoundedInsensitive(0.2, searchWidth)},
}

// TestGradient compares value and gradient with plain loops and their central differences (of fourth order),
// for every variable.
func TestGradient(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, l := range losses {
			for _, c := range []struct {
				n, d, k, outputs int
				widths           Widths
			}{{40, 3, 4, 1, Fixed}, {40, 3, 4, 1, Each}, {40, 3, 4, 2, One}, {70, 1, 1, 1, Each}, {1030, 2, 2, 1, One}, {33, 35, 2, 2, Each},
				{20, 1, 33, 2, Each}} {
				if ofValues(l.loss) && c.n != 40 { // the shapes are the others' to hold
					continue
				}
				p := clouds(c.n, c.d, c.outputs, l.loss, c.widths)
				checkGradient(t, fmt.Sprintf("%s %+v", l.name, c), p, c.k, l.rounded)
			}
		}
	})
}

// slopes are the kernels with slopes other than RBF.
var slopes = []gram.Kind{gram.KindMatern32, gram.KindMatern52, gram.KindRationalQuadratic}

// TestGradientOfKernels does the same for the other kernels with slopes.
func TestGradientOfKernels(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, kind := range slopes {
			for _, c := range []struct {
				n, d, k, outputs int
				widths           Widths
			}{{40, 3, 4, 1, Fixed}, {40, 3, 4, 2, Each}, {40, 3, 4, 1, One}, {1030, 2, 2, 1, One}, {33, 35, 2, 2, Each},
				{20, 1, 33, 2, Each}} {
				p := clouds(c.n, c.d, c.outputs, Logistic, c.widths)
				p.Kernel.Kind, p.Kernel.Alpha = kind, 1.3
				checkGradient(t, fmt.Sprintf("%v %+v", kind, c), p, c.k, ref.DirectLogistic)
			}
		}
	})
}

func checkGradient(t *testing.T, what string, p *Problem, k int, loss func(y, f float64) float64) {
	t.Helper()
	f, err := NewFitter(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	o := newObjective(p, f.s, &Model{K: k})
	rng := rand.New(rand.NewPCG(5, 6))
	x, grad := make([]float64, o.size()), make([]float64, o.size())
	for i := range x {
		x[i] = 0.5 * rng.NormFloat64()
	}
	value, ok := o.eval(t.Context(), x, grad)
	if !ok {
		t.Fatalf("%s: the context has not ended", what)
	}
	m := p.NewModel(make([]float64, k*p.D))
	at := func(i int, step float64) float64 {
		moved := slices.Clone(x)
		moved[i] += step
		f.unload(m, o.view(moved))
		return literal(p, m, loss)
	}
	testutil.NearRel(t, what+": value", value, at(0, 0), 1e-12)
	const h = 2e-3
	var size float64
	for _, g := range grad {
		size = max(size, math.Abs(g))
	}
	for i, g := range grad {
		want := (8*(at(i, h)-at(i, -h)) - (at(i, 2*h) - at(i, -2*h))) / (12 * h)
		fine := (8*(at(i, h/8)-at(i, -h/8)) - (at(i, h/4) - at(i, -h/4))) / (12 * h / 8)
		if testutil.Within(fine, g, math.Abs(want-g)) { // a kink of the second derivative lies within h
			want = fine
		}
		testutil.Near(t, fmt.Sprintf("%s: variable %d", what, i), g, want, 1e-6*max(math.Abs(want), 1e-2*size))
	}
}

// TestBlocks holds an evaluation to the same bits for any number of threads, and to plain loops where samples fill
// blocks and parts in every way.
func TestBlocks(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 3000} {
		p := clouds(n, 20, 1, SquaredHinge, Each)
		if n%3 == 0 {
			p.Kernel.Kind = gram.KindMatern52
		}
		var first []float64
		for _, threads := range []int{1, 2, 5} {
			p.Threads = threads
			f, err := NewFitter(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			o := newObjective(p, f.s, &Model{K: 30})
			x, grad := make([]float64, o.size()), make([]float64, o.size())
			for i := range x {
				x[i] = math.Sin(float64(i))
			}
			value, _ := o.eval(t.Context(), x, grad)
			if grad = append(grad, value); first == nil {
				first = grad
				m := p.NewModel(make([]float64, 30*p.D))
				f.unload(m, o.view(x))
				testutil.NearRel(t, fmt.Sprintf("%d samples", n), value, literal(p, m, ref.DirectSquaredHinge), 1e-11)
			} else if !slices.Equal(first, grad) {
				t.Errorf("%d samples: %d threads give other bits", n, threads)
			}
		}
	}
}

// TestRefit wants of the convex part a gap, the objective of plain loops, and no better solution nearby.
func TestRefit(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, l := range losses {
			for _, c := range []float64{1e-3, 1, 1e4} {
				p := clouds(300, 4, 2, l.loss, Fixed)
				if c == 1 {
					p.Kernel.Kind = gram.KindMatern32
				}
				for i := range p.Weight {
					p.Weight[i] *= c
				}
				m := p.NewModel(slices.Clone(p.X[:12*p.D]))
				copy(m.Vectors[p.D:2*p.D], m.Vectors[:p.D]) // twice the same
				certs, err := Refit(t.Context(), p, m)
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s, weight %g", l.name, c)
				value := literal(p, m, l.literal)
				var sum float64
				for _, cert := range certs {
					if cert.Status != status.Optimal {
						t.Errorf("%s: %v", what, cert.Status)
					}
					sum += cert.Objective
					testutil.AtMost(t, what+": violation", cert.Gradient, 1e-7)
					if l.loss.dual != nil {
						testutil.AtMost(t, what+": gap", math.Abs(cert.Objective-cert.Dual)/cert.Objective, 1e-8)
					}
				}
				testutil.Near(t, what+": objective", sum, value, 1e-9*math.Abs(value))
				rng := rand.New(rand.NewPCG(1, 1))
				for range 20 {
					near := m.Clone()
					for i := range near.Coef {
						near.Coef[i] += 1e-3 * rng.NormFloat64()
					}
					testutil.AtMost(t, what+": compared with a neighbour", value-literal(p, near, l.literal), 1e-9*math.Abs(value))
				}
			}
		}
	})
}

// TestSearch minimises functions whose minima are known: Rosenbrock's, a quadratic of condition 10³, and one that is
// no number beyond a wall, which a step must not pass.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		f    func(x, g []float64) float64
		want float64 // every variable
	}{
		{"rosenbrock", 10, rosenbrock, 1},
		{"quadratic", 50, func(x, g []float64) (v float64) {
			for i := range x {
				c := math.Pow(10, 3*float64(i)/float64(len(x)-1))
				g[i] = c * (x[i] - 3)
				v += g[i] * (x[i] - 3) / 2
			}
			return v
		}, 3},
		{"wall", 3, func(x, g []float64) (v float64) {
			for i := range x {
				g[i] = 1 - 1/x[i]
				v += x[i] - math.Log(x[i]) // NaN below 0
			}
			return v
		}, 1},
	} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = 0.1
		}
		m := newSearch(x, func(x, g []float64) (float64, bool) { return c.f(x, g), true })
		st := m.run(t.Context(), 2000, 1e-9, func(int) bool { return true })
		if st != status.Optimal {
			t.Errorf("%s: %v after %d evaluations", c.name, st, m.evaluations)
		}
		for i, v := range m.x {
			testutil.Near(t, fmt.Sprintf("%s: variable %d", c.name, i), v, c.want, 1e-6)
		}
	}
}

func rosenbrock(x, g []float64) (v float64) {
	clear(g)
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		v += 100*a*a + b*b
		g[i] += -400*a*x[i] - 2*b
		g[i+1] += 200 * a
	}
	return v
}

// TestCentres: as many as there are different samples, each near to one of its group.
func TestCentres(t *testing.T) {
	p := clouds(60, 3, 1, SquaredHinge, Fixed)
	for i := range p.N {
		copy(p.X[i*p.D:], p.X[i%5*p.D:(i%5+1)*p.D])
	}
	f, err := NewFitter(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	c := f.centres(t.Context(), 9, func(i int) float64 { return float64(i % 5) }, rng) // one sample of five has no weight
	if len(c) != 4*p.D {
		t.Fatalf("%d centres of 4 different samples", len(c)/p.D)
	}
	for i := 1; i < 5; i++ {
		near := math.Inf(1)
		for j := range 4 {
			var s float64
			for k := range p.D {
				s += math.Abs(c[j*p.D+k] - p.X[i*p.D+k])
			}
			near = min(near, s)
		}
		testutil.AtMost(t, fmt.Sprintf("distance of sample %d from a centre", i), near, 1e-12)
	}
	if c := f.centres(t.Context(), 2, func(int) float64 { return 0 }, rng); len(c) != 0 {
		t.Errorf("%v for no samples", c)
	}
}

// TestEnds: a context that has ended leaves a model as it was, and Refit has its error.
func TestEnds(t *testing.T) {
	p := clouds(100, 3, 1, SquaredHinge, Fixed)
	f, err := NewFitter(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := p.NewModel(slices.Clone(p.X[:6]))
	if found := f.Fit(ctx, m, 10, 1e-6, nil); found.Status != status.Cancelled || found.Steps != 0 {
		t.Errorf("%+v, want cancelled", found)
	}
	testutil.NearAll(t, "vectors", m.Vectors, p.X[:6], 1e-14)
	if _, err := Refit(ctx, p, m); err == nil {
		t.Error("a refit after the context's end")
	}
}
