package lssvm

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Prune is the sparse LS-SVM of Suykens et al. (2000), section 3. The samples with the smallest |α| are removed, a few
// at a time, and the model is estimated again on the rest, until a performance index degrades. The estimates come from
// the inverse of the first system by removing blocks from it; nothing is refitted.
//
// The index is the accuracy on Problem.Validation or, without it, on all training samples; in regression it is R².
type Prune struct {
	learn.Named[Prune]
	GammaReg float64 // the paper's γ: weight of the squared errors; > 0, default 1
	Fraction float64 // share of the set that a step removes, in (0, 1); default 0.05
	// OfCurrent takes the fraction of the remaining samples; false takes it of the first set (25 of 500 samples in
	// every step). The paper's "5% of the set" allows both readings.
	OfCurrent bool
	MinSV     int     // least number of support vectors; default 2
	Slack     float64 // stop when the index is more than this below its first value; >= 0, default 0
}

// PrunePoint is one model of the path.
type PrunePoint struct {
	Size      int     `json:"size"` // support vectors
	Index     float64 `json:"index"`
	Objective float64 `json:"objective"` // ½w'w + (γ/2) Σ w_i e_i² over the remaining samples
	// Expansion has its coefficients in decreasing order of |α|, the support value spectrum.
	Expansion learn.Expansion `json:"-"`
}

// PruneFigures is the Report.Figures of [Prune].
type PruneFigures struct {
	Path []PrunePoint `json:"path"` // up to and including the first degraded model
}

// EstimateMemory implements [learn.Trainer].
func (t Prune) EstimateMemory(n, d int) int64 {
	if learn.Complete(&t) != nil {
		return 0 // Train reports the error
	}
	return samples.LeastSquaresBytes(n, d) + t.bytes(n, 0)
}

// bytes is the memory of the system, of the rows and columns copied by the largest removal, and of the models of the
// path.
func (t Prune) bytes(n, threads int) int64 {
	b := systemBytes(n, 3, threads) + 8*int64(t.step(n, n))*int64(n)
	for left := n; left > 0; left -= max(1, t.drop(n, left)) {
		b += 16 * int64(left)
		if t.drop(n, left) < 1 {
			break
		}
	}
	return b
}

// Train implements [learn.Trainer]. The result is the last model before the index degrades, its Support in decreasing
// order of |α|. Report.Objective is over the remaining samples; Report.Figures is a [PruneFigures].
func (t Prune) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	start := time.Now()
	w, err := t.walk(ctx, p, true)
	if err != nil {
		return nil, err
	}
	r := &learn.Result{Report: learn.Report{Status: w.status, Message: w.message, Iterations: len(w.path), Figures: PruneFigures{w.path}}}
	for i, step := range w.path {
		if i > 0 && t.degraded(w.path[0], step) {
			break
		}
		r.Expansion, r.Report.Objective = step.Expansion, step.Objective
	}
	recompute(ctx, w.kkt.LeastSquares, r, w.gamma)
	n := int64(w.kkt.N)
	r.Report.KernelEvals = n * (n + 1) / 2
	gram := w.kkt.gram.Seconds()
	r.Report.Seconds = learn.Seconds{Gram: gram, Solve: time.Since(start).Seconds() - gram}
	return r, nil
}

// Models returns every model down to MinSV support vectors, whatever its index.
func (t Prune) Models(ctx context.Context, p *learn.Problem) ([]PrunePoint, error) {
	w, err := t.walk(ctx, p, false)
	if err != nil {
		return nil, err
	}
	return w.path, nil
}

func (t Prune) degraded(first, now PrunePoint) bool { return !(now.Index >= first.Index-t.Slack) }

// walk is a path and the state at its end.
type walk struct {
	path    []PrunePoint // at least one
	status  status.Status
	message string
	kkt     *kkt
	gamma   float64
}

