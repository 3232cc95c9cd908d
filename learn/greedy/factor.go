package greedy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// factorVectors is the number of columns of L in a block, and of candidates in a batch: whole tiles of products at
// every level.
const factorVectors = 96

// factor is the incomplete Cholesky factor L of the kernel matrix, eq. (5)-(7) of Abe
// (2008): K = L L' in the columns of the chosen samples.
type factor struct {
	*samples.LeastSquares
	vectors           // columns of L
	chosen  []int     // selected, ascending
	whole   int       // all samples before this one are selected
	pivot   []float64 // diagonal of K − L L'
	min     float64   // pivots below it are no rounding errors, which reach 1e-5 after pivots of 1e-9
	evals   int64

	message string // why the selection ended before its limits
}

// factorBytes is the memory of a block of m columns after the first k: the block, rows of R and of the matrix solved
// for it, and two blocks of rows at the selected samples.
func factorBytes(n, k, m int) int64 {
	end := k + m
	return 8 * int64(m*n+3*(end*end-k*k)/2+2*factorVectors*m)
}

// choose selects samples by eq. (5)-(7), in batches of candidates in the order of the data. If the context ends, its
// status says so.
func (f *factor) choose(ctx context.Context, eta float64, maxSV int) (status.Status, error) {
	f.pivot = make([]float64, f.N)
	f.Packed.Diag(f.pivot)
	f.min = -1e-3*slices.Max(f.pivot) - eta
	candidates, _ := learn.Distinct(f.X, f.N, f.D)
	progress := f.Throttle()
	for {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st, nil
		}
		k := len(f.chosen)
		room := factorVectors - k%factorVectors
		largest := len(candidates)
		if maxSV > 0 {
			largest = min(largest, maxSV-k)
			room = min(room, max(1, largest))
		}
		var batch []int
		for ; len(candidates) > 0 && len(batch) < room; candidates = candidates[1:] {
			switch i := candidates[0]; {
			case f.pivot[i] > eta:
				batch = append(batch, i)
			case f.pivot[i] < f.min:
				return status.Unknown, f.indefinite(i, f.pivot[i])
			}
		}
		if len(batch) == 0 {
			return status.Optimal, nil
		}
		if k == maxSV && maxSV > 0 {
			return status.SizeReached, nil
		}
		if !f.grow(k, largest) {
			return status.IterationLimit, nil
		}
		switch err := f.extend(ctx, batch, eta); {
		case errors.Is(err, learn.ErrIndefinite):
			return status.Unknown, err
		case err != nil:
			return status.FromContext(ctx), nil
		}
		progress(func() learn.Event { return learn.Event{Phase: "select", Done: -1, Vectors: len(f.chosen)} })
	}
}

func (f *factor) indefinite(i int, pivot float64) error {
	return fmt.Errorf("%w on these samples: pivot %.3g at sample %d", learn.ErrIndefinite, pivot, f.Row[i])
}

// grow makes room for column k, the next of at most limit, and reports whether it could.
func (f *factor) grow(k, limit int) bool {
	if k%factorVectors > 0 {
		return true
	}
	m := min(factorVectors, limit)
	if k > 0 { // choleskyBytes has the first block
		if f.Budget.Take(factorBytes(f.N, k, m)) != nil {
			f.message = noRoom(k)
			return false
		}
	}
	f.block = append(f.block, make([]float64, m*f.N))
	return true
}

// extend selects among the candidates of the batch, for which the last block has room, and computes their columns: the
// kernel columns less their products with the columns before, divided by the triangle of the batch.
func (f *factor) extend(ctx context.Context, batch []int, eta float64) error {
	k := len(f.chosen)
	left := make([]float64, k*len(batch)) // L' at the batch
	for s := range k {
		l := f.vector(s)
		for c, i := range batch {
			left[s*len(batch)+c] = l[i]
		}
	}
	taken, triangle, err := f.independent(ctx, batch, left, eta)
	if err != nil {
		return err
	}
	m := len(taken)
	for s := range k {
		for c, b := range taken { // b ≥ c: what is read has not been overwritten
			left[s*m+c] = left[s*len(batch)+b]
		}
	}
	f.chosen = append(f.chosen, deal.Pick(batch, taken)...)
	from := f.whole
	columns := f.block[k/factorVectors][k%factorVectors*f.N:]
	const rows = 4 // of one call: few enough to share out
	parallel.Chunks(f.Threads, m, rows, func(_, lo, hi int) {
		f.Packed.Tile(columns[lo*f.N+from:], f.N, f.chosen[k+lo:k+hi], from, f.N)
	})
	f.evals += int64(m) * int64(f.N-from)
	fresh := dense.Of(columns, m, f.N, f.N).Sub(0, m, from, f.N)
	err = f.eachBlock(k, from, func(lo, hi int, l dense.Mat) error {
		return dense.Mul(ctx, f.Threads, -1, dense.Of(left[lo*m:], hi-lo, m, m).T(), l, fresh)
	})
	if err != nil {
		return err
	}
	if err := dense.SolveLower(ctx, f.Threads, triangle, fresh); err != nil {
		return err
	}
	for s := k; s < k+m; s++ {
		f.updatePivots(s)
	}
	for f.whole < len(f.chosen) && f.chosen[f.whole] == f.whole {
		f.whole++
	}
	return nil
}

// updatePivots subtracts the new column s from the pivots. It sets the column to zero at the samples selected before,
// where it has rounding errors.
func (f *factor) updatePivots(s int) {
	l := f.vector(s)
	for _, i := range f.chosen[f.whole:s] {
		l[i] = 0
	}
	behind := l[f.whole:]
	for i, p := range f.pivot[f.whole:] {
		f.pivot[f.whole+i] = p - behind[i]*behind[i]
	}
}

// independent factors the batch's part of K − L L', without the samples whose pivot is at most eta, eq. (7). It returns
// the places in the batch of the others, and their triangle.
func (f *factor) independent(ctx context.Context, batch []int, cross []float64, eta float64) ([]int, dense.Mat, error) {
	k, m := len(f.chosen), len(batch)
	s := make([]float64, m*m)
	own := f.Packed.Subset(batch)
	all := deal.All(m)
	own.Tile(s, m, all, 0, m)
	f.evals += int64(m * m)
	left, a := dense.Of(s, m, m, m), dense.Of(cross, k, m, m)
	if err := dense.MulLower(ctx, f.Threads, -1, a.T(), a, left); err != nil {
		return nil, left, err
	}
	var taken []int
	for c, i := range batch { // row c of the factor over s: its elements at the samples taken
		row, n := s[c*m:(c+1)*m], len(taken)
		pivot := f.pivot[i]
		for t, b := range taken {
			l := s[t*m : (t+1)*m]
			row[t] = (row[b] - dense.Dot(l[:t], row)) / l[t]
			pivot -= row[t] * row[t]
		}
		if pivot < f.min {
			return nil, left, f.indefinite(i, pivot)
		}
		if pivot > eta {
			copy(s[n*m:n*m+n], row) // n ≤ c, and the rows from n to c are free
			s[n*m+n] = math.Sqrt(pivot)
			taken = append(taken, c)
		}
	}
	return taken, left.Sub(0, len(taken), 0, len(taken)), nil
}
