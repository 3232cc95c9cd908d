package skm

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// TestLeastOnGrid holds the search against f0 of Table 1 on 1000 margins.
func TestLeastOnGrid(t *testing.T) {
	for _, f := range fixtures(t) {
		for _, c := range []float64{0.01, 0.1, 1} {
			r, err := Trainer{C: c}.Train(context.Background(), f.problem)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Report.Figures.(Figures).F0
			m, err := newMachine(f.problem, linear{name: "skm", c: 1, shape: kernellp.Shape{OneSided: true, SumToOne: true}})
			if err != nil {
				t.Fatal(err)
			}
			s := &search{Trainer: Trainer{C: c}, m: m}
			least, at := math.Inf(1), 0.0
			for k := range 1000 {
				delta := math.Pow(DeltaMin, float64(k)/999)
				if v, _ := s.evaluate(context.Background(), delta); v < least {
					least, at = v, delta
				}
			}
			t.Logf("%s %g: %g at %g, grid %g at %g", f.name, c, got, r.Report.Figures.(Figures).Delta, least, at)
			if !(got <= least+1e-9) {
				t.Errorf("%s, C = %g: f0 %.12g at %g, on the grid %.12g at %g", f.name, c, got, r.Report.Figures.(Figures).Delta, least, at)
			}
		}
	}
}
