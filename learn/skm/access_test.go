package skm

import (
	"testing"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
)

// figures is what the comparison with internal/testing/ref takes out of a training: all
// that it knows of this package's types is in this file.
type figures struct {
	Support  []int
	Coef     []float64
	Bias     float64
	Value    float64 // optimum of the last program
	Gap      float64
	Counted  int
	Programs []*simplex.LP // in the dual statement, whose optimum is minus the primal's
	Rounds   []learn.Round

	F0     float64 // SKM only, as the rest
	Delta  float64
	Deltas []float64
	Bound  Bound
}

func trainSKM(tb testing.TB, p *learn.Problem, c, delta, threshold float64) figures {
	tb.Helper()
	var f figures
	r := f.train(tb, Trainer{C: c, Delta: delta, Threshold: threshold}, p)
	own := r.Figures.(Figures)
	f.F0, f.Delta, f.Deltas, f.Bound, f.Counted = own.F0, own.Delta, own.Deltas, own.Bound, own.SVCounted
	return f
}

// trainOther trains "l1svm", "l0svm" or "lpsvc".
func trainOther(tb testing.TB, p *learn.Problem, method string, c, threshold float64) figures {
	tb.Helper()
	var f figures
	r := f.train(tb, map[string]learn.Trainer{
		"l1svm": L1SVM{C: c, Threshold: threshold},
		"l0svm": L0SVM{C: c, Starts: 1, Threshold: threshold},
		"lpsvc": LPSVC{C: c, Threshold: threshold},
	}[method], p)
	f.Counted = r.Figures.(LinearFigures).SVCounted
	return f
}

func (f *figures) train(tb testing.TB, t learn.Trainer, p *learn.Problem) *learn.Report {
	tb.Helper()
	dump := func(lp *simplex.LP) error { f.Programs = append(f.Programs, lp); return nil }
	r, err := t.Train(simplex.WithTrace(tb.Context(), dump), p)
	if err != nil {
		tb.Fatal(err)
	}
	f.Support, f.Coef, f.Bias = r.Support, r.Coef, r.Bias
	f.Value, f.Gap, f.Rounds = r.Report.Objective, r.Report.Duality.Gap, r.Report.Rounds
	return &r.Report
}
