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

// Conflict is a set of bounds that contradict one another.
type Conflict struct {
	Bounds []Bound // columns first, in their order
	// Irreducible says that the rest is feasible, within the tolerance, without any one of the bounds: each is
	// needed.
	Irreducible bool
}

// IIS returns an irreducible infeasible subset of a program's bounds: no x meets them all, and without any one
// of them some x does. It begins with the bounds that the Farkas ray of r uses, a result of status
// Infeasible, and leaves each of them out in turn (Chinneck and Dravnieks, 1991: the deletion filter), which
// takes a solve each, warm from the last. If ctx ends before, or a solve proves nothing, the conflict is one,
// but not known to be irreducible.
//
// A result that does not prove infeasibility is an [ErrInvalid] or an [ErrCertificate].
func IIS(ctx context.Context, lp LP, r *Result, opt Options) (*Conflict, error) {
	if err := Check(lp, r); err != nil {
		return nil, err
	}
	if r.Status != status.Infeasible {
		return nil, invalid("a conflict of a program that is %s, want infeasible", r.Status)
	}
	f := lp.filled()
	p := newFilter(&f, r.Farkas)
	s, err := New(p.lp, opt)
	if err != nil {
		return nil, err
	}
	c := &Conflict{Irreducible: true}
	kept := map[Bound]bool{}
	for {
		k := slices.IndexFunc(p.members, func(b Bound) bool { return !kept[b] })
		if k < 0 {
			break
		}
		b := p.members[k]
		needed, proven := p.needs(ctx, s, k)
		kept[b] = needed
		c.Irreducible = c.Irreducible && proven
	}
	for _, b := range p.members {
		c.Bounds = append(c.Bounds, p.original(b))
	}
	return c, nil
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
	p.lp.A = a
	p.bound(p.support(f, p.value))
	return p
}

// original returns a bound as the given program numbers it.
func (p *filter) original(b Bound) Bound {
	if b.Row {
		return Bound{true, p.rows[b.Index], b.Upper}
	}
	return Bound{false, p.cols[b.Index], b.Upper}
}

// value returns what the given program has for a bound of lp.
func (p *filter) value(b Bound) float64 { return *slot(p.given, p.original(b)) }

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
		*slot(&p.lp, b) = p.value(b)
	}
}

// support returns the bounds that a Farkas ray of lp's rows uses: those that the end of the range of fᵀAx − fᵀs
// is made of that is on the wrong side of 0 (see farkasGap). value is a bound's.
func (p *filter) support(f []float64, value func(Bound) float64) (used []Bound) {
	m, n := p.lp.A.Dims()
	z := make([]float64, n)
	v := newVector(f)
	p.lp.A.Price(z, v.Index, v.Value)
	column := make([]float64, m)
	for _, above := range [2]bool{false, true} { // the least of the sum is > 0, or its largest < 0
		used = used[:0]
		sum := 0.0
		see := func(b Bound, e float64) {
			b.Upper = (e < 0) != above
			at := value(b)
			if e == 0 || math.IsInf(at, 0) && p.rounding(b, e, f, column) {
				return
			}
			used, sum = append(used, b), sum+e*at
		}
		for j, e := range z {
			see(Bound{Index: j}, e)
		}
		for i, e := range f {
			see(Bound{Row: true, Index: i}, -e)
		}
		if !above && sum > 0 || above && sum < 0 {
			break
		}
	}
	return used
}

// rounding reports whether entry e of Aᵀf may be a rounding error.
func (p *filter) rounding(b Bound, e float64, f, column []float64) bool {
	if b.Row {
		return false
	}
	p.lp.A.Column(column, b.Index)
	return math.Abs(e) <= roundingTolerance*sizeOfDot(column, f)
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
	if r.Status == status.Infeasible && farkasGap(&p.lp, r.Farkas) > 0 {
		p.bound(p.support(r.Farkas, func(b Bound) float64 { return *slot(&p.lp, b) }))
		return false, true
	}
	p.bound(all)
	return true, r.Status == status.Optimal
}
