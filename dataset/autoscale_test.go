package dataset

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestAutoScale: samples of columns are scaled; those of LIBSVM text where means or spreads differ.
func TestAutoScale(t *testing.T) {
	for name, tt := range map[string]struct {
		x           []float64 // of two features
		kind, pairs ScaleKind
		why         string
	}{
		"alike":       {[]float64{0, 0, 1, 3, 2, 6, 3, 9}, ScaleZ, ScaleNone, ""},
		"spreads":     {[]float64{0, 0, 1, 4, 2, 8, 3, 12}, ScaleZ, ScaleZ, "spreads differ by a factor of 4"},
		"near means":  {[]float64{0, 3, 1, 4, 2, 5, 3, 6}, ScaleZ, ScaleNone, ""},
		"means":       {[]float64{0, 62, 1, 63, 2, 64, 3, 65}, ScaleZ, ScaleZ, "means differ by 55.5 of their spreads"},
		"one of them": {[]float64{0, 7, 1, 7, 2, 7, 3, 7}, ScaleZ, ScaleNone, ""},
		"constant":    {[]float64{7, 7, 7, 7, 7, 7, 7, 7}, ScaleZ, ScaleNone, ""},
		"no rows":     {nil, ScaleNone, ScaleNone, ""},
		"rare":        {[]float64{0, 0, 1, 0, 2, 0, 3, 0, 4, 1, 5, 0, 6, 0}, ScaleFloored, ScaleFloored, "a factor of 4.44"},
		"rounding":    {[]float64{0, 7, 1, 7 + 1e-14, 2, 7 - 1e-14, 3, 7}, ScaleFloored, ScaleNone, ""},
		"huge":        {[]float64{-1e307, 0, 1e307, 1}, ScaleZ, ScaleZ, "a factor of 2e+307"},
		"too far":     {[]float64{-1e308, 0, 1e308, 1}, ScaleNone, ScaleNone, ""},
	} {
		for _, pairs := range []bool{false, true} {
			set, want, wantWhy := &Set{X: tt.x, N: len(tt.x) / 2, D: 2, Pairs: pairs}, tt.kind, ""
			if pairs {
				want, wantWhy = tt.pairs, tt.why
			}
			kind, why, err := AutoScale(t.Context(), set)
			if kind != want || !strings.HasSuffix(why, wantWhy) || (why == "") != (wantWhy == "") || err != nil {
				t.Errorf("%s, pairs %v: %v for %q, %v; want %v for %q", name, pairs, kind, why, err, want, wantWhy)
			}
		}
	}
	for questions := range 4 {
		if _, _, err := AutoScale(&counted{t.Context(), questions}, Ringnorm(20000, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
	}
}

// TestFitFloored: rare values of a feature of two values, and values among zeros, have a least spread; others have
// that of z-scores.
func TestFitFloored(t *testing.T) {
	const n = 100
	set := &Set{N: n, D: 5, X: make([]float64, 5*n)}
	for i := range n {
		row := set.Row(i)
		row[0] = float64(i)           // z-scores
		row[3], row[4] = 0.3, 5*1e200 // constant up to rounding; one of two values
		if i%2 == 0 {
			row[3], row[4] = 0.1+0.2, 7*1e200
		}
	}
	set.Row(7)[1] = 3                      // two values
	set.Row(3)[2], set.Row(4)[2] = 6, -2.5 // mostly 0
	sc, err := Fit(t.Context(), set, ScaleFloored)
	if err != nil {
		t.Fatal(err)
	}
	z, err := FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	rms := math.Sqrt((36 + 6.25) / 2)
	want := []float64{z.Spread[0], 0.45 * 3, 0.45 * rms, 0, z.Spread[4]}
	testutil.NearAll(t, "spreads", sc.Spread, want, 1e-14)
	if sc.Kind != ScaleZ || sc.Center[1] != z.Center[1] || sc.Validate(5) != nil {
		t.Errorf("kind %v, centre %v, want those of z-scores", sc.Kind, sc.Center[1])
	}
	if x := sc.Apply(set); x.Row(0)[3] != 0 || x.Row(1)[3] != 0 {
		t.Error("rounding is no feature")
	}
}

// TestAutoScaleSparse: sparse rows choose what stored ones do.
func TestAutoScaleSparse(t *testing.T) {
	kinds := make(map[ScaleKind]int)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		const n, d = 40, 6
		x := make([]float64, n*d)
		for i := range x {
			switch k := i % d; {
			case r.Float64() > []float64{1, 0.9, 0.6, 0.3, 0.05, 0.8}[k]:
			case k < 2 || seed%3 == 0:
				x[i] = 1
			default:
				x[i] = float64(seed%5)*float64(k) + r.NormFloat64()
			}
		}
		thick := &Set{X: x, N: n, D: d, Pairs: seed%4 > 0}
		thin := &Set{Sparse: csr.FromDense(x, n, d), N: n, D: d, Pairs: thick.Pairs}
		kind, why, err := AutoScale(t.Context(), thin)
		wantKind, wantWhy, wrong := AutoScale(t.Context(), thick)
		if kind != wantKind || why != wantWhy || err != nil || wrong != nil {
			t.Errorf("seed %d: %v for %q, want %v for %q; %v, %v", seed, kind, why, wantKind, wantWhy, err, wrong)
		}
		kinds[kind]++
	}
	if len(kinds) < 2 {
		t.Errorf("only %v", kinds)
	}
}
