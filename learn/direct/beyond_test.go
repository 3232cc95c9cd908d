package direct_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// TestBeyond: the choice goes on once beyond the C and γ of its grid, and says where it stays at an end.
func TestBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	p := &learn.Problem{N: 200, D: 2, Kernel: gram.RBF(1)}
	for range p.N {
		x, y := rng.Float64()*4, rng.Float64()*4
		p.X = append(p.X, x, y)
		p.Y = append(p.Y, math.Copysign(1, math.Sin(2*x)*math.Sin(2*y)))
	}
	for _, c := range []struct {
		c, gamma    float64 // the middle of what is tried
		name        string
		least, ends bool
	}{{1e-4, 1, "c", false, true}, {10, 1, "", false, false}} {
		p.Kernel.Gamma = c.gamma
		r := train(t, direct.Trainer{Tune: true, C: c.c, MaxIter: 30, Units: "vectors"}, p)
		f := r.Report.Figures.(direct.Figures)
		if tried := slices.ContainsFunc(f.HeldOut, func(h direct.HeldOut) bool { return h.C > 50*c.c }); c.ends && !tried {
			t.Errorf("C = %v: no larger one was tried", c.c)
		}
		at := slices.ContainsFunc(f.Edges, func(e learn.Edge) bool { return e.Name == "c" && e.Least == c.least })
		if at != c.ends || at != strings.Contains(r.Report.Message, "c at the end of what was tried") {
			t.Errorf("C = %v: chosen %v, edges %v, %q", c.c, f.C, f.Edges, r.Report.Message)
		}
		_, gamma, edges := f.Chosen()
		other := r.Kernel != nil && r.Kernel.Gamma != gamma && f.Weights == nil
		if gamma != f.Gamma || !slices.Equal(edges, f.Edges) || other {
			t.Errorf("γ = %v, in the report %v, of the model %v", gamma, f.Gamma, r.Kernel)
		}
	}
}
