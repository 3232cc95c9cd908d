package boxqp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// When most free variables depend on a few, load handles them one by one. It checks its context before each,
// and handles no more after the end; the image of b is as before.
func TestLoadEndsWithItsContext(t *testing.T) {
	const n, r = 200, 20
	load := func(looks int) (*state, *testutil.Ending) {
		z, _, p := randomProblem(rand.New(rand.NewPCG(61, 62)), n, r)
		p.H, p.Start = factorOf(z, n, r), make([]float64, n)
		for i := range n {
			p.Lo[i], p.Hi[i] = -1, 1
		}
		s := p.begin(t.Context(), Options{})
		c := p.H.phases(s)
		c.begin(t.Context())
		ctx := testutil.EndAfter(t.Context(), looks)
		c.a.load(ctx)
		image := make([]float64, r)
		for i, b := range s.b {
			for k := range r {
				image[k] += b * z[i*r+k]
			}
		}
		testutil.NearAll(t, "image", image, c.u, 1e-9)
		return s, ctx
	}
	free := func(s *state) (count int) {
		for _, b := range s.b {
			if b > -1 && b < 1 {
				count++
			}
		}
		return count
	}
	s, ctx := load(math.MaxInt)
	all := ctx.Looks()
	if free(s) > r || all < n-r {
		t.Fatalf("%d of %d variables stay free; %d looks at the context", free(s), n, all)
	}
	s, ctx = load(all / 2)
	if free(s) < n/4 || ctx.Looks() > all/2+2 {
		t.Errorf("%d variables free and %d looks after an end at look %d", free(s), ctx.Looks(), all/2)
	}
}

// However early a context ends, the result is a pair with the certificate that it says, or says that it has none.
// The gap falls from one end to a later one.
func TestBestPairAtTheEndOfAContext(t *testing.T) {
	const n, r = 60, 40
	rng := rand.New(rand.NewPCG(63, 64))
	z, h, p := randomProblem(rng, n, r)
	certified, last := 0, math.Inf(1)
	for looks := 0; ; looks++ {
		p.H = factorOf(z, n, r)
		got := Solve(testutil.EndAfter(t.Context(), looks), p, Options{Threads: 1})
		if got.Status == status.Optimal {
			break
		}
		if got.Status != status.Cancelled || !(got.Gap <= last) {
			t.Fatalf("end at look %d: %v, gap %v after %v", looks, got.Status, got.Gap, last)
		}
		if last = got.Gap; math.IsInf(last, 1) {
			continue
		}
		certified++
		objective, gap := 0.0, 0.0
		image := make([]float64, r)
		for i, b := range got.B {
			g := p.P[i]
			for k := range r {
				g += z[i*r+k] * got.U[k]
				image[k] += b * z[i*r+k]
			}
			gap += max(g, 0)*(b-p.Lo[i]) + min(g, 0)*(b-p.Hi[i])
			objective += b * p.P[i]
			for j, v := range h[i] {
				objective += b * v * got.B[j] / 2
			}
		}
		for k, v := range image {
			gap += (got.U[k] - v) * (got.U[k] - v) / 2
		}
		testutil.NearRel(t, "gap", got.Gap, gap, 1e-9)
		testutil.NearRel(t, "objective", got.Objective, objective, 1e-9)
	}
	if certified < 10 {
		t.Errorf("%d ends with a certificate", certified)
	}
}

// A start without an image has no gap yet: a solve to a rough gap does not end there.
func TestRoughGapFromAStart(t *testing.T) {
	z, _, p := randomProblem(rand.New(rand.NewPCG(65, 66)), 60, 40)
	p.H, p.Start = factorOf(z, 60, 40), make([]float64, 60)
	got := Solve(t.Context(), p, Options{Gap: 0.1})
	if got.Status != status.Optimal || got.Newton == 0 {
		t.Errorf("%v after %d Newton steps", got.Status, got.Newton)
	}
}
