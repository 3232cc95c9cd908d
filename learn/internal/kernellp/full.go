package kernellp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
)

// Rows is the kernel matrix of a training's rows, of which all or only some may have coefficients.
type Rows interface {
	Kernel
	// Limited reports whether only some samples may have coefficients: the matrix is a [Candidates].
	Limited() bool
	// Columns lists the samples that may have coefficients, ascending.
	Columns() []int
	// AddColumns does g[j] += Σ_r coef[r]·K[idx[r], j] for the samples j that may have coefficients. The error is the
	// context's.
	AddColumns(ctx context.Context, g []float64, idx []int, coef []float64) error
	// Block returns the kernel values of some samples that may have coefficients, a row each, with the samples idx. The
	// error is the context's.
	Block(ctx context.Context, vectors, idx []int) ([][]float64, error)
	// KernelEvals is the number of kernel values so far.
	KernelEvals() int64
	// Release gives the memory of rows to later trainings; nothing reads them any more.
	Release()

	// workingRows is the number of working rows that the estimate of the memory counts.
	workingRows() int
	// outputs evaluates f of a model with many coefficients.
	outputs(ctx context.Context, e *expansion) error
	// among returns the matrix of the samples idx, and of more where it needs them, with all of its samples.
	among(idx []int) ([]int, Kernel)
}

// full is a kernel matrix whose first samples may all have coefficients.
type full struct {
	Kernel
	first  int
	stored *blocked.Matrix[float64] // Kernel, if it is one that counts its values
}

// rowsOf is k, or any other kernel matrix as Rows.
func rowsOf(k Kernel) Rows {
	if r, ok := k.(Rows); ok {
		return r
	}
	return full{Kernel: k, first: k.Len()}
}

func (k full) Limited() bool    { return false }
func (k full) workingRows() int { return min(k.Len(), expectedRows) }

func (k full) KernelEvals() int64 {
	if k.stored == nil {
		return 0
	}
	return k.stored.Stats().KernelEvals
}

func (k full) Release() {
	if k.stored != nil {
		k.stored.Release()
	}
}

func (k full) Columns() []int { return spaced(k.first, k.first) }

func (k full) AddColumns(ctx context.Context, g []float64, idx []int, coef []float64) error {
	return k.AddRows(ctx, g, idx, coef)
}

func (k full) outputs(ctx context.Context, e *expansion) error { return e.evaluate(ctx, k) }

func (k full) among(idx []int) ([]int, Kernel) { return idx, &submatrix{k: k, idx: idx} }

// Block evaluates the rows of the fewer samples: the matrix is symmetric.
func (k full) Block(ctx context.Context, vectors, idx []int) ([][]float64, error) {
	block := make([][]float64, len(vectors))
	for r := range block {
		block[r] = make([]float64, len(idx))
	}
	if len(idx) < len(vectors) {
		return block, k.eachRow(ctx, idx, func(c int, row []float64) {
			for r, i := range vectors {
				block[r][c] = row[i]
			}
		})
	}
	return block, k.eachRow(ctx, vectors, func(r int, row []float64) {
		for c, j := range idx {
			block[r][c] = row[j]
		}
	})
}

// eachRow hands the rows idx to f.
func (k full) eachRow(ctx context.Context, idx []int, f func(r int, row []float64)) error {
	most := max(1, min(rowsAtOnce, entriesAtOnce/k.Len()))
	for lo := 0; lo < len(idx); lo += most {
		if err := ctx.Err(); err != nil {
			return err
		}
		for t, row := range k.Rows(idx[lo:min(lo+most, len(idx))]) {
			f(lo+t, row)
		}
	}
	return nil
}

// live lists the samples that may have a coefficient at the costs p.
func live(k Rows, p Costs) []int {
	return slices.DeleteFunc(slices.Clone(k.Columns()), func(i int) bool { return math.IsInf(p.Coef[i], 1) })
}
