package modelselect

import (
	"context"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// FitOptions say what [Fit] may take and must keep. The zero value is a minute, and no constraint.
type FitOptions struct {
	Options
	Time time.Duration // of the search and the last training together; 0 means a minute
	Seed uint64        // of folds and samples
	// Candidates are the settings that are tried; nil means [Candidates].
	Candidates []Setting
}

// Fitted is the outcome of [Fit].
type Fitted struct {
	*Tuned
	Front  []Score // settings that no other beats in both metric and vectors, by ascending vectors
	Folds  int     // splits that judged
	Points int     // of the set that the search looked at: a stratified sample of a large one
	// Linear is the best linear machine's score, nil where none was tried.
	Linear *Score
}

// mostPoints is how many points a search looks at. The error of a setting on as many is known to half a point.
const mostPoints = 4000

// fewPoints is the size below which folds are drawn twice.
const fewPoints = 500

// Fit chooses among methods and parameters the smallest machine within one standard error of the best ([OneSE]), by
// ten stratified folds of z-scored points, twice where points are few, with early elimination ([Halve]), and trains
// it on all points. When time runs out, the splits that are done decide.
func Fit(ctx context.Context, set *dataset.Set, o FitOptions) (*Fitted, error) {
	if o.Time <= 0 {
		o.Time = time.Minute
	}
	candidates := o.Candidates
	if candidates == nil {
		var err error
		if candidates, err = Candidates(dataset.ScaleZ); err != nil {
			return nil, err
		}
	}
	searched, err := sampleOf(set, o.Seed)
	if err != nil {
		return nil, err
	}
	repeats := 1
	if searched.N < fewPoints {
		repeats = 2
	}
	splits, err := Folds(searched, min(10, searched.N), repeats, o.Seed)
	if err != nil {
		return nil, err
	}
	o.Repeats = repeats
	limited, cancel := context.WithTimeout(ctx, o.Time*4/5) // the rest is for the last training
	defer cancel()
	table, err := Halve(limited, searched, candidates, splits, o.Options)
	if err != nil && limited.Err() == nil {
		return nil, err
	}
	f := &Fitted{Points: searched.N}
	scores := table.Scores()
	for i := range scores {
		s := &scores[i]
		f.Folds = max(f.Folds, s.Splits)
		if linear := table.Settings[i].Options.Kernel.Kind == gram.KindLinear; linear && s.Failed == "" &&
			(f.Linear == nil || s.better(f.Linear)) {
			f.Linear = s
		}
	}
	f.Tuned, err = table.train(context.WithoutCancel(ctx), set, scores, OneSE, o.Options)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	f.Front = Front(scores)
	return f, nil
}

// sampleOf is a stratified sample of a large set.
func sampleOf(set *dataset.Set, seed uint64) (*dataset.Set, error) {
	if set.N <= mostPoints {
		return set, nil
	}
	sp, err := set.Split(float64(mostPoints)/float64(set.N), seed)
	if err != nil {
		return nil, err
	}
	return set.Subset(sp.Train), nil
}

// family is a method with the values that are tried.
type family struct {
	method string
	kernel gram.Kernel
	params learn.Values
	axes   []Axis
}

// Candidates are the settings that [Fit] tries: moved vectors ("direct") of several sizes, with one width and with
// one for each feature, the sparse machines that lose least beside a tuned SVC, and linear ones.
func Candidates(scale dataset.ScaleKind) ([]Setting, error) {
	vectors := Param("max_sv", 2, 4, 8, 16, 32)
	few, costs := Param("c", 0.03, 0.3, 3), Param("c", 0.1, 1, 10, 100)
	widths := GammaTimes(0.1, 0.3, 1, 3)
	var all []Setting
	for _, f := range []family{
		{"direct", gram.RBF(0), nil, []Axis{vectors, few, widths}},
		{"direct", gram.RBF(0), learn.Values{"feature_widths": true}, []Axis{vectors, few, GammaTimes(0.1, 0.3, 1)}},
		{"ssvc-b", gram.RBF(0), nil, []Axis{costs, widths}},
		{"lpsvc", gram.RBF(0), nil, []Axis{costs, widths}},
		{"svc", gram.RBF(0), nil, []Axis{costs, widths}},
		{"svc", gram.Linear(), nil, []Axis{Param("c", 0.01, 0.1, 1, 10)}},
	} {
		settings, err := f.settings(scale)
		if err != nil {
			return nil, err
		}
		all = append(all, settings...)
	}
	return all, nil
}

func (f *family) settings(scale dataset.ScaleKind) ([]Setting, error) {
	m, err := sparsekm.Lookup(f.method)
	if err != nil {
		return nil, err
	}
	t, err := m.New(f.params)
	if err != nil {
		return nil, err
	}
	settings, err := Grid(sparsekm.Options{Trainer: t, Kernel: f.kernel, Scale: scale}, f.axes...)
	for i := range settings {
		s := &settings[i]
		switch {
		case f.kernel.Kind == gram.KindLinear:
			s.Name += " linear"
		case len(f.params) > 0:
			s.Name += " feature_widths"
		}
	}
	return settings, err
}
