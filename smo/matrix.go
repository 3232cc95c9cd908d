package smo

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Matrix is the symmetric matrix of a [Pair], evaluated on demand. The solver asks for small dense blocks,
// and for whole rows only of variables that have moved. [NewDense] makes one of a matrix in memory.
//
// Where most rows will be needed, a [Pair] asks for all of them, if the matrix has a method
//
//	Whole(ctx context.Context) Matrix
//
// It returns what [NewDense] makes of the matrix, with rows [Stride] apart, or nil for lack of memory or when ctx has
// ended. A result that is not nil becomes K of the Pair; the matrix itself is not read any more. The result may also be
// a matrix with a method Steps, which returns what NewDense makes of values that are rounded: steps read those, and the
// gradient is updated by rows of the result.
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

// inMemory is an n×n matrix, row-major.
type inMemory[T dense.Float] struct {
	n, ld int
	k     []T
	idx   []int
}

// NewDense returns the symmetric matrix of order n whose rows are in k, ld elements apart; it is not copied. With ld of
// at least [Stride](n) and finite elements between the rows, a [Pair] of at most [WholeSet] variables works on the rows
// where they are.
func NewDense[T dense.Float](n int, k []T, ld int) Matrix {
	if ld < n || n > 0 && len(k) < (n-1)*ld+n {
		panic(fmt.Sprintf("smo: %d values for a matrix of order %d with stride %d", len(k), n, ld))
	}
	return &inMemory[T]{n: n, ld: ld, k: k}
}

// Stride is the least distance of the rows of a matrix in memory that a [Pair] need not copy.
func Stride(n int) int { return padded(n) }

func (m *inMemory[T]) row(i int) []T { return m.k[i*m.ld : i*m.ld+m.n] }

// onePiece reports whether one working set of all variables is the best way to solve any program over m.
func (m *inMemory[T]) onePiece() bool { return m.n <= WholeSet && m.inPlace() }

// inPlace reports whether rows can be read where they are: they are padded.
func (m *inMemory[T]) inPlace() bool {
	n := padded(m.n)
	return m.n > 0 && n <= m.ld && len(m.k) >= (m.n-1)*m.ld+n
}

// Whole returns m where rows can be read in place; see [Matrix].
func (m *inMemory[T]) Whole(context.Context) Matrix {
	if !m.inPlace() {
		return nil
	}
	return m
}

// paddedRow is row i with the elements after it.
func (m *inMemory[T]) paddedRow(i int) []T { return m.k[i*m.ld : i*m.ld+padded(m.n)] }

// Len implements [Matrix].
func (m *inMemory[T]) Len() int { return m.n }

// Diag implements [Matrix].
func (m *inMemory[T]) Diag(dst []float64) {
	for i := range m.n {
		dst[i] = float64(m.k[i*m.ld+i])
	}
}

// Select implements [Matrix].
func (m *inMemory[T]) Select(idx []int) { m.idx = idx }

// SubRow implements [Matrix].
func (m *inMemory[T]) SubRow(dst []float64, r int) {
	row := m.row(m.idx[r])
	for c, j := range m.idx {
		dst[c] = float64(row[j])
	}
}

// subRow is SubRow without a conversion.
func (m *inMemory[T]) subRow(dst []T, r int) {
	row := m.row(m.idx[r])
	for c, j := range m.idx {
		dst[c] = row[j]
	}
}

// AddRows implements [Matrix].
func (m *inMemory[T]) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	const most = 1 << 22 // values between two looks at the context: a millisecond or two
	rows := make([][]T, 0, min(len(idx), 1+most/max(1, m.n)))
	for len(idx) > 0 && ctx.Err() == nil {
		rows = rows[:min(len(idx), cap(rows))]
		for r := range rows {
			rows[r] = m.row(idx[r])
		}
		dense.AddGathered(g[:m.n], coef[:len(rows)], rows)
		idx, coef = idx[len(rows):], coef[len(rows):]
	}
	return ctx.Err()
}
