package greedy

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// many is a task of 600 samples with weights, some of them equal, of which hundreds are selected.
func many(t *testing.T, gamma float64, memory int64) *samples.LeastSquares {
	t.Helper()
	p := ref.Clouds(60, 900, 6)
	p.Kernel, p.Memory = gram.RBF(gamma), memory
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = float64((i + 1) % 3)
	}
	copy(p.X[3*p.D:6*p.D], p.X[:3*p.D])
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// chosen is a selection in blocks of steps, or step by step.
func chosen(
	ctx context.Context, t *testing.T, task *samples.LeastSquares, cr criterion, lim limits, blocks bool,
) (*Selection, *forward) {
	t.Helper()
	if err := task.Budget.Take((rule{criterion: cr, limits: lim}).bytes(task.N, task.D)); err != nil {
		t.Fatal(err)
	}
	f := newForward(task, cr, lim)
	f.blocked = !blocks
	s := f.selection(f.run(ctx))
	if blocks && !f.blocked && len(s.Support) > fewSteps {
		t.Fatalf("%+v: %d steps are no test of blocks", cr, len(s.Support))
	}
	return s, f
}

// Blocks of steps select what single steps do, to the same R and u, with the same bits for any
// number of threads: where columns are well apart, and until all depend on the selection.
func TestBlocksSelectTheSame(t *testing.T) {
	for _, c := range []struct {
		gamma    float64
		lim      limits
		min      int
		criteria []criterion
	}{
		{0.3, limits{eta: 1e-7, maxSV: 450}, 400, criteria[:2]},
		{0.06, limits{eta: 1e-12}, 280, criteria[:1]},
	} {
		if testing.Short() && c.gamma < 0.3 {
			continue
		}
		if testing.Short() {
			c.criteria = c.criteria[:1]
		}
		for _, cr := range c.criteria {
			testutil.EachLevel(t, func(t *testing.T) {
				want, _ := chosen(context.Background(), t, many(t, c.gamma, 0), cr, c.lim, false)
				if len(want.Support) < c.min {
					t.Fatalf("gamma %v: %d support vectors, too easy", c.gamma, len(want.Support))
				}
				var first *Selection
				for _, threads := range []int{1, 3} {
					task := many(t, c.gamma, 0)
					task.Threads = threads
					s, _ := chosen(context.Background(), t, task, cr, c.lim, true)
					name := fmt.Sprintf("gamma %v %+v threads %d", c.gamma, cr, threads)
					if s.Status != want.Status || !slices.Equal(s.Support, want.Support) {
						t.Fatalf("%s: %v %d support vectors, want %v %d", name, s.Status, len(s.Support), want.Status, len(want.Support))
					}
					testutil.NearAll(t, name+" J", s.J, want.J, 1e-9)
					e := s.Solve(len(s.Support), 10)
					testutil.AtMost(t, name+" residual", residualOf(task, s, &e, 10), 1e-11)
					if first == nil {
						first = s
					}
					if !slices.Equal(s.u, first.u) || !slices.EqualFunc(s.r, first.r, slices.Equal[[]float64]) {
						t.Errorf("%s: other bits than with one", name)
					}
				}
			})
		}
	}
}

// A n_j that is wrong is found when the column is there: the selection is the one without it.
func TestBlocksNoticeDrift(t *testing.T) {
	lim := limits{eta: 1e-9, maxSV: 400}
	cr := criteria[0]
	want, _ := chosen(context.Background(), t, many(t, 0.3, 0), cr, lim, false)
	f := newForward(many(t, 0.3, 0), cr, limits{eta: 1e-9, maxSV: 280})
	f.blocked = true
	f.run(context.Background())
	f.maxSV = 400
	s := newSchur(f)
	if s == nil || s.refresh(context.Background()) != nil {
		t.Fatal("no S")
	}
	s.step(sampleOf(f, want.Support[280]))
	wrong := -1
	for _, j := range s.cand {
		if s.norm[j]/s.Total > s.singular && !slices.Contains(want.Support, f.Row[j]) {
			wrong = j
		}
	}
	s.norm[wrong] /= 1e4
	s.match[wrong] *= 10
	if j, _ := s.best(); j != wrong {
		t.Fatal("the wrong one does not win: too easy")
	}
	s.step(wrong)
	if good, err := s.settle(context.Background()); good || err != nil || len(f.kept) != 281 {
		t.Fatalf("settled %v with %d, error %v", good, len(f.kept), err)
	}
	st, done := s.run(context.Background())
	if !done || st != status.SizeReached || !slices.Equal(f.Rows(f.kept), want.Support) {
		t.Errorf("%v, %d support vectors", st, len(f.kept))
	}
}

