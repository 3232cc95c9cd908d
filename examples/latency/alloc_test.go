//go:build !race

package main

import "testing"

// TestAllocations wants a request to take no memory. The race detector's pools do.
func TestAllocations(t *testing.T) {
	b, x := trainedBalancer(t)
	if n := testing.AllocsPerRun(100, func() { b.pick(x) }); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}
