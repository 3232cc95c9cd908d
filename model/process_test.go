package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// processParts are those of a Gaussian process of n vectors and d features with a prior variance of 2: the factor of
// their covariances by Cholesky's formulas, and its inverse by substitution.
func processParts(seed uint64, n, d int, spread bool) Parts {
	rnd := rand.New(rand.NewPCG(seed, 8))
	const prior, jitter = 2, 1e-3
	w := make([]float64, d)
	for k := range w {
		w[k] = 0.2 + rnd.Float64()
	}
	p := Parts{Kernel: gram.WeightedRBF(0.5, w), N: n, D: d, Features: d, Method: "gp", Task: learn.Regress}
	for range n * d {
		p.Vectors = append(p.Vectors, rnd.NormFloat64())
	}
	k := covariances(&p, prior, jitter)
	f := &learn.Process{Prior: prior}
	for _, row := range inverted(factor(k)) {
		for _, v := range row {
			f.Triangle = append(f.Triangle, prior*v)
		}
	}
	if spread {
		for range len(f.Triangle) {
			f.Spread = append(f.Spread, rnd.NormFloat64()/float64(n+1))
		}
	}
	p.Posterior = &learn.Posterior{Noise: 0.125, Process: f}
	m := learn.Submodel{Neg: learn.Rest, Expansion: learn.Expansion{Support: deal.All(n), Bias: 0.5}}
	for range n {
		m.Coef = append(m.Coef, rnd.NormFloat64())
	}
	p.Submodels = []learn.Submodel{m}
	return p
}

// covariances is prior·k + jitter·1 of the vectors, in rows.
func covariances(p *Parts, prior, jitter float64) [][]float64 {
	k := make([][]float64, p.N)
	for i := range k {
		k[i] = make([]float64, p.N)
		for j := range k {
			k[i][j] = prior * p.Kernel.Eval(p.Vector(i), p.Vector(j))
		}
		k[i][i] += jitter
	}
	return k
}

// factor is the lower triangle L of A = LLᵀ.
func factor(a [][]float64) [][]float64 {
	l := make([][]float64, len(a))
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if l[i][j] = sum / l[j][j]; i == j {
				l[i][i] = math.Sqrt(sum)
			}
		}
	}
	return l
}

// inverted is L⁻¹, column by column.
func inverted(l [][]float64) [][]float64 {
	t := make([][]float64, len(l))
	for i := range t {
		t[i] = make([]float64, i+1)
	}
	for j := range l {
		for i := j; i < len(l); i++ {
			sum := 0.0
			if i == j {
				sum = 1
			}
			for k := j; k < i; k++ {
				sum -= l[i][k] * t[k][j]
			}
			t[i][j] = sum / l[i][i]
		}
	}
	return t
}

// literalVariance is noise + prior − kᵀA k, where A comes of products with every element of the triangles.
func literalVariance(p *Parts, z []float64) float64 {
	f, n := p.Posterior.Process, p.N
	w := make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			w[i] += f.Triangle[i*(i+1)/2+j] * p.Kernel.Eval(z, p.Vector(j))
		}
	}
	v := f.Prior
	for _, u := range w {
		v -= u * u
	}
	if f.Spread != nil {
		for j := range n {
			sum := 0.0
			for i := j; i < n; i++ {
				sum += f.Spread[i*(i+1)/2+j] * w[i]
			}
			v += sum * sum
		}
	}
	return p.Posterior.Noise + math.Max(0, v)
}

// Variances of Gaussian processes are those of the formula, of one row and of many, for sizes around the blocks of the
// triangles, with scaled features, and after both files.
func TestProcess(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 30, 31, 32, 33, 64, 100} {
		for _, spread := range []bool{false, true} {
			p := processParts(uint64(n), n, 3, spread && n > 0)
			if n%2 == 1 {
				p.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ, Center: []float64{1, 2, 3}, Spread: []float64{1, 2, 3}}
			}
			c := mustNew(t, p)
			rnd := rand.New(rand.NewPCG(uint64(n), 9))
			const rows = 70
			x, z := make([]float64, rows*p.D), make([]float64, p.D)
			for i := range x {
				x[i] = 2 * rnd.NormFloat64()
			}
			got, values := make([]float64, rows), make([]float64, rows)
			c.Variances(got, x, rows, 2)
			c.DecideBatch(values, x, rows, 1)
			for q := range rows {
				row := x[q*p.D : (q+1)*p.D]
				copy(z, row)
				if p.Scaling != nil {
					p.Scaling.ApplyTo(z, row)
				}
				name := fmt.Sprintf("%d vectors, row %d", n, q)
				testutil.NearRel(t, name, got[q], literalVariance(&p, z), 1e-11)
				if mean, v := c.MeanVariance(row); mean != values[q] || v != got[q] {
					t.Errorf("%s: %v and %v alone, %v and %v of many", name, mean, v, values[q], got[q])
				}
			}
			for _, f := range []Format{SKM, JSON} {
				again := make([]float64, rows)
				throughFile(t, c, f).Variances(again, x, rows, 1)
				testutil.NearAll(t, string(f), again, got, 0)
			}
		}
	}
}

