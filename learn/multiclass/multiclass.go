// Package multiclass makes classifiers for several classes out of any two-class
// [learn.Trainer]: one model for each class against the rest, or one for each
// pair of classes. How the models' decisions become a class (the largest, a
// vote, or the fuzzy minimum of Abe (2008), section 4.2) is for prediction to
// decide, in package model; the training is the same. A [learn.Joint] trains its
// models against the rest together.
package multiclass

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Problem is a training task of Classes classes. Instead of signs, Y and
// Validation.Y have the index of each sample's class, 0 to Classes−1. The Resources are
// for the whole training: models trained at the same time share threads and memory.
type Problem struct {
	learn.Problem
	Classes int
	// KernelOf, when not nil, gives each model a kernel of its own, made from
	// its own training samples: Abe (2008) takes the variances of a diagonal
	// Mahalanobis kernel from the two classes of the pair. A [learn.Joint] trains
	// its models one by one then.
	KernelOf func(p *learn.Problem) (gram.Kernel, error)
	// Candidates of weight 0 may be of the class −1; a pair's model takes those of its classes and of this one.
	Pairs bool // a model for each pair of classes; false: one for each class against the rest
}

// Result is the trained models over one pool of vectors.
type Result struct {
	Rows     []int           // the pool: rows of the problem with distinct samples, ascending
	Vectors  []float64       // the pool instead of Rows, row-major, when its vectors are no rows
	Kernel   *gram.Kernel    // nil for the problem's; else one that all models have learnt together
	Machines []learn.Trained // their Support are indices into the pool, each at most once
	Status   status.Status   // Optimal when every model's is, else the first one that is not done, else SizeReached
}

// Train trains all models, several at a time if the memory allows it. The result
// does not depend on Threads as long as the memory for each suffices. For two
// classes there is one model, with class 1 the positive one.
func Train(ctx context.Context, tr learn.Trainer, p *Problem) (*Result, error) {
	tasks, err := p.tasks()
	if err != nil {
		return nil, err
	}
	if joint, ok := tr.(learn.Joint); ok && len(tasks) > 1 && !p.Pairs && p.KernelOf == nil {
		return p.joint(ctx, joint, tasks)
	}
	machines := make([]learn.Trained, len(tasks))
	errs := make([]error, len(tasks))
	most := p.largest(tr, tasks)
	workers := min(parallel.Workers(p.Threads), len(tasks), int(max(1, p.spare()/most)))
	share, finished := p.share(workers, len(tasks))
	turn := turns(min(workers, runtime.GOMAXPROCS(0)), len(tasks))
	parallel.For(workers, len(tasks), func(_, i int) {
		if ctx.Err() != nil { // without this submodel there is no classifier
			errs[i] = fmt.Errorf("%v: %w", tasks[i], learn.Nothing(ctx, tr.Name()))
			return
		}
		own, cancel := turn(ctx)
		machines[i], errs[i] = tasks[i].train(own, tr, p, share)
		if errs[i] != nil && own.Err() != nil && ctx.Err() == nil { // no model within its share: all the time that is left
			machines[i], errs[i] = tasks[i].train(ctx, tr, p, share)
		}
		cancel()
		if finished(tasks[i]); ctx.Err() == nil { // there is another
			learn.Collect(most)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return p.result(machines), nil
}

// joint trains all models together.
func (p *Problem) joint(ctx context.Context, tr learn.Joint, tasks []pair) (*Result, error) {
	results, err := tr.TrainJoint(ctx, &p.Problem, p.Classes)
	if err != nil {
		return nil, err
	}
	machines := make([]learn.Trained, len(tasks))
	for i, t := range tasks {
		machines[i] = learn.Trained{Report: results[i].Report,
			Submodel: learn.Submodel{Pos: t.pos, Neg: t.neg, Expansion: results[i].Expansion}}
	}
	r := p.result(machines)
	r.Kernel = results[0].Kernel
	return r, nil
}

func (p *Problem) result(machines []learn.Trained) *Result {
	r := &Result{Machines: machines, Status: status.Optimal}
	for i := range machines {
		if st := machines[i].Report.Status; r.Status == status.Optimal || r.Status.Done() && !st.Done() {
			r.Status = st
		}
	}
	r.pool(p)
	return r
}

// turns returns a function that gives each submodel its context, in the order in which they start. Each gets an
// equal share of the time to the deadline, atOnce being the number that really run at the same time. Time that one
// leaves is shared by those that follow; the last ones may use all of it.
func turns(atOnce, submodels int) func(context.Context) (context.Context, context.CancelFunc) {
	var started atomic.Int64
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		end, ok := ctx.Deadline()
		left := submodels - int(started.Add(1)) + 1 // including this one
		if !ok || left <= atOnce {
			return ctx, func() {}
		}
		share := time.Until(end) * time.Duration(atOnce) / time.Duration(left)
		return context.WithTimeout(ctx, share)
	}
}

// largest returns what the largest task needs.
func (p *Problem) largest(tr learn.Trainer, tasks []pair) int64 {
	var most int64 = 1
	for _, t := range tasks {
		n := t.count(p)
		most = max(most, tr.EstimateMemory(n, p.D)+t.bytes(p, n))
	}
	return most
}

// spare is the budget without what the caller holds.
func (p *Problem) spare() int64 { return cmp.Or(max(p.Memory, 0), learn.DefaultMemory) - p.InUse }

// share is one model's part of the resources, and what to call when a model is
// finished. Its Progress may be called from several goroutines.
func (p *Problem) share(workers, machines int) (learn.Resources, func(pair)) {
	s := learn.Resources{Threads: max(1, parallel.Workers(p.Threads)/workers)}
	s.Memory = p.spare()/int64(workers) + p.InUse
	s.InUse = p.InUse
	if p.Progress == nil {
		return s, func(pair) {}
	}
	var mu sync.Mutex
	done := 0
	s.Progress = func(e learn.Event) {
		mu.Lock()
		defer mu.Unlock()
		p.Progress(e)
	}
	return s, func(t pair) {
		mu.Lock()
		defer mu.Unlock()
		done++
		p.Progress(learn.Event{Phase: "machines", Done: float64(done) / float64(machines), Step: done, Text: t.String()})
	}
}

// pair is the classes that one model separates.
type pair struct{ pos, neg int }

func (t pair) String() string {
	if t.neg == learn.Rest {
		return fmt.Sprintf("class %d against the rest", t.pos)
	}
	return fmt.Sprintf("class %d against class %d", t.pos, t.neg)
}
