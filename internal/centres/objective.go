package centres

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// objective evaluates (1) and its gradient for k vectors and some steps, all in the units of the store.
type objective struct {
	*Problem
	*store
	k, units int // vectors; vectors and steps
	threads  int
	parts    []partial
	scratch  []scratch // one per worker

	width  []float64 // w_k²
	query  []float64 // k×(d+1): factors of the rows of a block, see prepare
	fill   []float64 // k
	swap   []float64 // units×Outputs: coefficients by unit
	one    []float64 // ones, at least k and a block
	own    *own
	steps  *steps  // and the plane
	values *levels // nil for none
}

// partial holds the sums over a part of the samples, with r and P of (2): in the places of the variables coef Σ_i r_oi
// k_ij, bias Σ_i r_oi, vec Σ_i P_ij z_ik, plane Σ_i r_oi z_ik, and with P of (3) turn Σ_i P_ij z_ik and move Σ_i P_ij.
type partial struct {
	value float64
	all   []float64 // the variables
	variables
	sq     []float64 // d: Σ_ij P_ij z_ik², or Σ_ij P_ij u_i first, with one width
	sum    []float64 // k: Σ_i P_ij; nil for RBF, whose coef has it
	levels []float64 // of no level, then of each
	_      [3*apartBytes - 37*8]byte
}

func newPartial(o *objective) partial {
	p := partial{all: apart(o.size()), sq: apart(max(1, o.d)), levels: apart(1 + o.Levels.Size())}
	if p.variables = o.view(p.all); !o.Problem.Kernel.Gaussian() {
		p.sum = apart(o.k)
	}
	return p
}

type scratch struct {
	k     []float64 // units×block kernel values and steps, then P
	slope []float64 // k×block derivatives of the values by the exponent; nil for RBF, whose values they are
	f, r  []float64 // Outputs×block
	q     []float64 // block
	level []float64 // coded features×block
}

// variables are the parts of the vector of variables.
type variables struct {
	coef, bias, vec, log []float64
	plane                []float64 // Outputs×d or none
	turn, move           []float64 // steps×d, steps
	level                []float64
}

func (o *objective) size() int { return variablesOf(o.Problem, o.k, o.units-o.k) }

// variablesOf is the number of variables of k vectors and s steps.
func variablesOf(p *Problem, k, s int) int {
	n := p.Outputs*(k+s+1) + k*p.D + s*(p.D+1) + p.Levels.Size() + p.Widths.count(p.D)
	if p.Plane {
		n += p.Outputs * p.D
	}
	return n
}

func (o *objective) view(x []float64) (v variables) {
	cut := func(n int) []float64 { part := x[:n:n]; x = x[n:]; return part }
	v.coef, v.bias, v.vec = cut(o.Outputs*o.units), cut(o.Outputs), cut(o.k*o.d)
	if o.Plane {
		v.plane = cut(o.Outputs * o.d)
	}
	v.turn, v.move = cut((o.units-o.k)*o.d), cut(o.units-o.k)
	v.level = cut(o.Levels.Size())
	v.log = x
	return v
}

func newObjective(p *Problem, s *store, m *Model) *objective {
	k, units := m.K, m.Units()
	parts, _ := s.parts()
	o := &objective{Problem: p, store: s, k: k, units: units, threads: min(workers(p.Threads, s.n*units*s.d), parts)}
	o.parts, o.scratch = make([]partial, parts), make([]scratch, o.threads)
	for i := range o.parts {
		o.parts[i] = newPartial(o)
	}
	for i := range o.scratch {
		o.scratch[i] = scratch{k: make([]float64, units*s.block), f: make([]float64, p.Outputs*s.block),
			r: make([]float64, p.Outputs*s.block), q: make([]float64, s.block)}
		if !p.Kernel.Gaussian() {
			o.scratch[i].slope = make([]float64, k*s.block)
		}
		if p.Levels != nil {
			o.scratch[i].level = make([]float64, len(p.Levels.Features)*s.block)
		}
	}
	o.width, o.query = make([]float64, s.d), make([]float64, k*(s.d+1))
	o.fill, o.swap, o.one = make([]float64, k), make([]float64, units*p.Outputs), make([]float64, max(k, s.block))
	for j := range o.one {
		o.one[j] = 1
	}
	o.own, o.steps, o.values = newOwn(o), newSteps(o, m), newLevels(o)
	return o
}

