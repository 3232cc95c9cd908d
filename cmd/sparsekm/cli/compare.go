package cli

import (
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

	Method []string `short:"m" required:"" placeholder:"NAME,..." values:"methods" help:"Methods, each with its parameters chosen in the training part of every split."`
	Ledger string   `required:"" placeholder:"FILE" writes:"" help:"Keep every run in this file, and go on from those that it has; see sparsekm report."`

	Scale string `enum:"zscore,none,minmax" help:"Scaling of the features, fitted on each training part."`

	gridFlags
	SplitFlags splitFlags `embed:""`
	Inner      int        `default:"5" min:"2" placeholder:"K" group:"search" help:"Folds of the training part by which parameters are chosen."`

	taskFlags
	metricFlag
	PreferSparse string `enum:"no,1se" group:"search" help:"Choose the best parameters, or the fewest vectors within one standard error."`
	shardFlag
	Seed uint64 `default:"1" placeholder:"N" group:"limit" help:"Seed of whatever is drawn at random."`

	session.ProgressFlags
	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	session.LimitFlags
}

func (c *compareCmd) Run(s *session.Session) error {
	methods, targets, err := c.methods()
	if err != nil {
		return err
	}
	if _, err = c.settings(methods, false); err != nil { // before anything is read
		return err
	}
	o := modelselect.Options{Metric: c.metric(), Threads: c.Threads, Shard: c.Shard.index, Shards: c.Shard.count}
	memory := s.Memory
	if o.Ledger, err = modelselect.OpenLedger(c.Ledger); err != nil {
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
		table, failed := (&search{set, splits, modelselect.Search{Settings: settings}, o}).table(s)
		if err = failed; err != nil {
			break
		}
		if o.Shards > 0 {
			continue
		}
		for i, m := range methods {
			noteEnds(s, m.Name, table.Runs[i])
		}
		if best := modelselect.Choose(table.Scores(), modelselect.Best); best >= 0 {
			weighted := table.Metric != modelselect.Error && set.Targets == nil
			noteWorthless(s, set, table.Runs[best], weighted, "another --method", "another --scale")
		}
	}
	return noteRuns(s, err, c.Ledger, o.Ledger.Len(), before,
		"; sparsekm report makes a table of it")
}

// methods checks the flags and returns the methods that are compared, and what the labels are to them.
func (c *compareCmd) methods() (methods []sparsekm.Method, targets dataset.TargetKind, err error) {
	if err = c.SplitFlags.validate(); err != nil {
		return nil, 0, err
	}
	if c.metric() == modelselect.Bound {
		return nil, 0, usagef("--metric: bound is for models of all samples, and compare tests on others; want tune")
	}
	return c.taskFlags.methods(c.Method)
}

// reading returns how the files are read. Samples of many features stay sparse where a method takes them so, and
// samples of few features where every method does: for another method each training stores the zeros again.
func (c *compareCmd) reading(methods []sparsekm.Method, targets dataset.TargetKind, memory int64) reading {
	r := c.DataFlags.reading(memory)
	c.ColumnFlags.choose(&r)
	r.Group, r.Targets, r.Threads = c.SplitFlags.Group, targets, c.Threads
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
	for _, m := range methods {
		base, failed := (&sparsekm.Request{Method: m.Name, Scale: c.Scale, TargetScale: scaleTarget}).Options()
		if failed != nil {
			return nil, failed
		}
		inner, failed := c.gridFlags.settings(base, true, c.Seed)
		if failed != nil {
			return nil, failed
		}
		all = append(all, modelselect.Setting{Name: m.Name, Search: &modelselect.Search{Settings: inner, Folds: c.Inner, Seed: c.Seed,
			Metric: c.metric(), Rule: ruleOf(c.PreferSparse), Halving: c.Search == "halving", Grow: c.grows()}})
	}
	return all, nil
}
