package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// BenchmarkDecide is whole calls with scaling, one row at a time and in a batch; the call of
// math.Exp says what the model is worth meanwhile.
func BenchmarkDecide(b *testing.B) {
	b.Run("call=math.Exp", func(b *testing.B) {
		x, sum := benchRows(1), 0.0
		i := 0
		for b.Loop() {
			sum += math.Exp(x[i])
			i = (i + 1) % len(x)
		}
	})
	for _, n := range []int{1, 4, 10, 40, 102, 1000} {
		for _, d := range []int{1, 2, 8, 20, 100} {
			c := benchClassifier(b, Binary, n, d)
			x := benchRows(d)
			name := fmt.Sprintf("sv=%d/d=%d", n, d)
			b.Run("call=Decide/"+name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					c.Decide(x[i*d : (i+1)*d])
					i = (i + 1) % benchCount
				}
			})
			b.Run("call=DecideBatch/"+name, func(b *testing.B) {
				f := make([]float64, benchCount)
				for b.Loop() {
					c.DecideBatch(f, x, benchCount, 1)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchCount, "ns/row")
			})
		}
	}
}

// BenchmarkPredict is the class of a row, of two classes and of four.
func BenchmarkPredict(b *testing.B) {
	for _, scheme := range []Scheme{Binary, OneVsRest, OneVsOne} {
		for _, shape := range [][2]int{{4, 2}, {40, 20}} {
			c, d := benchClassifier(b, scheme, shape[0], shape[1]), shape[1]
			x := benchRows(d)
			b.Run(fmt.Sprintf("scheme=%v/sv=%d/d=%d", scheme, shape[0], d), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					c.Predict(x[i*d : (i+1)*d])
					i = (i + 1) % benchCount
				}
			})
		}
	}
}

const benchCount = 256 // rows

func benchRows(d int) []float64 { return randomRows(dataset.NewRand(2), benchCount, d) }

// benchClassifier has n vectors of d features, all of them in every model.
func benchClassifier(b *testing.B, scheme Scheme, n, d int) *Classifier {
	rnd := dataset.NewRand(1)
	p := randomParts(rnd, scheme, gram.RBF(0.5/float64(d)), n, d)
	for i := range p.Submodels {
		p.Submodels[i].Support, p.Submodels[i].Coef = deal.All(n), randomRows(rnd, n, 1)
	}
	p.Scaling.Spread[0] = 1
	return mustNew(b, p)
}

// BenchmarkProcess is a Gaussian process of inducing points: the mean, the mean with the variance, and the
// probabilities of two classes.
func BenchmarkProcess(b *testing.B) {
	for _, kind := range []gram.Kind{gram.KindRBF, gram.KindMatern12, gram.KindMatern32, gram.KindMatern52} {
		for _, shape := range [][2]int{{30, 8}, {100, 8}, {500, 8}} {
			for _, spread := range []bool{false, true} {
				name := fmt.Sprintf("kernel=%v/vectors=%d/d=%d/spread=%v", kind, shape[0], shape[1], spread)
				benchProcess(b, name, kind, shape[0], shape[1], spread)
			}
		}
	}
}

// benchProcess has the triangles of RBF for every kernel: time does not depend on them.
func benchProcess(b *testing.B, name string, kind gram.Kind, n, d int, spread bool) {
	p := processParts(1, n, d, spread)
	p.Kernel.Kind = kind
	c, err := New(p)
	if err != nil {
		b.Fatal(err)
	}
	p.Task, p.Latent, p.Posterior = learn.Classify, []learn.Posterior{*p.Posterior}, nil
	p.Labels, p.Scheme, p.Platt = []string{"a", "b"}, Binary, []Platt{{A: -1}}
	p.Submodels[0].Pos, p.Submodels[0].Neg = 1, 0
	classes, err := New(p)
	if err != nil {
		b.Fatal(err)
	}
	x, both := benchRows(d), make([]float64, 2)
	for call, f := range map[string]func(x []float64){
		"Decide":        func(x []float64) { c.Decide(x) },
		"MeanVariance":  func(x []float64) { c.MeanVariance(x) },
		"Probabilities": func(x []float64) { classes.Probabilities(both, x) },
	} {
		b.Run("call="+call+"/"+name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				f(x[i*d : (i+1)*d])
				i = (i + 1) % benchCount
			}
		})
	}
}