// A file of version 10 stays readable for ever, and means the same.
func TestGoldenProcess(t *testing.T) {
	p := taskParts(learn.Regress)
	p.Posterior = &learn.Posterior{Noise: 0.25, Process: &learn.Process{Prior: 2}}
	n := len(p.Submodels[0].Coef)
	for i := range n * (n + 1) / 2 {
		p.Posterior.Process.Triangle = append(p.Posterior.Process.Triangle, 0.5+float64(i))
		p.Posterior.Process.Spread = append(p.Posterior.Process.Spread, 0.125*float64(i))
	}
	golden(t, "v10", mustNew(t, p))
}

// At a sample of a process that knows f there, nothing is left but the noise, and no rounding takes the variance
// below it.
func TestProcessIsNotNegative(t *testing.T) {
	p := processParts(3, 40, 1, false)
	for i, row := range inverted(factor(covariances(&p, 2, 1e-10))) {
		for j, v := range row {
			p.Posterior.Process.Triangle[i*(i+1)/2+j] = 2 * v
		}
	}
	c := mustNew(t, p)
	for j := range p.N {
		if _, v := c.MeanVariance(p.Vector(j)); !(v >= 0.125 && v < 0.1251) {
			t.Errorf("vector %d: %v", j, v)
		}
	}
}

// A process that does not fit is refused.
func TestBadProcess(t *testing.T) {
	for name, change := range map[string]func(*Parts){
		"a short triangle":     func(p *Parts) { p.process().Triangle = p.process().Triangle[1:] },
		"no triangle":          func(p *Parts) { p.process().Triangle = nil },
		"a short spread":       func(p *Parts) { p.process().Spread = p.process().Spread[1:] },
		"a negative variance":  func(p *Parts) { p.process().Prior = -1 },
		"an infinite variance": func(p *Parts) { p.process().Prior = math.Inf(1) },
		"no number":            func(p *Parts) { p.process().Spread[1] = math.NaN() },
		"an infinity":          func(p *Parts) { p.process().Triangle[1] = math.Inf(1) },
		"another kernel":       func(p *Parts) { p.Kernel = gram.Linear() },
		"covariances":          func(p *Parts) { p.Posterior.Covariance = []float64{1} },
		"a negative noise":     func(p *Parts) { p.Posterior.Noise = -1 },
	} {
		p := processParts(1, 4, 2, true)
		if change(&p); mustFail(p) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	text := earlier(mustNew(t, processParts(1, 4, 2, true)))
	for old, other := range map[string]string{`"version":10`: `"version":9`, `"prior_variance":2,`: ``} {
		if !strings.Contains(string(text), old) {
			t.Fatalf("no %s in %s", old, text)
		}
		if err := unmarshal([]byte(strings.Replace(string(text), old, other, 1))); err == nil {
			t.Errorf("%s for %s is read", other, old)
		}
	}
}

// Posteriors of scaled targets are those of the process of the scaled prior.
func TestProcessTimes(t *testing.T) {
	p := processParts(2, 5, 2, true)
	x := []float64{0.5, -1}
	_, before := mustNew(t, p).MeanVariance(x)
	p.Posterior = p.Posterior.Times(-3)
	_, after := mustNew(t, p).MeanVariance(x)
	testutil.NearRel(t, "variance", after, 9*before, 1e-14)
}

// throughFile is what a file of the format holds of a model.
func throughFile(t *testing.T, c *Classifier, f Format) *Classifier {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	read, _, err := Read(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func mustFail(p Parts) error { _, err := New(p); return err }
