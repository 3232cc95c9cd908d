package main

// #include "types.h"
import "C"

import (
	"context"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// reduction is the options of skm_reduce.
type reduction struct {
	MaxSV   *int     `json:"max_sv"`
	MaxLoss *float64 `json:"max_loss"`
	Tau     *float64 `json:"tau"`
	Move    *bool    `json:"move"`
	Table   uint64   `json:"table"`
	limits
}

//export skm_reduce
func skm_reduce(m C.skm_model, samples *C.skm_the_samples, options *C.skm_text, watch *C.skm_the_watch,
	smaller *C.skm_model, report, text **C.char) C.int {
	return long(watch, smaller, report, text, func(smaller *C.skm_model, report **C.char) error {
		c, err := find(m)
		if err != nil {
			return err
		}
		if options == nil || smaller == nil {
			return argument("skm_reduce: options or smaller is NULL")
		}
		var r reduction
		err = parse(C.GoString(options), &r)
		if err != nil {
			return err
		}
		var set *dataset.Set
		if samples != nil {
			if set, err = setOf(samples); err != nil {
				return err
			}
			if set, err = withValues(c, set); err != nil {
				return err
			}
		}
		if c, err = ofTable(c, r.Table); err != nil {
			return err
		}
		ctx, progress, end := watched(watch, r.TimeLimit)
		defer end()
		result, err := r.reduce(ctx, c, set, progress)
		if err != nil {
			return err
		}
		return handOver(result.Classifier, result.Report, smaller, report)
	})
}

// reduce reduces as the command does: by trained centres if there is a limit of size or error and the kernel allows it.
func (r *reduction) reduce(ctx context.Context, c *model.Classifier, set *dataset.Set,
	progress func(learn.Event)) (*reduce.Result, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	o := reduce.Options{Refit: reduce.RefitBetter}
	o.Threads, o.Memory, o.Progress = r.Threads, r.Memory, progress
	nonNegative := func(v *float64) bool { return v == nil || *v >= 0 && *v-*v == 0 }
	switch {
	case r.MaxSV != nil && *r.MaxSV < 1:
		return nil, argument("options: max_sv: found %d, want at least 1", *r.MaxSV)
	case !nonNegative(r.MaxLoss) || !nonNegative(r.Tau):
		return nil, argument("options: max_loss and tau: want finite numbers >= 0")
	case set == nil && (r.MaxSV == nil || r.Tau != nil || r.MaxLoss != nil):
		return nil, argument("options: without samples max_sv alone says where to stop")
	}
	if r.Tau != nil {
		o.Stop = append(o.Stop, reduce.Tau(*r.Tau))
	}
	if r.MaxLoss != nil {
		o.Stop = append(o.Stop, reduce.MaxLoss(*r.MaxLoss))
	}
	if r.MaxSV != nil {
		o.Stop = append(o.Stop, reduce.MaxSV(*r.MaxSV))
	}
	if set != nil && set.Sparse == nil { // centres can then be trained, and take no more memory than the samples
		if stored, err := c.Dense(set.Bytes()); err == nil {
			c = stored
		}
	}
	movable := r.Tau == nil && len(o.Stop) > 0
	if r.Move != nil && *r.Move && !movable {
		return nil, argument("options: move: it stops at max_sv or max_loss, and takes no tau")
	}
	if movable && (r.Move == nil && reduce.Movable(c) == nil || r.Move != nil && *r.Move) {
		return reduce.Move(ctx, c, set, o)
	}
	return reduce.Prune(ctx, c, set, o)
}
