package simplex

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// reads counts how much of a matrix is read after the end of a context, in passes over all of it.
type reads struct {
	*Dense
	ctx    *testutil.Ending
	limit  int
	passes float64
}

func (a *reads) count(share float64) {
	if a.ctx != nil && a.ctx.Looks() > a.limit {
		a.passes += share
	}
}

func (a *reads) Column(dst []float64, j int) {
	_, n := a.Dims()
	a.count(1 / float64(n))
	a.Dense.Column(dst, j)
}

func (a *reads) Price(dst []float64, rows []int32, y []float64) {
	m, _ := a.Dims()
	a.count(float64(len(rows)) / float64(m))
	a.Dense.Price(dst, rows, y)
}

func (a *reads) MulAdd(dst, x []float64) {
	a.count(1)
	for j, v := range x {
		column := make([]float64, len(dst))
		a.Dense.Column(column, j)
		for i, e := range column {
			dst[i] += e * v
		}
	}
}

// TestReadsAfterTheEnd: after the end of a context a solve reads the matrix for values, reduced costs, activities and
// what the duals make of the costs, and no more. The residuals and the gap are finite, and no less than those that the
// whole matrix gives.
func TestReadsAfterTheEnd(t *testing.T) {
	p := plantedAt(7, 60, 80, 1)
	lp := p.lp(false)
	whole := lp.A
	m, n := whole.Dims()
	columns := make([]float64, 0, m*n)
	for j := range n {
		columns = append(columns, make([]float64, m)...)
		whole.Column(columns[j*m:], j)
	}
	rows := make([]float64, m*n)
	for i := range m {
		for j := range n {
			rows[i*n+j] = columns[j*m+i]
		}
	}
	ended, estimated := 0, 0
	for left := 1; ; left += 3 {
		a := &reads{Dense: NewDense(m, n, rows), limit: left}
		lp.A = a
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.ctx = testutil.EndAfter(context.Background(), left)
		r := s.Solve(a.ctx)
		if r.Status == status.Optimal {
			break
		}
		if ended++; r.Status != status.Cancelled {
			t.Fatalf("ended at %d: %v", left, r.Status)
		}
		if testutil.AtMost(t, "passes over the matrix", a.passes, 4.5); a.passes < 1 {
			t.Errorf("ended at %d: %v passes", left, a.passes)
		}
		f := lp.filled()
		exact := new(scratch).certify(&f, r, 0)
		for _, owner := range []struct {
			what         string
			found, exact float64
		}{
			{"primal residual", r.PrimalResidual, exact.PrimalResidual},
			{"dual residual", r.DualResidual, exact.DualResidual},
			{"gap", r.Gap, exact.Gap},
		} {
			testutil.AtMost(t, owner.what, owner.found, math.MaxFloat64)
			testutil.AtMost(t, owner.what+" of the whole matrix", owner.exact, owner.found*(1+1e-12))
			if owner.found > owner.exact*(1+1e-12) {
				estimated++
			}
		}
	}
	if ended < 20 || estimated < 20 {
		t.Errorf("%d ends, %d estimates", ended, estimated)
	}
}