// bytes is the memory of an objective for k vectors.
func bytes(p *Problem, k int) int64 {
	block, rows := blockOf(p.N, p.D), rowsOf(p.D, p.Widths)
	parts, _ := partsOf(p.N, block)
	workers, blocks := min(parallel.Workers(p.Threads), parts), (p.N+block-1)/block
	ownBlock, own := ownShape(k, block)
	part, scratch := variablesOf(p, k, 0)+p.D+p.Levels.Size(), block*(k+2*p.Outputs+1)
	if !p.Kernel.Gaussian() {
		part += k
		scratch += block * k
	}
	store := rows + 2*p.Outputs
	if l := p.Levels; l != nil {
		store += (len(l.Features) + 1) / 2
		scratch += block * len(l.Features)
	}
	b := int64(blocks*block)*int64(store) + int64(parts+1)*int64(part) + int64(workers)*int64(scratch)
	return 8 * (b + int64(own*ownBlock)*int64(rows) + int64(k*(p.D+3+p.Outputs)+block+p.D*(1+p.Outputs)))
}

// prepare computes the factors of the rows of a block from vectors and widths. The exponent −Σ w_k² (z_ik − c_jk)² is Σ
// 2 w_k² c_jk z_ik − u_i − ‖w∘c_j‖² (with one width, w² u_i). Rounding must not make it positive, so it is lowered by a
// bound of the error of d + 2 sums.
func (o *objective) prepare(v variables) {
	highest := 1.0
	for k := range o.width {
		o.width[k] = 1
		if o.Widths != Fixed {
			o.width[k] = math.Exp(2 * v.log[o.Widths.of(k)])
			highest = math.Max(highest, o.width[k])
		}
	}
	o.steps.prepare(o, v)
	largest := math.Max(o.largest, o.own.pack(o, v.vec))
	if o.values != nil {
		largest += o.values.prepare(o, v)
	}
	for j := range o.k {
		c, q := v.vec[j*o.d:(j+1)*o.d], o.query[j*(o.d+1):(j+1)*(o.d+1)]
		var cc float64
		for k, w := range o.width {
			q[k] = 2 * w * c[k]
			cc += w * c[k] * c[k]
		}
		q[o.d] = -1
		if o.Widths == One {
			q[o.d] = -o.width[0]
		}
		o.fill[j] = -cc - 0x1p-51*float64(o.d+4)*(highest*largest+cc)
	}
	for j := range o.units {
		for out := range o.Outputs {
			o.swap[j*o.Outputs+out] = v.coef[out*o.units+j]
		}
	}
}

// eval returns (1) at x and writes its gradient; false if the context has ended.
func (o *objective) eval(ctx context.Context, x, grad []float64) (float64, bool) {
	v, g := o.view(x), o.view(grad)
	o.prepare(v)
	_, each := o.store.parts()
	parallel.For(o.threads, len(o.parts), func(w, i int) {
		p := &o.parts[i]
		p.clear()
		for b := i * each; b < min((i+1)*each, o.blocks()); b++ {
			if ctx.Err() != nil {
				return
			}
			o.pass(p, &o.scratch[w], v, b)
		}
	})
	if ctx.Err() != nil {
		return 0, false
	}
	clear(grad)
	var value float64
	first := &o.parts[0]
	for i := range o.parts {
		p := &o.parts[i]
		value += p.value
		dense.Axpy(1, p.all, grad)
		dense.Axpy(1, p.levels[1:], g.level)
		if i > 0 {
			dense.Axpy(1, p.sq, first.sq)
			dense.Axpy(1, p.sum, first.sum)
		}
	}
	o.complete(v, g, first)
	o.steps.complete(o, v, g)
	if o.values != nil {
		value += o.values.penalty(v, g)
	}
	return value + o.penalty(ctx, v, g) + o.steps.penalty(o, v, g), ctx.Err() == nil
}

