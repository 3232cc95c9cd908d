package kernellp

import (
	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// expectedRows is the number of working rows that the memory estimate includes. The budget pays for further rows as
// they join.
const expectedRows = 256

// Bytes returns the least memory of a method for n samples of dimension d: the packed and the gathered samples, the
// working rows, the smallest cache, and the vectors of the solver.
func Bytes(n, d int) int64 {
	const vectors = 80 * 8
	return gram.Bytes[float64](n, d) + int64(n)*int64(d)*8 + rowsBytes(n, 0, min(n, expectedRows)) +
		int64(n)*vectors + blocked.MinRows*blocked.RowBytes[float64](n)
}

// rowsBytes returns the memory that a program of have working rows takes in addition when it gains add rows: the
// rows, and a larger inverse of the basis, whose order is at most the number of rows.
func rowsBytes(n, have, add int) int64 {
	grown := int64(have) + int64(add)
	return 8 * (int64(add)*int64(n) + grown*grown - int64(have)*int64(have))
}

// Matrix returns the kernel matrix of the given rows of p, in that order. It also returns the budget that is left for
// working rows after [Bytes] and the cache, which takes a quarter of the spare bytes.
func Matrix(method string, p *learn.Problem, rows []int) (*blocked.Matrix[float64], *learn.Budget, error) {
	n := len(rows)
	b := p.Budget(method, p.N, p.D)
	if err := b.Take(Bytes(n, p.D)); err != nil {
		return nil, nil, err
	}
	cache := b.Left() / 4
	if err := b.Take(cache); err != nil {
		return nil, nil, err
	}
	return blocked.New(gram.Pack[float64](p.Kernel, p.Samples(rows), n, p.D), cache, p.Threads), b, nil
}