// A n_j that is a millionth of what it was when S was made is not trusted: S is made again.
func TestBlocksDoubt(t *testing.T) {
	lim := limits{eta: 1e-4, maxSV: 500}
	cr := criteria[0]
	want, _ := chosen(context.Background(), t, many(t, 0.3, 0), cr, lim, false)
	f := newForward(many(t, 0.3, 0), cr, limits{eta: 1e-9, maxSV: 256})
	f.blocked = true
	f.run(context.Background())
	f.limits = lim
	s := newSchur(f)
	if s == nil || s.refresh(context.Background()) != nil {
		t.Fatal("no S")
	}
	for range 5 {
		j, _ := s.best()
		s.step(j)
	}
	for j := range s.start {
		s.start[j] *= 1e8
	}
	if why, _ := s.block(context.Background()); why != inexact || len(s.chosenNorm) != 5 {
		t.Fatalf("%v after %d steps", why, len(s.chosenNorm))
	}
	if good, err := s.settle(context.Background()); !good || err != nil {
		t.Fatal(good, err)
	}
	if st, done := s.run(context.Background()); !done || st != want.Status || !slices.Equal(f.Rows(f.kept), want.Support) {
		t.Errorf("%v, %d support vectors, want %v, %d", st, len(f.kept), want.Status, len(want.Support))
	}
}

// sampleOf is the task's sample of the row.
func sampleOf(f *forward, row int) int { return f.Place([]int{row})[0] }

// Where the memory ends for blocks, single steps go on; where it is too little for S, they go on
// without it. The selection is the same.
func TestBlocksWithoutMemory(t *testing.T) {
	lim := limits{eta: 1e-9, maxSV: 400}
	cr := criteria[0]
	want, _ := chosen(context.Background(), t, many(t, 0.3, 0), cr, lim, false)
	smallest := samples.LeastSquaresBytes(600, 6) + rule{criterion: cr, limits: lim}.bytes(600, 6)
	step := int64(450 << 10) // less than two blocks of vectors take
	if testing.Short() {
		step *= 5
	}
	for more := int64(1 << 20); more < 10<<20; more += step {
		s, f := chosen(context.Background(), t, many(t, 0.3, smallest+more), cr, lim, true)
		n := len(s.Support)
		if n < 100 || !slices.Equal(s.Support, want.Support[:n]) || n < 400 && s.Message == "" {
			t.Errorf("%d KiB more: %d support vectors, %q", more>>10, n, s.Message)
		}
		if f.Budget.Left() < 0 {
			t.Errorf("%d KiB more: %d bytes left of the budget", more>>10, f.Budget.Left())
		}
	}
}

// asked is a context that ends after so many questions.
type asked struct {
	context.Context
	left int
}

func (a *asked) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the context ends, the selection is a part of the whole one, and its R of that many columns.
func TestBlocksCancelled(t *testing.T) {
	lim := limits{eta: 1e-9, maxSV: 400}
	cr := criteria[0]
	count := &asked{context.Background(), 1 << 40}
	task := many(t, 0.3, 0)
	task.Threads = 1
	want, _ := chosen(count, t, task, cr, lim, true)
	questions := 1<<40 - count.left
	for left := 0; left < questions; left += 1 + questions/31 {
		task = many(t, 0.3, 0)
		task.Threads = 1
		f := newForward(task, cr, lim)
		s := f.selection(f.run(&asked{context.Background(), left}))
		n := len(s.Support)
		if s.Status != status.Cancelled || len(s.r) != n || len(s.u) != n || !slices.Equal(s.Support, want.Support[:n]) {
			t.Errorf("after %d questions of %d: %v, %d support vectors, %d columns", left, questions, s.Status, n, len(s.r))
		}
	}
}
