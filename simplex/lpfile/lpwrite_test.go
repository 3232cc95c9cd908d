package lpfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/simplex"
)

// rewrite reads back what WriteLP writes.
func rewrite(t *testing.T, m *Model) *Model {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteLP(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(b.Bytes()), Limits{Bytes: 1 << 20, Linear: true})
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return again
}

// TestWriteLP: what is written reads back the same, from both formats, with every number.
func TestWriteLP(t *testing.T) {
	ours := strings.NewReplacer("FREE ", "FRE ", "  FREE", "  FRE", "free:", "fre:", "bounds:", "bound_:") // no keywords
	for _, text := range []string{ours.Replace(example), ours.Replace(lpExample), "max\nst\nend", "min 3\nst\n r: >= 1\nend",
		"min x\nst\n a: 5 <= x <= 3\n b: x >= -inf\nbounds\n 2 <= x <= 1\n 0 <= y <= -3\nend"} {
		m, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20, Linear: true})
		if err != nil {
			t.Fatal(err)
		}
		m.Name, m.Relaxed, m.Warnings = "", false, nil // which the format has not
		same(t, m, rewrite(t, m))
	}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, _ := planted(rng, 1+rng.IntN(9), 1+rng.IntN(29), 0.5, false)
		m := &Model{LP: p.lp(seed%3 == 0), Maximize: seed%2 == 0}
		m.Offset = rng.NormFloat64()
		again := rewrite(t, m)
		same(t, again, rewrite(t, again))
		if d := cmp.Diff([]any{p.a, p.c, p.lo, p.up, p.rowLo, p.rowUp, m.Offset, m.Maximize},
			[]any{entries(again.A), again.C, again.Lo, again.Up, again.RowLo, again.RowUp, again.Offset, again.Maximize}); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
}

// TestWriteLPNames: names that the format has not become others, and stay different.
func TestWriteLPNames(t *testing.T) {
	m := &Model{LP: simplex.LP{A: simplex.NewDense(2, 8, make([]float64, 16))}, RowNames: []string{"obj", "a:b"},
		ColNames: []string{"free", "2x", "x+y", "x-y", "é", "end", "[1]", "e1"}}
	again := rewrite(t, m)
	if got, want := fmt.Sprint(append(append(again.RowNames, again.ObjName), again.ColNames...)),
		"[obj a_b obj_ free_ _2x x_y x_y_ _ end_ _[1] e1]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWriteCrossedRow: the MPS format cannot say it.
func TestWriteCrossedRow(t *testing.T) {
	m := &Model{LP: simplex.LP{RowLo: []float64{2}, RowUp: []float64{1}, A: simplex.NewDense(1, 1, []float64{1})}}
	if err := m.WriteMPS(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), `row "R1"`) {
		t.Error(err)
	}
}
