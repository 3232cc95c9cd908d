package model

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/learn"
)

var schemes = []Scheme{Binary, OneVsRest, OneVsOne, PairwiseFuzzy}

func kernels(d int) map[string]gram.Kernel {
	w := make([]float64, d)
	for k := range w {
		w[k] = 1 / float64(k+1)
	}
	return map[string]gram.Kernel{
		"rbf": gram.RBF(0.3), "weighted": gram.WeightedRBF(0.3, w), "linear": gram.Linear(),
		"poly": gram.Poly(3, 0.5, 1), "sigmoid": gram.Sigmoid(0.1, -0.5),
		"composite": gram.Composite(gram.Term{Scale: 2, Factors: []gram.Kernel{gram.WeightedRBF(0.3, w), gram.Linear()}},
			gram.Term{Scale: 0.5, Factors: []gram.Kernel{gram.RationalQuadratic(1.5, 0.2)}}, gram.Term{Scale: 0.125}),
	}
}

// randomParts makes the parts of a classifier of n vectors and d features, with all the trimmings.
func randomParts(rnd *rand.Rand, scheme Scheme, kernel gram.Kernel, n, d int) Parts {
	classes := 2
	if scheme != Binary {
		classes = 4
	}
	p := Parts{
		Kernel: kernel, N: n, D: d, Features: d, Scheme: scheme, Method: "test", Trained: 3 * n,
		Params: map[string]float64{"c": 10, "tolerance": 1e-3}, PlattStale: true,
	}
	for range n * d {
		p.Vectors = append(p.Vectors, rnd.NormFloat64())
	}
	for i := range n {
		p.Rows = append(p.Rows, 2*i)
	}
	for c := range classes {
		p.Labels = append(p.Labels, fmt.Sprint(10*c-10))
	}
	switch scheme {
	case Binary:
		p.Submodels = []learn.Submodel{{Pos: 1, Neg: 0}}
	case OneVsRest:
		for c := range classes {
			p.Submodels = append(p.Submodels, learn.Submodel{Pos: c, Neg: learn.Rest})
		}
	default:
		for a := range classes {
			for b := a + 1; b < classes; b++ {
				p.Submodels = append(p.Submodels, learn.Submodel{Pos: b, Neg: a})
			}
		}
	}
	for i := range p.Submodels {
		m := &p.Submodels[i]
		m.Bias = rnd.NormFloat64()
		for _, j := range rnd.Perm(n)[:(n+1)/2] {
			m.Support = append(m.Support, j)
			m.Coef = append(m.Coef, rnd.NormFloat64())
		}
		p.Platt = append(p.Platt, Platt{rnd.NormFloat64(), rnd.NormFloat64()})
	}
	if d > 0 {
		sc := &dataset.Scaling{Kind: dataset.ScaleZ}
		for range d {
			sc.Center = append(sc.Center, rnd.NormFloat64())
			sc.Spread = append(sc.Spread, 1+rnd.Float64())
		}
		sc.Spread[0] = 0
		p.Scaling = sc
	}
	return p
}

func mustNew(tb testing.TB, p Parts) *Classifier {
	tb.Helper()
	c, err := New(p)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// earlier is a JSON model as it was before version 13, with the version of its .skm file.
func earlier(c *Classifier) []byte {
	text, err := c.MarshalJSON()
	if err != nil {
		panic(err)
	}
	p := c.Parts()
	if p.version() > 13 {
		return text
	}
	text = bytes.Replace(text, []byte(`"version":13`), fmt.Appendf(nil, `"version":%d`, p.version()), 1)
	return bytes.Replace(text, []byte(`"submodels":`), []byte(`"machines":`), 1)
}

// asOnce is a file as it was written before version 13 of JSON.
func asOnce(t *testing.T, c *Classifier, f Format) []byte {
	if f == JSON {
		return append(earlier(c), '\n')
	}
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readLIBSVM reads a LIBSVM file within so many bytes.
func readLIBSVM(r io.Reader, file string, memory int64) (*Classifier, error) {
	return readAs("libsvm", r, file, memory)
}

// readAs reads a file by the reader of a registered format; package model_test imports them.
func readAs(name string, r io.Reader, file string, memory int64) (*Classifier, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(registered, func(c *Codec) bool { return c.Name == name })
	return registered[i].classifier(data, file, fileformat.NewBudget(memory))
}

func randomRows(rnd *rand.Rand, n, d int) []float64 {
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}
