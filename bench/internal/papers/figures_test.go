package papers

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The penalty of Fig. 1 is the one of the literal transcription, grows from 0, is concave, and less so for a larger δ.
func TestPelegPenalty(t *testing.T) {
	for _, n := range pelegNumbers {
		bend := math.Inf(1)
		for _, delta := range pelegMargins {
			at := func(share float64) float64 { return pelegPenalty(share/float64(n), n, delta) }
			for _, share := range []float64{0, 0.25, 0.5, 1} {
				testutil.Near(t, "h", at(share), ref.SKMH(share/float64(n), n, delta), 1e-12)
			}
			ratio := at(0.5) / at(1)
			if !(ratio > 0.5 && ratio < bend) {
				t.Errorf("n = %d, δ = %g: h(0.5/n) is %.3f of h(1/n), %.3f for a smaller δ", n, delta, ratio, bend)
			}
			bend = ratio
		}
	}
}

// The figure's row of the paper's example has the printed number.
func TestPelegFig1(t *testing.T) {
	r, err := tableNamed(t, "peleg-fig1").Run(t.Context(), new(Env))
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if row.Paper[0] != nothing && r.Ours[i][len(r.Ours[i])-1] != row.Paper[0] {
			t.Errorf("%v: e_n is %v, the paper prints %s", row.Of, r.Ours[i], row.Paper[0])
		}
	}
	if len(r.Curves.Lines) != len(r.Rows) {
		t.Errorf("%d lines", len(r.Curves.Lines))
	}
}

// The densities have an integral of 1 but for the pulse, and each norm keeps fewer coefficients than the one before.
func TestHuangFig1(t *testing.T) {
	for i, p := range huangDensities[:2] {
		const width, step = 40.0, 1e-3
		sum := 0.0
		for x := -width + step/2; x < width; x += step {
			sum += step * p(x)
		}
		testutil.Near(t, "integral of prior "+strconv.Itoa(i), sum, 1, 1e-6)
	}
	e := &Env{Folders: []string{filepath.Join(testutil.Root(t), "testdata")}}
	r, err := tableNamed(t, "huang-fig1").Run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"251 of 251", "7 of 251", "4 of 251"}
	for i := range r.Rows {
		if got := r.Ours[i][5]; got != want[i] {
			t.Errorf("%s: %s, want %s", r.Rows[i].Of[0], got, want[i])
		}
	}
}
