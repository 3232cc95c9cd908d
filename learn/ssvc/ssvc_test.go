package ssvc

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// The paper's example: Ripley's 250 samples, σ = 0.5, C = 1 end at 4 support vectors
// with the bias pruned. The live rows follow the published trajectory's shape.
func TestRipley(t *testing.T) {
	p := ref.Ripley(t)
	r := ref.Train(t, A{C: 1}, p)
	rep := r.Report
	if rep.Status != status.FixedPoint || len(r.Support) != 4 || r.Bias != 0 {
		t.Errorf("%v, %d support vectors, bias %v; want optimal, 4, 0", rep.Status, len(r.Support), r.Bias)
	}
	testutil.AtMost(t, "certificate", rep.Figures.(Figures).Certificate, 1e-6)
	live := rep.Figures.(Figures).Live
	if live[0] != 251 {
		t.Errorf("%d coefficients at first, want 251", live[0])
	}
	for i := 1; i < len(live); i++ {
		if live[i] > live[i-1] {
			t.Errorf("live coefficients rise: %v", live)
		}
	}
	for i, round := range rep.Rounds {
		checkRound(t, i, len(rep.Rounds), round)
	}
	// The identity of a fixed point: (9) is nnz/2 + C Σξ.
	last := rep.Rounds[len(rep.Rounds)-1]
	testutil.Near(t, "objective minus hinge, nnz/2", last.Objective-last.Hinge, 2, 1e-6)
	var hinge float64
	for i, f := range ref.Decisions(p, r) {
		hinge += max(0, 1-p.Y[i]*f)
	}
	testutil.Near(t, "hinge loss", last.Hinge, hinge, 1e-6*hinge)
}

// checkRound judges round i of n: the last is an optimum, those before have at most the gap that
// they were solved to.
func checkRound(t *testing.T, i, n int, round learn.Round) {
	t.Helper()
	gap, kkt := firstGap*math.Pow(gapDecay, float64(i))+minGap, 0.1
	if i == n-1 {
		gap, kkt = 1e-6, 1e-6
	}
	if !(round.KKT <= kkt) || !(math.Abs(round.Gap) <= gap) {
		t.Errorf("round %d of %d: KKT %v, gap %v, want at most %v and %v", i, n, round.KKT, round.Gap, kkt, gap)
	}
}
