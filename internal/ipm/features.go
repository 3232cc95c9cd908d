package ipm

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// features is X, its rows compressed where few of their elements are not 0.
type features struct {
	n, d, each int
	threads    int
	x          []float64   // nil with compressed rows
	rows       *rows       // nil without
	sums       []float64   // of runs of rows: scratch of gather
	parts      [][]float64 // of groups of compressed rows: their shares of the normal matrix and of two gathers
}

const (
	chunk  = 2048 // rows that a worker takes at once; sums are added up chunk by chunk, whoever made them
	groups = 8    // of rows that have a matrix of their own, of compressed rows
	// sparse is the share of elements that are not 0 up to which products of pairs of them, one at a time, take less
	// than those of all pairs by vector instructions.
	sparse = 0.15
)

func newFeatures(ctx context.Context, p *Dual) *features {
	f := &features{n: p.N, d: p.D, each: len(p.P) / max(1, p.N), threads: p.Threads, x: p.X}
	f.sums = make([]float64, (f.n+chunk-1)/chunk*(f.d+1))
	m := p.Rows
	if m == nil {
		if m = compress(ctx, p, f); m == nil {
			return f
		}
	}
	f.x, f.rows = nil, compact(m)
	share := f.share()
	for lo := 0; lo < f.n; lo += share {
		f.parts = append(f.parts, make([]float64, (f.d+1)*(f.d+2)))
	}
	return f
}

// compress returns the nonzero elements by sample, or nil if they are too many.
func compress(ctx context.Context, p *Dual, f *features) *csr.Matrix {
	m := &csr.Matrix{N: p.N, D: p.D, Start: make([]int, p.N+1)}
	f.chunks(func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			count := 0
			for _, v := range p.X[i*p.D : (i+1)*p.D] {
				if v != 0 {
					count++
				}
			}
			m.Start[i+1] = count
		}
	})
	for i := range p.N {
		m.Start[i+1] += m.Start[i]
	}
	total := m.Start[p.N]
	if float64(total) > sparse*float64(len(p.X)) {
		return nil
	}
	m.Index, m.Value = make([]int32, total), make([]float64, total)
	f.chunks(func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			pos := m.Start[i]
			for j, v := range p.X[i*p.D : (i+1)*p.D] {
				if v != 0 {
					m.Index[pos], m.Value[pos] = int32(j), v
					pos++
				}
			}
		}
	})
	return m
}

// rowsBytes is what compressed rows take at most, and their indices of 16 bits.
func rowsBytes(n, d int) int64 { return 8*int64(n+1) + int64(14*sparse*float64(n)*float64(d)) }

// chunks calls do for runs of rows.
func (f *features) chunks(do func(k, lo, hi int)) {
	parallel.Chunks(f.threads, f.n, chunk, func(_, lo, hi int) { do(lo/chunk, lo, hi) })
}

// mul is dst = X w + b.
func (f *features) mul(dst, w []float64, b float64) {
	f.chunks(func(_, lo, hi int) {
		if f.x == nil {
			f.rows.mul(dst, w, b, lo, hi)
			return
		}
		dense.MulVec(dst[lo:hi], f.x[lo*f.d:], f.d, w[:f.d])
		for i := lo; i < hi; i++ {
			dst[i] += b
		}
	})
}

// gather sets dst = Xᵀv for v the sums of each sample's variables; it returns Σ v.
func (f *features) gather(dst, v []float64) (sum float64) {
	clear(f.sums)
	f.chunks(func(k, lo, hi int) {
		part := f.sums[k*(f.d+1) : (k+1)*(f.d+1)]
		for i := lo; i < hi; i++ {
			t := f.total(v, i)
			part[f.d] += t
			if f.x != nil {
				dense.Axpy(t, f.x[i*f.d:(i+1)*f.d], part[:f.d])
				continue
			}
			f.rows.add(part, i, t)
		}
	})
	clear(dst[:f.d])
	for parts := f.sums; len(parts) > 0; parts = parts[f.d+1:] {
		dense.Axpy(1, parts[:f.d], dst[:f.d])
		sum += parts[f.d]
	}
	return sum
}

// total returns the sum of the variables of sample i.
func (f *features) total(v []float64, i int) float64 {
	t := v[i]
	for i += f.n; i < len(v); i += f.n {
		t += v[i]
	}
	return t
}

// normal writes the lower triangle of [I + XᵀWX, XᵀW1; 1ᵀWX, 1ᵀW1], of order d+1, and to the order's elements of dst
// what gather makes of v. The error is the context's.
func (f *features) normal(ctx context.Context, m, weight, dst, v []float64) error {
	order := f.d + 1
	if f.x == nil {
		f.pairs(m, weight, dst, v)
	} else {
		clear(m)
		if err := f.blocks(ctx, m, weight); err != nil {
			return err
		}
		m[order*order-1] = f.gather(m[f.d*order:], weight)
		dst[f.d] = f.gather(dst, v)
	}
	for j := range f.d {
		m[j*order+j]++
	}
	return ctx.Err()
}

