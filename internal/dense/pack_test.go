package dense

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Panels hold the view's columns step after step, whichever way its elements lie, with zeros where there are none.
func TestPackPanels(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 8))
		nr := table.Active().nr
		for _, rows := range append(sizes(), 257) {
			for _, cols := range append(sizes(), width) {
				for _, nl := range []int{solveRows, nr} {
					for _, layout := range layouts {
						testPackPanels(t, rng, lay(rng, layout, rows, cols), nl, rows+rng.IntN(3))
					}
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 9))
		for _, rows := range sizes() {
			for _, cols := range sizes() {
				src, dst := lend(rng, rows*cols, rng.IntN(4)), lend(rng, rows*cols, rng.IntN(4))
				Transpose(dst.s(), src.s(), rows, cols)
				for pos, got := range dst.s() {
					if want := src.s()[pos%cols*rows+pos/cols]; got != want {
						t.Fatalf("%d columns of %d: value %d is %g, want %g", cols, rows, pos, got, want)
					}
				}
				dst.checkGuards(t, "transpose")
			}
		}
	})
}

func testPackPanels(t *testing.T, rng *rand.Rand, v Mat, nl, steps int) {
	dst := lend(rng, roundUp(v.Cols, nl)*steps, rng.IntN(4))
	packPanels(dst.s(), v, nl, steps)
	for pos, got := range dst.s() {
		p, j := pos/nl%steps, pos/(nl*steps)*nl+pos%nl
		want := 0.0
		if p < v.Rows && j < v.Cols {
			want = v.At(p, j)
		}
		if got != want {
			t.Fatalf("%d×%d, %d lanes: step %d, column %d is %g, want %g", v.Rows, v.Cols, nl, p, j, got, want)
		}
	}
	dst.checkGuards(t, "panels")
}
