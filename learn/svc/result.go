package svc

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// result turns the dual's solution into an expansion and a report.
func (t Trainer) result(rows []int, p *learn.Problem, s *smo.PairResult, st blocked.Stats, sec learn.Seconds) *learn.Result {
	r := &learn.Result{Report: learn.Report{
		Status:          s.Status,
		Objective:       s.Gap - s.Objective,
		DualObjective:   -s.Objective,
		KKT:             s.KKT,
		Iterations:      s.Rounds,
		InnerIterations: s.Iterations,
		KernelEvals:     st.KernelEvals,
		Seconds:         sec,
	}}
	r.Report.Gap = s.Gap / math.Max(1, math.Abs(r.Report.Objective))
	r.Bias = -s.Rho
	bounded := 0
	for k, i := range rows {
		a := s.A[k]
		if a == 0 {
			continue
		}
		r.Support = append(r.Support, i)
		r.Coef = append(r.Coef, a)
		c := t.c() * p.WeightOf(i)
		if math.Abs(a) == c {
			bounded++
		}
	}
	r.Report.Extra = map[string]any{
		"bounded_sv":    bounded,
		"working_sets":  s.Rounds,
		"rows_computed": st.RowsComputed,
		"row_hits":      st.RowHits,
	}
	return r
}

// timedMatrix measures the time spent on kernel values.
type timedMatrix struct {
	smo.Matrix
	spent time.Duration
}

func (m *timedMatrix) SubRow(dst []float64, r int) {
	start := time.Now()
	m.Matrix.SubRow(dst, r)
	m.spent += time.Since(start)
}

func (m *timedMatrix) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	start := time.Now()
	err := m.Matrix.AddRows(ctx, g, idx, coef)
	m.spent += time.Since(start)
	return err
}

// progress turns the solver's steps into events. The violation falls roughly
// geometrically, so the fraction done is measured on its logarithm.
func progress(report func(learn.Event), tol float64) func(int, float64) {
	if report == nil {
		return nil
	}
	var last time.Time
	var first, done float64
	return func(iterations int, violation float64) {
		if first == 0 {
			first = violation
		}
		if time.Since(last) < 50*time.Millisecond {
			return
		}
		last = time.Now()
		if violation > tol && first > tol {
			done = max(done, math.Log(first/violation)/math.Log(first/tol))
		}
		report(learn.Event{Phase: "smo", Done: done, Text: fmt.Sprintf("%d steps, violation %.2g", iterations, violation)})
	}
}
