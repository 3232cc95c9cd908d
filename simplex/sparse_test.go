package simplex_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestSparse: programs of the kinds that are met in practice, by each method, with the optimum that CLP 1.17
// and HiGHS find.
func TestSparse(t *testing.T) {
	for _, c := range []struct {
		name string
		lp   simplex.LP
		opt  float64
	}{
		{"transport", inputs.Transport(100, 200, 10, 1), 51359},
		{"assignment", inputs.Assignment(200, 10, 1), 30077},
		{"staircase", inputs.Staircase(10, 30, 45, 1), 42.0776895766},
		{"multi-commodity", inputs.Multicommodity(20, 80, 15, 1), 3733},
		{"transport 1500", inputs.Transport(500, 1000, 15, 1), 192085},
		{"assignment 2000", inputs.Assignment(1000, 10, 1), 148687},
		{"multi-commodity 2200", inputs.Multicommodity(50, 200, 40, 1), 10675},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []simplex.Method{simplex.Method(0), simplex.Primal, simplex.Dual} {
				m, _ := c.lp.A.Dims()
				if m > 1000 && (testing.Short() || method != simplex.Method(0)) {
					continue
				}
				s, err := simplex.New(c.lp, simplex.Options{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				r := s.Solve(context.Background())
				if err := simplex.Check(c.lp, r); err != nil || r.Status != status.Optimal {
					t.Errorf("method %d: %v, %v", method, r.Status, err)
				}
				testutil.NearRel(t, "objective", r.Objective, c.opt, 1e-9)
			}
		})
	}
}
