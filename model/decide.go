package model

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// batchRows is the number of rows that a worker takes at a time.
const batchRows = 64

// decide writes the decision values of m rows to dst; s has room for at least m rows.
func (c *Classifier) decide(dst, x []float64, m int, s *scratch) {
	d, submodels := c.parts.D, len(c.parts.Submodels)
	if c.small { // one row at a time is faster than tiles of few vectors
		for q := range m {
			c.decideSmall(dst[q*submodels:(q+1)*submodels], x[q*d:(q+1)*d])
		}
		return
	}
	if c.latent != nil {
		c.latent.decide(dst, x, m, s.latent)
		return
	}
	raw := x
	if c.parts.Scaling != nil {
		for q := range m {
			c.parts.Scaling.ApplyTo(s.x[q*d:(q+1)*d], x[q*d:(q+1)*d])
		}
		x = s.x
	}
	for i := range c.groups {
		g := &c.groups[i]
		k := len(g.submodels)
		part := s.part[:m*k]
		g.eval(part, x, m, s)
		g.spread(dst, part, m, submodels)
	}
	if c.extra != nil {
		c.extra.add(dst, raw, m, s.room)
	}
}

// spread adds biases to the outputs of m rows and writes them to the columns of their submodels.
func (g *group) spread(dst, part []float64, m, submodels int) {
	k := len(g.submodels)
	for q := range m {
		for o, j := range g.submodels {
			dst[q*submodels+j] = part[q*k+o] + g.bias[o]
		}
	}
}

// decideSmall writes the decision values of one row to dst, for a classifier whose groups have a loop for one row.
func (c *Classifier) decideSmall(dst, x []float64) {
	for i := range c.groups {
		g := &c.groups[i]
		if g.small != nil {
			g.small.Eval(dst[g.submodels[0]:], x)
			continue
		}
		for o, b := range g.bias {
			dst[g.submodels[o]] = b + 0 // no −0, as for a sum
		}
	}
	switch {
	case c.extra == nil:
	case c.extra.room() <= extraRoom/2: // half as many zeros to write
		var room [extraRoom / 2]float64
		c.extra.add(dst, x, 1, room[:])
	default:
		var room [extraRoom]float64
		c.extra.add(dst, x, 1, room[:])
	}
}

// checkRow panics unless x is one row.
func (c *Classifier) checkRow(x []float64) {
	if len(x) != c.parts.D {
		c.panicRow(len(x))
	}
}

// panicRow and panicSubmodels are functions of their own so that their callers need no stack frame for a message.
//
//go:noinline
func (c *Classifier) panicRow(features int) {
	panic(fmt.Sprintf("model: a row of %d features, want %d", features, c.parts.D))
}

//go:noinline
func (c *Classifier) panicSubmodels() {
	panic(fmt.Sprintf("model: Decide on a classifier of %d submodels; use DecideTo", len(c.parts.Submodels)))
}

// Decide returns the decision value of the only submodel for a row of raw features. It is positive for the class
// PositiveLabel(0); for regression and density it is the prediction. It panics if there is more than one submodel or if
// the row has another number of features than the classifier.
func (c *Classifier) Decide(x []float64) float64 {
	if len(c.parts.Submodels) != 1 {
		c.panicSubmodels()
	}
	c.checkRow(x)
	if c.small {
		var f [1]float64
		if c.extra == nil {
			c.groups[0].small.Eval(f[:], x)
		} else {
			c.decideSmall(f[:], x)
		}
		return f[0]
	}
	s := c.scratch.Get().(*scratch)
	c.decide(s.f, x, 1, s)
	f := s.f[0]
	c.scratch.Put(s)
	return f
}

// DecideTo writes the decision value of every submodel for a row of raw features to the first NumSubmodels elements of
// dst. It panics if dst is shorter or if the row has another number of features.
func (c *Classifier) DecideTo(dst, x []float64) {
	c.checkRow(x)
	dst = dst[:len(c.parts.Submodels)]
	if c.small {
		c.decideSmall(dst, x)
		return
	}
	s := c.scratch.Get().(*scratch)
	c.decide(dst, x, 1, s)
	c.scratch.Put(s)
}

// stack is the memory of one prediction by few submodels.
type stack struct{ f, scores [16]float64 }

// Predict returns the class of a row of raw features, 0 for regression and density. It panics if the row has another
// number of features.
func (c *Classifier) Predict(x []float64) int {
	c.checkRow(x)
	if room := len(stack{}.f); c.small && len(c.parts.Submodels) <= room && len(c.parts.Labels) <= room {
		var s stack
		c.decideSmall(s.f[:], x)
		return c.classOf(s.f[:], s.scores[:len(c.parts.Labels)])
	}
	s := c.scratch.Get().(*scratch)
	c.decide(s.f, x, 1, s)
	class := c.classOf(s.f, s.scores)
	c.scratch.Put(s)
	return class
}

