package status

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestStrings(t *testing.T) {
	seen := map[string]bool{}
	for s := Unknown; s <= FixedPoint; s++ {
		if name := s.String(); name == "" || seen[name] {
			t.Errorf("status %d is called %q", uint8(s), name)
		} else {
			seen[name] = true
		}
	}
	if got := (FixedPoint + 1).String(); got != "Status(12)" {
		t.Errorf("an unknown status is called %q", got)
	}
	if b, err := json.Marshal(map[string]Status{"status": TimeLimit}); err != nil ||
		string(b) != `{"status":"time limit"}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestFromContext(t *testing.T) {
	if s := FromContext(context.Background()); s != Unknown || s.Limit() {
		t.Errorf("a living context gives %v", s)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if s := FromContext(gone); s != Cancelled || !s.Limit() {
		t.Errorf("a cancelled context gives %v", s)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	if s := FromContext(late); s != TimeLimit || !s.Limit() {
		t.Errorf("a context past its deadline gives %v", s)
	}
	if !IterationLimit.Limit() || Optimal.Limit() || Infeasible.Limit() || Numerical.Limit() {
		t.Error("limits are the iteration limit, the time limit and the cancellation")
	}
}

// What a solver was asked to do is done, or a limit came first, or neither: never both.
func TestDoneAndLimit(t *testing.T) {
	done := []Status{Optimal, SizeReached, GapOpen, LocalOptimum, FixedPoint}
	limits := []Status{IterationLimit, TimeLimit, Cancelled}
	for s := Unknown; s <= FixedPoint; s++ {
		if s.Done() != slices.Contains(done, s) || s.Limit() != slices.Contains(limits, s) {
			t.Errorf("%v: done %v, limit %v", s, s.Done(), s.Limit())
		}
	}
}
