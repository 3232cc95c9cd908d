package distill

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// maxUnits is the largest student that a budget of bytes or time leads to.
const maxUnits = 256

// units is the largest number of units within the budgets, for units of a kind, or for any if the kind is empty; 0
// without a budget.
func (r *run) units(values int, kind string) (int, error) {
	if r.MaxBytes == 0 && r.MaxNanos == 0 {
		return r.MaxUnits, nil
	}
	kinds := []string{kind}
	if kind == "" {
		kinds = []string{"vectors", "mixed"}
	}
	largest := maxUnits
	if r.MaxUnits > 0 {
		largest = min(largest, r.MaxUnits)
	}
	var err error
	fit := sort.Search(largest, func(k int) bool { // whether one more than k is too many
		over := false
		for _, units := range kinds {
			clf, failed := r.example(values, units, k+1)
			if failed == nil && !over {
				over, failed = r.over(clf)
			}
			err = cmp.Or(err, failed)
		}
		return over
	})
	if err == nil && fit == 0 {
		err = r.tooSmall(values, kinds[0])
	}
	return fit, err
}

// tooSmall says what one unit takes.
func (r *run) tooSmall(values int, kind string) error {
	clf, err := r.example(values, kind, 1)
	if err != nil {
		return err
	}
	bytes, err := tableBytes(clf)
	if err != nil {
		return err
	}
	return fmt.Errorf("distill: a student of one unit takes %d bytes and %.3g ns here, more than the budget", bytes,
		nanos(clf))
}

// over reports whether a student is beyond a budget of bytes or time.
func (r *run) over(clf *model.Classifier) (bool, error) {
	if r.MaxBytes > 0 {
		if bytes, err := tableBytes(clf); err != nil || bytes > r.MaxBytes {
			return true, err
		}
	}
	return r.MaxNanos > 0 && nanos(clf) > r.MaxNanos, nil
}

// tableBytes is what a model's tables take in C of single precision.
func tableBytes(clf *model.Classifier) (int, error) {
	return export.TableBytes(clf, export.Options{Float: true})
}

// nanos is the time of a decision on this host.
func nanos(clf *model.Classifier) float64 { return 1000 * reduce.Microseconds(clf) }

// example is a student of the given size, whose numbers mean nothing.
func (r *run) example(values int, kind string, k int) (*model.Classifier, error) {
	columns, d := r.set.Columns, r.set.D
	if values > 0 {
		columns = columns.Numbered(values)
		d = columns.NumFeatures()
	}
	vectors, steps := k, 0
	switch kind {
	case "steps", "directions":
		vectors, steps = 0, k
	case "mixed":
		vectors, steps = k-k/2, k/2
	}
	p := model.Parts{Kernel: gram.RBF(1 / float64(max(1, d))), N: vectors, D: d, Features: d, Columns: columns.Clone(),
		Vectors: make([]float64, vectors*d), Method: "direct",
		Scaling: &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, d), Spread: make([]float64, d)}}
	for i := range p.Vectors {
		p.Vectors[i] = float64(i%7)/7 - 0.5
	}
	for f := range d {
		p.Scaling.Center[f], p.Scaling.Spread[f] = float64(f), 1.5
	}
	if p.Task = learn.Regress; r.Kind != Values {
		p.Task, p.Labels = learn.Classify, r.Labels
		if len(r.Labels) > 2 {
			p.Scheme = model.OneVsRest
		}
	}
	for o := range r.outputs {
		m := learn.Submodel{Pos: o, Neg: learn.Rest}
		if r.outputs == 1 && r.Kind != Values {
			m.Pos, m.Neg = 1, 0
		}
		m.Support, m.Coef = deal.All(vectors), make([]float64, vectors)
		for i := range m.Coef {
			m.Coef[i] = float64(i+1) / float64(k)
		}
		if kind != "vectors" {
			m.Plane = make([]float64, d)
			for f := range m.Plane {
				m.Plane[f] = 0.5
			}
		}
		for s := range steps {
			turn := make([]float64, d)
			for f := range turn {
				if f == s%d || kind == "directions" {
					turn[f] = 8
				}
			}
			m.Steps = append(m.Steps, learn.Step{Turn: turn, Move: float64(s) / 3, Coef: 0.5})
		}
		p.Submodels = append(p.Submodels, m)
		if r.Kind != Values {
			p.Platt = append(p.Platt, model.Platt{A: -1})
		}
	}
	return model.New(p)
}
