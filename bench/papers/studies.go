package main

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/reduce"
)

var (
	twelve = []string{"banana", "diabetis", "heart", "ionosphere", "iris", "ringnorm", "ripley", "thyroid", "twonorm",
		"german", "waveform", "codes"}
	nine = []string{"banana", "german", "heart", "diabetis", "thyroid", "ringnorm", "ionosphere", "twonorm", "waveform"}
)

// studies by name.
var studies = map[string]study{
	"promise": {"every method, tuned by cross-validation and not, compared with a tuned SVC", twelve, 10, promise},
	"fit": {"fit without flags compared with a tuned SVC",
		[]string{"banana", "german", "heart", "diabetis", "thyroid", "ringnorm", "ionosphere", "iris"}, 5, fit},
	"direct": {"direct --tune compared with a tuned SVC", nine, 20, func() ([]candidate, error) {
		return withSVC(candidate{"direct --tune", trainer(options(direct.Trainer{Tune: true}))})
	}},
	"direct-pool": {"three classes over one pool of three centres", []string{"iris", "waveform"}, 20,
		func() ([]candidate, error) {
			return withSVC(candidate{"direct --tune --max-sv 3", trainer(options(direct.Trainer{Tune: true, MaxSV: 3}))})
		}},
	"moved": {"tuned SVCs reduced to a twentieth of their support vectors", nine, 10, moved},
	"features": {"which of 100 features are kept, 80 of noise among them, compared with a linear SVC",
		[]string{"twonorm, noise", "ringnorm, noise"}, 10, features},
	"regress": {"every method for regression compared with a tuned ε-SVR",
		[]string{"sinc 100", "friedman 1", "friedman 2", "friedman 3", "sinc 1000"}, 3, regress},
}

// options are those of classes: z-scores, and γ by its rule.
func options(t learn.Trainer) sparsekm.Options {
	return sparsekm.Options{Trainer: t, Kernel: gram.RBF(0), Scale: dataset.ScaleZ, Threads: 1}
}

func trainer(o sparsekm.Options) func(context.Context, *dataset.Set, *model.Classifier) (*model.Classifier, error) {
	return func(ctx context.Context, train *dataset.Set, _ *model.Classifier) (*model.Classifier, error) {
		clf, _, err := sparsekm.Train(ctx, train, o)
		return clf, err
	}
}

// searcher trains the setting that a search chooses.
func searcher(s *modelselect.Search) func(context.Context, *dataset.Set, *model.Classifier) (*model.Classifier, error) {
	return func(ctx context.Context, train *dataset.Set, _ *model.Classifier) (*model.Classifier, error) {
		t, err := s.Run(ctx, train, modelselect.Options{Threads: 1})
		if err != nil {
			return nil, err
		}
		return t.Classifier, nil
	}
}

// costs are values of C, or of what a method has in its place.
var costs = []float64{0.1, 1, 10, 100, 1000}

// axes are what a method of classes varies: γ, over the number of features, and one parameter of its own.
func axes(method string) []modelselect.Axis {
	gammas := modelselect.GammaTimes(0.1, 0.3, 1, 3, 10)
	switch method {
	case "rvm", "rvm-fast", "spc":
		return []modelselect.Axis{gammas}
	case "nu-svc":
		return []modelselect.Axis{modelselect.Param("nu", 0.05, 0.1, 0.2, 0.3, 0.4), gammas}
	case "lssvm", "lssvm-prune":
		return []modelselect.Axis{modelselect.Param("gamma_reg", costs...), gammas}
	case "kmp":
		return []modelselect.Axis{modelselect.Param("eta", 1e-1, 1e-2, 1e-3, 1e-4, 1e-5), gammas}
	case "sggp":
		return []modelselect.Axis{modelselect.Param("noise", 1e-3, 1e-2, 1e-1, 1, 10), gammas}
	}
	return []modelselect.Axis{modelselect.Param("c", costs...), gammas}
}

// tuned are a method's candidates: tuned, then with --refit and --widths learned, and untuned.
func tuned(m learn.Method) (all []candidate, err error) {
	t, err := m.New(nil)
	if err != nil {
		return nil, err
	}
	base := options(t)
	grid, err := modelselect.Grid(base, axes(m.Name)...)
	if err != nil {
		return nil, err
	}
	runs := new(modelselect.Ledger)
	add := func(flags string, last func(o sparsekm.Options) sparsekm.Options) {
		all = append(all, candidate{m.Name + flags,
			searcher(&modelselect.Search{Settings: grid, Folds: 5, Seed: 1, Last: last, Runs: runs})})
	}
	refit := func(o sparsekm.Options) sparsekm.Options { o.Refit = true; return o }
	widths := func(o sparsekm.Options) sparsekm.Options { o.LearnWidths = true; return o }
	add("", nil)
	if m.Refit {
		add(" --refit", refit)
	}
	if m.Name == "ssvc-b" {
		add(" --widths learned", widths)
		add(" --widths learned --refit", func(o sparsekm.Options) sparsekm.Options { return widths(refit(o)) })
	}
	return append(all, candidate{m.Name + " untuned", trainer(base)}), nil
}

