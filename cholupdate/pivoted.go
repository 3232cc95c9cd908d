package cholupdate

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// pending is the number of steps whose changes to the matrix are kept as
// vectors before they are applied as one product.
const pending = 64

// PivotOptions says how far and how Pivot goes. The zero value goes on to the
// last positive pivot, on one thread, and does not keep the factor.
type PivotOptions struct {
	Threshold  float64 // stop before a pivot that is not greater; must not be negative
	MaxSteps   int     // stop after so many steps; 0 means the order of the matrix
	Threads    int     // goroutines; 0 means 1
	KeepFactor bool    // fill Pivoted.Rows, which takes steps·n more memory
}

// Pivoted is what a pivoted factorisation finds.
type Pivoted struct {
	Order  []int     // the indices in the order in which they were chosen
	Pivots []float64 // the remaining diagonal element of each when it was chosen, non-increasing up to rounding
	// Rows holds the factor when asked for: A ≈ Σ_q g_q·g_qᵀ, where g_q is row q of
	// this len(Order)×n row-major matrix. Element Order[p] of g_q is 0 for p < q.
	Rows []float64
}

// Pivot factors the symmetric positive semidefinite A with diagonal pivoting: each step takes the largest remaining
// diagonal element, ties to the lowest index, and subtracts a·aᵀ/a_ii for its column a. It is the incomplete Cholesky
// factorisation when it stops early. The lower triangle of a, of order n with rows ld elements apart, is used up as
// workspace.
//
// It stops, without an error, when no remaining diagonal element is greater than the threshold. The error is the
// context's, or a *PivotError where a remaining diagonal element is not finite, or has become so.
//
// The method is LAPACK's dpstrf with other storage: the chosen column and the diagonal are brought up to date at each
// step, the rest of the matrix once in 64 steps by one matrix product over the indices that are left.
func Pivot(ctx context.Context, a []float64, n, ld int, o PivotOptions) (*Pivoted, error) {
	checkSquare(a, n, ld)
	if !(o.Threshold >= 0) {
		panic("cholupdate: negative threshold")
	}
	steps := n
	if o.MaxSteps > 0 {
		steps = min(steps, o.MaxSteps)
	}
	p := &pivoting{a: a, ld: ld, ids: make([]int, n), diag: make([]float64, n), g: make([]float64, pending*n), n: n}
	for i := range n {
		p.ids[i], p.diag[i] = i, a[i*ld+i]
	}
	if _, err := p.largest(0); err != nil {
		return nil, err
	}
	for len(p.out.Order) < steps {
		want := min(pending, steps-len(p.out.Order))
		got, err := p.block(ctx, want, o)
		if err != nil {
			return nil, err
		}
		if got < want || len(p.out.Order) == steps {
			break
		}
		if err = p.compact(ctx); err != nil {
			return nil, err
		}
		m := len(p.ids)
		g := dense.Of(p.g, got, m, n)
		if err = dense.MulLower(ctx, max(1, o.Threads), -1, g.T(), g, dense.Of(a, m, m, ld)); err != nil {
			return nil, err
		}
	}
	return &p.out, nil
}

// pivoting is the state of Pivot. Positions 0..len(ids)−1 of the leading block of a hold the remaining indices ids,
// in any order; within a block of steps chosen positions stay where they are, with −Inf as diagonal.
type pivoting struct {
	a    []float64
	ld   int
	n    int
	ids  []int
	diag []float64 // remaining diagonal, by position
	g    []float64 // the block's vectors, rows n apart, by position
	coef [pending]float64
	out  Pivoted
}

// block takes up to want steps and returns how many there were. The error is the context's.
func (p *pivoting) block(ctx context.Context, want int, o PivotOptions) (int, error) {
	m := len(p.ids)
	for k := range want {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		pos, err := p.largest(k)
		if err != nil {
			return k, err
		}
		if pos < 0 || !(p.diag[pos] > o.Threshold) {
			return k, nil
		}
		pivot := p.diag[pos]
		g := p.g[k*p.n : k*p.n+m]
		copy(g, p.a[pos*p.ld:pos*p.ld+pos+1])
		for j := pos + 1; j < m; j++ {
			g[j] = p.a[j*p.ld+pos]
		}
		for q := range k {
			p.coef[q] = -p.g[q*p.n+pos]
		}
		dense.AddRows(g, p.coef[:k], p.g, p.n)
		f := 1 / math.Sqrt(pivot)
		for j := range g {
			g[j] *= f
			p.diag[j] -= g[j] * g[j]
		}
		g[pos] = math.Sqrt(pivot)
		p.diag[pos] = math.Inf(-1)
		p.out.Order = append(p.out.Order, p.ids[pos])
		p.out.Pivots = append(p.out.Pivots, pivot)
		if o.KeepFactor {
			p.keep(g, pos)
		}
	}
	_, err := p.largest(want)
	return want, err
}

// largest returns the position of the largest diagonal element, that of the lowest index among equals; −1 if none is
// left. The block has chosen so many. The error is a *PivotError for an element that is not finite.
func (p *pivoting) largest(chosen int) (int, error) {
	best, pos, without := math.Inf(-1), -1, 0
	for j, d := range p.diag[:len(p.ids)] {
		if !(d > math.Inf(-1)) {
			without++ // it is chosen or not finite
		} else if d > best || (d == best && p.ids[j] < p.ids[pos]) {
			best, pos = d, j
		}
	}
	if without == chosen && !math.IsInf(best, 1) {
		return pos, nil
	}
	gone := p.out.Order[len(p.out.Order)-chosen:]
	for j, id := range p.ids {
		if d := p.diag[j]; d-d != 0 && !slices.Contains(gone, id) {
			return -1, &PivotError{Index: id, Pivot: d}
		}
	}
	return pos, nil
}

// keep appends the row of the factor that g, by position, stands for.
func (p *pivoting) keep(g []float64, pos int) {
	row := make([]float64, p.n)
	for j, id := range p.ids {
		if p.diag[j] != math.Inf(-1) || j == pos {
			row[id] = g[j]
		}
	}
	p.out.Rows = append(p.out.Rows, row...)
}

// compact closes the gaps that the block's chosen positions left: indices from the end move into
// them. The error is the context's.
func (p *pivoting) compact(ctx context.Context) error {
	m := len(p.ids)
	gone := func(j int) bool { return math.IsInf(p.diag[j], -1) }
	for j := 0; j < m; j++ {
		for m > j && gone(m-1) {
			m--
		}
		if j < m && gone(j) {
			if err := ctx.Err(); err != nil {
				return err
			}
			m--
			p.move(m, j)
		}
	}
	p.ids = p.ids[:m]
	return nil
}

// move puts position from, the last one in use, in place of the position to < from.
func (p *pivoting) move(from, to int) {
	src := p.a[from*p.ld : from*p.ld+from+1]
	copy(p.a[to*p.ld:], src[:to])
	p.a[to*p.ld+to] = src[from]
	for j := to + 1; j < from; j++ {
		p.a[j*p.ld+to] = src[j]
	}
	for q := range pending {
		p.g[q*p.n+to] = p.g[q*p.n+from]
	}
	p.ids[to], p.diag[to] = p.ids[from], p.diag[from]
}
