package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

var errNoVariance = errors.New("model: it has no variances: Gaussian processes and relevance vector machines for " +
	"regression, rvm and rvm-fast, have them, until a reduction changes them")

// Uncertain returns nil if the model has variances for its predictions, else an error that says why it has none.
func (c *Classifier) Uncertain() error {
	if c.parts.Posterior == nil {
		return errNoVariance
	}
	return nil
}

// Variances writes the variance of the target of each of n rows of raw features (x is n×NumFeatures, row-major) to dst,
// on the given number of threads; 0 means GOMAXPROCS. It is in the square of the target's unit and includes the noise;
// the mean is the decision value. With the coefficients' posterior it is σ² + φᵀΣφ, Tipping (2001), eq. (22), for a
// Gaussian process σ² and the formula of [learn.Process], which rounding does not take below 0. It panics unless
// [Classifier.Uncertain] returns nil.
func (c *Classifier) Variances(dst, x []float64, n, threads int) {
	if err := c.Uncertain(); err != nil {
		panic(err.Error())
	}
	d := c.parts.D
	dst, x = dst[:n], x[:n*d]
	spread := c.spread.spread(c)
	c.batch(n, threads, func(lo, hi int, _ *scratch) {
		room := spread.rooms.Get().(*spreadRoom)
		for q := lo; q < hi; q++ {
			spread.values(&c.parts, x[q*d:(q+1)*d], room)
			dst[q] = spread.variance(room)
		}
		spread.rooms.Put(room)
	})
}

// MeanVariance returns the decision value for a row of raw features, the mean of its target, and the target's variance
// as [Classifier.Variances] has it. It allocates nothing after the first call of either. It panics unless
// [Classifier.Uncertain] returns nil, or if the row has another number of features.
func (c *Classifier) MeanVariance(x []float64) (mean, variance float64) {
	if err := c.Uncertain(); err != nil {
		panic(err.Error())
	}
	c.checkRow(x)
	spread := c.spread.spread(c)
	room := spread.rooms.Get().(*spreadRoom)
	spread.values(&c.parts, x, room)
	if spread.sums == nil {
		mean = c.Decide(x)
	} else {
		spread.sums.Sums(room.mean[:], room.phi)
		mean = room.mean[0] + spread.bias
	}
	variance = spread.variance(room)
	spread.rooms.Put(room)
	return mean, variance
}

// laterSpread is a spread that the first variance makes. A program without variances links none of it, nor its type.
type laterSpread struct {
	once sync.Once
	made any
}

func (l *laterSpread) spread(c *Classifier) *spread {
	l.once.Do(func() { l.made = newSpread(c) })
	return l.made.(*spread)
}

// spread evaluates variances.
type spread struct {
	kernel          gram.Kernel
	vectors         *gram.Samples[float64]   // in the order of the coefficients
	sums            *gram.Expansion[float64] // the mean over the same vectors, without its bias; nil if it is not that
	bias            float64
	posterior       *learn.Posterior
	triangle, upper *stairs // of a Gaussian process; upper is nil without a spread
	rooms           sync.Pool
}

// spreadRoom is the memory of one variance: scaled features, kernel values and a last 1, two products, and the mean.
type spreadRoom struct {
	row, phi, w, u []float64
	mean           [1]float64
	self           float64 // k(x, x)
}

func newSpread(c *Classifier) *spread {
	p := &c.parts
	m, n, d := &p.Submodels[0], len(p.Submodels[0].Support), p.D
	s, inOrder := &spread{kernel: *p.kernelOf(m)}, m.Kernel != nil || slices.Equal(m.Support, deal.All(n))
	if g := &c.groups[0]; c.extra == nil && g.sums != nil && inOrder && s.kernel.Vectorised() {
		s.sums, s.vectors, s.bias = g.sums, g.sums.Samples(), g.bias[0]+0 // no −0, as in decisions
	} else {
		s.vectors = p.pack(s.kernel, m.Support)
	}
	s.setPosterior(p.Posterior, n)
	s.rooms.New = func() any { return newSpreadRoom(d, n) }
	return s
}

// setPosterior lays out what the posterior has for n vectors.
func (s *spread) setPosterior(q *learn.Posterior, n int) {
	s.posterior = q
	if f := q.Process; f != nil {
		s.triangle = newStairs(f.Triangle, n, false)
		if f.Spread != nil {
			s.upper = newStairs(f.Spread, n, true)
		}
	}
}

// newSpreadRoom is the memory for n vectors of d features.
func newSpreadRoom(d, n int) *spreadRoom {
	return &spreadRoom{row: make([]float64, d), phi: make([]float64, gram.Stride[float64](n+1)),
		w: make([]float64, padded(n)), u: make([]float64, padded(n))}
}

// values writes the kernel values of a raw row, and the last 1 of a posterior of coefficients, to room.phi.
func (s *spread) values(p *Parts, x []float64, room *spreadRoom) {
	if p.Scaling != nil {
		p.Scaling.ApplyTo(room.row, x)
		x = room.row
	}
	if room.self = 1; !s.kernel.Bounded() && s.posterior.Process != nil {
		copy(room.row, x) // which Eval would take from the caller's stack
		room.self = s.kernel.Eval(room.row, room.row)
	}
	n := s.vectors.Len()
	s.vectors.Cross(room.phi, n, x, 1)
	if s.posterior.Process == nil {
		room.phi[n] = 1
	}
}

