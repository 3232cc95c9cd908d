// Package multiclass makes classifiers for several classes out of any two-class
// [learn.Trainer]: one machine for each class against the rest, or one for each
// pair of classes. How the machines' decisions become a class (the largest, a
// vote, or the fuzzy minimum of Abe (2008), section 4.2) is for prediction to
// decide, in package model; the training is the same.
package multiclass

import (
	"context"
	"fmt"
	"sync"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Problem is a training task of Classes classes.
type Problem struct {
	X       []float64 // N×D, row-major, already scaled
	N, D    int
	Class   []int // of each row, in [0, Classes)
	Classes int
	Weight  []float64 // N sample weights >= 0, nil for all 1; weight 0 is the same as an absent row
	Kernel  gram.Kernel
	// KernelOf, when not nil, gives each machine a kernel of its own, made from
	// its own training points: Abe (2008) takes the variances of a diagonal
	// Mahalanobis kernel from the two classes of the pair.
	KernelOf func(p *learn.Problem) (gram.Kernel, error)
	Pairs    bool // a machine for each pair of classes; false: one for each class against the rest
	// Resources are for the whole training: machines trained at the same time share threads and memory.
	learn.Resources
}

// Rest is a machine's Neg when it separates Pos from all other classes.
const Rest = -1

// Machine is one trained two-class machine; its decision is positive for class Pos.
type Machine struct {
	Pos, Neg int   // Neg may be Rest
	Support  []int // indices into Result.Rows, each at most once
	Coef     []float64
	Bias     float64
	Kernel   *gram.Kernel // nil for the problem's
	Report   learn.Report
}

// Result is the trained machines over one pool of vectors.
type Result struct {
	Rows     []int // the pool: rows of the problem with distinct points, ascending
	Machines []Machine
	Report   learn.Report // sums over the machines; the first status that is not Optimal
}

// Train trains all machines, several at a time. The result does not depend on
// Threads as long as the memory for each suffices. For two classes there is one
// machine, with class 1 the positive one.
func Train(ctx context.Context, tr learn.Trainer, p *Problem) (*Result, error) {
	tasks, err := p.tasks()
	if err != nil {
		return nil, err
	}
	machines := make([]Machine, len(tasks))
	errs := make([]error, len(tasks))
	workers := min(parallel.Workers(p.Threads), len(tasks))
	share := p.share(workers)
	parallel.For(workers, len(tasks), func(_, i int) {
		machines[i], errs[i] = tasks[i].train(ctx, tr, p, share)
		share.Progress(learn.Event{Phase: "machines", Done: -1, Text: tasks[i].String()})
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	r := &Result{Machines: machines}
	r.pool(p)
	r.Report = summary(machines)
	return r, nil
}

// share is one machine's part of the resources. Its Progress counts the finished
// machines and may be called from several goroutines.
func (p *Problem) share(workers int) learn.Resources {
	memory := p.Memory
	if memory == 0 {
		memory = 4 << 30
	}
	s := learn.Resources{Threads: max(1, parallel.Workers(p.Threads)/workers), Memory: memory / int64(workers)}
	var mu sync.Mutex
	done := 0
	s.Progress = func(e learn.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Phase == "machines" {
			done++
			e.Done = float64(done) / float64(p.count())
		}
		if p.Progress != nil {
			p.Progress(e)
		}
	}
	return s
}

// summary adds the machines' reports up.
func summary(machines []Machine) learn.Report {
	sum := learn.Report{Status: status.Optimal}
	for _, m := range machines {
		r := m.Report
		if sum.Status == status.Optimal {
			sum.Status = r.Status
		}
		if r.Message != "" {
			if sum.Message != "" {
				sum.Message += "; "
			}
			sum.Message += fmt.Sprintf("%v: %s", pair{m.Pos, m.Neg}, r.Message)
		}
		sum.Gap, sum.KKT = max(sum.Gap, r.Gap), max(sum.KKT, r.KKT)
		sum.Objective += r.Objective
		sum.DualObjective += r.DualObjective
		sum.Iterations += r.Iterations
		sum.InnerIterations += r.InnerIterations
		sum.KernelEvals += r.KernelEvals
		sum.Seconds.Gram += r.Seconds.Gram
		sum.Seconds.Solve += r.Seconds.Solve
	}
	return sum
}
