package lssvm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Prune is the sparse LS-SVM of Suykens et al. (2000), section 3: the points with
// the smallest |α| are left out, a few at a time, and the machine is estimated
// again on the rest, until a performance index degrades. The estimates come
// from the first system's inverse by removing blocks from it; nothing is refitted.
type Prune struct {
	Gamma    float64 // γ: weight of the squared errors; > 0, default 1
	Fraction float64 // part of the set that a step leaves out, in (0, 1); default 0.05
	// OfCurrent takes the fraction of what is left; false takes it of the first
	// set (25 points a step of 500). The paper's "5% of the set" can be read either way.
	OfCurrent bool
	MinSV     int     // never leave fewer points; default 2
	Slack     float64 // stop when the index is more than this below its first value; >= 0, default 0
	// Validation is held-out data: the index is the share of its points that are
	// classified correctly. nil means the training points, left out or not.
	Validation *Validation
	// Index replaces that index with one of the user's own; larger is better.
	Index func(learn.Expansion) float64
}

// Validation is labelled points: X is N×D, row-major, scaled like the training points.
type Validation struct {
	X []float64
	Y []float64 // +1 or −1
	N int
}

// PrunePoint is one machine on the way.
type PrunePoint struct {
	Size  int     `json:"size"` // support vectors
	Index float64 `json:"index"`
	// Expansion is the machine; its coefficients are in the order of |α|, largest
	// first: the support value spectrum.
	Expansion learn.Expansion `json:"-"`
}

// Name implements [learn.Trainer].
func (Prune) Name() string { return "lssvm-prune" }

// EstimateMemory implements [learn.Trainer].
func (Prune) EstimateMemory(n, d int) int64 { return kktBytes(n, d) }

// Train implements [learn.Trainer]: the result is the last machine before the
// index degrades, its Support in the order of |α|, largest first. Report.Extra
// has the "path" ([]PrunePoint) up to and including the machine that was worse.
func (t Prune) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	start := time.Now()
	path, st, err := t.run(ctx, p, true)
	if err != nil {
		return nil, err
	}
	r := &learn.Result{Report: learn.Report{Status: st, Iterations: len(path)}}
	for _, step := range path {
		if t.degraded(path[0], step) {
			break
		}
		r.Expansion = step.Expansion
	}
	n := int64(p.N)
	r.Report.KernelEvals = n * (n + 1) / 2
	r.Report.Extra = map[string]any{"path": path}
	r.Report.Seconds.Solve = time.Since(start).Seconds()
	return r, nil
}

// Path is the whole path down to MinSV, whatever the index says.
func (t Prune) Path(ctx context.Context, p *learn.Problem) ([]PrunePoint, error) {
	path, _, err := t.run(ctx, p, false)
	return path, err
}

func (t Prune) degraded(first, now PrunePoint) bool { return !(now.Index >= first.Index-t.Slack) }

func (t *Prune) check(p *learn.Problem) error {
	if t.Gamma == 0 {
		t.Gamma = 1
	}
	if t.Fraction == 0 {
		t.Fraction = 0.05
	}
	if t.MinSV == 0 {
		t.MinSV = 2
	}
	if v := t.Validation; v != nil && (v.N < 1 || len(v.X) < v.N*p.D || len(v.Y) != v.N) {
		return fmt.Errorf("lssvm: validation set of %d points has %d values and %d labels, want dimension %d", v.N, len(v.X), len(v.Y), p.D)
	}
	switch {
	case !(t.Fraction > 0 && t.Fraction < 1):
		return fmt.Errorf("lssvm: fraction to prune is %v, want a number between 0 and 1", t.Fraction)
	case t.MinSV < 0 || !(t.Slack >= 0):
		return fmt.Errorf("lssvm: negative limit (support vectors %d, slack %v)", t.MinSV, t.Slack)
	}
	return regularisation(t.Gamma)
}

// run walks the path; a limit ends it early with what there is.
func (t Prune) run(ctx context.Context, p *learn.Problem, stop bool) ([]PrunePoint, status.Status, error) {
	if err := t.check(p); err != nil {
		return nil, status.Unknown, err
	}
	task, err := newTask(p)
	if err != nil {
		return nil, status.Unknown, err
	}
	k, err := newKKT(ctx, task, t.Gamma)
	var path []PrunePoint
	for err == nil {
		point, order := t.estimate(k)
		path = append(path, point)
		left := len(order)
		drop := min(t.step(task.n, left), left-t.MinSV)
		if stop && t.degraded(path[0], point) || drop < 1 {
			return path, status.Optimal, nil
		}
		if task.Progress != nil {
			task.Progress(learn.Event{Phase: "prune", Done: float64(len(path)) * t.Fraction, Text: fmt.Sprintf("%d support vectors", left)})
		}
		err = k.inv.RemoveBlock(ctx, order[left-drop:], parallel.Workers(task.Threads))
	}
	if st := status.FromContext(ctx); st != status.Unknown {
		return path, st, nil
	}
	if len(path) > 0 { // rounding spoilt the inverse: the machines so far stand
		return path, status.Numerical, nil
	}
	return nil, status.Unknown, err
}

// step is the number of points that one step leaves out.
func (t Prune) step(first, left int) int {
	of := first
	if t.OfCurrent {
		of = left
	}
	return max(1, int(math.Round(t.Fraction*float64(of))))
}

// estimate solves for the points that are left and returns their places in the
// order of |α|, largest first; of equal ones the lower row counts as larger.
func (t Prune) estimate(k *kkt) (PrunePoint, []int) {
	a, b, f := k.solve(k.border())
	order := make([]int, len(a))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := math.Abs(a[i]), math.Abs(a[j]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	e := learn.Expansion{Bias: b}
	kept := k.inv.Kept()
	for _, i := range order {
		e.Support = append(e.Support, k.row[kept[i]])
		e.Coef = append(e.Coef, a[i])
	}
	return PrunePoint{Size: len(a), Index: t.index(k, f, e), Expansion: e}, order
}

// index is the performance of e, whose values at the training points are f.
func (t Prune) index(k *kkt, f []float64, e learn.Expansion) (right float64) {
	if t.Index != nil {
		return t.Index(e)
	}
	v := t.Validation
	if v == nil {
		for i, y := range k.y {
			if y*f[i] > 0 {
				right += k.w[i] / k.total
			}
		}
		return right
	}
	var x []float64
	for _, row := range e.Support {
		x = append(x, k.X[row*k.D:(row+1)*k.D]...)
	}
	values := make([]float64, v.N)
	gram.Pack[float64](k.Kernel, x, len(e.Support), k.D).Expand(e.Coef).Eval(values, v.X, v.N)
	for i, y := range v.Y {
		if y*(values[i]+e.Bias) > 0 {
			right += 1 / float64(v.N)
		}
	}
	return right
}
