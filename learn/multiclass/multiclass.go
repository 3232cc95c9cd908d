// Package multiclass trains classifiers for several classes with any two-class [learn.Trainer]: one submodel for each
// class against the rest, or one for each pair of classes. How decision values become a class (the largest, a vote, or
// the fuzzy minimum of Abe (2008), section 4.2) is decided at prediction, in package model. A [learn.Joint] trains its
// submodels against the rest together.
package multiclass

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Problem is a training problem of Classes classes. Y and Validation.Y have the index of each sample's class, 0 to
// Classes−1, instead of signs. The Resources are for the whole training: submodels trained at the same time share
// threads and memory.
type Problem struct {
	learn.Problem
	Classes int
	// KernelOf, if not nil, makes a kernel for each submodel from its training samples. For example, Abe (2008) takes
	// the variances of a diagonal Mahalanobis kernel from the two classes of the pair. A [learn.Joint] then trains its
	// submodels one by one.
	KernelOf func(p *learn.Problem) (gram.Kernel, error)
	// Pairs trains a submodel for each pair of classes; false means one for each class against the rest. Candidates of
	// weight 0 may have the class −1: all submodels use them, and the candidates of their own classes.
	Pairs bool
	// Fold is the fold of each sample, see [learn.HoldingOut]; nil to hold none out.
	Fold []int

	rows      [][]int // of each class, ascending
	different bool    // no two samples have equal features
}

// Result is the trained submodels over one pool of vectors.
type Result struct {
	Rows      []int           // the pool: rows of distinct samples of the problem, ascending
	Vectors   []float64       // instead of Rows if the vectors are no samples: row-major
	Kernel    *gram.Kernel    // nil for the problem's; else learned by all submodels together
	Values    []float64       // of the levels of coded features; nil for none
	Submodels []learn.Trained // Support has indices into the pool, each at most once
	Status    status.Status   // Optimal if every submodel is; else the first that is not done, else the first other
	// Held has a row for each sample: the decision values of the submodels without the sample's fold, 0 where a submodel
	// does not have it. It is nil if a submodel has no such values.
	Held []float64
}

