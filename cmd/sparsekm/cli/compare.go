package cli

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/modelselect"
)

type compareCmd struct {
	Data []string `arg:"" reads:"the samples" help:"Files of labelled samples, each a set."`

	Methods []string `short:"m" required:"" placeholder:"NAME,..." help:"Methods to compare; see sparsekm methods. Each has its parameters chosen in the training part of every split."`
	Out     string   `short:"o" required:"" placeholder:"RUNS" writes:"" help:"Ledger of runs, a JSON object a line. Runs that it has are not made again; see sparsekm report."`

	Scale string `enum:"none,zscore,minmax" default:"zscore" help:"Scaling of the features, fitted on each training part: ${enum}."`

	GridFlags  gridFlags  `embed:""`
	SplitFlags splitFlags `embed:""`
	Inner      int        `default:"5" placeholder:"K" group:"search" help:"Folds of the training part by which parameters are chosen. Default: 5."`

	taskFlags
	metricFlag
	PreferSparse string `enum:"no,1se" default:"no" group:"search" help:"Choose the best parameters, or those with the fewest vectors within one standard error: ${enum}."`
	Shard        string `placeholder:"I/N" group:"search" help:"Make only share I (from 0) of N of the runs; ledgers put together are one."`
	Seed         uint64 `default:"1" placeholder:"N" group:"search" help:"Draws the folds. Default: 1."`

	ProgressFlags session.ProgressFlags `embed:""`
	DataFlags     dataFlags             `embed:""`
	ColumnFlags   columnFlags           `embed:""`
	LimitFlags    session.LimitFlags    `embed:""`
}

func (c *compareCmd) Run(s *session.Session) error {
	s.Listen(&c.ProgressFlags)
	methods, targets, err := c.methods(s.Set)
	if err != nil {
		return err
	}
	if _, err = c.settings(methods, false); err != nil { // before anything is read
		return err
	}
	o := modelselect.Options{Metric: c.metric(), Threads: c.LimitFlags.Threads}
	if o.Shard, o.Shards, err = parseShard(c.Shard); err != nil {
		return err
	}
	s, cancel := s.WithTimeLimit(c.LimitFlags.TimeLimit)
	defer cancel()
	memory := c.LimitFlags.Mem.Bytes()
	defer session.LimitMemory(memory)()
	if o.Ledger, err = modelselect.OpenLedger(c.Out); err != nil {
		return err
	}
	defer o.Ledger.Close()
	before := o.Ledger.Len()
	r := c.reading(methods, targets, memory)
	for _, name := range c.Data {
		set, failed := loadTargeted(s, name, r, methods[0])
		if failed != nil {
			return failed
		}
		if r.noteGuess(s, set, c.Task == "classify"); r.Targets == dataset.TargetGuess && set.Targets != nil {
			r.Targets = dataset.TargetValues // so are those of the next files
		}
		scale, failed := c.scaled(s, set)
		if failed != nil {
			return failed
		}
		settings, failed := c.settings(methods, scale)
		if failed != nil {
			return failed
		}
		splits, failed := c.SplitFlags.of(s, set, c.Seed)
		if failed != nil {
			return failed
		}
		o.Name, o.Memory = setName(name), max(1, memory-setBytes(set))
		table, failed := evaluate(s, &c.ProgressFlags, set, settings, splits, o)
		if err = failed; err != nil {
			break
		}
		if best := modelselect.Choose(table.Scores(), modelselect.Best); best >= 0 && o.Shards == 0 {
			weighted := table.Metric != modelselect.Error && set.Targets == nil
			noteWorthless(s, set, table.Runs[best], weighted, "other --methods", "another --scale")
		}
	}
	return noteRuns(s, c.ProgressFlags.Quiet, err, c.Out, o.Ledger.Len(), before, "; sparsekm report makes a table of it")
}

// methods checks the flags and returns the methods that are compared, and what the labels are to them.
func (c *compareCmd) methods(g session.SetFlags) (methods []sparsekm.Method, targets dataset.TargetKind, err error) {
	if err = errors.Join(c.DataFlags.validate(), c.LimitFlags.Validate(g), c.SplitFlags.validate()); err != nil {
		return nil, 0, err
	}
	if c.metric() == modelselect.Bound {
		return nil, 0, usagef("--metric: bound is for models of all samples, and compare tests on others; want tune")
	}
	if c.Inner < 2 {
		return nil, 0, usagef("--inner: found %d, want at least 2", c.Inner)
	}
	for _, name := range c.Methods {
		m, failed := sparsekm.Lookup(name)
		if failed != nil {
			return nil, 0, unknownMethod("--methods", failed)
		}
		methods = append(methods, m)
	}
	targets, err = c.expectAll(methods)
	return methods, targets, err
}

// reading returns how the files are read. Samples of many features stay sparse where a method takes them so, and
// samples of few features where every method does: for another method each training stores the zeros again.
func (c *compareCmd) reading(methods []sparsekm.Method, targets dataset.TargetKind, memory int64) reading {
	r := c.DataFlags.reading(memory)
	c.ColumnFlags.choose(&r)
	r.Group, r.Targets, r.Threads = c.SplitFlags.Group, targets, c.LimitFlags.Threads
	r.judgedBy(c.Metric)
	takers := 0
	for _, m := range methods {
		if m.KernelOnly && c.Scale == dataset.ScaleNone.String() {
			takers++
		}
	}
	if r.KeepSparse = takers > 0; takers == len(methods) {
		r.narrow = new(gram.Kernel)
	}
	return r
}

// scaled reports whether the real targets of a set are scaled.
func (c *compareCmd) scaled(s *session.Session, set *dataset.Set) (bool, error) {
	if set.Targets != nil {
		return c.scaleTarget(s, set)
	}
	if s.Set.First("target-scale") != "" {
		return false, usagef("--target-scale: the labels are classes")
	}
	return false, nil
}

// setName is a file's name without folders and endings.
func setName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return name
}

// settings are the methods, each with the search that chooses its parameters.
func (c *compareCmd) settings(methods []sparsekm.Method, scaleTarget bool) (all []modelselect.Setting, err error) {
	base := sparsekm.Options{ScaleTarget: scaleTarget}
	if base.Scale, err = dataset.ParseScaleKind(c.Scale); err != nil {
		return nil, session.AsUsage(err)
	}
	for _, m := range methods {
		if base.Trainer, err = m.New(nil); err != nil {
			return nil, err
		}
		base.Kernel = gram.Kernel{}
		if err = ownKernel(m, nil, &base); err != nil {
			return nil, err
		}
		inner, failed := c.GridFlags.settings(base, true, c.Seed)
		if failed != nil {
			return nil, failed
		}
		all = append(all, modelselect.Setting{Name: m.Name, Search: &modelselect.Search{Settings: inner, Folds: c.Inner, Seed: c.Seed,
			Metric: c.metric(), Rule: ruleOf(c.PreferSparse), Halving: c.GridFlags.Search == "halving"}})
	}
	return all, nil
}
