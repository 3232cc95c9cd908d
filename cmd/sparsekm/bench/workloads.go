package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// workload is a call with what it has to do at least.
type workload struct {
	name  string
	n, d  int
	typ   string
	flops float64 // instructions of the multiply-adders, two operations each, in units of float64
	exps  float64
	expOf string  // exp64 or exp32
	bytes float64 // that are read
	from  string  // the limit that bytes come from
	call  func()
}

// min is the time that the limits leave: parts that keep the same units busy follow one another.
func (w *workload) min(rates map[string]float64, level string) (seconds float64) {
	for limit, amount := range map[string]float64{"fma": w.flops, w.expOf: w.exps, w.from: w.bytes} {
		if amount > 0 {
			seconds += amount / (1e9 * rates[limit+level])
		}
	}
	return seconds
}

// bound names the limits.
func (w *workload) bound() string {
	var names []string
	if w.flops > 0 {
		names = append(names, "fma")
	}
	if w.exps > 0 {
		names = append(names, "exp")
	}
	if w.bytes > 0 {
		names = append(names, w.from)
	}
	return strings.Join(names, "+")
}

// newWorkloads are the quick suite.
func newWorkloads(ctx context.Context) []*workload {
	return []*workload{
		// A product, 14 or 9 multiply-adds, a power of two (gram/exp.go); twice as many float32 go into an instruction.
		exp[float64]("float64", 2*16), exp[float32]("float32", 11),
		rows[float64]("float64", 1000, 2), rows[float64]("float64", 1000, 20), rows[float64]("float64", 1000, 784),
		rows[float32]("float32", 1000, 2), rows[float32]("float32", 1000, 20),
		matrix(480, 20), matrix(480, 784), sums("l2", 1000, 16), sums("l3", 1000, 1000),
		product(ctx, 480), cholesky(ctx, 480), downdate(ctx, 240), pair(ctx, 1000), box(200), program(100, 400),
		predict(500, 20),
	}
}

