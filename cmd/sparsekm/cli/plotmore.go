package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// roundsOf reads what train --json printed, an object a training.
func roundsOf(name string) (*plots.Lines, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &plots.Lines{X: "rounds", Y: "vectors", LogY: true}
	for in := json.NewDecoder(f); ; {
		var report struct {
			Method string        `json:"method"`
			N      float64       `json:"n"`
			Rounds []learn.Round `json:"rounds"`
		}
		if err = in.Decode(&report); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: want what train --json prints: %w", name, err)
		}
		if len(report.Rounds) == 0 {
			return nil, fmt.Errorf("%s: %s has no rounds", name, methodOf(report.Method))
		}
		line := plots.Line{Name: report.Method, X: []float64{0}, Y: []float64{max(report.N, 1)}}
		for k, r := range report.Rounds {
			line.X = append(line.X, float64(k+1))
			line.Y = append(line.Y, max(float64(r.Nonzeros), 0.5))
		}
		c.Lines = append(c.Lines, line)
	}
	if len(c.Lines) == 0 {
		return nil, fmt.Errorf("%s: found nothing, want what train --json prints", name)
	}
	return c, nil
}

const (
	learningFolds = 5
	leastPart     = 8 // samples of the smallest training
)

// learning draws the error against the number of training samples: each method with its own parameters on stratified
// parts of the training folds, tested on the fold that is left out.
func (c *plotCmd) learning(s *session.Session) (*plots.Picture, error) {
	set, err := load(s, c.File, c.DataFlags.reading())
	if err != nil {
		return nil, err
	}
	if set.Y == nil {
		return nil, usagef("%s: the samples have no labels", c.File)
	}
	o := sparsekm.Options{}
	if o.Scale, _, err = dataset.AutoScale(s.Context, set); err != nil {
		return nil, stopped(err)
	}
	var settings []modelselect.Setting
	for _, name := range c.Methods {
		m, failed := sparsekm.Lookup(name)
		if failed != nil {
			return nil, usagef("--methods: %s", strings.TrimPrefix(failed.Error(), "learn: "))
		}
		if o.Trainer, err = m.New(nil); err != nil {
			return nil, err
		}
		settings = append(settings, modelselect.Setting{Name: name, Options: o})
	}
	splits, err := learningSplits(set)
	if err != nil {
		return nil, err
	}
	t, err := evaluate(s, new(session.ProgressFlags), set, settings, splits, modelselect.Options{})
	if err != nil {
		return nil, stopped(err)
	}
	return plots.New(c.Dark).Learned(t)
}

// learningSplits are folds with ever larger parts of their training samples.
func learningSplits(set *dataset.Set) ([]dataset.Split, error) {
	folds, err := set.Folds(learningFolds, 1)
	if err != nil {
		return nil, err
	}
	var splits []dataset.Split
	for f, fold := range folds {
		part := set.Subset(fold.Train)
		for share := 1.0; share*float64(part.N) >= leastPart; share /= 2 {
			sp := dataset.Split{Train: fold.Train, Test: fold.Test}
			if share < 1 {
				of, failed := part.Split(share, uint64(f))
				if failed != nil || slices.Contains(part.Subset(of.Train).Counts(), 0) {
					break // a class would have no sample
				}
				sp.Train = nil
				for _, i := range of.Train {
					sp.Train = append(sp.Train, fold.Train[i])
				}
			}
			splits = append(splits, sp)
		}
	}
	return splits, nil
}
