package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// extraParts has a plane in every second submodel, and in each a step of one feature and one of a direction, of which
// the next submodel has the same.
func extraParts(rnd *rand.Rand, scheme Scheme, n int) Parts {
	const d = 3
	p := randomParts(rnd, scheme, gram.RBF(0.4), n, d)
	row := func() []float64 { return []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()} }
	for o := range p.Submodels {
		m := &p.Submodels[o]
		if o%2 == 0 {
			m.Plane = row()
		}
		m.Steps = []learn.Step{{Turn: []float64{0, 2, 0}, Move: rnd.NormFloat64(), Coef: 3},
			{Turn: row(), Move: rnd.NormFloat64(), Coef: rnd.NormFloat64()}}
		if o > 0 {
			m.Steps[0].Move = p.Submodels[0].Steps[0].Move
		}
	}
	return p
}

// TestExtra compares decisions with their definition, one at a time and in batches, and what explains them.
func TestExtra(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, scheme := range schemes {
		for _, n := range []int{0, 5} {
			c := mustNew(t, extraParts(rnd, scheme, n))
			k := c.NumSubmodels()
			if want := 1 + k; c.NumUnits() != n+want {
				t.Errorf("%v: %d units, want %d", scheme, c.NumUnits(), n+want)
			}
			const rows = 70
			x := make([]float64, rows*3)
			for i := range x {
				x[i] = 2 * rnd.NormFloat64()
			}
			f, one := make([]float64, rows*k), make([]float64, k)
			c.DecideBatch(f, x, rows, 2)
			z := make([]float64, 3)
			for i := range rows {
				row := x[3*i : 3*i+3]
				c.parts.Scaling.ApplyTo(z, row)
				c.DecideTo(one, row)
				explained := c.Explain(row)
				for o, got := range f[i*k : (i+1)*k] {
					m := &c.parts.Submodels[o]
					want := m.Bias
					for s, j := range m.Support {
						want += m.Coef[s] * c.parts.Kernel.Eval(z, c.parts.Vector(j))
					}
					for _, s := range m.Steps {
						want += s.Coef / (1 + math.Exp(-s.Move-s.Turn[0]*z[0]-s.Turn[1]*z[1]-s.Turn[2]*z[2]))
					}
					for q, w := range m.Plane {
						want += w * z[q]
					}
					testutil.Near(t, "decision", got, want, 1e-12*(1+math.Abs(want)))
					testutil.Near(t, "a decision alone", one[o], got, 0)
					sum := explained[o].Bias + explained[o].Extra
					for _, s := range explained[o].Shares {
						sum += s.Share
					}
					testutil.Near(t, "explained", sum, want, 1e-12*(1+math.Abs(want)))
				}
			}
		}
	}
}

// TestExtraFiles writes and reads models with planes and steps, and refuses what cannot be.
func TestExtraFiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, scheme := range schemes {
		for _, sets := range []bool{false, true} {
			p := extraParts(rnd, scheme, 4)
			if sets {
				p.Conformal = &Conformal{Coverage: 0.9, Thresholds: []float64{0.25}}
			}
			c := mustNew(t, p)
			for _, format := range []Format{SKM, JSON} {
				var b strings.Builder
				if err := c.Write(&b, format); err != nil {
					t.Fatal(err)
				}
				got, _, err := Read(strings.NewReader(b.String()), "f")
				if err != nil {
					t.Fatal(err)
				}
				if d := sameParts(got, c); d != "" {
					t.Errorf("%v, %v: %s", scheme, format, d)
				}
			}
		}
	}
	var b strings.Builder
	b.Write(earlier(mustNew(t, extraParts(rnd, Binary, 4))))
	for _, swap := range [][2]string{{`"version":7`, `"version":5`}, {`"move":`, `"moves":`}, {`"coef":3`, `"coeff":3`},
		{`"turn":[0,2,0]`, `"turn":[0,2]`}, {`"plane":[`, `"plane":[1,`}} {
		if _, _, err := Read(strings.NewReader(strings.Replace(b.String(), swap[0], swap[1], 1)), "f"); err == nil {
			t.Errorf("%s was read", swap[1])
		}
	}
}

// A file of version 7 stays readable for ever, and means the same.
func TestGoldenExtra(t *testing.T) {
	p := taskParts(learn.Regress)
	m := &p.Submodels[0]
	m.Plane = make([]float64, p.D)
	m.Plane[0] = 0.5
	m.Steps = []learn.Step{{Turn: make([]float64, p.D), Move: -0.25, Coef: 3}}
	m.Steps[0].Turn[p.D-1] = 8
	golden(t, "v7", mustNew(t, p))
}