// variance returns the variance for a row whose values are in room.
func (s *spread) variance(room *spreadRoom) float64 {
	n := s.vectors.Len()
	q := s.posterior
	if q.Process == nil {
		return q.Variance(room.phi[:n+1])
	}
	s.triangle.mul(room.w, room.phi)
	v := q.Process.Prior*room.self - dense.Dot(room.w, room.w)
	if s.upper != nil {
		s.upper.mul(room.u, room.w)
		v += dense.Dot(room.u, room.u)
	}
	return q.Noise + max(0, v)
}

// stairs is a triangle for products with a vector: blocks of stairColumns columns, each padded to a rectangle as high
// as its longest column, and stored column by column. Rows are padded to a multiple of stairPad.
type stairs struct {
	n     int
	upper bool
	data  []float64
}

const stairColumns, stairPad = 16, 8

// padded is the length of a product of n rows.
func padded(n int) int { return (n + stairPad - 1) / stairPad * stairPad }

// block returns the rows of the block of columns from lo, and the end of its columns.
func (s *stairs) block(lo int) (from, to, hi int) {
	hi = min(lo+stairColumns, s.n)
	if s.upper {
		return 0, padded(hi), hi
	}
	return lo, padded(s.n), hi
}

// stairBytes is the memory of the stairs of a triangle of n rows.
func stairBytes(n int) float64 { return 8 * float64(n) * (float64(n)/2 + stairColumns + stairPad) }

// newStairs lays out the lower triangle with these rows, or its transpose.
func newStairs(rows []float64, n int, transpose bool) *stairs {
	s := &stairs{n: n, upper: transpose}
	size := 0
	for lo := 0; lo < n; lo += stairColumns {
		from, to, hi := s.block(lo)
		size += (to - from) * (hi - lo)
	}
	s.data = make([]float64, 0, size)
	for lo := 0; lo < n; lo += stairColumns {
		from, to, hi := s.block(lo)
		for j := lo; j < hi; j++ {
			for i := from; i < to; i++ {
				a, b, v := i, j, 0.0
				if transpose {
					a, b = j, i
				}
				if b <= a && a < n {
					v = rows[a*(a+1)/2+b]
				}
				s.data = append(s.data, v)
			}
		}
	}
	return s
}

// mul writes the product with the first n elements of x to dst, which is padded.
func (s *stairs) mul(dst, x []float64) {
	clear(dst)
	rest := s.data
	for lo := 0; lo < s.n; lo += stairColumns {
		from, to, hi := s.block(lo)
		dense.AddRows(dst[from:to], x[lo:hi], rest, to-from)
		rest = rest[(hi-lo)*(to-from):]
	}
}

// process returns what the model has of a Gaussian process, nil for none.
func (p *Parts) process() *learn.Process {
	if p.Posterior == nil {
		return nil
	}
	return p.Posterior.Process
}

// validatePosterior checks that the posterior fits the coefficients and the bias of a regression model.
func (p *Parts) validatePosterior() error {
	q := p.Posterior
	switch {
	case q == nil:
		return nil
	case p.Task != learn.Regress:
		return fmt.Errorf("model: a posterior in a model of the task %v, want regress", p.Task)
	case !(q.Noise >= 0) || math.IsInf(q.Noise, 0):
		return fmt.Errorf("model: variance of the noise is %v", q.Noise)
	case q.Process != nil:
		return p.validateProcess(q, &p.Submodels[0])
	}
	n := len(p.Submodels[0].Coef) + 1
	if len(q.Covariance) != n*(n+1)/2 {
		return fmt.Errorf("model: %d covariances for %d coefficients and a bias, want %d", len(q.Covariance), n-1, n*(n+1)/2)
	}
	row := q.Covariance
	for i := range n {
		for j, v := range row[:i+1] {
			if !finite(v) || i == j && v < 0 {
				return fmt.Errorf("model: covariance of coefficients %d and %d is %v", i, j, v)
			}
		}
		row = row[i+1:]
	}
	return nil
}

// kernelOf is the kernel of a submodel.
func (p *Parts) kernelOf(m *learn.Submodel) *gram.Kernel {
	if m.Kernel != nil {
		return m.Kernel
	}
	return &p.Kernel
}

// validateProcess checks what the variances of a submodel's Gaussian process need.
func (p *Parts) validateProcess(q *learn.Posterior, m *learn.Submodel) error {
	f, n, k := q.Process, len(m.Coef), p.kernelOf(m)
	ok := (k.Bounded() || k.Composed()) && q.Covariance == nil && f.Prior > 0 && finite(f.Prior)
	for _, triangle := range [...][]float64{f.Triangle, f.Spread} {
		ok = ok && (len(triangle) == n*(n+1)/2 || triangle == nil && n > 0)
		for _, v := range triangle {
			ok = ok && finite(v)
		}
	}
	if !ok || len(f.Triangle) == 0 && n > 0 {
		return fmt.Errorf("model: a Gaussian process of %d vectors wants a kernel with k(x, x) = 1 or a composite one, a "+
			"variance above 0, no covariances, and triangles of finite numbers", n)
	}
	return nil
}
