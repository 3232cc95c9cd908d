package qp

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
)

// TestWriteMPS writes drawn models and reads them back: minimised and maximised ones, quadratic and linear ones.
func TestWriteMPS(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 11))
	for k := range 300 {
		var m lpfile.Model
		p := plant(rng).qp
		m.LP, m.Q = p.LP, p.Q
		if m.Maximize = k%2 == 0; k%5 == 0 {
			m.Q = nil
		}
		for j := range p.C {
			m.ColNames = append(m.ColNames, string(rune('a'+j)))
		}
		var file bytes.Buffer
		if err := m.WriteMPS(&file); err != nil {
			t.Fatal(err)
		}
		back, err := lpfile.Read(&file, lpfile.Limits{Bytes: 1 << 20})
		if err != nil {
			t.Fatalf("program %d: %v", k, err)
		}
		near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-15*(1+math.Abs(a)) }) // of ranges
		if diff := cmp.Diff(vectors(&m), vectors(back), near); diff != "" {
			t.Fatalf("program %d: %s", k, diff)
		}
	}
	n := lpfile.Model{Q: simplex.NewDense(2, 2, []float64{1, 2, 3, 1})}
	n.C = []float64{1, 1}
	n.A = simplex.NewDense(0, 2, nil)
	if err := n.WriteMPS(new(bytes.Buffer)); !errors.Is(err, simplex.ErrInvalid) {
		t.Errorf("asymmetric Q: %v", err)
	}
}

// vectors are the program as vectors, with what its file says of names and sense. Offsets of −0 become 0.
func vectors(m *lpfile.Model) []any {
	p := QP{LP: m.LP, Q: m.Q}
	s, err := newProblem(&p, nil)
	if err != nil {
		return []any{err}
	}
	for _, v := range [][]float64{s.a, s.q, s.c} {
		for i := range v {
			v[i] += 0
		}
	}
	return []any{s.a, s.q, s.c, s.lo, s.up, s.rowLo, s.rowUp, s.offset + 0, m.ColNames, m.Maximize}
}
