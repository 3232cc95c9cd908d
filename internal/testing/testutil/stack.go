package testutil

import "testing"

// StackGrowth calls functions from fresh goroutines at every depth of the stack up to 64 KiB, at every SIMD level. The
// stack grows on the way to the assembly, and so moves; the results must be those of the calls before. The functions
// should have their arguments on the stack. They are made anew for each level, are deterministic, and cheap: each of
// them runs 700 times, and 340 times under -short.
func StackGrowth(t *testing.T, calls func() map[string]func() float64) {
	t.Helper()
	EachLevel(t, func(t *testing.T) {
		count := 0
		defer func() { t.Logf("%d calls", count) }()
		for name, f := range calls() {
			want := f()
			got := make(chan float64)
			for depth := 0; depth < stackDepths; depth++ {
				if testing.Short() && depth > firstStacks {
					depth += 4
				}
				go func() { got <- atDepth(depth, f) }()
				count++
				if v := <-got; !Same(v, want) {
					t.Fatalf("%s: %v at depth %d, want %v", name, v, depth, want)
				}
			}
		}
	})
}

// Depths in frames of atDepth: 64 KiB, and the stacks of 2 to 16 KiB, of which a short run misses no depth.
const (
	stackDepths = 700
	firstStacks = 250
)

// atDepth calls f below n frames of 64 bytes or more.
//
//go:noinline
func atDepth(n int, f func() float64) float64 {
	var pad [3]uintptr
	pad[n%3] = uintptr(n)
	if n == 0 {
		return f()
	}
	return atDepth(n-1, f) + 0*float64(pad[(n+1)%3])
}

// Fill writes numbers in (−1, 1), others for another seed.
func Fill(x []float64, seed uint64) {
	for i := range x {
		seed = seed*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(seed)>>11) / (1 << 52)
	}
}

// WeightedSum is Σ (i+1)·x_i.
func WeightedSum(x []float64) (s float64) {
	for i, v := range x {
		s += v * float64(i+1)
	}
	return s
}