// walk removes samples until a limit, or until the index degrades if stop says so.
func (t Prune) walk(ctx context.Context, p *learn.Problem, stop bool) (*walk, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	task, err := samples.NewLeastSquares(t.Name(), p)
	if err != nil {
		return nil, err
	}
	if err = task.Budget.Take(t.bytes(task.N, task.Threads)); err != nil {
		return nil, err
	}
	var message string
	k, err := newKKT(ctx, task)
	if err == nil {
		_, message, err = k.system(ctx, t.GammaReg)
	}
	if err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	if err != nil {
		return nil, err
	}
	w := &walk{kkt: k, message: message, gamma: t.GammaReg, status: status.Optimal}
	progress := task.Throttle()
	for {
		point, order, ended := t.estimate(ctx, k)
		if ended != nil && len(w.path) == 0 {
			return nil, learn.Nothing(ctx, t.Name())
		}
		if ended != nil {
			w.status = status.FromContext(ctx)
			return w, nil
		}
		w.path = append(w.path, point)
		left := len(order)
		drop := t.drop(task.N, left)
		if stop && t.degraded(w.path[0], point) || drop < 1 {
			return w, nil
		}
		progress(func() learn.Event {
			done := float64(task.N-left) / float64(task.N)
			return learn.Event{Phase: "prune", Done: done, Vectors: left}
		})
		if k.inv.RemoveBlock(ctx, order[left-drop:], parallel.Workers(task.Threads)) != nil {
			w.status = status.FromContext(ctx)
			if w.status == status.Unknown { // rounding errors of the inverse: keep the models so far
				w.status = status.Numerical
			}
			return w, nil
		}
	}
}

// drop is the number of samples that the next step removes.
func (t Prune) drop(first, left int) int { return min(t.step(first, left), left-t.MinSV) }

// step is drop without regard to MinSV.
func (t Prune) step(first, left int) int {
	whole := first
	if t.OfCurrent {
		whole = left
	}
	return max(1, int(math.Round(t.Fraction*float64(whole))))
}

// estimate solves for the remaining samples and returns their places in decreasing order of |α|; on ties the lower row
// comes first. The error is the context's.
func (t Prune) estimate(ctx context.Context, k *kkt) (PrunePoint, []int, error) {
	a, b, f, err := k.solve(ctx, k.border())
	if err != nil {
		return PrunePoint{}, nil, err
	}
	order := deal.All(len(a))
	deal.Sort(order, func(i, j int) int { return cmp.Compare(math.Abs(a[j]), math.Abs(a[i])) })
	e := learn.Expansion{Bias: b}
	kept := k.inv.Kept()
	for _, i := range order {
		e.Support = append(e.Support, k.Row[kept[i]])
		e.Coef = append(e.Coef, a[i])
	}
	index := t.index(ctx, k, f, e)
	return PrunePoint{Size: len(a), Index: index, Objective: k.objective(a, b, f), Expansion: e}, order, ctx.Err()
}

// index is the performance index of e, whose decision values at the training samples are f.
func (t Prune) index(ctx context.Context, k *kkt, f []float64, e learn.Expansion) float64 {
	s := score{regression: k.Problem.Task == learn.Regress}
	v := k.Problem.Validation
	if v == nil {
		for i, y := range k.Y {
			s.add(y, f[i], k.W[i])
		}
		return s.index()
	}
	const rows = 16 // between two checks of the context
	values := make([]float64, rows)
	sum := k.Packed.Subset(k.Place(e.Support)).Expand(e.Coef)
	for lo := 0; lo < v.N && ctx.Err() == nil; lo += rows {
		hi := min(lo+rows, v.N)
		sum.Eval(values, v.X[lo*k.D:hi*k.D], hi-lo)
		for i, y := range v.Y[lo:hi] {
			s.add(y, values[i]+e.Bias, 1)
		}
	}
	return s.index()
}

// score accumulates the weighted accuracy, or R² in regression.
type score struct {
	regression           bool
	right, weight        float64
	missed, mean, spread float64
}

func (s *score) add(y, f, w float64) {
	s.weight += w
	if y*f > 0 {
		s.right += w
	}
	s.missed += w * (y - f) * (y - f)
	if s.weight > 0 {
		d := y - s.mean
		s.mean += d * w / s.weight
		s.spread += w * d * (y - s.mean)
	}
}

func (s *score) index() float64 {
	switch {
	case !s.regression:
		return s.right / s.weight
	case s.spread > 0:
		return 1 - s.missed/s.spread
	}
	return -s.missed
}
