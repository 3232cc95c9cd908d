package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// holdoutFlags keep a part of the samples from the training.
type holdoutFlags struct {
	Holdout     share   `placeholder:"SHARE" help:"Train without this share of the samples (20% or 0.2), drawn class by class, and report the error on them."`
	HoldoutSeed *uint64 `placeholder:"N" help:"Draw of --holdout. Default: 1."`
}

func (f *holdoutFlags) validate() error {
	if f.HoldoutSeed != nil && f.Holdout == 0 {
		return usagef("--holdout-seed: there is nothing to draw without --holdout")
	}
	return nil
}

// share is a part of something: the command line takes 20% and 0.2.
type share float64

func (s *share) UnmarshalText(text []byte) error {
	digits, percent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return fmt.Errorf("%q is no share, want something like 20%% or 0.2, between 0 and 1", text)
	}
	*s = share(v)
	return nil
}

// holdoutJSON says which samples the training did without.
type holdoutJSON struct {
	Share  float64 `json:"share"`
	Seed   uint64  `json:"seed"`
	Points int     `json:"points"`

	trained []int // rows of the file, of the samples that were trained on
	drawn   string
}

func (h *holdoutJSON) String() string {
	return fmt.Sprintf("the %d samples held out (%.4g %%, %s, seed %d)", h.Points, 100*h.Share, h.drawn, h.Seed)
}

// divide draws the samples that are held out and takes them out of the set. The training's samples stay in its memory.
func (f *holdoutFlags) divide(name string, train *dataset.Set) (*holdoutJSON, *dataset.Set, error) {
	h := &holdoutJSON{Share: float64(f.Holdout), Seed: 1, drawn: "stratified"}
	if train.Y == nil {
		h.drawn = "drawn evenly"
	}
	if f.HoldoutSeed != nil {
		h.Seed = *f.HoldoutSeed
	}
	if !train.Targeted() {
		return nil, nil, fmt.Errorf("--holdout: %s has no labels", name)
	}
	split, err := train.Split(1-h.Share, h.Seed)
	if err != nil {
		return nil, nil, fmt.Errorf("--holdout: %s: %d samples cannot be divided so that both parts have some", name, train.N)
	}
	test := train.Subset(split.Test)
	for k, i := range split.Train {
		if train.Sparse == nil {
			copy(train.X[k*train.D:(k+1)*train.D], train.Row(i))
		}
		if train.Y != nil {
			train.Y[k] = train.Y[i]
		} else {
			train.Targets[k] = train.Targets[i]
		}
	}
	train.N = len(split.Train)
	if train.Sparse != nil {
		train.Sparse = train.Sparse.Subset(split.Train)
	} else {
		train.X = train.X[:train.N*train.D]
	}
	train.Y = train.Y[:min(train.N, len(train.Y))]
	train.Targets = train.Targets[:min(train.N, len(train.Targets))]
	for class, n := range train.Counts() {
		if n == 0 {
			return nil, nil, fmt.Errorf("--holdout: all samples of class %s are held out", train.Labels[class])
		}
	}
	h.Points, h.trained = test.N, split.Train
	return h, test, nil
}

// original makes the rows that a classifier and its report name rows of the file. A nil h leaves them as they are.
func (h *holdoutJSON) original(clf *sparsekm.Classifier, r *sparsekm.Report) (*sparsekm.Classifier, error) {
	if h == nil || r.Support == nil {
		return clf, nil
	}
	rows := func(of []int) []int {
		o := make([]int, len(of))
		for k, i := range of {
			o[k] = h.trained[i]
		}
		return o
	}
	r.Support = rows(r.Support)
	machines := make([]learn.Trained, len(r.Submodels))
	for i, m := range r.Submodels {
		m.Support = rows(m.Support)
		machines[i] = m
	}
	r.Submodels = machines
	p := clf.Parts()
	p.Rows = rows(p.Rows)
	return model.New(p)
}
