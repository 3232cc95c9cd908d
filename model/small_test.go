package model

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// A small classifier gives the bits of one that packs rows, at every level, also where a machine in the
// middle has a kernel of its own and the others' decisions have to go around it.
func TestSmallBits(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rnd := dataset.NewRand(3)
		for _, shape := range [][2]int{{1, 1}, {3, 2}, {4, 9}, {5, 8}, {13, 20}, {100, 2}, {128, 31}} {
			for name, kernel := range kernels(shape[1]) {
				for _, scheme := range schemes {
					for _, own := range []int{-1, 0, 2} {
						p := randomParts(rnd, scheme, kernel, shape[0], shape[1])
						if own >= len(p.Submodels) {
							continue
						}
						if own >= 0 {
							k := gram.RBF(0.7)
							p.Submodels[own].Kernel = &k
						}
						if own == 0 {
							p.Scaling = nil
						}
						c := mustNew(t, p)
						plain := *c
						plain.small = false
						plain.scratch = &sync.Pool{New: func() any { return plain.newScratch(1) }}
						checkSame(t, fmt.Sprintf("%s/%v/n=%d/d=%d/own=%d", name, scheme, shape[0], shape[1], own), c, &plain)
					}
				}
			}
		}
	})
}

func checkSame(t *testing.T, name string, a, b *Classifier) {
	t.Helper()
	const rows = 9
	x := randomRows(dataset.NewRand(4), rows, a.NumFeatures())
	f, g := make([]float64, rows*a.NumSubmodels()), make([]float64, rows*a.NumSubmodels())
	a.DecideBatch(f, x, rows, 1)
	b.DecideBatch(g, x, rows, 1)
	for i := range f {
		if math.Float64bits(f[i]) != math.Float64bits(g[i]) {
			t.Fatalf("%s: decision %d is %v, of packed rows %v", name, i, f[i], g[i])
		}
	}
	for i := range rows {
		row := x[i*a.NumFeatures() : (i+1)*a.NumFeatures()]
		if p, q := a.Predict(row), b.Predict(row); p != q {
			t.Fatalf("%s: row %d is of class %d, of packed rows %d", name, i, p, q)
		}
	}
}

// Which classifiers have the loop for one row is a promise of speed that no other test would miss.
func TestSmallIsUsed(t *testing.T) {
	for name, want := range map[string]bool{"rbf": true, "weighted": true, "linear": true, "poly": false, "sigmoid": false} {
		p := randomParts(dataset.NewRand(5), OneVsRest, kernels(6)[name], 20, 6)
		if c := mustNew(t, p); c.small != want {
			t.Errorf("%s: a loop for one row is %v, want %v", name, c.small, want)
		}
	}
	p := randomParts(dataset.NewRand(5), Binary, gram.RBF(1), 1000, 6) // a machine has half of the vectors
	if mustNew(t, p).small {
		t.Error("1000 vectors are small")
	}
}
