package smo

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Matrix is the symmetric matrix of a [Pair], evaluated on demand. The solver asks for small dense blocks,
// and for whole rows only of variables that have moved. [Dense] is a matrix in memory.
type Matrix interface {
	// Len is the order n.
	Len() int
	// Diag writes the n diagonal elements.
	Diag(dst []float64)
	// Select names the working set of the calls of SubRow that follow.
	Select(idx []int)
	// SubRow writes dst[c] = K[idx[r], idx[c]] for the selected idx.
	SubRow(dst []float64, r int)
	// AddRows does g += Σ_r coef[r]·K[idx[r], :]. When it returns an error (that of ctx), g is partly updated.
	AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error
}

// Single is a [Matrix] of values in single precision. A [Pair] keeps the rows of its working sets as
// they are, which halves the memory that its steps read.
type Single interface {
	Matrix
	// SubRow32 is SubRow without a conversion.
	SubRow32(dst []float32, r int)
}

// Dense is a [Matrix] held in memory: n×n, row-major, in either precision.
type Dense[T dense.Float] struct {
	n, ld int
	k     []T
	idx   []int
}

// NewDense wraps k, which must be symmetric; it is not copied.
func NewDense(n int, k []float64) *Dense[float64] { return NewStrided(n, k, n) }

// NewStrided is NewDense for either precision and rows that are ld elements apart. With ld of at least [Stride](n)
// and finite elements between the rows, a [Pair] of at most [PairWhole] variables works on the rows where they are.
func NewStrided[T dense.Float](n int, k []T, ld int) *Dense[T] {
	if ld < n || n > 0 && len(k) < (n-1)*ld+n {
		panic(fmt.Sprintf("smo: %d values for a matrix of order %d with stride %d", len(k), n, ld))
	}
	return &Dense[T]{n: n, ld: ld, k: k}
}

// Stride is the least distance of the rows of a [Dense] matrix that a [Pair] need not copy.
func Stride(n int) int { return padded(n) }

func (m *Dense[T]) row(i int) []T { return m.k[i*m.ld : i*m.ld+m.n] }

func (m *Dense[T]) onePiece() bool { return m.whole() != nil }

// whole returns m if its rows are padded and one working set has them all, else nil.
func (m *Dense[T]) whole() *Dense[T] {
	if n := padded(m.n); m.n > PairWhole || m.n == 0 || n > m.ld || len(m.k) < (m.n-1)*m.ld+n {
		return nil
	}
	return m
}

// paddedRow is row i with the elements after it.
func (m *Dense[T]) paddedRow(i int) []T { return m.k[i*m.ld : i*m.ld+padded(m.n)] }

// Len implements [Matrix].
func (m *Dense[T]) Len() int { return m.n }

// Diag implements [Matrix].
func (m *Dense[T]) Diag(dst []float64) {
	for i := range m.n {
		dst[i] = float64(m.k[i*m.ld+i])
	}
}

// Select implements [Matrix].
func (m *Dense[T]) Select(idx []int) { m.idx = idx }

// SubRow implements [Matrix].
func (m *Dense[T]) SubRow(dst []float64, r int) {
	row := m.row(m.idx[r])
	for c, j := range m.idx {
		dst[c] = float64(row[j])
	}
}

// subRow is SubRow without a conversion.
func (m *Dense[T]) subRow(dst []T, r int) {
	row := m.row(m.idx[r])
	for c, j := range m.idx {
		dst[c] = row[j]
	}
}

// AddRows implements [Matrix].
func (m *Dense[T]) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	rows := make([][]T, len(idx))
	for r, i := range idx {
		rows[r] = m.row(i)
	}
	dense.AddGathered(g[:m.n], coef[:len(idx)], rows)
	return ctx.Err()
}
