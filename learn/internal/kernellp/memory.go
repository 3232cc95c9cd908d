package kernellp

import (
	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// expectedRows is the number of working rows that the memory estimate counts on.
const expectedRows = 256

// Bytes returns what a method needs at least for n points of dimension d: the packed
// and the gathered points, the working rows, the smallest cache and the vectors of the solver.
func Bytes(n, d int) int64 {
	const vectors = 40 * 8
	working := int64(min(n, expectedRows)) * int64(n) * 8
	return gram.Bytes[float64](n, d) + int64(n)*int64(d)*8 + working + int64(n)*vectors +
		blocked.MinRows*blocked.RowBytes[float64](n)
}

// Matrix returns the kernel matrix of the given rows of p, in that order, with a
// cache in what the memory budget leaves beside [Bytes].
func Matrix(method string, p *learn.Problem, rows []int) (*blocked.Matrix[float64], error) {
	n := len(rows)
	b := p.Budget(method, p.N, p.D)
	if err := b.Take(Bytes(n, p.D)); err != nil {
		return nil, err
	}
	return blocked.New(gram.Pack[float64](p.Kernel, p.Points(rows), n, p.D), b.Left(), p.Threads), nil
}
