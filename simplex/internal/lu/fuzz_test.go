package lu

import (
	"context"
	"math"
	"testing"
)

// fuzzExponents bounds the binary exponents of entries.
const fuzzExponents = 1000

// FuzzFactors factors sparse matrices with entries of very different sizes: every pivoted column has a place of its
// own, and solves list the elements that are not 0.
func FuzzFactors(f *testing.F) {
	f.Add([]byte{3, 0, 0, 200, 1, 1, 10, 2, 2, 30, 0, 2, 60})
	f.Add([]byte{2, 0, 0, 128, 0, 1, 128, 1, 0, 128, 1, 1, 128})
	f.Add([]byte{5, 0, 4, 1, 1, 3, 255, 2, 2, 127, 3, 1, 129, 4, 0, 9, 2, 0, 3, 0, 2, 250, 4, 4, 100})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		d := &drawn{m: 1 + int(data[0])%64}
		d.columns = make([]Entries, d.m)
		seen := map[[2]int32]bool{}
		for data = data[1:]; len(data) >= 3; data = data[3:] {
			source := [2]int32{int32(data[0]) % int32(d.m), int32(data[1]) % int32(d.m)}
			if seen[source] {
				continue
			}
			seen[source] = true
			v := math.Ldexp(1+float64(data[2]%7)/8, (int(data[2])-128)*fuzzExponents/128)
			c := &d.columns[source[1]]
			c.Push(source[0], v*float64(1-2*int(data[2]&1)))
		}
		factors := New(d.m)
		places, ok := factors.Factor(context.Background(), d.of)
		taken := map[int32]bool{}
		for j, p := range places {
			if p >= 0 && taken[p] || p >= int32(d.m) || ok && p < 0 {
				t.Fatalf("column %d has place %d of %v", j, p, places)
			}
			taken[p] = true
		}
		if !ok {
			return
		}
		for row := range d.m {
			x, y := NewVector(d.m), NewVector(d.m)
			x.Set(int32(row), 1)
			factors.Ftran(x, nil)
			checkListed(t, x)
			y.Set(int32(row), 1)
			factors.Btran(y, nil)
			checkListed(t, y)
		}
	})
}

// checkListed fails if x has an element that is not 0 and not listed, or listed twice.
func checkListed(t testing.TB, x *Vector) {
	t.Helper()
	listed := map[int32]bool{}
	for _, i := range x.Index {
		if listed[i] {
			t.Fatalf("element %d is listed twice", i)
		}
		listed[i] = true
	}
	for i, v := range x.Value {
		if v != 0 && !listed[int32(i)] {
			t.Fatalf("element %d, %g, is not listed", i, v)
		}
	}
}
