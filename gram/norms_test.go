package gram

import (
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
)

func TestPanelNorms(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testPanelNorms[float64])
		t.Run("float32", testPanelNorms[float32])
	})
}

func testPanelNorms[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := lanes[T]()
	for d := 1; d < 40; d++ {
		panel := make([]T, d*l+3)[3:]
		for i := range panel {
			panel[i] = T(rng.NormFloat64())
		}
		got, want := make([]T, l+2), make([]T, l+2)
		panelNorms(got[1:l+1], panel, d)
		panelNormsGeneric(want[1:l+1], panel, d)
		for j := range got {
			if got[j] != want[j] {
				t.Fatalf("d = %d: norm %d is %v, want %v", d, j-1, got[j], want[j])
			}
		}
	}
}
