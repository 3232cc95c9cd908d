package cholupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// A slice of the wrong length is a mistake of the program, whichever method gets it.
func TestWrongLengthsPanic(t *testing.T) {
	const n = 5
	a := spd(rand.New(rand.NewPCG(1, 1)), n, 1)
	f, v := factorOf(t, a, n), newInverse(t, a, n, 0)
	good := make([]float64, n)
	for name, call := range map[string]func(x []float64){
		"Try":            func(x []float64) { f.Try(x, 1) },
		"Append":         func(x []float64) { _, _ = f.Append(x, 1, 0) },
		"Update":         func(x []float64) { f.Update(x) },
		"Downdate":       func(x []float64) { _ = f.Downdate(x) },
		"Solve":          func(x []float64) { f.Solve(x) },
		"Inverse.Diag":   func(x []float64) { v.Diag(x) },
		"Inverse.Column": func(x []float64) { v.Column(x, 0) },
		"MulVec result":  func(x []float64) { v.MulVec(x, good) },
		"MulVec vector":  func(x []float64) { v.MulVec(good, x) },
	} {
		for _, m := range []int{0, n - 1, n + 1} {
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "cholupdate: ") ||
						!strings.Contains(text, fmt.Sprint(m)) {
						t.Errorf("%s with %d values of %d: %s", name, m, n, text)
					}
				}()
				call(make([]float64, m))
			}()
		}
	}
	if f.Len() != n || v.Len() != n {
		t.Errorf("orders %d and %d afterwards, want %d", f.Len(), v.Len(), n)
	}
}

// Within what Reserve has made room for, changes to a factor take no memory, and
// neither do removals from an inverse.
func TestChangesDoNotAllocate(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		const n = 60
		a := diagonallyHeavy(n)
		f := factorOf(t, a, n)
		f.Reserve(n + 1)
		row, x := make([]float64, n), make([]float64, n)
		for i := range n {
			row[i], x[i] = 1, 0.01*float64(i)
		}
		f.Update(x) // the first change makes the scratch
		for name, change := range map[string]func(){
			"Try":                 func() { f.Try(row, n) },
			"Append and Delete":   func() { _, _ = f.Append(row, 2*n, 0); f.Delete(n / 2) },
			"Update and Downdate": func() { f.Update(x); _ = f.Downdate(x) },
			"Solve":               func() { f.Solve(x) },
		} {
			if got := testing.AllocsPerRun(20, change); got != 0 {
				t.Errorf("%s: %v allocations", name, got)
			}
			if f.Len() != n || math.IsNaN(f.LogDet()) {
				t.Fatalf("%s: order %d, determinant %v", name, f.Len(), f.LogDet())
			}
		}
		v := newInverse(t, a, n, 0)
		if err := v.Remove(0); err != nil { // makes the scratch
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(20, func() { _ = v.Remove(v.Len() / 2) }); got != 0 {
			t.Errorf("Inverse.Remove: %v allocations", got)
		}
		if v.Len() != n-1-21 { // AllocsPerRun warms up with a call
			t.Errorf("%d rows left", v.Len())
		}
	})
}
