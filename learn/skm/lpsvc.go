package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/simplex"
)

// LPSVC is the method "lpsvc" of Kecman & Hadzic (2000): min Σ|α_i| + C Σξ_i with α
// of either sign and a bias that costs nothing.
type LPSVC struct {
	C         float64                    // price of a unit of slack; 0 means 1
	Threshold float64                    // as in [Trainer]
	Dump      func(lp *simplex.LP) error // as in [Trainer]
}

var (
	_ learn.PathTrainer = LPSVC{}
	_ learn.Dumper      = LPSVC{}
)

func (t *LPSVC) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Threshold(&t.Threshold)
}

func init() {
	learn.Register(learn.Method{
		Name:       "lpsvc",
		KernelOnly: true,
		About:      "LP-SVC: least sum of absolute coefficients with a free bias, by a linear program",
		Paper:      "Kecman & Hadzic (2000)",
		Refit:      true,
	}, (*LPSVC).declare)
}

// Name implements [learn.Trainer].
func (LPSVC) Name() string { return "lpsvc" }

// WithDump implements [learn.Dumper].
func (t LPSVC) WithDump(dump func(lp *simplex.LP) error) learn.Trainer {
	t.Dump = dump
	return t
}

// EstimateMemory implements [learn.Trainer].
func (LPSVC) EstimateMemory(n, d int) int64 { return kernellp.Bytes(n, d) }

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t LPSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return train(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t LPSVC) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return path(ctx, p, &t, c, visit)
}

func (t LPSVC) linear() linear {
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, dump: t.Dump, linearisations: 1}
}
