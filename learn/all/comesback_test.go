package all_test

import (
	"context"
	"errors"
	"testing"
)

// TestComesBack ends the context of every method, with narrow and wide kernels and with small and large costs, early
// and late. The training comes back without going on to other loops.
func TestComesBack(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 300
	}
	// Each part of a loop over the samples asks, each level of calls, and each figure of the report that is left out then.
	largest := float64(50 + n/10)
	questions := func(asked int) float64 { return float64(asked) }
	for _, at := range []struct{ gamma, c float64 }{{0.1, 1}, {0.1, 1e5}, {10, 1}, {10, 1e5}} {
		trainings, err := Trainings(n, at.gamma, at.c)
		if err != nil {
			t.Fatal(err)
		}
		for _, training := range trainings {
			for _, end := range []float64{5, 50, 500} {
				ctx := New(t.Context(), questions, end)
				_, err := training.Run(ctx, 1)
				_, late := ctx.End()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s, γ %v, C %v, ended at question %v: %v", training.Name, at.gamma, at.c, end, err)
				}
				if !(late <= largest) {
					t.Errorf("%s, γ %v, C %v, ended at question %v: %v more", training.Name, at.gamma, at.c, end, late)
				}
			}
		}
	}
}

// TestWorst knows the largest gap, the places of both of its ends, and what comes after the limit.
func TestWorst(t *testing.T) {
	now := 0.0
	ctx := New(t.Context(), func(int) float64 { return now }, 10)
	for _, step := range []float64{1, 8, 2, 4} {
		now += step
		if err := ctx.Err(); (err != nil) != (now > 10) {
			t.Errorf("at %v: %v", now, err)
		}
	}
	now++
	worst, late := ctx.End()
	if worst.Work != 8 || late != 6 {
		t.Errorf("a gap of %v, %v late; want 8 and 6", worst.Work, late)
	}
	const place = "learn/all_test.TestWorst:"
	if len(worst.From) < len(place) || worst.From[:len(place)] != place || worst.From != worst.To {
		t.Errorf("from %q to %q", worst.From, worst.To)
	}
}
