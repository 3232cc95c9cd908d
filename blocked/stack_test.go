package blocked_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStackGrowth asks matrices that are whole and that are cached, with arguments on a stack that moves.
func TestStackGrowth(t *testing.T) {
	testutil.StackGrowth(t, func() map[string]func() float64 {
		calls := map[string]func() float64{}
		addStackCalls[float64](calls, "float64")
		addStackCalls[float32](calls, "float32")
		return calls
	})
}

func addStackCalls[T gram.Float](calls map[string]func() float64, of string) {
	const n, d = 50, 9
	var x [n * d]float64
	testutil.Fill(x[:], 1)
	samples := gram.Pack[T](gram.RBF(0.3), x[:], n, d)
	for name, budget := range map[string]int64{"whole": 1 << 30, "cached": 1} {
		calls["AddRows, "+name+" "+of] = func() float64 {
			var g [n]float64
			idx, coef := [3]int{4, 0, 49}, [3]float64{1, -2, 0.5}
			m := blocked.New(samples, budget, 1)
			if err := m.AddRows(context.Background(), g[:], idx[:], coef[:]); err != nil {
				panic(err)
			}
			return testutil.WeightedSum(g[:])
		}
		calls["Rows, "+name+" "+of] = func() float64 {
			var dst [n]float64
			var values [n]T
			idx := [n]int{}
			for i := range idx {
				idx[i] = i
			}
			m := blocked.New(samples, budget, 1)
			m.Diag(dst[:])
			s := testutil.WeightedSum(dst[:])
			for _, row := range m.Rows(idx[5:7]) {
				s += float64(row[30]) + float64(row[n-1])
			}
			m.Select(idx[:])
			m.SubRow(dst[:], 7)
			m.SubValues(values[:], 8)
			return s + testutil.WeightedSum(dst[:]) + float64(values[2])
		}
	}
}
