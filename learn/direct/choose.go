package direct

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// The numbers of a choice. Where no source is named they are compromises between time and held-out loss.
const (
	maxVectors    = 64   // vectors tried without MaxSV
	folds         = 5    // of a cross-validation
	maxRepeats    = 5    // repetitions of cross-validation, for regression; classes have 1
	enoughHeldOut = 1000 // held-out samples, with which no more folds or repetitions are made
	patience      = 2    // levels without a lower loss, after which a setting is dropped
	minRaced      = 150  // held-out samples before settings fall out of a race
	minSettings   = 3    // settings that go on to more units
	fineGrid      = 300  // samples below which classification tries more values of γ: training is fast

	// Standard errors of the difference of two losses, sample by sample. A race ends for a setting this far above the
	// best of its kind, a level for one this far above the best of the level, or the best of its kind above the best of
	// all.
	raceErrors, levelErrors, kindErrors = 2.5, 2, 4
	// Within so many above the least loss simpler is better (Breiman et al. 1984, section 3.4.3); or within so many, if
	// the error is no larger.
	simplerErrors, equalErrors = 1, 2
)

// The grid of Tune, as factors of C and of the kernel's γ.
var (
	costs      = []float64{0.1, 1}
	valueCosts = []float64{1, 10, 100} // for regression
	gammas     = []float64{0.05, 0.2, 0.7, 2.5}
	fineGammas = []float64{0.05, 0.1, 0.2, 0.4, 0.7, 1.4, 2.5} // for few samples
)

// setting is what Tune chooses in addition to the number of vectors.
type setting struct {
	C, Gamma float64
	Widths   centres.Widths
	Shape    shape
}

// shape says which units a model has, by [Trainer.Units].
type shape uint8

const (
	vectors shape = iota
	steps
	directions
	mixed
)

var shapes = []string{"vectors", "steps", "directions", "mixed"}

func shapeOf(units string) shape { return shape(max(0, slices.Index(shapes, units))) }

func (s shape) String() string { return shapes[s] }

// units names them.
func (s shape) units() string {
	switch s {
	case vectors:
		return "vectors"
	case mixed:
		return "vectors and steps"
	}
	return "steps"
}

// bumps reports whether there are vectors, so that the kernel matters.
func (s shape) bumps() bool { return s == vectors || s == mixed }

// apply makes q a problem of such units.
func (s shape) apply(q *centres.Problem) { q.Plane, q.Free = s != vectors, s == directions }

// split returns the numbers of vectors and of steps among k units.
func (s shape) split(k int) (ofVectors, ofSteps int) {
	switch s {
	case vectors:
		return k, 0
	case mixed:
		return k - k/2, k / 2
	}
	return 0, k
}

