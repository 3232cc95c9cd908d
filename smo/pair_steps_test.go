package smo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// guarded returns n random values inside sentinels, at an odd offset.
func guarded(rng *rand.Rand, n int) (v []float64, intact func() bool) {
	const guard = 5
	all := make([]float64, n+2*guard)
	for i := range all {
		all[i] = 12345.5
	}
	v = all[guard : guard+n : guard+n]
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v, func() bool {
		for i := range guard {
			if all[i] != 12345.5 || all[guard+n+i] != 12345.5 {
				return false
			}
		}
		return true
	}
}

// shut sets about a third of v to +Inf, the rest to 0.
func shut(rng *rand.Rand, v []float64, all bool) {
	for i := range v {
		v[i] = 0
		if all || rng.IntN(3) == 0 {
			v[i] = math.Inf(1)
		}
	}
}

func TestSteps(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for trial := range 400 {
			n := lanes * (1 + trial%9)
			g, gOK := guarded(rng, n)
			up, upOK := guarded(rng, n)
			low, lowOK := guarded(rng, n)
			ki, kiOK := guarded(rng, n)
			kj, kjOK := guarded(rng, n)
			d, dOK := guarded(rng, n)
			shut(rng, up, trial%17 == 3)
			shut(rng, low, trial%19 == 5)
			if trial%5 == 0 { // ties
				for i := range g {
					g[i], ki[i], kj[i] = math.Round(g[i]), math.Round(ki[i]), math.Round(kj[i])
				}
			}
			for i := range d {
				d[i] = 1 + d[i]*d[i]
			}
			step := rng.NormFloat64()
			if trial%5 == 0 {
				step = 1
			}
			same32(t, append([]float64(nil), g...), up, low, d, ki, kj, step)
			want := append([]float64(nil), g...)
			wi, wm, wM := stepExtremesGeneric(want, up, low, ki, kj, step)
			i, m, M := stepExtremes(g, up, low, ki, kj, step)
			if i != wi || m != wm || M != wM {
				t.Fatalf("trial %d, n = %d: got %d %v %v, want %d %v %v", trial, n, i, m, M, wi, wm, wM)
			}
			for k := range g {
				if g[k] != want[k] {
					t.Fatalf("trial %d: g[%d] = %v, want %v", trial, k, g[k], want[k])
				}
			}
			if math.IsInf(m, 0) {
				m = 1
			}
			kii := 1 + rng.Float64()
			j, wj := secondOrder(g, low, d, ki, m, kii), secondOrderGeneric(g, low, d, ki, m, kii)
			if (j < 0) != (wj < 0) {
				t.Fatalf("trial %d: second variable %d, want %d", trial, j, wj)
			}
			if j != wj { // allowed only where the gains agree to rounding
				gain := func(j int) float64 {
					b := m + g[j] - low[j]
					return b * b / max(kii+d[j]-2*ki[j], tau)
				}
				if !testutil.Within(gain(j), gain(wj), 1e-14*gain(wj)) {
					t.Fatalf("trial %d: second variable %d gains %v, want %d with %v", trial, j, gain(j), wj, gain(wj))
				}
			}
			if !gOK() || !upOK() || !lowOK() || !kiOK() || !kjOK() || !dOK() {
				t.Fatalf("trial %d: wrote outside its operands", trial)
			}
		}
	})
}

// same32 holds steps on rows in single precision against those on the same rows in double.
func same32(t *testing.T, g, up, low, d, ki, kj []float64, step float64) {
	t.Helper()
	si, iOK := guarded32(ki)
	sj, jOK := guarded32(kj)
	di, dj := make([]float64, len(g)), make([]float64, len(g))
	for k := range di {
		di[k], dj[k] = float64(si[k]), float64(sj[k])
	}
	want := append([]float64(nil), g...)
	wi, wm, wM := stepExtremes(want, up, low, di, dj, step)
	i, m, M := stepExtremes(g, up, low, si, sj, step)
	if i != wi || m != wm || M != wM || !slices.Equal(g, want) {
		t.Fatalf("single rows, n = %d: %d %v %v, want %d %v %v", len(g), i, m, M, wi, wm, wM)
	}
	if math.IsInf(m, 0) {
		m = 1
	}
	if j, wj := secondOrder(g, low, d, si, m, 1.5), secondOrder(g, low, d, di, m, 1.5); j != wj {
		t.Fatalf("single rows, n = %d: second variable %d, want %d", len(g), j, wj)
	}
	if !iOK() || !jOK() {
		t.Fatal("single rows: wrote outside its operands")
	}
}

// guarded32 is x in single precision inside sentinels.
func guarded32(x []float64) (v []float32, intact func() bool) {
	const guard = 5
	all := make([]float32, len(x)+2*guard)
	for i := range all {
		all[i] = 12345.5
	}
	v = all[guard : guard+len(x) : guard+len(x)]
	for i := range v {
		v[i] = float32(x[i])
	}
	return v, func() bool {
		for i := range guard {
			if all[i] != 12345.5 || all[guard+len(x)+i] != 12345.5 {
				return false
			}
		}
		return true
	}
}

func BenchmarkStep(b *testing.B) {
	for _, l := range cpu.Available() {
		for _, n := range []int{64, 256, 1024} {
			b.Run(fmt.Sprintf("n=%d/level=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				rng := rand.New(rand.NewPCG(1, 2))
				v := make([][]float64, 6)
				for i := range v { // aligned, as in a solve
					v[i] = make([]float64, n)
					for k := range v[i] {
						v[i][k] = rng.NormFloat64()
					}
				}
				clear(v[1])
				clear(v[2])
				b.ReportAllocs()
				for b.Loop() {
					i, m, _ := stepExtremes(v[0], v[1], v[2], v[3], v[4], 1e-9)
					secondOrder(v[0], v[2], v[5], v[3], m, v[5][i])
				}
			})
		}
	}
}
