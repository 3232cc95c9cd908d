package modelselect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Sample returns n of the settings, drawn without replacement, in their order; all of them if there are no more. The
// ends of their grid are those of the values that were drawn.
func Sample(settings []Setting, n int, seed uint64) []Setting {
	if n >= len(settings) {
		return settings
	}
	drawn := picked(settings, dataset.NewRand(seed).Perm(len(settings))[:n])
	made := make(map[*grid]*grid)
	for i := range drawn {
		g := drawn[i].grid
		if g != nil && made[g] == nil {
			made[g] = g.of(drawn)
		}
		drawn[i].grid = made[g]
	}
	return drawn
}

// picked returns some of the settings, in their order.
func picked(settings []Setting, which []int) []Setting {
	slices.Sort(which)
	return deal.Pick(settings, which)
}

// Halve is [Evaluate] with successive halving (Jamieson & Talwalkar 2016): after a quarter of the splits, and after
// half of them, it drops the worse half of the settings, but none within two standard errors of the best. The table
// has the remaining settings, in their order.
func Halve(ctx context.Context, set *dataset.Set, settings []Setting, splits []dataset.Split,
	o Options) (*Table, error) {
	if o.Shards > 0 {
		return nil, errors.New("modelselect: halving needs the runs of all settings, which a shard does not have")
	}
	if o.Ledger == nil {
		o.Ledger = new(Ledger) // the next round reuses the runs of this one
	}
	for _, share := range []int{4, 2} {
		n := (len(splits) + share - 1) / share
		if n < 2 || n == len(splits) {
			continue // one split does not rank settings
		}
		t, err := Evaluate(ctx, set, settings, splits[:n], o)
		if err != nil {
			return t, err
		}
		settings = t.betterHalf()
	}
	return Evaluate(ctx, set, settings, splits, o)
}

// betterHalf returns the settings in the better half, or within two standard errors of the best.
func (t *Table) betterHalf() []Setting {
	scores := t.Scores()
	best := Choose(scores, Best)
	if best < 0 {
		return t.Settings
	}
	limit := scores[best].Mean + 2*scores[best].SE
	order := deal.All(len(scores))
	deal.Sort(order, func(a, b int) int { return scores[a].compare(&scores[b]) })
	kept := order[:0]
	for rank, i := range order {
		if scores[i].Failed == "" && (rank < (len(order)+1)/2 || scores[i].Mean <= limit) {
			kept = append(kept, i)
		}
	}
	return picked(t.Settings, kept)
}

// ErrNoSetting is in the chain of the error for settings none of which could be trained on every split.
var ErrNoSetting = errors.New("no setting could be trained on every split")

// Tuned is the result of a search.
type Tuned struct {
	Table      *Table
	Scores     []Score
	Chosen     int // index in the table
	Classifier *sparsekm.Classifier
	Report     *sparsekm.Report
}

// Train chooses a setting by the rule and trains it on all samples.
func (t *Table) Train(ctx context.Context, set *dataset.Set, rule Rule, o Options) (*Tuned, error) {
	scores := t.Scores()
	r := &Tuned{Table: t, Scores: scores, Chosen: Choose(scores, rule)}
	if r.Chosen < 0 {
		why := "there are none"
		if len(r.Scores) > 0 {
			why = fmt.Sprintf("%s: %s", t.Settings[0].Name, r.Scores[0].Failed)
		}
		return nil, fmt.Errorf("modelselect: %w (%s)", ErrNoSetting, why)
	}
	var err error
	r.Classifier, r.Report, err = t.Settings[r.Chosen].train(ctx, set, room{threads: o.Threads, memory: o.Memory}, new(Run))
	return r, err
}