// EachBatch calls f for consecutive batches of n samples: the samples lo to lo+n−1 at each call. Between batches it
// checks the context, and returns its error. A batch has about 2²⁷ products of features, a few hundredths of a second.
func (c *Classifier) EachBatch(ctx context.Context, n int, f func(lo, n int)) error {
	const products = 1 << 27
	features := c.NumFeatures()
	if m := c.parts.Sparse; m != nil {
		features = min(features, 1+len(m.Value)/max(1, m.N)) // assumes samples as sparse as the vectors
	}
	if c.latent != nil {
		features = len(c.parts.Latent) * (features + c.NumVectors())
	}
	rows := max(1, products/(1+features)/(1+c.NumVectors()))
	for lo := 0; lo < n && ctx.Err() == nil; lo += rows {
		f(lo, min(rows, n-lo))
	}
	return ctx.Err()
}

// DecideBatch writes the decision values of n rows of raw features (x is n×NumFeatures, row-major) to
// dst (n×NumSubmodels), on the given number of threads; 0 means GOMAXPROCS.
func (c *Classifier) DecideBatch(dst, x []float64, n, threads int) {
	submodels, d := len(c.parts.Submodels), c.parts.D
	dst, x = dst[:n*submodels], x[:n*d]
	c.batch(n, threads, func(lo, hi int, s *scratch) {
		c.decide(dst[lo*submodels:hi*submodels], x[lo*d:hi*d], hi-lo, s)
	})
}

// PredictBatch writes the classes of n rows of raw features (x is n×NumFeatures, row-major)
// to dst, on the given number of threads; 0 means GOMAXPROCS.
func (c *Classifier) PredictBatch(dst []int, x []float64, n, threads int) {
	submodels, d := len(c.parts.Submodels), c.parts.D
	dst, x = dst[:n], x[:n*d]
	c.batch(n, threads, func(lo, hi int, s *scratch) {
		c.decide(s.f, x[lo*d:hi*d], hi-lo, s)
		for q := lo; q < hi; q++ {
			dst[q] = c.classOf(s.f[(q-lo)*submodels:(q-lo+1)*submodels], s.scores)
		}
	})
}

// Classes writes the classes of n rows to dst, from their decision values (n×NumSubmodels, as
// [Classifier.DecideBatch] writes them). They are the classes of PredictBatch.
func (c *Classifier) Classes(dst []int, decisions []float64, n int) {
	submodels := len(c.parts.Submodels)
	dst, decisions = dst[:n], decisions[:n*submodels]
	scores := make([]float64, len(c.parts.Labels))
	for q := range dst {
		dst[q] = c.classOf(decisions[q*submodels:(q+1)*submodels], scores)
	}
}

// blockRows is the number of rows of a block: batchRows, or fewer if their decision values or scaled features are very
// many.
func (c *Classifier) blockRows() int {
	const decisions, features = 1 << 17, 1 << 20
	rows := min(batchRows, decisions/max(1, len(c.parts.Submodels)))
	if c.parts.Scaling != nil {
		rows = min(rows, features/max(1, c.parts.D))
	}
	return max(1, rows)
}

// batch calls run for blocks of up to blockRows rows.
func (c *Classifier) batch(n, threads int, run func(lo, hi int, s *scratch)) {
	largest := c.blockRows()
	blocks := (n + largest - 1) / largest
	workers := make([]*scratch, min(parallel.Workers(threads), blocks))
	parallel.For(threads, blocks, func(w, block int) {
		if workers[w] == nil {
			workers[w] = c.newScratch(min(n, largest))
		}
		lo := block * largest
		run(lo, min(lo+largest, n), workers[w])
	})
}

// classOf applies the scheme to one row's decision values.
func (c *Classifier) classOf(f, scores []float64) int {
	p := &c.parts
	switch p.Scheme {
	case Binary:
		m := &p.Submodels[0]
		if f[0] > 0 {
			return m.Pos
		}
		return m.Neg
	case OneVsRest:
		for i := range p.Submodels {
			scores[p.Submodels[i].Pos] = f[i]
		}
	case OneVsOne:
		clear(scores)
		for i := range p.Submodels {
			if m := &p.Submodels[i]; f[i] > 0 {
				scores[m.Pos]++
			} else {
				scores[m.Neg]++
			}
		}
	case PairwiseFuzzy:
		for i := range scores {
			scores[i] = 1
		}
		for i := range p.Submodels {
			m := &p.Submodels[i]
			scores[m.Pos] = min(scores[m.Pos], f[i])
			scores[m.Neg] = min(scores[m.Neg], -f[i])
		}
	}
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	return best
}

// PositiveLabel returns the label of a submodel's positive class.
func (c *Classifier) PositiveLabel(submodel int) string {
	return c.parts.Labels[c.parts.Submodels[submodel].Pos]
}
