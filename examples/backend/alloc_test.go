//go:build !race

package main

import (
	"context"
	"testing"
)

// TestAllocations: a tick allocates as much for 200 users as for 40, so that a decision allocates nothing.
func TestAllocations(t *testing.T) {
	for _, c := range cases {
		var of [2]float64
		for k, users := range []int{40, 200} {
			b, err := c.make(context.Background(), users)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]tally, users)
			tick := func() {
				if err := b.tick(context.Background(), 1, all); err != nil {
					t.Fatal(err)
				}
			}
			for range 40 { // until scratch memory has grown to what programs need
				tick()
			}
			of[k] = testing.AllocsPerRun(20, tick)
		}
		if of[0] != of[1] || of[0] > 10 {
			t.Errorf("%s: %v allocations for 40 users, %v for 200", c.name, of[0], of[1])
		}
	}
}
