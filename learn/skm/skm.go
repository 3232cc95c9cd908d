// Package skm trains the linear-programming models of Peleg & Meir (2009): the
// sparsity driven kernel machine (SKM), which minimises a generalisation bound,
// and its comparators, the l1-norm SVM, the l0-norm SVM and the LP-SVC of Kecman &
// Hadzic (2000).
//
// All four are sequences of programs of one form, solved by learn/internal/kernellp with
// row generation and warm starts. The kernel may be any; the bound (2) is proven
// for kernels with values in [0, 1].
package skm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "skm": problem (3), by successive linearisation (Table 1) for a
// given margin δ and a search for the δ with the least f0(δ).
type Trainer struct {
	learn.Named[Trainer]
	C     float64 // cost of the complexity term; 0 means 0.01
	Delta float64 // margin δ in (0, 1]; 0 means search
	// MarginBy says what the search makes small: "f0", of problem (3), or "compression", the compression bound of the
	// error rate, which whoever asks for it evaluates ([Trainer.Models]). "" means f0.
	MarginBy string
	// Threshold, when positive, drops the coefficients with α_i / max α below it and solves the
	// last program again over the rest, whose certificate the report has. 0 keeps every nonzero
	// coefficient. The paper's count at 0.01 (section 3.1) is in the figures whatever it is.
	Threshold float64
	// Starts is how many α* are tried at the margin found: 1/n as in the paper; then the model found, beyond its
	// programs; then drawn ones. The model of the least f0 stays. 0 means 1.
	Starts int
	// Programs is the number of programs for one δ; 0 means 3: "while ‖α−α*‖₁ > τ for 3 iterations" (Table 1) is read as
	// at most three, fewer when α stops changing, which agrees with "approximately three LPs for a given δ" (section 3.3).
	Programs int
	learn.Subset
}

func init() {
	learn.Register(Trainer{C: 0.01, Starts: 1, MarginBy: byF0, Programs: 3, Subset: learn.AllSamples}, learn.Method{
		Name: "skm", Paper: "Peleg & Meir (2009), eq. (3) and Table 1",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "sparsity driven kernel machine: minimises a generalisation bound over coefficients and margin",
		Own: []learn.Param{
			{Name: "margin", Field: "Delta", Range: learn.UpToOne,
				Doc: "Margin δ of skm in (0, 1]. Default: search for the best."},
			{Name: "margin_by", Words: []string{byF0, byCompression},
				Doc: "What the search for the margin makes small: f0, the objective of the method, or compression, the bound of " +
					"the error rate that is asked for. Default: f0."},
			{Name: "programs", Range: learn.Count, Doc: "Linear programs for one margin at most."},
		},
	})
}

var _ learn.FreePath = Trainer{}