// promise are all methods of classes, a tuned SVC first.
func promise() ([]candidate, error) {
	var all []candidate
	for _, m := range learn.Methods() {
		if !m.Takes(learn.Classify) || m.Name == "direct" {
			continue
		}
		own, err := tuned(m)
		if err != nil {
			return nil, err
		}
		if m.Name == "svc" {
			all = append(own, all...)
		} else {
			all = append(all, own...)
		}
	}
	return append(all, candidate{"direct --tune", trainer(options(direct.Trainer{Tune: true}))},
		candidate{"direct untuned", trainer(options(direct.Trainer{}))}), nil
}

// withSVC compares candidates with a tuned SVC.
func withSVC(others ...candidate) ([]candidate, error) {
	m, err := learn.Lookup("svc")
	if err != nil {
		return nil, err
	}
	own, err := tuned(m)
	return append(own[:1:1], others...), err
}

// fit has an hour for a training: other work on the host does not change what is chosen.
func fit() ([]candidate, error) {
	return withSVC(candidate{"fit", func(ctx context.Context, train *dataset.Set, _ *model.Classifier) (*model.Classifier, error) {
		f, err := modelselect.Fit(ctx, train, modelselect.FitOptions{Seed: 1, Time: time.Hour})
		if err != nil {
			return nil, err
		}
		return f.Classifier, nil
	}})
}

// moved reduces the study's SVC.
func moved() ([]candidate, error) {
	reduced := func(name string, by func(context.Context, *model.Classifier, *dataset.Set, reduce.Options) (*reduce.Result,
		error), o reduce.Options, samples bool) candidate {
		return candidate{name, func(ctx context.Context, train *dataset.Set, whole *model.Classifier) (*model.Classifier, error) {
			o.Stop = []reduce.Rule{reduce.MaxSV(max(1, int(math.Round(0.05*float64(whole.NumVectors())))))}
			if !samples {
				train = nil
			}
			r, err := by(ctx, whole, train, o)
			if err != nil {
				return nil, err
			}
			return r.Classifier, nil
		}}
	}
	return withSVC(reduced("centres, with samples", reduce.Move, reduce.Options{}, true),
		reduced("centres, without samples", reduce.Move, reduce.Options{}, false),
		reduced("pruned and refitted", reduce.Prune, reduce.Options{Refit: reduce.Refit}, true))
}

// features are methods that choose features: their C by five folds.
func features() (all []candidate, err error) {
	for _, m := range []struct {
		name string
		learn.Trainer
	}{{"svc", svc.Trainer{}}, {"ssvc-features", ssvc.Features{}}, {"ssvc-features squares", ssvc.Features{Squares: true}},
		{"ssvc-features-b", ssvclp.FeaturesB{}}, {"ssvc-features-b squares", ssvclp.FeaturesB{Squares: true}}} {
		o := sparsekm.Options{Trainer: m.Trainer, Kernel: gram.Linear()}
		grid, err := modelselect.Grid(o, modelselect.Param("c", 0.03, 0.1, 0.3, 1, 3, 10))
		if err != nil {
			return nil, err
		}
		all = append(all, candidate{m.name,
			searcher(&modelselect.Search{Settings: grid, Folds: 5, Seed: 1})})
	}
	return all, nil
}

// regress are all methods of values: of the settings within one standard error of the least, that of the fewest
// support vectors, but ε-SVR by the least error.
func regress() ([]candidate, error) {
	fine := map[string][]float64{"c": {1, 10, 100, 1000}, "gamma_reg": {1, 10, 100, 1000}, "noise": {0.01, 0.1, 1},
		"eta": {1e-2, 1e-3}, "epsilon": {0.1, 0.3}, "nu": {0.1, 0.3, 0.6}}
	var all []candidate
	for _, m := range learn.Methods() {
		if !m.Takes(learn.Regress) || m.Name == "direct" {
			continue
		}
		t, err := m.New(nil)
		if err != nil {
			return nil, err
		}
		var own []modelselect.Axis
		for _, p := range m.Params() {
			if values, ok := fine[p.Name]; ok {
				own = append(own, modelselect.Param(p.Name, values...))
			}
		}
		o := options(t)
		o.ScaleTarget = true
		grid, err := modelselect.Grid(o, append(own, modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))...)
		if err != nil {
			return nil, err
		}
		search := &modelselect.Search{Settings: grid, Folds: 5, Seed: 1, Metric: modelselect.RMSE, Rule: modelselect.OneSE}
		if c := (candidate{m.Name, searcher(search)}); m.Name == "svr" {
			search.Rule = modelselect.Best
			all = append([]candidate{c}, all...)
		} else {
			all = append(all, c)
		}
	}
	o := options(direct.Trainer{Tune: true})
	o.ScaleTarget = true
	return append(all, candidate{"direct --tune", trainer(o)}), nil
}
