package lssvm_test

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var background = context.Background()

var (
	clouds       = ref.Clouds
	kernelMatrix = ref.KernelMatrix
	ones         = ref.Ones
)

func close(a, b, tol float64) bool {
	return testutil.Within(a, b, tol*max(1, math.Abs(a), math.Abs(b)))
}

func allClose(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range got {
		if !close(got[i], want[i], tol) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}
