package cli

import (
	"context"
	"fmt"
	"math"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// predictions are a classifier's decisions and classes for the rows of a set.
type predictions struct {
	clf       *sparsekm.Classifier
	set       *dataset.Set
	first     int // row of the file that the set begins with
	class     []int
	decisions []float64 // len(class)×NumMachines
	probable  []float64 // len(class)×NumClasses, nil for none
}

// newPredictions decides and classifies every row, with probabilities if they are wanted. The error is the context's.
func newPredictions(
	ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, threads int, probable bool,
) (*predictions, error) {
	m, k := clf.NumMachines(), clf.NumClasses()
	p := &predictions{clf: clf, set: set, class: make([]int, set.N), decisions: make([]float64, set.N*m)}
	if probable {
		p.probable = make([]float64, set.N*k)
	}
	err := eachBatch(ctx, clf, set, func(lo, n int, x []float64) {
		f := p.decisions[lo*m : (lo+n)*m]
		clf.DecideBatch(f, x, n, threads)
		clf.Classes(p.class[lo:lo+n], f, n)
		if probable {
			clf.ProbabilitiesOf(p.probable[lo*k:(lo+n)*k], f, n, threads)
		}
	})
	return p, err
}

// eachBatch calls f for batches of rows, between which it looks at the context: some 2²⁷
// products of features, which take a few hundredths of a second.
func eachBatch(ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, f func(lo, n int, x []float64)) error {
	const products = 1 << 27
	rows := max(1, products/(1+set.D)/(1+clf.NumVectors()))
	err := ctx.Err()
	pprof.Do(ctx, pprof.Labels("phase", "predict"), func(context.Context) {
		for lo := 0; lo < set.N && err == nil; lo += rows {
			n := min(rows, set.N-lo)
			f(lo, n, set.X[lo*set.D:(lo+n)*set.D])
			err = ctx.Err()
		}
	})
	return err
}

// overflow cuts the predictions off before the first row whose decisions are not all finite; it returns
// what is wrong with that row, nil if there is none.
func (p *predictions) overflow(name string) error {
	m := p.clf.NumMachines()
	for k, f := range p.decisions {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			row := k / m
			p.class, p.decisions = p.class[:row], p.decisions[:row*m]
			if p.probable != nil {
				p.probable = p.probable[:row*p.clf.NumClasses()]
			}
			return fmt.Errorf("%s: found the decision %v for row %d (from 0), want a finite number: "+
				"its features are too large for the model's %s kernel", name, f, p.first+row, p.clf.Kernel().Kind)
		}
	}
	return nil
}

func (p *predictions) labels() []string {
	l := make([]string, len(p.class))
	for i, c := range p.class {
		l[i] = p.clf.Label(c)
	}
	return l
}

// rows returns the decisions of each point.
func (p *predictions) rows() [][]float64 {
	m := p.clf.NumMachines()
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
