package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// factors hold J and R of Goldfarb and Idnani (1983) for q active normals N: JᵀN = [R; 0], JᵀQJ = I.
type factors struct {
	n, q    int
	ld      int       // of jt and inverse: n, and zeros up to a multiple of 8
	jt      []float64 // n×n: row k is column k of J
	r       []float64 // upper triangle, by columns: column j has j+1 elements
	inverse []float64 // n×n: L⁻¹, which is Jᵀ without active constraints
	d       []float64 // Jᵀ times a vector; it turns with J when a constraint is dropped
	z       []float64 // J₂d₂, and zeros up to ld
	pivots  []float64 // 1 over R's diagonal
	rinv    []float64 // of small programs R⁻¹, by columns, ld apart: one call instead of one for each column
	turns   []rotation
}

func newFactors(n int, memory *slab) factors {
	ld := padded(n)
	f := factors{n: n, ld: ld, jt: memory.take(n * ld), r: memory.take(n * (n + 1) / 2), inverse: memory.take(n * ld),
		d: memory.take(n), z: memory.take(ld), pivots: memory.take(n), turns: make([]rotation, n)}
	if n <= smallFactor {
		f.rinv = memory.take(n * ld)
	}
	return f
}

// factorValues is the number of elements of the factors' vectors.
func factorValues(n int) int {
	size := 2*n*padded(n) + n*(n+1)/2 + 2*n + padded(n)
	if n <= smallFactor {
		size += n * padded(n)
	}
	return size
}

// padded is the distance of rows of n elements: whole vectors need no masks.
func padded(n int) int { return (n + 7) &^ 7 }

// row is column k of J, and zeros up to ld.
func (f *factors) row(k int) []float64 { return f.jt[k*f.ld : (k+1)*f.ld] }

// column returns column j of R, with its diagonal.
func (f *factors) column(j int) []float64 { o := j * (j + 1) / 2; return f.r[o : o+j+1] }

// reset leaves no constraint active.
func (f *factors) reset() {
	copy(f.jt, f.inverse)
	f.q = 0
}

// project sets d to Jᵀv.
func (f *factors) project(v []float64) { dense.MulVec(f.d, f.jt, f.ld, v) }

// projectUnit sets d to Jᵀe_j.
func (f *factors) projectUnit(j int) {
	for k := range f.d {
		f.d[k] = f.jt[k*f.ld+j]
	}
}

// step sets z to J₂d₂.
func (f *factors) step() {
	clear(f.z)
	if f.q < f.n {
		dense.AddRows(f.z, f.d[f.q:], f.jt[f.q*f.ld:], f.ld)
	}
}

// shortColumn is the length of a column from which on a call pays.
const shortColumn = 16

// solve overwrites v, of q elements, with R⁻¹v.
func (f *factors) solve(v []float64) {
	if f.rinv != nil {
		var sum [smallFactor]float64
		dense.AddRows(sum[:padded(f.q)], v[:f.q], f.rinv, f.ld)
		copy(v[:f.q], sum[:])
		return
	}
	for j := f.q - 1; j >= 0; j-- {
		c := f.column(j)[:j]
		e := v[j] * f.pivots[j]
		v[j] = e
		if j >= shortColumn {
			dense.Axpy(-e, c, v)
			continue
		}
		to := v[:len(c)]
		for i, r := range c {
			to[i] -= e * r
		}
	}
}

// solveTransposed overwrites v, of q elements, with R⁻ᵀv.
func (f *factors) solveTransposed(v []float64) {
	if f.rinv != nil {
		var sum [smallFactor]float64
		dense.MulVec(sum[:f.q], f.rinv, f.ld, v[:f.q])
		copy(v[:f.q], sum[:])
		return
	}
	for j := range f.q {
		c := f.column(j)
		v[j] = (v[j] - dense.Dot(c[:j], v)) * f.pivots[j]
	}
}

// add makes the normal active of which d is Jᵀn and z is J₂d₂, of squared length square: a reflection I − βvvᵀ of J's
// last columns turns d₂ into a multiple of its first element. J₂v is z but for a multiple of one column.
func (f *factors) add(square float64) {
	q, d := f.q, f.d
	length := math.Sqrt(square)
	first := -math.Copysign(length, d[q])
	beta := 1 / (square + length*math.Abs(d[q]))
	w, v := f.z, d[q:]
	dense.Axpy(-first, f.row(q), w)
	v[0] -= first
	for k := range v {
		v[k] *= -beta
	}
	dense.AddOuter(f.jt[q*f.ld:], f.ld, v, w)
	v[0] = first
	f.pivots[q] = 1 / first
	f.extend()
	copy(f.r[q*(q+1)/2:], d[:q+1])
	f.q++
}

// extend appends the column of d to R⁻¹: −R⁻¹d₁/r and 1/r, where r is the new element of R's diagonal.
func (f *factors) extend() {
	if f.rinv == nil {
		return
	}
	q := f.q
	column := f.rinv[q*f.ld:][:f.ld]
	clear(column)
	dense.AddRows(column[:padded(q)], f.d[:q], f.rinv, f.ld)
	for i := range column[:q] {
		column[i] *= -f.pivots[q]
	}
	column[q] = f.pivots[q]
}

// drop takes active normal l away. R without its column has one element below the diagonal in each later column;
// rotations of neighbouring rows, and columns of J, make them 0. d turns with J.
func (f *factors) drop(l int) {
	for j := l + 1; j < f.q; j++ {
		c := f.column(j)
		for i := l; i < j-1; i++ {
			c[i], c[i+1] = f.turns[i].apply(c[i], c[i+1])
		}
		t := newRotation(c[j-1], c[j])
		c[j-1], _ = t.apply(c[j-1], c[j])
		f.pivots[j-1] = 1 / c[j-1]
		f.turns[j-1] = t
		f.d[j-1], f.d[j] = t.apply(f.d[j-1], f.d[j])
		t.applyRows(f.row(j-1), f.row(j))
		copy(f.column(j-1), c[:j])
		if f.rinv != nil {
			column := f.rinv[(j-1)*f.ld : j*f.ld]
			t.applyRows(column, f.rinv[j*f.ld:][:f.ld])
			copy(column[l:j], column[l+1:]) // R⁻¹ without row l
			clear(column[j:f.q])
		}
	}
	f.q--
}

// rotation is (x, y) ↦ (cx + sy, cy − sx) with c ≥ 0.
type rotation struct{ c, s float64 }

// newRotation is the one that makes 0 of y.
func newRotation(x, y float64) rotation {
	if y == 0 {
		return rotation{c: 1}
	}
	h := math.Copysign(math.Hypot(x, y), x)
	return rotation{x / h, y / h}
}

func (t rotation) apply(x, y float64) (u, v float64) { return t.c*x + t.s*y, t.c*y - t.s*x }

// applyRows applies t to each pair of elements, as three shears: their factors are at most 1 as c is not negative.
func (t rotation) applyRows(x, y []float64) {
	if t.s == 0 {
		return
	}
	shear := t.s / (1 + t.c)
	dense.Axpy(shear, y, x)
	dense.Axpy(-t.s, x, y)
	dense.Axpy(shear, y, x)
}
