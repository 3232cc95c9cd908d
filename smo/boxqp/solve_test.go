package boxqp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
)

func factorOf(z []float64, n, r int) *Factor {
	return NewFactor(z, n, r, r)
}

// randomProblem is a random program with H = ZZᵀ of rank r; some of its variables are fixed.
func randomProblem(rng *rand.Rand, n, r int) (z []float64, h [][]float64, p *Problem) {
	z, h = make([]float64, n*r), make([][]float64, n)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	p = &Problem{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		h[i] = make([]float64, n)
		for j := range n {
			for k := range r {
				h[i][j] += z[i*r+k] * z[j*r+k]
			}
		}
		p.P[i] = rng.NormFloat64() * 3
		p.Lo[i] = -rng.Float64()
		p.Hi[i] = p.Lo[i] + float64(rng.IntN(3))*rng.Float64()
	}
	return z, h, p
}

// A gradient along an infinite bound proves nothing.
func TestGapIsInfinite(t *testing.T) {
	p := &Problem{H: factorOf([]float64{2, 0, 0, 2}, 2, 2), P: []float64{-12, -1}, Lo: []float64{0, 0},
		Hi: []float64{math.Inf(1), 1}, Start: []float64{1, 1}}
	atStart := func() *Result {
		c := p.H.phases(p.begin(t.Context(), Options{}))
		c.begin(t.Context())
		c.judgeImage(t.Context())
		return c.finish()
	}
	r := atStart()
	if r.B[0] != 1 || r.G[0] != -8 || r.G[1] != 3 || !math.IsInf(r.Gap, 1) {
		t.Errorf("gap %v at %v with gradient %v, want +Inf", r.Gap, r.B, r.G)
	}
	p.Hi[0] = 3
	if r := atStart(); r.Gap != 8*2+3*1 || r.KKT != 8 {
		t.Errorf("gap %v, violation %v, want 19 and 8", r.Gap, r.KKT)
	}
}

// Where more variables are free than an orthogonal factor has rows, Newton steps still move all of them at once.
func TestManyFree(t *testing.T) {
	const n, r = 1350, 2060
	rng := rand.New(rand.NewPCG(61, 62))
	z := make([]float64, n*r)
	for i := range z {
		z[i] = rng.NormFloat64() / math.Sqrt(r)
	}
	p := &Problem{H: factorOf(z, n, r), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		p.P[i], p.Hi[i] = -1, 20
	}
	s := Solve(t.Context(), p, Options{Gap: 1e-2})
	free := 0
	for _, b := range s.B {
		if b > 0 && b < 20 {
			free++
		}
	}
	if !(s.Gap <= 1e-2*dense.Dot(s.U, s.U)/2) || free <= largestBasis || s.Newton > 100 {
		t.Errorf("gap %v, %d free after %d steps of Newton's method", s.Gap, free, s.Newton)
	}
}
