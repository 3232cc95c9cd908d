package main

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestMCU runs the program for small processors on this computer, and compares it with the models. Where the compiler
// and the emulator of a processor are installed, it runs there, with the same bits in fixed point.
func TestMCU(t *testing.T) {
	testutil.Program(t, "gcc")
	e := &env{&harness.Env{Tmp: t.TempDir()}}
	for i := range mcuModels {
		m, err := e.trainMCU(t.Context(), i, filepath.Join(testutil.Root(t), "testdata"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.name, func(t *testing.T) { m.check(t, e) })
	}
}

func (m *mcuModel) check(t *testing.T, e *env) {
	outputs := m.c.NumSubmodels()
	want, class := make([]float64, mcuRows*outputs), make([]int, mcuRows)
	m.c.DecideBatch(want, m.x, mcuRows, 1)
	m.c.Classes(class, want, mcuRows)
	for _, form := range mcuForms32 {
		got, err := e.decideOn(m, &hostChip, form)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		for r, k := range got.class {
			if int(k) != class[r] {
				t.Errorf("%s, row %d: class %d, want %d", form.name, r, k, class[r])
			}
		}
		for i, v := range got.bits {
			f := float64(math.Float32frombits(v))
			if !form.o.Fixed && !testutil.Within(f, want[i], 2e-5*max(1, math.Abs(want[i]))) {
				t.Errorf("%s, decision %d: %v, want %v", form.name, i, f, want[i])
			}
		}
	}
	for i := range chips {
		c := &chips[i]
		t.Run(c.name, func(t *testing.T) {
			if err := c.missing(); err != nil {
				t.Skip(err)
			}
			d, err := e.compareChip(m, c)
			if err != nil {
				t.Fatal(err)
			}
			if d.bits > 0 || d.others > 0 || !(d.off <= 2e-5) {
				t.Errorf("%d other decisions in fixed point, %d other classes, float within %g", d.bits, d.others, d.off)
			}
		})
	}
}
