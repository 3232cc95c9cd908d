package model

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// Variances are the noise's and a sum over all pairs of coefficients, before and after both files, for any number of
// threads, with the features scaled as the decision has them.
func TestVariances(t *testing.T) {
	p := uncertainParts()
	p.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ, Center: []float64{1, 2, 3}, Spread: []float64{1, 2, 3}}
	c := mustNew(t, p)
	rnd := dataset.NewRand(4)
	const n = 150
	x := make([]float64, n*p.D)
	for i := range x {
		x[i] = 2 * rnd.NormFloat64()
	}
	got := make([]float64, n)
	c.Variances(got, x, n, 2)
	z := make([]float64, p.D)
	for q := range n {
		p.Scaling.ApplyTo(z, x[q*p.D:(q+1)*p.D])
		m := p.Submodels[0]
		at := func(s int) float64 {
			if s == len(m.Coef) {
				return 1
			}
			v := p.Vectors[m.Support[s]*p.D:]
			return p.Kernel.Eval(z, v[:p.D])
		}
		want := p.Posterior.Noise
		for i := range len(m.Coef) + 1 {
			for j := range len(m.Coef) + 1 {
				a, b := max(i, j), min(i, j)
				want += at(i) * at(j) * p.Posterior.Covariance[a*(a+1)/2+b]
			}
		}
		testutil.NearRel(t, "variance", got[q], want, 1e-12)
	}
	for _, f := range []Format{SKM, JSON} {
		var file bytes.Buffer
		if err := c.Write(&file, f); err != nil {
			t.Fatal(err)
		}
		read, _, err := Read(&file, "f")
		if err != nil {
			t.Fatal(err)
		}
		again := make([]float64, n)
		read.Variances(again, x, n, 1)
		testutil.NearAll(t, string(f), again, got, 0)
	}
	if raw, _ := c.WithoutScaling(); raw.Uncertain() != nil {
		t.Error("no variances without the scaling")
	}
}

// A posterior that does not fit is refused, and so is the question where there is none.
func TestBadPosterior(t *testing.T) {
	for name, change := range map[string]func(*Parts){
		"want 10":                 func(p *Parts) { p.Posterior.Covariance = p.Posterior.Covariance[1:] },
		"variance of the noise":   func(p *Parts) { p.Posterior.Noise = -1 },
		"coefficients 1 and 0 is": func(p *Parts) { p.Posterior.Covariance[1] = math.NaN() },
		"coefficients 0 and 0 is": func(p *Parts) { p.Posterior.Covariance[0] = -1 },
		"task one-class":          func(p *Parts) { q := taskParts(learn.OneClass); q.Posterior = p.Posterior; *p = q },
	} {
		p := uncertainParts()
		change(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
	if err := mustNew(t, taskParts(learn.Regress)).Uncertain(); err == nil {
		t.Error("variances of nowhere")
	}
	text := earlier(mustNew(t, uncertainParts()))
	for old, other := range map[string]string{`"version":4`: `"version":3`, `"noise_variance":0.25,`: ``} {
		if err := unmarshal(bytes.Replace(text, []byte(old), []byte(other), 1)); err == nil {
			t.Errorf("%s for %s is read", other, old)
		}
	}
}

func unmarshal(text []byte) error { return new(Classifier).UnmarshalJSON(text) }
