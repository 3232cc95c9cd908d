package modelselect

import (
	"context"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// series are settings of two classes that differ in C alone, of a method that trains at many C for little more than at
// one, on one split. The first that is trained trains all of them.
type series struct {
	costs   []float64
	results []*learn.Result // in that order, as far as the path came
	walked  bool
	took    float64 // seconds of the path
}

// inSeries is one of them as a trainer.
type inSeries struct {
	learn.FreePath
	of *series
	at int
}

// Train implements [learn.Trainer].
func (t inSeries) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	s := t.of
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
	if t.at < len(s.results) {
		return s.results[t.at], nil
	}
	return t.FreePath.Train(ctx, p)
}

// shared is what its part of the path is more than what it has waited for it, in seconds; 0 for nil.
func (t *inSeries) shared() float64 {
	switch {
	case t == nil:
		return 0
	case t.at == 0:
		return t.of.took/float64(len(t.of.costs)) - t.of.took
	}
	return t.of.took / float64(len(t.of.costs))
}

// seriesOf names the series that a setting is of, and its C; "" where it is of none.
func (s *Setting) seriesOf(set *dataset.Set) (name string, c float64) {
	o := s.Options
	if _, free := o.Trainer.(learn.FreePath); !free || s.Search != nil || len(set.Labels) != 2 || o.Refit ||
		o.Calibrate != 0 || o.LearnWidths || o.Candidates != nil {
		return "", 0
	}
	c, given := learn.ValuesOf(o.Trainer)["c"].(float64)
	one, err := Param("c", 1).Set(o, 1)
	if !given || err != nil {
		return "", 0
	}
	same := Setting{Name: strings.Replace(s.Name, " c="+format(c), "", 1), Options: one}
	return same.identity(), c
}

// inSeries groups the jobs of a split: those of a series come together, at the place of the first.
func (e *evaluation) inSeries(jobs []job) (groups [][]job) {
	at := make(map[string]int)
	for _, j := range jobs {
		name, _ := e.settings[j.setting].seriesOf(e.set)
		k, known := at[name]
		if name == "" || !known {
			at[name], groups = len(groups), append(groups, []job{j})
			continue
		}
		groups[k] = append(groups[k], j)
	}
	return groups
}

// doAll makes the runs of a group. Each has an equal part of the path's time.
func (e *evaluation) doAll(ctx context.Context, group []job) {
	if len(group) == 1 {
		e.do(ctx, group[0], nil)
		return
	}
	s := new(series)
	for _, j := range group {
		_, c := e.settings[j.setting].seriesOf(e.set)
		s.costs = append(s.costs, c)
	}
	for k, j := range group {
		e.do(ctx, j, &inSeries{FreePath: e.settings[j.setting].Options.Trainer.(learn.FreePath), of: s, at: k})
	}
}
