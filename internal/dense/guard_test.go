package dense

import (
	"math"
	"math/rand/v2"
	"testing"
)

// word surrounds what a test lends to a kernel: a number that it must not read
// shows in the result, one that it must not write is missed.
var word = math.Float64frombits(0x7ff8dead0000beef)

// lent is a slice between guard words, with a copy of what was in it.
type lent struct {
	all, was []float64
	at, n    int
}

// lend returns n random elements in (−1, 1), off elements from an aligned place.
func lend(rng *rand.Rand, n, off int) *lent {
	l := &lent{all: make([]float64, n+off+17), at: off + 8, n: n}
	for i := range l.all {
		l.all[i] = word
	}
	for i := range l.s() {
		l.s()[i] = 2*rng.Float64() - 1
	}
	l.was = append([]float64(nil), l.all...)
	return l
}

func (l *lent) s() []float64 { return l.all[l.at : l.at+l.n : l.at+l.n] }

// before is the contents at first.
func (l *lent) before() []float64 { return l.was[l.at : l.at+l.n] }

// checkInput fails if anything changed.
func (l *lent) checkInput(t *testing.T, what string) {
	t.Helper()
	for i, v := range l.all {
		if math.Float64bits(v) != math.Float64bits(l.was[i]) {
			t.Fatalf("%s: input element %d became %v", what, i-l.at, v)
		}
	}
}

// checkGuards fails if a word outside the slice changed.
func (l *lent) checkGuards(t *testing.T, what string) {
	t.Helper()
	for i, v := range l.all {
		if (i < l.at || i >= l.at+l.n) && math.Float64bits(v) != math.Float64bits(word) {
			t.Fatalf("%s: wrote %v outside, at %d of %d", what, v, i-l.at, l.n)
		}
	}
}

// checkBits fails unless the elements are those of want, to the bit; any NaN is as good as another.
func checkBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, v := range got {
		if math.Float64bits(v) != math.Float64bits(want[i]) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}

// checkSum fails unless got is start + Σ x_i y_i to within the rounding of any order of
// addition: (n+1)·2⁻⁵³ times the sum of the terms' sizes. The reference is summed in twice
// the precision: Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005, algorithm 5.3 (Dot2).
func checkSum(t *testing.T, what string, got, start float64, x, y []float64) {
	t.Helper()
	sum, rest, size := start, 0.0, math.Abs(start)
	for i, v := range x {
		p := float64(v * y[i])
		next := sum + p
		z := next - sum
		rest += (sum - (next - z)) + (p - z) + math.FMA(v, y[i], -p)
		sum = next
		size += math.Abs(p)
	}
	if off := math.Abs(got - sum - rest); !(off <= float64(len(x)+1)*0x1p-53*size) {
		t.Fatalf("%s: %v is off by %v", what, got, off)
	}
}

// lengths are 0 to 100, and both sides of every place where a loop or a call ends.
func lengths() []int {
	ns := []int{127, 128, 129, 255, 256, 257, blockColumns - 1, blockColumns, blockColumns + 1, blockColumns + 37}
	for n := range 101 {
		ns = append(ns, n)
	}
	return ns
}
