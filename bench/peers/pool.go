package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("pool", "1000 small linear and quadratic programs of one structure on 2 to 16 cores compared with one; needs "+
		"neither data nor peers", runPool)
}

// pooledPrograms is the number of programs of a structure.
const pooledPrograms = 1000

func runPool(ctx context.Context, e *env) error {
	begun := time.Now()
	clock := func(n int) func() float64 { // reading processor time takes as long as a part of tiny programs
		if n < 50 {
			return func() float64 { return time.Since(begun).Seconds() }
		}
		return processor.Seconds
	}
	var list []scaled
	for _, size := range [][2]int{{10, 15}, {20, 30}, {50, 80}} {
		p := newManySmall(size[0], size[1], 1)
		pool, err := simplex.NewPool(ctx, p.lp, simplex.Options{})
		if err != nil {
			return err
		}
		change := func(i int, s *simplex.Solver) error { return s.SetRowBounds(p.lp.RowLo, p.rights[i]) }
		run := func(ctx context.Context, threads int) error {
			var done atomic.Int32
			err := pool.Each(ctx, threads, pooledPrograms, change, func(_ int, r *simplex.Result) error {
				return counted(&done, r.Status)
			})
			return all(&done, err)
		}
		list = append(list, scaled{"lp", fmt.Sprintf("%d × %d, other right-hand sides", size[0], size[1]), 1.9, run, clock(size[1])})
	}
	for _, size := range [][2]int{{20, 40}, {50, 100}} {
		t := newQPTask(size[0], size[1], 100)
		pool, err := qp.NewPool(ctx, t.QP, qp.Options{})
		if err != nil {
			return err
		}
		change := func(i int, s *qp.Solver) error { return s.SetCost(t.costs[i%len(t.costs)]) }
		run := func(ctx context.Context, threads int) error {
			var done atomic.Int32
			err := pool.Each(ctx, threads, pooledPrograms, change, func(_ int, r *qp.Result) error {
				return counted(&done, r.Status)
			})
			return all(&done, err)
		}
		list = append(list, scaled{"qp", fmt.Sprintf("%d variables, %d rows, other costs", size[0], size[1]), 1.9, run, clock(size[1])})
	}
	return e.scalingTable(ctx, list)
}

// counted counts an optimum.
func counted(done *atomic.Int32, st status.Status) error {
	if st != status.Optimal {
		return fmt.Errorf("a program ended with %v", st)
	}
	done.Add(1)
	return nil
}

// all wants every program solved.
func all(done *atomic.Int32, err error) error {
	if n := done.Load(); err == nil && n != pooledPrograms {
		return fmt.Errorf("%d of %d programs solved", n, pooledPrograms)
	}
	return err
}
