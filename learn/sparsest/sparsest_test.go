package sparsest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// draw is a small problem, its candidates and the method's parameters, from a seed.
func draw(seed uint64) (*learn.Problem, Trainer) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, d := 20+rng.IntN(40), 1+rng.IntN(4)
	p := &learn.Problem{X: make([]float64, n*d), N: n, D: d, Y: make([]float64, n), Weight: make([]float64, n),
		Resources: learn.Resources{Threads: 1}}
	for i := range p.X {
		p.X[i] = rng.NormFloat64()
	}
	for i := range n {
		x := p.X[i*d]
		p.Y[i], p.Weight[i] = 1, []float64{1, 1, 0.3, 2}[rng.IntN(4)]
		if x+x*x/2+rng.NormFloat64()/2 < 0.3 {
			p.Y[i] = -1
		}
	}
	p.Y[0], p.Y[1] = 1, -1
	copy(p.X[2*d:4*d], p.X[:2*d]) // two samples twice
	p.Kernel = []gram.Kernel{gram.RBFSigma(0.3 + 2*rng.Float64()), gram.Linear(), gram.Poly(2, 0.5, 1)}[seed%7/3]
	p.Candidates = rng.Perm(n)[:6+rng.IntN(7)]
	slices.Sort(p.Candidates)
	return p, Trainer{C: []float64{0.01, 0.1, 1, 10, 1000}[rng.IntN(5)], MaxSV: 1 + rng.IntN(4), MaxIter: 1 << 30}
}