func random(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// distance is what a pair of samples takes: a product a feature. Differences, which there are below 32 features, have
// units of their own on some processors.
func distance(d int) float64 { return 2 * float64(d) }

func exp[T gram.Float](typ string, flops float64) *workload {
	l := newExp[T]("")
	return &workload{name: "Exp", n: expPoints, typ: typ, flops: flops * expPoints, call: l.call}
}

// rows are eight kernel rows.
func rows[T gram.Float](typ string, n, d int) *workload {
	const count = 8
	p := gram.Pack[T](gram.RBF(0.5/float64(d)), random(n*d), n, d)
	dst, idx := make([][]T, count), make([]int, count)
	for r := range dst {
		dst[r], idx[r] = gram.Aligned[T](n), r*13%n
	}
	w := &workload{name: "Rows", n: n, d: d, typ: typ, flops: distance(d) * float64(count*n), exps: float64(count * n),
		expOf: "exp64", call: func() { p.Rows(dst, idx) }}
	if typ == "float32" {
		w.flops, w.expOf = w.flops/2, "exp32"
	}
	return w
}

// matrix is a whole kernel matrix, of which each pair is computed once.
func matrix(n, d int) *workload {
	p := gram.Pack[float64](gram.RBF(0.5/float64(d)), random(n*d), n, d)
	ld := gram.Stride[float64](n)
	dst := gram.Aligned[float64](n * ld)
	pairs := float64(n*(n+1)) / 2
	return &workload{name: "Matrix", n: n, d: d, typ: "float64", flops: distance(d) * pairs, exps: pairs, expOf: "exp64",
		call: func() { p.Full(dst, ld) }}
}

// sums adds k rows of n elements, as a gradient does.
func sums(from string, n, k int) *workload {
	a, coef, y := random(n*k), random(k), make([]float64, n)
	return &workload{name: "AddRows", n: n, d: k, typ: "float64", bytes: float64(8 * n * k), from: from,
		call: func() { dense.AddRows(y, coef, a, n) }}
}

func product(ctx context.Context, n int) *workload {
	a, b, c := random(n*n), random(n*n), make([]float64, n*n)
	of := func(x []float64) dense.Mat { return dense.Of(x, n, n, n) }
	return &workload{name: "Product", n: n, typ: "float64", flops: 2 * float64(n*n*n), call: func() {
		must(ctx, dense.Mul(ctx, 1, 1, of(a), of(b), of(c)))
	}}
}

// kernel is a positive definite matrix: that of n samples of 5 features, and 1 on the diagonal.
func kernel(n int) []float64 {
	k := make([]float64, n*n)
	gram.Pack[float64](gram.RBF(0.1), random(5*n), n, 5).Full(k, n)
	return k
}

func cholesky(ctx context.Context, n int) *workload {
	k, a := kernel(n), make([]float64, n*n)
	for i := range n {
		k[i*n+i]++
	}
	return &workload{name: "Cholesky", n: n, typ: "float64", flops: float64(n*n*n) / 3, call: func() {
		copy(a, k)
		must(ctx, cholupdate.Cholesky(ctx, a, n, n, 1))
	}}
}

// downdate adds a vector to a factored matrix and takes it away again: a walk through the factor and two.
func downdate(ctx context.Context, n int) *workload {
	k, x := kernel(n), random(n)
	for i := range n {
		k[i*n+i]++
	}
	var f cholupdate.Factor
	must(ctx, f.Factorize(ctx, k, n, n, 1))
	return &workload{name: "Downdate", n: n, typ: "float64", bytes: 3 * float64(8*n*n) / 2, from: "l2", call: func() {
		f.Update(x)
		must(ctx, f.Downdate(x))
	}}
}

// box is the dual of SSVC-A's first round without a bias; its limit is a walk through the kernel matrix each product.
func box(n int) *workload {
	p := &boxqp.Problem{P: slices.Repeat([]float64{-1}, n), Lo: make([]float64, n), Hi: slices.Repeat([]float64{10}, n)}
	z := kernel(n)
	for i, x := range random(n) {
		for j := range n {
			z[i*n+j] *= math.Copysign(1, x)
		}
	}
	p.H = boxqp.NewFactor(z, n, n, n)
	solve := func() *boxqp.Result { return boxqp.Solve(context.Background(), p, boxqp.Options{Threads: 1}) }
	return &workload{name: "Box", n: n, typ: "float64", bytes: float64(8*n*n) * float64(solve().Passes), from: "l2",
		call: func() { solve() }}
}

// pair is the dual of a support vector machine. Its limit are the gradient and the two rows of the working set that a
// step looks at.
func pair(ctx context.Context, n int) *workload {
	p := &smo.Pair{K: smo.NewDense(n, kernel(n), n), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i, x := range random(n) {
		if p.P[i], p.Hi[i] = -1, 1; x < 0 {
			p.P[i], p.Lo[i], p.Hi[i] = 1, -1, 0
		}
	}
	set := min(n, smo.WholeSet)
	steps := smo.Solve(ctx, p, smo.Options{}).Iterations
	return &workload{name: "SMO", n: n, typ: "float64", bytes: float64(3 * 8 * set * steps), from: "l2",
		call: func() { smo.Solve(ctx, p, smo.Options{}) }}
}

// program is a dense linear program of m rows and n columns; its limit is a walk through the matrix each pivot.
func program(m, n int) *workload {
	a, c, one := random(m*n), random(n), make([]float64, m)
	for i, x := range a {
		a[i] = x * x
	}
	for j, x := range c {
		c[j] = 1 + x*x
	}
	for i := range one {
		one[i] = 1
	}
	lp := simplex.LP{C: c, RowLo: one, A: simplex.NewDense(m, n, a)}
	solve := func() *simplex.Result {
		s, err := simplex.New(lp, simplex.Options{})
		if err != nil {
			panic("bench: " + err.Error())
		}
		return s.Solve(context.Background())
	}
	return &workload{name: "Simplex", n: m, d: n, typ: "float64", bytes: float64(8*m*n) * float64(solve().Iterations),
		from: "l2", call: func() { solve() }}
}

// predict decides 256 samples by a model of n vectors.
func predict(n, d int) *workload {
	const samples = 256
	e := learn.Expansion{}
	for i, x := range random(n) {
		e.Support = append(e.Support, i)
		e.Coef = append(e.Coef, x)
	}
	parts := model.BinaryParts(gram.RBF(0.5/float64(d)), random(n*d), d, e)
	parts.Labels = []string{"-1", "1"}
	m, err := model.New(parts)
	if err != nil {
		panic("bench: " + err.Error())
	}
	x, dst := random(samples*d), make([]float64, samples)
	return &workload{name: "Predict", n: n, d: d, typ: "float64", flops: (distance(d) + 2) * float64(n*samples),
		exps: float64(n * samples), expOf: "exp64", call: func() { m.DecideBatch(dst, x, samples, 1) }}
}

// must is for calls that fail only when their context ends, which the run sees by itself.
func must(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic("bench: " + err.Error())
	}
}