// settings lists the settings to compare on n samples.
func (j *job) settings(n int) (list []setting) {
	own := setting{C: j.C, Gamma: j.problem.Kernel.Gamma, Widths: j.widths(), Shape: shapeOf(j.Units)}
	if !j.Tune {
		return []setting{own}
	}
	factors, times := j.costs(), gammas
	if j.classes > 1 && n < fineGrid {
		times = fineGammas
	}
	for _, units := range shapes {
		if units != j.Units && (j.Units != "auto" || units != vectors.String() && units != steps.String()) {
			continue
		}
		for _, widths := range []centres.Widths{centres.Fixed, centres.Each} {
			if widths < own.Widths || widths > own.Widths && units != vectors.String() {
				continue // widths are learned for vectors alone unless they are asked for
			}
			for _, c := range factors {
				for i, g := range times {
					if s := (setting{c * own.C, g * own.Gamma, widths, shapeOf(units)}); s.Shape.bumps() || i == 0 {
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

// at is the problem with a setting instead of the job's; it shares the samples.
func (j *job) at(all *centres.Problem, s setting) *centres.Problem {
	q := *all
	q.Kernel.Gamma, q.Widths = s.Gamma, s.Widths
	s.Shape.apply(&q)
	if s.C != j.C {
		q.Weight = make([]float64, len(all.Weight))
		for i, w := range all.Weight {
			q.Weight[i] = w * s.C / j.C
		}
	}
	return &q
}

// choice is the state of a cross-validation.
type choice struct {
	*job
	all        *centres.Problem
	deals      [][]int          // each sample's fold, for every repetition
	parts      int              // folds per repetition
	validation *centres.Problem // the caller's validation samples instead of folds, or nil
	used       int              // folds used, over all repetitions
	orders     []centres.Order  // of the samples of each fold
	branches   []*branch
	settings   []setting // all of them
	tried      []*trial
	leading    int   // settings of the last level that are the best of their kind
	taken      int64 // bytes taken for workers
	mu         sync.Mutex
}

// branch is one setting with a growing number of vectors.
type branch struct {
	setting
	last  []*centres.Model // one per fold
	best  *trial           // so far
	worse int              // levels since the best
	loss  float64          // of the last level, at first infinite
}

// choose compares numbers of vectors, 2, 4, 8, ... and then fewer, and settings. It returns nil if there is
// nothing to compare, or if a class has too few samples for folds.
func (j *job) choose(ctx context.Context, all *centres.Problem, rng *rand.Rand) (*choice, error) {
	settings := j.settings(all.N)
	if j.MaxSV > 0 && len(settings) == 1 {
		return nil, nil
	}
	if n := partOf(all, maxVectors); n < all.N {
		var err error
		if all, err = j.part(all, n, rng); err != nil {
			return nil, err
		}
	}
	c := &choice{job: j, all: all}
	if possible, err := c.deal(rng); !possible || err != nil {
		return nil, err
	}
	c.branches = c.begun(settings)
	levels := j.levels()
	for _, k := range levels {
		if len(c.branches) == 0 || ctx.Err() != nil {
			break
		}
		live, err := c.level(ctx, k)
		if err != nil {
			if len(c.tried) == 0 {
				return nil, err
			}
			break // no memory for more vectors
		}
		c.branches = live
	}
	c.beyond(ctx)
	if j.MaxSV == 0 {
		c.descend(ctx)
	}
	return c, nil
}

// levels are the numbers of vectors to try, 2, 4, 8, ...: up to MaxSV, which is one of them, or to maxVectors.
// Without Tune a MaxSV is the number.
func (j *job) levels() (levels []int) {
	first, top := j.min(j.classes), maxVectors
	switch {
	case j.MaxSV > 0 && !j.Tune:
		return []int{j.MaxSV}
	case j.MaxSV > 0:
		top = j.MaxSV
	}
	for k := first; k <= max(first, top); k *= 2 {
		levels = append(levels, k)
	}
	if j.MaxSV > levels[len(levels)-1] {
		levels = append(levels, j.MaxSV)
	}
	return levels
}

// begun are branches without models.
func (c *choice) begun(settings []setting) (branches []*branch) {
	c.settings = append(c.settings, settings...)
	for _, s := range settings {
		branches = append(branches, &branch{setting: s, last: make([]*centres.Model, c.used), loss: math.Inf(1)})
	}
	return branches
}

// followers are branches for the settings that are tried at the γ of the best vectors alone: mixed units.
func (c *choice) followers(trials []*trial) []*branch {
	best := slices.DeleteFunc(trials, func(t *trial) bool { return t.Shape != vectors })
	if !c.Tune || c.Units != "auto" || len(best) == 0 {
		return nil
	}
	var list []setting
	for _, f := range c.costs() {
		list = append(list, setting{f * c.C, lowest(best).Gamma, c.widths(), mixed})
	}
	return c.begun(list)
}

// costs are the factors of C that are tried.
func (j *job) costs() []float64 {
	if j.classes == 1 || j.Loss == soft {
		return valueCosts
	}
	return costs
}

// deal makes folds unless the caller has validation samples; false if a class has too few samples.
func (c *choice) deal(rng *rand.Rand) (possible bool, err error) {
	c.used = 1
	if v := c.problem.Validation; v != nil {
		c.validation = &centres.Problem{Levels: c.all.Levels, X: v.X, N: v.N, D: c.all.D, Outputs: c.outputs, Loss: c.all.Loss,
			Target: c.targets(v.Y), Weight: slices.Repeat([]float64{1}, v.N)}
		c.orders = make([]centres.Order, 1)
		return true, c.budget.Take(8 * int64(v.N) * int64(c.outputs+1))
	}
	class, classes, often := c.classesOf(c.all), c.classes, 1
	if c.Loss == soft { // a class need not be the likeliest of any sample
		class, classes = make([]int, c.all.N), 1
	}
	if c.classes == 1 {
		often = max(1, min(maxRepeats, enoughHeldOut/c.all.N))
	}
	for range often {
		fold := deal.Fair(class, classes, c.all.Group, folds, rng)
		if fold == nil {
			return false, nil
		}
		c.deals = append(c.deals, fold)
	}
	c.parts = slices.Max(c.deals[0]) + 1
	if c.used = c.parts * often; often == 1 {
		c.used = min(c.parts, max(1, (enoughHeldOut*c.parts+c.all.N-1)/c.all.N))
	}
	c.orders = make([]centres.Order, c.parts*often)
	n := int64(c.all.N)
	bytes := 8 * n * (int64(often+1) + int64(c.used)*int64(c.all.D+2*c.outputs+3))
	if c.Units != vectors.String() && (c.Tune || c.Units != "auto") {
		bytes += int64(c.used) * centres.OrderBytes(c.all.N, c.all.D)
	}
	return true, c.budget.Take(bytes)
}

// part is a fold: its training problem, its held-out samples, and their rows.
type part struct {
	in, out *centres.Problem
	rows    []int
}

func (c *choice) split(fold int) part {
	if c.validation != nil {
		in := *c.all
		in.Order = &c.orders[fold]
		return part{&in, c.validation, deal.All(c.validation.N)}
	}
	in, out := deal.Parts(c.deals[fold/c.parts], fold%c.parts)
	p := part{c.all.Subset(in), c.all.Subset(out), out}
	p.in.Order = &c.orders[fold]
	return p
}

// bytes is the memory of a worker with k vectors, for the largest of the settings.
func (c *choice) bytes(k int, branches []*branch) int64 {
	fit, q := int64(0), *c.all
	for _, b := range branches {
		q.Widths, q.Threads = b.Widths, 1
		fit = max(fit, centres.Bytes(&q, k))
	}
	if c.Tune {
		fit += centres.SolveBytes
	}
	return 8*int64(c.all.N)*int64(4*c.outputs+6) + fit
}

// workers takes memory for workers with k vectors, and for the losses, and returns their number.
func (c *choice) workers(k int, branches []*branch) (int, error) {
	losses := 8 * int64(c.all.N) * int64(len(branches))
	if c.validation != nil {
		losses = 8 * int64(c.validation.N) * int64(len(branches))
	}
	each, n := c.bytes(k, branches), int64(min(parallel.Workers(c.problem.Threads), len(branches)*c.used))
	n = max(1, min(n, (c.budget.Left()+c.taken-losses)/each))
	more := max(0, n*each-c.taken)
	if err := c.budget.Take(losses + more); err != nil {
		return 0, err
	}
	c.taken += more
	return int(n), nil
}

// report reports progress from any worker.
func (c *choice) report(done float64, k int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress(func() learn.Event {
		return learn.Event{Phase: "choose", Done: done, Vectors: k}
	})
}

// edges are the least and the largest C and γ, of the settings of a trial's kind, at which it lies.
func (c *choice) edges(t *trial) (edges []learn.Edge) {
	for _, a := range axes {
		values := c.valuesOf(t, a.of)
		v, last := *a.of(&t.setting), len(values)-1
		if last > 0 && (v == values[0] || v == values[last]) {
			edges = append(edges, learn.Edge{Name: a.name, Value: v, Least: v == values[0]})
		}
	}
	return edges
}

// axis is a number of a setting.
type axis struct {
	name string
	of   func(s *setting) *float64
}

// axes are the numbers of a setting.
var axes = []axis{{"c", func(s *setting) *float64 { return &s.C }}, {"gamma", func(s *setting) *float64 { return &s.Gamma }}}

// valuesOf are the values that were tried for settings of a trial's kind.
func (c *choice) valuesOf(t *trial, of func(s *setting) *float64) (values []float64) {
	for _, s := range c.settings {
		if s.kind() == t.kind() {
			values = append(values, *of(&s))
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// beyond goes on where the choice lies at an end of the C or γ that were tried, once: with two values more, in the
// ratio of the last two.
func (c *choice) beyond(ctx context.Context) {
	if !c.Tune || len(c.tried) == 0 || ctx.Err() != nil {
		return
	}
	var list []setting
	t := c.pick(c.tried)
	for _, e := range c.edges(t) {
		a := axes[slices.IndexFunc(axes, func(a axis) bool { return a.name == e.Name })]
		values := c.valuesOf(t, a.of)
		if !e.Least {
			slices.Reverse(values)
		}
		s := t.setting
		for range 2 {
			*a.of(&s) *= values[0] / values[1]
			list = append(list, s)
		}
	}
	c.branches = c.begun(list)
	for _, b := range c.branches {
		for i, o := range t.folds {
			if o.fit != nil && b.Gamma == t.Gamma { // a model goes on with its own γ
				b.last[i] = o.fit.m
			}
		}
	}
	if len(list) > 0 {
		_, _ = c.level(ctx, t.k) // without memory for its losses there are none
	}
}

const (
	kept       = 0.75 // share of the support vectors that remain after a step down
	candidates = 4    // vectors with the smallest coefficients that are compared to drop one
	compared   = 32   // vectors up to which they are compared, fewer for many classes; else the smallest is dropped
)

// descend tries fewer vectors than chosen, starting from above: a quarter is dropped and the others are trained, as
// long as the smaller number is chosen. The results are better than with the same number grown from below.
func (c *choice) descend(ctx context.Context) {
	for len(c.tried) > 0 && ctx.Err() == nil {
		t := c.pick(c.tried)
		k := int(kept * float64(t.k))
		if k < c.min(c.classes) {
			return
		}
		b := &branch{setting: t.setting, last: make([]*centres.Model, c.used)}
		for i, o := range t.folds {
			if o.fit != nil {
				b.last[i] = o.fit.m
			}
		}
		c.branches = []*branch{b}
		if _, err := c.level(ctx, k); err != nil {
			return // no memory for its losses
		}
		if c.pick(c.tried).k >= t.k {
			return
		}
	}
}

// pruned drops vectors until k are left, each time the one whose loss increases the refitted objective least.
func pruned(ctx context.Context, q *centres.Problem, m *centres.Model, k int) *centres.Model {
	for m.Units() > k && ctx.Err() == nil {
		size := make([]float64, m.Units())
		for j := range size {
			for o := range m.Bias {
				size[j] += math.Abs(m.Coef[o*m.Units()+j])
			}
		}
		all := deal.Ascending(size)
		if m.Units()*max(1, q.Outputs/4) > compared {
			all = all[:1]
		}
		best, smallest := m.Without(all[0]), math.Inf(1)
		for _, j := range all[:min(candidates, len(all))] {
			without := m.Without(j)
			certs, err := centres.Refit(ctx, q, without)
			if err != nil {
				return best
			}
			var sum float64
			for i := range certs {
				sum += certs[i].Objective
			}
			if sum < smallest {
				best, smallest = without, sum
			}
		}
		m = best
	}
	return m
}
