package svc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	judge "github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// drawn is a random problem of a task: targets of the first feature with noise, a kernel from narrow to wide, some
// with weights.
func drawn(rng *rand.Rand, task learn.Task) *learn.Problem {
	n, d := 2+rng.IntN(60), 1+rng.IntN(4)
	p := &learn.Problem{Task: task, N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n)}
	for i := range p.X {
		p.X[i] = rng.NormFloat64()
	}
	size := math.Pow(10, 4*rng.Float64()-2)
	for i := range p.Y {
		x := p.X[i*d]
		if p.Y[i] = math.Copysign(1, x+0.5*rng.NormFloat64()); task == learn.Regress {
			p.Y[i] = size * (math.Sin(3*x) + 0.2*rng.NormFloat64())
		}
	}
	if task == learn.Classify {
		p.Y[0], p.Y[n-1] = -1, 1
	}
	if task == learn.OneClass {
		p.Y = nil
	}
	if rng.IntN(4) == 0 {
		p.Weight = make([]float64, n)
		for i := range p.Weight {
			p.Weight[i] = 0.5 + rng.Float64()
		}
	}
	gamma := math.Pow(10, 5*rng.Float64()-2.5)
	p.Kernel = [...]gram.Kernel{gram.RBF(gamma), gram.RBF(gamma), gram.Laplacian(gamma), gram.Linear(),
		gram.Poly(2, 1, 1)}[rng.IntN(5)]
	return p
}

// trainers are the methods of a task with parameters drawn.
func trainers(rng *rand.Rand, task learn.Task) []learn.Trainer {
	c, nu, tolerance := math.Pow(10, 9*rng.Float64()-3), 0.02+0.9*rng.Float64(), []float64{1e-3, 1e-3, 1e-2, 1e-5}[rng.IntN(4)]
	switch task {
	case learn.Regress:
		epsilon := []float64{-1, 0.01, 0.1, 1}[rng.IntN(4)]
		return []learn.Trainer{SVR{C: c, Epsilon: epsilon, Tolerance: tolerance}, NuSVR{C: c, Nu: nu, Tolerance: tolerance}}
	case learn.OneClass:
		return []learn.Trainer{OneClass{Nu: nu, Tolerance: tolerance}}
	}
	return []learn.Trainer{Trainer{C: c, Tolerance: tolerance}, NuSVC{Nu: nu, Tolerance: tolerance}}
}

// Whenever the status is Optimal, primal and dual objective of the returned model, both recomputed by code of its own,
// agree to the tolerance, and the report's objective is the primal one.
func TestOptimalMeansOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 6))
	count := map[status.Status]int{}
	problems := 2000
	if testing.Short() {
		problems = 300
	}
	for k := range problems {
		task := [...]learn.Task{learn.Classify, learn.Regress, learn.OneClass}[k%3]
		p := drawn(rng, task)
		for _, tr := range trainers(rng, task) {
			r, err := tr.Train(t.Context(), p)
			if err != nil { // no model has this nu
				continue
			}
			count[r.Report.Status]++
			v := judge.New(p).Machine(tr, r)
			if r.Report.Status == status.Numerical && v.Blurred() {
				continue
			}
			where := fmt.Sprintf("problem %d, %v of %d × %d, %+v", k, p.Kernel, p.N, p.D, tr)
			for _, doubt := range v.Doubts(tr, &r.Report) {
				if r.Report.Status == status.Optimal {
					t.Errorf("%s: %v, but %s", where, r.Report.Status, doubt)
				}
			}
			if r.Report.Status != status.Optimal {
				t.Logf("%s: %v: %s", where, r.Report.Status, r.Report.Message)
			}
		}
	}
	t.Log(count)
}