func TestExtraRefused(t *testing.T) {
	step := learn.Step{Turn: []float64{1, 0, 0}}
	for want, change := range map[string]func(p *Parts){
		"with sparse vectors":     func(p *Parts) { *p = sparseParts(Binary, gram.RBF(1)); p.Submodels[0].Plane = make([]float64, p.D) },
		"plane of 2 features":     func(p *Parts) { p.Submodels[0].Plane = []float64{1, 2} },
		"step 1 of 1 features":    func(p *Parts) { p.Submodels[0].Steps = []learn.Step{step, {Turn: []float64{1}}} },
		"steps is not finite":     func(p *Parts) { p.Submodels[0].Steps = []learn.Step{{Turn: step.Turn, Move: math.NaN()}} },
		"variances of a model":    func(p *Parts) { *p = uncertainParts(); p.Submodels[0].Plane = make([]float64, p.D) },
		"its plane or its steps ": func(p *Parts) { p.Submodels[0].Plane = []float64{1, 2, math.Inf(1)} },
	} {
		p := extraParts(rand.New(rand.NewPCG(7, 8)), Binary, 3)
		change(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := mustNew(t, extraParts(rand.New(rand.NewPCG(7, 8)), Binary, 3))
	plain, _ := c.WithoutScaling()
	if err := plain.Write(new(strings.Builder), LIBSVM); err == nil || !strings.Contains(err.Error(), "plane or steps") {
		t.Errorf("LIBSVM: %v", err)
	}
}

// TestFoldExtra: a folded scaling changes no decision of planes and steps.
func TestFoldExtra(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, kind := range []dataset.ScaleKind{dataset.ScaleZ, dataset.ScaleMinMax} {
		p := extraParts(rnd, OneVsRest, 4)
		p.Scaling = &dataset.Scaling{Kind: kind, Lo: -1, Hi: 3, Center: []float64{5, -2, .5}, Spread: []float64{1.5, 1.5, 1.5}}
		c := mustNew(t, p)
		folded, err := c.FoldScaling()
		if err = errors.Join(err, folded.parts.Scaling.Validate(3)); err != nil {
			t.Fatal(err)
		}
		f, g := make([]float64, c.NumSubmodels()), make([]float64, c.NumSubmodels())
		for range 20 {
			x := []float64{5 * rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			c.DecideTo(f, x)
			folded.DecideTo(g, x)
			for o := range f {
				testutil.Near(t, "folded", g[o], f[o], 1e-11*(1+math.Abs(f[o])))
			}
		}
	}
}

// BenchmarkDecideSteps is one decision of 8 steps of one feature each, of directions, and of both with vectors.
func BenchmarkDecideSteps(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, shape := range map[string]struct {
		vectors int
		turns   bool
	}{"steps": {0, false}, "directions": {0, true}, "mixed": {8, false}} {
		const d = 20
		p := randomParts(rnd, Binary, gram.RBF(0.1), shape.vectors, d)
		m := &p.Submodels[0]
		m.Plane = make([]float64, d)
		for s := range 8 {
			turn := make([]float64, d)
			for k := range turn {
				if k == s || shape.turns {
					turn[k] = rnd.NormFloat64()
				}
			}
			m.Steps = append(m.Steps, learn.Step{Turn: turn, Coef: 1})
		}
		c, err := New(p)
		if err != nil {
			b.Fatal(err)
		}
		x := make([]float64, d)
		b.Run("of="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Decide(x)
			}
		})
	}
}

// TestExtraOfRawRows compares planes and steps of raw rows with their definition for scaled ones, by every scaling,
// with a feature that never varied and one far from 0.
func TestExtraOfRawRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	center, spread := []float64{1e6, -2, 3}, []float64{3, 0, 0.25}
	for name, sc := range map[string]*dataset.Scaling{
		"none":   nil,
		"zscore": {Kind: dataset.ScaleZ, Center: center, Spread: spread},
		"minmax": {Kind: dataset.ScaleMinMax, Center: center, Spread: spread, Lo: -1, Hi: 3},
	} {
		for _, scheme := range schemes {
			p := extraParts(rnd, scheme, 3)
			p.Scaling = sc
			b, z := newExtra(&p), make([]float64, 3)
			for i := range 50 {
				far := []float64{1, 1, 1, 400, 1e5}[i%5]
				x := []float64{far * rnd.NormFloat64(), far * rnd.NormFloat64(), far * rnd.NormFloat64()}
				if copy(z, x); sc != nil {
					x[0] += 1e6
					sc.ApplyTo(z, x)
				}
				f := make([]float64, len(p.Submodels))
				b.add(f, x, 1, make([]float64, b.room()))
				for o := range f {
					want := p.Submodels[o].Extra(z)
					testutil.Near(t, name, f[o], want, 1e-11*(1+math.Abs(want)))
				}
			}
		}
	}
}

// TestManySteps: a model with more steps than the stack has memory for decides one at a time as in a batch.
func TestManySteps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	p := extraParts(rnd, Binary, 3)
	for range extraRoom {
		p.Submodels[0].Steps = append(p.Submodels[0].Steps, learn.Step{Turn: []float64{0, 0, 1}, Move: rnd.NormFloat64(),
			Coef: rnd.NormFloat64()})
	}
	c, x, f, z := mustNew(t, p), make([]float64, 3*80), make([]float64, 80), make([]float64, 3)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	c.DecideBatch(f, x, 80, 2)
	for i := range f {
		row := x[3*i : 3*i+3]
		testutil.Near(t, "a decision alone", c.Decide(row), f[i], 0)
		c.parts.Scaling.ApplyTo(z, row)
		want := p.Submodels[0].Bias + p.Submodels[0].Extra(z)
		for s, j := range p.Submodels[0].Support {
			want += p.Submodels[0].Coef[s] * p.Kernel.Eval(z, c.parts.Vector(j))
		}
		testutil.Near(t, "decision", f[i], want, 1e-11*(1+math.Abs(want)))
	}
}
