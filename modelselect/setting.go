package modelselect

import (
	"context"
	"errors"
	"fmt"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// Setting is one way to train.
type Setting struct {
	// Name identifies the setting in tables and in a ledger. Whatever is not a number, such as the rule for γ, must be
	// part of the name.
	Name    string
	Options sparsekm.Options
	// Varied has the numbers that a grid varies.
	Varied map[string]float64
	// Finish, when not nil, changes the classifier before it is tested and returned, as [reduce.Weights] does. The name
	// must say so.
	Finish func(*sparsekm.Classifier) (*sparsekm.Classifier, error)
	// Search, when not nil, chooses among other settings within the training part of each split, instead of Options.
	Search *Search

	grid *grid // that it is of; nil for none
}

// Search is a choice among settings by cross-validation, or by their [Bound].
type Search struct {
	Settings []Setting
	Folds    int
	Repeats  int // 0 means 1
	Seed     uint64
	Metric   Metric
	Rule     Rule
	Halving  bool // by [Halve]
	Grow     bool // where the choice lies at an edge of its grid, the search goes on beyond it, once
	// Last, when not nil, changes the options of the chosen setting before it is trained on all samples, for instance
	// sets [sparsekm.Options.Refit]. The name of the setting with the search must say so.
	Last func(o sparsekm.Options) sparsekm.Options
	// Runs has earlier trainings of the folds and takes new ones, so that several searches share them; nil keeps none.
	Runs *Ledger
}

// Run searches, and trains the chosen setting on all samples.
func (s *Search) Run(ctx context.Context, set *dataset.Set, o Options) (*Tuned, error) {
	folds, err := s.splits(set)
	if err != nil {
		return nil, err
	}
	o.Metric, o.Repeats, o.Ledger = s.Metric, s.Repeats, s.Runs
	t, err := s.Evaluate(ctx, set, folds, o)
	if err != nil {
		return nil, err
	}
	if s.Last != nil {
		t.Settings = slices.Clone(t.Settings)
		for i := range t.Settings {
			each := &t.Settings[i].Options
			*each = s.Last(*each)
		}
	}
	return t.Train(ctx, set, s.Rule, o)
}

// Evaluate judges the settings, and where the search grows those beyond the edges of the choice. A search by [Bound]
// does not grow: its settings must not depend on the samples.
func (s *Search) Evaluate(ctx context.Context, set *dataset.Set, splits []dataset.Split, o Options) (*Table, error) {
	grows := s.Grow && o.Metric != Bound
	if grows && o.Ledger == nil {
		o.Ledger = new(Ledger) // the second time reuses the runs of the first
	}
	evaluate := func(settings []Setting) (*Table, error) {
		if s.Halving {
			return Halve(ctx, set, settings, splits, o)
		}
		return Evaluate(ctx, set, settings, splits, o)
	}
	t, err := evaluate(s.Settings)
	if err != nil || !grows || o.Shards > 0 {
		return t, err
	}
	return s.grow(ctx, t, evaluate)
}

// with is the search with changed options of its settings.
func (s *Search) with(change func(o *sparsekm.Options)) *Search {
	q := *s
	q.Settings = slices.Clone(q.Settings)
	for i := range q.Settings {
		t := &q.Settings[i]
		if change(&t.Options); t.grid != nil {
			made := *t.grid
			change(&made.base)
			t.grid = &made
		}
	}
	return &q
}

// splits are those that the settings are judged on.
func (s *Search) splits(set *dataset.Set) ([]dataset.Split, error) {
	if s.Metric == Bound {
		return Whole(set), nil
	}
	return Folds(set, s.Folds, max(1, s.Repeats), s.Seed)
}

// Axis is a number of a setting that a grid varies.
type Axis struct {
	Name   string
	Values []float64
	// Set returns the options with the value in them.
	Set func(o sparsekm.Options, v float64) (sparsekm.Options, error)
}

// Param varies a parameter that the method declares.
func Param(name string, values ...float64) Axis {
	return Axis{Name: name, Values: values, Set: func(o sparsekm.Options, v float64) (sparsekm.Options, error) {
		m, err := sparsekm.Lookup(o.Trainer.Name())
		if err != nil {
			return o, err
		}
		params := learn.ValuesOf(o.Trainer)
		if params == nil {
			params = learn.Values{}
		}
		params = maps.Clone(params)
		params[name] = v
		o.Trainer, err = m.New(params)
		return o, err
	}}
}

// Gamma varies γ of the kernel.
func Gamma(values ...float64) Axis {
	return gammaAxis("gamma", values, func(o *sparsekm.Options, v float64) { o.Kernel.Gamma = v })
}

// gammaAxis varies γ of kernels that have one.
func gammaAxis(name string, values []float64, set func(o *sparsekm.Options, v float64)) Axis {
	return Axis{Name: name, Values: values, Set: func(o sparsekm.Options, v float64) (sparsekm.Options, error) {
		if !o.Kernel.HasGamma() {
			return o, fmt.Errorf("modelselect: the %v kernel has no γ", o.Kernel.Kind)
		}
		set(&o, v)
		return o, nil
	}}
}

// GammaTimes varies γ in multiples of the options' rule on each training part; without a rule of [sparsekm.GammaScale].
func GammaTimes(values ...float64) Axis {
	return gammaAxis("gamma_times", values, func(o *sparsekm.Options, v float64) {
		rule := o.Gamma
		if rule == nil {
			rule = sparsekm.GammaScale
		}
		o.Kernel.Gamma = 0
		o.Gamma = func(samples *dataset.Set) float64 { return v * rule(samples) }
	})
}

// Grid returns a setting for every combination of the axes' values, the last axis fastest. Without an axis it is
// the base alone.
func Grid(base sparsekm.Options, axes ...Axis) ([]Setting, error) {
	settings := []Setting{{Name: base.Trainer.Name(), Options: base, Varied: map[string]float64{}}}
	made := &grid{base, axes}
	for _, a := range axes {
		var next []Setting
		for _, s := range settings {
			for _, v := range a.Values {
				o, err := a.Set(s.Options, v)
				if err != nil {
					return nil, err
				}
				t := Setting{Name: s.Name + " " + a.Name + "=" + format(v), Options: o, Varied: maps.Clone(s.Varied)}
				t.Varied[a.Name] = v
				next = append(next, t)
			}
		}
		settings = next
	}
	for i := range settings {
		settings[i].grid = made
	}
	return settings, nil
}

func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Powers returns base to the powers from, from+step, ... up to to.
func Powers(base, from, to, step float64) []float64 {
	var v []float64
	for i := 0; ; i++ {
		e := from + float64(i)*step
		if e > to*(1+1e-12) && e > to+1e-12 {
			return v
		}
		v = append(v, math.Pow(base, e))
	}
}

// identity is the key of a setting in a ledger: its name and every number that it trains with.
func (s *Setting) identity() string {
	var b strings.Builder
	if q := s.Search; q != nil {
		fmt.Fprintf(&b, "%s|search %d %d %d %v %d %v", s.Name, q.Folds, q.Repeats, q.Seed, q.Metric, q.Rule, q.Halving)
		if q.Grow {
			b.WriteString(" grows")
		}
		for i := range q.Settings {
			fmt.Fprintf(&b, "|%q", q.Settings[i].identity())
		}
		return b.String()
	}
	o := &s.Options
	fmt.Fprintf(&b, "%s|%s|%v|", s.Name, o.Trainer.Name(), learn.ValuesOf(o.Trainer)) // maps print in order
	fmt.Fprintf(&b, "%v %v %v %v %v|%v|%v|%v|%v %v %d", o.Kernel.Kind, o.Kernel.Gamma, o.Kernel.Degree, o.Kernel.Coef0,
		o.Kernel.Weights, o.Scale, o.Scheme, o.ClassWeight, o.Refit, o.LearnWidths, o.Calibrate)
	if o.Kernel.HasAlpha() {
		fmt.Fprintf(&b, "|alpha %v", o.Kernel.Alpha)
	}
	if o.RoundScaled {
		b.WriteString("|rounded") // appended, so that older ledgers keep their keys
	}
	if o.ScaleTarget {
		b.WriteString("|target")
	}
	if o.CategoryValues > 0 {
		fmt.Fprintf(&b, "|categories %d", o.CategoryValues)
	}
	if o.Bound != (sparsekm.Bound{}) {
		fmt.Fprintf(&b, "|bound %v", o.Bound)
	}
	if o.Candidates != nil {
		fmt.Fprintf(&b, "|%x", hashSamples(o.Candidates))
	}
	return b.String()
}

// Folds returns k folds, repeated with other seeds: k·repeats splits. They are those of [dataset.Set.Folds], but the
// only sample of a class is in every training part and in no test part, and so is the group of a class that has two
// samples in it. Folds whose test parts have nothing left are left out. It is an error if each repetition has none.
func Folds(set *dataset.Set, k, repeats int, seed uint64) ([]dataset.Split, error) {
	if repeats < 1 {
		return nil, fmt.Errorf("modelselect: %d repeats, want at least 1", repeats)
	}
	lone := deal.Lone(set.Y, set.Groups)
	var all []dataset.Split
	for r := range repeats {
		folds, err := set.Folds(k, seed+uint64(r))
		if err != nil {
			return nil, err
		}
		for _, sp := range folds {
			if lone != nil {
				sp.Train, sp.Test = deal.Keep(lone, sp.Train, sp.Test)
			}
			if len(sp.Test) > 0 {
				all = append(all, sp)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("modelselect: every class has one sample, or one group: none is left to be tested")
	}
	return all, nil
}
