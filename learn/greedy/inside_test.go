package greedy

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

var criteria = []criterion{
	{bias: true, singular: singular}, {bias: true, matching: true, singular: singular},
	{ridge: 0.3, singular: singular}, {bias: true, ridge: 0.25, singular: singular},
	{bias: true, scatter: 1e-3, singular: singular},
}

// weighted is a problem with weights 0, 1, 2 and the task of its samples.
func weighted(t *testing.T, seed uint64, n, d int) (*learn.Problem, *samples.LeastSquares) {
	t.Helper()
	p := ref.Clouds(seed, n, d)
	p.Weight = make([]float64, n)
	for i := range p.Weight {
		p.Weight[i] = float64((i + 1) % 3)
	}
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	return p, task
}

// begun is a selection before its first step.
func begun(task *samples.LeastSquares, cr criterion, lim limits) *forward {
	f := newForward(task, cr, lim)
	f.cand, _ = learn.Distinct(f.X, f.N, f.D)
	f.firstBlock()
	f.start(context.Background())
	return f
}

// The n_j and p_j that steps bring up to date are the lengths and products of the
// columns' remainders, computed one by one: at first and after each step. The
// check for drift would hide it if they were not.
func TestUpdatesAreExact(t *testing.T) {
	for _, cr := range criteria {
		_, task := weighted(t, 50, 200, 3)
		f := begun(task, cr, limits{})
		var c candidate
		c.a = make([]float64, f.N)
		for step := range 12 {
			for _, j := range f.cand {
				if slices.Contains(f.kept, j) {
					continue
				}
				f.column(&c, j)
				f.basis.orthogonalize(&c)
				name := fmt.Sprintf("%+v step %d sample %d", cr, step, j)
				testutil.NearRel(t, name+" length", f.norm[j], c.norm, 1e-11)
				testutil.NearRel(t, name+" product", f.match[j], dense.Dot(c.a, f.basis.y), 1e-11)
			}
			j, _ := f.best()
			f.column(&f.chosen, j)
			f.basis.orthogonalize(&f.chosen)
			f.accept(j, &f.chosen)
			f.update()
		}
	}
}

// A sample whose n_j and p_j have drifted is not chosen for that: it is scored anew, and
// the selection is the one without the drift.
func TestDriftIsNoticed(t *testing.T) {
	for _, cr := range criteria {
		_, task := weighted(t, 51, 150, 3)
		lim := limits{eta: 1e-9, maxSV: 15}
		whole := begun(task, cr, lim)
		whole.steps(context.Background())
		drifted := begun(task, cr, lim)
		for j := range drifted.norm {
			if !slices.Contains(whole.kept, j) {
				drifted.norm[j] /= 1e3
				drifted.match[j] *= 100
				break
			}
		}
		if j, _ := drifted.best(); slices.Contains(whole.kept, j) {
			t.Fatalf("%+v: sample %d still wins, too easy", cr, j)
		}
		if st := drifted.steps(context.Background()); st != status.SizeReached || !slices.Equal(drifted.kept, whole.kept) {
			t.Errorf("%+v: %v %v, want %v", cr, st, drifted.kept, whole.kept)
		}
	}
}

// The residual at any coefficients, near the fit and far from it, is that of the
// normal equations written out.
func TestResidualIsLiteral(t *testing.T) {
	for _, cr := range criteria {
		p, task := weighted(t, 52, 90, 3)
		k := ref.KernelMatrix(p)
		s, _, err := choose(context.Background(), p, "test", rule{criterion: cr, limits: limits{eta: 1e-6, maxSV: 12}}.choose)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []float64{0.5, 100, math.Inf(1)} {
			e := s.Solve(len(s.Support), c)
			name := fmt.Sprintf("%+v c=%v", cr, c)
			testutil.AtMost(t, name+" at the fit", residualOf(task, s, &e, c), 1e-11)
			testutil.AtMost(t, name+" at the fit, written out", literal(p, k, s, &e, c), 1e-11)
			for _, by := range []float64{1e-6, 0.1} {
				off := learn.Expansion{Support: e.Support, Coef: slices.Clone(e.Coef), Bias: e.Bias}
				for i := range off.Coef {
					off.Coef[i] *= 1 + by*math.Sin(float64(i))
				}
				if cr.bias {
					off.Bias += by
				}
				want := literal(p, k, s, &off, c)
				testutil.Near(t, name, residualOf(task, s, &off, c), want, 1e-9*want+1e-13)
				if !(want > by*1e-4) {
					t.Errorf("%s: residual %v after a change by %v, too easy", name, want, by)
				}
			}
		}
	}
}

func literal(p *learn.Problem, k [][]float64, s *Selection, e *learn.Expansion, c float64) float64 {
	mu := 0.0
	if s.ridge == 0 {
		mu = 1 / c
	}
	return ref.LSSVMNormalResidual(k, p.Y, p.Weight, e.Support, e.Coef, e.Bias, s.ridge, mu, s.bias)
}

// Where the context ends while the basis is made anew without ε, the model is that of the first samples.
func TestWithoutScatterEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of processor time")
	}
	_, task := weighted(t, 54, 4500, 2)
	task.Threads = 1
	lim := limits{eta: 1e-12, maxSV: 340, candidates: 1, seed: 1}
	count := &asked{context.Background(), 1 << 40}
	f := newForward(task, criteria[4], lim)
	want := f.selection(f.run(count))
	if len(want.Support) != 340 {
		t.Fatalf("%d support vectors", len(want.Support))
	}
	f = newForward(task, criteria[4], lim)
	s := f.selection(f.run(&asked{context.Background(), 1<<40 - count.left - 3}))
	n := len(s.Support)
	if s.Status != status.Cancelled || n < 300 || n > 339 || !slices.Equal(s.Support, want.Support[:n]) ||
		!slices.Equal(s.J, want.J[:n]) || !slices.Equal(s.u, want.u[:n]) {
		t.Errorf("%v with %d of %d", s.Status, n, len(want.Support))
	}
}

// Vectors and short rows do not overlap, whatever their number.
func TestStore(t *testing.T) {
	for _, short := range []int{1, 3} {
		s := newStore(5, short)
		seen := make(map[*float64]bool)
		take := func(row []float64, want int) {
			if len(row) != want {
				t.Fatalf("%d numbers, want %d", len(row), want)
			}
			for i := range row {
				if seen[&row[i]] {
					t.Fatal("two rows overlap")
				}
				seen[&row[i]] = true
			}
		}
		for k := range 3 * blockVectors {
			if k == s.room() && !s.grow(func(size int) []float64 { return make([]float64, size) }) {
				t.Fatal("no block")
			}
			take(s.vector(k), s.n)
			for i := range short {
				take(s.row(i, k), k+1)
			}
		}
		if len(s.block) != 3 || s.grow(func(int) []float64 { return nil }) {
			t.Errorf("%d blocks of 3, or a block of nothing", len(s.block))
		}
	}
}

func residualOf(t *samples.LeastSquares, s *Selection, e *learn.Expansion, c float64) float64 {
	_, r := figures(context.Background(), t, s, e, c)
	return r
}
