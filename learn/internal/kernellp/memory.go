package kernellp

import (
	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// expectedRows is the number of working rows that the memory estimate includes. The budget pays for further rows as
// they join.
const expectedRows = 256

// ChosenBytes returns the least memory of a method for n samples of dimension d: the packed and the gathered samples,
// the working rows, the smallest cache, and the vectors of the solver. If s limits the samples, the budget pays
// for all working rows.
func ChosenBytes(n, d int, s learn.Subset) int64 { return leastBytes(n, d, Choice{Subset: s}, n) }

// leastBytes is ChosenBytes for a choice among the first samples.
func leastBytes(n, d int, c Choice, first int) int64 {
	const vectors = 80 * 8 // bytes a sample
	least := gram.Bytes[float64](n, d) + 8*int64(n)*int64(d) + vectors*int64(n) +
		blocked.MinRows*blocked.RowBytes[float64](n)
	if c.Limits(first) {
		return least + c.Bytes(d)
	}
	return least + rowsBytes(n, 0, min(n, expectedRows))
}

// rowsBytes returns the memory that a program of have working rows takes in addition when it gains add rows: the
// rows, and a larger inverse of the basis, whose order is at most the number of rows.
func rowsBytes(n, have, add int) int64 {
	grown := int64(have) + int64(add)
	return 8 * (int64(add)*int64(n) + grown*grown - int64(have)*int64(have))
}

// RowsOf returns the kernel matrix of the given rows of p, in that order, and the budget that is left for working
// rows. Only the first samples may have coefficients, or those of them that the choice selects. The cache takes a
// quarter of the spare memory, with a limited choice half of it.
func RowsOf(method string, p *learn.Problem, rows []int, first int, choice Choice) (Rows, *learn.Budget, error) {
	n, few := len(rows), choice.Limits(first)
	b := p.Budget(method, p.N, p.D)
	if err := b.Take(leastBytes(n, p.D, choice, first)); err != nil {
		return nil, nil, err
	}
	cache := b.Left() / 4
	if few {
		cache = b.Left() / 2
	}
	if err := b.Take(cache); err != nil {
		return nil, nil, err
	}
	x := p.Samples(rows)
	pts := gram.Pack[float64](p.Kernel, x, n, p.D)
	m := blocked.New(pts, cache, p.Threads)
	if few {
		return newCandidates(pts, m, x, choice.Of(pts, first), p.Threads), b, nil
	}
	return full{m, first, m}, b, nil
}
