package direct

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

// TestStartLevels: the values that a training begins with are those of the targets' means, smaller for a column that
// says nothing of held-out samples; a second feature of the same levels begins with others, and a level without
// samples with 0.
func TestStartLevels(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 1))
	for _, outputs := range []int{1, 3} {
		q := &centres.Problem{N: n, D: 3, Outputs: outputs, Kernel: gram.RBF(1), Target: make([]float64, n*outputs),
			Weight: make([]float64, n*outputs)}
		for i := range n {
			level := rng.IntN(4)
			q.X = append(q.X, float64(level+1), float64(level+1), float64(rng.IntN(4)+1))
			for o := range outputs {
				q.Weight[o*n+i] = 1
				if q.Target[o*n+i] = -1; level == o || level == o+1 {
					q.Target[o*n+i] = 1
				}
			}
		}
		p := &learn.Problem{}
		for k := range 3 {
			p.Coded = append(p.Coded, learn.Coded{Feature: k, Levels: 5, Part: map[int]int{1: 1}[k]})
		}
		q.Levels = levelsOf(p)
		startLevels(q, p.Coded, nil, 1)
		v := q.Levels.Start
		if len(v) != 15 || v[4] != 0 || v[9] != 0 || v[14] != 0 {
			t.Fatalf("%d outputs: values %v", outputs, v)
		}
		dot := func(a, b []float64) (s float64) {
			for i := range a {
				s += a[i] * b[i]
			}
			return s
		}
		first, second, noise := v[:5], v[5:10], v[10:]
		if c := math.Abs(dot(first, second)) / math.Sqrt(dot(first, first)*dot(second, second)); !(c < 0.9) {
			t.Errorf("%d outputs: %v and %v are alike", outputs, first, second)
		}
		if r := dot(noise, noise) / dot(first, first); !(r < 0.4) {
			t.Errorf("%d outputs: noise %v, effects %v", outputs, noise, first)
		}
		if outputs == 1 && !(first[0] > 0 && first[1] > 0 && first[2] < 0 && first[3] < 0) {
			t.Errorf("values %v do not follow the targets", first)
		}
		last := &centres.Model{Values: []float64{1}}
		if startLevels(q, p.Coded, last, 1); q.Levels.Start[0] != 1 {
			t.Error("the values of the last model are not taken")
		}
	}
}