func (p *partial) clear() {
	p.value = 0
	for _, s := range [][]float64{p.all, p.sq, p.sum, p.levels} {
		clear(s)
	}
}

// apartBytes is two cache lines: processors fetch pairs of them.
const apartBytes = 128

// apart returns n zeros that share no pair of cache lines with other data, to avoid false sharing.
func apart(n int) []float64 { return make([]float64, n, (n+apartBytes/8-1)&^(apartBytes/8-1)) }

// kernel writes k(x_i, c_j) for a block of b samples, k×b, to s.k, and slopes that are not the values.
func (o *objective) kernel(s *scratch, z []float64, b int) {
	dst := s.k[:o.k*b]
	rows := o.d + 1
	if o.Widths == Each {
		u := z[o.d*b : rows*b]
		clear(u)
		dense.AddRows(u, o.width, z[rows*b:], b)
	}
	dense.MulRows(dst, b, o.fill, o.query, rows, z, b, rows, b)
	if s.slope == nil {
		gram.ExpNeg(dst, dst)
		return
	}
	o.Kernel.Slopes(dst, s.slope[:len(dst)], dst)
}

// pass adds a block of samples to a part.
func (o *objective) pass(p *partial, s *scratch, v variables, block int) {
	b, z := o.block, o.z[block*o.stride:]
	if o.values != nil {
		o.values.pack(o, z, block)
	}
	o.kernel(s, z, b)
	o.steps.values(o, s.k[o.k*b:], v, z)
	dense.MulRows(s.f, b, v.bias, v.coef, o.units, s.k, b, o.units, b)
	o.steps.addPlane(o, s.f, z)
	for out := range o.Outputs {
		f, r := s.f[out*b:(out+1)*b], s.r[out*b:(out+1)*b]
		first := (block*o.Outputs + out) * b
		p.value += o.Loss.terms(r, nil, f, o.target[first:first+b], o.weight[first:first+b])
		for _, t := range r {
			p.bias[out] += t
		}
	}
	dense.AddDots(p.coef, o.units, s.k, b, o.units, s.r, b, o.Outputs, b)
	o.steps.moments(o, p, s, z)
	o.moments(p, s, v, z, b)
	if o.values != nil {
		o.values.moments(o, p, s, v, block)
	}
}

// moments adds the sums for vectors and widths over a block of b samples to a part; kernel values, slopes and r are in
// s, which gets P.
func (o *objective) moments(p *partial, s *scratch, v variables, z []float64, b int) {
	if s.slope != nil {
		copy(s.k, s.slope[:o.k*b])
	}
	for j := range o.k {
		q, e := s.r, s.k[j*b:(j+1)*b]
		if o.Outputs > 1 { // with one output, complete multiplies by a_j
			q = s.q[:b]
			clear(q)
			dense.AddRows(q, o.swap[j*o.Outputs:(j+1)*o.Outputs], s.r, b)
		}
		dense.Scale(e, q)
	}
	if p.sum != nil {
		dense.AddMulVec(p.sum, s.k, b, o.one[:b])
	}
	dense.AddDots(p.vec, o.d, z, b, o.d, s.k, b, o.k, b)
	if o.Widths != Fixed {
		total := s.q[:b]
		clear(total)
		dense.AddRows(total, o.factors(v), s.k, b)
		if o.Widths == One {
			p.sq[0] += dense.Dot(total, z[o.d*b:(o.d+1)*b])
		} else {
			dense.AddMulVec(p.sq, z[(o.d+1)*b:], b, total)
		}
	}
}

// factors converts P of a pass to P of (2): a_j if there is one output, else 1.
func (o *objective) factors(v variables) []float64 {
	if o.Outputs == 1 {
		return v.coef[:o.k]
	}
	return o.one[:o.k]
}

