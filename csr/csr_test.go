package csr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/csr"
)

// draw is n rows of d features, a fifth of them not 0; rows 0 and 3 are the same, as are 1 and 4.
func draw(n, d int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := make([]float64, n*d)
	for i := range x {
		if rng.IntN(5) == 0 {
			x[i] = rng.NormFloat64()
		}
	}
	copy(x[3*d:4*d], x[:d])
	copy(x[4*d:5*d], x[d:2*d])
	return x
}

// TestRows holds every view of the rows against the dense ones.
func TestRows(t *testing.T) {
	const n, d = 9, 13
	x := draw(n, d)
	m := csr.FromDense(x, n, d)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(x, m.Dense()); diff != "" {
		t.Errorf("dense again:\n%s", diff)
	}
	rows := []int{4, 0, 4, 8}
	var want []float64
	for _, i := range rows {
		want = append(want, x[i*d:(i+1)*d]...)
	}
	if diff := cmp.Diff(want, m.Subset(rows).Dense()); diff != "" {
		t.Errorf("a subset:\n%s", diff)
	}
	both := m.Append(m.Subset(rows))
	if diff := cmp.Diff(slices.Concat(x, want), both.Dense()); diff != "" || both.Validate() != nil {
		t.Errorf("one behind the other: %v\n%s", both.Validate(), diff)
	}
	if got, want := m.First(), []int{0, 1, 2, 0, 1, 5, 6, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("first rows of their elements %v, want %v", got, want)
	}
	w := make([]float64, d)
	for k := range w {
		w[k] = float64(k) - 3.5
	}
	for i := range n {
		var dot float64
		for k, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				dot += v * w[k]
			}
		}
		if got := m.Dot(i, w); !(math.Abs(got-dot) <= 1e-15) {
			t.Errorf("row %d: product %v, want %v", i, got, dot)
		}
	}
	c := m.Clone()
	c.Value[0]++
	if m.Dense()[slices.IndexFunc(x, func(v float64) bool { return v != 0 })] != m.Value[0] || c.Value[0] == m.Value[0] {
		t.Error("a clone shares elements")
	}
	if (*csr.Matrix)(nil).Clone() != nil {
		t.Error("a clone of nothing")
	}
}

// TestValidate breaks one thing at a time.
func TestValidate(t *testing.T) {
	good := func() *csr.Matrix {
		return &csr.Matrix{N: 2, D: 4, Start: []int{0, 2, 3}, Index: []int32{0, 3, 1}, Value: []float64{1, 2, 3}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(m *csr.Matrix){
		"a start short":          func(m *csr.Matrix) { m.Start = m.Start[:2] },
		"starts from 1":          func(m *csr.Matrix) { m.Start[0] = 1 },
		"a descending start":     func(m *csr.Matrix) { m.Start[1] = 4 },
		"an end elsewhere":       func(m *csr.Matrix) { m.Start[2] = 2 },
		"fewer values":           func(m *csr.Matrix) { m.Value = m.Value[:2] },
		"a feature twice":        func(m *csr.Matrix) { m.Index[1] = 0 },
		"a negative feature":     func(m *csr.Matrix) { m.Index[2] = -1 },
		"a feature too many":     func(m *csr.Matrix) { m.Index[1] = 4 },
		"NaN":                    func(m *csr.Matrix) { m.Value[2] = math.NaN() },
		"an infinite value":      func(m *csr.Matrix) { m.Value[0] = math.Inf(-1) },
		"negative rows":          func(m *csr.Matrix) { m.N = -1 },
		"negative features":      func(m *csr.Matrix) { m.D = -1 },
		"more than there may be": func(m *csr.Matrix) { m.D = csr.MaxFeatures + 1 },
	} {
		m := good()
		if spoil(m); m.Validate() == nil {
			t.Errorf("%s passes", what)
		}
	}
}
