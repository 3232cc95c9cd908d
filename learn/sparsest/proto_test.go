package sparsest

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

var (
	file  = flag.String("file", "/tmp/h/sparsest/testdata/ripley.train.libsvm", "")
	sigma = flag.Float64("sigma", 0.5, "")
	cc    = flag.Float64("c", 1, "")
	kk    = flag.Int("k", 4, "")
	first = flag.Int("first", 100000, "")
	cands = flag.Int("cands", 100000, "")
	tries = flag.Int("tries", 0, "")
	limit = flag.Duration("limit", time.Minute, "")
)

func makeProgram(x, y []float64, n, d int, k gram.Kernel, cost float64, cand []int) *program {
	p := &program{unit: 1, n: n, m: len(cand), y: y, cost: make([]float64, n), a: make([]float64, n*len(cand))}
	for i := range p.cost {
		p.cost[i] = cost
	}
	for q, j := range cand {
		for i := range n {
			p.a[q*n+i] = y[i] * k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
		}
	}
	return p
}

func TestProto(t *testing.T) {
	set, err := dataset.ReadFile(*file, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := min(set.N, *first)
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(2*set.Y[i] - 1)
	}
	var cand []int
	for j := 0; j < n; j++ {
		if j*(*cands)/n != (j+1)*(*cands)/n || *cands >= n {
			cand = append(cand, j)
		}
	}
	p := makeProgram(set.X, y, n, set.D, gram.RBFSigma(*sigma), *cc, cand)
	s := newSearch(p, *kk, 1<<30, 1<<30)
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	begin := time.Now()
	last := time.Now()
	s.progress = func(s *search) {
		if time.Since(last) < 5*time.Second && s.nodes > 1 {
			return
		}
		last = time.Now()
		fmt.Printf("%6.1fs nodes %d open %d best %.6f lower %.6f steps %d\n", time.Since(begin).Seconds(), s.nodes, len(s.open), s.best.objective, s.lower(), s.steps)
	}
	st := s.run(ctx)
	fmt.Printf("%v %v nodes %d best %.8f lower %.8f root %.4f support %v beta %.3f steps %d fits %d\n", st, time.Since(begin), s.nodes, s.best.objective, s.lower(), s.root, s.best.chosen, s.best.beta, s.steps, s.fits)
}
