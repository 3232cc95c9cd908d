package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["promise"] = harness.Task{About: "every method on every set, tuned in the training part, compared with a tuned SVC",
		Run: promise}
}

// promiseFlags are those of the task promise.
var promiseFlags struct {
	splits        int
	ledger        string
	only, sets    string
	shard, shards int
}

func declarePromise() {
	f := &promiseFlags
	flag.IntVar(&f.splits, "splits", 10, "promise: most splits a set; 0 makes no runs, and the page of the ledger")
	flag.StringVar(&f.ledger, "ledger", "", "promise: file of runs, which is gone on from; the page is made of it")
	flag.StringVar(&f.only, "only", "",
		"promise: settings, by comma, that are run, while others keep their rows of the page; all without it")
	flag.StringVar(&f.sets, "sets", "", "promise, moved, moved-other, fit: sets, by comma, that are run; all without it")
	flag.IntVar(&f.shard, "shard", 0, "promise: makes runs of this shard alone")
	flag.IntVar(&f.shards, "shards", 0, "promise: number of shards")
}

// The grid of the promise: five values of C, or of what a method has in its place, and five of γ.
var (
	costs  = []float64{0.1, 1, 10, 100, 1000}
	gammas = modelselect.GammaTimes(0.1, 0.3, 1, 3, 10) // over the number of features, as features are z-scored
	stops  = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5}
	noises = []float64{1e-3, 1e-2, 1e-1, 1, 10}
	shares = []float64{0.05, 0.1, 0.2, 0.3, 0.4}
)

// axesOf are what a method varies: γ, and one of its own if it has one.
func axesOf(method string) []modelselect.Axis {
	switch method {
	case "rvm", "rvm-fast", "spc":
		return []modelselect.Axis{gammas}
	}
	return []modelselect.Axis{axisOf(method), gammas}
}

// axisOf is what a method varies in addition to γ.
func axisOf(method string) modelselect.Axis {
	switch method {
	case "nu-svc":
		return modelselect.Param("nu", shares...)
	case "lssvm", "lssvm-prune":
		return modelselect.Param("gamma_reg", costs...)
	case "kmp":
		return modelselect.Param("eta", stops...)
	case "sggp":
		return modelselect.Param("noise", noises...)
	}
	return modelselect.Param("c", costs...)
}

// last changes what a search has chosen.
type last struct {
	name string
	do   func(o sparsekm.Options) sparsekm.Options
}

func refitted(o sparsekm.Options) sparsekm.Options { o.Refit = true; return o }
func widened(o sparsekm.Options) sparsekm.Options  { o.LearnWidths = true; return o }

// lastsOf are the ways in which a method's last training goes.
func lastsOf(m learn.Method) []last {
	all := []last{{"", nil}}
	if m.Refit {
		all = append(all, last{" --refit", refitted})
	}
	if m.Name == "ssvc-b" {
		all = append(all, last{" --widths learned", widened},
			last{" --widths learned --refit", func(o sparsekm.Options) sparsekm.Options { return widened(refitted(o)) }})
	}
	return all
}

// promiseSettings are all methods, tuned by cross-validation, and direct by its own choice.
func promiseSettings() ([]modelselect.Setting, error) {
	var all []modelselect.Setting
	for _, m := range learn.Methods() {
		if !m.Takes(learn.Classify) {
			continue
		}
		base := sparsekm.Options{Kernel: gram.RBF(0), Scale: dataset.ScaleZ}
		var err error
		if m.Name == "direct" {
			if base.Trainer, err = m.New(learn.Values{"tune": true}); err != nil {
				return nil, err
			}
			all = append(all, modelselect.Setting{Name: "direct --tune", Options: base})
			continue
		}
		if base.Trainer, err = m.New(nil); err != nil {
			return nil, err
		}
		grid, err := modelselect.Grid(base, axesOf(m.Name)...)
		if err != nil {
			return nil, err
		}
		runs := new(modelselect.Ledger)
		for _, l := range lastsOf(m) {
			all = append(all, modelselect.Setting{Name: m.Name + l.name,
				Search: &modelselect.Search{Settings: grid, Folds: 5, Seed: 1, Last: l.do, Runs: runs}})
		}
	}
	plain, err := untuned()
	return append(all, plain...), err
}