func train(t *testing.T, tr Trainer, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objective is that of the package's comment in plain loops.
func objective(p *learn.Problem, e *learn.Expansion, c float64) (sum float64) {
	for _, b := range e.Coef {
		sum += b * b / 2
	}
	for i, f := range ref.Decide(p, e, p.X, p.N) {
		sum += c * p.WeightOf(i) * max(0, 1-p.Y[i]*f)
	}
	return sum
}

// subsets calls visit with all ways to take k of the list.
func subsets(list []int, k int, visit func([]int)) {
	var walk func(have []int, from int)
	walk = func(have []int, from int) {
		if len(have) == k {
			visit(have)
			return
		}
		for q := from; q < len(list); q++ {
			walk(append(slices.Clone(have), list[q]), q+1)
		}
	}
	walk(nil, 0)
}

// proven is the largest ½ Σ c² of the chosen rows subtracted from Σ α, in plain loops: a lower bound of the objective
// of this choice, if α meets its constraints, which it checks.
func proven(t *testing.T, p *learn.Problem, c float64, alpha []float64, chosen []int) float64 {
	t.Helper()
	var sum, balance, quad float64
	for i, a := range alpha {
		if largest := c * p.WeightOf(i); !(a >= 0 && a <= largest*(1+1e-12)) {
			t.Fatalf("α of sample %d is %v, want 0 to %v", i, a, largest)
		}
		sum += a
		balance += p.Y[i] * a
	}
	testutil.Near(t, "Σ y α", balance, 0, 1e-12*sum)
	for _, j := range chosen {
		var product float64
		for i, a := range alpha {
			product += a * p.Y[i] * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
		}
		quad += product * product / 2
	}
	return sum - quad
}

// begin is a training before its search.
func begin(t *testing.T, p *learn.Problem, tr Trainer) *training {
	t.Helper()
	s, err := tr.begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// spread gives the problem's samples the values of the program's rows, in units of the problem. Repetitions share a
// row's value by their weights.
func (s *training) spread(p *learn.Problem, c float64, alpha []float64) []float64 {
	of, r := make([]float64, p.N), 0
	for k, col := range s.merged.Row {
		if s.merged.Cost[k] == 0 {
			continue
		}
		at := s.merged.First[col]
		for i := range of {
			if p.Y[i] == s.merged.Y[k] && slices.Equal(p.X[i*p.D:(i+1)*p.D], p.X[at*p.D:(at+1)*p.D]) {
				of[i] = alpha[r] / (s.unit * s.unit) * (c * p.WeightOf(i) / s.merged.Cost[k])
			}
		}
		r++
	}
	return of
}

// TestEnumeration: every other choice has an α, checked by definition, that proves it no better. So the model is the
// best of all, whatever finds these multipliers.
func TestEnumeration(t *testing.T) {
	for seed := range uint64(200) {
		p, tr := draw(seed)
		r := train(t, tr, p)
		if r.Report.Status != status.Optimal || len(r.Coef) > tr.MaxSV {
			t.Fatalf("seed %d: %v, %d vectors", seed, r.Report.Status, len(r.Coef))
		}
		got, bound := objective(p, &r.Expansion, tr.C), r.Report.Duality.Objective
		testutil.Near(t, "objective", r.Report.Objective, got, 1e-9*got)
		if !(bound <= got*(1+1e-9) && bound >= got*(1-2*relative)) {
			t.Errorf("seed %d: bound %v of the objective %v", seed, bound, got)
		}
		s := begin(t, p, tr)
		smallest := math.Inf(1)
		list := make([]int, s.m)
		for q := range list {
			list[q] = q
		}
		subsets(list, min(tr.MaxSV, s.m), func(choice []int) {
			var chosen []int32
			var rows []int
			for _, q := range choice {
				chosen = append(chosen, int32(q))
				rows = append(rows, s.row(int32(q)))
			}
			smallest = min(smallest, s.fit(t.Context(), chosen))
			s.measure(&s.point, s.fitted.alpha.Low.X, []cell{{chosen, len(chosen)}})
			if v := proven(t, p, tr.C, s.spread(p, tr.C, s.point.alpha), rows); !(v >= got*(1-3*relative)) {
				t.Errorf("seed %d: the rows %v may have %v, the model has %v", seed, rows, v, got)
			}
		})
		testutil.Near(t, "least objective of all choices", smallest/(s.unit*s.unit), got, 2*relative*got)
	}
}

// TestBounds: the bound of a node is at most the objective of every choice that its cells allow, by the dual point's
// definition, and holds for every point that meets the dual's constraints.
func TestBounds(t *testing.T) {
	for seed := range uint64(60) {
		p, tr := draw(seed)
		s := begin(t, p, tr)
		s.greedy(t.Context())
		rng := rand.New(rand.NewPCG(seed, 2))
		order := rng.Perm(s.m)
		at := 2 + rng.IntN(s.m-3)
		n := &node{cells: []cell{{make([]int32, 0), 1}, {make([]int32, 0), 1 + rng.IntN(2)}}}
		for k, j := range order {
			c := &n.cells[min(1, k/at)]
			c.members = append(c.members, int32(j))
		}
		for _, r := range n.cells {
			slices.Sort(r.members)
		}
		s.measure(&s.point, s.fitted.alpha.Low.X, n.cells)
		s.hint(n)
		s.relax(t.Context(), n)
		unit := s.unit * s.unit
		bound := s.point.bound(n.cells) / unit
		if !(n.bound/unit >= bound-1e-12*math.Abs(bound)) {
			t.Errorf("seed %d: the node's bound %v is below its point's %v", seed, n.bound/unit, bound)
		}
		alpha, smallest := s.spread(p, tr.C, s.point.alpha), math.Inf(1)
		s.choices(n, func(chosen []int32) {
			var rows []int
			for _, j := range chosen {
				rows = append(rows, s.row(j))
			}
			smallest = min(smallest, proven(t, p, tr.C, alpha, rows))
			if v := s.fit(t.Context(), chosen); !(v >= n.bound*(1-1e-9)) {
				t.Errorf("seed %d: the choice %v has %v, the bound is %v", seed, rows, v/unit, n.bound/unit)
			}
		})
		testutil.Near(t, "bound", bound, smallest, 1e-9*math.Abs(smallest))
	}
}

// choices calls visit with every choice that two cells allow.
func (s *training) choices(n *node, visit func([]int32)) {
	lists := [2][]int{}
	for k, r := range n.cells {
		for _, j := range r.members {
			lists[k] = append(lists[k], int(j))
		}
	}
	subsets(lists[0], n.cells[0].count, func(a []int) {
		subsets(lists[1], n.cells[1].count, func(b []int) {
			var chosen []int32
			for _, j := range slices.Concat(a, b) {
				chosen = append(chosen, int32(j))
			}
			visit(chosen)
		})
	})
}

// TestNoRoom: without memory for open nodes the search goes depth first, to the same choice.
func TestNoRoom(t *testing.T) {
	for seed := range uint64(30) {
		p, tr := draw(seed)
		r := train(t, tr, p)
		s := begin(t, p, tr)
		s.room = 0
		if st := s.run(t.Context()); st != status.Optimal || len(s.open) > 0 {
			t.Errorf("seed %d: %v, %d open", seed, st, len(s.open))
		}
		testutil.Near(t, "objective", s.best.objective/s.unit/s.unit, r.Report.Objective, 2*relative*r.Report.Objective)
	}
}

// TestLimit: a limit of nodes leaves a model, a bound below its objective and a message; more nodes close the gap
// further, to the same bits for any number of threads.
func TestLimit(t *testing.T) {
	p := ref.Ripley(t)
	tr := Trainer{C: 100, MaxSV: 6, MaxIter: 1}
	last := math.Inf(1)
	for _, tr.MaxIter = range []int{1, 10, 1000} {
		r := train(t, tr, p)
		want := status.IterationLimit
		if tr.MaxIter == 1000 {
			want = status.Optimal
		}
		gap := r.Report.Duality.Gap
		if r.Report.Status != want || !(gap < last) || !(gap >= 0) || len(r.Coef) != 6 {
			t.Errorf("%d nodes: %v, gap %v after %v, %d vectors", tr.MaxIter, r.Report.Status, gap, last, len(r.Coef))
		}
		if limited := strings.Contains(r.Report.Message, "no choice of 6 vectors has an objective below"); limited !=
			(want != status.Optimal) {
			t.Errorf("%d nodes: message %q", tr.MaxIter, r.Report.Message)
		}
		last = gap
		q := *p
		q.Threads = 3
		if other := train(t, tr, &q); !slices.Equal(other.Coef, r.Coef) || !slices.Equal(other.Support, r.Support) ||
			other.Report.Duality.Objective != r.Report.Duality.Objective {
			t.Errorf("%d nodes: other bits with three threads", tr.MaxIter)
		}
	}
}

// TestCancelled: a training that ends early returns a model with its gap, or nothing.
func TestCancelled(t *testing.T) {
	p := ref.Ripley(t)
	tr := Trainer{C: 100, MaxSV: 6}
	var whole atomic.Int64
	count := func(limit int) (*learn.Result, error) {
		whole.Store(0)
		return tr.Train(ending{t.Context(), func() bool { return whole.Add(1) > int64(limit) }}, p)
	}
	full, err := count(math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	for k, all := 0, int(whole.Load()); k < 12; k++ {
		r, err := count(k * all / 12)
		if err != nil {
			if k > 6 || !errors.Is(err, context.Canceled) {
				t.Errorf("after %d of %d questions: %v", k*all/12, all, err)
			}
			continue
		}
		d := r.Report.Duality
		if r.Report.Status != status.Cancelled || !(d.Objective <= full.Report.Objective) ||
			!(r.Report.Objective >= full.Report.Objective*(1-relative)) || len(r.Coef) == 0 {
			t.Errorf("after %d of %d questions: %v, objective %v, bound %v", k*all/12, all, r.Report.Status,
				r.Report.Objective, d.Objective)
		}
	}
}

// ending is a context that ends when its function says so.
type ending struct {
	context.Context
	ended func() bool
}

func (e ending) Err() error {
	if e.ended() {
		return context.Canceled
	}
	return nil
}

// TestHostile: what cannot be trained is refused, what can has a status and finite numbers.
func TestHostile(t *testing.T) {
	p, _ := draw(3)
	p.Candidates = nil
	with := func(change func(q *learn.Problem)) *learn.Problem {
		q := *p
		q.X, q.Y, q.Weight = slices.Clone(p.X), slices.Clone(p.Y), slices.Clone(p.Weight)
		change(&q)
		return &q
	}
	ones := with(func(q *learn.Problem) { q.Y = ref.Ones(q.N) })
	nan := with(func(q *learn.Problem) { q.X[3] = math.NaN() })
	for _, c := range []struct {
		tr   Trainer
		p    *learn.Problem
		want string
	}{
		{Trainer{}, ones, "one class only"},
		{Trainer{}, nan, "feature"},
		{Trainer{C: math.NaN()}, p, "want a finite number > 0"},
		{Trainer{MaxSV: -1}, p, "want a whole number >= 1"},
		{Trainer{}, with(func(q *learn.Problem) { q.Memory = 100 }), "memory budget"},
		{Trainer{C: 1e100}, with(func(q *learn.Problem) { q.X[0], q.Kernel = 1e60, gram.Linear() }), "scale the features"},
		{Trainer{}, with(func(q *learn.Problem) {
			q.Kernel = gram.Custom(func(x, z []float64) float64 {
				if x[0] == q.X[9*q.D] && z[0] != x[0] {
					return math.NaN()
				}
				return x[0] * z[0]
			})
		}), "is NaN"},
	} {
		if _, err := c.tr.Train(t.Context(), c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.tr, err, c.want)
		}
	}
	same := with(func(q *learn.Problem) { clear(q.X) })
	for _, c := range []struct {
		tr   Trainer
		p    *learn.Problem
		want status.Status
	}{
		{Trainer{MaxSV: 1000}, p, status.Optimal},
		{Trainer{C: 1e-12}, p, status.Optimal},
		{Trainer{MaxSV: 2}, same, status.Optimal},
		{Trainer{MaxSV: 2, Subset: learn.Subset{Candidates: 5}}, p, status.Optimal},
		{Trainer{C: 1e9, MaxSV: 3}, with(func(q *learn.Problem) { q.Kernel = gram.Poly(3, 10, 1) }), status.Unknown},
		{Trainer{C: 1e100, MaxSV: 2}, with(func(q *learn.Problem) { q.Weight[0] = 1e-50 }), status.Unknown},
	} {
		r := train(t, c.tr, c.p)
		if c.want != status.Unknown && r.Report.Status != c.want || !r.Finite() || math.IsNaN(r.Report.Objective) ||
			!(r.Report.Duality.Objective >= 0) || len(r.Coef) > max(c.tr.MaxSV, 5) {
			t.Errorf("%+v: %v, objective %v, bound %v", c.tr, r.Report.Status, r.Report.Objective,
				r.Report.Duality.Objective)
		}
	}
}
