package centres

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// own holds the vectors in the layout of the samples. The norm ν/2 Σ_o a_oᵀK_cc a_o is a sum over them, as the loss is
// over samples. Its derivatives are (2) with r_oi = ν a_oi, and half of that for log w.
type own struct {
	n, block int
	stride   int
	z        []float64
	part     partial
	grad     []float64
}

// ownShape is the number of vectors in a block, and of blocks.
func ownShape(k, block int) (b, n int) {
	b = min((k+7)&^7, block) // a multiple of the vector width
	b = max(8, b)
	return b, (k + b - 1) / b
}

func newOwn(o *objective) *own {
	b, n := ownShape(o.k, o.block)
	w := &own{n: n, block: b, stride: b * rowsOf(o.d, o.Widths), grad: make([]float64, o.size())}
	w.z = make([]float64, n*w.stride)
	w.part = partial{coef: make([]float64, o.Outputs*o.k), vec: make([]float64, o.k*o.d), sq: make([]float64, max(1, o.d))}
	return w
}

func ownBytes(p *Problem, k, block int) int64 {
	b, n := ownShape(k, block)
	return 8 * int64(n*b*rowsOf(p.D, p.Widths)+2*p.Outputs*k+p.Outputs+2*k*p.D+2*p.D+1)
}

// lay fills the blocks and returns the largest square of a vector.
func (w *own) lay(o *objective, vec []float64) (largest float64) {
	for b := range w.n {
		z := w.z[b*w.stride : (b+1)*w.stride]
		for j := range min(w.block, o.k-b*w.block) {
			for k, c := range vec[(b*w.block+j)*o.d : (b*w.block+j+1)*o.d] {
				z[k*w.block+j] = c
			}
		}
		largest = max(largest, squares(z, o.d, w.block, o.Widths))
	}
	return largest
}

// penalty returns ν/2 Σ_o a_oᵀ(K_cc + ρI)a_o + η/2 ‖log w‖² and adds its gradient.
func (o *objective) penalty(ctx context.Context, v, g variables) (value float64) {
	for k, log := range v.log {
		value += o.Penalty / 2 * log * log
		g.log[k] += o.Penalty * log
	}
	for i, a := range v.coef {
		value += o.Norm / 2 * Ridge * a * a
		g.coef[i] += o.Norm * Ridge * a
	}
	w := o.own
	w.part.clear()
	for b := range w.n {
		if ctx.Err() != nil {
			return 0
		}
		value += o.ownPass(v, b)
	}
	clear(w.grad)
	h := o.view(w.grad)
	copy(h.coef, w.part.coef)
	copy(h.vec, w.part.vec)
	o.complete(v, h, w.part.sq)
	add(g.coef, h.coef)
	add(g.vec, h.vec)
	for k, d := range h.log {
		g.log[k] += d / 2
	}
	return value
}

// ownPass adds up a block of vectors and returns its part of the norm.
func (o *objective) ownPass(v variables, block int) (value float64) {
	w, s := o.own, &o.scratch[0]
	b, z := w.block, w.z[block*w.stride:]
	kernel := s.k[:o.k*b]
	o.kernel(kernel, z, b)
	for out := range o.Outputs {
		f, r := s.f[:b], s.r[out*b:(out+1)*b]
		clear(f)
		clear(r)
		coef := v.coef[out*o.k : (out+1)*o.k]
		dense.AddRows(f, coef, kernel, b)
		for j, a := range coef[block*b : min((block+1)*b, o.k)] {
			r[j] = o.Norm * a
			value += r[j] / 2 * f[j]
		}
		dense.AddMulVec(w.part.coef[out*o.k:(out+1)*o.k], kernel, b, r)
	}
	o.moments(&w.part, s, v, z, b)
	return value
}
