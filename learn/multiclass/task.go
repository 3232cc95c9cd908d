package multiclass

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// pair is the classes that one machine separates.
type pair struct{ pos, neg int }

func (t pair) String() string {
	if t.neg == Rest {
		return fmt.Sprintf("class %d against the rest", t.pos)
	}
	return fmt.Sprintf("class %d against class %d", t.pos, t.neg)
}

// count is the number of machines.
func (p *Problem) count() int {
	switch {
	case p.Classes == 2:
		return 1
	case p.Pairs:
		return p.Classes * (p.Classes - 1) / 2
	}
	return p.Classes
}

// tasks lists the machines: pairs in the order (0,1), (0,2), ..., (1,2), ...
func (p *Problem) tasks() ([]pair, error) {
	switch {
	case p.Classes < 2:
		return nil, fmt.Errorf("multiclass: %d classes, want at least two", p.Classes)
	case p.D < 0 || len(p.X) < p.N*p.D:
		return nil, fmt.Errorf("multiclass: %d values for %d points of dimension %d", len(p.X), p.N, p.D)
	case len(p.Class) != p.N:
		return nil, fmt.Errorf("multiclass: %d classes for %d points", len(p.Class), p.N)
	case p.Weight != nil && len(p.Weight) != p.N:
		return nil, fmt.Errorf("multiclass: %d weights for %d points", len(p.Weight), p.N)
	}
	members := make([]int, p.Classes)
	for i, c := range p.Class {
		if c < 0 || c >= p.Classes {
			return nil, fmt.Errorf("multiclass: point %d is of class %d, want 0 to %d", i, c, p.Classes-1)
		}
		if p.Weight == nil || p.Weight[i] > 0 {
			members[c]++
		}
	}
	if c := slices.Index(members, 0); c >= 0 {
		return nil, fmt.Errorf("multiclass: class %d of %d has no points", c, p.Classes)
	}
	if p.Classes == 2 {
		return []pair{{1, 0}}, nil
	}
	var tasks []pair
	for c := range p.Classes {
		if !p.Pairs {
			tasks = append(tasks, pair{c, Rest})
			continue
		}
		for d := c + 1; d < p.Classes; d++ {
			tasks = append(tasks, pair{c, d})
		}
	}
	return tasks, nil
}

// problem cuts the machine's own problem out of p; rows are its rows in p.
func (t pair) problem(p *Problem, share learn.Resources) (q *learn.Problem, rows []int) {
	q = &learn.Problem{D: p.D, Kernel: p.Kernel, Resources: share}
	for i, c := range p.Class {
		if c != t.pos && c != t.neg && t.neg != Rest {
			continue
		}
		y := -1.0
		if c == t.pos {
			y = 1
		}
		rows = append(rows, i)
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
		q.Y = append(q.Y, y)
		if p.Weight != nil {
			q.Weight = append(q.Weight, p.Weight[i])
		}
	}
	q.N = len(rows)
	return q, rows
}

// train trains one machine; its Support are rows of p.
func (t pair) train(ctx context.Context, tr learn.Trainer, p *Problem, share learn.Resources) (Machine, error) {
	m := Machine{Pos: t.pos, Neg: t.neg}
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
	for _, s := range r.Support {
		m.Support = append(m.Support, rows[s])
	}
	m.Coef, m.Bias, m.Report = r.Coef, r.Bias, r.Report
	return m, nil
}

// pool collects the machines' support vectors. Rows with equal points become
// one, by the lowest row that any machine uses; a machine that has several of
// them gets the sum of their coefficients.
func (r *Result) pool(p *Problem) {
	for _, m := range r.Machines {
		r.Rows = append(r.Rows, m.Support...)
	}
	slices.Sort(r.Rows)
	r.Rows = slices.Compact(r.Rows)
	index := make(map[int]int) // row → its place in the pool
	first := make(map[string]int)
	distinct := r.Rows[:0]
	key := make([]byte, 0, 8*p.D)
	for _, row := range r.Rows {
		key = key[:0]
		for _, v := range p.X[row*p.D : (row+1)*p.D] {
			u := math.Float64bits(v + 0) // +0 turns −0 into 0
			for b := range 8 {
				key = append(key, byte(u>>(8*b)))
			}
		}
		place, ok := first[string(key)]
		if !ok {
			place = len(distinct)
			first[string(key)] = place
			distinct = append(distinct, row)
		}
		index[row] = place
	}
	r.Rows = distinct
	for i := range r.Machines {
		r.Machines[i].remap(index)
	}
}

// remap turns rows into places in the pool, merging those that fall together.
func (m *Machine) remap(index map[int]int) {
	at := make(map[int]int, len(m.Support)) // place in the pool → place in the machine
	var support []int
	var coef []float64
	for s, row := range m.Support {
		place := index[row]
		if t, ok := at[place]; ok {
			coef[t] += m.Coef[s]
			continue
		}
		at[place] = len(support)
		support, coef = append(support, place), append(coef, m.Coef[s])
	}
	m.Support, m.Coef = support, coef
}
