package parallel_test

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// A simulation's critical path is that of runs and loops, one inside another too, on a clock of the test's own.
func TestSimulate(t *testing.T) {
	var clock float64
	work := func(seconds float64) { clock += seconds }
	each := func(threads int, seconds ...float64) {
		parallel.For(threads, len(seconds), func(_, i int) { work(seconds[i]) })
	}
	for _, c := range []struct {
		about      string
		work, path float64
		f          func()
	}{
		{"no goroutines", 3, 3, func() { work(3) }},
		{"a run between other work", 16, 11, func() {
			work(2)
			parallel.Run(3, func(i int) { work([]float64{4, 5, 1}[i]) })
			work(4)
		}},
		{"a loop on two workers", 10, 6, func() { each(2, 3, 1, 2, 1, 3) }},
		{"a loop on more workers than it has parts", 6, 3, func() { each(9, 1, 2, 3) }},
		{"loops inside a run, twice", 44, 14, func() {
			for range 2 {
				parallel.Run(2, func(i int) {
					if i == 0 {
						each(2, 4, 4)
						return
					}
					work(1)
					each(3, 5, 6, 2)
				})
			}
		}},
	} {
		got, path := parallel.Simulate(func() float64 { return clock }, c.f)
		testutil.Near(t, c.about+": work", got, c.work, 1e-12)
		testutil.Near(t, c.about+": path", path, c.path, 1e-12)
	}
}
