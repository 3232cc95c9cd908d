package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/modelselect"
)

// cost is processor time in seconds: of one training, of one prediction.
type cost struct {
	Train   float64 `json:"train"`
	Predict float64 `json:"predict"`
}

// measured are costs by the key of a run.
type measured map[string]cost

// read takes in a file, which need not be there.
func (c measured) read(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &c)
}

func (c measured) write(name string) error {
	text, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// measure trains once more on the first split of every set, each setting as it was chosen there. What a file next to
// the ledger has is not measured again.
func (t *promiseTable) measure(ctx context.Context) error {
	t.cost = make(map[[2]string]cost)
	name, found := promiseFlags.ledger+".costs", measured{}
	if err := found.read(name); err != nil {
		return err
	}
	for _, r := range t.runs {
		p := slices.IndexFunc(t.sets, func(p splitSet) bool { return p.name == r.Set })
		s := slices.IndexFunc(t.settings, func(s modelselect.Setting) bool { return s.Name == r.Setting })
		if strings.HasPrefix(r.Setting, peerPrefix) && r.Split == 0 {
			t.cost[[2]string{r.Set, r.Setting}] = cost{r.Seconds.Train, r.Seconds.Predict / float64(r.Points)}
		}
		if r.Split != 0 || p < 0 || s < 0 {
			continue
		}
		o := chosenBy(t.settings[s], r)
		split := t.sets[p].splits[0]
		c, ok := found[r.Key]
		if !ok {
			var err error
			c, err = costOf(ctx, t.sets[p].set.Subset(split.Train), t.sets[p].set.Subset(split.Test), o)
			if err != nil {
				return err
			}
			found[r.Key] = c
			if err = found.write(name); err != nil {
				return err
			}
		}
		t.cost[[2]string{r.Set, r.Setting}] = c
	}
	return nil
}

// chosenBy are the options with which a run's last training was made.
func chosenBy(s modelselect.Setting, r *modelselect.Run) sparsekm.Options {
	o := s.Options
	if q := s.Search; q != nil {
		chosen := slices.IndexFunc(q.Settings, func(s modelselect.Setting) bool { return maps.Equal(s.Varied, r.Varied) })
		if o = q.Settings[chosen].Options; q.Last != nil {
			o = q.Last(o)
		}
	}
	o.Threads = 1
	return o
}

func costOf(ctx context.Context, train, test *dataset.Set, o sparsekm.Options) (cost, error) {
	const (
		times  = 3
		enough = 0.3   // seconds: so long a training is run once
		loops  = 20000 // predictions that are timed together
	)
	c := cost{math.Inf(1), math.Inf(1)}
	var clf *sparsekm.Classifier
	for range times {
		start := processor.Seconds()
		var err error
		if clf, _, err = sparsekm.Train(ctx, train, o); err != nil {
			return c, err
		}
		c.Train = min(c.Train, processor.Seconds()-start)
		if c.Train > enough {
			break
		}
	}
	for range times {
		start := processor.Seconds()
		for k := range loops {
			clf.Predict(test.Row(k % test.N))
		}
		c.Predict = min(c.Predict, (processor.Seconds()-start)/loops)
	}
	return c, nil
}
