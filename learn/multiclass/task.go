package multiclass

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// tasks lists the models: pairs in the order (0,1), (0,2), ..., (1,2), ...
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

// has reports whether samples of class c are among the model's own.
func (t pair) has(c float64) bool {
	return t.neg == learn.Rest || c == float64(t.pos) || c == float64(t.neg) || c == noClass
}

// sign is a sample's label in the model's own problem.
func (t pair) sign(c float64) float64 {
	if c == float64(t.pos) {
		return 1
	}
	return -1
}

// count is the number of the model's own samples.
func (t pair) count(p *Problem) (n int) {
	for _, c := range p.Y {
		if t.has(c) {
			n++
		}
	}
	return n
}

// bytes is what the model's own copy of n samples takes: rows, signs and weights always,
// features only when some of the samples are not its own.
func (t pair) bytes(p *Problem, n int) int64 {
	b := 24 * int64(n)
	if n < p.N {
		b += 8 * int64(n) * int64(p.D)
	}
	return b
}

// problem cuts the model's own problem out of p; rows are its rows in p.
func (t pair) problem(p *Problem, share learn.Resources) (q *learn.Problem, rows []int) {
	n := t.count(p)
	q = &learn.Problem{N: n, D: p.D, Y: make([]float64, 0, n), Kernel: p.Kernel, Resources: share}
	rows = make([]int, 0, n)
	if p.Candidates != nil {
		q.Candidates = []int{}
	}
	for i, c := range p.Y {
		if !t.has(c) {
			continue
		}
		if _, found := slices.BinarySearch(p.Candidates, i); found {
			q.Candidates = append(q.Candidates, len(rows))
		}
		rows, q.Y = append(rows, i), append(q.Y, t.sign(c))
		if p.Weight != nil {
			q.Weight = append(q.Weight, p.Weight[i])
		}
		if p.Group != nil {
			q.Group = append(q.Group, p.Group[i])
		}
	}
	q.X = p.Samples(rows)
	if v := p.Validation; v != nil {
		q.Validation = t.validation(v, p.D)
	}
	return q, rows
}

// validation keeps the held-out samples of the model's classes; nil if there are none.
func (t pair) validation(v *learn.Validation, d int) *learn.Validation {
	own := new(learn.Validation)
	for i, c := range v.Y {
		if t.has(c) {
			own.X, own.Y = append(own.X, v.X[i*d:(i+1)*d]...), append(own.Y, t.sign(c))
			own.N++
		}
	}
	if own.N == 0 {
		return nil
	}
	return own
}

// train trains one model; its Support are rows of p.
func (t pair) train(ctx context.Context, tr learn.Trainer, p *Problem, share learn.Resources) (learn.Trained, error) {
	m := learn.Trained{Submodel: learn.Submodel{Pos: t.pos, Neg: t.neg}}
	budget := share.Budget("multiclass", t.count(p), p.D)
	if err := budget.Take(t.bytes(p, t.count(p))); err != nil {
		return m, fmt.Errorf("%v: %w", t, err)
	}
	share.InUse += t.bytes(p, t.count(p))
	q, rows := t.problem(p, share)
	if p.KernelOf != nil {
		k, err := p.KernelOf(q)
		if err != nil {
			return m, fmt.Errorf("%v: %w", t, err)
		}
		q.Kernel, m.Kernel = k, &k
	}
	r, err := tr.Train(ctx, q)
	if err != nil {
		return m, fmt.Errorf("%v: %w", t, err)
	}
	m.Expansion, m.Report = r.Expansion, r.Report
	if r.Kernel != nil {
		m.Kernel = r.Kernel
	}
	if r.Vectors != nil {
		return m, nil
	}
	m.Support = make([]int, len(r.Support))
	for s, place := range r.Support {
		m.Support[s] = rows[place]
	}
	return m, nil
}

// pool gathers the distinct samples of all models in Rows: equal samples count as
// one, by the lowest row that any model uses; a model that has several of
// them gets the sum of their coefficients.
func (r *Result) pool(p *Problem) {
	if slices.ContainsFunc(r.Machines, func(m learn.Trained) bool { return m.Vectors != nil }) {
		r.join(p.D)
		return
	}
	var used []int
	for _, m := range r.Machines {
		used = append(used, m.Support...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	first, of := learn.Distinct(p.Samples(used), len(used), p.D)
	r.Rows = make([]int, len(first))
	for k, i := range first {
		r.Rows[k] = used[i]
	}
	place := make(map[int]int, len(used)) // row → its place in the pool
	for i, row := range used {
		place[row] = of[i]
	}
	for i := range r.Machines {
		remap(&r.Machines[i].Expansion, place)
	}
}

// join makes the pool of vectors that are no rows: all different ones, in the order of the models.
func (r *Result) join(d int) {
	var all []float64
	n := 0
	for i := range r.Machines {
		m := &r.Machines[i]
		m.Support = make([]int, len(m.Coef))
		for s := range m.Support {
			m.Support[s], n = n, n+1
		}
		all, m.Vectors = append(all, m.Vectors...), nil
	}
	first, of := learn.Distinct(all, n, d)
	for _, i := range first {
		r.Vectors = append(r.Vectors, all[i*d:(i+1)*d]...)
	}
	place := make(map[int]int, n)
	for i, k := range of {
		place[i] = k
	}
	for i := range r.Machines {
		remap(&r.Machines[i].Expansion, place)
	}
}

// remap turns rows into places in the pool, merging those that fall together.
func remap(e *learn.Expansion, places map[int]int) {
	at := make(map[int]int, len(e.Support)) // place in the pool → place in the model
	var support []int
	var coef []float64
	for s, row := range e.Support {
		place := places[row]
		if t, ok := at[place]; ok {
			coef[t] += e.Coef[s]
			continue
		}
		at[place] = len(support)
		support, coef = append(support, place), append(coef, e.Coef[s])
	}
	e.Support, e.Coef = support, coef
}
