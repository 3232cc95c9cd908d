// Package rational solves sparse systems of linear equations exactly. The numbers of the matrix and the right-hand
// side are dyadic, as every float64 is.
//
// The matrix falls into the connected components of its rows and columns. Each is scaled to integers, factored modulo
// a prime below 2^60, and its solution found digit by digit to the base of that prime (Dixon, 1982). As soon as a
// fraction with small terms fits the digits, a bound on the residual proves it: a solution costs as many digits as it
// has.
package rational

import (
	"context"
	"fmt"
	"math"
	"math/big"
)

// Lines are the columns or the rows of a sparse matrix: the entries of line k are Value[Start[k]:Start[k+1]], at
// Index[Start[k]:Start[k+1]].
type Lines struct {
	Start []int
	Index []int32
	Value []float64
}

// Entries returns those of line k, views.
func (l *Lines) Entries(k int) ([]int32, []float64) {
	return l.Index[l.Start[k]:l.Start[k+1]], l.Value[l.Start[k]:l.Start[k+1]]
}

// Matrix is an N×N matrix by columns. Its entries are finite and not 0.
type Matrix struct {
	N int
	Lines
	// Memory is what factors and solutions may take, in bytes; 0 means no limit.
	Memory int64
}

// Factors solves with a matrix and its transpose.
type Factors struct {
	n      int
	blocks []*block
}

// block is a connected component.
type block struct {
	rows, cols []int32 // of the whole matrix
	field
	rowExp, colExp []int // integers are entries·2^(rowExp+colExp)
	plain, turned  *integers
	lu             *elimination
	den            *big.Int // of the last solution
}

// SingularError says which rows and columns have no pivots.
type SingularError struct{ Rows, Cols []int32 }

// Error implements error.
func (e *SingularError) Error() string {
	return fmt.Sprintf("rational: %d columns depend on others", len(e.Cols))
}

// Factor factors a, or returns a [*SingularError], or a [*BudgetError] before more than a.Memory is taken. Solutions
// have as many digits as the bound of the determinant.
func Factor(ctx context.Context, a *Matrix) (*Factors, error) {
	f := &Factors{n: a.N}
	singular, memory := &SingularError{}, &budget{have: a.Memory}
	for _, b := range components(a) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows, cols, err := b.factor(a, memory)
		if err != nil {
			return nil, err
		}
		singular.Rows = append(singular.Rows, pick(b.rows, rows)...)
		singular.Cols = append(singular.Cols, pick(b.cols, cols)...)
		f.blocks = append(f.blocks, b)
	}
	if len(singular.Rows) > 0 {
		return nil, singular
	}
	return f, nil
}

// pick returns the elements of from at the given places, as far as there are so many.
func pick(from, places []int32) (picked []int32) {
	for _, k := range places {
		if int(k) < len(from) {
			picked = append(picked, from[k])
		}
	}
	return picked
}

// components returns the connected components of rows and columns, in the order of their first columns, and of
// rows without entries.
func components(a *Matrix) (blocks []*block) {
	parent := make([]int32, 2*a.N) // columns, then rows
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for j := range a.N {
		for _, i := range a.Index[a.Start[j]:a.Start[j+1]] {
			parent[find(int32(a.N)+i)] = find(int32(j))
		}
	}
	numbers := map[int32]*block{}
	for i := range int32(2 * a.N) {
		root := find(i)
		b := numbers[root]
		if b == nil {
			b = &block{den: One}
			numbers[root] = b
			blocks = append(blocks, b)
		}
		if i < int32(a.N) {
			b.cols = append(b.cols, i)
		} else {
			b.rows = append(b.rows, i-int32(a.N))
		}
	}
	return blocks
}

