package ssvclp

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// TestPath holds every model of a warm path, with weights and repeated samples, against a training alone.
func TestPath(t *testing.T) {
	p := every(ref.Ripley(t), 2)
	copy(p.X[2*(p.N-5):], p.X[:10]) // the last five samples are copies of the first
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = 0.5 + float64(i%3)
	}
	for _, at := range []func(c float64) learn.PathTrainer{
		func(c float64) learn.PathTrainer { return B{C: c} },
		func(c float64) learn.PathTrainer { return W{C: c} },
	} {
		cs := []float64{0.2, 3, 1, 0.01}
		var seen []float64
		visit := func(c float64, r *learn.Result) bool {
			seen = append(seen, c)
			alone := ref.Train(t, at(c), p)
			what := fmt.Sprintf("C = %g", c)
			testutil.NearRel(t, what+": objective", r.Report.Objective, alone.Report.Objective, 1e-8)
			first := r.Report.Rounds[0].Objective
			testutil.NearRel(t, what+": first round", first, alone.Report.Rounds[0].Objective, 1e-8)
			testutil.NearRel(t, what+": hinge", lastRound(r).Hinge, lastRound(alone).Hinge, 1e-8)
			testutil.NearAll(t, what+": coefficients", allCoefs(p, r), allCoefs(p, alone), 1e-7)
			testutil.AtMost(t, what+": readout", readout(r), 1e-7)
			if r.Report.Status != status.FixedPoint {
				t.Errorf("%s: %v", what, r.Report.Status)
			}
			return true
		}
		if err := at(7).Path(t.Context(), p, cs, visit); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(seen, cs) {
			t.Errorf("visited %v, want %v", seen, cs)
		}
	}
}

// readout is by how much the coefficients of the program's duals and of the linear system differ.
func readout(r *learn.Result) float64 {
	if d := r.Report.Figures.(LinearFigures).Readout; d != nil {
		return *d
	}
	return 0 // the optimum is degenerate
}

func lastRound(r *learn.Result) learn.Round { return r.Report.Rounds[len(r.Report.Rounds)-1] }

// TestPathStops checks the ends of a path: a visitor's no, a cancellation, a bad C.
func TestPathStops(t *testing.T) {
	p := every(ref.Ripley(t), 4)
	visits := 0
	no := func(float64, *learn.Result) bool { visits++; return false }
	if err := (B{}).Path(t.Context(), p, []float64{1, 2}, no); err != nil || visits != 1 {
		t.Errorf("%d visits after a no, error %v", visits, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	visits = 0
	err := B{}.Path(ctx, p, []float64{1, 2, 3}, func(c float64, r *learn.Result) bool {
		if visits++; c == 1 {
			cancel()
		} else if r.Report.Status != status.Cancelled {
			t.Errorf("C = %g: %v after a cancellation", c, r.Report.Status)
		}
		return true
	})
	if err != nil || visits != 2 {
		t.Errorf("%d visits around a cancellation, error %v", visits, err)
	}
	for _, c := range []float64{0, -1} {
		yes := func(float64, *learn.Result) bool { return true }
		if err := (B{}).Path(t.Context(), p, []float64{1, c}, yes); err == nil {
			t.Errorf("a path through C = %g is accepted", c)
		}
	}
}

// TestKeepsTheLastRound cancels Implementation B within its third round: what comes
// back is the model of two rounds, bit for bit. (Of A: TestCancelledRound.)
func TestKeepsTheLastRound(t *testing.T) {
	for name, at := range map[string]func(rounds int) learn.Trainer{
		"ssvc-b": func(rounds int) learn.Trainer { return B{C: 1, MaxIter: rounds} },
	} {
		p := ref.Ripley(t)
		p.Threads = 1
		want := ref.Train(t, at(2), p)
		ctx, cancel := context.WithCancel(t.Context())
		rounds := 0
		p.Progress = func(e learn.Event) {
			if e.Phase == "round" {
				if rounds++; rounds == 2 {
					cancel()
				}
			}
		}
		r, err := at(0).Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Cancelled || len(r.Report.Rounds) != 2 {
			t.Errorf("%s: %v with %d rounds, want cancelled with 2", name, r.Report.Status, len(r.Report.Rounds))
		}
		if len(r.Support) == 0 || !reflect.DeepEqual(r.Expansion, want.Expansion) {
			t.Errorf("%s: not the model of two rounds", name)
		}
	}
}