// suffixes of settings that are not tuned.
const (
	asItIs   = " untuned"
	unscaled = " untuned --scale none"
)

// untuned are methods that a default is chosen from, with C = 1 and γ by its rule, scaled and not.
func untuned() (all []modelselect.Setting, err error) {
	for _, name := range []string{"svc", "ssvc-a", "ssvc-b", "l0svm", "lpsvc", "direct"} {
		m, err := learn.Lookup(name)
		if err != nil {
			return nil, err
		}
		t, err := m.New(nil)
		if err != nil {
			return nil, err
		}
		scaled := sparsekm.Options{Trainer: t, Kernel: gram.RBF(0), Scale: dataset.ScaleZ}
		raw := scaled
		raw.Scale = dataset.ScaleNone
		all = append(all, modelselect.Setting{Name: name + asItIs, Options: scaled},
			modelselect.Setting{Name: name + unscaled, Options: raw})
		if m.Refit {
			scaled.Refit = true
			all = append(all, modelselect.Setting{Name: name + " --refit" + asItIs, Options: scaled})
		}
	}
	return all, nil
}

// promise makes the runs that the ledger does not have, the first split of every set first, and writes the page.
func promise(ctx context.Context, e *harness.Env) error {
	f := &promiseFlags
	sets, absent, err := findSets(e)
	if err != nil {
		return err
	}
	if len(absent) > 0 {
		fmt.Fprintf(os.Stderr, "not found: %s\n", strings.Join(absent, ", "))
	}
	settings, err := promiseSettings()
	if err != nil {
		return err
	}
	if f.ledger == "" {
		f.ledger = filepath.Join(e.Tmp, "runs.jsonl")
	}
	if err = promiseRuns(ctx, sets, settings); err != nil {
		return err
	}
	if err = peerRuns(ctx, e, sets); err != nil {
		return err
	}
	if f.splits > 0 && e.Out == "" {
		return nil
	}
	text, err := os.ReadFile(f.ledger)
	if err != nil {
		return err
	}
	t := &promiseTable{sets: sets, settings: settings}
	if t.runs, err = modelselect.ReadRuns(bytes.NewReader(text), f.ledger); err != nil {
		return err
	}
	t.runs = slices.DeleteFunc(t.runs, func(r *modelselect.Run) bool { return r.Failed != "" })
	return t.write(ctx, e)
}

// listed reports whether a list by comma, all if it is empty, has the name.
func listed(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// promiseRuns makes the runs that the ledger does not have.
func promiseRuns(ctx context.Context, sets []splitSet, settings []modelselect.Setting) error {
	f := &promiseFlags
	ledger, err := modelselect.OpenLedger(f.ledger)
	if err != nil {
		return err
	}
	defer ledger.Close()
	unlisted := func(s modelselect.Setting) bool { return !listed(f.only, s.Name) }
	settings = slices.DeleteFunc(slices.Clone(settings), unlisted)
	for n := 1; n <= f.splits; n++ {
		for _, p := range sets {
			if !listed(f.sets, p.name) {
				continue
			}
			_, err := modelselect.Evaluate(ctx, p.set, settings, p.splits[:min(n, len(p.splits))], modelselect.Options{
				Name: p.name, Threads: 1, Ledger: ledger, Shard: f.shard, Shards: f.shards,
				Progress: func(done, total int, r *modelselect.Run) {
					fmt.Fprintf(os.Stderr, "%s %d: %s: %d errors of %d, %d vectors, %.1f s\n", r.Set, r.Split, r.Setting,
						r.Errors, r.Points, r.Vectors, r.Seconds.Train)
				}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
