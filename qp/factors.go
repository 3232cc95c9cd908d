package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// factors hold J and R of Goldfarb and Idnani (1983) for q active normals N: JᵀN = [R; 0], JᵀQJ = I.
type factors struct {
	n, q    int
	jt      []float64 // n×n: row k is column k of J
	r       []float64 // upper triangle, by columns: column j has j+1 elements
	inverse []float64 // n×n: L⁻¹, which is Jᵀ without active constraints
	d       []float64 // Jᵀ times a vector; it turns with J when a constraint is dropped
	z       []float64 // J₂d₂
	turns   []rotation
}

func newFactors(n int, memory *slab) factors {
	return factors{n: n, jt: memory.take(n * n), r: memory.take(n * (n + 1) / 2), inverse: memory.take(n * n),
		d: memory.take(n), z: memory.take(n), turns: make([]rotation, n)}
}

// row is column k of J.
func (f *factors) row(k int) []float64 { return f.jt[k*f.n : (k+1)*f.n] }

// column is that of R, with its diagonal.
func (f *factors) column(j int) []float64 { o := j * (j + 1) / 2; return f.r[o : o+j+1] }

// reset leaves no constraint active.
func (f *factors) reset() {
	copy(f.jt, f.inverse)
	f.q = 0
}

// project sets d to Jᵀv.
func (f *factors) project(v []float64) { dense.MulVec(f.d, f.jt, f.n, v) }

// projectUnit sets d to Jᵀe_j.
func (f *factors) projectUnit(j int) {
	for k := range f.d {
		f.d[k] = f.jt[k*f.n+j]
	}
}

// step sets z to J₂d₂.
func (f *factors) step() {
	clear(f.z)
	if f.q < f.n {
		dense.AddRows(f.z, f.d[f.q:], f.jt[f.q*f.n:], f.n)
	}
}

// shortColumn is the length of a column from which on a call pays.
const shortColumn = 16

// solve overwrites v, of q elements, with R⁻¹v.
func (f *factors) solve(v []float64) {
	for j := f.q - 1; j >= 0; j-- {
		c := f.column(j)
		v[j] /= c[j]
		e := v[j]
		if j >= shortColumn {
			dense.Axpy(-e, c[:j], v)
			continue
		}
		for i, r := range c[:j] {
			v[i] -= e * r
		}
	}
}

// solveTransposed overwrites v, of q elements, with R⁻ᵀv.
func (f *factors) solveTransposed(v []float64) {
	for j := range f.q {
		c := f.column(j)
		v[j] = (v[j] - dense.Dot(c[:j], v)) / c[j]
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
	for k, e := range v {
		if e != 0 {
			dense.Axpy(-beta*e, w, f.row(q+k))
		}
	}
	v[0] = first
	copy(f.r[q*(q+1)/2:], d[:q+1])
	f.q++
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
		f.turns[j-1] = t
		f.d[j-1], f.d[j] = t.apply(f.d[j-1], f.d[j])
		t.applyRows(f.row(j-1), f.row(j))
		copy(f.column(j-1), c[:j])
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