// Figures are the figures of skm in a report.
type Figures struct {
	Delta       float64   `json:"delta"`        // margin δ of the model returned
	Deltas      []float64 `json:"deltas"`       // all margins evaluated up to this model, in the order of the report's Rounds
	F0          float64   `json:"f0"`           // f0(δ), the least of them
	Solves      int       `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int       `json:"working_rows"` // rows of the dual that the model's last program held
	SVCounted   int       `json:"sv_counted"`   // support vectors in the sense of section 3.1: α_i ≥ 0.01 max α
	Bound       Bound     `json:"bound"`
}

// ForSize implements [learn.Sized].
func (t Trainer) ForSize(samples int) learn.Trainer {
	t.Subset = learn.FewAbove(4000, samples, learn.FewAbove(searched, samples, t.Subset, 180), 2000)
	return t
}

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// width is the relative length of the bracket at which the search for δ ends.
const width = 0.2

// Train implements [learn.Trainer]. Rounds has one entry for each margin evaluated, and
// Figures are a [Figures]. Of more than 20,000 samples the search for δ is over 2000, whose weights stand for all.
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := t.complete(); err != nil {
		return nil, err
	}
	var r *learn.Result
	err := t.train(ctx, p, []float64{t.C}, func(_ float64, one *learn.Result) bool { r = one; return true })
	return r, err
}

// Path implements [learn.PathTrainer]. One walk over the margins is for every C, and its pivots are counted in each
// report.
func (t Trainer) Path(ctx context.Context, p *learn.Problem, c []float64,
	visit func(float64, *learn.Result) bool) error {
	if err := t.complete(); err != nil {
		return err
	}
	for _, c := range c {
		if !learn.Positive.Has(c) {
			return &learn.ParamError{Method: t.Name(), Param: "c", Value: c, Want: learn.Positive.Text}
		}
	}
	return t.train(ctx, p, c, visit)
}

// FreePath implements [learn.FreePath].
func (Trainer) FreePath() {}

// train trains at every value of cs.
func (t Trainer) train(ctx context.Context, p *learn.Problem, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	start := time.Now()
	if t.Delta == 0 && p.N > searched && p.Validate() == nil {
		if rows := p.Present(); len(rows) > searched {
			return t.byMarginsOf(ctx, p, t.some(p, rows), cs, visit)
		}
	}
	m, err := t.training(p)
	if err != nil {
		return err
	}
	defer m.Matrix.Release()
	var w walked
	if t.Delta == 0 {
		if w, err = m.walk(ctx, cs); err != nil {
			return err
		}
	}
	for i, c := range cs {
		t.C = c
		own := *m.Training // whose solver the search replaces
		s := &search{Trainer: t, m: &training{Training: &own, margins: m.margins}, progress: p.Progress,
			pivots: w.end.Iterations, solves: w.end.Solves, last: &w.last,
			many: !p.Kernel.Bounded()}
		r, err := s.run(ctx, &w, i)
		if err != nil {
			return err
		}
		r.Report.Seconds.Solve = time.Since(start).Seconds()
		if start = time.Now(); !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
		if ctx.Err() != nil && i+1 < len(cs) {
			return learn.Nothing(ctx, t.Name())
		}
	}
	return nil
}

// searched is the number of samples up to which the search for δ is over all, whose path has many times as many
// stretches, and searchedOf how many of more it is over. Tests search fewer.
var searched, searchedOf = 20_000, 2000

// some returns p with the weights of some of its rows, of each class its share, which stand for all.
func (t Trainer) some(p *learn.Problem, rows []int) *learn.Problem {
	q := *p
	q.Weight = make([]float64, p.N)
	of := map[float64][]int{}
	for _, k := range rand.New(rand.NewPCG(t.Subset.Seed, 0x6d617267696e)).Perm(len(rows)) {
		y := p.Y[rows[k]]
		of[y] = append(of[y], rows[k])
	}
	for _, all := range of {
		few := max(1, len(all)*searchedOf/len(rows))
		for _, i := range all[:few] {
			q.Weight[i] = p.WeightOf(i) * float64(len(all)) / float64(few)
		}
	}
	return &q
}

// byMarginsOf trains at the margins of trainings on some of the samples.
func (t Trainer) byMarginsOf(ctx context.Context, p, some *learn.Problem, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	var margins []float64
	err := t.train(ctx, some, cs, func(_ float64, r *learn.Result) bool {
		margins = append(margins, r.Report.Figures.(Figures).Delta)
		return true
	})
	for i, goesOn := 0, true; err == nil && goesOn && i < len(margins); i++ {
		t.Delta = margins[i]
		err = t.train(ctx, p, cs[i:i+1], func(c float64, r *learn.Result) bool {
			r.Report.AddMessage(fmt.Sprintf("the margin is that of a training on %d samples", len(some.Present())))
			goesOn = visit(c, r) && !r.Report.Status.Limit()
			return goesOn
		})
	}
	return err
}

// training makes the programs.
func (t Trainer) training(p *learn.Problem) (*training, error) {
	m, err := newTraining(p, linear{shape: kernellp.Shape{OneSided: true, SumToOne: true},
		Parameters: samples.Parameters{Method: t.Name(), C: 1, Subset: t.Subset}})
	if err != nil {
		return nil, err
	}
	if m.margins < 3 {
		m.Matrix.Release()
		return nil, fmt.Errorf("skm: %d samples; the bound needs at least 3", m.margins)
	}
	return m, nil
}

// run trains at the C of place i of the walk.
func (s *search) run(ctx context.Context, w *walked, i int) (*learn.Result, error) {
	switch {
	case s.Delta > 0:
		s.evaluate(ctx, s.Delta)
	case w.stopped: // the model of where the path is
		s.evaluate(ctx, w.reached)
		s.stop = max(w.end.Status, status.FromContext(ctx))
	case w.end.Status == status.Optimal:
		s.descend(ctx, &w.each[i], w)
	default:
		minimise(func(delta float64) (float64, bool) { return s.evaluate(ctx, delta) }, width)
		s.widen(ctx, w)
	}
	if s.err != nil {
		return nil, s.err
	}
	if s.pivots == 0 && ctx.Err() != nil { // the first vertex is a model of one vector, whatever the data
		return nil, learn.Nothing(ctx, s.Name())
	}
	if s.again(ctx); s.err != nil {
		return nil, s.err
	}
	var err error
	if s.sol, err = s.m.Prune(ctx, s.costs, s.sol, s.Threshold); err != nil {
		return nil, err
	}
	return s.result(ctx), nil
}

// again evaluates the best margin from other starts.
func (s *search) again(ctx context.Context) {
	rng := rand.New(rand.NewPCG(s.Subset.Seed, 0))
	delta := s.delta
	for k := 1; k < s.Starts && s.stop == status.Optimal; k++ {
		alpha, columns := make([]float64, len(s.m.Y)), s.m.Matrix.Columns()
		if k == 1 {
			s.m.next(alpha, s.sol)
		} else {
			for _, i := range columns {
				alpha[i] = math.Exp(2 * rng.NormFloat64())
			}
			dense.Scale(alpha, slices.Repeat([]float64{1 / dense.Sum(alpha)}, len(alpha)))
		}
		s.linearise(ctx, delta, alpha, s.Programs)
	}
}

// search evaluates f0 and keeps the best model.
type search struct {
	Trainer
	m        *training
	progress func(learn.Event)
	err      error

	best   float64
	delta  float64
	sol    *kernellp.Solution
	costs  kernellp.Costs // of sol's program
	rounds []learn.Round
	deltas []float64
	solves int
	pivots int
	stop   status.Status // of the last program
	last   *beginning    // of the last margin of the walk that was evaluated
	many   bool          // programs may have many solutions, as with a kernel of few features
}

// evaluate returns f0(δ) (Table 1) and whether the search can go on.
func (s *search) evaluate(ctx context.Context, delta float64) (float64, bool) {
	alpha, columns := make([]float64, len(s.m.Y)), s.m.Matrix.Columns()
	for _, i := range columns {
		alpha[i] = 1 / float64(len(columns))
	}
	return s.linearise(ctx, delta, alpha, s.Programs)
}

// linearise is evaluate from some α* on, with so many programs at most.
func (s *search) linearise(ctx context.Context, delta float64, alpha []float64, programs int) (float64, bool) {
	pen := newPenalty(s.m.margins, delta)
	var costs kernellp.Costs
	var sol *kernellp.Solution
	pivots := 0
	for range programs {
		costs = s.m.Costs(2*delta, 0, func(i int) float64 { return s.C * pen.scale * pen.slope(alpha[i]) })
		if sol, s.err = s.m.LP.Solve(ctx, costs); s.err != nil {
			return math.Inf(1), false
		}
		s.solves += sol.Solves
		pivots += sol.Iterations
		if change := s.m.next(alpha, sol); sol.Status != status.Optimal || change <= 1e-2/float64(len(alpha)) {
			break
		}
	}
	value := sol.Loss + s.C*(math.Log(4/delta)+pen.scale*pen.effective(alpha))
	s.record(delta, value, sol, costs, pivots)
	return value, sol.Status == status.Optimal
}

// next makes alpha the coefficients of sol, and returns by how much they differ.
func (m *training) next(alpha []float64, sol *kernellp.Solution) (change float64) {
	for i, y := range m.Y {
		a := math.Max(0, y*sol.A[i])
		change += math.Abs(a - alpha[i])
		alpha[i] = a
	}
	return change
}

func (s *search) record(delta, value float64, sol *kernellp.Solution, costs kernellp.Costs, pivots int) {
	s.stop = sol.Status
	s.pivots += pivots
	if s.sol == nil || (sol.Status == status.Optimal && value < s.best) {
		s.best, s.delta, s.sol, s.costs = value, delta, sol, costs
	}
	s.deltas = append(s.deltas, delta)
	round := learn.Round{
		Objective: value, Hinge: sol.Hinge, Nonzeros: kernellp.Nonzeros(sol.A),
		KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: pivots}
	s.rounds = append(s.rounds, round)
	if s.progress != nil {
		e := learn.OfRound("delta", len(s.rounds), 0, round)
		e.Text = fmt.Sprintf("delta %.4g, %d programs", delta, s.solves)
		s.progress(e)
	}
}

func (s *search) result(ctx context.Context) *learn.Result {
	e, loss := s.m.Expansion(s.sol), learn.Hinge(s.costs.Margin)
	if !s.last.is(&e, s.delta) {
		s.last.model, s.last.delta = e, s.delta
		s.last.lost = s.m.Problem.Loss(ctx, &e, loss, s.m.C)
	}
	r := s.m.ResultOf(ctx, s.sol, e, s.last.lost, loss, s.C*math.Log(4/s.delta)) // eq. (3)
	if r.Report.EndAt(status.FixedPoint); s.stop != status.Optimal {
		r.Report.Status = s.stop
	}
	alpha, margins := make([]float64, len(s.m.Y)), make([]float64, 0, len(s.m.Y))
	for i, y := range s.m.Y {
		alpha[i] = math.Max(0, y*s.sol.A[i])
		if s.m.Problem.WeightOf(s.m.Samples[i]) > 0 {
			margins = append(margins, y*s.sol.Output[i])
		}
	}
	r.Report.Iterations, r.Report.InnerIterations, r.Report.Rounds = len(s.rounds), s.pivots, s.rounds
	r.Report.Figures = Figures{Delta: s.delta, Deltas: s.deltas, F0: s.best, Solves: s.solves, WorkingRows: s.sol.Rows,
		SVCounted: counted(s.sol.A), Bound: bound(alpha, margins)}
	_, _, over := s.m.Limits(s.sol, s.m.margins)
	r.Report.AddMessage(over)
	return r
}

// deltaMin is the lower end of the search for the margin δ. The paper's interval
// (0, 1] is open at 0, where ln(4/δ) has no bound.
const deltaMin = 1e-3

// coarse is the grid that minimise looks at first: f0(δ) has several local minima, and golden section alone finds the
// one its first bracket happens to hold. The values descend, so that each LP starts from the basis of a wider margin.
var coarse = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01, deltaMin}

// invPhi is the golden ratio's reciprocal.
var invPhi = (math.Sqrt(5) - 1) / 2

// minimise looks for the δ with the least f where there is no path to follow: every value of the coarse grid, then
// golden section on ln δ between the neighbours of the best one, until the bracket is narrower than the factor 1+width.
// It stops early when f reports false, and returns the best δ that it evaluated.
func minimise(f func(delta float64) (value float64, ok bool), width float64) float64 {
	best, bestDelta := math.Inf(1), coarse[0]
	eval := func(delta float64) (float64, bool) {
		v, ok := f(delta)
		if v < best {
			best, bestDelta = v, delta
		}
		return v, ok
	}
	for _, d := range coarse {
		if _, ok := eval(d); !ok {
			return bestDelta
		}
	}
	bestAt := slices.Index(coarse, bestDelta)
	lo := math.Log(coarse[min(bestAt+1, len(coarse)-1)])
	hi := math.Log(coarse[max(bestAt-1, 0)])
	golden(func(u float64) (float64, bool) { return eval(math.Exp(u)) }, lo, hi, math.Log1p(width))
	return bestDelta
}

// golden narrows [lo, hi] around a local minimum of f by golden section until it is shorter than tol.
func golden(f func(float64) (float64, bool), lo, hi, tol float64) (from, to float64) {
	u, v := hi-invPhi*(hi-lo), lo+invPhi*(hi-lo)
	fu, ok := f(u)
	if !ok {
		return lo, hi
	}
	fv, ok := f(v)
	for ok && hi-lo > tol {
		if fu <= fv {
			hi, v, fv = v, u, fu
			u = hi - invPhi*(hi-lo)
			fu, ok = f(u)
		} else {
			lo, u, fu = u, v, fv
			v = lo + invPhi*(hi-lo)
			fv, ok = f(v)
		}
	}
	return lo, hi
}

// minima looks for the least f0(δ) over the models of the first programs of Table 1, which
// need no program each: at α* = 1/n all costs are equal and Σα = 1, so that (4) is
//
//	L(δ) = min Σξ,  ξ_i ≥ 2δ − y_i f(x_i),  Σα = 1, α ≥ 0
//
// plus a constant, whatever C. On a stretch of its path L and α are linear in δ, and
// f0(δ) = L(δ) + C (ln 4/δ + s(δ) Σ h(α_i(δ), δ)) is smooth. One walk is for every C.
type minima struct {
	n        int
	each     []minimaAt
	openings map[float64]*opening // by δ
}

// minimaAt is the walk at one C.
type minimaAt struct {
	c       float64
	octaves []minimum // the least of each, from δ = 1 down
}

// minimum is the least f0 of an octave.
type minimum struct {
	f0, delta float64
	mark      kernellp.Mark
	support   []int     // samples of the coefficients that are not 0
	alpha     []float64 // these
}

func newMinima(cs []float64, n int) *minima {
	v := &minima{n: n, each: make([]minimaAt, len(cs)), openings: map[float64]*opening{}}
	for i, c := range cs {
		v.each[i] = minimaAt{c, make([]minimum, 1-math.Ilogb(deltaMin))}
		for k := range v.each[i].octaves {
			v.each[i].octaves[k].f0 = math.Inf(1)
		}
	}
	return v
}

// longest is the ratio of the ends of what is looked at at once: f0 may have two minima on a longer stretch.
const longest = 1.05

// visit looks at one stretch of the path.
func (v *minima) visit(s *kernellp.Stretch) {
	v.open(s)
	for from := s.From / 2; ; {
		to := max(from/longest, s.To/2)
		v.between(s, from, to)
		if from = to; from <= s.To/2 {
			return
		}
	}
}

// between looks for the least f0 from margin from down to margin to.
func (v *minima) between(s *kernellp.Stretch, from, to float64) {
	low, high, known := v.at(s, to), place{}, false
	for i := range v.each {
		o := &v.each[i]
		f, slope := low.f0(o.c)
		o.update(s, &low, f)
		if !(slope < 0) || !(f+slope*(from-to) < o.octave(to).f0) {
			continue
		}
		if !known {
			high, known = v.at(s, from), true
		}
		o.bottom(v, s, &low, &high)
	}
}

// bottom looks for the least f0 between two places, from the lower of which it falls.
func (o *minimaAt) bottom(v *minima, s *kernellp.Stretch, low, high *place) {
	lo, hi := low.delta, high.delta
	_, slope := low.f0(o.c)
	g, rise := high.f0(o.c)
	o.update(s, high, g)
	for k := 0; rise > 0 && k < 100 && hi-lo > 1e-9*hi; k++ {
		mid := lo + (hi-lo)*slope/(slope-rise) // secant of the derivative, kept off the ends
		mid = max(lo+0.1*(hi-lo), min(hi-0.1*(hi-lo), mid))
		middle := v.at(s, mid)
		f, by := middle.f0(o.c)
		o.update(s, &middle, f)
		if by < 0 {
			lo, slope = mid, by
		} else {
			hi, rise = mid, by
		}
	}
}

// octave returns the octave of δ.
func (o *minimaAt) octave(delta float64) *minimum { return &o.octaves[-math.Ilogb(delta)] }

// update keeps the least.
func (o *minimaAt) update(s *kernellp.Stretch, p *place, f float64) {
	l := o.octave(p.delta)
	if !(f < l.f0) {
		return
	}
	p.expand(s)
	*l = minimum{f, p.delta, s.Mark(), p.support, p.alpha}
}

// sorted returns the octaves that the path came to, the least first.
func (o *minimaAt) sorted() (met []*minimum) {
	for k := range o.octaves {
		if l := &o.octaves[k]; !math.IsInf(l.f0, 1) {
			met = append(met, l)
		}
	}
	deal.Sort(met, func(a, b *minimum) int { return cmp.Compare(a.f0, b.f0) })
	return met
}

// place is what f0 is made of at a margin, and the derivatives.
type place struct {
	delta, loss, gain float64 // L
	penalty, rise     float64 // ln 4/δ + s Σh

	support []int // the first program's model, once it is asked for
	alpha   []float64
}

// expand finds the model.
func (p *place) expand(s *kernellp.Stretch) {
	if p.alpha != nil {
		return
	}
	by := 2*p.delta - s.From
	p.support, p.alpha = slices.Clone(s.Support), make([]float64, len(s.Coef))
	for k, a := range s.Coef {
		p.alpha[k] = math.Max(0, a+by*s.Rates[k])
	}
}

// f0 returns f0 and its derivative at one C.
func (p place) f0(c float64) (f, slope float64) { return p.loss + c*p.penalty, p.gain + c*p.rise }

// at returns a place of a stretch.
func (v *minima) at(s *kernellp.Stretch, delta float64) place {
	p := newPenalty(v.n, delta)
	by := 2*delta - s.From
	var e, rise float64 // Σh and its derivative
	for k, a := range s.Coef {
		a = math.Max(0, a+by*s.Rates[k])
		if a >= 1 {
			e++
			continue
		}
		log := math.Log1p(-a)
		power := p.a * log
		e -= math.Expm1(power)
		rise += math.Exp(power) * (2*p.a*s.Rates[k]/(1-a) + 2/delta*power) // a' = −2a/δ
	}
	return place{delta: delta, loss: s.Value + by*s.Slope, gain: 2 * s.Slope,
		penalty: math.Log(4/delta) + p.scale*e, rise: p.scale*rise - 2/delta*e - 1/delta}
}

// excess is what f0 can lose of the penalty by further programs (Table 1), whose costs are C s h'(α_i): a coefficient
// that has one may vanish. Once h is close to 1 it has none, as the least loss has none, and the model stays.
func (l *minimum) excess(c float64, n int) (sum float64) {
	p := newPenalty(n, l.delta)
	for _, a := range l.alpha {
		if c*p.scale*p.slope(a)*a > 1e-12*l.f0 {
			sum += c * p.scale * p.value(a)
		}
	}
	return sum
}

// looked is how many octaves' margins get their three programs: where the first program's model is not the last,
// another octave may have the least f0.
const looked = 4

// walk follows the path of the first programs, for every C, as far as a limit lets it.
func (m *training) walk(ctx context.Context, cs []float64) (w walked, err error) {
	w.minima, w.reached, w.base = newMinima(cs, m.margins), 1, m.LP
	costs := m.Costs(2, 0, func(int) float64 { return 0 })
	show, stretches := m.Problem.Throttle(), 0
	w.end, err = m.LP.Path(ctx, costs, 2*deltaMin, func(g *kernellp.Stretch) bool {
		stretches++
		show(func() learn.Event {
			return learn.Event{Phase: "path", Step: stretches, Text: fmt.Sprintf("delta %.4g", g.To/2)}
		})
		w.visit(g)
		w.reached = g.To / 2
		return true
	})
	w.stopped = w.end.Status.Limit() || ctx.Err() != nil
	return w, err
}

// walked is what a walk leaves.
type walked struct {
	*minima
	last    beginning
	reached float64          // margin δ
	base    *kernellp.Solver // that walked
	end     kernellp.PathEnd
	stopped bool // by a limit
}

// descend evaluates the margins of the least f0 that the path of the first programs has at the search's C.
func (s *search) descend(ctx context.Context, o *minimaAt, w *walked) {
	all := o.sorted()
	n, solver := s.m.margins, s.m.LP
	for k, l := range all[:min(looked, len(all))] {
		if k > 0 && !(l.f0-l.excess(s.C, n) < s.best) {
			continue
		}
		if !s.lineariseFrom(ctx, solver, l) {
			return
		}
	}
	if !s.widen(ctx, w) {
		return
	}
	if s.best < all[0].f0*(1-1e-9) { // not on the path, which says nothing of what is around it
		middle, ok := math.Log(s.delta), true
		golden(func(u float64) (f float64, _ bool) { f, ok = s.evaluate(ctx, math.Exp(u)); return f, ok },
			max(middle-width, math.Log(deltaMin)), min(middle+width, 0), width/5)
		if !ok {
			return
		}
	}
	s.polish(ctx)
}

// beginning is where the programs of a margin of the path start, and the model that came of the last ones.
// Neighbouring C have the same margins, and mostly the same models there.
type beginning struct {
	mark kernellp.Mark
	lp   *kernellp.Solver

	model       learn.Expansion
	delta, lost float64
}

// is reports whether e at margin δ is the model, whose loss is known.
func (b *beginning) is(e *learn.Expansion, delta float64) bool {
	return b.delta == delta && b.model.Bias == e.Bias && slices.Equal(b.model.Support, e.Support) &&
		slices.Equal(b.model.Coef, e.Coef)
}

// lineariseFrom evaluates the margin of l, where the path has the first program's model, and reports whether the search
// can go on.
func (s *search) lineariseFrom(ctx context.Context, walked *kernellp.Solver, l *minimum) bool {
	if s.last.lp == nil || !s.last.mark.Same(l.mark) {
		s.last.mark, s.last.lp = l.mark, walked.Fork(l.mark)
	} else {
		s.last.lp.Rewind()
	}
	s.m.LP = s.last.lp
	if s.Programs == 1 {
		_, ok := s.evaluate(ctx, l.delta)
		return ok
	}
	alpha := make([]float64, len(s.m.Y))
	for k, i := range l.support {
		alpha[i] = l.alpha[k]
	}
	_, ok := s.linearise(ctx, l.delta, alpha, s.Programs-1)
	return ok
}
