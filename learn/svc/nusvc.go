package svc

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// ErrShare is wrapped by the error for a ν that is infeasible for the classes.
var ErrShare = errors.New("no model has this nu")

// NuSVC is the method "nu-svc": C-SVC with the C for which Σα = ν C Σw, where w are the sample weights. Then at most a
// share ν of the samples has margin errors, and at least that share are support vectors (Schölkopf et al. 2000).
type NuSVC struct {
	learn.Named[NuSVC]
	Nu        float64 // 0 means 0.5
	Tolerance float64 // as in [Trainer]
	MaxIter   int     // limit of two-variable steps, over all solves together; 0 means max(10⁷, 100 N) for each
}

// EstimateMemory implements [learn.Trainer].
func (t NuSVC) EstimateMemory(n, d int) int64 { return leastMemory[float64](n, d, 1) + searchMemory(n) }

// Train implements [learn.Trainer]. The report is as for [Trainer] with C = Figures.Cost. The error wraps [ErrShare] if
// a class is too small to hold half of Σα, or if the classes overlap so much that no margin is left.
func (t NuSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := validate(p, &t, learn.Classify); err != nil {
		return nil, err
	}
	var pos, neg float64
	for i := range p.N {
		if w := p.WeightOf(i); p.Y[i] > 0 {
			pos += w
		} else {
			neg += w
		}
	}
	if most := 2 * min(pos, neg) / (pos + neg); t.Nu > most {
		return nil, fmt.Errorf("%s: %w: found %v, want at most %.6g, twice the share of the smaller class",
			t.Name(), ErrShare, t.Nu, most)
	}
	m := &program{method: t.Name(), c: 1, tolerance: t.Tolerance, maxIter: t.MaxIter, each: 1, unit: true}
	m.dual = func(p *learn.Problem, rows []int, q *smo.Pair) {
		Trainer{C: 1}.dual(p, rows, q)
		clear(q.P)
	}
	m.share = func(p *learn.Problem, rows []int) (u []float64, want float64) {
		for _, i := range rows {
			u, want = append(u, -p.Y[i]), want-t.Nu*p.WeightOf(i)
		}
		return u, want
	}
	return m.train(ctx, p)
}
