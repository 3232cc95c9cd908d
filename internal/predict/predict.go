// Package predict has what a model says of the samples of a set, compares it with their
// targets, and writes it as lines of text, CSV or JSON.
package predict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

// Predictions are what a model says of N samples, row by row.
type Predictions struct {
	Model         *model.Classifier
	N             int
	Decisions     []float64 // N×NumSubmodels
	Classes       []int     // nil for a model of values
	Probabilities []float64 // N×NumClasses, nil unless asked for
	Variances     []float64 // of values, nil unless asked for
	Sets          []bool    // N×NumClasses: the classes of prediction sets, nil unless asked for
	Intervals     []float64 // N×2: the ends of the intervals of values, nil unless asked for
}

// Set predicts raw samples of as many features as the model has, batch by batch ([model.Classifier.EachBatch]), on the
// given number of threads; 0 means GOMAXPROCS. It panics if a model has no probabilities and they are asked for. The
// error is the context's.
func Set(ctx context.Context, clf *model.Classifier, set *dataset.Set, threads int,
	probabilities bool) (*Predictions, error) {
	m, k := clf.NumSubmodels(), clf.NumClasses()
	p := &Predictions{Model: clf, N: set.N, Decisions: make([]float64, set.N*m)}
	if !clf.Task().Real() {
		p.Classes = make([]int, set.N)
	}
	if probabilities {
		p.Probabilities = make([]float64, set.N*k)
	}
	return p, clf.EachBatch(ctx, set.N, func(lo, n int) {
		f := p.Decisions[lo*m : (lo+n)*m]
		clf.DecideSet(f, set, lo, n, threads)
		if p.Classes != nil {
			clf.Classes(p.Classes[lo:lo+n], f, n)
		}
		if probabilities {
			clf.ProbabilitiesOf(p.Probabilities[lo*k:(lo+n)*k], f, n, threads)
		}
	})
}

// Widened returns the samples with d features for a prediction. Many more features than before are not stored: the
// samples are sparse then.
func Widened(set *dataset.Set, d int) *dataset.Set {
	const features, times = 4096, 8
	if set.Sparse == nil && d > features && d/times > set.D {
		sparse := *set
		sparse.X, sparse.Sparse = nil, csr.FromDense(set.X, set.N, set.D)
		set = &sparse
	}
	return set.Widen(d)
}

// AddVariances fills in the variances of the samples that were predicted. The error is the context's.
func (p *Predictions) AddVariances(ctx context.Context, set *dataset.Set, threads int) error {
	const most = 1 << 20 // features of samples with every zero stored
	p.Variances = make([]float64, p.N)
	return p.Model.EachBatch(ctx, p.N, func(lo, n int) {
		rows := max(1, most/max(1, set.D))
		for at := lo; at < lo+n; at += rows {
			k := min(rows, lo+n-at)
			p.Model.Variances(p.Variances[at:at+k], denseRows(set, at, k), k, threads)
		}
	})
}

// AddSets fills in the prediction sets of the samples that were predicted, or the intervals of their values. It panics
// if the model has none. The error is the context's.
func (p *Predictions) AddSets(ctx context.Context, set *dataset.Set, threads int) error {
	if p.Classes != nil {
		p.Sets = make([]bool, p.N*p.Model.NumClasses())
		p.Model.Sets(p.Sets, p.Decisions, p.N)
		return nil
	}
	q := *p
	if q.Variances == nil && p.Model.Uncertain() == nil {
		if err := q.AddVariances(ctx, set, threads); err != nil {
			return err
		}
	}
	p.Intervals = make([]float64, 2*p.N)
	p.Model.Intervals(p.Intervals, p.Decisions, q.Variances, p.N)
	return nil
}

// denseRows returns n rows of the set from lo on, every zero stored.
func denseRows(set *dataset.Set, lo, n int) []float64 {
	if set.Sparse == nil {
		return set.X[lo*set.D : (lo+n)*set.D]
	}
	rows := make([]int, n)
	for k := range rows {
		rows[k] = lo + k
	}
	return set.Sparse.Subset(rows).Dense()
}

// Finite cuts the predictions off before the first row with a decision value that is not finite, and says what is wrong
// with it; nil if there is none. The first row of all has the number first in the error.
func (p *Predictions) Finite(first int) error {
	m := p.Model.NumSubmodels()
	at := slices.IndexFunc(p.Decisions, func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) })
	if at < 0 {
		return nil
	}
	err := fmt.Errorf("found the decision %v for row %d (from 0), want a finite number: its features are too large for "+
		"the model's %s kernel", p.Decisions[at], first+at/m, p.Model.Kernel().Kind)
	p.N = at / m
	p.Decisions = p.Decisions[:p.N*m]
	p.Classes = p.Classes[:min(p.N, len(p.Classes))]
	p.Probabilities = p.Probabilities[:min(p.N*p.Model.NumClasses(), len(p.Probabilities))]
	p.Variances = p.Variances[:min(p.N, len(p.Variances))]
	p.Sets = p.Sets[:min(p.N*p.Model.NumClasses(), len(p.Sets))]
	p.Intervals = p.Intervals[:min(2*p.N, len(p.Intervals))]
	return err
}

// Label is what is predicted for row i: a label, or a value that reads back to the same float64.
func (p *Predictions) Label(i int) string {
	if p.Classes == nil {
		return strconv.FormatFloat(p.Decisions[i], 'g', -1, 64)
	}
	return p.Model.Label(p.Classes[i])
}

// Labels are what is predicted for each row.
func (p *Predictions) Labels() []string {
	labels := make([]string, p.N)
	for i := range labels {
		labels[i] = p.Label(i)
	}
	return labels
}

// DecisionRows are the decision values of each row.
func (p *Predictions) DecisionRows() [][]float64 {
	return slices.Collect(slices.Chunk(p.Decisions, p.Model.NumSubmodels()))
}

// ProbabilityRows are the probabilities of each row, none where nobody asked for them.
func (p *Predictions) ProbabilityRows() [][]float64 {
	return slices.Collect(slices.Chunk(p.Probabilities, max(1, p.Model.NumClasses())))
}

// SetLabels are the labels of each row's prediction set, none where nobody asked for them.
func (p *Predictions) SetLabels() [][]string {
	k := max(1, p.Model.NumClasses())
	rows := make([][]string, len(p.Sets)/k)
	for i := range rows {
		rows[i] = []string{}
		for c, in := range p.Sets[i*k : (i+1)*k] {
			if in {
				rows[i] = append(rows[i], p.Model.Label(c))
			}
		}
	}
	return rows
}

// IntervalRows are the ends of each row's interval, none where nobody asked for them.
func (p *Predictions) IntervalRows() [][]float64 {
	return slices.Collect(slices.Chunk(p.Intervals, 2))
}
