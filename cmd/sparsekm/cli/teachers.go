package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/distill"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/trees"
)

// asksModel is a model as a teacher, of samples with a feature of 0 and 1 for each category.
func asksModel(clf *sparsekm.Classifier, kind distill.Kind, columns dataset.Columns, threads int) distill.Teacher {
	return func(ctx context.Context, x []float64, n int) ([]float64, error) {
		set := &dataset.Set{X: x, N: n, D: len(x) / max(1, n), Columns: columns}
		p, err := predict.Set(ctx, clf, set, threads, kind == distill.Probabilities && clf.Calibrated() == nil)
		switch {
		case err != nil:
			return nil, err
		case kind == distill.Values:
			return p.Decisions, nil
		case kind == distill.Scores:
			return ofLast(clf, p.Decisions), nil
		case p.Probabilities != nil:
			return p.Probabilities, nil
		}
		k := clf.NumClasses()
		votes := make([]float64, n*k) // of them there is nothing but the class
		for i, c := range p.Classes {
			votes[i*k+c] = 1
		}
		return votes, nil
	}
}

// ofLast turns the decision values of a model into numbers of its classes: of two into one for the last class, of more
// into one a class in their order.
func ofLast(clf *sparsekm.Classifier, f []float64) []float64 {
	parts := clf.Parts()
	m := len(parts.Submodels)
	if m == 1 {
		if parts.Submodels[0].Pos == 0 {
			for i := range f {
				f[i] = -f[i]
			}
		}
		return f
	}
	scores := make([]float64, len(f))
	for i := 0; i < len(f); i += m {
		for s, v := range f[i : i+m] {
			scores[i+parts.Submodels[s].Pos] = v
		}
	}
	return scores
}

// treesTeacher is trees of LightGBM or XGBoost.
func (c *distillCmd) treesTeacher(s *session.Session, m *trees.Model, memory int64) (*teacher, error) {
	r := c.reading(memory / 3)
	if m.Classes() == 0 {
		r.Targets = dataset.TargetValues
	} else if r.Targets == dataset.TargetGuess {
		r.Targets = dataset.TargetClasses
	}
	set, err := load(s, c.Data, r)
	if err != nil {
		return nil, err
	}
	rows, err := rowsFor(s, m, c.Data, set, r)
	if err != nil {
		return nil, err
	}
	t := &teacher{what: fmt.Sprintf("%d trees of %s", m.Trees(), m.Program), set: set, kind: distill.Values,
		nanos: func() float64 { return 1000 * treeMicros(m, rows) }}
	if k := m.Classes(); k > 0 {
		if t.kind, t.labels = distill.Probabilities, set.Labels; m.Raw() {
			t.kind = distill.Logits
		}
		if t.labels == nil {
			for i := range k {
				t.labels = append(t.labels, fmt.Sprint(i))
			}
		}
		if len(t.labels) != k {
			return nil, fmt.Errorf("%s: found %d classes, want %d, as the trees of %s have", c.Data, len(t.labels), k, m.Program)
		}
	}
	if info, bad := os.Stat(c.Teacher); bad == nil {
		t.bytes = info.Size()
	}
	if t.values, err = session.InBackground(s, func() ([]float64, error) {
		return treeValues(m, rows.X, c.Threads), nil
	}); err != nil {
		return nil, err
	}
	places, lost, err := treePlaces(m, c.Data, set, rows)
	if err != nil {
		return nil, err
	}
	if lost != "" {
		s.Note("the trees are asked no more: column %s is left out (--columns strict keeps columns of numbers)", lost)
		return t, nil
	}
	t.ask = func(ctx context.Context, x []float64, n int) ([]float64, error) {
		return treeValues(m, placed(places, x, n), c.Threads), ctx.Err()
	}
	return t, nil
}

// treeValues is what trees predict: values, the probability of the last of two classes, or one a class.
func treeValues(m *trees.Model, x []float64, threads int) []float64 {
	scores := m.ScoreRows(x, threads)
	for i := 0; i < len(scores); i += m.Scores {
		p := scores[i : i+m.Scores]
		m.Predict(p)
		if m.Scores == 1 {
			continue
		}
		sum := 0.0 // of classes against the rest it is not 1
		for _, v := range p {
			sum += v
		}
		for k := range p {
			p[k] /= sum
		}
	}
	return scores
}