// blocks adds XᵀWX, a run of rows at a time.
func (f *features) blocks(ctx context.Context, m, weight []float64) error {
	scaled := make([]float64, min(chunk, f.n)*f.d)
	order := f.d + 1
	for lo := 0; lo < f.n; lo += chunk {
		hi := min(lo+chunk, f.n)
		x := f.x[lo*f.d : hi*f.d]
		parallel.For(f.threads, hi-lo, func(_, i int) {
			to, from := scaled[i*f.d:(i+1)*f.d], x[i*f.d:(i+1)*f.d]
			for j, v := range from {
				to[j] = weight[lo+i] * v
			}
		})
		a, b := dense.Of(scaled, hi-lo, f.d, f.d), dense.Of(x, hi-lo, f.d, f.d)
		err := dense.MulLower(ctx, parallel.Workers(f.threads), 1, a.T(), b, dense.Of(m, f.d, f.d, order))
		if err != nil {
			return err
		}
	}
	return nil
}

// share is how many compressed rows a group has.
func (f *features) share() int { return max(chunk, (f.n+groups-1)/groups) }

// pairs makes the sums of normal in one pass, pair by pair of elements that are not 0.
func (f *features) pairs(m, weight, dst, v []float64) {
	order, share := f.d+1, f.share()
	parallel.For(f.threads, len(f.parts), func(_, k int) {
		part := f.parts[k]
		clear(part)
		gathered := part[order*order:]
		for i := k * share; i < min((k+1)*share, f.n); i++ {
			t := f.total(v, i)
			f.rows.pairs(part, order, i, weight[i])
			f.rows.add(gathered, i, t)
			gathered[f.d] += t
		}
	})
	clear(m)
	clear(dst[:order])
	for _, part := range f.parts {
		dense.Axpy(1, part[:order*order], m)
		dense.Axpy(1, part[order*order:], dst[:order])
	}
}

// rows is compressed rows in a quarter of the memory or less, for every step reads them several times: indices of 16
// bits, and no values where all are 1, as of categories.
type rows struct {
	start []int
	index []uint16
	value []float64 // nil where all are 1
}

// compact is m as rows. Its values are shared.
func compact(m *csr.Matrix) *rows {
	if m.D > math.MaxUint16 {
		panic(fmt.Sprintf("ipm: %d features, want at most %d", m.D, math.MaxUint16))
	}
	r := &rows{start: m.Start, index: make([]uint16, len(m.Index))}
	for k, j := range m.Index {
		r.index[k] = uint16(j)
	}
	for _, v := range m.Value {
		if v != 1 {
			r.value = m.Value
			break
		}
	}
	return r
}

// mul is dst = X w + b of the rows from lo to hi.
func (r *rows) mul(dst, w []float64, b float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		from, to := r.start[i], r.start[i+1]
		sum := b
		if r.value == nil {
			for _, j := range r.index[from:to] {
				sum += w[j]
			}
		} else {
			value := r.value[from:to]
			for k, j := range r.index[from:to] {
				sum += value[k] * w[j]
			}
		}
		dst[i] = sum
	}
}

// add adds t times row i to dst.
func (r *rows) add(dst []float64, i int, t float64) {
	from, to := r.start[i], r.start[i+1]
	if r.value == nil {
		for _, j := range r.index[from:to] {
			dst[j] += t
		}
		return
	}
	value := r.value[from:to]
	for k, j := range r.index[from:to] {
		dst[j] += t * value[k]
	}
}

// pairs adds the lower triangle of t [x; 1][x; 1]ᵀ for x row i to m, of some order.
func (r *rows) pairs(m []float64, order, i int, t float64) {
	from, to := r.start[i], r.start[i+1]
	column, last := r.index[from:to], m[(order-1)*order:order*order]
	last[order-1] += t
	if r.value == nil {
		addOnes(m, order, column, t)
		return
	}
	value := r.value[from:to]
	for a, j := range column {
		tv := t * value[a]
		row := m[int(j)*order : int(j)*order+int(j)+1]
		for b, k := range column[:a+1] {
			row[k] += tv * value[b]
		}
		last[j] += tv
	}
}

// addOnes adds t to the lower triangle of m where row and column are both listed, and to the last row's columns, four
// rows at once: the loops are few and their ends less often a surprise to the processor.
func addOnes(m []float64, order int, column []uint16, t float64) {
	last := m[(order-1)*order : order*order]
	for _, k := range column {
		last[k] += t
	}
	for len(column) >= 4 {
		four := column[len(column)-4:]
		column = column[:len(column)-4]
		a, b := m[int(four[0])*order:][:order], m[int(four[1])*order:][:order]
		c, d := m[int(four[2])*order:][:order], m[int(four[3])*order:][:order]
		for _, k := range column {
			a[k] += t
			b[k] += t
			c[k] += t
			d[k] += t
		}
		a[four[0]] += t
		b[four[0]] += t
		b[four[1]] += t
		c[four[0]] += t
		c[four[1]] += t
		c[four[2]] += t
		for _, k := range four {
			d[k] += t
		}
	}
	for n, j := range column {
		row := m[int(j)*order:][:order]
		for _, k := range column[:n+1] {
			row[k] += t
		}
	}
}
