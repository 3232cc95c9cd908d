package model

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// wideModel is a model of two vectors with their non-zero features far apart.
func wideModel(t *testing.T, k gram.Kernel, d int) *Classifier {
	t.Helper()
	p := Parts{Kernel: k, N: 2, D: d, Features: d, Labels: []string{"-1", "1"}}
	p.Sparse = &csr.Matrix{N: 2, D: d, Start: []int{0, 1, 2}, Index: []int32{0, int32(d - 1)}, Value: []float64{1, 2}}
	p.Submodels = []learn.Submodel{{Pos: 1, Expansion: learn.Expansion{Support: []int{0, 1}, Coef: []float64{1, -1}}}}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWideWork does what commands do with a sparse model of 2e8 features: it takes memory for the entries only.
func TestWideWork(t *testing.T) {
	const d = 200_000_000
	for _, k := range []gram.Kernel{gram.Linear(), gram.RBF(1)} {
		c := wideModel(t, k, d)
		if !testutil.StoppedCollector(t) {
			return
		}
		set := &dataset.Set{N: 1, D: d, Sparse: &csr.Matrix{N: 1, D: d, Start: []int{0, 1}, Index: []int32{0},
			Value: []float64{1}}}
		var shares []Explanation
		used := testutil.PeakHeap(t, func() {
			if needs, all := c.Needs(); !all && len(needs) != 2 {
				t.Errorf("%v: needs %v", k, needs)
			}
			f := make([]float64, 1)
			c.DecideSet(f, c.FirstVector(), 0, 1, 1)
			shares = c.ExplainSet(set, 0)
			testutil.Near(t, "the decision explained", shares[0].Decision, f[0], 0)
		})
		if used > 1<<20 {
			t.Errorf("%v: %d bytes for a model of two entries", k, used)
		}
	}
}

// TestReadWithin reads models within what they take, and not within a quarter of it.
func TestReadWithin(t *testing.T) {
	c := wideModel(t, gram.RBF(1), 1<<20)
	for _, f := range []Format{SKM, JSON} {
		var b bytes.Buffer
		if err := c.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadWithin(bytes.NewReader(b.Bytes()), "f", 1<<20); err != nil {
			t.Errorf("%v: %v", f, err)
		}
		if _, _, err := ReadWithin(bytes.NewReader(b.Bytes()), "f", int64(b.Len())); !errors.Is(err, ErrMemory) ||
			!strings.Contains(err.Error(), "f: found a model that takes more memory") {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// TestNeedsOfPlane: a plane needs features in a model without vectors too.
func TestNeedsOfPlane(t *testing.T) {
	p := Parts{Kernel: gram.RBF(1), D: 3, Features: 3, Labels: []string{"-1", "1"}}
	p.Submodels = []learn.Submodel{{Pos: 1, Expansion: learn.Expansion{Plane: []float64{0, 2, 0}}}}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	if needs, all := c.Needs(); all || len(needs) != 1 || needs[0] != 1 {
		t.Errorf("needs %v, all %v, want feature 1", needs, all)
	}
}
