package modelselect

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// series are settings on one split that differ in C alone, for a method that trains two classes at many C for little
// more than at one. The first one to be trained trains them all.
type series struct {
	costs   []float64
	results []*learn.Result // in the order of costs, as far as the path came
	walked  bool
	took    float64 // seconds of the path
}

// seriesTrainer is the trainer of one setting of a series.
type seriesTrainer struct {
	learn.FreePath
	series *series
	index  int
}

// Train implements [learn.Trainer].
func (t seriesTrainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	s := t.series
	if !s.walked {
		s.walked = true
		start := time.Now()
		err := t.Path(ctx, p, s.costs, func(_ float64, r *learn.Result) bool {
			s.results = append(s.results, r)
			return true
		})
		s.took = time.Since(start).Seconds()
		if err != nil && len(s.results) == 0 {
			return nil, err
		}
	}
	if t.index < len(s.results) {
		return s.results[t.index], nil
	}
	return t.FreePath.Train(ctx, p)
}

// shared corrects the seconds of a training: each setting counts an equal part of the path's time, and the first one
// has waited for all of it. It is 0 for nil.
func (t *seriesTrainer) shared() float64 {
	switch {
	case t == nil:
		return 0
	case t.index == 0:
		return t.series.took/float64(len(t.series.costs)) - t.series.took
	}
	return t.series.took / float64(len(t.series.costs))
}

// seriesOf names the series of a setting, and its C; "" if it belongs to none.
func (s *Setting) seriesOf(set *dataset.Set) (name string, c float64) {
	o := s.Options
	if _, free := o.Trainer.(learn.FreePath); !free || s.Search != nil || len(set.Labels) != 2 || o.Refit ||
		o.Calibrate != 0 || o.LearnWidths || o.CategoryValues > 0 || o.Candidates != nil {
		return "", 0
	}
	if several, ok := o.Trainer.(learn.Several); ok && several.Leaves() {
		return "", 0
	}
	name, c, _ = s.besidesCost()
	return name, c
}

// besidesCost identifies a setting without its C, if its method has one.
func (s *Setting) besidesCost() (identity string, c float64, ok bool) {
	c, given := learn.ValuesOf(s.Options.Trainer)["c"].(float64)
	one, err := Param("c", 1).Set(s.Options, 1)
	if !given || err != nil {
		return "", 0, false
	}
	same := Setting{Name: strings.Replace(s.Name, " c="+format(c), "", 1), Options: one}
	return same.identity(), c, true
}

// grouped groups the jobs of a split. The jobs of a series form one group, where the first of them stood.
func (e *evaluation) grouped(jobs []job) (groups [][]job) {
	group := make(map[string]int)
	for _, j := range jobs {
		name, _ := e.settings[j.setting].seriesOf(e.set)
		k, known := group[name]
		if name == "" || !known {
			group[name], groups = len(groups), append(groups, []job{j})
			continue
		}
		groups[k] = append(groups[k], j)
	}
	return groups
}

// doAll makes the runs of a group, except those that another process has written to the ledger since. Each counts an
// equal part of the path's time.
func (e *evaluation) doAll(ctx context.Context, group []job, threads int) {
	defer e.ended(group[0].split, len(group))
	group = slices.DeleteFunc(group, func(j job) bool {
		r := e.earlier(j)
		if r != nil && e.Progress != nil {
			e.mu.Lock()
			e.Progress(e.done, e.total, r)
			e.mu.Unlock()
		}
		return r != nil
	})
	switch len(group) {
	case 0:
		return
	case 1:
		e.do(ctx, group[0], threads, nil)
		return
	}
	s := new(series)
	for _, j := range group {
		_, c := e.settings[j.setting].seriesOf(e.set)
		s.costs = append(s.costs, c)
	}
	for k, j := range group {
		e.do(ctx, j, threads, &seriesTrainer{FreePath: e.settings[j.setting].Options.Trainer.(learn.FreePath), series: s, index: k})
	}
}
