package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("qp", "dense quadratic programs, cold and with other costs, against quadprog, DAQP, PIQP, ProxQP, Clarabel, "+
		"OSQP and HiGHS, processor time", runQP)
}

// qpTask is a program with n variables and m rows, and costs near its own.
type qpTask struct {
	qp.QP
	n, m  int
	costs [][]float64
}

func newQPTask(n, m, k int) *qpTask {
	rng := rand.New(rand.NewPCG(34, uint64(n)))
	b, q := normal(rng, n*n), make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for l := range n {
				sum += b[i*n+l] * b[j*n+l] / float64(n)
			}
			if i == j {
				sum += 0.1
			}
			q[i*n+j], q[j*n+i] = sum, sum
		}
	}
	t := &qpTask{n: n, m: m}
	t.Q, t.C, t.A = simplex.NewDense(n, n, q), normal(rng, n), simplex.NewDense(m, n, normal(rng, m*n))
	t.Lo, t.Up, t.RowLo = constant(n, math.Inf(-1)), constant(n, math.Inf(1)), constant(m, math.Inf(-1))
	t.RowUp = make([]float64, m)
	for i := range m {
		t.RowUp[i] = rng.Float64()
	}
	for range k {
		c := normal(rng, n)
		for j := range c {
			c[j] = t.C[j] + 0.1*c[j]
		}
		t.costs = append(t.costs, c)
	}
	return t
}

// qpRun is what a solver says: seconds a program, objectives, the largest violation.
type qpRun struct {
	seconds    float64
	objectives []float64
	violation  float64
}

func (r *qpRun) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&r.seconds, &r.objectives, &r.violation})
}

func runQP(ctx context.Context, e *env) error {
	harness.Header("variables, rows", "start", "ours, ms", "iterations", "best peer, ms", "ratio",
		"all peers, ms (objective apart, violation)")
	for _, size := range [][3]int{{20, 40, 500}, {50, 100, 100}, {200, 400, 5}, {1000, 2000, 2}} {
		if err := e.qpRows(ctx, newQPTask(size[0], size[1], size[2])); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) qpRows(ctx context.Context, t *qpTask) error {
	parts := []any{[]int64{int64(t.n), int64(t.m), int64(len(t.costs))}, t.Q.(*simplex.Dense).Data,
		t.A.(*simplex.Dense).Data, t.RowUp}
	for _, c := range t.costs {
		parts = append(parts, c)
	}
	file, err := e.binary("qp.raw", parts...)
	if err != nil {
		return err
	}
	peers := map[string]map[string]qpRun{}
	for _, name := range []string{"quadprog", "daqp", "piqp", "proxqp", "clarabel", "osqp", "highs"} {
		var run map[string]qpRun
		if err := e.ask("qp", nil, &run, file, strconv.Itoa(e.Reps), name); err != nil {
			absent(err)
			continue
		}
		peers[name] = run
	}
	for _, start := range []string{"cold", "warm"} {
		ours, iterations, err := t.solve(ctx, e, start == "warm")
		if err != nil {
			return err
		}
		best, fastest, all := math.Inf(1), "", ""
		for _, name := range slices.Sorted(maps.Keys(peers)) {
			r, ok := peers[name][start]
			if !ok {
				continue
			}
			apart := 0.0
			for k, v := range r.objectives {
				apart = max(apart, math.Abs(v-ours.objectives[k])/math.Abs(ours.objectives[k]))
			}
			all += fmt.Sprintf("%s %s (%.0e, %.0e); ", name, ms(r.seconds), apart, r.violation)
			if r.seconds < best {
				best, fastest = r.seconds, name
			}
		}
		harness.Row(fmt.Sprintf("%d, %d", t.n, t.m), start, ms(ours.seconds), strconv.Itoa(iterations), fastest+" "+ms(best),
			fmt.Sprintf("%.2f", best/ours.seconds), all)
	}
	return nil
}

// solve times our solver over all costs.
func (t *qpTask) solve(ctx context.Context, e *env, warm bool) (run qpRun, iterations int, err error) {
	s, err := qp.New(t.QP, qp.Options{})
	if err != nil {
		return run, 0, err
	}
	var r qp.Result
	s.SolveInto(ctx, &r)
	p := t.QP
	run.seconds, err = e.Processor(func() (err error) {
		run.objectives, iterations = run.objectives[:0], 0
		for _, c := range t.costs {
			last := &r
			if p.C = c; !warm {
				last, err = qp.Solve(ctx, p, qp.Options{})
			} else if err = s.SetCost(c); err == nil {
				s.SolveInto(ctx, last)
			}
			if err != nil {
				return err
			}
			if r = *last; r.Status != status.Optimal {
				return fmt.Errorf("%d variables: %v", t.n, r.Status)
			}
			run.objectives = append(run.objectives, r.Objective)
			iterations += r.Iterations
		}
		return nil
	})
	if err != nil {
		return run, 0, err
	}
	run.seconds /= float64(len(t.costs))
	return run, iterations / len(t.costs), qp.Check(p, &r)
}
