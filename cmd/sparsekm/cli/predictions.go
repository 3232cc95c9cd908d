package cli

import (
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// predictions are a classifier's decisions and classes for the rows of a set.
type predictions struct {
	clf       *sparsekm.Classifier
	set       *dataset.Set
	first     int       // row of the file that the set begins with
	class     []int     // 0 where there are only values, which are the decisions
	decisions []float64 // len(class)×NumSubmodels
	probable  []float64 // len(class)×NumClasses, nil for none
	variances []float64 // of the values, nil for none
}

// newPredictions decides and classifies every row, with probabilities if they are wanted. The error is the context's.
func newPredictions(
	ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, threads int, probable bool,
) (*predictions, error) {
	m, k := clf.NumSubmodels(), clf.NumClasses()
	p := &predictions{clf: clf, set: set, class: make([]int, set.N), decisions: make([]float64, set.N*m)}
	if probable {
		p.probable = make([]float64, set.N*k)
	}
	err := eachBatch(ctx, clf, set, func(lo, n int) {
		f := p.decisions[lo*m : (lo+n)*m]
		clf.DecideSet(f, set, lo, n, threads)
		clf.Classes(p.class[lo:lo+n], f, n)
		clf.Predicted(f)
		if probable {
			clf.ProbabilitiesOf(p.probable[lo*k:(lo+n)*k], f, n, threads)
		}
	})
	return p, err
}

// spread finds the variances. The error is the context's.
func (p *predictions) spread(ctx context.Context, threads int) error {
	p.variances = make([]float64, len(p.class))
	return eachBatch(ctx, p.clf, p.set, func(lo, n int) {
		p.clf.Variances(p.variances[lo:lo+n], rowsOf(p.set, lo, n), n, threads)
	})
}

// eachBatch calls f for batches of rows, between which it looks at the context.
func eachBatch(ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set,
	f func(lo, n int)) (err error) {
	pprof.Do(ctx, pprof.Labels("phase", "predict", "method", clf.Method()), func(context.Context) {
		err = clf.EachBatch(ctx, set.N, f)
	})
	return err
}

// rowsOf is rows of the set, every zero stored.
func rowsOf(set *dataset.Set, lo, n int) []float64 {
	if set.Sparse == nil {
		return set.X[lo*set.D : (lo+n)*set.D]
	}
	rows := make([]int, n)
	for k := range rows {
		rows[k] = lo + k
	}
	return set.Sparse.Subset(rows).Dense()
}

// overflow cuts the predictions off before the first row whose decisions are not all finite; it returns
// what is wrong with that row, nil if there is none.
func (p *predictions) overflow(name string) error {
	m := p.clf.NumSubmodels()
	for k, f := range p.decisions {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			row := k / m
			p.class, p.decisions = p.class[:row], p.decisions[:row*m]
			if p.variances != nil {
				p.variances = p.variances[:row]
			}
			if p.probable != nil {
				p.probable = p.probable[:row*p.clf.NumClasses()]
			}
			return fmt.Errorf("%s: found the decision %v for row %d (from 0), want a finite number: "+
				"its features are too large for the model's %s kernel", name, f, p.first+row, p.clf.Kernel().Kind)
		}
	}
	return nil
}

// text is what is predicted for row i: a label, or a value that reads back to the same float64.
func (p *predictions) text(i int) string {
	if p.clf.Task().Real() {
		return strconv.FormatFloat(p.decisions[i], 'g', -1, 64)
	}
	return p.clf.Label(p.class[i])
}

func (p *predictions) labels() []string {
	l := make([]string, len(p.class))
	for i := range l {
		l[i] = p.text(i)
	}
	return l
}

// rows returns the decisions of each point.
func (p *predictions) rows() [][]float64 {
	m := p.clf.NumSubmodels()
	rows := make([][]float64, len(p.class))
	for i := range rows {
		rows[i] = p.decisions[i*m : (i+1)*m]
	}
	return rows
}

// probabilities returns those of row i, which nobody may append to.
func (p *predictions) probabilities(i int) []float64 {
	k := p.clf.NumClasses()
	return p.probable[i*k : (i+1)*k : (i+1)*k]
}