// Train trains all submodels, several at a time if memory allows. The result does not depend on Threads as long as the
// memory for each suffices. Two classes have one submodel, with class 1 as the positive one.
func Train(ctx context.Context, tr learn.Trainer, p *Problem) (*Result, error) {
	tasks, err := p.tasks()
	if err != nil {
		return nil, err
	}
	if joint, ok := tr.(learn.Joint); ok && len(tasks) > 1 && !p.Pairs && p.KernelOf == nil {
		return p.joint(ctx, joint, tasks)
	}
	p = p.known()
	submodels := make([]learn.Trained, len(tasks))
	held := newHeld(p, tr, len(tasks))
	errs := make([]error, len(tasks))
	highest := p.largest(tr, tasks)
	workers := min(parallel.Workers(p.Threads), len(tasks), int(max(1, p.spare()/highest)))
	share, tell := p.share(workers, len(tasks))
	var ended atomic.Int64
	turn := turns(min(workers, runtime.GOMAXPROCS(0)), len(tasks))
	parallel.For(workers, len(tasks), func(_, i int) {
		own, cancel := turn(ctx)
		share := share
		if p.Progress != nil {
			share.Progress = func(e learn.Event) { tell(i, e) }
		}
		submodels[i], errs[i] = tasks[i].train(own, tr, p, share, held.keeper(i))
		if errs[i] != nil && own.Err() != nil && ctx.Err() == nil { // no model within its share: all the time that is left
			submodels[i], errs[i] = tasks[i].train(ctx, tr, p, share, held.keeper(i))
		}
		cancel()
		tell(i, learn.Event{Phase: "submodels", Done: 1, Step: int(ended.Add(1)), Text: tasks[i].String()})
		if ctx.Err() == nil { // others follow
			learn.Collect(highest)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	r := p.result(submodels)
	if held != nil && !held.missing.Load() {
		r.Held = held.values
	}
	return r, nil
}

// held collects the decision values of samples that are held out.
type held struct {
	values    []float64
	submodels int
	missing   atomic.Bool // a submodel has none
}

// newHeld returns room for the values of so many submodels; nil if nobody asked for them.
func newHeld(p *Problem, tr learn.Trainer, submodels int) *held {
	if _, ok := tr.(learn.HoldingOut); !ok || p.Fold == nil {
		return nil
	}
	return &held{values: make([]float64, p.N*submodels), submodels: submodels}
}

// keeper returns a function that takes the values of a submodel's rows; nil for nil.
func (h *held) keeper(submodel int) func(rows []int, f []float64) {
	if h == nil {
		return nil
	}
	return func(rows []int, f []float64) {
		if f == nil {
			h.missing.Store(true)
			return
		}
		for k, i := range rows {
			h.values[i*h.submodels+submodel] = f[k]
		}
	}
}

// known returns the problem with what the pairs of classes need to know of all samples.
func (p *Problem) known() *Problem {
	if !p.Pairs || p.Classes == 2 || p.Candidates != nil {
		return p
	}
	q := *p
	q.rows = make([][]int, p.Classes)
	for i, c := range p.Y {
		q.rows[int(c)] = append(q.rows[int(c)], i)
	}
	first, _ := learn.Distinct(p.X, p.N, p.D)
	q.different = len(first) == p.N
	return &q
}

// joint trains all submodels together.
func (p *Problem) joint(ctx context.Context, tr learn.Joint, tasks []pair) (*Result, error) {
	results, err := tr.TrainJoint(ctx, &p.Problem, p.Classes)
	if err != nil {
		return nil, err
	}
	submodels := make([]learn.Trained, len(tasks))
	for i, t := range tasks {
		submodels[i] = learn.Trained{Report: results[i].Report,
			Submodel: learn.Submodel{Pos: t.pos, Neg: t.neg, Expansion: results[i].Expansion}}
	}
	r := p.result(submodels)
	r.Kernel, r.Values = results[0].Kernel, results[0].Values
	return r, nil
}

func (p *Problem) result(submodels []learn.Trained) *Result {
	r := &Result{Submodels: submodels, Status: status.Optimal}
	for i := range submodels {
		if st := submodels[i].Report.Status; r.Status.Done() && (!st.Done() || st > r.Status) { // the later proves less
			r.Status = st
		}
	}
	r.pool(p)
	return r
}

// turns returns a function that gives each submodel its context, in the order in which they start. Each gets an
// equal share of the time to the deadline, atOnce being the number that really run at the same time. Time that one
// leaves is shared by those that follow; the last ones may use all of it.
func turns(atOnce, submodels int) func(context.Context) (context.Context, context.CancelFunc) {
	var started atomic.Int64
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		end, ok := ctx.Deadline()
		left := submodels - int(started.Add(1)) + 1 // including this one
		if !ok || left <= atOnce {
			return ctx, func() {}
		}
		share := time.Until(end) * time.Duration(atOnce) / time.Duration(left)
		return context.WithTimeout(ctx, share)
	}
}

// largest returns the memory of the largest task.
func (p *Problem) largest(tr learn.Trainer, tasks []pair) int64 {
	var highest int64 = 1
	for _, t := range tasks {
		n := t.count(p)
		highest = max(highest, tr.EstimateMemory(n, p.D)+t.bytes(p, n))
	}
	return highest
}

// spare is the memory budget less the bytes in use.
func (p *Problem) spare() int64 { return cmp.Or(max(p.Memory, 0), learn.DefaultMemory) - p.InUse }

// share returns one submodel's share of the resources, and what takes the events of each submodel, from several
// goroutines: the share done that it passes on is that of all submodels.
func (p *Problem) share(workers, submodels int) (learn.Resources, func(submodel int, e learn.Event)) {
	s := learn.Resources{Threads: max(1, parallel.Workers(p.Threads)/workers)}
	s.Memory = p.spare()/int64(workers) + p.InUse
	s.InUse = p.InUse
	if p.Progress == nil {
		return s, func(int, learn.Event) {}
	}
	var mu sync.Mutex
	done := make([]float64, submodels)
	return s, func(submodel int, e learn.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Done >= 0 {
			done[submodel] = e.Done
			e.Done = dense.Sum(done) / float64(submodels)
		}
		p.Progress(e)
	}
}

// pair is the two classes that one submodel separates; neg may be [learn.Rest].
type pair struct{ pos, neg int }

// String names the classes.
func (t pair) String() string {
	if t.neg == learn.Rest {
		return fmt.Sprintf("class %d against the rest", t.pos)
	}
	return fmt.Sprintf("class %d against class %d", t.pos, t.neg)
}

// tasks lists the submodels: pairs in the order (0,1), (0,2), ..., (1,2), ...
func (p *Problem) tasks() ([]pair, error) {
	switch {
	case p.Classes < 2:
		return nil, fmt.Errorf("multiclass: %d classes, want at least two", p.Classes)
	case p.D < 0 || len(p.X) < p.N*p.D:
		return nil, fmt.Errorf("multiclass: %d values for %d samples of dimension %d", len(p.X), p.N, p.D)
	case len(p.Y) != p.N:
		return nil, fmt.Errorf("multiclass: %d classes for %d samples", len(p.Y), p.N)
	case p.Weight != nil && len(p.Weight) != p.N:
		return nil, fmt.Errorf("multiclass: %d weights for %d samples", len(p.Weight), p.N)
	}
	if v := p.Validation; v != nil {
		if len(v.X) < v.N*p.D || len(v.Y) != v.N {
			return nil, fmt.Errorf("multiclass: %d values and %d classes for %d validation samples", len(v.X), len(v.Y), v.N)
		}
		if err := p.checkClasses(v.Y, "validation sample"); err != nil {
			return nil, err
		}
	}
	if err := p.checkClasses(p.Y, "sample"); err != nil {
		return nil, err
	}
	if err := p.checkMembers(); err != nil {
		return nil, err
	}
	if p.Classes == 2 {
		return []pair{{1, 0}}, nil
	}
	if err := p.fits(); err != nil {
		return nil, err
	}
	var tasks []pair
	for c := range p.Classes {
		if !p.Pairs {
			tasks = append(tasks, pair{c, learn.Rest})
			continue
		}
		for d := c + 1; d < p.Classes; d++ {
			tasks = append(tasks, pair{c, d})
		}
	}
	return tasks, nil
}

// fits returns an error if the submodels alone, without vectors, are more than the budget.
func (p *Problem) fits() error {
	submodels := float64(p.Classes)
	if p.Pairs {
		submodels *= float64(p.Classes-1) / 2
	}
	each := 2*reflect.TypeFor[learn.Trained]().Size() + 4*reflect.TypeFor[pair]().Size()
	if err := p.Budget("multiclass", p.N, p.D).Take(int64(min(submodels*float64(each), 1<<62))); err != nil {
		return fmt.Errorf("%.0f submodels: %w", submodels, err)
	}
	return nil
}

func (p *Problem) checkClasses(y []float64, what string) error {
	for i, c := range y {
		if c == noClass && what == "sample" && p.offers(i) {
			continue
		}
		if !(c >= 0 && c < float64(p.Classes)) || c != float64(int(c)) {
			return fmt.Errorf("multiclass: %s %d is of class %v, want 0 to %d", what, i, c, p.Classes-1)
		}
	}
	return nil
}

// noClass marks a candidate without a margin, which every submodel may use.
const noClass = -1

// offers reports whether row i is a candidate without a margin.
func (p *Problem) offers(i int) bool {
	_, found := slices.BinarySearch(p.Candidates, i)
	return found && p.WeightOf(i) == 0
}

// checkMembers reports a class without samples; weight 0 is the same as an absent sample.
func (p *Problem) checkMembers() error {
	members := make([]int, p.Classes)
	for i, c := range p.Y {
		if p.WeightOf(i) > 0 {
			members[int(c)]++
		}
	}
	c := slices.Index(members, 0)
	switch {
	case c < 0:
		return nil
	case len(slices.DeleteFunc(members, func(n int) bool { return n == 0 })) == 1:
		return fmt.Errorf("multiclass: %w, class %d of %d has no samples", learn.ErrOneClass, c, p.Classes)
	}
	return fmt.Errorf("multiclass: class %d of %d has no samples", c, p.Classes)
}

// has reports whether the submodel is trained on samples of class c.
func (t pair) has(c float64) bool {
	return t.neg == learn.Rest || c == float64(t.pos) || c == float64(t.neg) || c == noClass
}

// sign is a sample's label in the submodel's problem.
func (t pair) sign(c float64) float64 {
	if c == float64(t.pos) {
		return 1
	}
	return -1
}

// count is the number of the submodel's samples.
func (t pair) count(p *Problem) (n int) {
	if p.rows != nil {
		return len(p.rows[t.pos]) + len(p.rows[t.neg])
	}
	for _, c := range p.Y {
		if t.has(c) {
			n++
		}
	}
	return n
}

// bytes is the memory of the submodel's copy of n samples: rows, signs and weights, and features if it does not have
// all samples.
func (t pair) bytes(p *Problem, n int) int64 {
	b := 24 * int64(n)
	if n < p.N {
		b += 8 * int64(n) * int64(p.D)
	}
	return b
}

// problem makes the submodel's problem of n samples; rows are its rows in p.
func (t pair) problem(p *Problem, n int, share learn.Resources) (q *learn.Problem, rows []int) {
	q = &learn.Problem{N: n, D: p.D, Y: make([]float64, 0, n), Kernel: p.Kernel, Known: learn.Known{Different: p.different}, Resources: share}
	if p.Candidates != nil {
		q.Candidates = []int{}
	}
	rows = t.rows(p, n)
	for k, i := range rows {
		c := p.Y[i]
		if _, found := slices.BinarySearch(p.Candidates, i); found {
			q.Candidates = append(q.Candidates, k)
		}
		q.Y = append(q.Y, t.sign(c))
	}
	q.Weight, q.Group = deal.Pick(p.Weight, rows), deal.Pick(p.Group, rows)
	q.X = p.Samples(rows)
	if v := p.Validation; v != nil {
		q.Validation = t.validation(v, p.D)
	}
	return q, rows
}

// rows lists the rows of the submodel's n samples: those of a pair by class, else ascending.
func (t pair) rows(p *Problem, n int) []int {
	rows := make([]int, 0, n)
	if p.rows != nil {
		rows = append(rows, p.rows[t.pos]...)
		return append(rows, p.rows[t.neg]...)
	}
	for i, c := range p.Y {
		if t.has(c) {
			rows = append(rows, i)
		}
	}
	return rows
}

// validation keeps the validation samples of the submodel's classes; nil if there are none.
func (t pair) validation(v *learn.Validation, d int) *learn.Validation {
	own := new(learn.Validation)
	for i, c := range v.Y {
		if t.has(c) {
			own.X = append(own.X, v.X[i*d:(i+1)*d]...)
			own.Y = append(own.Y, t.sign(c))
			own.N++
		}
	}
	if own.N == 0 {
		return nil
	}
	return own
}

// train trains one submodel; its Support has rows of p. keep, if it is not nil, takes decision values of samples that
// are held out.
func (t pair) train(ctx context.Context, tr learn.Trainer, p *Problem, share learn.Resources,
	keep func(rows []int, f []float64)) (m learn.Trained, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%v: %w", t, err)
		}
	}()
	m = learn.Trained{Submodel: learn.Submodel{Pos: t.pos, Neg: t.neg}}
	n := t.count(p)
	if err = share.Budget("multiclass", n, p.D).Take(t.bytes(p, n)); err != nil {
		return m, err
	}
	share.InUse += t.bytes(p, n)
	q, rows := t.problem(p, n, share)
	if p.KernelOf != nil {
		var k gram.Kernel
		if k, err = p.KernelOf(q); err != nil {
			return m, err
		}
		q.Kernel, m.Kernel = k, &k
	}
	var r *learn.Result
	if keep != nil {
		var f []float64
		if r, f, err = tr.(learn.HoldingOut).TrainHeldOut(ctx, q, deal.Pick(p.Fold, rows)); err == nil {
			keep(rows, f)
		}
	} else {
		r, err = tr.Train(ctx, q)
	}
	if err != nil {
		return m, err
	}
	m.Expansion, m.Report = r.Expansion, r.Report
	if r.Kernel != nil {
		m.Kernel = r.Kernel
	}
	if r.Vectors != nil {
		return m, nil
	}
	m.Support = deal.Pick(rows, r.Support)
	return m, nil
}