// treePlace is where a feature of trees is among those of a sample: a number, or one that is always the same.
type treePlace struct {
	index, mark int // of the number and of its mark for missing cells; −1 for none
	always      float64
}

// treePlaces finds the features of trees in the samples of a set; rows has them as the trees take them. It is the name
// of a column that the set does not have, though its cells differ.
func treePlaces(m *trees.Model, name string, set *dataset.Set, rows *dataset.Set) (places []treePlace, lost string,
	err error) {
	if set.Columns == nil {
		for k := range m.Features {
			place := treePlace{index: k, mark: -1}
			if k >= set.D {
				place.index = -1 // LIBSVM leaves out zeros
			}
			places = append(places, place)
		}
		return places, "", nil
	}
	_, chosen, err := treeColumns(m, name, set.Columns)
	if err != nil {
		return nil, "", err
	}
	first := make(map[*dataset.Column]treePlace)
	set.Columns.EachFeatures(func(c *dataset.Column, index, n int) {
		place := treePlace{index: index, mark: -1}
		if c.Marked {
			place.mark = index + n - 1
		}
		first[c] = place
	})
	for k := range m.Features {
		c := &set.Columns[chosen[k]]
		place, ok := first[c]
		if !ok || c.Role != dataset.RoleNumber {
			place = treePlace{index: -1, mark: -1, always: rows.X[k]}
			for i := range rows.N {
				v := rows.X[i*m.Features+k]
				if v != place.always && !(math.IsNaN(v) && math.IsNaN(place.always)) {
					return nil, c.Name, nil
				}
			}
		}
		places = append(places, place)
	}
	return places, "", nil
}

// placed returns n samples as the trees take them.
func placed(places []treePlace, x []float64, n int) []float64 {
	to, d := make([]float64, 0, n*len(places)), len(x)/max(1, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for _, place := range places {
			v := place.always
			if place.index >= 0 {
				v = row[place.index]
			}
			if place.mark >= 0 && row[place.mark] != 0 {
				v = math.NaN()
			}
			to = append(to, v)
		}
	}
	return to
}

// numbersTeacher is a file of numbers, or a program that is asked, or both.
func (c *distillCmd) numbersTeacher(s *session.Session, numbers, data string, memory int64) (*teacher, error) {
	r := c.reading(memory / 2)
	set, err := load(s, data, r)
	if err != nil {
		return nil, err
	}
	t := &teacher{what: "numbers of " + inputName(numbers), set: set}
	width := 0
	if numbers != "" {
		if t.values, err = session.InBackground(s, func() (read []float64, err error) {
			read, width, err = readNumbers(numbers, maxNumbers, set.N)
			return read, err
		}); err != nil {
			return nil, err
		}
	}
	if c.Ask != "" {
		p := &pipe{s: s, command: c.Ask, patience: c.Patience, columns: set.Columns, width: width}
		if t.ask, t.nanos, t.what = p.ask, p.nanos, c.Ask; t.values == nil {
			if t.values, err = p.ask(s.Context, set.X, set.N); err != nil {
				return nil, session.Ended(err)
			}
		}
	}
	width = len(t.values) / max(1, set.N)
	if c.Task == "auto" && width == 1 && len(set.Labels) > 2 { // labels that are whole numbers
		r.Targets = dataset.TargetValues
		if t.set, err = load(s, data, r); err != nil {
			return nil, fmt.Errorf("one number of the teacher for %d classes: %w", len(set.Labels), err)
		}
	}
	t.kind, err = c.kind(t, width)
	return t, err
}

// maxNumbers is the most numbers that a teacher says of a sample.
const maxNumbers = 10_000

// kind says what the numbers of a file or a program are.
func (c *distillCmd) kind(t *teacher, width int) (distill.Kind, error) {
	if c.Kind != "auto" {
		return distill.ParseKind(c.Kind)
	}
	share := !slices.ContainsFunc(t.values, func(v float64) bool { return !(v >= 0 && v <= 1) })
	switch {
	case t.set.Targets != nil || c.Task == "regress":
		return distill.Values, nil
	case share:
		return distill.Probabilities, nil
	case t.set.Y != nil || width > 1 || c.Task == "classify":
		return distill.Scores, nil
	}
	return distill.Values, nil
}
