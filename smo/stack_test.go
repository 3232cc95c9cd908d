package smo_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// TestStackGrowth solves programs of each kind with arguments on a stack that moves.
func TestStackGrowth(t *testing.T) {
	testutil.StackGrowth(t, func() map[string]func() float64 {
		return map[string]func() float64{
			"Pair, float64": func() float64 { return solvePair[float64](false) },
			"Pair, float32": func() float64 { return solvePair[float32](false) },
			"Pair of Twice": func() float64 { return solvePair[float64](true) },
			"Box":           solveBox,
		}
	})
}

// programOrder exceeds the lanes of every level, and leaves a rest.
const programOrder, programRank = 37, 5

// factorOf writes a factor Z of rank programRank, and ZZᵀ + 0.1·I with rows ld elements apart.
func factorOf[T float32 | float64](z []float64, k []T, ld int) {
	testutil.Fill(z, 1)
	for i := range programOrder {
		for j := range programOrder {
			var s float64
			for r := range programRank {
				s += z[i*programRank+r] * z[j*programRank+r]
			}
			if i == j {
				s += 0.1
			}
			k[i*ld+j] = T(s)
		}
	}
}

func solvePair[T float32 | float64](twice bool) float64 {
	const n = programOrder
	var z [n * programRank]float64
	var k [n * 64]T
	var p, lo, hi [2 * n]float64
	factorOf(z[:], k[:], 64)
	for i := range n {
		if p[i], hi[i] = -1, 2; i%2 == 1 {
			p[i], lo[i], hi[i] = 1, -2, 0
		}
	}
	m, size := smo.Matrix(smo.NewDense(n, k[:], 64)), n
	if twice {
		m, size = smo.Twice(m), 2*n
		for i := range n {
			p[i], p[n+i] = p[i]+0.1, p[i]-0.1
			lo[i], hi[i], lo[n+i], hi[n+i] = 0, 2, -2, 0
		}
	}
	program := smo.Pair{K: m, P: p[:size], Lo: lo[:size], Hi: hi[:size]}
	r := smo.Solve(context.Background(), &program, smo.Options{Tolerance: 1e-4})
	return testutil.WeightedSum(r.A) + r.Rho
}

func solveBox() float64 {
	const n = programOrder
	var z [n * programRank]float64
	var k [n * n]float64
	var p, lo, hi [n]float64
	factorOf(z[:], k[:], n)
	for i := range n {
		p[i], hi[i] = -1, 2
	}
	program := boxqp.Problem{H: boxqp.NewFactor(z[:], n, programRank, programRank), P: p[:], Lo: lo[:], Hi: hi[:]}
	r := boxqp.Solve(context.Background(), &program, boxqp.Options{Threads: 1})
	return testutil.WeightedSum(r.B) + r.Objective
}