// complete computes the gradient of the loss from the sums of the passes, by (2). With P_j = Σ_i P_ij it needs no
// samples:
//
//	Σ_i P_ij (z_i − c_j) = Σ_i P_ij z_i − P_j c_j,   P_j = Σ_o a_oj Σ_i r_oi k_ij with RBF
//	Σ_ij P_ij (z_ik − c_jk)² = Σ_ij P_ij z_ik² − 2 Σ_j c_jk Σ_i P_ij z_ik + Σ_j P_j c_jk²
func (o *objective) complete(v, g variables, p *partial) {
	factor := o.factors(v)
	for k := range g.log {
		g.log[k] = -2 * o.width[k] * p.sq[k]
	}
	for j := range o.k {
		var total float64
		if p.sum != nil {
			total = factor[j] * p.sum[j]
		} else {
			for out := range o.Outputs {
				total += v.coef[out*o.units+j] * g.coef[out*o.units+j]
			}
		}
		c, gc := v.vec[j*o.d:(j+1)*o.d], g.vec[j*o.d:(j+1)*o.d]
		for k, w := range o.width {
			pz := factor[j] * gc[k]
			if o.Widths != Fixed {
				g.log[o.Widths.of(k)] -= 2 * w * c[k] * (total*c[k] - 2*pz)
			}
			gc[k] = 2 * w * (pz - total*c[k])
		}
	}
}

// norm is the Euclidean norm.
func norm(x []float64) float64 { return math.Sqrt(dense.Dot(x, x)) }

// own holds the vectors in the layout of the samples. The norm ν/2 Σ_o a_oᵀK_cc a_o is a sum over them, as the loss is
// over samples. Its derivatives are (2) with r_oi = ν a_oi, and half of that for log w.
type own struct {
	n, block int
	stride   int
	z        []float64
	part     partial
}

// ownShape is the number of vectors in a block, and of blocks.
func ownShape(k, block int) (b, n int) {
	b = min((k+7)&^7, block) // a multiple of the vector width
	b = max(8, b)
	return b, (k + b - 1) / b
}

func newOwn(o *objective) *own {
	b, n := ownShape(o.k, o.block)
	w := &own{n: n, block: b, stride: b * rowsOf(o.d, o.Widths), part: newPartial(o)}
	w.z = make([]float64, n*w.stride)
	return w
}

// pack fills the blocks and returns the largest square of a vector.
func (w *own) pack(o *objective, vec []float64) (largest float64) {
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
		if i%o.units < o.k {
			value += o.Norm / 2 * Ridge * a * a
			g.coef[i] += o.Norm * Ridge * a
		}
	}
	w := o.own
	w.part.clear()
	for b := range w.n {
		if ctx.Err() != nil {
			return 0
		}
		value += o.ownPass(v, b)
	}
	h := &w.part
	o.complete(v, h.variables, h)
	dense.Axpy(1, h.coef, g.coef)
	dense.Axpy(1, h.vec, g.vec)
	for k, d := range h.log {
		g.log[k] += d / 2
	}
	return value
}

// ownPass adds up a block of vectors and returns its part of the norm.
func (o *objective) ownPass(v variables, block int) (value float64) {
	w, s := o.own, &o.scratch[0]
	b, z := w.block, w.z[block*w.stride:]
	o.kernel(s, z, b)
	kernel := s.k[:o.k*b]
	for out := range o.Outputs {
		f, r := s.f[:b], s.r[out*b:(out+1)*b]
		clear(f)
		clear(r)
		coef := v.coef[out*o.units : out*o.units+o.k]
		dense.AddRows(f, coef, kernel, b)
		for j, a := range coef[block*b : min((block+1)*b, o.k)] {
			r[j] = o.Norm * a
			value += r[j] / 2 * f[j]
		}
		dense.AddMulVec(w.part.coef[out*o.units:out*o.units+o.k], kernel, b, r)
	}
	o.moments(&w.part, s, v, z, b)
	return value
}
