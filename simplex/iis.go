package simplex

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/status"
)

// Bound is a bound of a column or of a row.
type Bound struct {
	Row   bool // of row Index, else of column Index
	Index int
	Upper bool // the upper one, else the lower one
}

// IIS returns an irreducible infeasible subset of a program's bounds, columns first, in their order: no x meets them
// all, and without any one of them some x does, within the tolerance. It begins with the bounds that the Farkas ray of
// r uses, a result of status Infeasible, and leaves each of them out in turn (Chinneck and Dravnieks, 1991: the
// deletion filter), which takes a solve each, warm from the last. If ctx ends before, or a solve proves nothing, the
// bounds contradict one another, but are not known to be irreducible.
//
// A result that does not prove infeasibility is an [ErrInvalid] or an [ErrCertificate].
func IIS(ctx context.Context, lp LP, r *Result, opt Options) (bounds []Bound, irreducible bool, err error) {
	if err = Check(lp, r); err != nil {
		return nil, false, err
	}
	if r.Status != status.Infeasible {
		return nil, false, invalid("a conflict of a program that is %s, want infeasible", r.Status)
	}
	f := lp.filled()
	if b, crossed := f.crossed(); crossed {
		return []Bound{b, {b.Row, b.Index, true}}, true, nil
	}
	p := newFilter(&f, r.Farkas)
	s, err := New(p.lp, opt)
	if err != nil {
		return nil, false, err
	}
	s.noTableau = true // another proof would name other bounds
	irreducible = true
	kept := map[Bound]bool{}
	for {
		k := slices.IndexFunc(p.members, func(b Bound) bool { return !kept[b] })
		if k < 0 {
			break
		}
		b := p.members[k]
		needed, proven := p.needs(ctx, s, k)
		kept[b] = needed
		irreducible = irreducible && proven
	}
	for _, b := range p.members {
		bounds = append(bounds, p.original(b))
	}
	return bounds, irreducible, nil
}

// filter is the part of a program that a Farkas ray sees: its rows, and the columns with entries there, without
// costs and with no bounds but the members.
type filter struct {
	given      *LP
	rows, cols []int // those of the given program
	lp         LP
	members    []Bound // of lp
}

func newFilter(given *LP, farkas []float64) *filter {
	p := &filter{given: given}
	var f []float64
	for i, e := range farkas {
		if e != 0 {
			p.rows = append(p.rows, i)
			f = append(f, e)
		}
	}
	m, n := given.A.Dims()
	a := &Sparse{Rows: len(p.rows), Start: []int{0}}
	column := make([]float64, m)
	for j := range n {
		given.A.Column(column, j)
		var index []int32
		var value []float64
		for t, i := range p.rows {
			if v := column[i]; v != 0 {
				index = append(index, int32(t))
				value = append(value, v)
			}
		}
		if len(index) > 0 {
			a.Append(index, value)
			p.cols = append(p.cols, j)
		}
	}
	p.lp = LP{A: a, Lo: pick(given.Lo, p.cols), Up: pick(given.Up, p.cols),
		RowLo: pick(given.RowLo, p.rows), RowUp: pick(given.RowUp, p.rows)}
	p.bound(p.support(f))
	return p
}

// pick returns the elements of v with the given numbers.
func pick(v []float64, places []int) (picked []float64) {
	for _, k := range places {
		picked = append(picked, v[k])
	}
	return picked
}

// original returns a bound as the given program numbers it.
func (p *filter) original(b Bound) Bound {
	if b.Row {
		return Bound{true, p.rows[b.Index], b.Upper}
	}
	return Bound{false, p.cols[b.Index], b.Upper}
}

// slot returns where a program holds a bound.
func slot(lp *LP, b Bound) *float64 {
	list := lp.Lo
	switch {
	case b.Row && b.Upper:
		list = lp.RowUp
	case b.Row:
		list = lp.RowLo
	case b.Upper:
		list = lp.Up
	}
	return &list[b.Index]
}

// bound makes the members the bounds of lp.
func (p *filter) bound(members []Bound) {
	m, n := p.lp.A.Dims()
	p.members = members
	p.lp.Lo, p.lp.Up = orFill(nil, n, -inf), orFill(nil, n, inf)
	p.lp.RowLo, p.lp.RowUp = orFill(nil, m, -inf), orFill(nil, m, inf)
	for _, b := range members {
		*slot(&p.lp, b) = *slot(p.given, p.original(b))
	}
}

// support returns the bounds that a Farkas ray of lp's rows uses: those that the end of the range of fᵀAx − fᵀs
// is made of that is on the wrong side of 0 (see farkasGap).
func (p *filter) support(f []float64) (used []Bound) {
	var w scratch
	for _, side := range [2]float64{1, -1} { // the least of the sum is > 0, or its largest < 0
		used = used[:0]
		sum := 0.0
		w.farkasTerms(&p.lp, f, func(b Bound, e float64) {
			b = b.below(side * e)
			if value := *slot(&p.lp, b); !math.IsInf(value, 0) || !w.isRounding(&p.lp, f, b, e) {
				used, sum = append(used, b), sum+e*value
			}
		})
		if side*sum > 0 {
			break
		}
	}
	return used
}

// needs leaves the k-th member out. If the rest is feasible, the member is needed and stays. If not, the
// members are the bounds that the new proof uses. After any other status it stays too, unproven.
func (p *filter) needs(ctx context.Context, s *Solver, k int) (needed, proven bool) {
	if ctx.Err() != nil {
		return true, false
	}
	all := p.members
	p.bound(slices.Concat(all[:k], all[k+1:]))
	if err := errors.Join(s.SetColBounds(p.lp.Lo, p.lp.Up), s.SetRowBounds(p.lp.RowLo, p.lp.RowUp)); err != nil {
		panic(err) // they are those of a valid program, or infinite
	}
	r := s.Solve(ctx)
	if r.Status == status.Infeasible && new(scratch).farkasGap(&p.lp, r.Farkas) > 0 {
		p.bound(p.support(r.Farkas))
		return false, true
	}
	p.bound(all)
	return true, r.Status == status.Optimal
}