// part returns the block's own matrix. A block that is not square has empty rows or columns in addition.
func (b *block) part(a *Matrix) *Matrix {
	place := make(map[int32]int32, len(b.rows))
	for k, i := range b.rows {
		place[i] = int32(k)
	}
	p := &Matrix{N: max(len(b.rows), len(b.cols)), Lines: Lines{Start: make([]int, 1, len(b.cols)+1)}}
	for _, j := range b.cols {
		index, value := a.Entries(int(j))
		for _, i := range index {
			p.Index = append(p.Index, place[i])
		}
		p.Value = append(p.Value, value...)
		p.Start = append(p.Start, len(p.Index))
	}
	for len(p.Start) <= p.N {
		p.Start = append(p.Start, len(p.Index))
	}
	return p
}

// factor factors the block's part of a, and returns rows and columns without pivots.
func (b *block) factor(a *Matrix, memory *budget) (rows, cols []int32, err error) {
	p := b.part(a)
	b.rowExp, b.colExp = scale(p)
	b.plain = newIntegers(p, b.rowExp, b.colExp, false)
	b.turned = newIntegers(p, b.rowExp, b.colExp, true)
	if err = memory.takeBlock(b.plain, len(p.Value)); err != nil {
		return nil, nil, err
	}
	for _, prime := range primes {
		b.field = newField(prime)
		lines := make([][]entry, p.N)
		for j := range p.N {
			index, value := p.Entries(j)
			for t, i := range index {
				if v := b.entry(value[t], b.rowExp[i]+b.colExp[j]); v != 0 {
					lines[i] = append(lines[i], entry{int32(j), v})
				}
			}
		}
		before := *memory
		if b.lu, rows, cols, err = eliminate(b.field, lines, memory); err != nil || len(rows) == 0 {
			return nil, nil, err
		}
		*memory = before
	}
	return rows, cols, nil
}

// entry returns v·2^exp, an integer, modulo p.
func (b *block) entry(v float64, exp int) uint64 {
	mant, e := split(v)
	r := b.pow(2, uint64(exp+e))
	if mant < 0 {
		return b.sub(0, b.mul(uint64(-mant), r))
	}
	return b.mul(uint64(mant), r)
}

// Solve returns the solution x of A·x = b. The elements of b are dyadic: their Den is [One].
func (f *Factors) Solve(ctx context.Context, b []Number) ([]Number, error) {
	return f.solve(ctx, b, false)
}

// SolveTransposed returns the solution y of Aᵀ·y = c. The elements of c are dyadic: their Den is [One].
func (f *Factors) SolveTransposed(ctx context.Context, c []Number) ([]Number, error) {
	return f.solve(ctx, c, true)
}

func (f *Factors) solve(ctx context.Context, right []Number, transposed bool) ([]Number, error) {
	x := make([]Number, f.n)
	for _, b := range f.blocks {
		if err := b.solve(ctx, x, right, transposed); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// solve sets the block's elements of x for its elements of a right-hand side.
func (b *block) solve(ctx context.Context, x, right []Number, transposed bool) error {
	m, modular := b.plain, b.lu.solve
	equations, unknowns, own, others := b.rows, b.cols, b.rowExp, b.colExp
	if transposed {
		m, modular = b.turned, b.lu.solveTransposed
		equations, unknowns, own, others = unknowns, equations, others, own
	}
	low := math.MaxInt
	for k, i := range equations {
		if right[i].Sign() != 0 {
			low = min(low, right[i].Exp+own[k])
		}
	}
	if low == math.MaxInt {
		return nil
	}
	scaled, size := make([]*big.Int, m.n), 0
	for k, i := range equations {
		if v := right[i]; v.Sign() != 0 {
			scaled[k] = new(big.Int).Lsh(v.Num, uint(v.Exp+own[k]-low))
			size = max(size, scaled[k].BitLen())
		}
	}
	num, den, err := newLifting(b.field, m, modular, scaled, size).run(ctx, size, b.den)
	if err != nil {
		return err
	}
	b.den = den
	for k, v := range num {
		if v != nil {
			x[unknowns[k]] = Number{Num: v, Den: den, Exp: others[k] + low}
		}
	}
	return nil
}
