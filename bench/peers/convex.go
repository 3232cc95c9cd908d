package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/smo"
)

func init() {
	compare("convex", "convex programs of trainings by the solvers of the trainings and by package qp, on twonorm",
		runConvex)
}

// convexProgram is a program of a training, solved by its own solver, and the same as qp.QP, whose optimum is that of
// solve, or less it.
type convexProgram struct {
	name  string
	solve func(ctx context.Context) (objective float64, err error)
	qp    qp.QP
	sign  float64 // of the objective of qp
}

// qpPatience is how long qp may take.
const qpPatience = time.Minute

func runConvex(ctx context.Context, e *env) error {
	harness.Header("program", "samples", "own solver", "qp, matrix given", "ratio", "qp's status and iterations",
		"objectives differ by")
	for _, n := range []int{250, 1000} {
		d := newConvexData(n)
		for _, p := range []*convexProgram{d.refit(8), d.refit(40), d.box(), d.pair()} {
			if err := e.compareConvex(ctx, p, n); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

func (e *env) compareConvex(ctx context.Context, p *convexProgram, n int) error {
	own, their, want := math.Inf(1), math.Inf(1), 0.0
	var r *qp.Result
	for range e.Reps {
		before := processor.Seconds()
		v, err := p.solve(ctx)
		if err != nil {
			return err
		}
		own, want = min(own, processor.Seconds()-before), v
		limited, cancel := context.WithTimeout(ctx, qpPatience)
		before = processor.Seconds()
		r, err = qp.Solve(limited, p.qp, qp.Options{})
		cancel()
		if err != nil {
			return err
		}
		if their = min(their, processor.Seconds()-before); their > 1 {
			break
		}
	}
	harness.Row(p.name, fmt.Sprint(n), milliseconds(own), milliseconds(their), fmt.Sprintf("%.3g", their/own),
		fmt.Sprintf("%v, %d", r.Status, r.Iterations), fmt.Sprintf("%.0e", math.Abs(p.sign*r.Objective-want)/math.Abs(want)))
	return nil
}

// convexData is samples of twonorm with their kernel matrix.
type convexData struct {
	set  *dataset.Set
	y, k []float64
}

// convexCost is C, and convexKernel the kernel.
const convexCost = 1.0

var convexKernel = gram.RBF(0.05)

func newConvexData(n int) *convexData {
	d := &convexData{set: dataset.Twonorm(n, 1), k: make([]float64, n*n)}
	d.y = make([]float64, n)
	for i := range d.y {
		d.y[i] = float64(2*d.set.Y[i] - 1)
	}
	gram.Pack[float64](convexKernel, d.set.X, n, d.set.D).Full(d.k, n)
	return d
}

// refit is the fit of the coefficients of k vectors with the squared hinge loss; qp solves its dual, see
// internal/centres: min ½ αᵀ(Z M⁻¹ Zᵀ + 1/(2C))α − Σα with the rows y_i k_i of Z and M = K_cc + ρ.
func (d *convexData) refit(k int) *convexProgram {
	n := d.set.N
	p := &convexProgram{name: fmt.Sprintf("refit of %d vectors", k), sign: -1}
	q := &centres.Problem{X: d.set.X, N: n, D: d.set.D, Kernel: convexKernel, Outputs: 1, Loss: centres.SquaredHinge, Norm: 1,
		Threads: 1, Target: d.y, Weight: constant(n, convexCost)}
	p.solve = func(ctx context.Context) (float64, error) {
		c, err := centres.Refit(ctx, q, q.NewModel(d.set.X[:k*d.set.D]))
		if err != nil {
			return 0, err
		}
		return c[0].Objective, nil
	}
	m := make([]float64, k*k)
	for i := range k {
		copy(m[i*k:], d.k[i*n:i*n+k])
		m[i*k+i] += centres.Ridge
	}
	if err := cholupdate.Cholesky(context.Background(), m, k, k, 1); err != nil {
		panic(err)
	}
	z, solved := make([]float64, n*k), make([]float64, n*k)
	for i := range n {
		for j := range k {
			z[i*k+j] = d.y[i] * d.k[i*n+j]
		}
		copy(solved[i*k:], z[i*k:][:k])
		cholupdate.Solve(m, k, k, solved[i*k:][:k])
	}
	p.qp = dualOf(z, solved, n, k)
	for i := range n {
		p.qp.Q.(*simplex.Dense).Row(i)[i] += 1 / (2 * convexCost)
	}
	p.qp.A, p.qp.RowLo, p.qp.RowUp = simplex.NewDense(1, n, d.y), []float64{0}, []float64{0}
	return p
}

// dualOf is min ½ αᵀAVᵀα − Σα, α ≥ 0, for n×k matrices a and v.
func dualOf(a, v []float64, n, k int) qp.QP {
	q := simplex.NewDense(n, n, make([]float64, n*n))
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for l := range k {
				sum += a[i*k+l] * v[j*k+l]
			}
			q.Row(i)[j], q.Row(j)[i] = sum, sum
		}
	}
	return qp.QP{Q: q, LP: simplex.LP{C: constant(n, -1)}}
}

// box is the first dual of SSVC-A, without a bias: H = ZZᵀ of the rows y_i k_i of all kernel values.
func (d *convexData) box() *convexProgram {
	n := d.set.N
	z := make([]float64, n*n)
	for i := range n {
		for j := range n {
			z[i*n+j] = d.y[i] * d.k[i*n+j]
		}
	}
	p := &convexProgram{name: "smo.Box, H = K²", qp: dualOf(z, z, n, n), sign: 1}
	p.qp.Up = constant(n, convexCost)
	p.solve = func(ctx context.Context) (float64, error) {
		b := smo.Box{H: smo.NewFactor(z, n, n, n), P: constant(n, -1), Lo: make([]float64, n), Hi: p.qp.Up}
		r := b.Solve(ctx, smo.Options{Threads: 1})
		return r.Objective, notDone(r.Status.Done(), ctx)
	}
	return p
}

// pair is the dual of an SVC, with one equality.
func (d *convexData) pair() *convexProgram {
	n := d.set.N
	p := &convexProgram{name: "smo.Pair, an SVC", sign: 1}
	p.qp = qp.QP{Q: simplex.NewDense(n, n, d.k)}
	p.qp.A, p.qp.RowLo, p.qp.RowUp = simplex.NewDense(1, n, constant(n, 1)), []float64{0}, []float64{0}
	for _, y := range d.y {
		p.qp.C = append(p.qp.C, -y)
		p.qp.Lo = append(p.qp.Lo, min(0, y*convexCost))
		p.qp.Up = append(p.qp.Up, max(0, y*convexCost))
	}
	p.solve = func(ctx context.Context) (float64, error) {
		q := smo.Pair{K: smo.NewDense(n, d.k), P: p.qp.C, Lo: p.qp.Lo, Hi: p.qp.Up}
		r := q.Solve(ctx, smo.Options{})
		return r.Objective, notDone(r.Status.Done(), ctx)
	}
	return p
}

func notDone(done bool, ctx context.Context) error {
	if done {
		return nil
	}
	return errors.Join(errors.New("no optimum"), ctx.Err())
}