// pool gathers the distinct support vectors of all submodels. Equal ones are one, and their coefficients in a submodel
// are added. Samples are in Rows, each the lowest that is in use; vectors that are no samples are in Vectors, in the
// order of the submodels.
func (r *Result) pool(p *Problem) {
	var used []int // rows, or numbers of vectors
	var x []float64
	own := slices.ContainsFunc(r.Submodels, func(m learn.Trained) bool { return m.Vectors != nil })
	for i := range r.Submodels {
		m := &r.Submodels[i]
		if own {
			m.Support = make([]int, len(m.Coef))
			for s := range m.Support {
				m.Support[s] = len(used) + s
			}
			x, m.Vectors = append(x, m.Vectors...), nil
		}
		used = append(used, m.Support...)
	}
	if !own {
		slices.Sort(used)
		used = slices.Compact(used)
		x, r.Rows = p.Samples(used), []int{}
	}
	first, numbers := learn.Distinct(x, len(used), p.D)
	for _, i := range first {
		if own {
			r.Vectors = append(r.Vectors, x[i*p.D:(i+1)*p.D]...)
		} else {
			r.Rows = append(r.Rows, used[i])
		}
	}
	place := make(map[int]int, len(used)) // row → its place in the pool
	for i, row := range used {
		place[row] = numbers[i]
	}
	for i := range r.Submodels {
		remap(&r.Submodels[i].Expansion, place)
	}
}

// remap converts rows to places in the pool, and merges equal ones.
func remap(e *learn.Expansion, places map[int]int) {
	known := make(map[int]int, len(e.Support)) // place in the pool → place in the submodel
	var support []int
	var coef []float64
	for s, row := range e.Support {
		place := places[row]
		if t, ok := known[place]; ok {
			coef[t] += e.Coef[s]
			continue
		}
		known[place] = len(support)
		support = append(support, place)
		coef = append(coef, e.Coef[s])
	}
	e.Support, e.Coef = support, coef
}
