package direct

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// TestPick: fewer vectors are taken where the differences of the losses are no more than noise, not where they are
// small and of one sign; of as many vectors the least loss.
func TestPick(t *testing.T) {
	least := make([]float64, 100)
	for i := range least {
		least[i] = 1 + 0.1*float64(i%7)
	}
	with := func(k int, add func(i int) float64) *trial {
		tr := &trial{k: k, loss: slices.Clone(least), folds: []outcome{{weight: 100}}}
		for i := range tr.loss {
			tr.loss[i] += add(i)
		}
		tr.settle()
		return tr
	}
	noise := func(up float64) func(i int) float64 {
		return func(i int) float64 { return up + 0.5*float64(1-2*(i%2)) }
	}
	eight, four := with(8, noise(0.005)), with(4, noise(0.01))
	same, two := with(4, noise(0.012)), with(2, func(int) float64 { return 0.01 })
	best := with(16, func(int) float64 { return 0 })
	for _, tried := range [][]*trial{{two, eight, four, same, best}, {best, same, four, eight, two}} {
		if p := pick(tried); p != four {
			t.Errorf("%d vectors of mean loss %v, want 4 of %v", p.k, p.mean, four.mean)
		}
	}
}

// TestFolds: each point is held out once, the classes in every fold as in the whole; enough points need fewer folds.
func TestFolds(t *testing.T) {
	p := &learn.Problem{N: 203, D: 1, X: make([]float64, 203), Y: make([]float64, 203), Kernel: gram.RBF(1)}
	for i := range p.Y {
		p.Y[i] = float64(min(2, i%4))
	}
	for copies, want := range map[int]int{1: 5, 10: 3, 30: 1} {
		q := *p
		q.N, q.X, q.Y = copies*p.N, slices.Repeat(p.X, copies), slices.Repeat(p.Y, copies)
		j := &job{Trainer: Trainer{C: 1}, problem: &q, classes: 3, outputs: 3, budget: q.Budget("direct", q.N, 1)}
		all, err := j.task()
		if err != nil {
			t.Fatal(err)
		}
		c := &choice{job: j, all: all}
		if possible, err := c.deal(rand.New(rand.NewPCG(1, 1))); !possible || err != nil || c.used != want {
			t.Fatalf("%d points: possible %v (%v), %d folds, want %d", q.N, possible, err, c.used, want)
		}
		seen, total := make([]int, q.N), make([]int, 3)
		for _, class := range classes(all) {
			total[class]++
		}
		for f := range folds {
			in, held, out := c.split(f, setting{C: 1, Gamma: 1})
			for _, i := range out {
				seen[i]++
			}
			count := make([]int, 3)
			for _, class := range classes(held) {
				count[class]++
			}
			if in.N+held.N != q.N || count[0] < total[0]/folds || count[1] < total[1]/folds || count[2] < total[2]/folds {
				t.Errorf("fold %d of %d points has %d, of the classes %v", f, q.N, held.N, count)
			}
		}
		if slices.Max(seen) != 1 || slices.Min(seen) != 1 {
			t.Errorf("points are held out %d to %d times", slices.Min(seen), slices.Max(seen))
		}
	}
	small := &learn.Problem{N: 9, D: 1, X: make([]float64, 9), Y: []float64{1, 1, 1, 1, 1, -1, -1, -1, -1}, Kernel: gram.RBF(1)}
	j := &job{Trainer: Trainer{C: 1}, problem: small, classes: 2, outputs: 1, budget: small.Budget("direct", 9, 1)}
	all, err := j.task()
	if err != nil {
		t.Fatal(err)
	}
	if possible, _ := (&choice{job: j, all: all}).deal(rand.New(rand.NewPCG(1, 1))); possible {
		t.Error("a class of 4 points in 5 folds")
	}
}
